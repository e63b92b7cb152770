import { SluiceError } from '../base/index.ts';
import type { ReadStart } from '../catalog/index.ts';
import type { Block } from '../column/index.ts';
import {
  type AggregationState,
  type ExportedGroups,
  isStreaming,
  type PhysicalPlan,
  type PipelinePlan,
} from '../compile/index.ts';
import type { ScanPlan } from '../plan/index.ts';
import { cancelled, type Execution } from './execution.ts';
import { type Cursor, LiveSource, MergedSource } from './live-source.ts';
import { OutsideSource } from './outside-source.ts';
import { PipelineRun, PipelineSource } from './pipeline-source.ts';
import { buildJoins, runPlan } from './run.ts';
import { scanSource } from './scan.ts';
import { type BlockSource, chainSources, sourceOf } from './source.ts';

/** The state of an aggregation, to be stored. */
export interface PortableState {
  /** Groups there are, and values of keys and states beside them, about. */
  readonly size: number;
  /** The groups as plain data, a copy. */
  export(): ExportedGroups;
}

/** How a streaming plan is run. */
export interface StreamOptions {
  /** Where the scan of a stream or external object begins, by its uuid. */
  readonly start: (sourceId: string) => ReadStart;
  /** Milliseconds between the results of an aggregation. */
  readonly emitInterval: number;
  /** What an aggregation begins with. */
  readonly groups?: ExportedGroups | undefined;
  /** Told of an aggregation whenever exactly the rows before the cursors' positions are in it. */
  readonly atRest?: (state: PortableState) => void;
  /** Told of every cursor, so that its position can be read. */
  readonly onSource?: (source: Cursor) => void;
}

/** The lowest node that holds rows back over a stream that goes on; null when rows pass through. */
export function holdingNode(plan: PhysicalPlan): PipelinePlan | null {
  if (plan.kind !== 'pipeline' || !isStreaming(plan)) return null;
  return holdingNode(plan.input) ?? (plan.holds === null ? null : plan);
}

/** The pipelines above a node, nearest first. */
export function nodesAbove(plan: PhysicalPlan, node: PipelinePlan): PipelinePlan[] {
  const above: PipelinePlan[] = [];
  for (let current = plan; current !== node; current = current.input) {
    if (current.kind !== 'pipeline')
      throw new Error('Assertion failed: only pipelines stand above a held stream');
    above.unshift(current);
  }
  return above;
}

/** The blocks of a plan that reads streams which go on. */
export function runStream(plan: PhysicalPlan, execution: Execution, options: StreamOptions): BlockSource {
  const held = holdingNode(plan);
  if (held === null) return runThrough(plan, execution, options);
  if (held.holds === 'sort') {
    throw new SluiceError(
      'NOT_IMPLEMENTED',
      'ORDER BY over a stream that goes on is not supported without an aggregation: wrap the stream in table(...)',
    );
  }
  return new PeriodicSource(plan, held, execution, options);
}

/** The cursor of a scan that goes on; null for one that completes. */
function cursorOf(scan: ScanPlan, execution: Execution, options: StreamOptions): Cursor | null {
  const { source } = scan;
  if (source.kind === 'stream' && source.streaming)
    return new LiveSource({ ...scan, source }, options.start(source.stream.uuid), execution);
  if (source.kind === 'external' && source.streaming)
    return new OutsideSource({ ...scan, source }, options.start(source.object?.uuid ?? ''), execution);
  return null;
}

function runThrough(plan: PhysicalPlan, execution: Execution, options: StreamOptions): BlockSource {
  switch (plan.kind) {
    case 'one':
      return sourceOf([{ rows: 1, vectors: [] }]);
    case 'scan': {
      const cursor = cursorOf(plan.scan, execution, options);
      if (cursor === null) return scanSource(plan.scan, execution);
      options.onSource?.(cursor);
      return cursor;
    }
    case 'union': {
      const sources = plan.inputs.map((input) => runStream(input, execution, options));
      return isStreaming(plan) ? new MergedSource(sources) : chainSources(sources);
    }
    case 'pipeline': {
      const run = new PipelineRun(plan.pipeline, execution);
      const source = new PipelineSource(run, runThrough(plan.input, execution, options), execution);
      return plan.joins.length === 0 ? source : afterJoins(source, buildJoins(run, plan.joins, execution));
    }
  }
}

function afterJoins(source: BlockSource, joins: Promise<void>): BlockSource {
  joins.catch(() => {});
  let built = false;
  return {
    next: () => {
      if (built) return source.next();
      return joins.then(() => {
        built = true;
        return source.next();
      });
    },
    close: () => source.close(),
  };
}

