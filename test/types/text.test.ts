import test from 'ava';
import type { SluiceError } from '../../src/base/index.ts';
import { formatText, parseText, parseType, type TextOptions } from '../../src/types/index.ts';

function reads(type: string, text: string, options: TextOptions = {}): unknown {
  return parseText(parseType(type), text, options);
}

function writes(type: string, value: unknown, options: TextOptions = {}): string {
  return formatText(parseType(type), value, options);
}

function codeOf(callback: () => unknown): number | string {
  try {
    return `no error but ${String(callback())}`;
  } catch (thrown) {
    return (thrown as SluiceError).code;
  }
}

test('integers are read exactly and within the range of their type', (t) => {
  t.is(reads('int8', '-128'), -128);
  t.is(reads('uint64', '18446744073709551615'), 18446744073709551615n);
  t.is(reads('int64', '9007199254740991'), 9007199254740991);
  t.is(reads('int64', '9007199254740993'), 9007199254740993n);
  t.is(reads('int128', '7'), 7n);
  t.is(reads('int256', `-${2n ** 255n}`), -(2n ** 255n));
  t.is(reads('int32', '+5'), 5);
  t.is(reads('int32', '-0'), 0);
  for (const [type, text] of [
    ['int8', '128'],
    ['int8', '-129'],
    ['uint8', '-1'],
    ['uint64', '18446744073709551616'],
    ['int64', '-9223372036854775809'],
    ['int256', `${2n ** 255n}`],
    ['int32', '9'.repeat(5_000)],
  ] as const) {
    t.is(
      codeOf(() => reads(type, text)),
      321,
      `${type} ${text.slice(0, 30)}`,
    );
  }
  for (const text of ['', '-', 'abc', '1.5', '1e3', '0x10', ' 1', '1 ']) {
    t.is(
      codeOf(() => reads('int32', text)),
      6,
      text,
    );
  }
});

test('floats have the shortest text that reads back', (t) => {
  const texts = [
    '0',
    '-0',
    '0.1',
    '1.5',
    '1e21',
    '1e-7',
    '0.000001',
    '123456789012345680000',
    'nan',
    'inf',
    '-inf',
  ];
  for (const text of texts) t.is(writes('float64', reads('float64', text)), text);
  for (const text of [
    '0.1',
    '3.4028235e38',
    '1.1754944e-38',
    '16777216',
    '0.3',
    '1e10'.replace('1e10', '10000000000'),
  ]) {
    t.is(writes('float32', reads('float32', text)), text);
  }
  t.is(reads('float64', '.5'), 0.5);
  t.is(reads('float64', '5.'), 5);
  t.is(reads('float64', '-Infinity'), Number.NEGATIVE_INFINITY);
  for (const text of ['', '.', '1e', 'infi', '--1', '1_000'])
    t.is(
      codeOf(() => reads('float64', text)),
      6,
      text,
    );
});

test('decimals are scaled integers', (t) => {
  t.is(reads('decimal(10, 2)', '1.5'), 150);
  t.is(reads('decimal(10, 2)', '-0.07'), -7);
  t.is(reads('decimal(10, 2)', '1.239'), 123);
  t.is(reads('decimal(10, 2)', '1.2e3'), 120_000);
  t.is(reads('decimal(38, 2)', '1'), 100n);
  t.is(writes('decimal(10, 2)', 150), '1.5');
  t.is(writes('decimal(10, 2)', -7), '-0.07');
  t.is(writes('decimal(10, 2)', 0), '0');
  t.is(writes('decimal(76, 76)', 1n), `0.${'0'.repeat(75)}1`);
  t.is(
    codeOf(() => reads('decimal(4, 2)', '123.4')),
    69,
  );
  t.is(
    codeOf(() => reads('decimal(4, 2)', '1e9999')),
    69,
  );
  t.is(
    codeOf(() => reads('decimal(4, 2)', '.')),
    6,
  );
});

