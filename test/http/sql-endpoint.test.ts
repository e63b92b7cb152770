import test from 'ava';
import { errorOf, startTest, url } from './support.ts';
import { keepAliveAgent } from './transport.ts';

test('GET and POST run a statement, by URL, by body and by both', async (t) => {
  const server = await startTest(t);
  const get = await server.send({ method: 'GET', path: url({ query: 'SELECT 1, 2' }) });
  t.is(get.status, 200);
  t.is(get.text, '1\t2\n');
  t.is((await server.sql('SELECT 3')).text, '3\n');
  t.is((await server.sql('', { query: 'SELECT 4' })).text, '4\n');
  t.is((await server.sql('+ 5', { query: 'SELECT 1' })).text, '6\n');
  // The newline between the two ends a comment of the first.
  t.is((await server.sql('7', { query: 'SELECT -- a remark' })).text, '7\n');
  t.is((await server.sql('\ufeffSELECT 8;\n')).text, '8\n');
});

test('a probe needs neither statement nor login', async (t) => {
  const server = await startTest(t, { users: [{ name: 'default', password: 'secret' }] });
  for (const path of ['/', '/ping', '/replicas_status', '/?database=default']) {
    const answer = await server.send({ method: 'GET', path });
    t.is(answer.status, 200, path);
    t.is(answer.text, 'Ok.\n');
    t.is(answer.headers['content-type'], 'text/plain; charset=UTF-8');
  }
  const head = await server.send({ method: 'HEAD', path: '/ping' });
  t.is(head.status, 200);
  t.is(head.text, '');
  t.is((await server.sql('SELECT 1')).status, 401);
});

test('the format is that of FORMAT, then default_format, then the header, then TabSeparated', async (t) => {
  const server = await startTest(t);
  const ask = async (sql: string, parameters: Record<string, string>, headers: Record<string, string>) => {
    const answer = await server.send({ path: url(parameters), headers, body: sql });
    t.is(answer.status, 200, answer.text);
    return [answer.headers['x-svc-format'], answer.text];
  };
  const header = { 'X-Svc-Format': 'CSV' };
  const byUrl = { default_format: 'JSONEachRow' };
  t.deepEqual(await ask("SELECT 'x' AS a FORMAT Values", byUrl, header), ['Values', "('x')"]);
  t.deepEqual(await ask("SELECT 'x' AS a", byUrl, header), ['JSONEachRow', '{"a":"x"}\n']);
  t.deepEqual(await ask("SELECT 'x' AS a", {}, header), ['CSV', '"x"\n']);
  t.deepEqual(await ask("SELECT 'x' AS a", {}, {}), ['TabSeparated', 'x\n']);
  t.deepEqual(await ask("SELECT 'x' AS a FORMAT TSV", {}, {}), ['TabSeparated', 'x\n']);
});

test('every format has its Content-Type', async (t) => {
  const server = await startTest(t);
  const expected = {
    JSON: 'application/json',
    JSONCompact: 'application/json',
    JSONEachRow: 'application/x-ndjson',
    CSV: 'text/csv',
    TSV: 'text/tab-separated-values',
    TabSeparated: 'text/tab-separated-values',
    Pretty: 'text/plain',
    PrettyCompact: 'text/plain',
    Values: 'text/plain',
    Null: 'text/plain',
  };
  for (const [format, type] of Object.entries(expected)) {
    const answer = await server.sql(`SELECT 1 AS a FORMAT ${format}`);
    t.is(answer.headers['content-type']?.split(';')[0], type, format);
  }
  const json = JSON.parse(await server.ok("SELECT 1 AS a, 'b' AS b FORMAT JSON")) as Record<string, unknown>;
  t.deepEqual(json['meta'], [
    { name: 'a', type: 'uint8' },
    { name: 'b', type: 'string' },
  ]);
  t.deepEqual(json['data'], [{ a: 1, b: 'b' }]);
  t.is(json['rows'], 1);
  t.is(await server.ok('SELECT 1 FORMAT Null'), '');
});

