import test from 'ava';
import { toByteString } from '../../src/types/index.ts';
import { errorOf, runSelect, textOf } from './evaluate.ts';

async function expect(
  t: { is: (actual: string, expected: string, message: string) => void },
  cases: readonly (readonly [expression: string, result: string])[],
): Promise<void> {
  for (const [expression, result] of cases) t.is(await textOf(expression), toByteString(result), expression);
}

test('LIKE: wildcards, escapes and characters of several bytes', async (t) => {
  await expect(t, [
    ["'é' LIKE '_'", 'true'],
    ["'aéb' LIKE 'a%_b'", 'true'],
    ["'ab' LIKE 'a%_b'", 'false'],
    ["'abcabc' LIKE '%abc%abc%'", 'true'],
    ["'abc' LIKE '%abc%abc%'", 'false'],
    ["'abc' LIKE 'ab%bc'", 'false'],
    ["'' LIKE '%'", 'true'],
    ["'' LIKE '_'", 'false'],
    ["'a%b' LIKE 'a\\\\%b'", 'true'],
    ["'axb' LIKE 'a\\\\%b'", 'false'],
    ["'ÉA' ILIKE 'éa'", 'true'],
    ["'x' LIKE materialize('x%')", 'true'],
    ["NULL LIKE 'a'", '\\N'],
  ]);
  t.is(await errorOf("'a' LIKE 'a\\\\'"), 36);
});

test('a pattern that differs from row to row is followed', async (t) => {
  const { rows } = await runSelect(
    "SELECT to_string(number) LIKE if(number % 2 = 0, '2%', '%3'), match(to_string(number), if(number % 2 = 0, '^2', '3$')) FROM numbers(5)",
  );
  t.deepEqual(rows, [
    [0, 0],
    [0, 0],
    [1, 1],
    [1, 1],
    [0, 0],
  ]);
});

test('substrings: offsets from the start and the end, and lengths', async (t) => {
  await expect(t, [
    ["substring('hello', 0)", ''],
    ["substring('hello', -3, -1)", 'll'],
    ["substring('hello', 2, -1)", 'ell'],
    ["substring('hello', -10, 7)", 'he'],
    ["substring('hello', 10, 2)", ''],
    ["substring_utf8('héllo', -3, 2)", 'll'],
    ["left('hello', -2)", 'hel'],
    ["right('hello', -2)", 'llo'],
    ["right('hello', 10)", 'hello'],
    ["right_utf8('héllo', -1)", 'éllo'],
  ]);
});

test('regular expressions: groups, empty matches and replacements', async (t) => {
  await expect(t, [
    ["match('a\\nb', 'a.b')", 'true'],
    ["replace_regexp_all('hello', 'l*', '-')", '-h-e--o-'],
    ["replace_regexp_all('hello', '(l)(.)', '\\\\2\\\\1')", 'hello'],
    ["replace_regexp_one('abc', 'b', '\\\\\\\\x')", 'a\\xc'],
    ["extract_all('hello', 'l*')", '[]'],
    ["extract_groups('hello world', '(h\\\\w)(l)?')", "['he','l']"],
    ["count_matches('aaXaa', 'a*')", '2'],
    ["split_by_regexp('l*', 'hello')", "['hello']"],
    ["match('é', '^.$')", 'true'],
    ["replace_regexp_all('hé', 'é', 'e')", 'he'],
  ]);
  t.is(await errorOf("match('a', '(')"), 427);
  t.is(await errorOf("replace_regexp_one('abc', 'b', '\\\\9')"), 36);
});

test('hostile regular expressions end quickly', async (t) => {
  t.is(await textOf("match(repeat('a', 100000), '(a*)*b')"), 'false');
  t.is(await textOf("match(concat(repeat('a', 50000), '!'), '^(a|aa)+$')"), 'false');
  t.is(await errorOf("match('a', '((a{1000}){1000}){1000}')"), 427);
});

