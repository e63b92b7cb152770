import test from 'ava';
import { SluiceError } from '../../src/base/index.ts';
import { parseExpression, parseStatement } from '../../src/parser/index.ts';

function messageOf(sql: string): string {
  try {
    parseStatement(sql);
  } catch (error) {
    if (error instanceof SluiceError && error.errorName === 'SYNTAX_ERROR') return error.message;
    throw error;
  }
  return 'no error';
}

const at = (line: number, column: number, found: string) =>
  `Syntax error: failed at line ${line}, column ${column} (${found}): `;

const clauses = 'FROM, WHERE, GROUP, ORDER, LIMIT, EMIT, SETTINGS, FORMAT, ...';

const cases: readonly (readonly [string, string])[] = [
  ['', 'Syntax error: the query is empty'],
  [
    'SELEC 1',
    `${at(1, 1, "'SELEC'")}expected a statement, such as SELECT, INSERT, CREATE or SHOW. Maybe you meant 'SELECT'`,
  ],
  ['SELECT 1 +', `${at(1, 11, 'end of query')}expected an expression`],
  ['SELECT FROM t', `${at(1, 8, "'FROM'")}expected one of: an expression, ALL, DISTINCT`],
  ['SELECT a FROM', `${at(1, 14, 'end of query')}expected one of: an identifier, '('`],
  ['select\n  a,\n  b c d\nfrom t', `${at(3, 7, "'d'")}expected one of: ${clauses}`],
  ['SELECT a FROM t GROUP a', `${at(1, 23, "'a'")}expected BY`],
  ['SELECT a,, b', `${at(1, 10, "','")}expected one of: ${clauses}`],
  ['SELECT 1 SETTINGS a', `${at(1, 20, 'end of query')}expected one of: '=', '.'`],
  ['SELECT a IS 5', `${at(1, 13, "'5'")}expected one of: DISTINCT, NOT, NULL`],
  [
    'SELECT a FROM t EMIT AFTER',
    `${at(1, 27, 'end of query')}expected one of: KEY, SESSION, WATERMARK, WINDOW`,
  ],
  ["SELECT 'abc", `${at(1, 8, "''abc'")}the string that begins here is not closed, expected '`],
  ['SELECT `abc', `${at(1, 8, "'`abc'")}the quoted name that begins here is not closed, expected \``],
  ['SELECT "abc', `${at(1, 8, "'\"abc'")}the quoted name that begins here is not closed, expected "`],
  ['SELECT 1 /* abc', `${at(1, 10, "'/* abc'")}the comment that begins here is not closed, expected */`],
  ['SELECT $t$abc$$', `${at(1, 8, "'$t$abc$$'")}the heredoc that begins here is not closed, expected $t$`],
  ['SELECT f(a, (b)', `${at(1, 9, "'('")}the bracket that opens here is not closed, expected )`],
  ['SELECT a)', `${at(1, 9, "')'")}no bracket is open that this one could close`],
  ['SELECT [1, 2)', `${at(1, 13, "')'")}expected ], which would close the [ at line 1, column 8`],
  ['SELECT (1}', `${at(1, 10, "'}'")}expected ), which would close the ( at line 1, column 8`],
  ['SELECT @', `${at(1, 8, "'@'")}this character begins no token of SQL`],
  ['SELECT 😀', `${at(1, 8, "'😀'")}this character begins no token of SQL`],
  ['SELECT 1\0', `${at(1, 9, "'U+0000'")}the character NUL is not allowed in SQL, write '\\0' in a string`],
  ["SELECT '\ud800'", `${at(1, 9, "'U+D800'")}half of a surrogate pair is no character`],
  ['SELECT a WHERE b WHERE c', `${at(1, 18, "'WHERE'")}the WHERE clause is already given`],
  ['SELECT a LIMIT 1 WHERE b', `${at(1, 18, "'WHERE'")}the WHERE clause is expected before LIMIT`],
  ['SELECT * FROM a JOIN b', `${at(1, 17, "'JOIN'")}expected ON or USING after the joined table`],
  [
    'SELECT INTERVAL 5 dayz',
    `${at(1, 19, "'dayz'")}expected a unit of time, such as second, minute, hour or day. Maybe you meant 'day'`,
  ],
  ['SELECT (a + 1) -> 2', `${at(1, 8, "'('")}expected a name or a list of names before ->`],
  [
    'CREATE STREEM x',
    `${at(1, 8, "'STREEM'")}expected what it defines, such as STREAM, VIEW, FUNCTION or USER. Maybe you meant 'STREAM'`,
  ],
  [
    'CREATE STREAM t (a)',
    `${at(1, 18, "'a'")}expected a type or a default expression after the name of the column a`,
  ],
  [
    'SHOW STREEMS',
    `${at(1, 6, "'STREEMS'")}expected what SHOW lists, such as STREAMS, TABLES, DATABASES or FUNCTIONS. Maybe you meant 'STREAMS'`,
  ],
  [
    'EXPLAIN SINTAX SELECT 1',
    `${at(1, 9, "'SINTAX'")}expected AST, SYNTAX, PLAN, PIPELINE, COMPILED, ESTIMATE or a statement`,
  ],
];

for (const [sql, message] of cases) {
  test(`error: ${JSON.stringify(sql)}`, (t) => {
    t.is(messageOf(sql), message);
  });
}

test('a misspelt clause that was read as an alias is suggested', (t) => {
  t.regex(messageOf('SELECT a FROM t WHER x'), /column 22 \('x'\).*Maybe you meant 'WHERE'$/);
  t.regex(
    messageOf('SELECT a FROM t EMIT PERIODC 5s'),
    /column 22 \('PERIODC'\).*Maybe you meant 'PERIODIC'$/,
  );
  t.regex(messageOf('INSERT INTO t (a) VALES (1)'), /Maybe you meant 'VALUES'$/);
});

test('long texts are shortened in messages', (t) => {
  t.true(messageOf(`SELECT 'a${'b'.repeat(1000)}`).length < 200);
});

test('the length of the text is limited in bytes', (t) => {
  const error = t.throws(() => parseStatement(`SELECT '${'é'.repeat(40)}'`, { maxBytes: 88 }));
  t.regex(error!.message, /the query has 89 bytes, at most 88 are allowed/);
  t.notThrows(() => parseStatement(`SELECT '${'é'.repeat(40)}'`, { maxBytes: 89 }));
});

test('an expression is read to its end', (t) => {
  t.throws(() => parseExpression('1 2'), { message: /column 3 \('2'\)/ });
  t.is(parseExpression('f(1 + 2, 3)', { start: 2, end: 7 }).kind, 'call');
});