test('an answer carries id, format, time zone and summary, and repeats the brand of the request', async (t) => {
  const server = await startTest(t);
  const own = await server.send({ path: url({ query_id: 'my-id' }), body: 'SELECT number FROM numbers(10)' });
  t.is(own.headers['x-svc-query-id'], 'my-id');
  t.is(own.headers['x-svc-timezone'], 'UTC');
  const summary = JSON.parse(String(own.headers['x-svc-summary'])) as Record<string, string>;
  t.is(summary['result_rows'], '10');
  t.is(summary['read_rows'], '10');
  for (const name of ['read_bytes', 'written_rows', 'written_bytes', 'elapsed_ns'])
    t.regex(summary[name] ?? '', /^\d+$/, name);
  t.is(own.headers['x-clickhouse-query-id'], undefined);

  const branded = await server.send({
    headers: { 'X-ClickHouse-Format': 'CSV', 'X-ClickHouse-Query-Id': 'theirs' },
    body: "SELECT 'q'",
  });
  t.is(branded.text, '"q"\n');
  for (const brand of ['x-svc-', 'x-clickhouse-']) {
    t.is(branded.headers[`${brand}query-id`], 'theirs');
    t.is(branded.headers[`${brand}format`], 'CSV');
    t.is(branded.headers[`${brand}timezone`], 'UTC');
    t.truthy(branded.headers[`${brand}summary`]);
  }
  const failed = await server.send({ headers: { 'X-ClickHouse-Query-Id': 'bad' }, body: 'SELECT nothing' });
  t.is(failed.headers['x-clickhouse-exception-code'], '47');
  t.is(failed.headers['x-clickhouse-query-id'], 'bad');
  const generated = await server.sql('SELECT 1');
  t.regex(String(generated.headers['x-svc-query-id']), /^[0-9a-f-]{36}$/);
});

test('an id that no header can carry is refused before anything is done', async (t) => {
  const server = await startTest(t);
  await server.ok('CREATE STREAM s (a int32)');
  for (const id of ['\r\nX-Evil: 1', '€', ' ', 'x'.repeat(257)]) {
    const answer = await server.sql('INSERT INTO s VALUES (1)', { query_id: id });
    t.is(answer.status, 400);
    t.is(errorOf(t, answer).code, 36);
    t.is(answer.headers['x-evil'], undefined);
  }
  const rest = await server.send({
    path: '/svc/v1/ingest/streams/s',
    headers: { 'X-Svc-Query-Id': 'é' },
    body: '{"a":1}',
  });
  t.is(rest.status, 400);
  t.is(await server.ok('SELECT count() FROM table(s)'), '0\n');
});

test('requests that are odd are taken or told, never dropped', async (t) => {
  const server = await startTest(t);
  const ask = (path: string, headers: Record<string, string> = {}) =>
    server.send({ path, headers, body: 'SELECT 1' });
  t.is((await ask('/', { 'Accept-Encoding': ';;;,q=,gzip;q=abc' })).text, '1\n');
  t.is((await ask('/', { Expect: '100-continue' })).text, '1\n');
  t.is((await ask('/', { 'Content-Type': 'application/x-www-form-urlencoded' })).text, '1\n');
  t.is((await ask('/', { 'Content-Type': 'application/json' })).text, '1\n');
  t.is(errorOf(t, await ask('/', { 'X-Svc-Format': 'JSONé' })).code, 73);
  t.is(errorOf(t, await ask('/?database=%00')).code, 81);
  t.is(errorOf(t, await ask('/%ff%zz')).code, 1);
  t.is(errorOf(t, await server.send({ method: 'GET', path: '/?query=SELECT%20%ff' })).code, 62);
});

test('an INSERT answers an empty 200 whose summary counts the rows', async (t) => {
  const server = await startTest(t);
  await server.ok('CREATE STREAM s (a int32)');
  const answer = await server.sql('INSERT INTO s VALUES (1), (2), (3)');
  t.is(answer.status, 200);
  t.is(answer.text, '');
  const summary = JSON.parse(String(answer.headers['x-svc-summary'])) as Record<string, string>;
  t.is(summary['written_rows'], '3');
  t.not(summary['written_bytes'], '0');
});

test('the database comes by URL or by header of any brand, the URL first', async (t) => {
  const server = await startTest(t);
  await server.ok('CREATE DATABASE other');
  await server.ok('CREATE STREAM s (a int32)', { database: 'other' });
  const ask = (parameters: Record<string, string>, headers: Record<string, string>) =>
    server.send({ path: url(parameters), headers, body: 'SELECT current_database()' });
  t.is((await ask({}, {})).text, 'default\n');
  t.is((await ask({ database: 'other' }, { 'X-Svc-Database': 'default' })).text, 'other\n');
  for (const brand of ['X-Svc-', 'X-ClickHouse-', 'X-Proton-', 'X-Timeplus-'])
    t.is((await ask({}, { [`${brand}Database`]: 'other' })).text, 'other\n', brand);
  t.is((await server.sql('SELECT a FROM table(s)', { database: 'other' })).status, 200);
  const missing = await server.sql('SELECT 1', { database: 'nowhere' });
  t.is(missing.status, 404);
  t.is(errorOf(t, missing).code, 81);
});

