import type { EmitClause, Expr, OutputClause, Query } from '../ast/index.ts';
import { selectsOf } from '../ast/index.ts';
import { type Settings, SluiceError } from '../base/index.ts';
import { eventTimeColumn, type ReadStart } from '../catalog/index.ts';
import { StructureWanted } from '../connectors/index.ts';
import { Execution, runPlan, runStream } from '../exec/index.ts';
import type { BoundExpr, BoundLambda, LogicalPlan } from '../plan/index.ts';
import { datetime64, parseText } from '../types/index.ts';
import type { Engine } from './engine.ts';
import { noteSplit, parallelSources } from './parallel/split.ts';
import { plan, type QueryReads, querySettings } from './planner.ts';
import { type LiteralValues, type PreparedQuery, prepareParameters, prepareQuery } from './prepared-query.ts';
import { type CachedQuery, type PlanSurroundings, shapeOf } from './query-cache.ts';
import type { Request } from './request.ts';
import type { Outcome } from './result.ts';
import { type KeptResult, keepingSource, keptSource, mayReuse, versionOf } from './result-cache.ts';
import { assertReadable, viewerOf } from './rights.ts';

const unitSeconds: Record<string, number> = { s: 1, m: 60, h: 3600, d: 86_400, w: 604_800 };

/** Reads the setting seek_to: where a streaming scan begins. */
export function streamStart(seekTo: string, now: number): ReadStart {
  if (seekTo === 'latest' || seekTo === '') return { kind: 'latest' };
  if (seekTo === 'earliest') return { kind: 'earliest' };
  if (/^(\d{1,9}|\d{1,15}(\s*,\s*\d{1,15})+)$/.test(seekTo))
    return { kind: 'sequence', sequences: seekTo.split(',').map(Number) };
  const relative = /^-\s*(\d+)\s*([smhdw])$/.exec(seekTo);
  if (relative !== null)
    return { kind: 'time', milliseconds: now - Number(relative[1]) * unitSeconds[relative[2]!]! * 1000 };
  try {
    return { kind: 'time', milliseconds: Number(parseText(datetime64(3, 'UTC'), seekTo)) };
  } catch (thrown) {
    if (!(thrown instanceof SluiceError)) throw thrown;
    throw new SluiceError(
      'BAD_ARGUMENTS',
      `Setting seek_to cannot be '${seekTo}': expected 'earliest', 'latest', a time, a sequence number or a span such as '-2h'`,
    );
  }
}

/** The EMIT clause that counts for a query: that of the outermost SELECT that has one. */
function emitClause(query: Query): EmitClause | null {
  for (const select of selectsOf(query)) {
    if (select.emit !== null) return select.emit;
    const { from } = select;
    const inner = from?.kind === 'table_subquery' ? emitClause(from.query) : null;
    if (inner !== null) return inner;
  }
  return null;
}

function seconds(expr: Expr, what: string): number {
  const units: Record<string, number> = {
    millisecond: 0.001,
    second: 1,
    minute: 60,
    hour: 3600,
    day: 86_400,
  };
  if (
    expr.kind === 'interval' &&
    expr.value.kind === 'literal' &&
    (expr.value.type === 'integer' || expr.value.type === 'float')
  ) {
    const unit = units[expr.unit];
    if (unit !== undefined) return Number(expr.value.value) * unit;
  }
  throw new SluiceError('BAD_ARGUMENTS', `${what} needs an interval such as 5s`);
}

