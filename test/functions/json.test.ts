import test from 'ava';
import { toByteString } from '../../src/types/index.ts';
import { errorOf, runSelect, textOf } from './evaluate.ts';

/** Results that ClickHouse 26.7 gives as well. */
const cases: readonly (readonly [expression: string, result: string])[] = [
  [`json_extract_string('{"a":1.50}', 'a')`, '1.5'],
  [`json_extract_string('{"a":null}', 'a')`, ''],
  [`json_extract_string('{"a":true}', 'a')`, 'true'],
  [`json_extract_string('{"a":[1, 2]}', 'a')`, '[1,2]'],
  [`json_extract_string('{"a":"x","a":"y"}', 'a')`, 'x'],
  [`json_extract_string('{"a":"\\\\ud83d\\\\ude00"}', 'a')`, '😀'],
  [`json_extract_string('{"k\\\\"ey":"v"}', 'k"ey')`, 'v'],
  [`json_extract_int('{"a":"12"}', 'a')`, '12'],
  [`json_extract_int('{"a":1.7}', 'a')`, '1'],
  [`json_extract_int('{"a":true}', 'a')`, '0'],
  [`json_extract_int('{"a":18446744073709551615}', 'a')`, '0'],
  [`json_extract_uint('{"a":-1}', 'a')`, '0'],
  [`json_extract_int('{"a":1,"b":2}', -1)`, '2'],
  [`json_extract_int('[[1,2],[3]]', 1, -1)`, '2'],
  [`json_extract_float('{"a":"1.5"}', 'a')`, '1.5'],
  [`json_extract_bool('{"a":0.5}', 'a')`, 'false'],
  [`json_extract_raw('{"a": [1, 2.50, "x\\\\u0041", {"b" : 1e3}] }', 'a')`, '[1,2.5,"xA",{"b":1000}]'],
  [`json_has('{"a":[1,2]}', 'a', -2)`, 'true'],
  [`json_has('{"a":[1,2]}', 'a', -3)`, 'false'],
  [`json_has('{"a":[1,2]}', 'a', 0)`, 'false'],
  ["json_has('')", 'false'],
  ["json_length('1')", '0'],
  [`json_type('{"a":18446744073709551615}', 'a')`, 'UInt64'],
  [`json_extract('{"a":[1,null,"3",4.5]}', 'a', 'array(nullable(int8))')`, '[1,NULL,3,4]'],
  [`json_extract('{"a":[1,null,"3",4.5,300]}', 'a', 'array(int8)')`, '[1,0,3,4,0]'],
  [`json_extract('{"a":"x"}', 'a', 'nullable(int8)')`, '\\N'],
  [`json_extract('{"a":1,"b":2}', 'map(string, uint8)')`, "{'a':1,'b':2}"],
  [`json_extract('{"a":"2020-01-02"}', 'a', 'date')`, '2020-01-02'],
  [`json_extract('{"a":"1.5"}', 'a', 'decimal(10, 2)')`, '1.5'],
  [`json_extract_keys_and_values('{"a":"x","b":1}', 'int8')`, "[('b',1)]"],
  [`json_value('{"hello":{"a":1}}', '$.hello')`, ''],
  [`json_value('{"a b":1}', '$["a b"]')`, '1'],
  [`json_query('{"a":[1,2,3]}', '$.a[0, 2]')`, '[1, 3]'],
  [`json_query('{"a":[1,2,3]}', '$.a[0 to 1]')`, '[1]'],
  [`json_query('[1,2]', '$')`, '[[1,2]]'],
  [`json_merge_patch('{"a":{"b":1,"c":2}}', '{"a":{"b":3}}')`, '{"a":{"b":3,"c":2}}'],
  ["json_array_length('x')", '\\N'],
  [`simple_json_extract_int('{"x":{"a":5}}', 'a')`, '5'],
  [`simple_json_extract_raw('{"a" : 1}', 'a')`, ''],
  ["to_json_string((1, 'a', NULL))", '[1,"a",null]'],
];

test('JSON functions', async (t) => {
  for (const [expression, result] of cases) t.is(await textOf(expression), toByteString(result), expression);
});

test('paths may come from columns', async (t) => {
  const { rows } = await runSelect(
    `SELECT json_extract_int('{"k0":10,"k1":11}', concat('k', to_string(number))) FROM numbers(3)`,
  );
  t.deepEqual(rows, [[10], [11], [0]]);
});

test('texts that are no JSON give defaults and never fail', async (t) => {
  for (const text of [
    '',
    '{',
    '[',
    '"',
    '{"a"',
    '{"a":',
    '{"a":}',
    '[1,',
    '{a:1}',
    'nul',
    '-',
    '{"a":"x',
    '\\\\',
  ]) {
    t.is(await textOf(`json_extract_string('${text}', 'b')`), '', text);
    t.is(await textOf(`json_extract_int('${text}', 1, 'x')`), '0', text);
    t.is(await textOf(`json_extract_keys('${text}', 'z')`), '[]', text);
    t.is(await textOf(`is_valid_json('${text}')`), 'false', text);
  }
});

test('deep documents are read without recursion', async (t) => {
  const deep = `concat(repeat('[', 100000), repeat(']', 100000))`;
  t.is(await textOf(`json_length(${deep})`), '1');
  t.is(await textOf(`length(json_extract_raw(${deep}, 1))`), '199998');
});

test('a path of a wrong type and a malformed JSONPath are refused', async (t) => {
  t.is(await errorOf("json_extract_int('{}', 1.5)"), 43);
  t.is(await errorOf("json_value('{}', 'a')"), 36);
  t.is(await errorOf("json_extract('{}', 'a', 'no_such_type')"), 50);
});