test('settings by URL reach the query, and those nobody knows are refused with the nearest name', async (t) => {
  const server = await startTest(t);
  const quoted = await server.sql('SELECT to_int64(1) AS a FORMAT JSONEachRow', {
    output_format_json_quote_64bit_integers: '1',
  });
  t.is(quoted.text, '{"a":"1"}\n');
  const unknown = await server.sql('SELECT 1', { max_execution_tim: '1' });
  t.is(unknown.status, 400);
  const error = errorOf(t, unknown);
  t.is(error.code, 115);
  t.regex(error.message, /max_execution_tim.*Maybe you meant 'max_execution_time'/);
  t.is(errorOf(t, await server.sql('SELECT 1', { __proto__x: '1' })).code, 115);
  t.is(errorOf(t, await server.send({ path: '/?__proto__=1', body: 'SELECT 1' })).code, 115);
  t.is(errorOf(t, await server.sql('SELECT 1', { max_rows_to_read: 'many' })).code, 36);
});

test('placeholders take typed values from the URL, which are never text of the statement', async (t) => {
  const server = await startTest(t);
  const sql = 'SELECT {n:int32} + 1 AS n, {s:string} AS s FORMAT JSONEachRow';
  const hostile = "' OR 1 = 1 --";
  t.is(
    await server.ok(sql, { param_n: '41', param_s: hostile }),
    `${JSON.stringify({ n: 42, s: hostile })}\n`,
  );
  t.is(await server.ok(sql, { param_n: '1', param_s: 'a\\tb\\\\c' }), '{"n":2,"s":"a\\tb\\\\c"}\n');
  t.is(await server.ok(sql, { param_n: '1', param_s: 'x' }), '{"n":2,"s":"x"}\n');
  const missing = await server.sql(sql, { param_n: '1' });
  t.is(missing.status, 400);
  t.is(errorOf(t, missing).code, 456);
  const wrong = await server.sql(sql, { param_n: 'one', param_s: '' });
  t.is(wrong.status, 400);
  t.is(errorOf(t, wrong).code, 457);
});

test('GET only reads', async (t) => {
  const server = await startTest(t);
  await server.ok('CREATE STREAM s (a int32)');
  for (const query of [
    'INSERT INTO s VALUES (1)',
    'CREATE STREAM x (a int32)',
    'DROP STREAM s',
    "KILL QUERY WHERE query_id = 'x'",
    'TRUNCATE STREAM s',
  ]) {
    const answer = await server.send({ method: 'GET', path: url({ query }) });
    t.is(answer.status, 403, query);
    t.is(errorOf(t, answer).code, 164);
  }
  for (const query of ['SHOW STREAMS', 'DESCRIBE s', 'SELECT a FROM table(s)', 'EXPLAIN SELECT 1'])
    t.is((await server.send({ method: 'GET', path: url({ query }) })).status, 200, query);
  const bound = await server.sql('INSERT INTO s VALUES (1)', { readonly: '1' });
  t.is(errorOf(t, bound).code, 164);
  t.is(await server.ok('SELECT count() FROM table(s)'), '0\n');
});

test('HEAD answers as GET does, without the body', async (t) => {
  const server = await startTest(t);
  const path = url({ query: 'SELECT number FROM numbers(1000)' });
  const head = await server.send({ method: 'HEAD', path });
  const get = await server.send({ method: 'GET', path });
  t.is(head.status, 200);
  t.is(head.body.length, 0);
  t.is(head.headers['content-type'], get.headers['content-type']);
  t.is(head.headers['content-length'], get.headers['content-length']);
  const long = await server.send({
    method: 'HEAD',
    path: url({ query: 'SELECT number FROM numbers(5000000)' }),
  });
  t.is(long.status, 200);
  await server.idle();
});

