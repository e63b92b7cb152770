import { numberArray } from './flat.ts';
import type { Block, FlatVector, NullMask, Vector } from './vector.ts';

function sliceMask(nulls: NullMask, start: number, end: number): NullMask {
  if (nulls === null) return null;
  const part = nulls.subarray(start, end);
  return part.includes(1) ? part : null;
}

/** Rows [start, end) of a vector, sharing its buffers. */
export function sliceVector(vector: Vector, start: number, end: number): Vector {
  const length = end - start;
  const nulls = sliceMask(vector.nulls, start, end);
  switch (vector.kind) {
    case 'flat':
      return { ...vector, length, nulls, data: vector.data.subarray(start, end) };
    case 'big':
      return { ...vector, length, nulls, data: vector.data.subarray(start, end) };
    case 'wide':
      return {
        ...vector,
        length,
        nulls,
        data: vector.data.subarray(start * vector.words, end * vector.words),
      };
    case 'dictionary':
      return { ...vector, length, nulls, codes: vector.codes.subarray(start, end) };
    case 'bytes':
    case 'array':
      return { ...vector, length, nulls, offsets: vector.offsets.subarray(start, end + 1) };
    case 'tuple':
      return {
        ...vector,
        length,
        nulls,
        children: vector.children.map((child) => sliceVector(child, start, end)),
      };
  }
}

export function sliceBlock(block: Block, start: number, end: number): Block {
  if (start === 0 && end === block.rows) return block;
  return { rows: end - start, vectors: block.vectors.map((vector) => sliceVector(vector, start, end)) };
}

/** The given rows of a vector, in the given order, copied. */
export function gatherVector(vector: Vector, rows: ArrayLike<number>): Vector {
  const length = rows.length;
  let nulls: NullMask = null;
  if (vector.nulls !== null) {
    nulls = new Uint8Array(length);
    for (let index = 0; index < length; index++) nulls[index] = vector.nulls[rows[index]!]!;
  }
  switch (vector.kind) {
    case 'flat':
      return gatherFlat(vector, rows, nulls);
    case 'big': {
      const data =
        vector.data instanceof BigInt64Array ? new BigInt64Array(length) : new BigUint64Array(length);
      for (let index = 0; index < length; index++) data[index] = vector.data[rows[index]!]!;
      return { kind: 'big', length, nulls, data };
    }
    case 'wide': {
      const { words } = vector;
      const data = new BigUint64Array(length * words);
      for (let index = 0; index < length; index++) {
        for (let word = 0; word < words; word++)
          data[index * words + word] = vector.data[rows[index]! * words + word]!;
      }
      return { ...vector, length, nulls, data };
    }
    case 'dictionary': {
      const codes = vector.codes.slice(0, 0).constructor as new (length: number) => Uint32Array;
      const gathered = new codes(length);
      for (let index = 0; index < length; index++) gathered[index] = vector.codes[rows[index]!]!;
      return { ...vector, length, nulls, codes: gathered };
    }
    case 'bytes':
      return gatherBytes(vector, rows, nulls);
    case 'array': {
      const offsets = new Uint32Array(length + 1);
      const children: number[] = [];
      for (let index = 0; index < length; index++) {
        const row = rows[index]!;
        for (let at = vector.offsets[row]!; at < vector.offsets[row + 1]!; at++) children.push(at);
        offsets[index + 1] = children.length;
      }
      return { kind: 'array', length, nulls, offsets, child: gatherVector(vector.child, children) };
    }
    case 'tuple':
      return {
        kind: 'tuple',
        length,
        nulls,
        children: vector.children.map((child) => gatherVector(child, rows)),
      };
  }
}

function gatherFlat(vector: FlatVector, rows: ArrayLike<number>, nulls: NullMask): Vector {
  const data = numberArray(vector.array, rows.length);
  for (let index = 0; index < rows.length; index++) data[index] = vector.data[rows[index]!]!;
  return { ...vector, length: rows.length, nulls, data };
}

function gatherBytes(vector: Vector & { kind: 'bytes' }, rows: ArrayLike<number>, nulls: NullMask): Vector {
  const length = rows.length;
  const offsets = new Uint32Array(length + 1);
  for (let index = 0; index < length; index++) {
    const row = rows[index]!;
    offsets[index + 1] = offsets[index]! + vector.offsets[row + 1]! - vector.offsets[row]!;
  }
  const data = new Uint8Array(offsets[length]!);
  for (let index = 0; index < length; index++) {
    const row = rows[index]!;
    data.set(vector.data.subarray(vector.offsets[row]!, vector.offsets[row + 1]!), offsets[index]!);
  }
  return { kind: 'bytes', length, nulls, offsets, data };
}

export function gatherBlock(block: Block, rows: ArrayLike<number>): Block {
  return { rows: rows.length, vectors: block.vectors.map((vector) => gatherVector(vector, rows)) };
}
