import { isDeepStrictEqual } from 'node:util';
import { type Clock, limits, type SluiceError, type Timer, toSluiceError } from '../base/index.ts';
import type { ExternalTable, MaterializedViewObject, ReadStart } from '../catalog/index.ts';
import type { Block } from '../column/index.ts';
import { holdsState, type PhysicalPlan } from '../compile/index.ts';
import { type Cursor, Execution, runStream } from '../exec/index.ts';
import { parseQuery } from '../parser/index.ts';
import { type Engine, owner } from './engine.ts';
import { fillBlock, type GivenColumn } from './insert-plan.ts';
import { plan, planContext, querySettings } from './planner.ts';
import { prepareParameters, prepareQuery } from './prepared-query.ts';
import { emitInterval } from './select.ts';
import { openViewTarget, type Positions, type TargetObject } from './target.ts';
import { ViewState } from './view-state.ts';

/** Milliseconds after which a view that failed is tried again, growing with every failure. */
const retryMilliseconds = [100, 500, 2_000, 10_000, 30_000];

/** Milliseconds without rows after which it is noted how far the sources have been read. */
const noteMilliseconds = 10_000;

/** What a materialized view is doing. */
export interface ViewStatus {
  /** `waiting`: for a server outside, which is tried again. */
  readonly state: 'running' | 'waiting' | 'failed' | 'stopped';
  /** What went wrong last, until it goes well again; empty when nothing did. */
  readonly error: string;
}

/** By the uuid of each source, where it goes on after the last row taken. */
function positionsOf(sources: readonly Cursor[]): Positions {
  return Object.fromEntries(sources.map((source) => [source.sourceId, source.position]));
}

/** What is waited for, or 'time' when it has not come after so many milliseconds. */
function orTime<Value>(given: Promise<Value>, clock: Clock, milliseconds: number): Promise<Value | 'time'> {
  return new Promise((resolve, reject) => {
    const timer = clock.after(milliseconds, () => resolve('time'));
    given.finally(() => timer.cancel()).then(resolve, reject);
  });
}

/** The tables outside that a plan goes on reading. */
function outsideTables(plan: PhysicalPlan): ExternalTable[] {
  switch (plan.kind) {
    case 'one':
      return [];
    case 'scan':
      return plan.scan.source.kind === 'external' ? [plan.scan.source.table] : [];
    case 'union':
      return plan.inputs.flatMap(outsideTables);
    case 'pipeline':
      return outsideTables(plan.input);
  }
}

/**
 * One materialized view at work. Rows and how far the source was read go to disk as one record of the target, so that after
 * a crash nothing is lost and nothing is done twice.
 */
class RunningView {
  readonly view: MaterializedViewObject;
  #state: 'running' | 'failed' | 'stopped' = 'running';
  #error: SluiceError | null = null;
  #outside: readonly ExternalTable[] = [];
  readonly #engine: Engine;
  readonly #controller = new AbortController();
  #finished: Promise<void>;
  #failures = 0;
  #retry: Timer | null = null;

  constructor(engine: Engine, view: MaterializedViewObject) {
    this.#engine = engine;
    this.view = view;
    this.#finished = this.#keepRunning();
  }