/** Milliseconds between the results of a streaming aggregation. Policies that are not run are refused by name. */
export function emitInterval(query: Query, settings: Settings): number {
  const emit = emitClause(query);
  if (emit === null) return settings.periodic_emit_interval * 1000;
  const refuse = (what: string): never => {
    throw new SluiceError('NOT_IMPLEMENTED', `EMIT ${what} is not supported`);
  };
  if (emit.mode === 'changelog' || emit.mode === 'delta') refuse(emit.mode.toUpperCase());
  if (emit.delay !== null) refuse('... WITH DELAY');
  if (emit.timeout !== null) refuse('... TIMEOUT');
  switch (emit.policy.type) {
    case 'default':
      return settings.periodic_emit_interval * 1000;
    case 'periodic': {
      if (emit.policy.repeat) refuse('PERIODIC ... REPEAT');
      const interval = seconds(emit.policy.interval, 'EMIT PERIODIC') * 1000;
      if (!(interval >= 1))
        throw new SluiceError('BAD_ARGUMENTS', 'EMIT PERIODIC needs an interval of a millisecond or more');
      return interval;
    }
    default:
      return refuse(emit.policy.type.replaceAll('_', ' ').toUpperCase());
  }
}

/** Whether a plan compares the event time with a bound from below, which starts a streaming query earlier. */
function boundsEventTime(plan: LogicalPlan): boolean {
  switch (plan.kind) {
    case 'one':
    case 'scan':
      return false;
    case 'union':
      return plan.inputs.some(boundsEventTime);
    case 'join':
      return boundsEventTime(plan.left);
    case 'filter': {
      const conditions =
        plan.predicate.kind === 'call' && plan.predicate.definition.name === 'and'
          ? plan.predicate.args
          : [plan.predicate];
      return conditions.some(isLowerTimeBound) || boundsEventTime(plan.input);
    }
    default:
      return boundsEventTime(plan.input);
  }
}

function isLowerTimeBound(expr: BoundExpr | BoundLambda): boolean {
  if (expr.kind !== 'call' || expr.args.length !== 2) return false;
  const [left, right] = expr.args;
  const isTime = (side: BoundExpr | BoundLambda | undefined) =>
    side?.kind === 'column' && side.column.name === eventTimeColumn;
  const { name } = expr.definition;
  if (isTime(left)) return name === 'greater' || name === 'greater_or_equals';
  return isTime(right) && (name === 'less' || name === 'less_or_equals');
}

function surroundings(request: Request): PlanSurroundings {
  const { settings } = request;
  return {
    database: request.database,
    queryMode: settings.query_mode,
    joinUseNulls: settings.join_use_nulls,
    disabledRules: settings.disabled_optimizer_rules,
  };
}

function isCached(request: Request): boolean {
  return request.settings.use_query_cache && request.parameters.size === 0;
}

