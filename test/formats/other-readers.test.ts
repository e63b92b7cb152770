import test from 'ava';
import { failure, readBlocks, readRows, schemaOf, settings, written } from './support.ts';

const columns = schemaOf(['id', 'int32'], ['name', 'string'], ['value', 'nullable(float64)']);

test('Values: literals in rows with or without commas', (t) => {
  const expected = [
    [1, 'a', 2],
    [2, "it's\n", null],
    [-3, '(,)', 1000],
  ];
  for (const text of [
    `(1,'a',2),(2,'it''s\\n',NULL),(-3,'(,)',1e3)`,
    ` ( 1 , 'a' , 2 )\n(2, 'it\\'s\\n', null) , (-3,'(,)',1000.0);\n`,
  ]) {
    for (const chunk of [1, 5, 1_000])
      t.deepEqual(readRows('Values', columns, text, { chunk }), expected, text);
  }
  t.deepEqual(readRows('Values', columns, ''), []);
  t.deepEqual(
    readRows(
      'Values',
      schemaOf(['a', 'array(string)'], ['m', 'map(string, int8)'], ['p', 'tuple(int8, date)']),
      "(['x','y'],{'k':1},(1,'2024-01-02'))",
    ),
    [[['x', 'y'], [['k', 1]], [1, 19_724]]],
  );
});

test('Values: expressions go to the engine, DEFAULT leaves the value out', (t) => {
  const seen: string[] = [];
  const evaluateExpression = (text: string, column: { name: string }) => {
    seen.push(`${column.name}: ${text}`);
    return column.name === 'id' ? 42 : null;
  };
  const withDefaults = columns.map((column) => ({ ...column, hasDefault: true }));
  const text = "(1 + f('),', [2]), DEFAULT, -now()), (1, 'x' || lower('Y'), abc)";
  const strings = schemaOf(['id', 'int32'], ['name', 'nullable(string)'], ['value', 'nullable(float64)']);
  t.deepEqual(readRows('Values', strings, text, { reader: { evaluateExpression } }), [
    [42, null, null],
    [1, null, null],
  ]);
  t.deepEqual(seen, ["id: 1 + f('),', [2])", 'value: -now()', "name: 'x' || lower('Y')", 'value: abc']);
  const [read] = readBlocks('Values', withDefaults, '(1, DEFAULT, 2)', { reader: { evaluateExpression } });
  t.deepEqual(
    read!.omitted.map((mask) => mask && [...mask]),
    [null, [1], null],
  );
  t.regex(
    failure(() => readRows('Values', columns, text)),
    /Code: 27\..*row 1, column 'id': Expected a literal, found '1 \+ f/,
  );
});

test('Values: errors', (t) => {
  for (const [text, message] of [
    ["(1,'a')", /Code: 117\..*row 1: The row has 2 values, expected 3: nothing is given for \w+$/],
    ["(1,'a',2,3)", /Code: 117\..*row 1: The row has more than 3 values$/],
    ["(NULL,'a',2)", /Code: 349\..*row 1, column 'id'/],
    ["('abc','a',1)", /Code: 27\..*row 1, column 'id': Cannot parse 'abc' as int32/],
    ["(1,'a',1),(3000000000,'b',1)", /Code: 321\..*row 2, column 'id'/],
    ["(1,'a", /Code: 27\..*row 1, column 'name'/],
    ["(1,'a',2); (3,'b',4)", /Code: 27\..*Expected the end of the input/],
    ['x', /Code: 27\..*Expected '\(' of a row, found 'x'/],
  ] as const) {
    for (const chunk of [1, 1_000])
      t.regex(
        failure(() => readRows('Values', columns, text, { chunk })),
        message,
        text,
      );
  }
  const asDefault = { settings: settings({ input_format_null_as_default: '1' }) };
  t.deepEqual(readRows('Values', columns, "(NULL,'a',2)", asDefault), [[0, 'a', 2]]);
});

test('RawBLOB and LineAsString: each line is a row', (t) => {
  const one = schemaOf(['raw', 'string']);
  for (const format of ['RawBLOB', 'LineAsString']) {
    for (const chunk of [1, 1_000]) {
      t.deepEqual(readRows(format, one, 'line 1\r\n\nl\\n "2",\nlast', { chunk }), [
        ['line 1'],
        [''],
        ['l\\n "2",'],
        ['last'],
      ]);
    }
    t.regex(
      failure(() => readRows(format, columns, 'a')),
      /Code: 36\..*one column of type string/,
    );
  }
  const withTime = [...one, { ...schemaOf(['at', 'datetime'])[0]!, hasDefault: true }];
  t.deepEqual([...readBlocks('RawBLOB', withTime, 'a\nb\n')[0]!.omitted[1]!], [1, 1]);
  const bytes = Buffer.from([0xff, 0x00, 0x0a, 0xfe]);
  t.deepEqual(readRows('RawBLOB', one, bytes), [['\xff\0'], ['\xfe']]);
});

