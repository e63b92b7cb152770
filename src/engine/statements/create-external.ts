import type { CreateStream, SettingAssignment } from '../../ast/index.ts';
import { SluiceError } from '../../base/index.ts';
import type { ExternalDefinition } from '../../catalog/index.ts';
import { literalText } from '../../plan/index.ts';
import type { Engine } from '../engine.ts';
import type { Request } from '../request.ts';
import { done, type Outcome } from '../result.ts';
import { checkDefaults, definitionOf, existsAlready, fullName } from './create.ts';

function settingTexts(assignments: readonly SettingAssignment[]): Record<string, string> {
  const texts: Record<string, string> = {};
  for (const { name, value } of assignments) {
    if (Object.hasOwn(texts, name))
      throw new SluiceError('BAD_ARGUMENTS', `The setting '${name}' is given twice`);
    texts[name] = literalText(value, `The value of setting '${name}'`);
  }
  return texts;
}

function refuseClauses(statement: CreateStream): void {
  const { storage } = statement;
  const what = `an external ${statement.object}`;
  const refuse = (present: boolean, clause: string) => {
    if (present) throw new SluiceError('NOT_IMPLEMENTED', `${clause} of ${what} is not supported`);
  };
  refuse(statement.script !== null, 'A script');
  refuse(statement.query !== null, 'AS SELECT');
  refuse(statement.like !== null, 'AS and the name of another');
  refuse(statement.constraints.length > 0, 'CONSTRAINT');
  refuse(statement.indexes.length > 0, 'INDEX');
  refuse(statement.uuid !== null, 'UUID');
  refuse(storage.engine !== null, 'ENGINE');
  refuse(storage.orderBy.length > 0, 'ORDER BY');
  refuse(storage.partitionBy !== null, 'PARTITION BY');
  refuse(storage.primaryKey.length > 0, 'PRIMARY KEY');
  refuse(storage.sampleBy !== null, 'SAMPLE BY');
  refuse(storage.ttl.length > 0, 'TTL');
}

/** CREATE EXTERNAL STREAM and CREATE EXTERNAL TABLE. The other side is asked for nothing but columns that are not listed. */
export async function createExternal(
  engine: Engine,
  request: Request,
  statement: CreateStream,
): Promise<Outcome> {
  refuseClauses(statement);
  const name = fullName(request, statement.name);
  const given = statement.columns.map((column) => definitionOf(engine, request, column));
  const twice = given.find((column, index) => given.findIndex((each) => each.name === column.name) < index);
  if (twice !== undefined)
    throw new SluiceError('DUPLICATE_COLUMN', `Column '${twice.name}' is defined twice`);
  const variant = statement.object;
  let definition: ExternalDefinition = {
    variant,
    ...name,
    columns: given,
    settings: settingTexts(statement.storage.settings),
  };
  if (given.length === 0) {
    const columns = await engine.connectors.findColumns(definition, request.signal);
    definition = { ...definition, columns };
  }
  checkDefaults(engine, request, definition.columns);
  // Whatever is wrong shows before OR REPLACE takes an old object away.
  await (await engine.connectors.connect(definition)).close();
  if (await existsAlready(engine, name, statement)) return done(request.settings);
  const comment = statement.storage.comment ?? '';
  await engine.catalog.create({ kind: 'external' as const, ...definition, comment });
  return done(request.settings);
}
