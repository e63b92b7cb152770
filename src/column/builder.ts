import { limits } from '../base/index.ts';
import { bareType, isNullable, representation, type SqlType } from '../types/index.ts';
import { Dictionary } from './dictionary.ts';
import { flatFromDoubles, flatKind } from './flat.ts';
import type { NullMask, Vector } from './vector.ts';

/** Gathers canonical values row by row into a vector; `finish` gives the vector and leaves the builder empty. */
export interface ColumnBuilder {
  readonly length: number;
  append(value: unknown): void;
  finish(): Vector;
}

/** Grows a typed array to hold at least `length` entries. */
function grown<Buffer extends Float64Array | Uint8Array | Uint32Array | BigUint64Array>(
  buffer: Buffer,
  length: number,
): Buffer {
  if (length <= buffer.length) return buffer;
  const Constructor = buffer.constructor as new (length: number) => Buffer;
  const larger = new Constructor(Math.max(length, buffer.length * 2, 16));
  (larger as Uint8Array).set(buffer as Uint8Array);
  return larger;
}

class NullTracker {
  #mask: Uint8Array | null = null;

  mark(row: number): void {
    this.#mask = grown(this.#mask ?? new Uint8Array(Math.max(16, row + 1)), row + 1);
    this.#mask[row] = 1;
  }

