import test from 'ava';
import { errorOf, startTest, type TestServer, temporaryDirectory, until, url } from './support.ts';
import { request } from './transport.ts';

async function withStream(t: Parameters<typeof startTest>[0]): Promise<TestServer> {
  const server = await startTest(t);
  await server.ok('CREATE STREAM s (a int32, raw string)');
  return server;
}

const insert = (server: TestServer, ...rows: number[]) =>
  server.ok(
    `INSERT INTO s (a, raw) VALUES ${rows.map((row) => `(${row}, '{"k":{"v":${row}}}')`).join(', ')}`,
  );

test('rows reach the client as they are inserted, filtered and projected', async (t) => {
  const server = await withStream(t);
  await insert(server, 1, 2, 3);
  const query = await server.open('SELECT a * 2 AS b, raw:k.v::int32 AS v FROM s WHERE a > 10');
  t.is(query.response, null, 'nothing is sent before the first row');
  await insert(server, 5, 11);
  t.deepEqual(await query.take(1), ['{"b":22,"v":11}']);
  t.is(query.response?.statusCode, 200);
  t.is(query.response?.headers['transfer-encoding'], 'chunked');
  await insert(server, 12);
  t.deepEqual(await query.take(2), ['{"b":22,"v":11}', '{"b":24,"v":12}']);
  t.false(query.ended);
  query.leave();
  await server.idle();
});

test('a row is under way when its insert is acknowledged', async (t) => {
  const server = await withStream(t);
  const query = await server.open('SELECT a FROM s');
  for (let row = 1; row <= 20; row++) {
    await insert(server, row);
    await query.take(row);
  }
  t.is(query.lines.length, 20);
  query.leave();
  await server.idle();
});

test('LIMIT ends a stream', async (t) => {
  const server = await withStream(t);
  const query = await server.open('SELECT a FROM s LIMIT 3');
  await insert(server, 1, 2);
  await insert(server, 3, 4);
  await query.finished();
  t.true(query.ended);
  t.deepEqual(query.lines, ['{"a":1}', '{"a":2}', '{"a":3}']);
  await server.idle();
});

test('leaving ends a query, streaming or not, and frees it', async (t) => {
  const server = await withStream(t);
  const texts = [
    'SELECT a FROM s',
    'SELECT count() FROM s',
    'SELECT sum(number) FROM numbers(100000000000)',
    'SELECT number FROM numbers(100000000000) WHERE number % 3 = 1',
  ];
  for (const text of texts) {
    const query = await server.open(text);
    query.leave();
    await server.idle();
  }
  t.is(server.server.database.engine.processes.list.length, 0);
});

