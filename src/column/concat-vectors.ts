import { assert } from '../base/index.ts';
import { bareType, type SqlType, tupleOf } from '../types/index.ts';
import { bytesFromStrings, columnBuilder, narrowCodes } from './builder.ts';
import { Dictionary } from './dictionary.ts';
import { flatFromDoubles } from './flat.ts';
import { vectorReader } from './read.ts';
import { sliceVector } from './select-rows.ts';
import type {
  ArrayVector,
  BigVector,
  Block,
  BytesVector,
  DictionaryVector,
  FlatVector,
  NullMask,
  TupleVector,
  Vector,
  WideVector,
} from './vector.ts';

/** Rows from which a vector of packed strings counts as known not to repeat itself. */
const packedRowsMin = 1_024;

/** Rows per distinct string from which a dictionary takes less than the strings themselves. */
const rowsPerEntryMin = 3;

function allOf<Kind extends Vector['kind']>(
  vectors: readonly Vector[],
  kind: Kind,
): vectors is readonly Extract<Vector, { kind: Kind }>[] {
  return vectors.every((vector) => vector.kind === kind);
}

function concatNulls(vectors: readonly Vector[], length: number): NullMask {
  if (vectors.every((vector) => vector.nulls === null)) return null;
  const mask = new Uint8Array(length);
  let at = 0;
  for (const vector of vectors) {
    if (vector.nulls !== null) mask.set(vector.nulls.subarray(0, vector.length), at);
    at += vector.length;
  }
  return mask;
}

function concatFlat(vectors: readonly FlatVector[], type: SqlType, length: number, nulls: NullMask): Vector {
  const values = new Float64Array(length);
  let at = 0;
  for (const vector of vectors) {
    if (vector.length === 1) values[at] = vector.data[0]!;
    else values.set(vector.data, at);
    at += vector.length;
  }
  return flatFromDoubles(values, type, nulls);
}

function concatBig(
  vectors: readonly (FlatVector | BigVector)[],
  type: SqlType,
  length: number,
  nulls: NullMask,
): Vector {
  const bare = bareType(type);
  const unsigned = bare.kind === 'int' && !bare.signed;
  const data = unsigned ? new BigUint64Array(length) : new BigInt64Array(length);
  let at = 0;
  for (const vector of vectors) {
    if (vector.kind === 'big') data.set(vector.data, at);
    else for (let row = 0; row < vector.length; row++) data[at + row] = BigInt(vector.data[row]!);
    at += vector.length;
  }
  return { kind: 'big', length, nulls, data };
}

function concatWide(vectors: readonly WideVector[], length: number, nulls: NullMask): Vector {
  const { words, signed } = vectors[0]!;
  const data = new BigUint64Array(length * words);
  let at = 0;
  for (const vector of vectors) {
    assert(vector.words === words, 'wide vectors of one column have the same width');
    data.set(vector.data, at);
    at += vector.length * words;
  }
  return { kind: 'wide', words, signed, length, nulls, data };
}

/** Renames the codes of all vectors to those of one dictionary, which holds only entries that occur. */
function concatDictionaries(vectors: readonly DictionaryVector[], length: number, nulls: NullMask): Vector {
  const codeOf = new Map<string, number>();
  const entries: string[] = [];
  const codes = new Uint32Array(length);
  let renamed: (number | undefined)[] = [];
  let previous: Dictionary | undefined;
  let at = 0;
  for (const vector of vectors) {
    const { strings } = vector.dictionary;
    if (vector.dictionary !== previous) renamed = new Array(vector.dictionary.size);
    previous = vector.dictionary;
    for (let row = 0; row < vector.length; row++) {
      const old = vector.codes[row]!;
      let code = renamed[old];
      if (code === undefined) {
        const text = strings[old]!;
        code = codeOf.get(text) ?? entries.length;
        if (code === entries.length) {
          entries.push(text);
          codeOf.set(text, code);
        }
        renamed[old] = code;
      }
      codes[at++] = code;
    }
  }
  if (entries.length > 16 && entries.length * rowsPerEntryMin > length) {
    const strings = Array.from(codes, (code) => entries[code]!);
    return bytesFromStrings(strings, nulls);
  }
  return {
    kind: 'dictionary',
    length,
    nulls,
    codes: narrowCodes(codes, entries.length),
    dictionary: Dictionary.fromStrings(entries),
  };
}

