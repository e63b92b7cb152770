import type { Dictionary, Vector } from '../../column/index.ts';
import { defaultValue, isNullable, type SqlType } from '../../types/index.ts';
import { ByteTable } from './byte-table.ts';
import type { ColumnSink } from './column-sink.ts';
import { NullTracker } from './null-tracker.ts';

/** Rows of a block after which a dictionary must have proved itself. */
const trialRows = 1_024;
/** Distinct strings that a dictionary may always have, and may have at most when it lives on to the next block. */
const smallDictionary = 16;
const lastingDictionary = 16_384;

/** Bytes added behind the copied ones, because copies move four bytes at a time. */
const copySlack = 8;

const noData = Buffer.alloc(0);
const noDataView = viewOf(noData);

/** Where strings stand for a moment on their way into a sink. */
let scratch = Buffer.alloc(256);
let scratchView = viewOf(scratch);

/**
 * Strings. They are told apart by their bytes in a hash table, so that no JS string is made; when repetition does not
 * pay they are copied end to end instead.
 */
export class StringSink implements ColumnSink {
  readonly nulls: NullTracker;
  readonly #default: string | null;
  #table: ByteTable | null = new ByteTable();
  /** Entries that the table had when the block began. */
  #sizeBefore = 0;
  #lastDictionary: Dictionary | undefined;
  #codes: Uint32Array;
  /** Row i is #data[#offsets[i], #offsets[i + 1]) once the table is given up. */
  #offsets: Uint32Array;
  #data = noData;
  #view = noDataView;

  constructor(type: SqlType, capacity: number) {
    this.nulls = new NullTracker(capacity);
    this.#codes = new Uint32Array(capacity);
    this.#offsets = new Uint32Array(capacity + 1);
    this.#default = isNullable(type) ? null : (defaultValue(type) as string);
  }

  get capacity(): number {
    return this.#codes.length;
  }

  /** Bytes of the strings copied into this block; blocks are cut before they become too large to address. */
  bytesUsed(row: number): number {
    return this.#table === null ? this.#offsets[row]! : this.#table.byteLength;
  }

  grow(capacity: number): void {
    const codes = new Uint32Array(capacity);
    codes.set(this.#codes);
    this.#codes = codes;
    const offsets = new Uint32Array(capacity + 1);
    offsets.set(this.#offsets);
    this.#offsets = offsets;
    this.nulls.grow(capacity);
  }

  put(row: number, value: unknown): void {
    const text = (value ?? '') as string;
    this.nulls.set(row, value === null);
    if (text.length + copySlack > scratch.length) {
      scratch = Buffer.alloc(text.length * 2 + copySlack);
      scratchView = viewOf(scratch);
    }
    scratch.latin1Write(text, 0);
    this.putBytes(scratch, scratchView, 0, text.length, row);
  }

  putDefaults(from: number, to: number): void {
    for (let row = from; row < to; row++) {
      this.put(row, this.#default);
      if (this.#table === null) continue;
      // All others have the same code.
      this.#codes.fill(this.#codes[row]!, row, to);
      this.nulls.fill(row, to, this.#default === null);
      return;
    }
  }

  discard(row: number): void {
    this.nulls.mask[row] = 0;
  }

  /** Puts bytes [start, end) into a row; at least 4 bytes must be readable behind them. */
  putBytes(bytes: Uint8Array, view: DataView, start: number, end: number, row: number): void {
    const table = this.#table;
    if (table === null) {
      this.#copy(bytes, view, start, end, row);
      return;
    }
    const code = table.codeOf(bytes, view, start, end);
    const added = table.size - this.#sizeBefore;
    if (code >= 0 && (row < trialRows || added * 2 <= row)) {
      this.#codes[row] = code;
      return;
    }
    this.#giveUpTable(row);
    this.#copy(bytes, view, start, end, row);
  }

  #copy(bytes: Uint8Array, view: DataView, start: number, end: number, row: number): void {
    const length = end - start;
    let to = this.#offsets[row]!;
    if (to + length + copySlack > this.#data.length) this.#growData(to + length + copySlack);
    this.#offsets[row + 1] = to + length;
    if (length > 64) {
      this.#data.set(bytes.subarray(start, end), to);
      return;
    }
    const target = this.#view;
    for (let from = start; from < end; from += 4, to += 4)
      target.setInt32(to, view.getInt32(from, true), true);
  }

  #growData(length: number): void {
    const larger = Buffer.allocUnsafeSlow(Math.max(length, this.#data.length * 2, 65_536));
    larger.set(this.#data);
    this.#data = larger;
    this.#view = viewOf(larger);
  }

  /** Turns the rows before `rows` from codes to bytes. */
  #giveUpTable(rows: number): void {
    const table = this.#table!;
    const { bytes, view } = table;
    this.#table = null;
    this.#lastDictionary = undefined;
    for (let row = 0; row < rows; row++) {
      const code = this.#codes[row]!;
      this.#copy(bytes, view, table.start(code), table.start(code + 1), row);
    }
  }

  finish(rows: number): Vector {
    const nulls = this.nulls.finish(rows);
    const table = this.#table;
    if (table !== null && table.size > smallDictionary && table.size * 2 > rows) {
      this.#giveUpTable(rows);
      const vector = this.#bytesVector(rows, nulls);
      // So few rows say nothing about the next block.
      if (rows < trialRows) this.#newTable();
      return vector;
    }
    if (table === null) return this.#bytesVector(rows, nulls);
    if (this.#lastDictionary?.size !== table.size) this.#lastDictionary = table.dictionary();
    const codes = narrowed(this.#codes.subarray(0, rows), table.size);
    const vector: Vector = {
      kind: 'dictionary',
      length: rows,
      nulls,
      codes,
      dictionary: this.#lastDictionary,
    };
    if (table.size > lastingDictionary) this.#newTable();
    else this.#sizeBefore = table.size;
    return vector;
  }

  #newTable(): void {
    this.#table = new ByteTable();
    this.#sizeBefore = 0;
    this.#lastDictionary = undefined;
  }

  #bytesVector(rows: number, nulls: Uint8Array | null): Vector {
    const offsets = this.#offsets.slice(0, rows + 1);
    const data = new Uint8Array(this.#data.subarray(0, offsets[rows]!));
    return { kind: 'bytes', length: rows, nulls, offsets, data };
  }
}

function viewOf(bytes: Buffer): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** A copy of the codes in the narrowest array for so many entries. */
function narrowed(codes: Uint32Array, entries: number): Uint8Array | Uint16Array | Uint32Array {
  if (entries <= 256) return new Uint8Array(codes);
  return entries <= 65_536 ? new Uint16Array(codes) : codes.slice();
}
