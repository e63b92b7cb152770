import test from 'ava';
import { SluiceError } from '../../src/index.ts';
import { randomFrom, randomValue, readRows, sampleTypes, schemaOf, written } from './support.ts';

test('Native: what is written reads back, type by type', (t) => {
  for (const [index, type] of sampleTypes.entries()) {
    const random = randomFrom(77 + index);
    const schema = schemaOf(['n', 'int32'], ['value', type], ['tail', 'string']);
    const rows = Array.from({ length: 150 }, (_, row) => [
      row,
      randomValue(schema[1]!.type, random),
      `t${row}`,
    ]);
    t.deepEqual(readRows('Native', schema, written('Native', schema, rows)), rows, type);
    // Several blocks one after the other, cut anywhere.
    const bytes = written('Native', schema, rows, undefined, 40);
    for (const chunk of [1, 13, 1000])
      t.deepEqual(readRows('Native', schema, bytes, { chunk }), rows, `${type}, ${chunk}`);
  }
});

test('Native: the bytes of a block are those of ClickHouse', (t) => {
  const schema = schemaOf(['a', 'uint8'], ['s', 'nullable(string)'], ['l', 'array(int16)']);
  const bytes = written('Native', schema, [
    [1, 'x', [1, -1]],
    [2, null, []],
  ]);
  const expected = [
    [3, 2],
    [1, ...Buffer.from('a'), 5, ...Buffer.from('UInt8'), 1, 2],
    [1, ...Buffer.from('s'), 16, ...Buffer.from('Nullable(String)'), 0, 1, 1, ...Buffer.from('x'), 0],
    [
      1,
      ...Buffer.from('l'),
      12,
      ...Buffer.from('Array(Int16)'),
      2,
      0,
      0,
      0,
      0,
      0,
      0,
      0,
      2,
      0,
      0,
      0,
      0,
      0,
      0,
      0,
    ],
    [1, 0, 0xff, 0xff],
  ].flat();
  t.deepEqual([...bytes], expected);
});

test('Native: cut and foreign bytes are refused', (t) => {
  const schema = schemaOf(['a', 'uint32'], ['s', 'string']);
  const bytes = written('Native', schema, [
    [1, 'one'],
    [2, 'two'],
  ]);
  for (let cut = 1; cut < bytes.length; cut++)
    t.throws(
      () => readRows('Native', schema, bytes.subarray(0, cut)),
      { instanceOf: SluiceError },
      `cut at ${cut}`,
    );
  for (const text of ['Code: 60. DB::Exception: x', '{"a": 1}', '\xff\xff\xff\xff\xff\xff\xff\xff'])
    t.throws(
      () => readRows('Native', schema, Buffer.from(text, 'latin1')),
      { instanceOf: SluiceError },
      text,
    );
  const other = schemaOf(['a', 'int64'], ['s', 'string']);
  t.throws(() => readRows('Native', other, bytes), {
    message: /column 'a' the type uint32, but it is int64/,
  });
});