  async #keepRunning(): Promise<void> {
    try {
      this.#state = 'running';
      await this.#run();
      this.#state = 'stopped';
    } catch (thrown) {
      if (this.#controller.signal.aborted) {
        this.#state = 'stopped';
        return;
      }
      this.#state = 'failed';
      this.#error = toSluiceError(thrown);
      const delay = retryMilliseconds[Math.min(this.#failures++, retryMilliseconds.length - 1)]!;
      this.#retry = this.#engine.clock.after(delay, () => {
        this.#finished = this.#keepRunning();
      });
    }
  }

  get status(): ViewStatus {
    const waiting = this.#outside.map((table) => table.status()).find((status) => status.state === 'waiting');
    if (this.#state === 'running' && waiting !== undefined) return { state: 'waiting', error: waiting.error };
    return { state: this.#state, error: this.#error?.exceptionText ?? '' };
  }

  /** Where the view goes on in a source: after what its target holds already, else where it was created. */
  #startOf(written: Positions | undefined, sourceId: string): ReadStart {
    const position = written?.[sourceId] ?? this.view.start[sourceId];
    return position == null ? { kind: 'earliest' } : { kind: 'position', position };
  }

  async #run(): Promise<void> {
    const engine = this.#engine;
    const { view } = this;
    const target = engine.catalog.find(view.target.database, view.target.name) as TargetObject;
    const query = parseQuery(view.queryText);
    const settings = querySettings(engine.defaults, query);
    const context = engine.contextFor({
      queryId: `view ${view.uuid}`,
      user: owner,
      database: view.queryDatabase,
      settings,
    });
    const { tableFunctions } = engine.connectors;
    const planned = plan({ catalog: engine.catalog, tableFunctions, context, parameters: new Map() }, query);
    const prepared = prepareQuery(planned.plan, planned.values);
    const execution = await prepareParameters(
      prepared,
      new Execution(
        { ...context, settings: { ...settings, max_execution_time: 0 } },
        [],
        this.#controller.signal,
      ),
    );
    const sources: Cursor[] = [];
    const output = openViewTarget(target, view.uuid, execution, engine.store);
    this.#outside = [
      ...outsideTables(prepared.plan),
      ...(target.kind === 'external' ? [target.external] : []),
    ];
    const aggregates = holdsState(prepared.plan);
    const services = {
      store: engine.store,
      clock: engine.clock,
      failed: (thrown: unknown) => {
        this.#error = toSluiceError(thrown);
      },
    };
    const state = ViewState.of(services, view, prepared.plan);
    const kept = state?.read();
    // A state that was not kept is made anew from all rows the view has had.
    const written = aggregates ? kept?.positions : await output.positions();
    const source = runStream(prepared.plan, execution, {
      start: (sourceId) => this.#startOf(written, sourceId),
      emitInterval: emitInterval(query, settings),
      onSource: (live) => sources.push(live),
      groups: kept?.groups,
      ...(state === null ? {} : { atRest: (groups) => state.note(positionsOf(sources), groups) }),
    });
    const columns = prepared.columns.map(
      ({ name, type }): GivenColumn => ({ name, type, mayBeOmitted: false }),
    );
    const fill = engine.insertPlans.plan(
      () => planContext({ catalog: engine.catalog, context, parameters: new Map() }),
      target,
      columns,
    );
    let given: ReturnType<typeof source.next> = null;
    let saved = positionsOf(sources);
    // A query that lets few rows through goes on after a restart where it was, not at the last row that it let through.
    const next = async (): Promise<Block | null> => {
      for (;;) {
        if (!(given instanceof Promise)) return given;
        const block = await orTime(given, engine.clock, noteMilliseconds);
        if (block !== 'time') return block;
        const reached = positionsOf(sources);
        if (aggregates || isDeepStrictEqual(reached, saved)) continue;
        await output.append([], reached);
        saved = reached;
      }
    };
    try {
      given = source.next();
      for (let block = await next(); block !== null; block = await next()) {
        const batch = [await fillBlock(fill, block, execution)];
        let rows = batch[0]!.rows;
        let reached = positionsOf(sources);
        given = source.next();
        // What is there already is written together; rows of one source block, which may come in several, always are.
        while (!(given instanceof Promise) && given !== null) {
          const after = positionsOf(sources);
          if (rows >= limits.block_rows_max && !isDeepStrictEqual(reached, after)) break;
          reached = after;
          const filled = await fillBlock(fill, given, execution);
          batch.push(filled);
          rows += filled.rows;
          given = source.next();
        }
        await output.append(batch, reached);
        saved = reached;
        this.#failures = 0;
        this.#error = null;
      }
    } finally {
      // What is still waited for is nobody's when the writing has failed.
      if (given instanceof Promise) given.catch(() => {});
      source.close();
      await output.close();
    }
  }

  async stop(): Promise<void> {
    this.#controller.abort();
    this.#retry?.cancel();
    await this.#finished;
  }
}

/** The materialized views of the catalog, each running from its creation to its end. */
export class Views {
  readonly #engine: Engine;
  readonly #running = new Map<string, RunningView>();

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  start(view: MaterializedViewObject): void {
    this.#running.set(view.uuid, new RunningView(this.#engine, view));
  }

  startAll(): void {
    for (const object of this.#engine.catalog.objects())
      if (object.kind === 'materialized_view') this.start(object);
  }

  status(view: MaterializedViewObject): ViewStatus | undefined {
    return this.#running.get(view.uuid)?.status;
  }

  async stopView(uuid: string): Promise<void> {
    const running = this.#running.get(uuid);
    this.#running.delete(uuid);
    await running?.stop();
  }

  async stop(): Promise<void> {
    await Promise.all([...this.#running.keys()].map((uuid) => this.stopView(uuid)));
  }
}
