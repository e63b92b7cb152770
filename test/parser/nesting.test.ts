import test from 'ava';
import { SluiceError } from '../../src/base/index.ts';
import { parseExpression, parseStatement } from '../../src/parser/index.ts';

const shapes: readonly (readonly [string, (n: number) => string])[] = [
  ['parentheses', (n) => '('.repeat(n) + '1' + ')'.repeat(n)],
  ['open parentheses', (n) => '('.repeat(n)],
  ['sums in parentheses', (n) => '(1+'.repeat(n) + '1' + ')'.repeat(n)],
  ['subqueries', (n) => '(SELECT '.repeat(n) + '1' + ')'.repeat(n)],
  ['calls', (n) => 'f('.repeat(n) + '1' + ')'.repeat(n)],
  ['arrays', (n) => '['.repeat(n) + '1' + ']'.repeat(n)],
  ['NOT', (n) => 'NOT '.repeat(n) + '1'],
  ['minus', (n) => '- '.repeat(n) + '1'],
  ['CASE', (n) => 'CASE WHEN 1 THEN '.repeat(n) + '1' + ' END'.repeat(n)],
  ['CASE operands', (n) => 'CASE '.repeat(n) + '1' + ' WHEN 1 THEN 1 END'.repeat(n)],
  ['ternaries', (n) => 'a ? b : '.repeat(n) + '1'],
  ['lambdas', (n) => 'x -> '.repeat(n) + '1'],
  ['sums', (n) => '1+'.repeat(n) + '1'],
  ['casts', (n) => '1' + '::int'.repeat(n)],
  ['subscripts', (n) => 'a' + '[1]'.repeat(n)],
  ['comparisons', (n) => 'a' + ' = 1'.repeat(n)],
  ['intervals', (n) => 'INTERVAL ('.repeat(n) + '1' + ') DAY'.repeat(n)],
  ['types', (n) => 'x::' + 'array('.repeat(n) + 'int' + ')'.repeat(n)],
];

for (const [name, make] of shapes) {
  test(`10,000 nested ${name} are refused`, (t) => {
    const error = t.throws(() => parseExpression(make(10_000)), { instanceOf: SluiceError });
    t.is(error!.errorName, 'TOO_DEEP_AST');
  });
}

test('statements that nest are refused as well', (t) => {
  for (const sql of [
    `${'EXPLAIN '.repeat(10_000)}SELECT 1`,
    `SELECT * FROM ${'(SELECT * FROM '.repeat(10_000)}t${')'.repeat(10_000)}`,
    `SELECT * FROM a${' JOIN b USING k'.repeat(10_000)}`,
    `SELECT 1${' UNION ALL SELECT 1 UNION DISTINCT SELECT 2'.repeat(5_000)}`,
  ]) {
    const error = t.throws(() => parseStatement(sql), { instanceOf: SluiceError });
    t.is(error!.errorName, 'TOO_DEEP_AST');
  }
});

test('long flat queries are no deep ones', (t) => {
  const n = 10_000;
  for (const sql of [
    `SELECT ${'a AND '.repeat(n)}b`,
    `SELECT ${'NOT (a) OR '.repeat(n)}b`,
    `SELECT ${'a || '.repeat(n)}b`,
    `SELECT ${'-a, '.repeat(n)}b`,
    `SELECT ${'CASE WHEN a THEN b END, '.repeat(n)}b`,
    `SELECT x IN (${'1, '.repeat(n)}1)`,
    `SELECT 1${' UNION ALL SELECT 1'.repeat(n)}`,
  ]) {
    t.notThrows(() => parseStatement(sql), sql.slice(0, 40));
  }
});

test('the limit holds exactly', (t) => {
  t.notThrows(() => parseExpression('((1))', { maxDepth: 2 }));
  t.throws(() => parseExpression('((1))', { maxDepth: 1 }), {
    message: /nested too deeply at line 1, column 2/,
  });
});

test('what an unclosed quotation or comment repeats costs one look', (t) => {
  const n = 80_000;
  t.throws(() => parseExpression(`'${"\\'".repeat(n)}`), { message: /not closed/ });
  t.throws(() => parseExpression(`1 ${'/* '.repeat(n)}`), { message: /not closed/ });
});
