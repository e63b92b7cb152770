import type { SluiceError } from '../base/index.ts';
import type { ReadStart } from '../catalog/index.ts';
import { type Block, blockBytes, gatherBlock, sliceBlock, vectorReader } from '../column/index.ts';
import type { ScanPlan } from '../plan/index.ts';
import type { BlockRef, StreamLog } from '../storage/index.ts';
import { cancelled, type Execution } from './execution.ts';
import { blockPruner } from './prune.ts';
import { pickColumns } from './scan.ts';
import type { BlockSource } from './source.ts';

/** A source that goes on and knows where it is. */
export interface Cursor extends BlockSource {
  /** What is read: the uuid of the stream or external object. */
  readonly sourceId: string;
  /** Where to go on after the last block that was given: a sequence number, or what an external source says. */
  readonly position: unknown;
}

function startSequence(start: ReadStart, log: StreamLog): number {
  switch (start.kind) {
    case 'earliest':
    case 'time':
      return 0;
    case 'latest':
      return log.end;
    case 'sequence':
      return start.sequences[0] ?? 0;
    case 'position':
      return start.position as number;
  }
}

type StreamScan = ScanPlan & { source: { kind: 'stream' } };

/**
 * A cursor over a stream that goes on: what is stored from its start, then every block as it becomes durable. It holds a
 * sequence number, not rows, so a reader that lags costs no memory.
 */
export class LiveSource implements Cursor {
  readonly #log: StreamLog;
  readonly #scan: StreamScan;
  readonly #execution: Execution;
  readonly #timeColumn: number;
  readonly #fromTicks: number;
  readonly #isPruned: ReturnType<typeof blockPruner>;
  readonly #unsubscribe: () => void;
  #position: number;
  #historyEnd: number;
  #stored: readonly BlockRef[] = [];
  #next = 0;
  #wake: (() => void) | null = null;
  #closed = false;

  constructor(scan: StreamScan, start: ReadStart, execution: Execution) {
    const { stream } = scan.source;
    this.#log = stream.log;
    this.#scan = scan;
    this.#execution = execution;
    this.#isPruned = blockPruner(scan, execution);
    this.#timeColumn = stream.columns.findIndex((column) => column.name === '_tp_time');
    this.#fromTicks = start.kind === 'time' ? start.milliseconds : Number.NEGATIVE_INFINITY;
    this.#position = startSequence(start, this.#log);
    this.#historyEnd = this.#log.end;
    this.#unsubscribe = this.#log.subscribe(() => this.#wake?.());
  }

  /** The sequence number after the last row given. */
  get position(): number {
    return this.#position;
  }

  get sourceId(): string {
    return this.#log.id;
  }

  next(): Block | null | Promise<Block | null> {
    while (!this.#closed) {
      const ref = this.#nextRef();
      if (ref === undefined) return this.#wait().then(() => this.next());
      const block = ref.load();
      if (block instanceof Promise) return block.then((loaded) => this.#give(ref, loaded) ?? this.next());
      const given = this.#give(ref, block);
      if (given !== null) return given;
    }
    return null;
  }

  #nextRef(): BlockRef | undefined {
    if (this.#next >= this.#stored.length) {
      if (this.#position >= this.#log.end) return undefined;
      this.#stored = this.#log.snapshot(this.#position).blocks;
      this.#next = 0;
      // Rows that are gone (truncated, quarantined) are stepped over.
      if (this.#stored.length === 0) this.#position = this.#log.end;
    }
    const ref = this.#stored[this.#next++];
    if (ref === undefined || !this.#isSkipped(ref)) return ref;
    this.#position = ref.firstSequence + ref.rows;
    return this.#nextRef();
  }

  /** Whether no row of a block is wanted. */
  #isSkipped(ref: BlockRef): boolean {
    const isEarlier =
      ref.lastTime !== undefined && ref.lastTime < this.#fromTicks && ref.firstSequence < this.#historyEnd;
    return isEarlier || this.#isPruned?.(ref) === true;
  }

  /** The rows of a stored block that are wanted; null when there are none. */
  #give(ref: BlockRef, loaded: Block): Block | null {
    const skipped = Math.max(0, this.#position - ref.firstSequence);
    this.#position = ref.firstSequence + ref.rows;
    if (skipped >= loaded.rows) return null;
    const fresh = pickColumns(
      this.#scan,
      sliceBlock(loaded, skipped, loaded.rows),
      ref.firstSequence + skipped,
    );
    const block = ref.firstSequence < this.#historyEnd ? this.#sinceStart(fresh, loaded, skipped) : fresh;
    if (block === null) return null;
    this.#execution.countRead(block, blockBytes(block));
    return block;
  }

  /** Of stored rows, those whose time is not before the start. */
  #sinceStart(block: Block, loaded: Block, skipped: number): Block | null {
    if (this.#fromTicks === Number.NEGATIVE_INFINITY) return block;
    const time = vectorReader(loaded.vectors[this.#timeColumn]!);
    const rows: number[] = [];
    for (let row = 0; row < block.rows; row++)
      if (Number(time(row + skipped)) >= this.#fromTicks) rows.push(row);
    if (rows.length === block.rows) return block;
    return rows.length === 0 ? null : gatherBlock(block, rows);
  }

  /** Resolves when there may be more rows; rejects when the query has to end. */
  #wait(): Promise<void> {
    const { signal, clock, remaining } = this.#execution;
    if (signal.aborted) return Promise.reject(cancelled(signal));
    return new Promise((resolve, reject) => {
      const timer = Number.isFinite(remaining)
        ? clock.after(Math.max(0, remaining), () => fail(this.#execution.timeout()))
        : null;
      const end = () => {
        this.#wake = null;
        timer?.cancel();
        signal.removeEventListener('abort', abort);
      };
      const fail = (error: SluiceError) => {
        end();
        reject(error);
      };
      const abort = () => fail(cancelled(signal));
      signal.addEventListener('abort', abort, { once: true });
      this.#wake = () => {
        end();
        resolve();
      };
    });
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#unsubscribe();
    this.#wake?.();
  }
}

/** Blocks of several sources as they come. */
export class MergedSource implements BlockSource {
  readonly #sources: readonly BlockSource[];
  readonly #pending = new Map<number, Promise<{ index: number; block: Block | null }>>();
  readonly #ended = new Set<number>();

  constructor(sources: readonly BlockSource[]) {
    this.#sources = sources;
  }

  async next(): Promise<Block | null> {
    while (this.#ended.size < this.#sources.length) {
      for (const [index, source] of this.#sources.entries()) {
        if (this.#ended.has(index) || this.#pending.has(index)) continue;
        this.#pending.set(
          index,
          Promise.resolve(source.next()).then((block) => ({ index, block })),
        );
      }
      const { index, block } = await Promise.race(this.#pending.values());
      this.#pending.delete(index);
      if (block !== null) return block;
      this.#ended.add(index);
    }
    return null;
  }

  close(): void {
    for (const pending of this.#pending.values()) pending.catch(() => {});
    for (const source of this.#sources) source.close();
  }
}
