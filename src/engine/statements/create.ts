import {
  type ColumnDef,
  type CreateDatabase,
  type CreateStream,
  type ObjectName,
  printSql,
  type StorageClauses,
} from '../../ast/index.ts';
import { SluiceError } from '../../base/index.ts';
import {
  type ColumnDefinition,
  eventTimeColumn,
  type StreamObject,
  sequenceColumn,
  streamText,
} from '../../catalog/index.ts';
import { Binder, Scope } from '../../plan/index.ts';
import {
  datetime64,
  nullable,
  parseType,
  type SqlType,
  typeName,
  withoutLowCardinality,
} from '../../types/index.ts';
import type { Engine } from '../engine.ts';
import { insert } from '../insert.ts';
import { defaultExpression } from '../insert-plan.ts';
import { planContext } from '../planner.ts';
import type { Process } from '../processes.ts';
import type { Request } from '../request.ts';
import { done, type Outcome } from '../result.ts';
import { compileQuery } from '../select.ts';
import { createExternal } from './create-external.ts';

const eventTime: ColumnDefinition = {
  name: eventTimeColumn,
  type: datetime64(3, 'UTC'),
  defaultText: "now64(3, 'UTC')",
  comment: '',
};

export async function createDatabase(
  engine: Engine,
  request: Request,
  statement: CreateDatabase,
): Promise<Outcome> {
  checkName(statement.name);
  if (!(statement.ifNotExists && engine.catalog.hasDatabase(statement.name)))
    await engine.catalog.createDatabase(statement.name);
  return done(request.settings);
}

function checkName(name: string): void {
  const bytes = Buffer.byteLength(name);
  if (bytes > 255)
    throw new SluiceError('BAD_ARGUMENTS', `A name has at most 255 bytes, and this has ${bytes}`);
  if (name.includes('\0')) throw new SluiceError('BAD_ARGUMENTS', 'A name cannot hold a zero byte');
}

/** The database and name that a statement means. */
export function fullName(request: Request, name: ObjectName): { database: string; name: string } {
  checkName(name.name);
  return { database: name.database ?? request.database, name: name.name };
}

/** Whether there is nothing to do because the object exists; OR REPLACE takes the old one away. */
export async function existsAlready(
  engine: Engine,
  name: { database: string; name: string },
  statement: { ifNotExists: boolean; orReplace: boolean },
): Promise<boolean> {
  engine.catalog.assertDatabase(name.database);
  const existing = engine.catalog.lookUp(name.database, name.name);
  if (existing === undefined) return false;
  if (statement.ifNotExists) return true;
  if (statement.orReplace && existing.kind !== 'system_table') {
    if (existing.kind === 'materialized_view') await engine.views.stopView(existing.uuid);
    await engine.catalog.drop(existing);
    return false;
  }
  throw new SluiceError('TABLE_ALREADY_EXISTS', `Table ${name.database}.${name.name} already exists`);
}

function columnType(engine: Engine, request: Request, column: ColumnDef): SqlType {
  let type: SqlType;
  if (column.typeText !== null) type = parseType(column.typeText);
  else if (column.default?.expr) {
    const context = planContext({
      catalog: engine.catalog,
      context: engine.contextFor(request),
      parameters: new Map(),
    });
    type = withoutLowCardinality(new Binder(context, new Scope([], null)).bind(column.default.expr).type);
  } else throw new SluiceError('BAD_ARGUMENTS', `Column '${column.name}' needs a type`);
  if (column.nullable === true) return nullable(type);
  return type;
}

export function definitionOf(engine: Engine, request: Request, column: ColumnDef): ColumnDefinition {
  refuseColumnClauses(column);
  if (column.name === sequenceColumn)
    throw new SluiceError('BAD_ARGUMENTS', `The name ${sequenceColumn} is reserved for the sequence number`);
  const type = columnType(engine, request, column);
  if (type.kind === 'nothing')
    throw new SluiceError('BAD_ARGUMENTS', `Column '${column.name}' cannot be of type nothing`);
  const defaultText = column.default?.expr ? printSql(column.default.expr) : null;
  return { name: column.name, type, defaultText, comment: column.comment ?? '' };
}

/** The columns of a new stream: those written, and `_tp_time` last when it is not among them. */
function streamColumns(columns: readonly ColumnDefinition[]): ColumnDefinition[] {
  if (columns.length === 0) throw new SluiceError('BAD_ARGUMENTS', 'A stream needs at least one column');
  const names = new Set<string>();
  for (const { name } of columns) {
    if (names.has(name)) throw new SluiceError('DUPLICATE_COLUMN', `Column '${name}' is defined twice`);
    names.add(name);
  }
  const own = columns.find((column) => column.name === eventTimeColumn);
  if (own === undefined) return [...columns, eventTime];
  if (own.type.kind !== 'datetime64')
    throw new SluiceError(
      'TYPE_MISMATCH',
      `${eventTimeColumn} must be a datetime64, not ${typeName(own.type)}`,
    );
  const rest = columns.filter((column) => column !== own);
  return [...rest, { ...own, defaultText: own.defaultText ?? eventTime.defaultText }];
}

