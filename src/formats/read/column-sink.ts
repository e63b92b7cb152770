import { type ColumnBuilder, columnBuilder, flatFromDoubles, type Vector } from '../../column/index.ts';
import { bareType, defaultValue, representation, type SqlType } from '../../types/index.ts';
import { NullTracker } from './null-tracker.ts';
import { StringSink } from './string-sink.ts';

/**
 * Where the values of one column are put, row by row. Putting into a row again replaces what was there, so that a row
 * may be read anew after it turned out to be incomplete.
 */
export interface ColumnSink {
  /** Rows there is room for. */
  readonly capacity: number;
  grow(capacity: number): void;
  /** Puts a canonical value; null only for nullable columns. */
  put(row: number, value: unknown): void;
  /** Puts the type's default value into rows [from, to). */
  putDefaults(from: number, to: number): void;
  /** Forgets what was put into a row that is given up. */
  discard(row: number): void;
  /** The first `rows` rows as a vector; the sink is then empty. */
  finish(rows: number): Vector;
}

/** Numbers of up to 64 bits. The parsers compiled for a schema write straight into `data` and `nulls.mask`. */
export class NumberSink implements ColumnSink {
  readonly type: SqlType;
  readonly nulls: NullTracker;
  data: Float64Array;
  readonly #default: number;
  readonly #isNullable: boolean;
  /** The rows whose value is no safe integer; `data` holds 0 there. */
  readonly #big = new Map<number, bigint>();

  constructor(type: SqlType, capacity: number) {
    this.type = type;
    this.data = new Float64Array(capacity);
    this.nulls = new NullTracker(capacity);
    const value = defaultValue(type);
    this.#isNullable = value === null;
    this.#default = (value ?? 0) as number;
  }

  get capacity(): number {
    return this.data.length;
  }

  grow(capacity: number): void {
    const larger = new Float64Array(capacity);
    larger.set(this.data);
    this.data = larger;
    this.nulls.grow(capacity);
  }

  put(row: number, value: unknown): void {
    if (this.#big.size > 0) this.#big.delete(row);
    this.nulls.set(row, value === null);
    if (typeof value === 'bigint') {
      this.#big.set(row, value);
      this.data[row] = 0;
    } else {
      this.data[row] = (value ?? 0) as number;
    }
  }

  putDefaults(from: number, to: number): void {
    for (const row of this.#big.keys()) if (row >= from && row < to) this.#big.delete(row);
    this.data.fill(this.#default, from, to);
    this.nulls.fill(from, to, this.#isNullable);
  }

  discard(row: number): void {
    this.#big.delete(row);
    this.nulls.mask[row] = 0;
  }

  finish(rows: number): Vector {
    const nulls = this.nulls.finish(rows);
    // A row that was given up may have left a big value behind.
    for (const row of this.#big.keys()) if (row >= rows) this.#big.delete(row);
    if (this.#big.size === 0) return flatFromDoubles(this.data.subarray(0, rows), this.type, nulls);
    const bare = bareType(this.type);
    const data = bare.kind === 'int' && !bare.signed ? new BigUint64Array(rows) : new BigInt64Array(rows);
    for (let row = 0; row < rows; row++) data[row] = this.#big.get(row) ?? BigInt(this.data[row]!);
    this.#big.clear();
    return { kind: 'big', length: rows, nulls, data };
  }
}

/** Values that are kept as they are until the block is full: wide integers, arrays, tuples, maps. */
export class ValueSink implements ColumnSink {
  capacity: number;
  readonly #builder: ColumnBuilder;
  readonly #default: unknown;
  readonly #values: unknown[] = [];

  constructor(type: SqlType, capacity: number) {
    this.capacity = capacity;
    this.#builder = columnBuilder(type);
    this.#default = defaultValue(type);
  }

  grow(capacity: number): void {
    this.capacity = capacity;
  }

  put(row: number, value: unknown): void {
    this.#values[row] = value;
  }

  putDefaults(from: number, to: number): void {
    for (let row = from; row < to; row++) this.#values[row] = this.#default;
  }

  discard(row: number): void {
    this.#values[row] = this.#default;
  }

  finish(rows: number): Vector {
    for (let row = 0; row < rows; row++) this.#builder.append(this.#values[row]);
    this.#values.length = 0;
    return this.#builder.finish();
  }
}

/** The sink for a column of the type. */
export function columnSink(type: SqlType, capacity: number): ColumnSink {
  switch (representation(type)) {
    case 'number':
    case 'mixed':
      return new NumberSink(type, capacity);
    case 'string':
      return new StringSink(type, capacity);
    case 'bigint':
    case 'object':
      return new ValueSink(type, capacity);
  }
}
