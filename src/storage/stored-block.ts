import { type Block, blockBytes, sliceBlock } from '../column/index.ts';
import type { Evictable } from './block-cache.ts';
import {
  type BlockStats,
  type ColumnStats,
  mergeStats,
  restoredStats,
  type StoredStats,
  statsOfBlock,
  storedStats,
} from './column-stats.ts';
import type { DataFile } from './data-file.ts';

/** Consecutive rows of a log, readable for as long as the reader likes, whatever compaction does to the files. */
export interface BlockRef {
  /** Sequence number of the first row; the others follow without gaps. */
  readonly firstSequence: number;
  readonly rows: number;
  /** Bytes that the rows take on disk. */
  readonly bytes: number;
  /** Least and greatest `_tp_time` (in the ticks of that column's type), where known. */
  readonly firstTime?: number;
  readonly lastTime?: number;
  /** What is known of a column without loading the block; undefined for columns that are not flat numbers. */
  column(index: number): ColumnStats | undefined;
  /**
   * The rows: at once when they are in memory.
   * @throws SluiceError CORRUPTED_DATA when the rows fail their checksum (they are then quarantined);
   * CANNOT_READ_ALL_DATA when they have been truncated or dropped meanwhile; CANNOT_READ_FROM_FILE.
   */
  load(): Block | Promise<Block>;
}

/** Where rows stand in a file: one record, or several records in a row that are to be read as one block. */
export interface BlockPlace {
  readonly file: DataFile;
  readonly offset: number;
  readonly length: number;
  readonly records: number;
}

/** What a stored block needs of its log. */
export interface BlockSource {
  /** Index of the `_tp_time` column, -1 when there is none. */
  readonly timeColumn: number;
  /** Marks the block as just used. */
  touch(block: StoredBlock): void;
  /** Reads the block from disk and has it cached. */
  fetch(block: StoredBlock): Promise<Block>;
}

/** Bytes that a vector of one row takes beside its buffers, about. */
const vectorOverheadBytes = 256;

/** How much smaller many small records become as one, about: each has a head, a header and gaps of its own. */
const smallRecordsShrink = 3;

function payloadBytes(place: BlockPlace, block: Block | undefined): number {
  if (place.records === 1) return place.length;
  return block === undefined ? Math.ceil(place.length / smallRecordsShrink) : blockBytes(block);
}

export class StoredBlock implements BlockRef, Evictable, BlockPlace {
  readonly firstSequence: number;
  readonly rows: number;
  readonly file: DataFile;
  readonly offset: number;
  readonly length: number;
  readonly records: number;
  readonly memoryBytes: number;
  /** Bytes that the rows take as one record, about. */
  readonly payloadBytes: number;
  readonly #source: BlockSource;
  #block: Block | undefined;
  #stats: BlockStats | undefined;
  #loading: Promise<Block> | undefined;

  /** Either the block or its statistics must be given. */
  constructor(
    source: BlockSource,
    place: BlockPlace,
    firstSequence: number,
    rows: number,
    block: Block | undefined,
    stats: BlockStats | undefined,
  ) {
    this.#source = source;
    this.firstSequence = firstSequence;
    this.rows = rows;
    this.file = place.file;
    this.offset = place.offset;
    this.length = place.length;
    this.records = place.records;
    this.#block = block;
    this.#stats = stats;
    const columns = block?.vectors.length ?? stats?.length ?? 0;
    this.payloadBytes = payloadBytes(place, block);
    this.memoryBytes = this.payloadBytes + columns * vectorOverheadBytes;
  }

  get bytes(): number {
    return this.length;
  }

  get end(): number {
    return this.firstSequence + this.rows;
  }

