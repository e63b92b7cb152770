import test from 'ava';
import {
  createReader,
  createWriter,
  formatNames,
  inputFormat,
  outputFormat,
} from '../../src/formats/index.ts';
import { blockOf, failure, schemaOf, settings, written } from './support.ts';

const bytes = (text: string) => Buffer.from(text).latin1Slice();

const schema = schemaOf(
  ['id', 'int64'],
  ['name', 'nullable(string)'],
  ['v', 'float64'],
  ['t', 'datetime'],
  ['tags', 'array(string)'],
  ['ok', 'bool'],
  ['m', 'map(string, int32)'],
  ['p', 'tuple(a int32, b string)'],
);
const rows = [
  [9007199254740993n, bytes('né/"x"'), 1.5, 1704164645, ['a', "b'c"], 1, [['k', 1]], [1, 'x']],
  [2, null, Number.NaN, 0, [], 0, [], [2, 'y\tz']],
];

function lines(format: string, texts: Record<string, string> = {}): string[] {
  return written(format, schema, rows, settings(texts)).toString().split('\n');
}

test('JSONEachRow', (t) => {
  t.deepEqual(lines('JSONEachRow'), [
    '{"id":9007199254740993,"name":"né\\/\\"x\\"","v":1.5,"t":"2024-01-02 03:04:05","tags":["a","b\'c"],"ok":true,"m":{"k":1},"p":{"a":1,"b":"x"}}',
    '{"id":2,"name":null,"v":null,"t":"1970-01-01 00:00:00","tags":[],"ok":false,"m":{},"p":{"a":2,"b":"y\\tz"}}',
    '',
  ]);
  t.deepEqual(
    lines('jsonlines', {
      output_format_json_quote_64bit_integers: '1',
      output_format_json_quote_denormals: '1',
      output_format_json_escape_forward_slashes: '0',
      output_format_json_named_tuples_as_objects: '0',
      date_time_output_format: 'iso',
    }),
    [
      '{"id":"9007199254740993","name":"né/\\"x\\"","v":1.5,"t":"2024-01-02T03:04:05Z","tags":["a","b\'c"],"ok":true,"m":{"k":1},"p":[1,"x"]}',
      '{"id":"2","name":null,"v":"nan","t":"1970-01-01T00:00:00Z","tags":[],"ok":false,"m":{},"p":[2,"y\\tz"]}',
      '',
    ],
  );
});

test('JSON', (t) => {
  const two = schemaOf(['a', 'uint8'], ['b "x"', 'string']);
  const writer = createWriter('JSON', two, settings());
  const block = blockOf(two, [
    [1, 'x'],
    [2, 'y'],
  ]);
  const totals = blockOf(two, [[3, '']]);
  const summary = { rows: 2, rowsBeforeLimit: 10, elapsedSeconds: 0.5, rowsRead: 7, bytesRead: 70, totals };
  const text = Buffer.concat([writer.start(), writer.block(block), writer.finish(summary)]).toString();
  t.is(
    text,
    `{
	"meta":
	[
		{
			"name": "a",
			"type": "uint8"
		},
		{
			"name": "b \\"x\\"",
			"type": "string"
		}
	],

	"data":
	[
		{
			"a": 1,
			"b \\"x\\"": "x"
		},
		{
			"a": 2,
			"b \\"x\\"": "y"
		}
	],

	"totals":
	{
		"a": 3,
		"b \\"x\\"": ""
	},

	"rows": 2,

	"rows_before_limit_at_least": 10,

	"statistics":
	{
		"elapsed": 0.5,
		"rows_read": 7,
		"bytes_read": 70
	}
}
`,
  );
});

test('JSON documents are JSON for any number of rows', (t) => {
  const one = schemaOf(['a', 'int32']);
  for (const format of ['JSON', 'JSONCompact', 'JSONStrings', 'JSONCompactStrings']) {
    for (const count of [0, 1, 2, 100]) {
      const data = Array.from({ length: count }, (_, row) => [row]);
      const parsed = JSON.parse(written(format, one, data, settings(), 33).toString());
      t.is(parsed.rows, count);
      t.is(parsed.data.length, count);
      t.deepEqual(parsed.meta, [{ name: 'a', type: 'int32' }]);
    }
  }
  t.deepEqual(JSON.parse(written('JSONColumns', one, [[1], [2]]).toString()), { a: [1, 2] });
  t.deepEqual(JSON.parse(written('JSONColumnsWithMetadata', one, [[1], [2]]).toString()).data, { a: [1, 2] });
  t.deepEqual(JSON.parse(written('JSONObjectEachRow', one, [[1], [2]]).toString()), {
    row_1: { a: 1 },
    row_2: { a: 2 },
  });
  t.deepEqual(JSON.parse(written('JSONObjectEachRow', one, []).toString()), {});
});

