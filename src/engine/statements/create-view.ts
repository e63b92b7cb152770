import {
  type CreateMaterializedView,
  type CreateView,
  printSql,
  type Query,
  selectsOf,
} from '../../ast/index.ts';
import { SluiceError } from '../../base/index.ts';
import { quotedName } from '../../catalog/index.ts';
import { isStreaming, type PhysicalPlan } from '../../compile/index.ts';
import type { SqlType } from '../../types/index.ts';
import type { Engine } from '../engine.ts';
import { querySettings } from '../planner.ts';
import type { Request } from '../request.ts';
import { done, type Outcome } from '../result.ts';
import { compileQuery, emitInterval, streamStart } from '../select.ts';
import type { TargetObject } from '../target.ts';
import { existsAlready, fullName, newStream, refuseStorage } from './create.ts';

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
