import type { SqlType } from '../types/index.ts';
import type { Dictionary } from './dictionary.ts';

export type NumberArray =
  | Int8Array
  | Int16Array
  | Int32Array
  | Uint8Array
  | Uint16Array
  | Uint32Array
  | Float32Array
  | Float64Array;

export type NumberArrayKind = 'i8' | 'i16' | 'i32' | 'u8' | 'u16' | 'u32' | 'f32' | 'f64';

/** One byte per row, 1 where the row is NULL; null when no row is. */
export type NullMask = Uint8Array | null;

interface VectorBase {
  /** Number of rows. */
  readonly length: number;
  readonly nulls: NullMask;
}

/** Numbers held as they are: every value is exact as a JS number (64-bit integer types included). */
export interface FlatVector extends VectorBase {
  readonly kind: 'flat';
  readonly array: NumberArrayKind;
  readonly data: NumberArray;
  /** Least and greatest value that is not NULL (NaN left out); undefined when not known or when there is none. */
  readonly min?: number;
  readonly max?: number;
}

/** 64-bit integers of which at least one is no safe integer. */
export interface BigVector extends VectorBase {
  readonly kind: 'big';
  readonly data: BigInt64Array | BigUint64Array;
}

/** Integers of 128 or 256 bits in two's complement: `words` 64-bit words a value, least significant first. */
export interface WideVector extends VectorBase {
  readonly kind: 'wide';
  readonly words: 2 | 4;
  readonly signed: boolean;
  readonly data: BigUint64Array;
}

/** Strings as codes into a dictionary. */
export interface DictionaryVector extends VectorBase {
  readonly kind: 'dictionary';
  readonly codes: Uint8Array | Uint16Array | Uint32Array;
  readonly dictionary: Dictionary;
}

/** Strings as slices of one byte array: row i is data[offsets[i], offsets[i + 1]). */
export interface BytesVector extends VectorBase {
  readonly kind: 'bytes';
  /** length + 1 entries; the first need not be 0. */
  readonly offsets: Uint32Array;
  readonly data: Uint8Array;
}

/** Arrays, and maps as arrays of (key, value) tuples: row i is child[offsets[i], offsets[i + 1]). */
export interface ArrayVector extends VectorBase {
  readonly kind: 'array';
  readonly offsets: Uint32Array;
  readonly child: Vector;
}

export interface TupleVector extends VectorBase {
  readonly kind: 'tuple';
  readonly children: readonly Vector[];
}

export type Vector =
  | FlatVector
  | BigVector
  | WideVector
  | DictionaryVector
  | BytesVector
  | ArrayVector
  | TupleVector;

export interface ColumnSchema {
  readonly name: string;
  readonly type: SqlType;
}

/** Rows of a result or a stream, column by column; the names and types stand in a schema beside it. */
export interface Block {
  readonly rows: number;
  readonly vectors: readonly Vector[];
}

/** The magnitude classes of flat 64-bit integers: 65,536 values below 2^36 sum up exactly in a double. */
function magnitude(vector: FlatVector): string {
  if (vector.array !== 'f64') return '';
  if (vector.min === undefined || vector.max === undefined) return 'w';
  return Math.max(Math.abs(vector.min), Math.abs(vector.max)) < 2 ** 36 ? 'm' : 'w';
}

/**
 * What of a vector decides the code that is generated for it; equal shapes run the same code. Ends with `?` when rows
 * may be NULL.
 */
export function vectorShape(vector: Vector): string {
  const mark = vector.nulls === null ? '' : '?';
  switch (vector.kind) {
    case 'flat':
      return vector.array + magnitude(vector) + mark;
    case 'big':
      return (vector.data instanceof BigInt64Array ? 'i64' : 'u64') + mark;
    case 'wide':
      return `wide${vector.words}${vector.signed ? 's' : 'u'}${mark}`;
    case 'dictionary':
      return `d${vector.codes.BYTES_PER_ELEMENT}${mark}`;
    case 'bytes':
      return `b${mark}`;
    case 'array':
      return `a(${vectorShape(vector.child)})${mark}`;
    case 'tuple':
      return `t(${vector.children.map(vectorShape).join(',')})${mark}`;
  }
}

/** Bytes that the vector's buffers take. */
export function vectorBytes(vector: Vector): number {
  const mask = vector.nulls?.byteLength ?? 0;
  switch (vector.kind) {
    case 'flat':
    case 'big':
    case 'wide':
      return mask + vector.data.byteLength;
    case 'dictionary':
      return mask + vector.codes.byteLength + vector.dictionary.byteLength;
    case 'bytes':
      return mask + vector.offsets.byteLength + vector.offsets[vector.length]! - vector.offsets[0]!;
    case 'array':
      return mask + vector.offsets.byteLength + vectorBytes(vector.child);
    case 'tuple':
      return mask + vector.children.reduce((sum, child) => sum + vectorBytes(child), 0);
  }
}

export function blockBytes(block: Block): number {
  return block.vectors.reduce((sum, vector) => sum + vectorBytes(vector), 0);
}