  finish(rows: number): NullMask {
    if (this.#mask === null) return null;
    const mask = new Uint8Array(rows);
    mask.set(this.#mask.subarray(0, Math.min(rows, this.#mask.length)));
    this.#mask = null;
    return mask;
  }
}

/** Numbers, and 64-bit integers as long as none leaves the safe range. */
class NumberBuilder implements ColumnBuilder {
  length = 0;
  readonly #type: SqlType;
  #data = new Float64Array(16);
  #big: (number | bigint)[] | null = null;
  readonly #nulls = new NullTracker();

  constructor(type: SqlType) {
    this.#type = type;
  }

  append(value: unknown): void {
    const row = this.length++;
    if (row >= this.#data.length) this.#data = grown(this.#data, row + 1);
    if (typeof value === 'number') {
      this.#data[row] = value;
      this.#big?.push(value);
    } else if (typeof value === 'bigint') {
      this.#big ??= Array.from(this.#data.subarray(0, row));
      this.#big.push(value);
    } else {
      this.#nulls.mark(row);
      this.#data[row] = 0;
      this.#big?.push(0);
    }
  }

  finish(): Vector {
    const length = this.length;
    const nulls = this.#nulls.finish(length);
    const big = this.#big;
    this.length = 0;
    this.#big = null;
    if (big === null) return flatFromDoubles(this.#data.subarray(0, length), this.#type, nulls);
    const bare = bareType(this.#type);
    const unsigned = bare.kind === 'int' && !bare.signed;
    const data = unsigned ? new BigUint64Array(length) : new BigInt64Array(length);
    for (let row = 0; row < length; row++) data[row] = BigInt(big[row]!);
    return { kind: 'big', length, nulls, data };
  }
}

class WideBuilder implements ColumnBuilder {
  length = 0;
  readonly #words: 2 | 4;
  readonly #signed: boolean;
  #data: BigUint64Array = new BigUint64Array(16);
  readonly #nulls = new NullTracker();

  constructor(words: 2 | 4, signed: boolean) {
    this.#words = words;
    this.#signed = signed;
  }

  append(value: unknown): void {
    const row = this.length++;
    const words = this.#words;
    this.#data = grown(this.#data, (row + 1) * words);
    let rest = 0n;
    if (value === null || value === undefined) this.#nulls.mark(row);
    else rest = BigInt(value as bigint);
    for (let word = 0; word < words; word++) {
      this.#data[row * words + word] = BigInt.asUintN(64, rest);
      rest >>= 64n;
    }
  }

  finish(): Vector {
    const length = this.length;
    const data = this.#data.slice(0, length * this.#words);
    this.length = 0;
    return {
      kind: 'wide',
      words: this.#words,
      signed: this.#signed,
      length,
      nulls: this.#nulls.finish(length),
      data,
    };
  }
}

/** Distinct strings after which repetition no longer pays for a dictionary. */
function dictionaryPays(distinct: number, rows: number): boolean {
  return distinct <= 16 || distinct * 3 <= rows;
}

class StringBuilder implements ColumnBuilder {
  length = 0;
  #codes: Uint32Array = new Uint32Array(16);
  #map: Map<string, number> | null = new Map();
  #strings: string[] = [];
  readonly #nulls = new NullTracker();

  append(value: unknown): void {
    const row = this.length++;
    let text = '';
    if (typeof value === 'string') text = value;
    else this.#nulls.mark(row);
    if (this.#map === null) {
      this.#strings.push(text);
      return;
    }
    let code = this.#map.get(text);
    if (code === undefined) {
      code = this.#strings.length;
      this.#map.set(text, code);
      this.#strings.push(text);
    }
    if (row >= this.#codes.length) this.#codes = grown(this.#codes, row + 1);
    this.#codes[row] = code;
    if ((row & 1023) === 1023 && !dictionaryPays(this.#strings.length, row + 1)) this.#abandonDictionary();
  }

  #abandonDictionary(): void {
    const strings = new Array<string>(this.length);
    for (let row = 0; row < this.length; row++) strings[row] = this.#strings[this.#codes[row]!]!;
    this.#strings = strings;
    this.#map = null;
  }

  finish(): Vector {
    const length = this.length;
    const nulls = this.#nulls.finish(length);
    if (this.#map !== null && !dictionaryPays(this.#strings.length, length)) this.#abandonDictionary();
    const strings = this.#strings;
    const vector: Vector =
      this.#map === null
        ? bytesFromStrings(strings, nulls)
        : {
            kind: 'dictionary',
            length,
            nulls,
            codes: narrowCodes(this.#codes.subarray(0, length), strings.length),
            dictionary: Dictionary.fromStrings(strings),
          };
    this.length = 0;
    this.#map = new Map();
    this.#strings = [];
    return vector;
  }
}

/** Packs byte strings end to end. */
export function bytesFromStrings(strings: readonly string[], nulls: NullMask): Vector {
  const { offsets, data } = Dictionary.fromStrings(strings).packed;
  return { kind: 'bytes', length: strings.length, nulls, offsets, data };
}

/** A copy of the codes in the narrowest array for so many dictionary entries. */
export function narrowCodes(
  codes: ArrayLike<number>,
  entries: number,
): Uint8Array | Uint16Array | Uint32Array {
  if (entries <= 256) return Uint8Array.from(codes);
  return entries <= 65_536 ? Uint16Array.from(codes) : Uint32Array.from(codes);
}

class ArrayBuilder implements ColumnBuilder {
  length = 0;
  #offsets: Uint32Array = new Uint32Array(16);
  readonly #child: ColumnBuilder;

  constructor(child: ColumnBuilder) {
    this.#child = child;
  }

  append(value: unknown): void {
    const values = (value ?? []) as readonly unknown[];
    for (let index = 0; index < values.length; index++) this.#child.append(values[index]);
    this.length++;
    this.#offsets = grown(this.#offsets, this.length + 1);
    this.#offsets[this.length] = this.#child.length;
  }

  finish(): Vector {
    const length = this.length;
    this.length = 0;
    return {
      kind: 'array',
      length,
      nulls: null,
      offsets: this.#offsets.slice(0, length + 1),
      child: this.#child.finish(),
    };
  }
}

class TupleBuilder implements ColumnBuilder {
  length = 0;
  readonly #children: readonly ColumnBuilder[];

  constructor(children: readonly ColumnBuilder[]) {
    this.#children = children;
  }

  append(value: unknown): void {
    const values = value as readonly unknown[];
    for (let index = 0; index < this.#children.length; index++) this.#children[index]!.append(values[index]);
    this.length++;
  }

  finish(): Vector {
    const length = this.length;
    this.length = 0;
    return { kind: 'tuple', length, nulls: null, children: this.#children.map((child) => child.finish()) };
  }
}

/** A builder for canonical values of the type. */
export function columnBuilder(type: SqlType): ColumnBuilder {
  const bare = bareType(type);
  switch (bare.kind) {
    case 'array':
      return new ArrayBuilder(columnBuilder(bare.element));
    case 'map':
      return new ArrayBuilder(new TupleBuilder([columnBuilder(bare.key), columnBuilder(bare.value)]));
    case 'tuple':
      return new TupleBuilder(bare.elements.map((element) => columnBuilder(element.type)));
    default:
  }
  switch (representation(bare)) {
    case 'string':
      return new StringBuilder();
    case 'bigint': {
      const words =
        bare.kind === 'int'
          ? ((bare.bits / 64) as 2 | 4)
          : bare.kind === 'decimal' && bare.precision > 38
            ? 4
            : 2;
      return new WideBuilder(words, bare.kind === 'decimal' || (bare.kind === 'int' && bare.signed));
    }
    default:
      return new NumberBuilder(type);
  }
}

/** A vector holding one value in every row. */
export function constantVector(type: SqlType, value: unknown, rows: number): Vector {
  if (representation(type) === 'string' && typeof value === 'string' && !isNullable(type)) {
    return {
      kind: 'dictionary',
      length: rows,
      nulls: null,
      codes: new Uint8Array(rows),
      dictionary: Dictionary.fromStrings([value]),
    };
  }
  if (typeof value === 'number' && !isNullable(type)) {
    const array = rows < limits.block_narrow_rows_min ? flatKind(type) : flatKind(type, value, value);
    return flatFromDoubles(new Float64Array(rows).fill(value), type, null, array);
  }
  const builder = columnBuilder(type);
  for (let row = 0; row < rows; row++) builder.append(value);
  return builder.finish();
}