test('the other JSON formats by row', (t) => {
  const two = schemaOf(['a', 'int32'], ['b', 'nullable(string)']);
  const data = [
    [1, 'x'],
    [2, null],
  ];
  t.is(written('JSONStringsEachRow', two, data).toString(), '{"a":"1","b":"x"}\n{"a":"2","b":null}\n');
  t.is(written('JSONCompactEachRow', two, data).toString(), '[1, "x"]\n[2, null]\n');
  t.is(
    written('JSONCompactEachRowWithNamesAndTypes', two, data).toString(),
    '["a", "b"]\n["int32", "nullable(string)"]\n[1, "x"]\n[2, null]\n',
  );
  t.is(written('JSONCompactStringsEachRow', two, data).toString(), '["1", "x"]\n["2", null]\n');
  const progress = written('JSONEachRowWithProgress', two, data).toString().trimEnd().split('\n');
  t.deepEqual(JSON.parse(progress[0]!), { row: { a: 1, b: 'x' } });
  t.is(typeof JSON.parse(progress[2]!).progress.read_rows, 'string');
});

test('CSV, TabSeparated and Values', (t) => {
  t.deepEqual(lines('CSVWithNames'), [
    '"id","name","v","t","tags","ok","m","p"',
    '9007199254740993,"né/""x""",1.5,"2024-01-02 03:04:05","[\'a\',\'b\\\'c\']",true,"{\'k\':1}","(1,\'x\')"',
    '2,\\N,nan,"1970-01-01 00:00:00","[]",false,"{}","(2,\'y\\tz\')"',
    '',
  ]);
  t.is(lines('CSV', { format_csv_delimiter: ';' })[1]!.split(';').length, 8);
  t.deepEqual(lines('TSVWithNamesAndTypes'), [
    'id\tname\tv\tt\ttags\tok\tm\tp',
    'int64\tnullable(string)\tfloat64\tdatetime\tarray(string)\tbool\tmap(string, int32)\ttuple(a int32, b string)',
    "9007199254740993\tné/\"x\"\t1.5\t2024-01-02 03:04:05\t['a','b\\'c']\ttrue\t{'k':1}\t(1,'x')",
    "2\t\\N\tnan\t1970-01-01 00:00:00\t[]\tfalse\t{}\t(2,'y\\tz')",
    '',
  ]);
  t.deepEqual(lines('Values'), [
    "(9007199254740993,'né/\"x\"',1.5,'2024-01-02 03:04:05',['a','b\\'c'],true,{'k':1},(1,'x')),(2,NULL,nan,'1970-01-01 00:00:00',[],false,{},(2,'y\\tz'))",
  ]);
  const strings = schemaOf(['s', 'string']);
  const odd = [["\b\f\n\r\t\0'\\"]];
  t.is(written('TSV', strings, odd).toString(), "\\b\\f\\n\\r\\t\\0\\'\\\\\n");
  t.is(written('TSVRaw', strings, odd).toString(), "\b\f\n\r\t\0'\\\n");
});

test('tables for people', (t) => {
  const two = schemaOf(['id', 'int32'], ['name', 'nullable(string)']);
  const data = [
    [1, bytes('漢é')],
    [200, null],
  ];
  t.is(
    written('Pretty', two, data).toString(),
    `┏━━━━━┳━━━━━━┓
┃  id ┃ name ┃
┡━━━━━╇━━━━━━┩
│   1 │ 漢é  │
├─────┼──────┤
│ 200 │ ᴺᵁᴸᴸ │
└─────┴──────┘
`,
  );
  t.is(
    written('PrettyCompact', two, data).toString(),
    `┌──id─┬─name─┐
│   1 │ 漢é  │
│ 200 │ ᴺᵁᴸᴸ │
└─────┴──────┘
`,
  );
  t.is(written('PrettyCompactNoEscapes', two, []).toString(), '');
  t.is(
    written('PrettyCompact', two, data, settings({ output_format_pretty_max_rows: '1' }))
      .toString()
      .split('\n').length,
    5,
  );
  t.is(
    written('Vertical', two, data).toString(),
    `Row 1:
──────
id:   1
name: 漢é

Row 2:
──────
id:   200
name: ᴺᵁᴸᴸ
`,
  );
  t.is(
    written('Markdown', schemaOf(['a|b', 'int8'], ['s', 'string']), [[1, 'x|y\nz']]).toString(),
    '| a\\|b | s |\n|-:|:-|\n| 1 | x\\|y<br/>z |\n',
  );
  t.is(written('Null', two, data).length, 0);
});

