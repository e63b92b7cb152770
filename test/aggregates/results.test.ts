import test from 'ava';
import { formatText } from '../../src/types/index.ts';
import { errorOf, runSelect } from '../functions/evaluate.ts';
import { aggregateValues } from './aggregate-values.ts';

const rowsOfTen = `(SELECT number AS n, to_float64(number) * 1.5 AS f, number % 3 AS k, to_string(number % 3) AS s,
  if(number % 4 = 0, NULL, number) AS u FROM numbers(10))`;

async function text(sql: string): Promise<string> {
  const { types, rows } = await runSelect(sql);
  const value = rows[0]?.[0];
  return value === null || value === undefined ? '\\N' : formatText(types[0]!, value);
}

test('results over ten rows', async (t) => {
  for (const [expression, , value] of aggregateValues) {
    t.is(await text(`SELECT ${expression} FROM ${rowsOfTen}`), value, expression);
  }
});

test('the spellings of streaming SQL', async (t) => {
  const wanted: readonly (readonly [string, string])[] = [
    ['quantile(f, 0.5)', '6.75'],
    ['p90(n)', '8.1'],
    ['top_k(k, 2)', '[(0,4),(1,3)]'],
    ['top_k(k, 2, false)', '[0,1]'],
    ['min_k(n, 2)', '[0,1]'],
    ['max_k(n, 2, s)', "[(9,'0'),(8,'2')]"],
    ['group_array_last(n, 2)', '[8,9]'],
    ['group_array_sorted(f, 2)', '[0,1.5]'],
    ['count_distinct(k)', '3'],
    ['unique(k)', '3'],
    ['moving_sum(n)', '[0,1,3,6,10,15,21,28,36,45]'],
    ["string_agg(s, '-')", '0-1-2-0-1-2-0-1-2-0'],
    ['latest(n)', '9'],
    ['earliest(n)', '0'],
    ['arg_max(s, n)', '0'],
  ];
  for (const [expression, value] of wanted)
    t.is(await text(`SELECT ${expression} FROM ${rowsOfTen}`), value, expression);
});

test('uniq is exact up to 65,536 values and within 3 % beyond', async (t) => {
  t.is(await text('SELECT uniq(number % 65536) FROM numbers(200000)'), '65536');
  const estimate = Number(await text('SELECT uniq(number) FROM numbers(300000)'));
  t.true(Math.abs(estimate - 300_000) < 9_000, String(estimate));
  const texts = Number(await text('SELECT uniq(to_string(number)) FROM numbers(100000)'));
  t.true(Math.abs(texts - 100_000) < 3_000, String(texts));
});

test('a quantile of many values is near the true one', async (t) => {
  const median = Number(await text('SELECT median(number) FROM numbers(200000)'));
  t.true(Math.abs(median - 100_000) < 4_000, String(median));
});

test('groups have states of their own', async (t) => {
  const { rows } = await runSelect(
    `SELECT k, group_array(n), var_pop(n), uniq_exact(s), arg_max(n, f) FROM ${rowsOfTen} GROUP BY k ORDER BY k`,
  );
  t.deepEqual(rows, [
    [0, [0, 3, 6, 9], 11.25, 1, 9],
    [1, [1, 4, 7], 6, 1, 7],
    [2, [2, 5, 8], 6, 1, 8],
  ]);
});

test('wrong parameters are told', async (t) => {
  t.is(await errorOf('quantile(2)(1)'), 69);
  t.is(await errorOf('group_array(0)(1)'), 69);
  t.is(await errorOf("var_pop('a')"), 43);
  t.is(await errorOf('top_k(1, number) FROM numbers(1)'), 36);
});
