import test from 'ava';
import {
  assembleBlock,
  type Block,
  blockRows,
  columnBuilder,
  concatBlocks,
  concatVectors,
  Dictionary,
  describeBlock,
  gatherVector,
  layBuffers,
  shareBlock,
  sliceBlock,
  type Vector,
} from '../../src/column/index.ts';
import { arrayOf, mapOf, nullable, type SqlType, tupleOf, types } from '../../src/types/index.ts';

function vectorOf(type: SqlType, values: readonly unknown[]): Vector {
  const builder = columnBuilder(type);
  for (const value of values) builder.append(value);
  return builder.finish();
}

/** What the vector is, apart from its values. */
function shapeOf(vector: Vector): unknown {
  if (vector.kind === 'array') return ['array', shapeOf(vector.child)];
  if (vector.kind === 'tuple') return ['tuple', ...vector.children.map(shapeOf)];
  if (vector.kind === 'flat') return ['flat', vector.array, vector.min, vector.max, vector.nulls !== null];
  return [vector.kind, vector.nulls !== null];
}

function throughBuffer(block: Block, buffer: ArrayBufferLike, offset: number): Block {
  const { header, buffers } = describeBlock(block);
  layBuffers(buffers, new Uint8Array(buffer), offset);
  return assembleBlock(structuredClone(header), buffer, offset);
}

const cases: readonly (readonly [name: string, type: SqlType, values: readonly unknown[]])[] = [
  ['int8', types.int8, [-128, 127, 0]],
  ['uint16', types.uint16, [0, 65_535]],
  ['float32', types.float32, [1.5, -0, Number.NaN, Number.POSITIVE_INFINITY]],
  ['float64 without a bound', types.float64, [Number.NaN]],
  ['int64 in the safe range', types.int64, [2 ** 53 - 1, -(2 ** 53 - 1)]],
  ['int64 beyond it', types.int64, [1, -(2n ** 63n), 2n ** 63n - 1n]],
  ['uint64 beyond it', nullable(types.uint64), [2n ** 64n - 1n, null, 5]],
  ['int128', types.int128, [-(2n ** 127n), 2n ** 127n - 1n]],
  ['uint256', nullable(types.uint256), [2n ** 256n - 1n, null]],
  ['strings that repeat', types.string, ['a', '', 'a', '\xff\x00', 'a']],
  ['strings that do not', types.string, Array.from({ length: 50 }, (_, row) => `value ${row}`)],
  ['nullable strings', nullable(types.string), ['x', null, '', 'x']],
  ['nothing but NULL', nullable(types.int32), [null, null, null]],
  ['arrays', arrayOf(types.uint8), [[1, 2], [], [3]]],
  ['arrays of arrays of nullable strings', arrayOf(arrayOf(nullable(types.string))), [[['a', null], []], []]],
  [
    'maps',
    mapOf(types.string, types.float64),
    [
      [['k', 1]],
      [],
      [
        ['k', 2.5],
        ['l', 3],
      ],
    ],
  ],
  [
    'tuples',
    tupleOf([types.string, nullable(types.int64)]),
    [
      ['a', 1],
      ['b', null],
      ['a', 2n ** 60n],
    ],
  ],
  ['no rows', types.string, []],
  ['no arrays', arrayOf(types.string), []],
];

for (const [name, type, values] of cases) {
  test(`a block goes through a buffer unchanged: ${name}`, (t) => {
    const block: Block = {
      rows: values.length,
      vectors: [
        vectorOf(type, values),
        vectorOf(
          types.uint8,
          values.map(() => 7),
        ),
      ],
    };
    const { byteLength } = describeBlock(block);
    t.is(byteLength % 8, 0);
    for (const buffer of [new ArrayBuffer(byteLength + 40), new SharedArrayBuffer(byteLength + 40)]) {
      const copy = throughBuffer(block, buffer, 24);
      t.deepEqual(blockRows(copy), blockRows(block));
      t.deepEqual(copy.vectors.map(shapeOf), block.vectors.map(shapeOf));
    }
    t.deepEqual(blockRows(shareBlock(block)), blockRows(block));
  });

  test(`slices go through a buffer alone, without the rows around them: ${name}`, (t) => {
    const many = [...values, ...values, ...values];
    const whole: Block = { rows: many.length, vectors: [vectorOf(type, many)] };
    const part = sliceBlock(whole, values.length, 2 * values.length);
    const { byteLength } = describeBlock(part);
    t.deepEqual(
      blockRows(throughBuffer(part, new ArrayBuffer(byteLength), 0)),
      values.map((value) => [value]),
    );
    t.true(byteLength <= describeBlock(whole).byteLength);
  });

  test(`concatenation gives the rows of all: ${name}`, (t) => {
    const other = values.toReversed();
    const blocks = [values, other, values.slice(0, 1), other].map((rows) => ({
      rows: rows.length,
      vectors: [vectorOf(type, rows)],
    }));
    const joined = concatBlocks(blocks, [type]);
    t.deepEqual(blockRows(joined), blocks.flatMap(blockRows));
    t.is(joined.rows, joined.vectors[0]!.length);
    const slices = blocks.map((block) => sliceBlock(block, block.rows >> 1, block.rows));
    t.deepEqual(blockRows(concatBlocks(slices, [type])), slices.flatMap(blockRows));
  });
}

test('the assembled vectors are views of the buffer they were laid in', (t) => {
  const block: Block = { rows: 2, vectors: [vectorOf(types.float64, [1, 2])] };
  const buffer = new SharedArrayBuffer(describeBlock(block).byteLength);
  const copy = throughBuffer(block, buffer, 0);
  t.is((copy.vectors[0] as Vector & { kind: 'flat' }).data.buffer, buffer);
});

test('a few rows of a large dictionary do not carry all of it along', (t) => {
  const entries = Array.from({ length: 10_000 }, (_, index) => `entry ${index}`);
  const large: Vector = {
    kind: 'dictionary',
    length: entries.length,
    nulls: null,
    codes: Uint16Array.from(entries, (_, index) => index),
    dictionary: Dictionary.fromStrings(entries),
  };
  const block: Block = { rows: 3, vectors: [gatherVector(large, [9_000, 5, 9_000])] };
  const { byteLength } = describeBlock(block);
  t.true(byteLength < 100);
  const copy = throughBuffer(block, new ArrayBuffer(byteLength), 0);
  t.deepEqual(blockRows(copy), [['entry 9000'], ['entry 5'], ['entry 9000']]);
});

test('concatenation chooses the representation anew', (t) => {
  const small = Array.from({ length: 8 }, () =>
    vectorOf(
      types.int64,
      Array.from({ length: 1_000 }, () => 5),
    ),
  );
  t.is((concatVectors(small, types.int64) as Vector & { kind: 'flat' }).array, 'u8');
  const mixed = [vectorOf(types.int64, [1]), vectorOf(types.int64, [2n ** 60n])];
  t.is(concatVectors(mixed, types.int64).kind, 'big');
  const single = Array.from({ length: 100 }, (_, row) => vectorOf(types.string, [`value ${row}`]));
  t.is(concatVectors(single, types.string).kind, 'bytes');
  const repeating = Array.from({ length: 100 }, (_, row) => vectorOf(types.string, [`value ${row % 3}`]));
  t.is(concatVectors(repeating, types.string).kind, 'dictionary');
});