test('JSON and JSONCompact: the rows are the elements of data', (t) => {
  for (const chunk of [1, 1_000]) {
    const read = (text: string) => readRows('JSON', columns, text, { chunk });
    t.deepEqual(
      read('{"meta":[{"name":"name","type":"string"},{"name":"id"}],"data":[["a",1],["b",2]],"rows":2}'),
      [
        [1, 'a', null],
        [2, 'b', null],
      ],
    );
    t.deepEqual(read('{"columns":["id","name"],"data":[[1,"a"]]}\n;'), [[1, 'a', null]]);
    t.deepEqual(read(' {"x":{"data":[1]},"data":[ {"id":1} , {"id":2} ], "y":[]} '), [
      [1, '', null],
      [2, '', null],
    ]);
    t.deepEqual(read('{"data":[]}'), []);
    for (const [text, message] of [
      ['{"data":[{"id":1}', /Code: 33\./],
      ['{"data":[{"id":1}]', /Code: 33\./],
      ['{"rows":1}', /Code: 117\..*no field 'data'/],
      ['{"data":[{"id":1} {"id":2}]}', /Code: 27\..*row 2: Expected ',' or '\]'/],
      ['{"data":[{"id":"x"}]}', /Code: 27\..*row 1, column 'id'/],
      ['[1]', /Code: 27\..*Expected '\{' of a document/],
    ] as const) {
      t.regex(
        failure(() => read(text)),
        message,
        text,
      );
    }
  }
});

test('JSONCompactEachRow: arrays, with names and types on request', (t) => {
  for (const chunk of [1, 1_000]) {
    t.deepEqual(readRows('JSONCompactEachRow', columns, '[1,"a",2.5]\n[2, "b" ,null],[3,"c",1]', { chunk }), [
      [1, 'a', 2.5],
      [2, 'b', null],
      [3, 'c', 1],
    ]);
    t.deepEqual(readRows('JSONCompactEachRowWithNames', columns, '["value","id"]\n[2,3]\n', { chunk }), [
      [3, '', 2],
    ]);
    const many = `["value","id"]\n["nullable(float64)","int32"]\n${'[2,3]\n'.repeat(300)}`;
    t.deepEqual(
      readRows('JSONCompactEachRowWithNamesAndTypes', columns, many, { chunk }),
      new Array(300).fill([3, '', 2]),
    );
    t.regex(
      failure(() => readRows('JSONCompactEachRow', columns, '[1,"a"]', { chunk })),
      /Code: 27\..*3 values in a row/,
    );
    t.regex(
      failure(() => readRows('JSONCompactEachRow', columns, '[1,"a",2,3]', { chunk })),
      /Code: 27\..*after the 3 values/,
    );
  }
});

test('RowBinary: input that ends early is told', (t) => {
  const bytes = written('RowBinary', columns, [[1, 'abc', 2]]);
  for (let length = 1; length < bytes.length; length++) {
    t.regex(
      failure(() => readRows('RowBinary', columns, bytes.subarray(0, length))),
      /Code: 33\..*row 1, column/,
    );
  }
  const huge = Buffer.from([1, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f]);
  t.regex(
    failure(() => readRows('RowBinary', columns, huge)),
    /Code: 131\./,
  );
});

test('damaged input fails with an error of ours or reads as something, but never breaks', (t) => {
  const good = {
    JSONEachRow: '{"id":1,"name":"a\\u00e9","value":1.5}\n{"id":2,"name":"b","value":null}\n',
    JSONCompactEachRow: '[1,"a",1.5]\n[2,"b",null]\n',
    JSON: '{"meta":[{"name":"id"}],"data":[[1],[2]],"rows":2}',
    CSV: '1,"a ""b""",1.5\n2,b,\\N\n',
    TabSeparated: '1\ta\\tb\t1.5\n2\tb\t\\N\n',
    Values: "(1,'a',1.5),(2,'b',NULL)",
  };
  const replacements = '\0"\'\\{}[](),:;\n\t x9-\xff';
  for (const [format, text] of Object.entries(good)) {
    for (let at = 0; at < text.length; at++) {
      for (const replacement of ['', ...replacements]) {
        const damaged = Buffer.from(text.slice(0, at) + replacement + text.slice(at + 1), 'latin1');
        const whole = failure(() => readRows(format, columns, damaged));
        const bytewise = failure(() => readRows(format, columns, damaged, { chunk: 1 }));
        t.regex(whole, /^(Code: \d+\. DB::Exception: |no failure$)/, damaged.toString());
        // Which of two faults is told first may depend on the chunks, but not whether there is one.
        const isSame = (whole === 'no failure') === (bytewise === 'no failure');
        t.true(isSame, `${format}: ${damaged.toString()}\n${whole}\n${bytewise}`);
      }
    }
  }
});
