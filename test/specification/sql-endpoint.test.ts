import zlib from 'node:zlib';
import test from 'ava';
import { errorOf, startTest, until, url } from '../http/support.ts';

test('GET /: parameter query is URL-encoded SQL, other parameters act as settings', async (t) => {
  const server = await startTest(t);
  const get = (parameters: Record<string, string>) => server.send({ method: 'GET', path: url(parameters) });
  t.is((await get({ query: "SELECT 'ä & b', 1 + 1" })).text, 'ä & b\t2\n');
  t.is((await get({ query: 'SELECT 1 AS a', default_format: 'JSONEachRow' })).text, '{"a":1}\n');
  t.is(
    errorOf(t, await get({ query: 'SELECT 1', default_formt: 'CSV' })).code,
    115,
    'an unknown one is told',
  );
});

test('GET is read-only: what writes or changes the schema is refused with 164', async (t) => {
  const server = await startTest(t);
  await server.ok('CREATE STREAM s (a int32)');
  for (const query of [
    'INSERT INTO s VALUES (1)',
    'CREATE STREAM x (a int32)',
    'CREATE MATERIALIZED VIEW v INTO s AS SELECT a FROM s',
    'DROP STREAM s',
  ]) {
    const answer = await server.send({ method: 'GET', path: url({ query }) });
    t.is(answer.status, 403, query);
    t.is(errorOf(t, answer).code, 164, query);
  }
});

test('The format: FORMAT clause, then default_format, then X-Svc-Format, then TabSeparated', async (t) => {
  const server = await startTest(t);
  const format = async (
    clause: string,
    parameters: Record<string, string>,
    headers: Record<string, string>,
  ) => (await server.send({ path: url(parameters), headers, body: `SELECT 'x' AS a ${clause}` })).text;
  const header = { 'X-Svc-Format': 'CSV' };
  const parameter = { default_format: 'JSONEachRow' };
  t.is(
    await format('FORMAT Values', parameter, header),
    "('x')",
    '1. a FORMAT clause selects the output format',
  );
  t.is(await format('', parameter, header), '{"a":"x"}\n', 'default_format: default output format');
  t.is(await format('', {}, header), '"x"\n', '3. X-Svc-Format: output format');
  t.is(await format('', {}, {}), 'x\n', 'the default');
});

test('POST /: the body is SQL text', async (t) => {
  const server = await startTest(t);
  t.is((await server.send({ body: 'SELECT 1 -- a remark' })).text, '1\n');
  t.is((await server.send({ body: '\n/* remark */ SELECT 2;\r\n' })).text, '2\n');
});

test('POST / with an INSERT ... FORMAT in the parameter query and the rows in the body: empty success', async (t) => {
  const server = await startTest(t);
  await server.ok('CREATE STREAM s (a int32, b string)');
  const answer = await server.sql('1,x\n2,y\n', { query: 'INSERT INTO s FORMAT CSV' });
  t.deepEqual([answer.status, answer.text], [200, '']);
  t.is(await server.ok('SELECT a, b FROM table(s)'), '1\tx\n2\ty\n');
});

test('POST / with the INSERT and the rows on the following lines of the body: empty success', async (t) => {
  const server = await startTest(t);
  await server.ok('CREATE STREAM s (a int32, b string)');
  const answer = await server.sql('INSERT INTO s FORMAT JSONEachRow\n{"a":1,"b":"x"}\n{"a":2,"b":"y"}\n');
  t.deepEqual([answer.status, answer.text], [200, '']);
  t.is(await server.ok('SELECT a, b FROM table(s)'), '1\tx\n2\ty\n');
});

test('POST / as a multipart form with the fields query and data: empty success', async (t) => {
  const server = await startTest(t);
  await server.ok('CREATE STREAM s (a int32)');
  const form = new FormData();
  form.append('query', 'INSERT INTO s FORMAT CSV');
  form.append('data', new Blob(['1\n2\n']), 'rows.csv');
  const response = await fetch(`http://127.0.0.1:${server.port}/`, { method: 'POST', body: form });
  t.is(response.status, 200);
  t.is(await response.text(), '');
  t.is(await server.ok('SELECT a FROM table(s)'), '1\n2\n');
});

test('Body and parameter query together: the body follows the query after a newline', async (t) => {
  const server = await startTest(t);
  t.is(await server.ok('+ 2', { query: 'SELECT 1 -- one' }), '3\n');
});

test('2. database by parameter and by X-Svc-Database is the default database, the parameter first', async (t) => {
  const server = await startTest(t);
  for (const name of ['one', 'two']) {
    await server.ok(`CREATE DATABASE ${name}`);
    await server.ok(`CREATE STREAM ${name}.s (a string)`);
    await server.ok(`INSERT INTO ${name}.s VALUES ('${name}')`);
  }
  const read = { body: 'SELECT a FROM table(s)' };
  t.is((await server.send({ ...read, path: url({ database: 'one' }) })).text, 'one\n');
  for (const brand of ['Svc', 'ClickHouse', 'Proton', 'Timeplus'])
    t.is((await server.send({ ...read, headers: { [`X-${brand}-Database`]: 'two' } })).text, 'two\n', brand);
  const both = { ...read, path: url({ database: 'one' }), headers: { 'X-Svc-Database': 'two' } };
  t.is((await server.send(both)).text, 'one\n');
  t.is((await server.send({ ...read, path: url({ database: 'three' }) })).status, 404);
});

