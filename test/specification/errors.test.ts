import test from 'ava';
import { errorOf, startTest } from '../http/support.ts';

test('Status and code per condition', async (t) => {
  const server = await startTest(t);
  await server.ok('CREATE STREAM s (a int32, b string)');
  for (const [condition, text, status, code] of [
    ['syntax error', 'SELECT FROM WHERE', 400, 62],
    ['input that cannot be parsed', 'INSERT INTO s FORMAT CSV\nx,y\n', 400, 27],
    ['data that is incomplete', 'INSERT INTO s FORMAT CSV\n1\n', 400, 117],
    ['bad arguments', 'SELECT * FROM table(s) LIMIT -1', 400, 36],
    ['number of arguments', 'SELECT lower()', 400, 42],
    ['illegal type of argument', 'SELECT lower(1)', 400, 43],
    ['unknown function', 'SELECT lowr(1)', 400, 46],
    ['unknown identifier', 'SELECT c FROM table(s)', 400, 47],
    ['unknown type', 'CREATE STREAM x (a in32)', 400, 50],
    ['already exists', 'CREATE STREAM s (a int32)', 400, 57],
    ['table not found', 'SELECT * FROM table(nothing)', 404, 60],
    ['stream not found', 'SELECT * FROM nothing', 404, 60],
    ['target not found', 'INSERT INTO nothing VALUES (1)', 404, 60],
    ['nothing to drop', 'DROP STREAM nothing', 404, 60],
    ['unknown format', 'SELECT 1 FORMAT Jsn', 400, 73],
    ['database not found', 'SELECT * FROM table(nowhere.s)', 404, 81],
    ['unknown setting', 'SELECT 1 SETTINGS max_thread = 1', 400, 115],
    ['division by zero', 'SELECT intDiv(1, 0)', 400, 153],
    [
      'too many rows',
      'SELECT count() FROM numbers(10) WHERE number > 2 SETTINGS max_rows_to_read = 5',
      400,
      158,
    ],
    ['timeout', 'SELECT sum(number) FROM numbers(100000000000) SETTINGS max_execution_time = 0.01', 400, 159],
    ['NULL into a NOT NULL column', 'INSERT INTO s VALUES (NULL, NULL)', 400, 349],
  ] as const) {
    const answer = await server.sql(text);
    t.is(answer.status, status, `${condition}: ${answer.text}`);
    t.is(errorOf(t, answer).code, code, condition);
  }
  t.is((await server.sql('SELECT 1')).status, 200, 'query executed successfully');
});

test("1. and 2. The body is {exception: 'Code: <n>. DB::Exception: <message>'}; 60 is Table <db>.<name> doesn't exist", async (t) => {
  const server = await startTest(t);
  const answer = await server.sql('SELECT * FROM table(nothing)');
  t.is(answer.status, 404);
  t.is(answer.headers['content-type']?.split(';')[0], 'application/json');
  t.is(answer.text, `{"exception":"Code: 60. DB::Exception: Table default.nothing doesn't exist"}`);
  t.is(answer.headers['x-svc-exception-code'], '60');
});

test('3. Insert failures: NULL into a NOT NULL column fails; so do fewer values than listed columns', async (t) => {
  const server = await startTest(t);
  await server.ok('CREATE STREAM s (a int32, b string)');
  const none = await server.sql("INSERT INTO s (a, b) VALUES (NULL, 'x')");
  t.is(none.status, 400);
  t.regex(errorOf(t, none).message, /row 1, column 'a'.*not nullable/);
  for (const text of ['INSERT INTO s (a, b) VALUES (1)', "INSERT INTO s (a, b) VALUES (1, 'x'), (2)"]) {
    const few = await server.sql(text);
    t.is(few.status, 400);
    t.regex(errorOf(t, few).message, /1 value, expected 2/);
  }
  t.is(await server.ok('SELECT count() FROM table(s)'), '0\n', 'nothing of a failed INSERT is stored');
});

test('Messages say where, what was expected, and the nearest known name', async (t) => {
  const server = await startTest(t);
  await server.ok('CREATE STREAM orders (amount int32)');
  for (const [text, message] of [
    ['SELECT 1\n  FROM table(orders) WHERE', /line 2, column 27 \(end of query\): expected an expression/],
    ['SELECT amont FROM table(orders)', /'amont'\. Maybe you meant 'amount'/],
    ['SELECT * FROM table(order)', /Maybe you meant 'orders'/],
    ['SELECT uper(1)', /Maybe you meant 'upper'/],
    ['CREATE STREAM x (a strng)', /Maybe you meant 'string'/],
    ['SELECT 1 SETTINGS max_exec_time = 1', /Unknown setting 'max_exec_time'/],
  ] as const) {
    const answer = await server.sql(text);
    t.regex(errorOf(t, answer).message, message, text);
  }
});

test("500 is a failure that is not the client's, such as a system outside that cannot be reached", async (t) => {
  const server = await startTest(t);
  const mine = await server.sql("SELECT throwIf(1, 'mine')");
  t.is(mine.status, 400);
  t.is(errorOf(t, mine).code, 395);
  await server.ok(
    "CREATE EXTERNAL TABLE away (a int32) SETTINGS type = 'clickhouse', address = '127.0.0.1:1', table = 't'",
  );
  const answer = await server.sql('SELECT a FROM away');
  t.is(answer.status, 500);
  t.is(errorOf(t, answer).code, 210);
});
