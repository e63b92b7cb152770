import test from 'ava';
import { SluiceLexer } from '../../generated/SluiceLexer.ts';
import { expressionName, quoteName, reservedWords } from '../../src/ast/index.ts';
import { parseExpression, parseQuery, parseStatement } from '../../src/parser/index.ts';

/** Every word that the lexer reads as a keyword. */
const keywords = SluiceLexer.literalNames.flatMap((name) => {
  const word = name?.replaceAll("'", '') ?? '';
  return /^[A-Z_]+$/.test(word) ? [word] : [];
});

test('the lexer has keywords', (t) => {
  t.true(keywords.length > 200);
  for (const word of reservedWords) t.true(keywords.includes(word), word);
});

test('keywords that are not reserved are names of columns, tables, aliases, settings and functions', (t) => {
  for (const word of keywords) {
    if (reservedWords.has(word)) continue;
    const name = word.toLowerCase();
    t.notThrows(
      () => parseStatement(`SELECT ${name}, t.${name}, ${name} + 1 AS ${name} FROM ${name} AS ${name}`),
      word,
    );
    t.notThrows(
      () => parseStatement(`SELECT a FROM d.${name} WHERE ${name} = 1 GROUP BY ${name} ORDER BY ${name}`),
      word,
    );
    t.notThrows(
      () => parseStatement(`CREATE STREAM ${name} (${name} int32, b int32) SETTINGS ${name} = 1`),
      word,
    );
    t.notThrows(() => parseStatement(`INSERT INTO ${name} (${name}) SELECT ${name} FROM ${name}`), word);
    t.like(parseExpression(`raw:${name}.${name}`), { kind: 'json_path' }, word);
    // INTERVAL (x) DAY is the literal.
    if (word !== 'INTERVAL') t.notThrows(() => parseExpression(`${name}(1) + ${name}(a, b)`), word);
  }
});

test('reserved words are no names unless they are quoted', (t) => {
  for (const word of reservedWords) {
    t.throws(() => parseQuery(`SELECT 1 AS ${word} FROM t`), { code: 62 } as object, word);
    t.notThrows(() => parseQuery(`SELECT \`${word}\` AS "${word}", t.${word} FROM t`), word);
    t.is(quoteName(word.toLowerCase()), `\`${word.toLowerCase()}\``);
  }
});

test('names are quoted when they have to be', (t) => {
  t.is(quoteName('abc_1'), 'abc_1');
  t.is(quoteName('1a'), '`1a`');
  t.is(quoteName('a`b\\c\n'), '`a\\`b\\\\c\\n`');
  t.is(quoteName(''), '``');
});

const columnNames: readonly (readonly [string, string])[] = [
  ['a', 'a'],
  ['t.a', 't.a'],
  ['a AS b', 'b'],
  ['a + 1', 'plus(a, 1)'],
  ['-a', 'negate(a)'],
  ['a AND b AND NOT c', 'and(a, b, not(c))'],
  ['a = 1 OR b != 2', 'or(equals(a, 1), not_equals(b, 2))'],
  ["'it''s'", "'it\\'s'"],
  ['count()', 'count()'],
  ['count(*)', 'count()'],
  ['count(DISTINCT a)', 'count(DISTINCT a)'],
  ['quantile(0.9)(x)', 'quantile(0.9)(x)'],
  ['raw:a.b[1]', 'raw:a.b[1]'],
  ['x::int', "cast(x, 'int')"],
  ['CAST(x AS decimal(10,2))', "cast(x, 'decimal(10, 2)')"],
  ['a[1]', 'array_element(a, 1)'],
  ['t.1', 'tuple_element(t, 1)'],
  ['[1, a]', '[1, a]'],
  ['(1, a)', '(1, a)'],
  ["{'a': 1}", "map('a', 1)"],
  ['5s', 'to_interval_second(5)'],
  ['a BETWEEN 1 AND 2', 'and(greater_or_equals(a, 1), less_or_equals(a, 2))'],
  ['a NOT BETWEEN 1 AND 2', 'or(less(a, 1), greater(a, 2))'],
  ['CASE WHEN a THEN 1 ELSE 2 END', 'multi_if(a, 1, 2)'],
  ['c ? 1 : 2', 'if(c, 1, 2)'],
  ['a IN (1, 2)', 'in(a, (1, 2))'],
  ['array_map(x -> x + 1, a)', 'array_map(lambda((x), plus(x, 1)), a)'],
  [
    'sum(a) OVER (PARTITION BY b + 1 ORDER BY c DESC)',
    'sum(a) OVER (PARTITION BY plus(b, 1) ORDER BY c DESC)',
  ],
  ['row_number() OVER (ORDER BY a)', 'row_number() OVER (ORDER BY a ASC)'],
];

for (const [sql, name] of columnNames) {
  test(`column name of ${sql}`, (t) => {
    t.is(expressionName(parseExpression(sql)), name);
  });
}