test('3. Content-Type on data posts is taken, whatever it says', async (t) => {
  const server = await startTest(t);
  await server.ok('CREATE STREAM s (a int32)');
  for (const [format, type, body] of [
    ['JSONEachRow', 'application/json', '{"a":1}'],
    ['CSV', 'text/csv', '1\n'],
    ['CSV', 'application/x-www-form-urlencoded', '1\n'],
    ['CSV', 'application/octet-stream', '1\n'],
  ] as const) {
    const path = url({ query: `INSERT INTO s FORMAT ${format}` });
    const answer = await server.send({ path, headers: { 'Content-Type': type }, body });
    t.is(answer.status, 200, `${type}: ${answer.text}`);
  }
  t.is(await server.ok('SELECT count() FROM table(s)'), '4\n');
});

test('3. Accept-Encoding: gzip (and deflate, br, zstd, lz4) gives a compressed response; bodies come packed as well', async (t) => {
  const server = await startTest(t);
  await server.ok('CREATE STREAM s (a int32)');
  const unpack: Record<string, (bytes: Buffer) => Buffer> = {
    gzip: zlib.gunzipSync,
    deflate: zlib.inflateSync,
    br: zlib.brotliDecompressSync,
    zstd: zlib.zstdDecompressSync,
  };
  for (const [name, unpacked] of Object.entries(unpack)) {
    const answer = await server.send({ headers: { 'Accept-Encoding': name }, body: 'SELECT 1' });
    t.is(answer.headers['content-encoding'], name);
    t.is(unpacked(answer.body).toString(), '1\n', name);
  }
  t.is(
    (await server.send({ headers: { 'Accept-Encoding': 'lz4' }, body: 'SELECT 1' })).headers[
      'content-encoding'
    ],
    'lz4',
  );
  const pack: Record<string, (text: string) => Buffer> = {
    gzip: zlib.gzipSync,
    deflate: zlib.deflateSync,
    br: zlib.brotliCompressSync,
    zstd: zlib.zstdCompressSync,
  };
  for (const [name, packed] of Object.entries(pack)) {
    const answer = await server.send({
      path: url({ query: 'INSERT INTO s FORMAT CSV' }),
      headers: { 'Content-Encoding': name },
      body: packed('1\n'),
    });
    t.is(answer.status, 200, `${name}: ${answer.text}`);
  }
  t.is(await server.ok('SELECT count() FROM table(s)'), '4\n');
});

test('4. Statements that can be used: SELECT, INSERT, the CREATEs, SHOW STREAMS, DESCRIBE, system.tables, version()', async (t) => {
  const server = await startTest(t);
  await server.ok('CREATE STREAM s (a int32)');
  await server.ok('CREATE STREAM copy (a int32)');
  await server.ok('CREATE MATERIALIZED VIEW v INTO copy AS SELECT a FROM s');
  await server.ok('INSERT INTO s VALUES (1)');
  t.is(await server.ok('SELECT a FROM table(s)'), '1\n');
  t.deepEqual(
    (await server.ok('SHOW STREAMS'))
      .trim()
      .split('\n')
      .filter((name) => name !== 'v'),
    ['copy', 's'],
  );
  t.regex(await server.ok('DESCRIBE s'), /^a\tint32\t/);
  t.is(
    await server.ok("SELECT name FROM system.tables WHERE database = 'default' ORDER BY name"),
    'copy\ns\nv\n',
  );
  t.regex(await server.ok('SELECT version()'), /^\d+\.\d+\.\d+/);
});

test("Response headers: query id, format, time zone, summary; ClickHouse's names for a request of that brand", async (t) => {
  const server = await startTest(t);
  const answer = await server.sql('SELECT number FROM numbers(3)', { query_id: 'mine' });
  t.is(answer.headers['x-svc-query-id'], 'mine');
  t.is(answer.headers['x-svc-format'], 'TabSeparated');
  t.is(answer.headers['x-svc-timezone'], 'UTC');
  const summary = JSON.parse(String(answer.headers['x-svc-summary'])) as Record<string, unknown>;
  for (const name of [
    'read_rows',
    'read_bytes',
    'written_rows',
    'written_bytes',
    'result_rows',
    'elapsed_ns',
  ])
    t.is(typeof summary[name], 'string', name);
  t.is(summary['result_rows'], '3');
  const theirs = await server.send({ headers: { 'X-ClickHouse-Format': 'CSV' }, body: "SELECT 'q'" });
  t.is(theirs.text, '"q"\n');
  t.is(theirs.headers['x-clickhouse-format'], 'CSV');
  const generated = await server.sql('SELECT 1');
  t.regex(String(generated.headers['x-svc-query-id']), /^[0-9a-f]{8}-[0-9a-f-]{27}$/, 'else a UUID');
});

test('param_<name> fills {name:type}, typed, never by text splicing', async (t) => {
  const server = await startTest(t);
  const sql = 'SELECT {n:int32} + 1, {s:string}';
  t.is(await server.ok(sql, { param_n: '1', param_s: "'; DROP STREAM s" }), "2\t\\'; DROP STREAM s\n");
  t.is((await server.sql(sql, { param_n: '1 + 1', param_s: '' })).status, 400);
  const missing = await server.sql(sql, { param_n: '1' });
  t.regex(errorOf(t, missing).message, /'s' is not given: expected param_s/);
});

test("The client's disconnect cancels its query", async (t) => {
  const server = await startTest(t);
  await server.ok('CREATE STREAM s (a int32)');
  for (const text of ['SELECT a FROM s', 'SELECT sum(number) FROM numbers(100000000000)']) {
    const query = await server.open(text);
    const left = performance.now();
    query.leave();
    await until('the query is gone', async () => !(await server.runs(query.queryId)));
    t.true(performance.now() - left < 2000, `${text}: at once, with room for a busy machine`);
  }
});

test('Connections are kept alive and serve many requests', async (t) => {
  const server = await startTest(t);
  const answer = await server.send({ headers: { Connection: 'keep-alive' }, body: 'SELECT 1' });
  t.is(answer.headers['connection'], 'keep-alive');
});
