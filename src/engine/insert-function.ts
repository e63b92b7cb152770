import { randomUUID } from 'node:crypto';
import { type InsertStatement, printSql } from '../ast/index.ts';
import { assert, type Settings } from '../base/index.ts';
import type { ColumnDefinition, ExternalObject } from '../catalog/index.ts';
import type { ColumnSchema } from '../column/index.ts';
import { partitionColumn } from '../connectors/index.ts';
import { tableArguments } from '../plan/index.ts';
import { types } from '../types/index.ts';
import type { Engine } from './engine.ts';
import { planContext } from './planner.ts';
import type { Request } from './request.ts';
import type { TargetObject } from './target.ts';

/** The database of objects that live as long as a statement. */
const nowhere = '';

export function isTemporary(object: TargetObject): object is ExternalObject {
  return object.database === nowhere;
}

/**
 * What INSERT INTO FUNCTION writes into, as an object that lives as long as the statement. PARTITION BY is a further column
 * with the expression as its DEFAULT. `selected` are the columns of the query, for a call that names none.
 */
export function functionTarget(
  engine: Engine,
  request: Request,
  statement: InsertStatement,
  settings: Settings,
  selected: readonly ColumnSchema[] | null,
): ExternalObject {
  const { target, partitionBy } = statement;
  assert('kind' in target, 'only a function has a target of its own');
  const context = planContext({
    catalog: engine.catalog,
    context: engine.contextFor({ ...request, settings }),
    parameters: request.parameters,
  });
  const external = engine.connectors.tableFunctions.target(
    target.name,
    tableArguments(context, target.args, null),
    selected,
    partitionBy !== null,
  );
  const partition: ColumnDefinition[] =
    partitionBy === null
      ? []
      : [
          {
            name: partitionColumn,
            type: types.string,
            defaultText: `if_null(to_string(${printSql(partitionBy)}), 'NULL')`,
            comment: '',
          },
        ];
  return {
    kind: 'external',
    variant: 'table',
    uuid: randomUUID(),
    database: nowhere,
    name: `${external.type}()`,
    columns: [...external.columns, ...partition],
    createText: '',
    comment: '',
    settings: {},
    external,
  };
}
