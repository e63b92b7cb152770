import type { Block, Vector } from './vector.ts';

/** Reads the canonical value (see SqlType) of a row. */
export type ValueReader = (row: number) => unknown;

const wordBits = 64n;

function wideValue(data: BigUint64Array, words: number, signed: boolean, row: number): bigint {
  let value = 0n;
  for (let word = words - 1; word >= 0; word--) value = (value << wordBits) | data[row * words + word]!;
  return signed ? BigInt.asIntN(words * 64, value) : value;
}

function bareReader(vector: Vector): ValueReader {
  switch (vector.kind) {
    case 'flat': {
      const { data } = vector;
      return (row) => data[row];
    }
    case 'big': {
      const { data } = vector;
      return (row) => {
        const value = data[row]!;
        return value >= -9007199254740991n && value <= 9007199254740991n ? Number(value) : value;
      };
    }
    case 'wide': {
      const { data, words, signed } = vector;
      return (row) => wideValue(data, words, signed, row);
    }
    case 'dictionary': {
      const { codes } = vector;
      const { strings } = vector.dictionary;
      return (row) => strings[codes[row]!];
    }
    case 'bytes': {
      const { offsets, data } = vector;
      const buffer = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
      return (row) => buffer.latin1Slice(offsets[row]!, offsets[row + 1]!);
    }
    case 'array': {
      const { offsets } = vector;
      const read = vectorReader(vector.child);
      return (row) => {
        const values: unknown[] = [];
        for (let index = offsets[row]!; index < offsets[row + 1]!; index++) values.push(read(index));
        return values;
      };
    }
    case 'tuple': {
      const readers = vector.children.map(vectorReader);
      return (row) => readers.map((read) => read(row));
    }
  }
}

/** A function that gives the canonical value of any row of the vector, null where it is NULL. */
export function vectorReader(vector: Vector): ValueReader {
  const read = bareReader(vector);
  const { nulls } = vector;
  return nulls === null ? read : (row) => (nulls[row] === 1 ? null : read(row));
}

/** All rows of a block as arrays of canonical values: for tests and small results. */
export function blockRows(block: Block): unknown[][] {
  const readers = block.vectors.map(vectorReader);
  return Array.from({ length: block.rows }, (_, row) => readers.map((read) => read(row)));
}
