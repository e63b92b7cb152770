import test from 'ava';
import { failure, type Random, randomFrom, readBlocks, readRows, schemaOf, settings } from './support.ts';

const format = 'JSONEachRow';
const columns = schemaOf(['id', 'int32'], ['name', 'string'], ['value', 'nullable(float64)']);

test('objects may be separated by line ends, commas, nothing, or stand in an array', (t) => {
  const expected = [
    [1, 'a', 1.5],
    [2, '', null],
  ];
  const first = '{"id":1,"name":"a","value":1.5}';
  const second = '{"id": 2}';
  for (const text of [
    `${first}\n${second}\n`,
    `${first}\n${second}`,
    `${first}\r\n${second}\r\n`,
    `${first}${second}`,
    `${first},${second}`,
    `${first},\n${second},\n`,
    `[${first},${second}]`,
    ` [ ${first} ,\n ${second} ] \n`,
    `\ufeff${first}\n${second}`,
    `${first}\n${second};\n`,
    `[${first},${second}];`,
  ]) {
    t.deepEqual(readRows(format, columns, text), expected, text);
    t.deepEqual(readRows(format, columns, text, { chunk: 1 }), expected, `${text} byte by byte`);
  }
  for (const text of ['', ' \n ', '[]', '[ ]', '\ufeff'])
    t.deepEqual(readRows(format, columns, text), [], text);
});

test('values are converted to the type of their column', (t) => {
  t.deepEqual(readRows(format, columns, '{"id":"12","name":34.50,"value":"1e3"}'), [[12, '34.50', 1000]]);
  t.deepEqual(readRows(format, columns, '{"id":true,"name":true,"value":false}'), [[1, 'true', 0]]);
  t.deepEqual(readRows(format, columns, '{"id":1.0,"name":{"a": [1, "]"]}}'), [[1, '{"a": [1, "]"]}', null]]);
  const types = schemaOf(
    ['p', 'tuple(x int32, y array(int8))'],
    ['m', 'map(string, string)'],
    ['d', 'decimal(10, 2)'],
    ['t', 'datetime64(3)'],
  );
  t.deepEqual(
    readRows(
      format,
      types,
      '{"p":{"y":[1,2],"x":1},"m":{"k":"v"},"d":1.25,"t":1704164645}\n{"p":[5,[]],"d":"7"}',
    ),
    [
      [[1, [1, 2]], [['k', 'v']], 125, 1_704_164_645_000],
      [[5, []], [], 700, 0],
    ],
  );
});

test('escapes in strings and keys', (t) => {
  const text = '{"n\\u0061me":"\\u00e9\\ud83d\\ude00\\ud800x\\"\\\\\\/\\b\\f\\n\\r\\t"}';
  const expected = [[0, Buffer.from('é😀\ufffdx"\\/\b\f\n\r\t').latin1Slice(), null]];
  t.deepEqual(readRows(format, columns, text), expected);
  t.deepEqual(readRows(format, columns, text, { chunk: 1 }), expected);
});

