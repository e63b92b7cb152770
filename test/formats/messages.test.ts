import test from 'ava';
import { settingsFrom } from '../../src/base/index.ts';
import { blockRows } from '../../src/column/index.ts';
import { createReader } from '../../src/formats/index.ts';
import { parseType } from '../../src/types/index.ts';

const columns = [
  { name: 'k', type: parseType('int32'), hasDefault: false },
  { name: 's', type: parseType('string'), hasDefault: true },
];

function reader(format: string) {
  const made = createReader(format, columns, settingsFrom([]));
  return {
    message: (text: string | Uint8Array) =>
      made.message!(typeof text === 'string' ? Buffer.from(text) : text),
    rows: () => made.finish().flatMap(({ block }) => [...blockRows(block)]),
  };
}

test('every message is an input of its own', (t) => {
  const json = reader('JSONEachRow');
  t.is(json.message('{"k": 1, "s": "a"}'), 1);
  t.is(json.message('{"k": 2, "s": "b"}\n{"k": 3, "s": "c"}\n'), 2);
  t.is(json.message(''), 0);
  t.is(json.message(' [{"k": 4, "s": "d"}, {"s": "e", "k": 5}]'), 2);
  t.is(json.message('{"k": 6}'), 1);
  t.deepEqual(json.rows(), [
    [1, 'a'],
    [2, 'b'],
    [3, 'c'],
    [4, 'd'],
    [5, 'e'],
    [6, ''],
  ]);
  t.is(json.message('{"k": 7, "s": "f"}'), 1);
  t.deepEqual(json.rows(), [[7, 'f']]);
  const csv = reader('CSV');
  t.is(csv.message('1,a'), 1);
  t.is(csv.message('2,"b\n"\n3,c\n'), 2);
  t.deepEqual(csv.rows(), [
    [1, 'a'],
    [2, 'b\n'],
    [3, 'c'],
  ]);
  const named = reader('CSVWithNames');
  t.is(named.message('k,s\n1,a'), 1);
  t.is(named.message('s,k\nb,2\n'), 1);
  t.deepEqual(named.rows(), [
    [1, 'a'],
    [2, 'b'],
  ]);
});

test('a message that cannot be read leaves nothing, and the next one is read', (t) => {
  const json = reader('JSONEachRow');
  for (let k = 0; k < 20; k++) json.message(`{"k": ${k}, "s": "${k}"}`);
  for (const bad of [
    '{"k": 100, "s": "x"}\n{"k": 101, "s": ',
    '{"k": "x", "s": ""}',
    'nonsense',
    '{"k": 1, "s": "\u0000',
    '[{"k": 1, "s": "a"}',
    '{"k": 1, "s": "a"}}',
    Buffer.from([0x7b, 0xff]),
  ]) {
    const error = t.throws(() => json.message(bad), { message: /Cannot read the input at row [12]/ });
    t.is(error.message.match(/Cannot read/g)?.length, 1);
  }
  t.is(json.message('{"k": 20, "s": "20"}'), 1);
  t.deepEqual(
    json.rows(),
    Array.from({ length: 21 }, (_, k) => [k, String(k)]),
  );
});

test('a message that fails after it has filled blocks leaves nothing of them', (t) => {
  const json = reader('JSONEachRow');
  json.message('{"k": -1, "s": "first"}');
  const many = Array.from({ length: 140_000 }, (_, k) => `{"k":${k},"s":"text"}`).join('\n');
  t.throws(() => json.message(`${many}\n{"k":`), { message: /at row 140001/ });
  json.message('{"k": -2, "s": "last"}');
  t.deepEqual(json.rows(), [
    [-1, 'first'],
    [-2, 'last'],
  ]);
  json.message('{"k": -3, "s": "first"}');
  t.is(json.message(many), 140_000);
  t.is(json.rows().length, 140_001);
});
