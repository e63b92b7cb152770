import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { createWriter } from '../../src/formats/index.ts';
import { blockOf, readRows, schemaOf, settings } from './support.ts';

const fixture = (name: string) => readFileSync(join(import.meta.dirname, 'fixtures', name));

const shared = [
  ['i', 'uint64'],
  ['j', 'int32'],
  ['d', 'float64'],
  ['s', 'string'],
  ['n', 'nullable(int64)'],
  ['a', 'array(uint64)'],
  ['m', 'map(string, uint64)'],
  ['t', 'tuple(p int64, q string)'],
  ['e', "enum8('LOW' = 0, 'HIGH' = 1)"],
  ['b', 'bool'],
] as const;

const row = (index: number): unknown[] => [
  index * 1_000_000_007 * 1000,
  index - 50,
  index / 4,
  `row ${index}`,
  index % 3 === 0 ? null : index,
  [index, 1],
  [['k', index]],
  [index, 'x'],
  index % 2,
  index % 2 === 0 ? 1 : 0,
];

test('Avro files of ClickHouse', (t) => {
  const schema = schemaOf(
    ...shared,
    ['day', 'date'],
    ['ms', 'datetime64(3)'],
    ['id', 'uuid'],
    ['dec', 'decimal(18, 2)'],
    ['fx', 'fixed_string(2)'],
  );
  const expected = Array.from({ length: 100 }, (_, index) => [
    ...row(index),
    index,
    index * 125,
    0x123e4567e89b12d3a456426614174000n,
    index * 25,
    'ab',
  ]);
  for (const codec of ['null', 'deflate', 'snappy', 'zstd']) {
    const bytes = fixture(`clickhouse.${codec}.avro`);
    for (const chunk of [bytes.length, 11])
      t.deepEqual(readRows('Avro', schema, bytes, { chunk }), expected, codec);
  }
});

test('Protobuf of ClickHouse, and the same bytes from us', (t) => {
  const schemas = { text: () => fixture('rows.proto').toString(), names: () => [] };
  const options = settings({ format_schema: 'rows:Row' });
  const schema = schemaOf(...shared, ['ts', 'array(tuple(p int64, q string))']);
  const expected = Array.from({ length: 100 }, (_, index) => [...row(index), [[index, 'u']]]);
  const bytes = fixture('clickhouse.pb');
  t.deepEqual(readRows('Protobuf', schema, bytes, { settings: options, reader: { schemas } }), expected);
  const ours = Buffer.from(
    createWriter('Protobuf', schema, options, schemas).block(blockOf(schema, expected)),
  );
  t.deepEqual(readRows('Protobuf', schema, ours, { settings: options, reader: { schemas } }), expected);
  t.is(ours.length, bytes.length);
});
