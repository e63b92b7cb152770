import test from 'ava';
import { typeName } from '../../src/types/index.ts';
import { errorOf, runSelect, textOf } from '../functions/evaluate.ts';
import { arrayValues } from './array-values.ts';
import { dateValues } from './date-values.ts';
import { numberValues } from './number-values.ts';

const tables = { dates: dateValues, numbers: numberValues, arrays: arrayValues };

for (const [name, table] of Object.entries(tables)) {
  test(`values and types of ${name}`, async (t) => {
    for (const [expression, type, value] of table) {
      const { types } = await runSelect(`SELECT ${expression}`);
      t.is(typeName(types[0]!), type, expression);
      t.is(await textOf(expression), value, expression);
    }
  });
}

test('the same functions over columns give what they give for constants', async (t) => {
  const { rows } = await runSelect(`
    SELECT to_start_of_hour(t) = to_datetime('2024-03-31 01:00:00') + int_div(number, 4) * 3600,
           to_start_of_interval(t, INTERVAL 5 MINUTE) = t - to_minute(t) % 5 * 60,
           to_start_of_day(t, 'Europe/Vienna') <= t,
           to_hour(t, 'Europe/Vienna') = to_hour(to_timezone(t, 'Europe/Vienna')),
           array_map(x -> x + number, [1, 2]) = [1 + number, 2 + number],
           array_filter(x -> x > number, range(20)) = range(number + 1, 20),
           array_element([10, 20, 30], 1 + number % 3) = 10 * (1 + number % 3)
    FROM (SELECT number, to_datetime('2024-03-31 01:00:00') + number * 900 AS t FROM numbers(10))`);
  t.is(rows.length, 10);
  for (const row of rows) t.deepEqual(row, [1, 1, 1, 1, 1, 1, 1]);
});

test('a day that a clock change makes 23 hours long', async (t) => {
  const day = "to_datetime('2024-03-31 12:00:00', 'Europe/Vienna')";
  t.is(await textOf(`to_start_of_day(${day})`), '2024-03-31 00:00:00');
  t.is(await textOf(`date_diff('hour', to_start_of_day(${day}), ${day})`), '11');
  t.is(await textOf(`date_diff('day', ${day}, add_days(${day}, 1))`), '1');
  t.is(await textOf(`to_unix_timestamp(add_days(${day}, 1)) - to_unix_timestamp(${day})`), '86400');
});

test('NULL arguments make the result NULL, and NULLs inside arrays are elements', async (t) => {
  t.is(await textOf('to_hour(CAST(NULL AS nullable(datetime)))'), '\\N');
  t.is(await textOf("date_trunc('day', CAST(NULL AS nullable(datetime)))"), '\\N');
  t.is(await textOf('abs(CAST(NULL AS nullable(int8)))'), '\\N');
  t.is(await textOf('array_map(x -> x + 1, [1, NULL])'), '[2,NULL]');
  t.is(await textOf('array_sum([1, NULL, 2])'), '3');
  t.is(await textOf('[1, 2][CAST(NULL AS nullable(int8))]'), '\\N');
});

test('what functions refuse', async (t) => {
  const wanted: readonly (readonly [string, number])[] = [
    ["to_hour('text')", 43],
    ["to_hour(to_date('2024-01-01'))", 43],
    ["date_trunc('eon', now())", 36],
    ['to_start_of_interval(now(), INTERVAL 0 SECOND)', 69],
    ["to_year(now(), 'Nowhere/Land')", 36],
    ["format_datetime(now(), '%q')", 36],
    ["parse_datetime('31/31/2024', '%d/%m/%Y')", 41],
    ['now64(12)', 69],
    ['array_map(1, [1])', 43],
    ['array_map((x, y) -> x, [1])', 42],
    ['array_map((x, y) -> x, [1], [1, 2])', 190],
    ['array_zip([1], [1, 2])', 190],
    ['array_join([1])', 48],
    ['tuple_element((1, 2), 3)', 10],
    ["map('a')", 42],
    ['map(NULL, 1)', 36],
    ["has([1], 'a')", 43],
    ['factorial(21)', 36],
    ["array_reduce('nothing_known', [1])", 63],
    ['bit_and(1.5, 1)', 43],
  ];
  for (const [expression, code] of wanted) t.is(await errorOf(expression), code, expression);
});

test('no function makes an array without end', async (t) => {
  for (const expression of [
    'range(100000000000)',
    'range(0, 18446744073709551615)',
    'array_resize([1], 2000000000)',
    'array_resize([1], -2000000000)',
    "array_with_constant(2000000000, 'x')",
    'map_populate_series(map(0, 1, 4000000000, 2))',
  ]) {
    t.is(await errorOf(expression), 128, expression);
  }
  t.is(await textOf('array_count(x -> 1, range(1000000))'), '1000000');
  t.is(await errorOf('range(1000001)'), 128);
});
