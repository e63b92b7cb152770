import { SluiceError } from '../../base/index.ts';
import type { Block } from '../../column/index.ts';
import type { AggregationState } from '../../compile/index.ts';
import { type BlockSource, cancelled, type Execution, PipelineRun, runPlan } from '../../exec/index.ts';
import { type Candidate, signatureOf } from './candidates.ts';
import { type Recipe, sentContext } from './recipe.ts';
import { sentBlock } from './shared-vectors.ts';
import { Shares } from './shares.ts';
import type { ShareResult, ShareTask } from './task.ts';
import type { WorkerPool } from './worker-pool.ts';

/** Blocks of one round, which are all in memory at the same time. */
const roundBlocksMax = 1_024;
const roundBytesMax = 1 << 30;
/** Blocks below which a round is not worth telling others of. */
const roundBlocksMin = 8;
/** Milliseconds that a thread has to notice that it is to stop. */
const stopMilliseconds = 500;

/** Runs in a row that did not pay after which a query is left to one thread. */
const badRunsMax = 3;

/** What was learnt of a query by running it on several threads. */
export class Experience {
  #badRuns = 0;

  /** Whether merging the groups of several threads costs about what the threads save: there are too many groups. */
  get unprofitable(): boolean {
    return this.#badRuns >= badRunsMax;
  }

  /** Leaves the query to one thread from now on. */
  giveUp(): void {
    this.#badRuns = badRunsMax;
  }

  /** Notes a run's milliseconds of work on rows, and those that it took to get and merge the groups of others. */
  note(working: number, merging: number): void {
    this.#badRuns = merging > working * 0.7 ? this.#badRuns + 1 : 0;
  }
}

export interface SplitRun {
  readonly pool: WorkerPool;
  readonly recipe: Recipe;
  readonly candidate: Candidate;
  /** The number of the candidate in its plan. */
  readonly number: number;
  /** Threads to use, this one included. */
  readonly threads: number;
  readonly execution: Execution;
  readonly experience: Experience;
}

type Settled = { readonly result: ShareResult } | { readonly error: unknown };

/** Waits for a promise as long as the query is wanted and has time. */
function wanted<Value>(execution: Execution, promise: Promise<Value>): Promise<Value> {
  const { signal, clock, remaining } = execution;
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(cancelled(signal));
    const abort = () => reject(cancelled(signal));
    signal.addEventListener('abort', abort, { once: true });
    const timer = Number.isFinite(remaining)
      ? clock.after(remaining, () => reject(execution.timeout()))
      : null;
    promise.then(resolve, reject).finally(() => {
      signal.removeEventListener('abort', abort);
      timer?.cancel();
    });
  });
}

/** One round on several threads. A thread that fails loses nothing: its blocks are done again here. */
class Round {
  readonly #split: SplitRun;
  readonly #blocks: readonly Block[];
  readonly #shares: Shares;
  readonly #controller = new AbortController();
  readonly #results: Promise<Settled>[] = [];
  #unsettled = 0;

  constructor(split: SplitRun, blocks: readonly Block[]) {
    this.#split = split;
    this.#blocks = blocks;
    this.#shares = Shares.of(blocks.length, split.threads, split.candidate.ordered);
    this.#shares.begin(0);
  }