test('dates are read in the forms people write', (t) => {
  for (const text of [
    '2024-01-31',
    '2024/01/31',
    '2024.1.31',
    '20240131',
    '31.01.2024',
    '2024-01-31 23:59:59',
  ]) {
    t.is(writes('date', reads('date', text)), '2024-01-31', text);
  }
  t.is(writes('date32', reads('date32', '1900-01-01')), '1900-01-01');
  t.is(
    codeOf(() => reads('date', '2023-02-29')),
    41,
  );
  t.is(
    codeOf(() => reads('date', '1969-12-31')),
    321,
  );
  t.is(
    codeOf(() => reads('date', 'yesterday')),
    41,
  );
  t.is(
    codeOf(() => reads('date', '31.01.2024', { dateTimeInput: 'basic' })),
    41,
  );
});

test('moments are read from ISO 8601, with offsets, from timestamps and from words', (t) => {
  for (const [text, expected] of [
    ['2024-01-02 03:04:05', '2024-01-02 03:04:05.000'],
    ['2024-01-02T03:04:05.123Z', '2024-01-02 03:04:05.123'],
    ['2024-01-02T03:04:05.1239', '2024-01-02 03:04:05.123'],
    ['2024-01-02T03:04:05+02:00', '2024-01-02 01:04:05.000'],
    ['2024-01-02 03:04:05 -0130', '2024-01-02 04:34:05.000'],
    ['2024-01-02 03:04', '2024-01-02 03:04:00.000'],
    ['2024-01-02', '2024-01-02 00:00:00.000'],
    ['2024/01/02 03:04:05', '2024-01-02 03:04:05.000'],
    ['20240102', '2024-01-02 00:00:00.000'],
    ['20240102030405', '2024-01-02 03:04:05.000'],
    ['1704164645', '2024-01-02 03:04:05.000'],
    ['1704164645.5', '2024-01-02 03:04:05.500'],
    ['1704164645123', '2024-01-02 03:04:05.123'],
    ['1704164645123456', '2024-01-02 03:04:05.123'],
    ['2 Jan 2024 03:04:05', '2024-01-02 03:04:05.000'],
    ['January 2, 2024 3:04 PM', '2024-01-02 15:04:00.000'],
    ['Tue, 02 Jan 2024 03:04:05 GMT', '2024-01-02 03:04:05.000'],
    ['1965-01-01 00:00:00.25', '1965-01-01 00:00:00.250'],
    ['-1.5', '1969-12-31 23:59:58.500'],
  ] as const) {
    t.is(writes('datetime64(3)', reads('datetime64(3)', text)), expected, text);
  }
  for (const text of ['', 'now', '2024-13-01', '2024-01-02 25:00:00', '2024-01-02 03:04:61', '13:00 PM']) {
    t.is(
      codeOf(() => reads('datetime64(3)', text)),
      41,
      text,
    );
  }
  t.is(
    codeOf(() => reads('datetime', '1969-12-31 23:59:59')),
    321,
  );
  t.is(reads('datetime64(9)', '2024-01-02 03:04:05.123456789'), 1704164645123456789n);
});

test('times without an offset are read and written in the zone of the type, or of the options', (t) => {
  const vienna = "datetime('Europe/Vienna')";
  t.is(reads(vienna, '2024-07-01 12:00:00'), Date.UTC(2024, 6, 1, 10) / 1000);
  t.is(writes(vienna, Date.UTC(2024, 0, 1, 11) / 1000), '2024-01-01 12:00:00');
  t.is(reads('datetime', '2024-07-01 12:00:00', { timezone: 'Asia/Tokyo' }), Date.UTC(2024, 6, 1, 3) / 1000);
  t.is(writes(vienna, reads(vienna, '2024-03-31 02:30:00')), '2024-03-31 03:30:00');
});

