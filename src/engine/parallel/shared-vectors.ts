import { type Block, Dictionary, shareBlock, type Vector } from '../../column/index.ts';

/** A dictionary vector with its dictionary as plain arrays. */
interface SentDictionary {
  readonly kind: 'dictionary';
  readonly length: number;
  readonly nulls: Uint8Array | null;
  readonly codes: Uint8Array | Uint16Array | Uint32Array;
  readonly offsets: Uint32Array;
  readonly data: Uint8Array;
}

/** A vector as plain data, all of whose arrays are in shared memory: a thread that is sent one copies nothing. */
export type SentVector =
  | Extract<Vector, { kind: 'flat' | 'big' | 'wide' | 'bytes' }>
  | SentDictionary
  | (Omit<Extract<Vector, { kind: 'array' }>, 'child'> & { readonly child: SentVector })
  | (Omit<Extract<Vector, { kind: 'tuple' }>, 'children'> & { readonly children: readonly SentVector[] });

export interface SentBlock {
  readonly rows: number;
  readonly vectors: readonly SentVector[];
}

function describe(vector: Vector): SentVector {
  switch (vector.kind) {
    case 'flat':
    case 'big':
    case 'wide':
    case 'bytes':
      return vector;
    case 'dictionary': {
      const { length, nulls, codes, dictionary } = vector;
      return { kind: 'dictionary', length, nulls, codes, ...dictionary.packed };
    }
    case 'array':
      return { ...vector, child: describe(vector.child) };
    case 'tuple':
      return { ...vector, children: vector.children.map(describe) };
  }
}

function isSharedArray(array: ArrayBufferView | null): boolean {
  return array === null || array.byteLength === 0 || array.buffer instanceof SharedArrayBuffer;
}

function isShared(vector: SentVector): boolean {
  if (!isSharedArray(vector.nulls)) return false;
  switch (vector.kind) {
    case 'flat':
    case 'big':
    case 'wide':
      return isSharedArray(vector.data);
    case 'bytes':
      return isSharedArray(vector.offsets) && isSharedArray(vector.data);
    case 'dictionary':
      return isSharedArray(vector.codes) && isSharedArray(vector.offsets) && isSharedArray(vector.data);
    case 'array':
      return isSharedArray(vector.offsets) && isShared(vector.child);
    case 'tuple':
      return vector.children.every(isShared);
  }
}

/** What was made of vectors that are still in use, so that the next query need not copy them again. */
const sent = new WeakMap<Vector, SentVector>();

function sentVector(vector: Vector): SentVector {
  const known = sent.get(vector);
  if (known !== undefined) return known;
  let made = describe(vector);
  if (!isShared(made)) made = describe(shareBlock({ rows: vector.length, vectors: [vector] }).vectors[0]!);
  sent.set(vector, made);
  return made;
}

/** The block as it is sent to another thread; vectors outside of shared memory are copied there once. */
export function sentBlock(block: Block): SentBlock {
  return { rows: block.rows, vectors: block.vectors.map(sentVector) };
}

function receivedVector(vector: SentVector): Vector {
  switch (vector.kind) {
    case 'flat':
    case 'big':
    case 'wide':
    case 'bytes':
      return vector;
    case 'dictionary': {
      const { length, nulls, codes, offsets, data } = vector;
      return { kind: 'dictionary', length, nulls, codes, dictionary: Dictionary.fromBytes(offsets, data) };
    }
    case 'array':
      return { ...vector, child: receivedVector(vector.child) };
    case 'tuple':
      return { ...vector, children: vector.children.map(receivedVector) };
  }
}

export function receivedBlock(block: SentBlock): Block {
  return { rows: block.rows, vectors: block.vectors.map(receivedVector) };
}
