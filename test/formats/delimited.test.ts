import test from 'ava';
import { failure, type Random, randomFrom, readBlocks, readRows, schemaOf, settings } from './support.ts';

const columns = schemaOf(['id', 'int32'], ['name', 'string'], ['value', 'nullable(float64)']);

test('CSV: quotes, blanks, NULL and line ends', (t) => {
  const expected = [
    [1, 'a', 2],
    [2, 'b c', null],
    [3, 'x "y", z', 1.5],
    [4, "it's", null],
    [5, 'two\nlines', 0],
  ];
  const text = `1,"a",2\n2, b c ,\\N\r\n3,"x ""y"", z",1.5\n\n4,'it''s',\n"5","two\nlines" , 0`;
  for (const chunk of [1, 3, 1_000]) t.deepEqual(readRows('CSV', columns, text, { chunk }), expected);
  t.deepEqual(readRows('CSV', columns, '\ufeff1,a,2'), [[1, 'a', 2]]);
  t.deepEqual(readRows('CSV', columns, '1;a;2\n', { settings: settings({ format_csv_delimiter: ';' }) }), [
    [1, 'a', 2],
  ]);
  t.deepEqual(
    readRows('CSV', columns, '1|a|2', { settings: settings({ input_format_csv_delimiter: '|' }) }),
    [[1, 'a', 2]],
  );
  t.regex(
    failure(() => readRows('CSV', columns, '', { settings: settings({ format_csv_delimiter: '""' }) })),
    /Code: 36\./,
  );
});

test('CSV: an empty field is the default, but an empty string for strings', (t) => {
  const withDefaults = columns.map((column) => ({ ...column, hasDefault: true }));
  const [read] = readBlocks('CSV', withDefaults, ',,\n1,a,2\n');
  t.deepEqual(
    read!.omitted.map((mask) => mask && [...mask]),
    [[1, 0], null, [1, 0]],
  );
  t.deepEqual(readRows('CSV', columns, ',,\n'), [[0, '', null]]);
});

test('CSV and TabSeparated: headers order the columns', (t) => {
  t.deepEqual(readRows('CSVWithNames', columns, 'name,id\nx,1\ny,2\n'), [
    [1, 'x', null],
    [2, 'y', null],
  ]);
  t.deepEqual(readRows('TSVWithNamesAndTypes', columns, 'id\tname\nInt32\tString\n1\tx\n', { chunk: 1 }), [
    [1, 'x', null],
  ]);
  const skip = { settings: settings({ input_format_skip_unknown_fields: '1' }) };
  t.deepEqual(readRows('CSVWithNames', columns, 'other,id\n"a,b",1\n', skip), [[1, '', null]]);
  t.regex(
    failure(() => readRows('CSVWithNames', columns, 'nam,id\nx,1\n')),
    /Code: 117\..*unknown column 'nam'\. Maybe you meant 'name'/,
  );
  t.regex(
    failure(() => readRows('CSVWithNames', columns, 'id,id\n1,1\n')),
    /Code: 117\..*'id' twice/,
  );
  t.regex(
    failure(() => readRows('CSVWithNamesAndTypes', columns, 'id,name\nint32,int32\n1,2\n')),
    /Code: 117\..*'name' the type int32, but it is string/,
  );
  const many = `value,id\n${'1.5,7\n'.repeat(200)}`;
  t.deepEqual(readRows('CSVWithNames', columns, many), new Array(200).fill([7, '', 1.5]));
});

test('TabSeparated: escapes', (t) => {
  const text = "1\ta\\tb\\\\\\x41\\'\t\\N\n2\tx\\\ny\t2\r\n3\t\t";
  const expected = [
    [1, "a\tb\\A'", null],
    [2, 'x\ny', 2],
    [3, '', null],
  ];
  for (const chunk of [1, 4, 1_000])
    t.deepEqual(readRows('TabSeparated', columns, text, { chunk }), expected);
  t.deepEqual(readRows('TSVRaw', columns, '1\ta\\tb\t2\n'), [[1, 'a\\tb', 2]]);
});

