import test from 'ava';
import { readOptions } from '../../src/server/index.ts';
import {
  errorOf,
  OpenQuery,
  send,
  startCommand,
  startTest,
  temporaryDirectory,
  until,
  url,
} from '../http/support.ts';

test('1. The service executes SQL statements sent over HTTP and returns results in a chosen output format', async (t) => {
  const server = await startTest(t);
  t.is((await server.sql("SELECT 1 AS a, 'x' AS b FORMAT CSV")).text, '1,"x"\n');
  t.is((await server.sql("SELECT 1 AS a, 'x' AS b FORMAT JSONEachRow")).text, '{"a":1,"b":"x"}\n');
});

test('1. It ingests rows into streams, and exposes a structured JSON interface for management and ingestion', async (t) => {
  const server = await startTest(t);
  const json = { 'Content-Type': 'application/json' };
  const created = await server.send({
    path: '/svc/v1/ddl/streams',
    headers: json,
    body: '{"name":"s","columns":[{"name":"a","type":"int32"}]}',
  });
  t.is(created.status, 200, 'stream management');
  t.is((await server.send({ path: '/svc/v1/ingest/streams/s', headers: json, body: '{"a":1}' })).status, 200);
  t.is((await server.sql('INSERT INTO s VALUES (2)')).status, 200);
  t.is(await server.ok('SELECT a FROM table(s) ORDER BY a'), '1\n2\n');
});

test('2. Ports: HTTP is 8123, HTTPS 8443, the native protocol 3218', (t) => {
  const plain = readOptions([], {});
  t.is(plain.httpPort, 8123, '8123: HTTP interface');
  t.is(plain.nativePort, 3218, '3218: native protocol');
  t.is(plain.httpsPort, null, 'HTTPS is for secure deployments: without a certificate the port stays closed');
  const secured = readOptions(['--tls-cert', 'cert.pem', '--tls-key', 'key.pem'], {});
  t.is(secured.httpsPort, 8443, '8443: HTTPS form');
  t.is(secured.httpPort, 8123, 'the HTTP port is open beside it');
});

test('2. Default query modes per port: a plain stream name streams, unless the port or the query says table', async (t) => {
  const directory = await temporaryDirectory(t);
  const { process: server, client } = await startCommand(t, directory, ['--http-query-mode', 'table']);
  const { native } = await server.ready();
  await client.ok('CREATE STREAM s (a int32)');
  await client.ok('INSERT INTO s VALUES (1)');
  t.is(await client.ok('SELECT a FROM s'), '1\n', 'batch on the HTTP port that is told so');
  t.is(
    (await send(native, { body: 'SELECT a FROM table(s)' })).text,
    '1\n',
    'table() reads what is stored anywhere',
  );
  const streaming = new OpenQuery(native, 'SELECT a FROM s LIMIT 1', { query_id: 'native' });
  await until('the query runs', () => client.runs('native'));
  await client.ok('INSERT INTO s VALUES (2)');
  t.deepEqual(await streaming.take(1), ['2'], '3218 streams: rows that come after the query started');
  const overridden = client.sql(
    "SELECT a FROM s LIMIT 1 SETTINGS query_mode = 'streaming', seek_to = 'earliest'",
  );
  t.is((await overridden).text, '1\n', 'SETTINGS query_mode goes before the port');
  t.is(
    (await send(native, { path: url({ query_mode: 'table' }), body: 'SELECT a FROM s ORDER BY a' })).text,
    '1\n2\n',
  );
});

test('2. A query without a stream always completes, whatever the mode', async (t) => {
  const server = await startTest(t);
  for (const query_mode of ['streaming', 'table']) {
    t.is(await server.ok('SELECT 1', { query_mode }), '1\n');
    t.is(await server.ok('SELECT sum(number) FROM numbers(10)', { query_mode }), '45\n');
    t.is(
      await server.ok("SELECT name FROM system.databases WHERE name = 'default'", { query_mode }),
      'default\n',
    );
  }
});

test('4. Batch: table(stream) reads the data already stored and completes', async (t) => {
  const server = await startTest(t);
  await server.ok('CREATE STREAM s (a int32)');
  t.is(await server.ok('SELECT a FROM table(s)'), '', 'an empty stream completes, too');
  await server.ok('INSERT INTO s VALUES (1), (2)');
  t.is(await server.ok('SELECT a FROM table(s)'), '1\n2\n');
});

test('4. Streaming: a plain SELECT keeps running and emits new rows as they arrive; none stored before', async (t) => {
  const server = await startTest(t);
  await server.ok('CREATE STREAM s (a int32)');
  await server.ok('INSERT INTO s VALUES (1)');
  const query = await server.open('SELECT a FROM s FORMAT JSONEachRow');
  for (const value of [2, 3, 4]) {
    await server.ok(`INSERT INTO s VALUES (${value})`);
    await query.take(value - 1);
  }
  t.deepEqual(query.lines, ['{"a":2}', '{"a":3}', '{"a":4}'], 'consumed line by line, unbuffered');
  t.false(query.ended);
  query.leave();
  await server.idle();
});

test('4. LIMIT n ends a streaming query once n rows have been emitted', async (t) => {
  const server = await startTest(t);
  await server.ok('CREATE STREAM s (a int32)');
  const query = await server.open('SELECT a FROM s LIMIT 2');
  await server.ok('INSERT INTO s VALUES (1)');
  await query.take(1);
  t.false(query.ended);
  await server.ok('INSERT INTO s VALUES (2), (3)');
  await query.finished();
  t.true(query.ended);
  t.deepEqual(query.lines, ['{"a":1}', '{"a":2}']);
});

test('5. Data enters by INSERT of values, of a SELECT, of inline data, by POST of formatted data, by ingest and by views', async (t) => {
  const server = await startTest(t);
  for (const name of ['s', 'source', 'viewed']) await server.ok(`CREATE STREAM ${name} (a int32)`);
  await server.ok('CREATE MATERIALIZED VIEW v INTO s AS SELECT a FROM viewed');
  await server.ok('INSERT INTO source VALUES (2)');
  await server.ok('INSERT INTO s VALUES (1)');
  await server.ok('INSERT INTO s SELECT a FROM table(source)');
  await server.ok('INSERT INTO s FORMAT JSONEachRow\n{"a":3}');
  await server.ok('4\n', { query: 'INSERT INTO s FORMAT CSV' });
  await server.send({ path: '/svc/v1/ingest/streams/s', body: '{"a":5}' });
  await server.ok('INSERT INTO viewed VALUES (6)');
  await until(
    'the view has written',
    async () => (await server.ok('SELECT count() FROM table(s)')) === '6\n',
  );
  t.is(await server.ok('SELECT a FROM table(s) ORDER BY a'), '1\n2\n3\n4\n5\n6\n');
});

test('3218 also answers HTTP: the first byte tells a request from the native protocol', async (t) => {
  const server = await startTest(t);
  const { native } = server.server.ports;
  t.is((await send(native ?? 0, { method: 'GET', path: '/ping' })).text, 'Ok.\n');
  t.is(errorOf(t, await send(native ?? 0, { body: 'SELECT x' })).code, 47);
});
