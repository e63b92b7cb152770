import test from 'ava';
import { startTest } from '../http/support.ts';

/** What somebody types on the first day: the statement, and the answer's text or the words that its error has to say. */
const typed: readonly (readonly [what: string, statement: string, answer: string | RegExp])[] = [
  ['a trailing semicolon', 'SELECT 1;', '1\n'],
  ['several semicolons', 'SELECT 1;;\n', '1\n'],
  ['a byte order mark', '\ufeffSELECT 1', '1\n'],
  ['Windows line ends', 'SELECT\r\n  1\r\n', '1\n'],
  ['remarks of every kind', '-- one\n/* two */ SELECT 1 # three', '1\n'],
  ['spaces that a web page made', 'SELECT\u00a01', '1\n'],
  ['a type in another spelling', 'CREATE TABLE other (a Int, b VARCHAR(20), c BOOLEAN)', ''],
  [
    'keywords as column names',
    'CREATE STREAM words (`select` int32, "from" string, date date, order int32)',
    '',
  ],
  ['a very long line', `SELECT length('${'x'.repeat(100_000)}')`, '100000\n'],
  ['a list of JSON rows', 'INSERT INTO t FORMAT JSONEachRow [{"id":1,"name":"a"},{"id":2,"name":"b"}]', ''],
  ['rows with Windows line ends', 'INSERT INTO t FORMAT CSV\r\n3,c\r\n', ''],
  ['nothing', '', /the query is empty/],
  ['a remark alone', '-- SELECT 1', /the query is empty/],
  ['two statements', 'SELECT 1; SELECT 2', /line 1, column 11 \('SELECT'\).*one statement is run at a time/],
  ['a misspelt keyword', 'SELCT 1', /Maybe you meant 'SELECT'/],
  ['FORM for FROM', 'SELECT * FORM table(t)', /Maybe you meant 'FROM'/],
  ['a JSON body', '{"query": "SELECT 1"}', /expected a statement.*INSERT INTO <stream> FORMAT JSONEachRow/],
  ['a form body', 'query=SELECT 1', /without 'query=' before it/],
  ['JSON without FORMAT', 'INSERT INTO t {"id":1}', /FORMAT JSONEachRow before rows of JSON/],
  ['no format after FORMAT', 'SELECT 1 FORMAT', /expected the name of a format/],
  ['double quotes', 'SELECT * FROM table(t) WHERE name = "a"', /Unknown column 'a'.*single quotes/],
  ['double quotes in VALUES', 'INSERT INTO t VALUES (1, "a")', /single quotes, 'a'/],
  ['curly quotes', 'SELECT ‘a’', /straight single quotes/],
  ['a quote inside a string', "INSERT INTO t VALUES (1, 'it's')", /written twice/],
  ['a string that is not closed', "SELECT 'a", /not closed/],
  ['a keyword as a name', 'SELECT 1 AS select', /select is a keyword, as a name it is written `select`/],
  ['a keyword as a column', 'CREATE STREAM x (select int32)', /written `select`/],
  ['a placeholder of other systems', 'SELECT ?', /\{name:type\}/],
  ['a numbered placeholder', 'SELECT $1', /\{name:type\}/],
  ['TOP', 'SELECT TOP 5 * FROM table(t)', /LIMIT 5/],
  ['an engine', 'CREATE TABLE x (a Int32) ENGINE = MergeTree ORDER BY a', /ENGINE.*leave it out/],
  ['CSV with a header', 'INSERT INTO t FORMAT CSV\nid,name\n1,a\n', /row 1, column 'id'.*CSVWithNames/],
  ['a quoted stream in table()', "SELECT * FROM table('t')", /without quotes, such as table\(events\)/],
  ['an unknown column', 'SELECT nme FROM table(t)', /Maybe you meant 'name'/],
  ['too few values', 'INSERT INTO t VALUES (1)', /1 value, expected 2: nothing is given for name/],
  [
    'an unknown field',
    'INSERT INTO t FORMAT JSONEachRow {"id":1,"nam":"x"}',
    /Unknown field 'nam'\. Maybe you meant 'name'/,
  ],
];

test('What a newcomer types is run, or answered with what was wrong and what to write instead', async (t) => {
  const server = await startTest(t);
  await server.ok('CREATE STREAM t (id int32, name string)');
  for (const [what, statement, answer] of typed) {
    const got = await server.sql(statement);
    if (typeof answer === 'string') {
      t.deepEqual([got.status, got.text], [200, answer], what);
    } else {
      t.is(got.status, 400, what);
      t.regex((JSON.parse(got.text) as { exception: string }).exception, answer, what);
    }
  }
});
