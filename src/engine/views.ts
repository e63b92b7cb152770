import { type SluiceError, type Timer, toSluiceError } from '../base/index.ts';
import type { MaterializedViewObject, StreamObject } from '../catalog/index.ts';
import { holdsState } from '../compile/index.ts';
import { Execution, type LiveSource, runStream } from '../exec/index.ts';
import { parseQuery } from '../parser/index.ts';
import type { Engine } from './engine.ts';
import { fillBlock, type GivenColumn } from './insert-plan.ts';
import { plan, planContext, querySettings } from './planner.ts';
import { prepareParameters, prepareQuery } from './prepared-query.ts';
import { emitInterval } from './select.ts';

/** Milliseconds after which a view that failed is tried again, growing with every failure. */
const retryMilliseconds = [100, 500, 2_000, 10_000, 30_000];

/** What a materialized view is doing. */
export interface ViewStatus {
  state: 'running' | 'failed' | 'stopped';
  error: SluiceError | null;
  /** Rows written since the server started. */
  writtenRows: number;
}

/** By the id of each source's log, the sequence number after the last row taken. */
function positionsOf(sources: readonly LiveSource[]): Record<string, number> {
  return Object.fromEntries(sources.map((source) => [source.log.id, source.position]));
}

function samePositions(left: Record<string, number>, right: Record<string, number>): boolean {
  return Object.keys(left).every((log) => left[log] === right[log]);
}

/**
 * One materialized view at work. Rows and how far the source was read go to disk as one record of the target, so that after
 * a crash nothing is lost and nothing is done twice.
 */
class RunningView {
  readonly view: MaterializedViewObject;
  readonly status: ViewStatus = { state: 'running', error: null, writtenRows: 0 };
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
      this.status.state = 'running';
      await this.#run();
      this.status.state = 'stopped';
    } catch (thrown) {
      if (this.#controller.signal.aborted) {
        this.status.state = 'stopped';
        return;
      }
      this.status.state = 'failed';
      this.status.error = toSluiceError(thrown);
      const delay = retryMilliseconds[Math.min(this.#failures++, retryMilliseconds.length - 1)]!;
      this.#retry = this.#engine.clock.after(delay, () => {
        this.#finished = this.#keepRunning();
      });
    }
  }

  /** Where the view goes on in a source: after what its target holds already, else where it was created. */
  #startOf(target: StreamObject, log: string): number {
    const position = target.log.originPosition(this.view.uuid) as Record<string, number> | undefined;
    return position?.[log] ?? this.view.start[log] ?? 0;
  }

  async #run(): Promise<void> {
    const engine = this.#engine;
    const { view } = this;
    const target = engine.catalog.find(view.target.database, view.target.name) as StreamObject;
    const query = parseQuery(view.queryText);
    const settings = querySettings(engine.defaults, query);
    const context = engine.contextFor({
      queryId: `view ${view.uuid}`,
      user: { name: 'default', readonly: false },
      database: view.queryDatabase,
      settings,
    });
    const planned = plan({ catalog: engine.catalog, context, parameters: new Map() }, query);
    const prepared = prepareQuery(planned.plan, planned.values);
    const execution = await prepareParameters(
      prepared,
      new Execution(
        { ...context, settings: { ...settings, max_execution_time: 0 } },
        [],
        this.#controller.signal,
      ),
    );
    const sources: LiveSource[] = [];
    const aggregates = holdsState(prepared.plan);
    const source = runStream(prepared.plan, execution, {
      // The state of an aggregation is made anew from all rows the view has had, then goes on.
      start: (log) => ({
        kind: 'sequence',
        sequence: aggregates ? (view.start[log.id] ?? 0) : this.#startOf(target, log.id),
      }),
      emitInterval: emitInterval(query, settings),
      onSource: (live) => sources.push(live),
    });
    const given = prepared.columns.map(
      ({ name, type }): GivenColumn => ({ name, type, mayBeOmitted: false }),
    );
    const fill = engine.insertPlans.plan(
      () =>
        planContext(
          { catalog: engine.catalog, context, parameters: new Map() },
          { dependencies: new Set(), volatile: false },
        ),
      target,
      given,
    );
    try {
      let given = source.next();
      for (let block = await given; block !== null; block = await given) {
        const batch = [await fillBlock(fill, block, execution)];
        const reached = positionsOf(sources);
        // Rows of one source block may come in several blocks; they are written as one, with the place after it.
        given = source.next();
        while (
          !(given instanceof Promise) &&
          given !== null &&
          samePositions(reached, positionsOf(sources))
        ) {
          batch.push(await fillBlock(fill, given, execution));
          given = source.next();
        }
        await target.log.append(batch, { origin: { writer: view.uuid, position: reached } });
        this.status.writtenRows += batch.reduce((sum, each) => sum + each.rows, 0);
        this.#failures = 0;
        this.status.error = null;
      }
    } finally {
      source.close();
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
