import {
  type ColumnDef,
  type CreateDatabase,
  type CreateMaterializedView,
  type CreateStream,
  type CreateView,
  type ObjectName,
  printSql,
  type Query,
  type StorageClauses,
  selectsOf,
} from '../../ast/index.ts';
import { SluiceError } from '../../base/index.ts';
import {
  type ColumnDefinition,
  eventTimeColumn,
  quotedName,
  type StreamObject,
  sequenceColumn,
  streamText,
} from '../../catalog/index.ts';
import { isStreaming, type PhysicalPlan } from '../../compile/index.ts';
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
import { planContext, querySettings } from '../planner.ts';
import type { Process } from '../processes.ts';
import type { Request } from '../request.ts';
import { done, type Outcome } from '../result.ts';
import { compileQuery, emitInterval, streamStart } from '../select.ts';
import type { TargetObject } from '../target.ts';
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
function refuseStorage(storage: StorageClauses, what: string): void {
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

async function newStream(
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

function refuseViewClauses(statement: CreateView): void {
  if (statement.columns.length > 0)
    throw new SluiceError(
      'NOT_IMPLEMENTED',
      'A list of columns of a view is not supported: name them in its SELECT',
    );
  const [setting] = statement.settings;
  if (setting !== undefined)
    throw new SluiceError('NOT_IMPLEMENTED', `The setting '${setting.name}' of a view is not supported`);
}

export async function createView(engine: Engine, request: Request, statement: CreateView): Promise<Outcome> {
  refuseViewClauses(statement);
  const name = fullName(request, statement.name);
  if (await existsAlready(engine, name, statement)) return done(request.settings);
  const { prepared } = compileQuery(engine, request, statement.query, request.settings);
  const queryText = printSql(statement.query);
  const columns = prepared.columns.map((column) => ({ ...column, defaultText: null, comment: '' }));
  const createText = `CREATE VIEW ${quotedName(name.database)}.${quotedName(name.name)} AS\n${queryText}`;
  await engine.catalog.create({
    kind: 'view' as const,
    ...name,
    columns,
    comment: statement.comment ?? '',
    createText,
    queryText,
    queryDatabase: request.database,
  });
  return done(request.settings);
}

/** The streams and external objects that a plan goes on reading. */
function liveSources(plan: PhysicalPlan): TargetObject[] {
  switch (plan.kind) {
    case 'one':
      return [];
    case 'scan': {
      const { source } = plan.scan;
      if (source.kind === 'stream' && source.streaming) return [source.stream];
      return source.kind === 'external' && source.streaming && source.object !== null ? [source.object] : [];
    }
    case 'union':
      return plan.inputs.flatMap(liveSources);
    case 'pipeline':
      return liveSources(plan.input);
  }
}

/** Throws BAD_ARGUMENTS when rows written into the target come back to a source, by the views that there are: without an end. */
function refuseLoop(engine: Engine, sources: readonly TargetObject[], target: TargetObject): void {
  const objects = engine.catalog.objects();
  const reached = new Set([target.uuid]);
  // A set that grows while it is gone through hands out what was added, too.
  for (const uuid of reached) {
    for (const view of objects) {
      if (view.kind !== 'materialized_view' || !Object.hasOwn(view.start, uuid)) continue;
      const { database, name } = view.target;
      for (const next of objects)
        if (next.database === database && next.name === name) reached.add(next.uuid);
    }
  }
  const source = sources.find(({ uuid }) => reached.has(uuid));
  if (source === undefined) return;
  throw new SluiceError(
    'BAD_ARGUMENTS',
    `The view would feed itself without end: rows that it writes into ${target.database}.${target.name} come back to ${source.database}.${source.name}, which it reads`,
  );
}

export async function createMaterializedView(
  engine: Engine,
  request: Request,
  statement: CreateMaterializedView,
): Promise<Outcome> {
  if (statement.columns.length > 0)
    throw new SluiceError(
      'NOT_IMPLEMENTED',
      'A list of columns of a materialized view is not supported: name them in its SELECT',
    );
  if (statement.uuid !== null)
    throw new SluiceError('NOT_IMPLEMENTED', 'UUID of a materialized view is not supported');
  if (statement.populate) throw new SluiceError('NOT_IMPLEMENTED', 'POPULATE is not supported');
  refuseStorage(statement.storage, 'materialized view');
  const name = fullName(request, statement.name);
  if (await existsAlready(engine, name, statement)) return done(request.settings);
  const settings = { ...request.settings, query_mode: 'streaming' };
  const { prepared } = compileQuery(engine, request, statement.query, settings);
  if (!isStreaming(prepared.plan))
    throw new SluiceError(
      'BAD_ARGUMENTS',
      'A materialized view needs a query that keeps running: a SELECT from a stream, not from table(...)',
    );
  emitInterval(statement.query, settings);
  const sources = liveSources(prepared.plan);
  if (sources.length > 1)
    throw new SluiceError(
      'NOT_IMPLEMENTED',
      'A materialized view over several streams that go on is not supported',
    );
  const target = await viewTarget(engine, request, statement, name, prepared.columns);
  refuseLoop(engine, sources, target);
  const queryText = printSql(statement.query);
  const columns = prepared.columns.map((column) => ({ ...column, defaultText: null, comment: '' }));
  const into =
    statement.into === null ? '' : ` INTO ${quotedName(target.database)}.${quotedName(target.name)}`;
  const createText = `CREATE MATERIALIZED VIEW ${quotedName(name.database)}.${quotedName(name.name)}${into} AS\n${queryText}`;
  const start: Record<string, unknown> = {};
  for (const source of sources) start[source.uuid] = await startOf(engine, request, statement.query, source);
  const view = await engine.catalog.create({
    kind: 'materialized_view' as const,
    ...name,
    columns,
    comment: statement.storage.comment ?? '',
    createText,
    queryText,
    queryDatabase: request.database,
    target: { database: target.database, name: target.name },
    ownsTarget: statement.into === null,
    start,
  });
  if (view.kind === 'materialized_view') engine.views.start(view);
  return done(request.settings);
}

/** Views begin with the rows inserted after their creation, unless their own settings say otherwise. */
async function startOf(
  engine: Engine,
  request: Request,
  query: Query,
  source: TargetObject,
): Promise<unknown> {
  if (source.kind === 'external') {
    const settings = querySettings(request.settings, query);
    const start = streamStart(settings.seek_to, engine.clock.now());
    const { clock } = engine;
    const fixed = source.external.startPosition?.(start, { settings, clock, signal: request.signal });
    return engine.execution(request, settings).whileWanted(Promise.resolve(fixed));
  }
  const seek = selectsOf(query)
    .flatMap((select) => select.settings)
    .find((setting) => setting.name === 'seek_to');
  return seek?.value.kind === 'literal' && seek.value.value === 'earliest' ? 0 : source.log.end;
}

async function viewTarget(
  engine: Engine,
  request: Request,
  statement: CreateMaterializedView,
  name: { database: string; name: string },
  outputs: readonly { name: string; type: SqlType }[],
): Promise<TargetObject> {
  if (statement.into === null) {
    const given = outputs.map((column) => ({ ...column, defaultText: null, comment: '' }));
    return newStream(engine, request, { database: name.database, name: `.inner.${name.name}` }, given, '');
  }
  const { database, name: wanted } = fullName(request, statement.into);
  const target = engine.catalog.find(database, wanted);
  if (target.kind !== 'stream' && target.kind !== 'external')
    throw new SluiceError(
      'BAD_ARGUMENTS',
      `The target ${database}.${wanted} is no stream, external stream or external table`,
    );
  for (const output of outputs) {
    if (!target.columns.some((column) => column.name === output.name)) {
      throw new SluiceError(
        'THERE_IS_NO_COLUMN',
        `The view gives a column '${output.name}' that ${database}.${wanted} does not have: name it after one of ${target.columns.map((column) => column.name).join(', ')}`,
      );
    }
  }
  return target;
}
