import test from 'ava';
import { printSql } from '../../src/ast/index.ts';
import { parseExpression, parseQuery, parseStatement } from '../../src/parser/index.ts';

/** What is written, and how the tree that is made of it prints: the precedence, order and meaning that were read. */
const expressions: readonly (readonly [string, string])[] = [
  ['1+2*3', '1 + 2 * 3'],
  ['a or b and not c = d', 'a OR b AND NOT c = d'],
  ['not a between 1 and 2 and b', 'NOT a BETWEEN 1 AND 2 AND b'],
  ['a||b+1', 'a || b + 1'],
  ['-a::int8', '-(a::int8)'],
  ['- 5 :: int8', '-5::int8'],
  ['a == b', 'a = b'],
  ['a <> b', 'a != b'],
  ['a MOD b DIV c', 'a % b DIV c'],
  ['c ? 1 : d ? 2 : 3', 'if(c, 1, if(d, 2, 3))'],
  ['c?a:b', 'if(c, a, b)'],
  ['f(c ? raw:a : 0, raw:b)', 'f(if(c, raw:a, 0), raw:b)'],
  ['"a b"."c"', '`a b`.c'],
  ["'\\x41\\xe2\\x82\\xac\\q''\\N'", "'A€\\\\q\\''"],
  ["$x$ a'b $x$", "' a\\'b '"],
  ['0x1F', '0x1F'],
  ['1_000.5e1_0', '1000.5e10'],
  ['5S', 'INTERVAL 5 SECOND'],
  ['3m + 3M', 'INTERVAL 3 MINUTE + INTERVAL 3 MONTH'],
  ["INTERVAL '7 days'", 'INTERVAL 7 DAY'],
  ['x::Decimal( 10 ,2 )::double  precision', 'x::Decimal(10, 2)::double precision'],
  ["e::Enum8('a'=1,'b' = -2)", "e::Enum8('a' = 1, 'b' = -2)"],
  ['a in (1)', 'a IN (1,)'],
  ['(a,b)->a', '(a, b) -> a'],
  ['x.1.2', 'x.1.2'],
  ['position(a in b)', 'position(b, a)'],
  ['extract(YEAR from d)', 'to_year(d)'],
  ['date_add(hour, 2, t)', 'plus(t, INTERVAL 2 HOUR)'],
  ['datediff(day, a, b)', "datediff('day', a, b)"],
  ['99080_stream', '`99080_stream`'],
  ['/* c */ 1 -- d\n + # e\n 2 #! f', '1 + 2'],
  ['count(*)::uint8', 'count(*)::uint8'],
  ['{a:Array(Int8)}', '{a:Array(Int8)}'],
  ["{ 'k' : raw:v }", "{'k': raw:v}"],
];

for (const [sql, printed] of expressions) {
  test(`expression: ${sql}`, (t) => {
    t.is(printSql(parseExpression(sql)), printed);
  });
}

const queries: readonly (readonly [string, string])[] = [
  ['from t select a where b', 'SELECT a FROM t WHERE b'],
  ['select a b, from t x', 'SELECT a AS b FROM t AS x'],
  ['select a from t limit 5, 10', 'SELECT a FROM t LIMIT 10 OFFSET 5'],
  ['select 1 union all select 2 intersect select 3', 'SELECT 1 UNION ALL (SELECT 2 INTERSECT SELECT 3)'],
  ['select 1 except select 2 union select 3', '(SELECT 1 EXCEPT SELECT 2) UNION SELECT 3'],
  ['((select 1) union all select 2)', 'SELECT 1 UNION ALL SELECT 2'],
  ['with x as (select 1) select 1 union all select 2', 'WITH x AS (SELECT 1) SELECT 1 UNION ALL SELECT 2'],
  ['select * from a left any join b using k', 'SELECT * FROM a ANY LEFT JOIN b USING (k)'],
  ['select * from a semi join b using k', 'SELECT * FROM a SEMI LEFT JOIN b USING (k)'],
  ['select * from ((select 1)) x', 'SELECT * FROM (SELECT 1) AS x'],
  [
    'select a from t emit periodic 1s on update',
    'SELECT a FROM t EMIT ON UPDATE WITH BATCH INTERVAL 1 SECOND',
  ],
  ['select a from t emit stream limit 3', 'SELECT a FROM t LIMIT 3 EMIT STREAM'],
  ['select a from t emit after watermark', 'SELECT a FROM t EMIT AFTER WINDOW CLOSE'],
  ['select a from t settings x = y', "SELECT a FROM t SETTINGS x = 'y'"],
  ['select a from t offset 1 row fetch first 2 rows only', 'SELECT a FROM t LIMIT 2 OFFSET 1'],
  ['select left, right from t left join u on a = b', 'SELECT left, right FROM t LEFT JOIN u ON a = b'],
];

for (const [sql, printed] of queries) {
  test(`query: ${sql}`, (t) => {
    t.is(printSql(parseQuery(sql)), printed);
  });
}

test('numbers keep their exact value and their text', (t) => {
  const literal = (sql: string) => parseExpression(sql) as { type: string; value: unknown; text: string };
  t.like(literal('18446744073709551615'), { type: 'integer', value: 18446744073709551615n });
  t.like(literal('-9_223'), { type: 'integer', value: -9223n, text: '-9223' });
  t.like(literal('0b1010'), { type: 'integer', value: 10n });
  t.like(literal('1.10'), { type: 'float', value: 1.1, text: '1.10' });
  t.like(literal('-inf'), { type: 'float', value: Number.NEGATIVE_INFINITY });
  t.is(literal('nan').value, Number.NaN);
});

test('positions are UTF-16 offsets of the whole text', (t) => {
  const sql = "SELECT '😀', abc FROM t";
  const query = parseQuery(sql);
  t.true(query.kind === 'select');
  if (query.kind !== 'select') return;
  const [emoji, column] = query.projection;
  t.is(sql.slice(emoji!.pos.start, emoji!.pos.end), "'😀'");
  t.is(sql.slice(column!.pos.start, column!.pos.end), 'abc');
  t.is(sql.slice(query.from!.pos.start, query.from!.pos.end), 't');
});

test('the output clause of EXPLAIN is its own', (t) => {
  const explain = parseStatement('EXPLAIN SELECT 1 SETTINGS a = 1 FORMAT JSON SETTINGS b = 2');
  t.true(explain.kind === 'explain');
  if (explain.kind !== 'explain') return;
  t.is(explain.output.format, 'JSON');
  t.is(explain.output.settings[0]!.name, 'b');
  t.like(explain.statement, { kind: 'query', output: { format: null } });
});

test('statements of relatives are recognised by name', (t) => {
  for (const [sql, what] of [
    ["BACKUP TABLE t TO Disk('d', 'x')", 'BACKUP'],
    ['create  named collection c as a = 1', 'CREATE NAMED COLLECTION'],
    ['ATTACH TABLE t', 'ATTACH'],
    ['ALTER ROLE r SETTINGS a = 1', 'ALTER ROLE'],
    ["CREATE REMOTE FUNCTION f(x string) RETURNS string URL 'u'", 'CREATE REMOTE FUNCTION'],
  ] as const) {
    t.like(parseStatement(sql), { kind: 'unsupported_statement', what, text: sql });
  }
});