test('max_execution_time ends a query: before any output as 400, after it as a cut stream', async (t) => {
  const server = await withStream(t);
  const silent = await server.sql('SELECT a FROM s', { max_execution_time: '0.05' });
  t.is(silent.status, 400);
  t.is(errorOf(t, silent).code, 159);
  const busy = await server.sql('SELECT sum(number) FROM numbers(100000000000)', {
    max_execution_time: '0.05',
  });
  t.is(errorOf(t, busy).code, 159);
  await insert(server, 1);
  const query = await server.open("SELECT a FROM s SETTINGS seek_to = 'earliest'", {
    max_execution_time: '0.5',
  });
  await query.take(1);
  await query.finished();
  t.true(query.failed, 'the connection is cut');
  t.deepEqual(query.lines[0], '{"a":1}');
  t.regex(query.lines.at(-1) ?? '', /^\{"exception":"Code: 159\. DB::Exception: Timeout exceeded/);
  await server.idle();
});

test('KILL QUERY ends a query, before and after its first row', async (t) => {
  const server = await withStream(t);
  const silent = server.sql('SELECT a FROM s', { query_id: 'silent' });
  await until('the query runs', () => server.runs('silent'));
  t.regex(await server.ok("KILL QUERY WHERE query_id = 'silent'"), /^killed\tsilent\tdefault\t/);
  const answer = await silent;
  t.is(answer.status, 400);
  t.is(errorOf(t, answer).code, 394);
  const query = await server.open('SELECT a FROM s', { query_id: 'loud' });
  await insert(server, 1);
  await query.take(1);
  await server.ok("KILL QUERY WHERE query_id = 'loud' SYNC");
  await query.finished();
  t.true(query.failed);
  t.regex(query.lines.at(-1) ?? '', /^\{"exception":"Code: 394\. /);
  await server.idle();
});

test('an id can only be used once at a time', async (t) => {
  const server = await withStream(t);
  const query = await server.open('SELECT a FROM s', { query_id: 'same' });
  const second = await server.sql('SELECT 1', { query_id: 'same' });
  t.is(second.status, 400);
  t.is(errorOf(t, second).code, 216);
  query.leave();
  await server.idle();
  t.is((await server.sql('SELECT 1', { query_id: 'same' })).status, 200);
});

test('seek_to and a lower bound of _tp_time start earlier', async (t) => {
  const server = await withStream(t);
  const at = (time: string, row: number) =>
    server.ok(`INSERT INTO s (a, _tp_time) VALUES (${row}, '2026-01-01 ${time}')`);
  await at('10:00:00', 1);
  await at('11:00:00', 2);
  await at('12:00:00', 3);
  const take = async (text: string, parameters: Record<string, string> = {}) => {
    const answer = await server.sql(text, parameters);
    t.is(answer.status, 200, answer.text);
    return answer.text;
  };
  t.is(await take("SELECT a FROM s LIMIT 3 SETTINGS seek_to = 'earliest'"), '1\n2\n3\n');
  t.is(await take('SELECT a FROM s LIMIT 2', { seek_to: '2026-01-01 11:00:00' }), '2\n3\n');
  t.is(await take("SELECT a FROM s WHERE _tp_time >= '2026-01-01 11:30:00' LIMIT 1"), '3\n');
  t.is(await take('SELECT a FROM s LIMIT 1', { seek_to: '1' }), '2\n');
  t.is(errorOf(t, await server.sql('SELECT a FROM s', { seek_to: 'sometime' })).code, 36);
  const query = await server.open("SELECT a FROM s WHERE _tp_time >= '2026-01-01 11:30:00'");
  await query.take(1);
  await insert(server, 4);
  t.deepEqual(await query.take(2), ['{"a":3}', '{"a":4}']);
  query.leave();
  await server.idle();
});

test('an aggregate without windows gives its result at every interval in which rows came', async (t) => {
  const server = await withStream(t);
  const query = await server.open('SELECT count() AS c, sum(a) AS s FROM s EMIT PERIODIC 20ms');
  await insert(server, 1, 2);
  await until('the first result', () => query.lines.includes('{"c":2,"s":3}'));
  await insert(server, 10);
  await until('the second result', () => query.lines.includes('{"c":3,"s":13}'));
  query.leave();
  await server.idle();
  t.is(await server.ok("SELECT value FROM system.settings WHERE name = 'periodic_emit_interval'"), '2\n');
});

test('many clients read one stream, and inserts go on while they do', async (t) => {
  const server = await withStream(t);
  const queries = await Promise.all(
    Array.from({ length: 30 }, (_, index) => server.open(`SELECT a FROM s WHERE a % 2 = ${index % 2}`)),
  );
  await Promise.all(Array.from({ length: 20 }, (_, index) => insert(server, index * 2, index * 2 + 1)));
  for (const [index, query] of queries.entries()) {
    const lines = await query.take(20);
    const rows = lines
      .map((line) => (JSON.parse(line) as { a: number }).a)
      .sort((left, right) => left - right);
    t.deepEqual(
      rows,
      Array.from({ length: 20 }, (_, row) => row * 2 + (index % 2)),
    );
    query.leave();
  }
  await server.idle();
});

test('an INSERT SELECT from a stream keeps running until it is killed', async (t) => {
  const server = await withStream(t);
  await server.ok('CREATE STREAM copy (a int32)');
  const copying = server.sql('INSERT INTO copy SELECT a FROM s', { query_id: 'copying' });
  await until('the copy runs', () => server.runs('copying'));
  await insert(server, 1);
  await until('the row is copied', async () => (await server.ok('SELECT a FROM table(copy)')) === '1\n');
  await insert(server, 2);
  await until(
    'the next row is copied',
    async () => (await server.ok('SELECT max(a) FROM table(copy)')) === '2\n',
  );
  await server.ok("KILL QUERY WHERE query_id = 'copying'");
  t.is((await copying).status, 400);
  t.is((await server.sql('INSERT INTO copy SELECT a FROM table(s)')).status, 200);
  t.is(await server.ok('SELECT count() FROM table(copy)'), '4\n');
});

test('a materialized view runs on, after a restart too, and takes every row once', async (t) => {
  const directory = await temporaryDirectory(t);
  const first = await startTest(t, { directory });
  await first.ok('CREATE STREAM s (a int32, raw string)');
  await first.ok('CREATE STREAM target (b int32)');
  await insert(first, 100);
  await first.ok('CREATE MATERIALIZED VIEW v INTO target AS SELECT a + 1 AS b FROM s WHERE a < 50');
  await insert(first, 1, 2, 99);
  const rows = (server: TestServer) => server.ok('SELECT b FROM table(target) ORDER BY b');
  await until('rows come through', async () => (await rows(first)) === '2\n3\n');
  const watched = await first.open('SELECT b FROM target');
  await insert(first, 3);
  t.deepEqual(await watched.take(1), ['{"b":4}']);
  watched.leave();
  await insert(first, 4);
  await first.server.close();

  const second = await startTest(t, { directory });
  await insert(second, 5);
  await until('rows come through', async () => (await rows(second)) === '2\n3\n4\n5\n6\n');
  await second.ok('DROP VIEW v');
  await insert(second, 6);
  t.is(await rows(second), '2\n3\n4\n5\n6\n');
});

test('an error after the first output ends the body with a line of it and cuts the connection', async (t) => {
  const server = await startTest(t);
  const text = 'SELECT int_div(1, number - 400000) AS x FROM numbers(500000)';
  await t.throwsAsync(server.sql(text, { buffer_size: '1000' }), { code: 'ECONNRESET' });
  const query = await new Promise<{ status?: number; body: string; broken: boolean }>((done, failed) => {
    const path = url({ buffer_size: '1000' });
    const sent = request({ port: server.port, method: 'POST', path, agent: false }, (response) => {
      let body = '';
      response.on('data', (chunk: Buffer) => {
        body += chunk.toString();
      });
      response.on('error', () => done({ status: response.statusCode, body, broken: true }));
      response.on('end', () => done({ status: response.statusCode, body, broken: false }));
    });
    sent.on('error', failed);
    sent.end(text);
  });
  t.is(query.status, 200);
  t.true(query.broken);
  t.regex(query.body, /\n\{"exception":"Code: 153\. DB::Exception: Division by zero[^\n]*"\}\n$/);
  const held = await server.sql(text, { buffer_size: '1000', wait_end_of_query: '1' });
  t.is(held.status, 400);
  t.is(errorOf(t, held).code, 153);
  t.is((await server.sql(text, { max_rows_to_read: '10' })).status, 400);
});
