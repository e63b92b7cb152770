import { assert } from '../base/index.ts';
import { narrowCodes } from './builder.ts';
import { Dictionary } from './dictionary.ts';
import { arrayConstructors } from './flat.ts';
import { sliceVector } from './select-rows.ts';
import type { Block, DictionaryVector, NullMask, NumberArray, NumberArrayKind, Vector } from './vector.ts';

/**
 * What of a vector is not in its buffers, as nested arrays of numbers and short strings. The first element names the
 * kind; `nulls` is 1 when a null mask comes first among the vector's buffers.
 *
 * | tag | vector | buffers in order, after the null mask |
 * |---|---|---|
 * | f | flat | values |
 * | b | big | values |
 * | w | wide | words |
 * | d | dictionary | codes, offsets of the entries, bytes of the entries |
 * | s | bytes | offsets, bytes |
 * | a | array | offsets, then the child's buffers |
 * | t | tuple | the buffers of every child |
 */
export type VectorHeader =
  | readonly [
      tag: 'f',
      length: number,
      nulls: 0 | 1,
      array: NumberArrayKind,
      min: number | null,
      max: number | null,
    ]
  | readonly [tag: 'b', length: number, nulls: 0 | 1, signed: 0 | 1]
  | readonly [tag: 'w', length: number, nulls: 0 | 1, words: 2 | 4, signed: 0 | 1]
  | readonly [tag: 'd', length: number, nulls: 0 | 1, codeBytes: 1 | 2 | 4, entries: number, bytes: number]
  | readonly [tag: 's', length: number, nulls: 0 | 1, bytes: number]
  | readonly [tag: 'a', length: number, nulls: 0 | 1, child: VectorHeader]
  | readonly [tag: 't', length: number, nulls: 0 | 1, children: readonly VectorHeader[]];

/** What of a block is not in its buffers: plain arrays, numbers and strings. */
export interface BlockHeader {
  readonly rows: number;
  readonly vectors: readonly VectorHeader[];
}

/** A block taken apart; laid end to end, each buffer starting at a multiple of 8, the buffers take `byteLength`. */
export interface BlockDescription {
  readonly header: BlockHeader;
  readonly buffers: readonly Uint8Array[];
  /** A multiple of 8. */
  readonly byteLength: number;
}

const codeClasses = { 1: Uint8Array, 2: Uint16Array, 4: Uint32Array } as const;

/** The next multiple of 8. */
export function alignedTo8(bytes: number): number {
  return Math.ceil(bytes / 8) * 8;
}

function bytesOf(data: NumberArray | BigInt64Array | BigUint64Array, entries: number): Uint8Array {
  return new Uint8Array(data.buffer, data.byteOffset, entries * data.BYTES_PER_ELEMENT);
}

/** Offsets that start at 0, the same array when they already do. */
function rebased(offsets: Uint32Array, length: number): Uint32Array {
  const base = offsets[0]!;
  if (base === 0) return offsets;
  const result = new Uint32Array(length + 1);
  for (let index = 0; index <= length; index++) result[index] = offsets[index]! - base;
  return result;
}

/**
 * The vector with no dictionary entry that its rows do not use, when there are more entries than rows: a few rows
 * picked from a large block must not carry its whole dictionary along.
 */
function withoutUnusedEntries(vector: DictionaryVector): DictionaryVector {
  if (vector.dictionary.size <= vector.length) return vector;
  const { strings } = vector.dictionary;
  const renamed = new Map<number, number>();
  const kept: string[] = [];
  const codes = new Uint32Array(vector.length);
  for (let row = 0; row < vector.length; row++) {
    const code = vector.codes[row]!;
    let next = renamed.get(code);
    if (next === undefined) {
      next = kept.length;
      renamed.set(code, next);
      kept.push(strings[code]!);
    }
    codes[row] = next;
  }
  return { ...vector, codes: narrowCodes(codes, kept.length), dictionary: Dictionary.fromStrings(kept) };
}

class Describer {
  readonly buffers: Uint8Array[] = [];
  byteLength = 0;

  #add(buffer: Uint8Array): void {
    this.buffers.push(buffer);
    this.byteLength += alignedTo8(buffer.byteLength);
  }

  #addNulls(nulls: NullMask, length: number): 0 | 1 {
    if (nulls === null) return 0;
    this.#add(nulls.subarray(0, length));
    return 1;
  }

  /** Adds offsets and the bytes they point at; returns how many bytes. */
  #addSlices(offsets: Uint32Array, length: number, data: Uint8Array): number {
    this.#add(bytesOf(rebased(offsets, length), length + 1));
    const slices = data.subarray(offsets[0]!, offsets[length]!);
    this.#add(slices);
    return slices.byteLength;
  }

  vector(vector: Vector): VectorHeader {
    const { length } = vector;
    const nulls = this.#addNulls(vector.nulls, length);
    switch (vector.kind) {
      case 'flat':
        this.#add(bytesOf(vector.data, length));
        return ['f', length, nulls, vector.array, vector.min ?? null, vector.max ?? null];
      case 'big':
        this.#add(bytesOf(vector.data, length));
        return ['b', length, nulls, vector.data instanceof BigInt64Array ? 1 : 0];
      case 'wide':
        this.#add(bytesOf(vector.data, length * vector.words));
        return ['w', length, nulls, vector.words, vector.signed ? 1 : 0];
      case 'dictionary': {
        const { codes, dictionary } = withoutUnusedEntries(vector);
        const { offsets, data } = dictionary.packed;
        this.#add(bytesOf(codes, length));
        const bytes = this.#addSlices(offsets, dictionary.size, data);
        return ['d', length, nulls, codes.BYTES_PER_ELEMENT as 1 | 2 | 4, dictionary.size, bytes];
      }
      case 'bytes':
        return ['s', length, nulls, this.#addSlices(vector.offsets, length, vector.data)];
      case 'array': {
        const { offsets } = vector;
        this.#add(bytesOf(rebased(offsets, length), length + 1));
        return ['a', length, nulls, this.#childRows(vector.child, offsets[0]!, offsets[length]!)];
      }
      case 'tuple':
        return ['t', length, nulls, vector.children.map((child) => this.vector(child))];
    }
  }

  /** Describes rows [start, end) of a child without the rows around them. */
  #childRows(child: Vector, start: number, end: number): VectorHeader {
    return this.vector(start === 0 && end === child.length ? child : sliceVector(child, start, end));
  }
}