test('errors name the row, the column and what is wrong', (t) => {
  for (const [format, text, message] of [
    ['CSV', 'x,a,1\n', /Code: 27\..*row 1, column 'id': Cannot parse 'x' as int32/],
    ['CSV', '1,a,1\n3000000000,a,1\n', /Code: 321\..*row 2, column 'id'/],
    ['CSV', '1,a\n', /Code: 117\..*row 1: The row has 2 values, expected 3$/],
    ['CSV', '1,a,2,3\n', /Code: 27\..*Expected the end of the row after its 3 values/],
    ['CSV', '1,"abc', /Code: 33\..*closing quote/],
    ['CSV', '\\N,a,1\n', /Code: 349\..*column 'id'/],
    ['CSV', '1,"a"b,1\n', /Code: 27\..*Expected a delimiter, found 'b/],
    ['TabSeparated', '1\ta\n', /Code: 117\..*The row has 2 values, expected 3$/],
    ['TabSeparated', '1\t\\N\t1\n', /Code: 349\..*column 'name'/],
    ['TabSeparated', '1\ta\t2\t3\n', /Code: 27\./],
  ] as const) {
    for (const chunk of [1, 1_000]) {
      t.regex(
        failure(() => readRows(format, columns, text, { chunk })),
        message,
        text,
      );
    }
  }
});

test('a semicolon behind inline data ends it', (t) => {
  const inline = { reader: { isInline: true } };
  t.deepEqual(readRows('CSV', columns, '1,a,2\n3,b,\\N;', inline), [
    [1, 'a', 2],
    [3, 'b', null],
  ]);
  t.deepEqual(readRows('CSV', columns, '1,a,2\n ;\n', { ...inline, chunk: 1 }), [[1, 'a', 2]]);
  t.deepEqual(readRows('TSV', schemaOf(['s', 'string']), 'a;b;\n', inline), [['a;b']]);
  t.deepEqual(readRows('TSV', schemaOf(['s', 'string']), 'a;b;\n'), [['a;b;']]);
  t.deepEqual(readRows('TSV', schemaOf(['s', 'string']), 'a \n\nb\n', { ...inline, chunk: 1 }), [
    ['a '],
    [''],
    ['b'],
  ]);
});

test('bad rows are passed over while that is allowed', (t) => {
  const two = settings({ input_format_allow_errors_num: '2' });
  const text = '1,a,1\nx,a,1\n2,b\n3,c,3\n';
  for (const chunk of [1, 1_000]) {
    t.deepEqual(readRows('CSV', columns, text, { settings: two, chunk }), [
      [1, 'a', 1],
      [3, 'c', 3],
    ]);
  }
});

function randomField(random: Random, text: string, isCsv: boolean): string {
  if (!isCsv) return text.replaceAll('\\', '\\\\').replaceAll('\t', '\\t').replaceAll('\n', '\\n');
  const isBare = /^[^"',\s\\][^",\n]*$/.test(text) && !/\s$/.test(text);
  return isBare && random() < 0.5 ? text : `"${text.replaceAll('"', '""')}"`;
}

for (const isCsv of [true, false]) {
  const format = isCsv ? 'CSV' : 'TabSeparated';
  test(`${format}: rows read alike by the compiled and the general way`, (t) => {
    const types = schemaOf(
      ['id', 'int64'],
      ['name', 'string'],
      ['v', 'float32'],
      ['at', 'datetime64(3)'],
      ['ok', 'bool'],
      ['note', 'nullable(string)'],
    );
    for (let seed = 1; seed <= 4; seed++) {
      const random = randomFrom(seed);
      const lines: string[] = [];
      const expected: unknown[][] = [];
      for (let row = 0; row < 600; row++) {
        const name = ['plain', 'a "b"', 'tab\there', 'two\nlines', ' blank ', ''][Math.floor(random() * 6)]!;
        const value = Math.fround(Math.round(random() * 1e5) / 100);
        const ticks = 1_700_000_000_000 + Math.floor(random() * 1e12);
        const time = new Date(ticks).toISOString();
        const note = random() < 0.3 ? null : name;
        const id = random() < 0.1 ? 9007199254740993n : row - 300;
        const timeText = random() < 0.5 ? time : time.slice(0, 23).replace('T', ' ');
        const fields = [
          String(id),
          randomField(random, name, isCsv),
          String(Math.round(value * 100) / 100),
          isCsv && random() < 0.5 ? `"${timeText}"` : timeText,
          random() < 0.5 ? 'true' : 'false',
          note === null ? '\\N' : randomField(random, note, isCsv),
        ];
        lines.push(fields.join(isCsv ? ',' : '\t') + (random() < 0.2 ? '\r\n' : '\n'));
        expected.push([id, name, value, ticks, fields[4] === 'true' ? 1 : 0, note]);
      }
      for (const chunk of [1 << 20, 257, 31]) {
        t.deepEqual(
          readRows(format, types, lines.join(''), { chunk }),
          expected,
          `seed ${seed}, chunks of ${chunk}`,
        );
      }
    }
  });
}