/** What an aggregation over a stream gives: its whole result, at every interval in which rows came. */
class PeriodicSource implements BlockSource {
  readonly #execution: Execution;
  readonly #input: BlockSource;
  readonly #run: PipelineRun;
  readonly #above: readonly PipelinePlan[];
  readonly #interval: number;
  readonly #joins: Promise<void>;
  #aboveRuns: readonly PipelineRun[] | null = null;
  #ready: Block[] = [];
  #changed = false;
  /** Whether any row has come since this began. */
  #hasRows = false;
  #ended = false;
  #nextEmit: number;
  #pending: Promise<Block | null> | null = null;
  readonly #plan: PhysicalPlan;
  readonly #held: PipelinePlan;
  readonly #atRest: StreamOptions['atRest'];

  constructor(plan: PhysicalPlan, held: PipelinePlan, execution: Execution, options: StreamOptions) {
    this.#plan = plan;
    this.#held = held;
    this.#execution = execution;
    this.#atRest = options.atRest;
    this.#run = new PipelineRun(held.pipeline, execution);
    if (options.groups !== undefined) {
      for (const _ of this.#state.importGroups(options.groups));
      // The result that goes with the state may not have been given before.
      this.#changed = true;
    }
    this.#input = runThrough(held.input, execution, options);
    this.#above = nodesAbove(plan, held);
    this.#interval = options.emitInterval;
    this.#nextEmit = execution.clock.monotonic() + this.#interval;
    this.#joins = buildJoins(this.#run, held.joins, execution);
    this.#joins.catch(() => {});
  }

  get #state(): AggregationState {
    return this.#run.state.operators.at(-1) as AggregationState;
  }

  async next(): Promise<Block | null> {
    await this.#joins;
    while (true) {
      const ready = this.#ready.shift();
      if (ready !== undefined) return ready;
      if (this.#ended) return null;
      await this.#collect();
      await this.#emit();
    }
  }

  /** Takes rows in until it is time to give a result. */
  async #collect(): Promise<void> {
    const { clock } = this.#execution;
    while (true) {
      const left = this.#nextEmit - clock.monotonic();
      if (left <= 0) {
        this.#nextEmit = clock.monotonic() + this.#interval;
        if (this.#changed) return;
        continue;
      }
      const block = await this.#nextBlock(left);
      if (block === 'time') continue;
      if (block === null) {
        this.#ended = true;
        return;
      }
      this.#run.push(block);
      this.#changed = true;
      this.#hasRows = true;
      await this.#execution.pause();
    }
  }

  /** The next block of the input, or 'time' when `left` milliseconds have gone by. */
  async #nextBlock(left: number): Promise<Block | null | 'time'> {
    if (this.#execution.signal.aborted) throw cancelled(this.#execution.signal);
    if (this.#pending === null) {
      const next = this.#input.next();
      if (!(next instanceof Promise)) return next;
      this.#pending = next;
      // Nothing that was read is on its way from the source to here: the next rows have yet to be waited for.
      if (this.#hasRows) this.#atRest?.({ size: this.#state.size, export: () => this.#state.exportGroups() });
    }
    const pending = this.#pending;
    const result = await new Promise<Block | null | 'time'>((resolve, reject) => {
      const timer = this.#execution.clock.after(left, () => resolve('time'));
      pending.then(
        (block) => {
          timer.cancel();
          resolve(block);
        },
        (thrown: unknown) => {
          timer.cancel();
          reject(thrown);
        },
      );
    });
    if (result !== 'time') this.#pending = null;
    return result;
  }

  /** Takes the aggregation's present result through the pipelines above it. */
  async #emit(): Promise<void> {
    this.#changed = false;
    const blocks = [...this.#run.finish()];
    if (this.#above.some((node) => node.holds !== null || node.joins.length > 0)) {
      const result = runPlan(
        this.#plan,
        this.#execution,
        undefined,
        new Map([[this.#held, sourceOf(blocks)]]),
      );
      for (let block = await result.next(); block !== null; block = await result.next())
        this.#ready.push(block);
      return;
    }
    // Limits and the like count over all results, so the pipelines above keep their state.
    this.#aboveRuns ??= this.#above.map((node) => new PipelineRun(node.pipeline, this.#execution));
    let current = blocks;
    for (const run of this.#aboveRuns) {
      for (const block of current) if (!run.state.done) run.push(block);
      current = run.take();
      if (run.state.done) this.#ended = true;
    }
    this.#ready.push(...current);
  }

  close(): void {
    this.#pending?.catch(() => {});
    this.#input.close();
  }
}
