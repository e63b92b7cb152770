import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Block } from '../column/index.ts';
import { chooseRun, tierOf } from './choose-run.ts';
import { type LogCore, reportFor } from './log-core.ts';
import { mergeBlocks, Pace } from './merge-blocks.ts';
import { type BlockSource, StoredBlock } from './stored-block.ts';

/** Blocks merged in one go at most, so that one merge stays short. */
const inputsMax = 1_024;

/** Bytes of a block that count as much as a row when its size class is found. */
const bytesPerUnit = 1_024;

/**
 * Merges the newest, small blocks of a log in memory, so that a log that is fed row by row is a few blocks to its
 * readers. The merged block stands for the records of all its rows, which are still read from their segment when it
 * has been evicted.
 */
export class TailMerger {
  readonly #core: LogCore;
  readonly #source: BlockSource;
  readonly #fanout: number;
  /** Blocks that may still be merged, oldest first; they stay in memory. */
  #tail: StoredBlock[] = [];
  #running: Promise<void> | undefined;
  #stopped = false;

  constructor(core: LogCore, source: BlockSource) {
    this.#core = core;
    this.#source = source;
    this.#fanout = core.store.limits.blocksFanout;
  }

  /** Takes note of a block that was just added to the log. */
  add(block: StoredBlock): void {
    const { cache } = this.#core.store;
    if (this.#isLarge(block)) {
      this.settle();
      cache.put(block);
      return;
    }
    if (this.#tail.length > 0 && this.#tail[0]!.file !== block.file) this.settle();
    cache.pin(block);
    this.#tail.push(block);
    if (this.#tail.length >= this.#fanout && this.#running === undefined) {
      this.#running = this.#run().finally(() => {
        this.#running = undefined;
      });
    }
  }

  /** Leaves the blocks as they are from now on and lets them be evicted. */
  settle(): void {
    for (const block of this.#tail) this.#core.store.cache.put(block);
    this.#tail = [];
  }

  /** Resolves when nothing is being merged any more and never will be. */
  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#running;
    this.settle();
  }

  /** Resolves when the merges that are due are done. */
  async idle(): Promise<void> {
    await this.#running;
  }

  #isLarge(block: StoredBlock): boolean {
    const { blockRowsMax, blockBytesTarget } = this.#core.store.limits;
    return block.rows * 2 >= blockRowsMax || block.payloadBytes * 2 >= blockBytesTarget;
  }

  async #run(): Promise<void> {
    const pace = new Pace();
    try {
      for (;;) {
        await nextTurn();
        const run = this.#stopped ? undefined : this.#choose();
        if (run === undefined) return;
        await this.#merge(run, pace);
      }
    } catch (error) {
      this.settle();
      reportFor(this.#core, 'background-failure', 'memory', `Cannot merge blocks: ${String(error)}`);
    }
  }

  #choose(): StoredBlock[] | undefined {
    const tail = this.#tail;
    const size = (block: StoredBlock): number => Math.max(block.rows, block.payloadBytes / bytesPerUnit);
    const tiers = tail.map((block) => tierOf(size(block), 1, this.#fanout));
    const chosen = chooseRun(tiers, this.#fanout);
    if (chosen === undefined) return undefined;
    const { blockRowsMax, blockBytesTarget } = this.#core.store.limits;
    let rows = 0;
    let bytes = 0;
    let end = chosen.start;
    for (; end < Math.min(chosen.end, chosen.start + inputsMax); end++) {
      const block = tail[end]!;
      rows += block.rows;
      bytes += block.payloadBytes;
      if (end > chosen.start && (rows > blockRowsMax || bytes > blockBytesTarget)) break;
    }
    return tail.slice(chosen.start, end);
  }

  async #merge(run: readonly StoredBlock[], pace: Pace): Promise<void> {
    const { list, types, store } = this.#core;
    const blocks = run.map((block) => block.resident).filter((block): block is Block => block !== undefined);
    const merged =
      run.length > 1 && blocks.length === run.length ? await mergeBlocks(blocks, types, pace) : undefined;
    const at = this.#tail.indexOf(run[0]!);
    if (merged === undefined) {
      // A block that cannot be merged with its neighbour keeps what is before it from being merged as well.
      if (at >= 0) for (const block of this.#tail.splice(0, at + 1)) store.cache.put(block);
      return;
    }
    const first = run[0]!;
    const last = run.at(-1)!;
    const place = {
      file: first.file,
      offset: first.offset,
      length: last.offset + last.length - first.offset,
      records: run.reduce((sum, block) => sum + block.records, 0),
    };
    const block = new StoredBlock(this.#source, place, first.firstSequence, merged.rows, merged, undefined);
    if (!list.replace(run, [block])) return;
    for (const old of run) store.cache.remove(old);
    if (at < 0) {
      store.cache.put(block);
    } else if (this.#isLarge(block)) {
      for (const older of this.#tail.splice(0, at + run.length).slice(0, at)) store.cache.put(older);
      store.cache.put(block);
    } else {
      this.#tail.splice(at, run.length, block);
      store.cache.pin(block);
    }
  }
}