  /** Asks the other threads; they join as soon as they can. */
  start(): void {
    const { recipe, candidate, number, execution, threads, pool } = this.#split;
    const task: Omit<ShareTask, 'participant'> = {
      recipe,
      candidate: number,
      signature: signatureOf(candidate),
      parameters: execution.parameters,
      context: sentContext(execution.context),
      shares: this.#shares.data,
      blocks: this.#blocks.map(sentBlock),
    };
    for (let participant = 1; participant < threads; participant++) {
      this.#unsettled++;
      const settled = pool.run({ ...task, participant }, this.#controller.signal).then(
        (result): Settled => ({ result }),
        (error: unknown): Settled => ({ error }),
      );
      this.#results.push(
        settled.finally(() => {
          this.#unsettled--;
        }),
      );
    }
  }

  /** Waits until every thread has begun or has failed to. */
  async othersBegun(): Promise<void> {
    const { threads, execution } = this.#split;
    const waiting = () =>
      Array.from({ length: threads - 1 }, (_, index) => index + 1).some(
        (participant) => !this.#shares.begun(participant),
      );
    while (this.#unsettled > 0 && waiting()) {
      execution.check();
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  /** The blocks that this thread is to work on, one after the other. */
  *ownBlocks(range: number): Generator<Block, void> {
    for (let block = this.#shares.next(range, 0); block >= 0; block = this.#shares.next(range, 0))
      yield this.#blocks[block]!;
  }

  /** The blocks of a participant whose work is lost. */
  *lostBlocks(participant: number): Generator<Block, void> {
    for (const block of this.#shares.takeOver(participant)) yield this.#blocks[block]!;
  }

  /** Whether the participant has not begun, and never will. */
  replace(participant: number): boolean {
    return this.#shares.begin(participant);
  }

  rangeOf(participant: number): number {
    return this.#shares.rangeOf(participant);
  }

  result(participant: number): Promise<Settled> {
    return wanted(this.#split.execution, this.#results[participant - 1]!);
  }

  /** Ends the round early: threads stop at their next block, or are ended when that takes too long. */
  stop(): void {
    this.#shares.stop();
    for (let participant = 1; participant < this.#split.threads; participant++)
      this.#shares.begin(participant);
    this.#split.execution.clock.after(stopMilliseconds, () => {
      if (this.#unsettled > 0) this.#controller.abort();
    });
  }
}

/** An aggregation over a stored stream on several threads, this one among them. */
export class ParallelSource implements BlockSource {
  readonly #split: SplitRun;
  readonly #input: BlockSource;
  readonly #run: PipelineRun;
  readonly #state: AggregationState;
  #round: Round | null = null;
  #output: Iterator<Block> | null = null;
  #closed = false;
  #workingMilliseconds = 0;
  #mergingMilliseconds = 0;

  constructor(split: SplitRun) {
    this.#split = split;
    const { execution, candidate } = split;
    const { pipeline, input } = candidate.plan;
    this.#input = runPlan(input, execution);
    this.#run = new PipelineRun(pipeline, execution);
    this.#state = this.#run.state.operators[pipeline.description.operators.length] as AggregationState;
  }

  next(): Block | null | Promise<Block | null> {
    return this.#output === null ? this.#compute() : this.#step(this.#output);
  }

  #step(output: Iterator<Block>): Block | null {
    const step = output.next();
    return step.done === true ? null : step.value;
  }

  async #compute(): Promise<Block | null> {
    try {
      for (let blocks = await this.#load(); blocks.length > 0; blocks = await this.#load()) {
        if (blocks.length < roundBlocksMin) await this.#push(blocks);
        else await this.#together(blocks);
      }
    } catch (thrown) {
      // Whoever has closed the source is not told how its last block would have failed.
      if (this.#closed) return null;
      throw thrown;
    } finally {
      this.#round?.stop();
      this.#round = null;
      this.#input.close();
    }
    if (this.#mergingMilliseconds > 0 && !this.#split.experience.unprofitable)
      this.#split.experience.note(this.#workingMilliseconds, this.#mergingMilliseconds);
    this.#output = this.#run.finish()[Symbol.iterator]();
    return this.#step(this.#output);
  }

  /** The blocks of the next round; none at the end. */
  async #load(): Promise<Block[]> {
    const { progress } = this.#split.execution;
    const blocks: Block[] = [];
    const start = progress.readBytes;
    while (blocks.length < roundBlocksMax && progress.readBytes - start < roundBytesMax) {
      await this.#pause();
      const next = this.#input.next();
      const block = next instanceof Promise ? await next : next;
      if (block === null) break;
      blocks.push(block);
    }
    return blocks;
  }

  /** Lets others have their turn when it is time; throws when the query is no longer wanted. */
  async #pause(): Promise<void> {
    const pause = this.#split.execution.pause();
    if (pause === null) return;
    await pause;
    this.#split.execution.check();
    if (this.#closed) throw new SluiceError('QUERY_WAS_CANCELLED', 'The query was cancelled');
  }

  async #push(blocks: Iterable<Block>): Promise<void> {
    for (const block of blocks) {
      await this.#pause();
      this.#run.push(block);
    }
  }

  async #together(blocks: readonly Block[]): Promise<void> {
    const round = new Round(this.#split, blocks);
    this.#round = round;
    const { clock } = this.#split.execution;
    const start = clock.monotonic();
    round.start();
    if (this.#split.pool.waits) await round.othersBegun();
    await this.#push(round.ownBlocks(0));
    const worked = clock.monotonic();
    let merged = false;
    for (let participant = 1; participant < this.#split.threads; participant++) {
      // What a thread had no time to begin is done here; otherwise its groups are added, in the order of the threads.
      if (round.replace(participant)) await this.#push(round.ownBlocks(round.rangeOf(participant)));
      else {
        await this.#merge(round, participant);
        merged = true;
      }
    }
    this.#workingMilliseconds += worked - start;
    if (merged) this.#mergingMilliseconds += clock.monotonic() - worked;
    this.#round = null;
  }

  async #merge(round: Round, participant: number): Promise<void> {
    const settled = await round.result(participant);
    if (!('result' in settled)) {
      await this.#push(round.lostBlocks(participant));
      return;
    }
    const { result } = settled;
    if (result.kind === 'failed') throw new SluiceError(result.errorName, result.message);
    if (result.kind === 'late') return;
    if (result.kind === 'unwieldy') {
      this.#split.experience.giveUp();
      await this.#push(round.lostBlocks(participant));
      return;
    }
    this.#split.pool.sharesDone++;
    for (const _ of this.#state.importGroups(result.groups)) await this.#pause();
  }

  close(): void {
    this.#closed = true;
    this.#round?.stop();
    this.#input.close();
  }
}
