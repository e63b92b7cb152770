import { limits } from '../../base/index.ts';
import type { Block } from '../../column/index.ts';
import type { ReadBlock, ReaderColumn } from '../block-reader.ts';
import { type ColumnSink, columnSink } from './column-sink.ts';
import { StringSink } from './string-sink.ts';

const initialRows = 16;
/** Bytes of strings in one column after which a block is ended before it has all its rows. */
const stringBytesMax = 128 * 1_048_576;

/** The block in the making: a sink for each column, and which values were not given. */
export class BlockAssembler {
  readonly columns: readonly ReaderColumn[];
  readonly sinks: readonly ColumnSink[];
  capacity = initialRows;
  readonly #stringSinks: readonly StringSink[];
  readonly #tracked: readonly boolean[];
  readonly #omitted: (Uint8Array | null)[];

  constructor(columns: readonly ReaderColumn[], fillDefaults: boolean) {
    this.columns = columns;
    this.sinks = columns.map((column) => columnSink(column.type, initialRows));
    this.#stringSinks = this.sinks.filter((sink) => sink instanceof StringSink);
    this.#tracked = columns.map((column) => fillDefaults && column.hasDefault);
    this.#omitted = columns.map(() => null);
  }

  /** Makes room for more rows; false when the block has as many as one may have. */
  grow(): boolean {
    if (this.capacity >= limits.insert_block_rows) return false;
    this.capacity = Math.min(limits.insert_block_rows, this.capacity * 8);
    for (const sink of this.sinks) sink.grow(this.capacity);
    for (const [column, mask] of this.#omitted.entries()) {
      if (mask === null) continue;
      const larger = new Uint8Array(this.capacity);
      larger.set(mask);
      this.#omitted[column] = larger;
    }
    return true;
  }

  /** Notes that a row gives no value for a column. */
  omit(column: number, row: number): void {
    this.sinks[column]!.putDefaults(row, row + 1);
    if (this.#tracked[column]) this.#mask(column)[row] = 1;
  }

  /** Notes that rows [from, to) give no value for a column. */
  omitRange(column: number, from: number, to: number): void {
    if (from === to) return;
    this.sinks[column]!.putDefaults(from, to);
    if (this.#tracked[column]) this.#mask(column).fill(1, from, to);
  }

  #mask(column: number): Uint8Array {
    this.#omitted[column] ??= new Uint8Array(this.capacity);
    return this.#omitted[column];
  }

  /** Forgets what was put into a row that is given up. */
  discard(row: number): void {
    for (const sink of this.sinks) sink.discard(row);
    for (const mask of this.#omitted) if (mask !== null) mask[row] = 0;
  }

  /** Whether so many bytes of strings have come together that the block should end with these rows. */
  isHeavy(rows: number): boolean {
    return this.#stringSinks.some((sink) => sink.bytesUsed(rows) > stringBytesMax);
  }

  /** The first `rows` rows; the assembler is then empty. */
  finish(rows: number): ReadBlock {
    const block: Block = { rows, vectors: this.sinks.map((sink) => sink.finish(rows)) };
    const omitted = this.#omitted.map((mask) => {
      const part = mask?.slice(0, rows);
      mask?.fill(0);
      return part?.includes(1) ? part : null;
    });
    return { block, omitted };
  }
}