function concatBytes(vectors: readonly BytesVector[], length: number, nulls: NullMask): Vector {
  let bytes = 0;
  for (const vector of vectors) bytes += vector.offsets[vector.length]! - vector.offsets[0]!;
  const offsets = new Uint32Array(length + 1);
  const data = new Uint8Array(bytes);
  let row = 0;
  let at = 0;
  for (const vector of vectors) {
    const base = vector.offsets[0]!;
    data.set(vector.data.subarray(base, vector.offsets[vector.length]!), at);
    for (let index = 0; index < vector.length; index++) {
      offsets[row++] = at + vector.offsets[index]! - base;
    }
    at += vector.offsets[vector.length]! - base;
  }
  offsets[row] = at;
  return { kind: 'bytes', length, nulls, offsets, data };
}

/** The element type of an array; of a map, the tuple of key and value that it is an array of. */
function elementType(type: SqlType): SqlType {
  const bare = bareType(type);
  if (bare.kind === 'map') return tupleOf([bare.key, bare.value]);
  assert(bare.kind === 'array', 'an array vector belongs to an array or a map');
  return bare.element;
}

function concatArrays(
  vectors: readonly ArrayVector[],
  type: SqlType,
  length: number,
  nulls: NullMask,
): Vector {
  const offsets = new Uint32Array(length + 1);
  const children: Vector[] = [];
  let row = 0;
  let at = 0;
  for (const vector of vectors) {
    const start = vector.offsets[0]!;
    const end = vector.offsets[vector.length]!;
    for (let index = 0; index < vector.length; index++) {
      offsets[row++] = at + vector.offsets[index]! - start;
    }
    if (end > start) children.push(sliceVector(vector.child, start, end));
    at += end - start;
  }
  offsets[row] = at;
  const element = elementType(type);
  const child = children.length === 0 ? columnBuilder(element).finish() : concatVectors(children, element);
  return { kind: 'array', length, nulls, offsets, child };
}

function concatTuples(
  vectors: readonly TupleVector[],
  type: SqlType,
  length: number,
  nulls: NullMask,
): Vector {
  const bare = bareType(type);
  assert(bare.kind === 'tuple', 'a tuple vector belongs to a tuple');
  const children = bare.elements.map((element, index) =>
    concatVectors(
      vectors.map((vector) => vector.children[index]!),
      element.type,
    ),
  );
  return { kind: 'tuple', length, nulls, children };
}

/** Goes through the values one by one, which chooses the representation anew. */
function rebuilt(vectors: readonly Vector[], type: SqlType): Vector {
  const builder = columnBuilder(type);
  for (const vector of vectors) {
    const read = vectorReader(vector);
    for (let row = 0; row < vector.length; row++) builder.append(read(row));
  }
  return builder.finish();
}

function isFlatOrBig(vector: Vector): vector is FlatVector | BigVector {
  return vector.kind === 'flat' || vector.kind === 'big';
}

/** One vector with the rows of all, which are of the given type, in the representation that suits the whole. */
export function concatVectors(vectors: readonly Vector[], type: SqlType): Vector {
  if (vectors.length === 1) return vectors[0]!;
  const length = vectors.reduce((sum, vector) => sum + vector.length, 0);
  const nulls = concatNulls(vectors, length);
  if (allOf(vectors, 'flat')) return concatFlat(vectors, type, length, nulls);
  if (vectors.every(isFlatOrBig)) return concatBig(vectors, type, length, nulls);
  if (allOf(vectors, 'wide')) return concatWide(vectors, length, nulls);
  if (allOf(vectors, 'dictionary')) return concatDictionaries(vectors, length, nulls);
  if (allOf(vectors, 'bytes') && vectors.every((vector) => vector.length >= packedRowsMin))
    return concatBytes(vectors, length, nulls);
  if (allOf(vectors, 'array')) return concatArrays(vectors, type, length, nulls);
  if (allOf(vectors, 'tuple')) return concatTuples(vectors, type, length, nulls);
  return rebuilt(vectors, type);
}

/** One block with the rows of all, whose columns have the given types. */
export function concatBlocks(blocks: readonly Block[], types: readonly SqlType[]): Block {
  if (blocks.length === 1) return blocks[0]!;
  return {
    rows: blocks.reduce((sum, block) => sum + block.rows, 0),
    vectors: types.map((type, column) =>
      concatVectors(
        blocks.map((block) => block.vectors[column]!),
        type,
      ),
    ),
  };
}