/** Checks every DEFAULT against the stream's columns, so that a bad one fails now and not at the first INSERT. */
export function checkDefaults(engine: Engine, request: Request, columns: readonly ColumnDefinition[]): void {
  const context = planContext({
    catalog: engine.catalog,
    context: engine.contextFor(request),
    parameters: new Map(),
  });
  const visible = columns.map((column) => context.nextColumn(column.name, column.type));
  const binder = new Binder(
    context,
    new Scope([{ alias: null, database: null, name: null, columns: visible, hidden: [] }], null),
  );
  for (const column of columns) defaultExpression(binder, column);
}

/** Clauses that would say how rows are kept, and do not yet: each is refused by name rather than passed over. */
export function refuseStorage(storage: StorageClauses, what: string): void {
  const refuse = (present: boolean, clause: string) => {
    if (present)
      throw new SluiceError(
        'NOT_IMPLEMENTED',
        `${clause} of a ${what} is not supported: leave it out, rows are kept in the order in which they come`,
      );
  };
  refuse(storage.engine !== null, 'ENGINE');
  refuse(storage.orderBy.length > 0, 'ORDER BY');
  refuse(storage.partitionBy !== null, 'PARTITION BY');
  refuse(storage.primaryKey.length > 0, 'PRIMARY KEY');
  refuse(storage.sampleBy !== null, 'SAMPLE BY');
  refuse(storage.ttl.length > 0, 'TTL');
  const [setting] = storage.settings;
  refuse(setting !== undefined, `The setting '${setting?.name}'`);
}

function refuseColumnClauses(column: ColumnDef): void {
  const refuse = (present: boolean, clause: string) => {
    if (present)
      throw new SluiceError('NOT_IMPLEMENTED', `${clause} of column '${column.name}' is not supported`);
  };
  refuse(
    column.default !== null && column.default.type !== 'default',
    `${column.default?.type.toUpperCase()}`,
  );
  refuse(column.codec !== null, 'CODEC');
  refuse(column.ttl !== null, 'TTL');
  refuse(column.primaryKey, 'PRIMARY KEY');
  refuse(column.settings.length > 0, 'SETTINGS');
}

export async function newStream(
  engine: Engine,
  request: Request,
  name: { database: string; name: string },
  given: readonly ColumnDefinition[],
  comment: string,
): Promise<StreamObject> {
  const columns = streamColumns(given);
  checkDefaults(engine, request, columns);
  const created = await engine.catalog.create({
    kind: 'stream' as const,
    ...name,
    columns,
    comment,
    createText: streamText({ ...name, columns, comment }),
  });
  return created as StreamObject;
}

export async function createStream(
  engine: Engine,
  request: Request,
  statement: CreateStream,
  process: Process,
): Promise<Outcome> {
  if (statement.variant === 'external') return createExternal(engine, request, statement);
  if (statement.variant !== 'stream')
    throw new SluiceError(
      'NOT_IMPLEMENTED',
      `CREATE ${statement.variant.toUpperCase()} ${statement.object.toUpperCase()} is not supported`,
    );
  if (statement.script !== null)
    throw new SluiceError('NOT_IMPLEMENTED', 'A stream made of a script is not supported');
  if (statement.constraints.length > 0)
    throw new SluiceError('NOT_IMPLEMENTED', 'CONSTRAINT is not supported');
  if (statement.indexes.length > 0)
    throw new SluiceError('NOT_IMPLEMENTED', 'INDEX of a stream is not supported');
  if (statement.uuid !== null) throw new SluiceError('NOT_IMPLEMENTED', 'UUID of a stream is not supported');
  refuseStorage(statement.storage, 'stream');
  const name = fullName(request, statement.name);
  if (await existsAlready(engine, name, statement)) return done(request.settings);
  const comment = statement.storage.comment ?? '';
  let columns = statement.columns.map((column) => definitionOf(engine, request, column));
  if (statement.like !== null) {
    const like = engine.catalog.find(statement.like.database ?? request.database, statement.like.name);
    if (like.kind !== 'stream')
      throw new SluiceError(
        'BAD_ARGUMENTS',
        `${statement.like.name} is no stream whose columns could be taken`,
      );
    columns = [...like.columns];
  }
  if (statement.query === null) {
    await newStream(engine, request, name, columns, comment);
    return done(request.settings);
  }
  const { prepared } = compileQuery(engine, request, statement.query, request.settings);
  if (prepared.streaming)
    throw new SluiceError(
      'NOT_IMPLEMENTED',
      'CREATE STREAM ... AS needs a query that completes: wrap the stream in table(...)',
    );
  if (columns.length === 0) {
    columns = prepared.columns.map((column) => ({
      name: column.name,
      type: column.type,
      defaultText: null,
      comment: '',
    }));
  }
  await newStream(engine, request, name, columns, comment);
  const target = { database: name.database, name: name.name };
  return insert(
    engine,
    request,
    {
      kind: 'insert',
      target,
      columns: null,
      partitionBy: null,
      infile: null,
      settings: [],
      format: null,
      query: statement.query,
      data: null,
      pos: statement.pos,
    },
    process,
  );
}