  get stats(): BlockStats {
    return (this.#stats ??= statsOfBlock(this.#block!));
  }

  get firstTime(): number | undefined {
    return this.column(this.#source.timeColumn)?.min;
  }

  get lastTime(): number | undefined {
    return this.column(this.#source.timeColumn)?.max;
  }

  /** The block, when it is in memory. */
  get resident(): Block | undefined {
    return this.#block;
  }

  column(index: number): ColumnStats | undefined {
    return this.stats[index];
  }

  load(): Block | Promise<Block> {
    if (this.#block !== undefined) {
      this.#source.touch(this);
      return this.#block;
    }
    this.#loading ??= this.#source.fetch(this).finally(() => {
      this.#loading = undefined;
    });
    return this.#loading;
  }

  /** Keeps a block that was read from disk. */
  keep(block: Block): void {
    this.#block = block;
  }

  evict(): void {
    this.#stats ??= statsOfBlock(this.#block!);
    this.#block = undefined;
  }
}

/** The rows of a block from a sequence number on. */
export class BlockTail implements BlockRef {
  readonly firstSequence: number;
  readonly rows: number;
  readonly #whole: BlockRef;

  constructor(whole: BlockRef, firstSequence: number) {
    this.#whole = whole;
    this.firstSequence = firstSequence;
    this.rows = whole.rows - (firstSequence - whole.firstSequence);
  }

  get bytes(): number {
    return Math.ceil((this.#whole.bytes * this.rows) / this.#whole.rows);
  }

  get firstTime(): number | undefined {
    return this.#whole.firstTime;
  }

  get lastTime(): number | undefined {
    return this.#whole.lastTime;
  }

  column(index: number): ColumnStats | undefined {
    return this.#whole.column(index);
  }

  load(): Block | Promise<Block> {
    const block = this.#whole.load();
    return block instanceof Promise ? block.then((loaded) => this.#tailOf(loaded)) : this.#tailOf(block);
  }

  #tailOf(block: Block): Block {
    return sliceBlock(block, block.rows - this.rows, block.rows);
  }
}

/** A block in the index of its file. */
export type StoredIndexEntry = readonly [
  firstSequence: number,
  rows: number,
  offset: number,
  length: number,
  records: number,
  stats: StoredStats,
];

export function indexEntry(block: StoredBlock): StoredIndexEntry {
  const { firstSequence, rows, offset, length, records } = block;
  return [firstSequence, rows, offset, length, records, storedStats(block.stats)];
}

export function blockFromIndex(source: BlockSource, file: DataFile, entry: StoredIndexEntry): StoredBlock {
  const [firstSequence, rows, offset, length, records, stats] = entry;
  const place = { file, offset, length, records };
  return new StoredBlock(source, place, firstSequence, rows, undefined, restoredStats(stats));
}

/** Bytes and records up to which neighbouring small records are indexed as one range, which is read in one go. */
const rangeBytesMax = 4_194_304;
const rangeRecordsMax = 8_192;

/**
 * The blocks with small neighbours of one file joined into ranges, without touching their rows. Blocks whose rows do
 * not follow on each other stay apart; between those that do there are at most records without rows.
 */
export function joinRanges(
  source: BlockSource,
  blocks: readonly StoredBlock[],
  rowsMax: number,
): StoredBlock[] {
  const result: StoredBlock[] = [];
  let start = 0;
  while (start < blocks.length) {
    const first = blocks[start]!;
    let { rows, length, records } = first;
    let stats: BlockStats | undefined;
    let next = start + 1;
    for (; next < blocks.length; next++) {
      const block = blocks[next]!;
      const joined = block.offset + block.length - first.offset;
      if (block.file !== first.file || block.firstSequence !== first.firstSequence + rows) break;
      if (rows + block.rows > rowsMax || joined > rangeBytesMax) break;
      if (records + block.records > rangeRecordsMax) break;
      stats = mergeStats(stats ?? first.stats, block.stats);
      rows += block.rows;
      length = joined;
      records += block.records;
    }
    const place = { file: first.file, offset: first.offset, length, records };
    result.push(
      next === start + 1
        ? first
        : new StoredBlock(source, place, first.firstSequence, rows, undefined, stats),
    );
    start = next;
  }
  return result;
}
