import type {
  DropStatement,
  ObjectKind,
  ObjectName,
  RenameStatement,
  TruncateStatement,
} from '../../ast/index.ts';
import { SluiceError } from '../../base/index.ts';
import { type CatalogObject, kindName } from '../../catalog/index.ts';
import type { Engine } from '../engine.ts';
import type { Request } from '../request.ts';
import { done, type Outcome } from '../result.ts';

const kindsOf: Partial<Record<ObjectKind, readonly CatalogObject['kind'][]>> = {
  stream: ['stream', 'external', 'view', 'materialized_view'],
  table: ['stream', 'external', 'view', 'materialized_view'],
  view: ['view', 'materialized_view'],
  materialized_view: ['materialized_view'],
};

/** The object a statement names; undefined when it is not there and need not be. */
function objectNamed(
  engine: Engine,
  request: Request,
  name: ObjectName,
  kind: ObjectKind,
  ifExists: boolean,
): CatalogObject | undefined {
  const kinds = kindsOf[kind];
  if (kinds === undefined)
    throw new SluiceError(
      'NOT_IMPLEMENTED',
      `${kind.replaceAll('_', ' ').toUpperCase()} is not supported here`,
    );
  const database = name.database ?? request.database;
  if (
    ifExists &&
    (!engine.catalog.hasDatabase(database) || engine.catalog.lookUp(database, name.name) === undefined)
  )
    return undefined;
  const object = engine.catalog.find(database, name.name);
  if (object.kind === 'system_table')
    throw new SluiceError('TABLE_IS_READ_ONLY', `${database}.${name.name} is a system table`);
  if (!kinds.includes(object.kind))
    throw new SluiceError(
      'BAD_ARGUMENTS',
      `${database}.${name.name} is a ${kindName(object)}, not a ${kind.replaceAll('_', ' ')}`,
    );
  return object;
}

/** Views that read or write an object, which would be left without it. */
function assertUnused(engine: Engine, object: CatalogObject): void {
  const user = engine.catalog
    .objects()
    .find(
      (other) =>
        other.kind === 'materialized_view' &&
        other.target.database === object.database &&
        other.target.name === object.name,
    );
  if (user !== undefined) {
    throw new SluiceError(
      'BAD_ARGUMENTS',
      `Cannot drop ${object.database}.${object.name}: the materialized view ${user.database}.${user.name} writes into it; drop the view first`,
    );
  }
}

async function dropObject(engine: Engine, object: CatalogObject): Promise<void> {
  if (object.kind === 'stream' || object.kind === 'external') assertUnused(engine, object);
  if (object.kind === 'materialized_view') await engine.views.stopView(object.uuid);
  await engine.catalog.drop(object);
  if (object.kind !== 'materialized_view' || !object.ownsTarget) return;
  const target = engine.catalog.lookUp(object.target.database, object.target.name);
  if (target !== undefined && target.kind !== 'system_table') await engine.catalog.drop(target);
}

export async function drop(engine: Engine, request: Request, statement: DropStatement): Promise<Outcome> {
  if (statement.cascade) throw new SluiceError('NOT_IMPLEMENTED', 'DROP ... CASCADE is not supported');
  const [setting] = statement.settings;
  if (setting !== undefined)
    throw new SluiceError('NOT_IMPLEMENTED', `The setting '${setting.name}' of DROP is not supported`);
  for (const name of statement.names) {
    if (statement.object === 'format_schema') {
      await engine.formatSchemas.drop(name.name, statement.ifExists);
      continue;
    }
    if (statement.object === 'database') {
      if (statement.ifExists && !engine.catalog.hasDatabase(name.name)) continue;
      for (const object of engine.catalog.objects(name.name)) {
        if (object.kind === 'materialized_view') await engine.views.stopView(object.uuid);
      }
      await engine.catalog.dropDatabase(name.name);
      continue;
    }
    const object = objectNamed(engine, request, name, statement.object, statement.ifExists);
    if (object !== undefined) await dropObject(engine, object);
  }
  return done(request.settings);
}

export async function truncate(
  engine: Engine,
  request: Request,
  statement: TruncateStatement,
): Promise<Outcome> {
  if (statement.object === 'database')
    throw new SluiceError('NOT_IMPLEMENTED', 'TRUNCATE DATABASE is not supported');
  const object = objectNamed(engine, request, statement.name, statement.object, statement.ifExists);
  if (object === undefined) return done(request.settings);
  if (object.kind !== 'stream')
    throw new SluiceError(
      'BAD_ARGUMENTS',
      `Only streams can be truncated, and ${object.name} is a ${kindName(object)}`,
    );
  await object.log.truncate();
  return done(request.settings);
}

export async function rename(engine: Engine, request: Request, statement: RenameStatement): Promise<Outcome> {
  for (const { from, to } of statement.pairs) {
    const object = objectNamed(engine, request, from, statement.object, statement.ifExists);
    if (object === undefined) continue;
    if (object.kind !== 'stream')
      throw new SluiceError('NOT_IMPLEMENTED', `RENAME of a ${kindName(object)} is not supported`);
    assertUnused(engine, object);
    await engine.catalog.rename(object, to.database ?? request.database, to.name);
  }
  return done(request.settings);
}