/** The compiled form of a statement's text or of its shape, from the cache when it is there. */
export function cachedQuery(engine: Engine, request: Request): CachedQuery | undefined {
  if (!isCached(request)) return undefined;
  const around = surroundings(request);
  let known = engine.cache.findText(around, request.text);
  if (known === undefined && /^\s*(?:select|with|from|\()/i.test(request.text))
    known = engine.cache.findShape(around, request.text, shapeOf(request.text));
  if (known === undefined || request.user.grants.unlimited) return known;
  // A plan over system tables shows what those may see whom it was made for.
  const { reads } = known.compiled;
  if (reads.system) return undefined;
  assertReadable(request.user, reads);
  return known;
}

/** Compiles a query for its own use; throws ACCESS_DENIED when the user may not read what it reads. */
export function compileQuery(
  engine: Engine,
  request: Request,
  query: Query,
  settings: Settings,
  literals?: ReadonlyMap<number, number>,
) {
  const context = engine.contextFor({ ...request, settings });
  const { user } = request;
  const input = {
    catalog: engine.catalog,
    tableFunctions: engine.connectors.tableFunctions,
    context,
    parameters: request.parameters,
    ...(user.grants.unlimited ? {} : { viewer: viewerOf(user) }),
    ...(literals === undefined ? {} : { literals }),
  };
  let planned: ReturnType<typeof plan>;
  try {
    planned = plan(input, query);
  } catch (thrown) {
    if (thrown instanceof StructureWanted) thrown.settings = settings;
    throw thrown;
  }
  assertReadable(user, planned.reads);
  const prepared = prepareQuery(planned.plan, planned.values);
  const { catalog } = engine;
  const { parameters } = request;
  const text = literals === undefined ? null : request.text;
  noteSplit(prepared, () => {
    return { catalog, context, query, text, parameters, dependencies: planned.dependencies };
  });
  return { prepared, planned };
}

/** Runs a compiled query. */
export async function runPrepared(
  engine: Engine,
  request: Request,
  prepared: PreparedQuery,
  query: Query,
  settings: Settings,
  literals?: LiteralValues,
) {
  const context = engine.contextFor({ ...request, settings });
  const ready = prepareParameters(prepared, new Execution(context, [], request.signal), literals);
  const execution = ready instanceof Promise ? await ready : ready;
  if (!prepared.streaming) {
    const given = parallelSources(engine.workers, prepared, execution);
    return { source: runPlan(prepared.plan, execution, undefined, given), execution };
  }
  const fromHistory = settings.seek_to === 'latest' && boundsEventTime(prepared.logical);
  const start = streamStart(fromHistory ? 'earliest' : settings.seek_to, context.now);
  const source = runStream(prepared.plan, execution, {
    start: () => start,
    emitInterval: emitInterval(query, settings),
  });
  return { source, execution };
}

/** The compiled form of a SELECT: that of its shape when there is one, else a new one, which is kept. */
function compiledSelect(
  engine: Engine,
  request: Request,
  query: Query,
  output: OutputClause,
  settings: Settings,
): CachedQuery {
  const own = ({ prepared, planned }: ReturnType<typeof compileQuery>): CachedQuery => ({
    compiled: {
      text: request.text,
      statement: { kind: 'query', query, output, pos: query.pos },
      prepared,
      dependencies: planned.dependencies,
      reads: planned.reads,
      pins: new Map(),
      hits: 0,
    },
    literals: new Map(),
  });
  if (!isCached(request)) return own(compileQuery(engine, request, query, settings));
  const around = surroundings(request);
  const shape = shapeOf(request.text);
  const made = compileQuery(engine, request, query, settings, shape.tokens);
  const { planned } = made;
  const pins = new Map(Array.from(planned.pinned, (token) => [token, shape.values.get(token)]));
  const kept = { ...own(made).compiled, pins };
  if (planned.cacheable) engine.cache.add(around, request.text, shape, kept);
  return { compiled: kept, literals: shape.values };
}

/** Runs a SELECT. */
export async function select(
  engine: Engine,
  request: Request,
  query: Query,
  output: OutputClause,
  cached?: CachedQuery,
): Promise<Outcome & { execution: Execution; reads: QueryReads }> {
  const settings = querySettings(request.settings, query, output.settings);
  if (output.outfile !== null)
    throw new SluiceError(
      'NOT_IMPLEMENTED',
      'INTO OUTFILE is not supported over HTTP: save the response instead',
    );
  const found = cached ?? compiledSelect(engine, request, query, output, settings);
  const { compiled, literals } = found;
  const { prepared } = compiled;
  const outcome = {
    columns: prepared.columns,
    hasRows: true,
    streaming: prepared.streaming,
    format: output.format,
    settings,
    reads: compiled.reads,
  };
  const { logs } = prepared;
  const reusable = logs !== null && mayReuse(settings);
  if (reusable && found.kept !== undefined && found.kept.version === versionOf(logs)) {
    const { kept } = found;
    return { ...outcome, kept, source: keptSource(kept), execution: engine.execution(request, settings) };
  }
  const { source, execution } = await runPrepared(engine, request, prepared, query, settings, literals);
  const keep = (result: KeptResult) => {
    found.kept = result;
  };
  const kept = reusable ? keepingSource(source, () => versionOf(logs), keep) : source;
  return { ...outcome, source: kept, execution };
}