test('RowBinary', (t) => {
  const types = schemaOf(['a', 'int16'], ['s', 'string'], ['n', 'nullable(uint8)'], ['u', 'uuid']);
  const data = [[-2, 'ab', null, 0x61f0c4045cb311e7907ba6006ad3dba0n]];
  t.is(
    written('RowBinary', types, data).toString('hex'),
    'feff' + '026162' + '01' + 'e711b35c04c4f061' + 'a0dbd36a00a67b90',
  );
});

test('JSON replaces what is not UTF-8 and escapes control characters', (t) => {
  const one = schemaOf(['s', 'string']);
  const odd = ['\xff', 'a\xc3', '\xa9', '\x00\x1f\x7f', bytes('\u2028x'), bytes('é'), '"\\/\b\f\n\r\t'];
  const expected = ['�', 'a�', '�', '\\u0000\\u001f\x7f', '\\u2028x', 'é', '\\"\\\\\\/\\b\\f\\n\\r\\t'];
  // Few distinct strings are written through a dictionary, many different ones from their bytes.
  for (const repeats of [1, 200]) {
    const data = Array.from({ length: repeats }, (_, turn) =>
      odd.map((text) => [text + (repeats > 1 ? ` ${turn}` : '')]),
    ).flat();
    const texts = Array.from({ length: repeats }, (_, turn) =>
      expected.map((text) => `{"s":"${text}${repeats > 1 ? ` ${turn}` : ''}"}`),
    ).flat();
    t.deepEqual(written('JSONEachRow', one, data).toString().trimEnd().split('\n'), texts);
  }
});

test('floats are written in their shortest form by the compiled way too', (t) => {
  const one = schemaOf(['v', 'float64']);
  const values = [
    0,
    -0,
    0.1,
    1.5,
    -2.25,
    100,
    1e15,
    1e16,
    123456789.1234,
    0.00001,
    1e21,
    1e-7,
    1 / 3,
    2 ** 53,
    4.35,
    1.0005,
    -0.0003,
    5e-324,
    1.7976931348623157e308,
  ];
  const data = Array.from({ length: 100 }, () => values.map((value) => [value])).flat();
  const texts = written('CSV', one, data).toString().trimEnd().split('\n');
  t.deepEqual(
    texts.slice(0, values.length),
    values.map((value) => (Object.is(value, -0) ? '-0' : String(value).replace('e+', 'e'))),
  );
});

test('a chunk handed out is not written to again', (t) => {
  const one = schemaOf(['s', 'string']);
  const writer = createWriter('TSV', one, settings());
  const chunks = Array.from({ length: 20 }, (_, index) =>
    writer.block(blockOf(one, [[String(index).repeat(300)]])),
  );
  for (const [index, chunk] of chunks.entries())
    t.is(Buffer.from(chunk).toString(), `${String(index).repeat(300)}\n`);
});

test('content types', (t) => {
  for (const [format, type] of [
    ['JSON', 'application/json; charset=UTF-8'],
    ['JSONEachRow', 'application/x-ndjson; charset=UTF-8'],
    ['CSV', 'text/csv; charset=UTF-8; header=absent'],
    ['CSVWithNames', 'text/csv; charset=UTF-8; header=present'],
    ['TSV', 'text/tab-separated-values; charset=UTF-8'],
    ['Pretty', 'text/plain; charset=UTF-8'],
    ['RowBinary', 'application/octet-stream'],
  ] as const) {
    t.is(createWriter(format, schema, settings()).contentType, type);
  }
});

test('formats are found by name and alias in any case, and unknown ones are told with the nearest', (t) => {
  t.is(outputFormat('tsv'), 'TabSeparated');
  t.is(outputFormat('TSVWITHNAMES'), 'TabSeparatedWithNames');
  t.is(inputFormat('ndjson'), 'JSONEachRow');
  t.regex(
    failure(() => outputFormat('JSONEachRw')),
    /Code: 73\..*Unknown format 'JSONEachRw'\. Maybe you meant 'JSONEachRow'$/,
  );
  t.regex(
    failure(() => inputFormat('Pretty')),
    /Code: 73\..*Format Pretty is not an input format$/,
  );
  t.regex(
    failure(() => createReader('no such', schema, settings())),
    /Code: 73\./,
  );
  const names = formatNames();
  t.deepEqual(
    names.find((format) => format.name === 'Vertical'),
    { name: 'Vertical', isInput: false, isOutput: true },
  );
  t.is(new Set(names.map((format) => format.name)).size, names.length);
});

test('a result without columns or rows', (t) => {
  for (const { name, isOutput } of formatNames()) {
    // Protobuf writes nothing without a schema that has the columns.
    if (!isOutput || name.startsWith('Protobuf')) continue;
    t.notThrows(() => written(name, schema, []), name);
    t.notThrows(() => written(name, [], []), name);
  }
});