/** Takes a block apart into a header and byte buffers that share the block's memory where they can. */
export function describeBlock(block: Block): BlockDescription {
  const describer = new Describer();
  const vectors = block.vectors.map((vector) => describer.vector(vector));
  return {
    header: { rows: block.rows, vectors },
    buffers: describer.buffers,
    byteLength: describer.byteLength,
  };
}

/** Copies a description's buffers to `target` from `offset` on, each at a multiple of 8 after it, gaps zeroed. */
export function layBuffers(buffers: readonly Uint8Array[], target: Uint8Array, offset: number): void {
  let at = offset;
  for (const buffer of buffers) {
    target.set(buffer, at);
    const end = at + buffer.byteLength;
    at = offset + alignedTo8(end - offset);
    if (at > end) target.fill(0, end, at);
  }
}

class Assembler {
  readonly #buffer: ArrayBufferLike;
  #at: number;

  constructor(buffer: ArrayBufferLike, byteOffset: number) {
    this.#buffer = buffer;
    this.#at = byteOffset;
  }

  #take<View>(
    ViewClass: {
      new (buffer: ArrayBufferLike, offset: number, length: number): View;
      BYTES_PER_ELEMENT: number;
    },
    entries: number,
  ): View {
    const view = new ViewClass(this.#buffer, this.#at, entries);
    this.#at += alignedTo8(entries * ViewClass.BYTES_PER_ELEMENT);
    return view;
  }

  vector(header: VectorHeader): Vector {
    const length = header[1];
    const nulls = header[2] === 1 ? this.#take(Uint8Array, length) : null;
    switch (header[0]) {
      case 'f': {
        const [, , , array, min, max] = header;
        const data = this.#take<NumberArray>(arrayConstructors[array], length);
        if (min === null || max === null) return { kind: 'flat', array, length, nulls, data };
        return { kind: 'flat', array, length, nulls, data, min, max };
      }
      case 'b':
        return {
          kind: 'big',
          length,
          nulls,
          data: this.#take<BigInt64Array | BigUint64Array>(
            header[3] === 1 ? BigInt64Array : BigUint64Array,
            length,
          ),
        };
      case 'w': {
        const [, , , words, signed] = header;
        const data = this.#take(BigUint64Array, length * words);
        return { kind: 'wide', words, signed: signed === 1, length, nulls, data };
      }
      case 'd': {
        const [, , , codeBytes, entries, bytes] = header;
        const codes = this.#take<Uint8Array | Uint16Array | Uint32Array>(codeClasses[codeBytes], length);
        const offsets = this.#take(Uint32Array, entries + 1);
        const dictionary = Dictionary.fromBytes(offsets, this.#take(Uint8Array, bytes));
        return { kind: 'dictionary', length, nulls, codes, dictionary };
      }
      case 's': {
        const offsets = this.#take(Uint32Array, length + 1);
        return { kind: 'bytes', length, nulls, offsets, data: this.#take(Uint8Array, header[3]) };
      }
      case 'a': {
        const offsets = this.#take(Uint32Array, length + 1);
        return { kind: 'array', length, nulls, offsets, child: this.vector(header[3]) };
      }
      case 't':
        return { kind: 'tuple', length, nulls, children: header[3].map((child) => this.vector(child)) };
    }
  }
}

/**
 * The block whose buffers were laid at `byteOffset` (a multiple of 8) of a plain or shared buffer. Its vectors are
 * views of that buffer: nothing is copied.
 */
export function assembleBlock(header: BlockHeader, buffer: ArrayBufferLike, byteOffset: number): Block {
  assert(byteOffset % 8 === 0, 'a block is laid at a multiple of 8');
  const assembler = new Assembler(buffer, byteOffset);
  return { rows: header.rows, vectors: header.vectors.map((vector) => assembler.vector(vector)) };
}

/** A copy of the block in one SharedArrayBuffer, which worker threads read without copying. */
export function shareBlock(block: Block): Block {
  const { header, buffers, byteLength } = describeBlock(block);
  const shared = new SharedArrayBuffer(byteLength);
  layBuffers(buffers, new Uint8Array(shared), 0);
  return assembleBlock(header, shared, 0);
}