const failures: readonly (readonly [text: string, message: RegExp])[] = [
  ['{"id":"abc"}', /Code: 27\..*row 1, column 'id': Cannot parse 'abc' as int32: expected a whole number$/],
  [
    '{"id":1}\n{"id":99999999999}',
    /Code: 321\..*row 2, column 'id': The value 99999999999 does not fit int32/,
  ],
  ['{"id":1}\n\n{"id":null}', /Code: 349\..*row 2, column 'id': NULL is given, but int32 is not nullable$/],
  ['{"id":1,"nam":2}', /Code: 117\..*row 1: Unknown field 'nam'\. Maybe you meant 'name'/],
  ['{"id":1,"id":2}', /Code: 117\..*column 'id': The field is there twice$/],
  ['{"id":1.5}', /Code: 27\..*Cannot parse '1\.5' as int32/],
  ['{"id":{}}', /Code: 27\..*Expected a value of int32, found '\{/],
  ['{"id":tru}', /Code: 27\..*Cannot parse 'tru' as int32/],
  ['{"id":1,"name":"abc', /Code: 33\..*row 1, column 'name': The input ends where the closing quote/],
  ['{"id":1,"name":"abc"', /Code: 33\..*row 1: The input ends where ',' or '}' was expected$/],
  ['{"id":1', /Code: 33\./],
  ['{"id":', /Code: 33\./],
  ['{"id"', /Code: 33\./],
  ['{', /Code: 33\./],
  ['[{"id":1}', /Code: 33\..*The input ends where '\]' was expected$/],
  ['[{"id":1}] x', /Code: 27\..*Expected the end of the input, found 'x'$/],
  ['{"id":1 "name":"a"}', /Code: 27\..*Expected ',' or '}', found '"/],
  ['{id:1}', /Code: 27\..*Expected a key in double quotes, found 'i/],
  ['{"name":"\\q"}', /Code: 27\..*Expected an escape sequence, found 'q/],
  ['{"name":"\\u12g4"}', /Code: 27\..*Expected four hexadecimal digits/],
  ['nonsense', /Code: 27\..*row 1: Expected '\{', found 'n/],
  ['{"id":1}; {"id":2}', /Code: 27\..*Expected the end of the input/],
  [`{"name":${'['.repeat(2_000)}`, /Code: 117\..*JSON is nested deeper than 1000 levels$/],
];

test('errors name the row, the column and what was found, however the input is cut', (t) => {
  for (const [text, message] of failures) {
    t.regex(
      failure(() => readRows(format, columns, text)),
      message,
      text,
    );
    t.regex(
      failure(() => readRows(format, columns, text, { chunk: 1 })),
      message,
      `${text} byte by byte`,
    );
  }
});

test('the row number counts on over blocks and the compiled way', (t) => {
  const good = '{"id":1,"name":"a","value":2}\n'.repeat(70_000);
  t.regex(
    failure(() => readRows(format, columns, `${good}{"id":1,"name":"a","value":"x"}`)),
    /row 70001, column 'value'/,
  );
});

test('input that is not UTF-8 is refused with its row', (t) => {
  const bad = Buffer.concat([
    Buffer.from('{"id":1}\n{"id":2,"name":"a'),
    Buffer.from([0xff]),
    Buffer.from('"}\n'),
  ]);
  const cut = Buffer.concat([Buffer.from('{"id":1}\n{"id":2,"name":"'), Buffer.from([0xc3])]);
  for (const chunk of [1, 5, 1_000]) {
    const bytes = (data: Uint8Array) => failure(() => readRows(format, columns, data, { chunk }));
    t.regex(bytes(bad), /Code: 117\..*row 2: The input is not valid UTF-8$/);
    t.regex(bytes(cut), /Code: 117\..*row 2: The input is not valid UTF-8$/);
    const good = Buffer.from('{"name":"é漢😀"}\n'.repeat(20));
    t.is(readRows(format, columns, good, { chunk }).length, 20);
  }
});

test('settings: unknown fields, NULL as default, nested fields, allowed errors', (t) => {
  const skip = settings({ input_format_skip_unknown_fields: '1' });
  t.deepEqual(readRows(format, columns, '{"x":{"y":[1,{"z":"]"}]},"id":1,"w":null}', { settings: skip }), [
    [1, '', null],
  ]);
  const nulls = settings({ input_format_null_as_default: '1' });
  t.deepEqual(readRows(format, columns, '{"id":null,"name":null,"value":null}', { settings: nulls }), [
    [0, '', null],
  ]);
  const nested = { settings: settings({ input_format_import_nested_json: '1' }) };
  const dotted = schemaOf(['a.b', 'int32'], ['a.c.d', 'string'], ['e', 'int8']);
  const text = '{"a":{"b":1,"c":{"d":"x"}},"e":2}';
  t.deepEqual(readRows(format, dotted, text, nested), [[1, 'x', 2]]);
  t.deepEqual(readRows(format, dotted, text, { ...nested, chunk: 1 }), [[1, 'x', 2]]);
  t.regex(
    failure(() => readRows(format, dotted, text)),
    /Unknown field 'a'/,
  );
  const errors = '{"id":1}\nnonsense\n{"id":2}\n{"id":"x"}\n{"id":3}\n';
  const two = settings({ input_format_allow_errors_num: '2' });
  const ids = (chunk: number) =>
    readRows(format, columns, errors, { settings: two, chunk }).map((row) => row[0]);
  t.deepEqual(ids(1_000), [1, 2, 3]);
  t.deepEqual(ids(1), [1, 2, 3]);
  t.regex(
    failure(() =>
      readRows(format, columns, errors, { settings: settings({ input_format_allow_errors_num: '1' }) }),
    ),
    /row 3, column 'id'/,
  );
});

test('omitted values are marked for columns with a DEFAULT', (t) => {
  const withDefaults = columns.map((column) => ({ ...column, hasDefault: column.name !== 'id' }));
  const rows = '{"id":1,"name":"a"}\n{"name":"b","value":null}\n{"id":3,"name":"c","value":1}\n';
  const [read] = readBlocks(format, withDefaults, rows);
  t.deepEqual(
    read!.omitted.map((mask) => mask && [...mask]),
    [null, null, [1, 0, 0]],
  );
  const many = readBlocks(format, withDefaults, '{"id":1}\n'.repeat(200));
  t.deepEqual(many[0]!.omitted[1], new Uint8Array(200).fill(1));
  t.is(many[0]!.omitted[0], null);
  const off = settings({ input_format_defaults_for_omitted_fields: '0' });
  t.deepEqual(readBlocks(format, withDefaults, rows, { settings: off })[0]!.omitted, [null, null, null]);
  const nulls = settings({ input_format_null_as_default: '1' });
  const asDefault = readBlocks(format, withDefaults, '{"id":1,"name":null}', { settings: nulls });
  t.deepEqual([...asDefault[0]!.omitted[1]!], [1]);
});

test('blocks have at most 65,536 rows, and repeated strings become codes', (t) => {
  const text = Array.from({ length: 140_000 }, (_, row) => `{"id":${row},"name":"n${row % 50}"}\n`).join('');
  const blocks = readBlocks(format, columns, text, { chunk: 65_536 });
  t.deepEqual(
    blocks.map((read) => read.block.rows),
    [65_536, 65_536, 8_928],
  );
  t.is(blocks[0]!.block.vectors[1]!.kind, 'dictionary');
  const distinct = Array.from({ length: 5_000 }, (_, row) => `{"name":"name ${row}"}\n`).join('');
  t.is(readBlocks(format, columns, distinct)[0]!.block.vectors[1]!.kind, 'bytes');
});

/** A JSON text of one row in one of many guises, and the row it means. */
function randomRow(random: Random, row: number): { text: string; values: unknown[] } {
  const names = ['plain', 'with "quote"', 'tab\there', 'é漢😀', '', 'x'.repeat(90)];
  const name = names[Math.floor(random() * names.length)]!;
  const value = random() < 0.2 ? null : Math.round((random() - 0.5) * 1e6) / 10 ** Math.floor(random() * 6);
  const time = 1_700_000_000 + Math.floor(random() * 1e7);
  const iso = new Date(time * 1000).toISOString();
  const fields: [string, string, unknown][] = [
    ['id', random() < 0.1 ? `"${row}"` : String(row), row],
    ['name', JSON.stringify(name), Buffer.from(name).latin1Slice()],
    ['value', value === null ? 'null' : String(value), value],
    ['time', random() < 0.2 ? `"${iso}"` : `"${iso.slice(0, 19).replace('T', ' ')}"`, time],
    ['big', random() < 0.3 ? '-9223372036854775808' : '123456789012', random() < 0 ? 0 : undefined],
  ];
  fields[4]![2] = fields[4]![1] === '123456789012' ? 123_456_789_012 : -9223372036854775808n;
  const guise = random();
  const values = fields.map((field) => field[2]);
  let shown = fields.map((field) => field.slice(0, 2) as [string, string]);
  if (guise < 0.1) shown.reverse();
  if (guise > 0.1 && guise < 0.2) {
    shown = shown.filter(([key]) => key !== 'name');
    values[1] = '';
  }
  const [colon, comma] = guise > 0.8 ? [' : ', ' ,\n '] : [':', ','];
  return { text: `{${shown.map(([key, text]) => `"${key}"${colon}${text}`).join(comma)}}`, values };
}

test('rows of many guises read alike by the compiled and the general way', (t) => {
  const guises = schemaOf(
    ['id', 'int32'],
    ['name', 'string'],
    ['value', 'nullable(float64)'],
    ['time', 'datetime'],
    ['big', 'int64'],
  );
  for (let seed = 1; seed <= 6; seed++) {
    const random = randomFrom(seed);
    const rows = Array.from({ length: 700 }, (_, row) => randomRow(row < 300 ? () => 0.5 : random, row));
    const text = rows.map((row) => row.text).join('\n');
    const expected = rows.map((row) => row.values);
    for (const chunk of [1 << 20, 333, 41]) {
      t.deepEqual(readRows(format, guises, text, { chunk }), expected, `seed ${seed}, chunks of ${chunk}`);
    }
  }
});

test('numbers are the nearest doubles', (t) => {
  const random = randomFrom(7);
  const digits = (count: number) => Array.from({ length: count }, () => Math.floor(random() * 10)).join('');
  const texts: string[] = [
    '0',
    '-0',
    '1e308',
    '5e-324',
    '9007199254740993',
    '0.1',
    '123456789012345678',
    '1e23',
    '-1.7976931348623157e308',
  ];
  for (let index = 0; index < 4_000; index++) {
    const whole = String(Number(digits(1 + Math.floor(random() * 10))));
    const fraction = random() < 0.8 ? `.${digits(1 + Math.floor(random() * 17))}` : '';
    const exponent =
      random() < 0.3
        ? `e${random() < 0.5 ? '-' : random() < 0.5 ? '+' : ''}${Math.floor(random() * 40)}`
        : '';
    texts.push(`${random() < 0.5 ? '-' : ''}${whole}${fraction}${exponent}`);
  }
  const column = schemaOf(['v', 'float64']);
  const rows = readRows(format, column, texts.map((text) => `{"v":${text}}`).join('\n'));
  t.deepEqual(
    rows.map((row) => row[0]),
    texts.map(Number),
  );
});

test('a row longer than the chunks is read once it is whole', (t) => {
  const long = 'x'.repeat(3_000_000);
  const text = `{"id":1,"name":"${long}"}\n{"id":2,"name":"b"}`;
  const rows = readRows(format, columns, text, { chunk: 10_000 });
  t.is((rows[0]![1] as string).length, long.length);
  t.deepEqual(rows[1], [2, 'b', null]);
});