test('functions refuse to make texts of unreasonable size', async (t) => {
  for (const call of [
    "repeat('abc', 1000000000)",
    'space(1000000000)',
    "lpad('a', 1000000000)",
    "left_pad_utf8('a', 1000000000)",
    "replace(repeat('a', 60000000), 'a', 'bbbb')",
    "replace_regexp_all(repeat('a', 1000000), 'a', repeat('b', 1000))",
    'random_string(1000000000)',
    "levenshtein_distance(repeat('a', 100000), repeat('b', 100000))",
    "base58_encode(repeat('a', 100000))",
  ]) {
    t.is(await errorOf(call), 131, call);
  }
});

test('arguments of a wrong type are refused', async (t) => {
  for (const call of [
    'upper(1)',
    'length(1)',
    "substring('a', 'b')",
    "split_by_char(1, 'a')",
    'match(1, 2)',
  ]) {
    t.is(await errorOf(call), 43, call);
  }
  t.is(await errorOf("upper('a', 'b')"), 42);
  t.is(await errorOf("split_by_char('ab', 'c')"), 36);
});

test('NULL arguments make the result NULL', async (t) => {
  await expect(t, [
    ['upper(NULL)', '\\N'],
    ["concat('a', NULL)", '\\N'],
    ["position(materialize(CAST(NULL AS nullable(string))), 'a')", '\\N'],
    ['city_hash64(1, NULL)', '\\N'],
  ]);
});

test('bytes that are not UTF-8 survive', async (t) => {
  await expect(t, [
    ["hex(upper(concat('a', unhex('FF'))))", '41FF'],
    ["hex(replace_regexp_all(concat('a', unhex('FF')), 'a', 'b'))", '62FF'],
    ["hex(reverse(unhex('01FF')))", 'FF01'],
    ["is_valid_utf8(unhex('EDA080'))", 'false'],
    ["hex(to_valid_utf8(unhex('61FF62')))", '61EFBFBD62'],
  ]);
});

test('format, and durations and sizes in words', async (t) => {
  await expect(t, [
    ["format('{}{{}}{}', 'a', 1)", 'a{}1'],
    ['format_readable_size(1e30)', '827180.61 YiB'],
    ['format_readable_quantity(1e30)', '1.00 nonillion'],
    ['format_readable_time_delta(100000000)', '3 years, 2 months, 1 day, 9 hours, 46 minutes and 40 seconds'],
    ['format_readable_time_delta(-5.5)', '-5 seconds'],
    ['format_readable_time_delta(0)', '0 seconds'],
  ]);
  for (const pattern of ['{} {0}', '{', 'a}', '{5}']) {
    t.is(await errorOf(`format('${pattern}', 'a')`), 36, pattern);
  }
});

test('keys and values, and grok', async (t) => {
  await expect(t, [
    ["extract_key_value_pairs('a : 1, b:2')", "{'b':'2'}"],
    ['extract_key_value_pairs(\'"a b":1 b:"2,3"\')', "{'a b':'1','b':'2,3'}"],
    ["extract_key_value_pairs('abc')", '{}'],
    [
      "grok('192.0.2.1 GET /a?b=1', '%{IP:client} %{WORD:method} %{URIPATHPARAM:path}')",
      "{'client':'192.0.2.1','method':'GET','path':'/a?b=1'}",
    ],
    ["grok('x', '%{INT:n}')", '{}'],
    ["grok('a-1', '(a)-%{INT:n}')", "{'n':'1'}"],
  ]);
  t.is(await errorOf("grok('x', '%{NOTHING:n}')"), 36);
});

test('addresses and identifiers', async (t) => {
  await expect(t, [
    ["is_ip_address_in_range('127.0.0.1', 'ffff::/16')", 'false'],
    ["ipv4_string_to_num_or_null('1.2.3')", '\\N'],
    ["cut_ipv6(to_ipv6('::ffff:1.2.3.4'), 2, 1)", '::ffff:1.2.3.0'],
    ['substring(to_string(generate_uuidv7()), 15, 1)', '7'],
    ['substring(to_string(generate_uuidv4()), 15, 1)', '4'],
  ]);
  t.is(await errorOf("ipv4_string_to_num('1.2.3')"), 675);
  const { rows } = await runSelect('SELECT generate_uuidv7() FROM numbers(1000)');
  const ids = rows.map(([id]) => id as bigint);
  t.true(ids.every((id, index) => index === 0 || id > ids[index - 1]!));
});
