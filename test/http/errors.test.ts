import test from 'ava';
import { errorOf, startTest, url } from './support.ts';
import { keepAliveAgent } from './transport.ts';

test('wrong statements are told by code, place and nearest name, and the server goes on', async (t) => {
  const server = await startTest(t);
  await server.ok('CREATE STREAM events (id int64, name string, at datetime64(3))');
  await server.ok('CREATE VIEW looking AS SELECT id FROM table(events)');
  const cases: [string, number, number, RegExp][] = [
    ['', 400, 62, /empty/],
    ['   \n-- only a remark', 400, 62, /empty/],
    ['SELEC 1', 400, 62, /line 1, column 1 \('SELEC'\)/],
    ['SELECT 1 +', 400, 62, /end of query/],
    ['SELECT\n1,\n,2', 400, 62, /line 3, column 1/],
    ["SELECT 'open", 400, 62, /line 1, column 8/],
    ['SELECT (1', 400, 62, /line 1, column/],
    ['SELECT 1; SELECT 2', 400, 62, /line 1, column 11/],
    ['SELECT nam FROM table(events)', 400, 47, /'nam'.*Maybe you meant 'name'/],
    ['SELECT e.id FROM table(events)', 400, 47, /e\.id/],
    ['SELECT lowr(name) FROM table(events)', 400, 46, /lowr.*Maybe you meant 'lower'/],
    ['SELECT lower(1, 2)', 400, 42, /lower/],
    ['SELECT lower(1)', 400, 43, /lower/],
    ["SELECT 1 + 'x'", 400, 43, /plus/],
    ["SELECT CAST('x' AS int33)", 400, 50, /int33.*Maybe you meant 'int32'/],
    ["SELECT to_int32('x')", 400, 6, /'x'/],
    ['SELECT int_div(1, 0)', 400, 153, /zero/],
    ['SELECT 1 FROM event', 404, 60, /Table default\.event doesn't exist.*Maybe you meant/],
    ['SELECT 1 FROM nowhere.events', 404, 81, /nowhere/],
    ['DROP STREAM event', 404, 60, /default\.event doesn't exist/],
    ['DROP DATABASE nowhere', 404, 81, /nowhere/],
    ['DESCRIBE event', 404, 60, /default\.event/],
    ['USE nowhere', 404, 81, /nowhere/],
    ['CREATE STREAM events (a int32)', 400, 57, /already exists/],
    ['CREATE STREAM x (a int33)', 400, 50, /int33/],
    ['CREATE STREAM x (a int32, a int64)', 400, 15, /'a'/],
    ['CREATE STREAM x (a int32 DEFAULT nothing)', 400, 47, /nothing/],
    ['CREATE DATABASE default', 400, 82, /default/],
    ['INSERT INTO event VALUES (1)', 404, 60, /default\.event/],
    ['INSERT INTO events (nam) VALUES (1)', 400, 16, /'nam'.*Maybe you meant 'name'/],
    ['INSERT INTO events (id, id) VALUES (1, 2)', 400, 15, /twice/],
    ['INSERT INTO events (id, name) VALUES (1)', 400, 117, /row 1/],
    ['INSERT INTO events (id) VALUES (NULL)', 400, 349, /'id'/],
    ["INSERT INTO events (id) VALUES ('x')", 400, 27, /row 1, column 'id'/],
    ['INSERT INTO events (id) FORMAT JSONEachRo {"id":1}', 400, 73, /Maybe you meant 'JSONEachRow'/],
    ['INSERT INTO events SELECT 1', 400, 7, /3 are inserted/],
    ['INSERT INTO looking VALUES (1)', 400, 242, /view/],
    ['INSERT INTO system.numbers VALUES (1)', 400, 242, /system/],
    ['SELECT 1 FORMAT JSN', 400, 73, /JSN.*Maybe you meant 'JSON'/],
    ['SELECT 1 SETTINGS max_thread = 1', 400, 115, /max_thread.*Maybe you meant 'max_threads'/],
    ['SELECT number, count() FROM numbers(2)', 400, 215, /number/],
    ['SELECT sum(sum(number)) FROM numbers(2)', 400, 184, /aggregate/i],
    ['SELECT {missing:int32}', 400, 456, /missing/],
    ['CREATE MATERIALIZED VIEW v INTO event AS SELECT id FROM events', 404, 60, /default\.event/],
  ];
  for (const [text, status, code, message] of cases) {
    const answer = await server.sql(text);
    t.is(answer.status, status, `${text}: ${answer.text}`);
    const error = errorOf(t, answer);
    t.is(error.code, code, `${text}: ${answer.text}`);
    t.regex(error.message, message, text);
  }
  t.is(await server.ok('SELECT count() FROM table(events)'), '0\n');
});

test('data that cannot be read is told by row and column, and nothing of it is stored', async (t) => {
  const server = await startTest(t);
  await server.ok(
    'CREATE STREAM s (i int32, u uint8, f float64, d date, t datetime64(3), n nullable(int32), b string)',
  );
  const cases: [string, string, number, RegExp][] = [
    ['JSONEachRow', '{"i":1}\n{"i":"x"}', 27, /row 2, column 'i'/],
    ['JSONEachRow', '{"i":1}\n{"i":2147483648}', 321, /row 2, column 'i'.*int32/],
    ['JSONEachRow', '{"u":-1}', 321, /column 'u'/],
    ['JSONEachRow', '{"u":256}', 321, /column 'u'/],
    ['JSONEachRow', `{"i":${'9'.repeat(100_000)}}`, 321, /column 'i'/],
    ['JSONEachRow', '{"d":"2026-13-45"}', 41, /column 'd'/],
    ['JSONEachRow', '{"t":"yesterday"}', 41, /column 't'/],
    ['JSONEachRow', '{"i":null}', 349, /column 'i'/],
    ['JSONEachRow', '{"x":1}', 117, /'x'/],
    ['JSONEachRow', '{"i":1', 33, /row 1/],
    ['JSONEachRow', '{"i":1}}', 27, /row 2/],
    ['JSONEachRow', 'garbage', 27, /row 1/],
    ['CSV', '1,2,3,2026-01-01,2026-01-01 00:00:00,4,ok\n1,2', 117, /row 2/],
    ['CSV', 'x,2,3,2026-01-01,2026-01-01 00:00:00,4,ok', 27, /row 1, column 'i'/],
    ['TSV', '1\t2\t3\t2026-01-01\t2026-01-01 00:00:00\t4\tok\textra', 27, /row 1/],
    ['Values', '(1, 2', 27, /row 1/],
    ['Values', '(1, 2, 3)', 117, /row 1/],
  ];
  for (const [format, body, code, message] of cases) {
    const answer = await server.sql(body, { query: `INSERT INTO s FORMAT ${format}` });
    const what = `${format} ${body.slice(0, 60)}: ${answer.text.slice(0, 300)}`;
    t.is(answer.status, 400, what);
    const error = errorOf(t, answer);
    t.is(error.code, code, what);
    t.regex(error.message, message, what);
    t.true(error.message.length < 2_000, 'a message does not repeat endless input');
  }
  t.is(await server.ok('SELECT count() FROM table(s)'), '0\n');
});

test('bytes that are not UTF-8 are refused in SQL and in text data, not in strings of binary data', async (t) => {
  const server = await startTest(t);
  await server.ok('CREATE STREAM s (b string)');
  const bad = Buffer.concat([Buffer.from("SELECT '"), Buffer.from([0xff, 0xfe]), Buffer.from("'")]);
  const statement = await server.send({ body: bad });
  t.is(statement.status, 400);
  t.is(errorOf(t, statement).code, 62);
  const json = Buffer.concat([Buffer.from('{"b":"'), Buffer.from([0xc3, 0x28]), Buffer.from('"}')]);
  const data = await server.send({ path: url({ query: 'INSERT INTO s FORMAT JSONEachRow' }), body: json });
  t.is(data.status, 400);
  t.is(errorOf(t, data).code, 117);
  const inline = Buffer.concat([Buffer.from('INSERT INTO s FORMAT JSONEachRow\n'), json]);
  t.is(errorOf(t, await server.send({ body: inline })).code, 117);
  const binary = Buffer.from([2, 0xff, 0xfe]);
  const path = url({ query: 'INSERT INTO s FORMAT RowBinary' });
  t.is((await server.send({ path, body: binary })).status, 200);
  const back = await server.sql('SELECT b FROM table(s) FORMAT RowBinary');
  t.deepEqual([...back.body], [...binary]);
  const nul = await server.sql('SELECT 1\0');
  t.is(errorOf(t, nul).code, 62);
});

test('huge and deeply nested statements are refused, quickly and in words', async (t) => {
  const server = await startTest(t);
  const deep = (open: string, close: string) => `SELECT ${open.repeat(10_000)}1${close.repeat(10_000)}`;
  for (const text of [
    deep('(', ')'),
    deep('[', ']'),
    deep('abs(', ')'),
    deep('-', ''),
    deep('NOT ', ''),
    deep('(SELECT ', ')'),
    deep('CASE WHEN 1 THEN ', ' END'),
    `SELECT ${'1 + '.repeat(60_000)}1`,
    '('.repeat(200_000),
    `SELECT ${'/* '.repeat(50_000)}`,
    `${'/**/'.repeat(50_000)} SELECTT`,
    `SELECT CAST(1 AS ${'array('.repeat(10_000)}int32${')'.repeat(10_000)})`,
  ]) {
    const answer = await server.sql(text);
    t.is(answer.status, 400, `${text.slice(0, 40)}: ${answer.text.slice(0, 200)}`);
    const { code, message } = errorOf(t, answer);
    t.true([62, 167, 168, 50].includes(code), `${text.slice(0, 40)}: ${answer.text.slice(0, 200)}`);
    t.true(message.length < 3_000);
  }
  t.is((await server.ok(`SELECT 1 ${'UNION ALL SELECT 1 '.repeat(10_000)}`)).length, 20_002);
  const literal = await server.sql(`SELECT ${'9'.repeat(200_000)}`);
  t.true([200, 400].includes(literal.status));
  t.is(await server.ok(`SELECT length('${'x'.repeat(250_000)}')`), '250000\n');
  const over = await server.sql(`SELECT '${'x'.repeat(262_144)}'`);
  t.regex(errorOf(t, over).message, /max_query_size/);
  t.is(await server.ok('SELECT 1'), '1\n');
});

test('limits that the client sets answer 400 before any output', async (t) => {
  const server = await startTest(t);
  const cases: [Record<string, string>, number, RegExp][] = [
    [{ max_rows_to_read: '1000' }, 158, /max_rows_to_read = 1000/],
    [{ max_result_rows: '10' }, 158, /max_result_rows = 10/],
    [{ max_bytes_to_read: '1000' }, 307, /max_bytes_to_read = 1000/],
    [{ max_result_bytes: '1000' }, 307, /max_result_bytes = 1000/],
  ];
  for (const [settings, code, message] of cases) {
    const answer = await server.sql('SELECT number FROM numbers(100000)', settings);
    t.is(answer.status, 400, JSON.stringify(settings));
    const error = errorOf(t, answer);
    t.is(error.code, code);
    t.regex(error.message, message);
  }
  t.is((await server.sql('SELECT number FROM numbers(10)', { max_rows_to_read: '10' })).status, 200);
});

test('an INSERT with too many columns of unknown names says which', async (t) => {
  const server = await startTest(t);
  await server.ok('CREATE STREAM s (a int32)');
  const refused = await server.sql('{"a":1,"b":2}', { query: 'INSERT INTO s FORMAT JSONEachRow' });
  t.regex(errorOf(t, refused).message, /'b'.*input_format_skip_unknown_fields/);
  const taken = await server.sql('{"a":1,"b":2}', {
    query: 'INSERT INTO s FORMAT JSONEachRow',
    input_format_skip_unknown_fields: '1',
  });
  t.is(taken.status, 200);
});

test('a burst of broken requests leaves the server whole', async (t) => {
  const server = await startTest(t);
  const agent = keepAliveAgent(8);
  t.teardown(() => agent.destroy());
  const texts = [
    'SELECT',
    'SELECT nothing',
    '\0',
    'INSERT INTO none FORMAT CSV\n1',
    'KILL QUERY WHERE x',
    'SELECT 1',
  ];
  const answers = await Promise.all(
    Array.from({ length: 300 }, (_, index) => server.send({ body: texts[index % texts.length]!, agent })),
  );
  t.is(answers.filter((answer) => answer.status === 200).length, 50);
  t.is(answers.filter((answer) => answer.status >= 500).length, 0);
  t.is(server.server.database.engine.processes.list.length, 0);
});