test('the output of moments follows the option', (t) => {
  t.is(writes('datetime64(3)', 1_704_164_645_123, { dateTimeOutput: 'iso' }), '2024-01-02T03:04:05.123Z');
  t.is(writes('datetime64(3)', 1_704_164_645_123, { dateTimeOutput: 'unix_timestamp' }), '1704164645.123');
  t.is(writes('datetime64(1)', -15, { dateTimeOutput: 'unix_timestamp' }), '-1.5');
  t.is(writes('datetime', 1_704_164_645, { dateTimeOutput: 'unix_timestamp' }), '1704164645');
});

test('uuid, addresses, enums and bools', (t) => {
  const uuid = '61f0c404-5cb3-11e7-907b-a6006ad3dba0';
  t.is(writes('uuid', reads('uuid', uuid)), uuid);
  t.is(writes('uuid', reads('uuid', uuid.toUpperCase().replaceAll('-', ''))), uuid);
  t.is(
    codeOf(() => reads('uuid', uuid.slice(1))),
    376,
  );
  t.is(writes('ipv4', reads('ipv4', '192.0.2.255')), '192.0.2.255');
  t.is(
    codeOf(() => reads('ipv4', '1.2.3.256')),
    675,
  );
  for (const text of ['::', '::1', '2001:db8::1', 'fe80::1:0:0:1', '::ffff:192.0.2.1', '1:2:3:4:5:6:7:8']) {
    t.is(writes('ipv6', reads('ipv6', text)), text);
  }
  t.is(writes('ipv6', reads('ipv6', '192.0.2.1')), '::ffff:192.0.2.1');
  for (const text of [
    '',
    ':',
    '1::2::3',
    '1:2:3:4:5:6:7',
    '1:2:3:4:5:6:7:8:9',
    '12345::',
    '1.2.3.4::',
    '::1.2.3',
  ]) {
    t.is(
      codeOf(() => reads('ipv6', text)),
      676,
      text,
    );
  }
  const colours = "enum8('red' = 1, 'grün' = 2)";
  t.is(reads(colours, Buffer.from('grün').latin1Slice()), 2);
  t.is(reads(colours, '1'), 1);
  t.is(writes(colours, 2), Buffer.from('grün').latin1Slice());
  t.is(
    codeOf(() => reads(colours, 'reed')),
    691,
  );
  t.deepEqual(
    ['true', 'FALSE', '1', '0', 'yes', 'off'].map((text) => reads('bool', text)),
    [1, 0, 1, 0, 1, 0],
  );
  t.is(
    codeOf(() => reads('bool', 'maybe')),
    467,
  );
});

test('arrays, tuples and maps are literals', (t) => {
  for (const [type, text] of [
    ['array(string)', "['a','b\\'c','\\n']"],
    ['array(array(int32))', '[[1,2],[],[-3]]'],
    ['tuple(int32, string)', "(1,'x')"],
    ['tuple(int32)', '(1)'],
    ['map(string, int32)', "{'k':1,'l':2}"],
    ['array(nullable(date))', "['2024-01-02',NULL]"],
    ['array(uuid)', "['61f0c404-5cb3-11e7-907b-a6006ad3dba0']"],
  ] as const) {
    t.is(writes(type, reads(type, text)), text);
  }
  t.deepEqual(reads('array(string)', " [ \"a\" , 'it''s' ] "), ['a', "it's"]);
  t.deepEqual(reads('map(string, int32)', '{"k": 1}'), [['k', 1]]);
  t.is(
    codeOf(() => reads('array(int8)', '[1,NULL]')),
    349,
  );
  for (const text of ['', '[', '[1', '[1,', '[1]]', "['a", '{}', '[1 2]']) {
    t.is(
      codeOf(() => reads('array(int8)', text)),
      6,
      text,
    );
  }
});

test('NULL is known for nullable types that are not strings', (t) => {
  t.is(reads('nullable(int32)', 'NULL'), null);
  t.is(reads('nullable(int32)', '\\N'), null);
  t.is(reads('nullable(string)', 'NULL'), 'NULL');
  t.is(writes('nullable(int32)', null), 'NULL');
});
