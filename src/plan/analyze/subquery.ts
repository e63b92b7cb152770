import type { Query } from '../../ast/index.ts';
import { SluiceError } from '../../base/index.ts';
import { bareType, nullable, tupleOf } from '../../types/index.ts';
import type { BoundExpr } from '../bound.ts';
import { outputColumns } from '../logical.ts';
import type { Binder } from './binder.ts';
import { planQuery } from './query.ts';

/** Binds a subquery that stands for its single value; several columns make a tuple. */
export function bindScalarSubquery(binder: Binder, query: Query): BoundExpr {
  const plan = planQuery(binder.context, query, binder.scope.with);
  const columns = outputColumns(plan);
  if (columns.length === 0) throw new SluiceError('BAD_ARGUMENTS', 'A scalar subquery needs a column');
  const single = columns[0]!.type;
  const { kind } = bareType(single);
  const compound = kind === 'array' || kind === 'map' || kind === 'tuple';
  const type =
    columns.length > 1 ? tupleOf(columns.map((column) => column.type)) : compound ? single : nullable(single);
  const { parameters } = binder.context;
  parameters.push({ kind: 'scalar', plan, type });
  return { kind: 'parameter', index: parameters.length - 1, type };
}