test('a connection serves many requests, failed ones with an unread body among them', async (t) => {
  const server = await startTest(t);
  await server.ok('CREATE STREAM s (a int32)');
  const agent = keepAliveAgent(1);
  t.teardown(() => agent.destroy());
  const sockets = new Set<unknown>();
  agent.on('free', (socket) => sockets.add(socket));
  const send = (path: string, body: string | Buffer, headers: Record<string, string> = {}) =>
    server.send({ path, body, headers, agent });
  t.is((await send('/', 'SELECT 1')).text, '1\n');
  const big = Buffer.alloc(8_000_000, 'x\n');
  t.is((await send(url({ query: 'INSERT INTO nowhere FORMAT CSV' }), big)).status, 404);
  t.is((await send(url({ query: 'INSERT INTO s FORMAT CSV' }), big)).status, 400);
  t.is((await send('/', Buffer.alloc(1_000_000, 'S'))).status, 400);
  t.is(
    (await send(url({ query: 'INSERT INTO s FORMAT CSV' }), big, { 'Content-Encoding': 'gzip' })).status,
    400,
  );
  t.is((await send('/', big, { 'Content-Encoding': 'rot13' })).status, 400);
  t.is((await send('/', 'SELECT 2')).text, '2\n');
  t.is(sockets.size, 1);
});

test('pages of other origins may ask', async (t) => {
  const server = await startTest(t);
  const preflight = await server.send({
    method: 'OPTIONS',
    headers: {
      Origin: 'http://page.example',
      'Access-Control-Request-Method': 'POST',
      'Access-Control-Request-Headers': 'authorization, x-svc-format',
    },
  });
  t.is(preflight.status, 204);
  t.is(preflight.headers['access-control-allow-origin'], 'http://page.example');
  t.is(preflight.headers['access-control-allow-headers'], 'authorization, x-svc-format');
  t.regex(String(preflight.headers['access-control-allow-methods']), /POST/);
  const failed = await server.send({ headers: { Origin: 'http://page.example' }, body: 'SELECT' });
  t.is(failed.status, 400);
  t.is(failed.headers['access-control-allow-origin'], 'http://page.example');
  t.is((await server.send({ method: 'OPTIONS' })).status, 204);
});

test('paths and methods that are not there are told', async (t) => {
  const server = await startTest(t);
  const path = await server.send({ method: 'GET', path: '/no/such/path' });
  t.is(path.status, 404);
  t.is(errorOf(t, path).code, 1);
  const method = await server.send({ method: 'PUT', body: 'SELECT 1' });
  t.is(method.status, 400);
  t.regex(errorOf(t, method).message, /PUT is not supported/);
  t.regex(String(method.headers['allow']), /POST/);
});

test('statements in the URL may be as long as in the body', async (t) => {
  const server = await startTest(t);
  const text = 'x'.repeat(200_000);
  const answer = await server.send({ method: 'GET', path: url({ query: `SELECT length('${text}')` }) });
  t.is(answer.text, '200000\n');
  const longer = `SELECT length('${'y'.repeat(300_000)}')`;
  t.is(errorOf(t, await server.sql(longer)).code, 62);
  t.is((await server.sql(longer, { max_query_size: '400000' })).text, '300000\n');
  const endless = await server.send({ method: 'GET', path: url({ query: 'z'.repeat(1_200_000) }) });
  t.is(endless.status, 400);
  t.regex(errorOf(t, endless).message, /head of the request has more than/);
});

test('a session of the statements that the specification names', async (t) => {
  const server = await startTest(t);
  await server.ok(
    "CREATE STREAM s (id int64, name string DEFAULT 'none', at datetime64(3) DEFAULT now64(3))",
  );
  await server.ok('CREATE STREAM target (id int64)');
  await server.ok('CREATE MATERIALIZED VIEW v INTO target AS SELECT id FROM s');
  t.deepEqual((await server.ok('SHOW STREAMS')).trim().split('\n').sort(), ['s', 'target', 'v']);
  t.regex(await server.ok('DESCRIBE s'), /^id\tint64/);
  t.is(await server.ok("SELECT name FROM system.tables WHERE database = 'default' AND name = 's'"), 's\n');
  t.regex(await server.ok('SELECT version()'), /^\d+\.\d+\.\d+\n$/);
  await server.ok('INSERT INTO s (id) VALUES (1)');
  t.is(await server.ok('SELECT id, name FROM table(s)'), '1\tnone\n');
});

test('query_mode makes a plain stream name a batch', async (t) => {
  const server = await startTest(t, { flags: ['--http-query-mode', 'table'] });
  await server.ok('CREATE STREAM s (a int32)');
  await server.ok('INSERT INTO s VALUES (1)');
  t.is(await server.ok('SELECT a FROM s'), '1\n');
  const streaming = await startTest(t);
  await streaming.ok('CREATE STREAM s (a int32)');
  await streaming.ok('INSERT INTO s VALUES (2)');
  t.is(await streaming.ok('SELECT a FROM s', { query_mode: 'table' }), '2\n');
  t.is(await streaming.ok("SELECT a FROM s SETTINGS query_mode = 'table'"), '2\n');
});
