import { randomBytes } from 'node:crypto';
import { mkdir, readdir } from 'node:fs/promises';
import type http from 'node:http';
import { join } from 'node:path';
import zlib from 'node:zlib';
import test from 'ava';
import {
  errorOf,
  startCommand,
  startTest,
  type TestServer,
  temporaryDirectory,
  until,
  url,
} from './support.ts';
import { connect, request } from './transport.ts';

async function withStream(t: Parameters<typeof startTest>[0]): Promise<TestServer> {
  const server = await startTest(t);
  await server.ok("CREATE STREAM s (a int32, b string DEFAULT 'none')");
  return server;
}

const stored = 'SELECT a, b FROM table(s) ORDER BY a';

test('rows stand in the body, under a statement in the URL', async (t) => {
  const server = await withStream(t);
  const insert = (format: string, body: string) =>
    server.sql(body, { query: `INSERT INTO s (a, b) FORMAT ${format}` });
  for (const [format, body] of [
    ['JSONEachRow', '{"a":1,"b":"x"}\n{"b":"y","a":2}\n'],
    ['CSV', '3,"x"\n4,y'],
    ['TabSeparated', '5\tx\n6\ty\n'],
    ['TSV', '7\tx\n'],
    ['Values', "(8, 'x'), (4 + 5, lower('Y'))"],
  ] as const) {
    const answer = await insert(format, body);
    t.is(answer.status, 200, answer.text);
    t.is(answer.text, '');
  }
  t.is(await server.ok(stored), '1\tx\n2\ty\n3\tx\n4\ty\n5\tx\n6\ty\n7\tx\n8\tx\n9\ty\n');
  t.is((await server.sql('(10)', { query: 'INSERT INTO s (a) VALUES' })).status, 200);
  t.is(await server.ok('SELECT b FROM table(s) WHERE a = 10'), 'none\n');
});

test('rows follow the statement in the body', async (t) => {
  const server = await withStream(t);
  await server.ok('INSERT INTO s FORMAT JSONEachRow\n{"a":1,"b":"FORMAT CSV"}\n{"a":2};');
  await server.ok("-- remark\n/* and */ /* another */ INSERT INTO s FORMAT CSV\n3,'SELECT'\n");
  await server.ok(
    'INSERT INTO s SETTINGS input_format_skip_unknown_fields = 1 FORMAT JSONEachRow {"a":4,"z":1}',
  );
  await server.ok(
    'INSERT INTO s FORMAT JSONEachRow SETTINGS input_format_skip_unknown_fields = 1\n{"a":5,"z":1}',
  );
  t.is(await server.ok(stored), '1\tFORMAT CSV\n2\tnone\n3\tSELECT\n4\tnone\n5\tnone\n');
  await server.ok('CREATE STREAM raw (line string)');
  await server.ok('INSERT INTO raw FORMAT RawBLOB\nfirst\n{"second": 2}\n');
  t.is(await server.ok('SELECT line FROM table(raw)'), 'first\n{"second": 2}\n');
});

test('data without rows is accepted', async (t) => {
  const server = await withStream(t);
  t.is((await server.sql('', { query: 'INSERT INTO s FORMAT JSONEachRow' })).status, 200);
  t.is((await server.sql('INSERT INTO s FORMAT CSV\n')).status, 200);
  t.is(await server.ok('SELECT count() FROM table(s)'), '0\n');
});

test('a chunked body of a slow sender is taken as it comes, split anywhere', async (t) => {
  const server = await withStream(t);
  const path = url({ query: 'INSERT INTO s FORMAT JSONEachRow', query_id: 'slow' });
  const status = await new Promise<number>((done, failed) => {
    const sent = request({ port: server.port, method: 'POST', path, agent: false }, (response) => {
      response.resume();
      done(response.statusCode ?? 0);
    });
    sent.on('error', failed);
    const bytes = Buffer.from('{"a":1,"b":"häuser 🏠"}\n{"a":2,"b":"x"}\n');
    let at = 0;
    const more = () => {
      if (at === bytes.length) sent.end();
      else sent.write(bytes.subarray(at, ++at), () => setImmediate(more));
    };
    more();
  });
  t.is(status, 200);
  t.is(await server.ok(stored), '1\thäuser 🏠\n2\tx\n');
});

test('an INSERT whose sender goes quiet can be killed and has its time', async (t) => {
  const server = await withStream(t);
  const begin = (id: string, parameters: Record<string, string> = {}) => {
    const query = 'INSERT INTO s FORMAT JSONEachRow';
    const path = url({ query, query_id: id, ...parameters });
    const answer = Promise.withResolvers<http.IncomingMessage>();
    const sent = request({ port: server.port, method: 'POST', path, agent: false }, answer.resolve);
    sent.on('error', answer.reject);
    sent.write('{"a":1}\n');
    return answer.promise.then((response) => {
      response.resume();
      sent.destroy();
      return response;
    });
  };
  const killed = begin('quiet');
  await until('the insert runs', () => server.runs('quiet'));
  t.regex(await server.ok("KILL QUERY WHERE query_id = 'quiet'"), /^killed\tquiet/);
  t.is((await killed).headers['x-svc-exception-code'], '394');
  const overdue = await begin('overdue', { max_execution_time: '0.05' });
  t.is(overdue.headers['x-svc-exception-code'], '159');
  await server.idle();
  t.is(await server.ok('SELECT count() FROM table(s)'), '0\n');
});

test('a body that is cut off stores nothing and leaves nothing behind', async (t) => {
  const server = await withStream(t);
  const cut = async (headers: string, body: string | Buffer, path: string, id: string) => {
    const socket = connect(server.port);
    socket.on('error', () => {});
    socket.write(`POST ${path} HTTP/1.1\r\nHost: x\r\n${headers}\r\n\r\n`);
    socket.write(body);
    if (id !== '') await until('the insert runs', () => server.runs(id));
    socket.destroy();
    await server.idle();
  };
  const insert = (id: string) => url({ query: 'INSERT INTO s FORMAT JSONEachRow', query_id: id });
  await cut('Content-Length: 1000', '{"a":1}\n{"a":2}\n', insert('length'), 'length');
  await cut('Transfer-Encoding: chunked', '10\r\n{"a":1}\n{"a":2}\n\r\n', insert('chunked'), 'chunked');
  const packed = zlib.gzipSync('{"a":1}\n{"a":2}\n');
  await cut('Content-Encoding: gzip\r\nContent-Length: 1000', packed, insert('gzip'), 'gzip');
  await cut('Content-Length: 1000', 'INSERT INTO s FORMAT CSV\n1,x\n', '/', '');
  t.is(await server.ok('SELECT count() FROM table(s)'), '0\n');
});

test('compressed bodies are unpacked, damaged ones refused whole', async (t) => {
  const server = await withStream(t);
  const path = url({ query: 'INSERT INTO s (a) FORMAT CSV' });
  const packers = {
    gzip: zlib.gzipSync,
    'x-gzip': zlib.gzipSync,
    deflate: zlib.deflateSync,
    br: zlib.brotliCompressSync,
    zstd: zlib.zstdCompressSync,
  };
  let rows = 0;
  for (const [name, pack] of Object.entries(packers)) {
    const headers = { 'Content-Encoding': name };
    const whole = pack(Buffer.from('1\n2\n3\n'));
    t.is((await server.send({ path, headers, body: whole })).status, 200, name);
    rows += 3;
    const cut = await server.send({ path, headers, body: whole.subarray(0, whole.length - 4) });
    t.is(cut.status, 400, name);
    t.is(errorOf(t, cut).code, 271);
    const plain = await server.send({ path, headers, body: 'plain text, not packed' });
    t.is(plain.status, 400, name);
    t.is(errorOf(t, plain).code, 271);
  }
  t.is(await server.ok('SELECT count() FROM table(s)'), `${rows}\n`);
  const statement = await server.send({
    headers: { 'Content-Encoding': 'gzip' },
    body: zlib.gzipSync('SELECT 1'),
  });
  t.is(statement.text, '1\n');
  const unknown = await server.send({ headers: { 'Content-Encoding': 'rot13' }, body: 'x' });
  t.is(errorOf(t, unknown).code, 89);
});

function form(parts: readonly { name: string; filename?: string; content: string | Buffer }[]): {
  headers: Record<string, string>;
  body: Buffer;
} {
  const boundary = `part-${randomBytes(8).toString('hex')}`;
  const pieces = parts.flatMap(({ name, filename, content }) => [
    Buffer.from(
      `--${boundary}\r\nContent-Disposition: form-data; name="${name}"${filename === undefined ? '' : `; filename="${filename}"`}\r\n\r\n`,
    ),
    Buffer.from(content),
    Buffer.from('\r\n'),
  ]);
  return {
    headers: { 'Content-Type': `multipart/form-data; boundary=${boundary}` },
    body: Buffer.concat([...pieces, Buffer.from(`--${boundary}--\r\n`)]),
  };
}

const insertField = { name: 'query', content: 'INSERT INTO s (a) FORMAT CSV' };

test('a multipart form brings statement and data', async (t) => {
  const server = await withStream(t);
  const post = (parts: Parameters<typeof form>[0], path = '/') => server.send({ path, ...form(parts) });
  const rows = (content: string) => ({ name: 'data', filename: 'rows.csv', content });
  t.is((await post([insertField, { name: 'data', content: '1\n2\n' }])).status, 200);
  const big = Array.from({ length: 400_000 }, (_, row) => `${row}\n`).join('');
  t.is((await post([insertField, rows(big)])).status, 200);
  t.is((await post([rows('3\n')], url({ query: insertField.content }))).status, 200);
  t.is((await post([rows('4\n'), insertField])).status, 200);
  t.is((await post([insertField, rows('')])).status, 200);
  t.is(await server.ok('SELECT count() FROM table(s)'), '400004\n');
  t.is((await post([{ name: 'query', content: 'SELECT 1' }])).text, '1\n');
  t.is((await post([{ name: 'query', filename: 'query.sql', content: 'SELECT 2' }])).text, '2\n');
  const boundaries = Buffer.from('\r\n--part\r\n-- part-\r\n');
  await server.ok('CREATE STREAM raw (line string)');
  const blob = [
    { name: 'query', content: 'INSERT INTO raw FORMAT RowBinary' },
    { name: 'data', content: Buffer.concat([Buffer.from([boundaries.length]), boundaries]) },
  ];
  t.is((await post(blob)).status, 200);
  t.is(await server.ok('SELECT length(line) FROM table(raw)'), `${boundaries.length}\n`);
});

test('a multipart form that is wrong is told why, and stores nothing', async (t) => {
  const server = await withStream(t);
  const rows = { name: 'data', filename: 'rows.csv', content: '1\n' };
  const fails = async (parts: Parameters<typeof form>[0], code: number, message: RegExp) => {
    const answer = await server.send(form(parts));
    t.is(answer.status, 400);
    const error = errorOf(t, answer);
    t.is(error.code, code, error.message);
    t.regex(error.message, message);
  };
  await fails([rows], 36, /'query'/);
  await fails([insertField, { ...rows, name: 'file' }], 36, /unknown field 'file'/);
  await fails([insertField, rows, rows], 36, /'data' twice/);
  await fails([insertField, rows, insertField], 36, /before 'data'/);
  await fails([insertField, insertField], 36, /'query' twice/);
  await fails([insertField, { ...rows, content: '1\nx\n' }], 27, /row 2, column 'a'/);
  await fails([{ name: 'query', content: `SELECT '${'x'.repeat(300_000)}'` }], 36, /max_query_size/);
  const whole = form([insertField, rows]);
  for (const cut of [3, 30, 60, 120]) {
    const body = whole.body.subarray(0, whole.body.length - cut);
    const answer = await server.send({ headers: whole.headers, body });
    t.is(errorOf(t, answer).code, 117, answer.text);
  }
  const plain = { 'Content-Type': 'multipart/form-data' };
  t.is(errorOf(t, await server.send({ headers: plain, body: 'x' })).code, 117);
  t.is(await server.ok('SELECT count() FROM table(s)'), '0\n');
});

test('data that comes before its statement goes over the disk and is removed', async (t) => {
  const directory = await temporaryDirectory(t);
  const uploads = join(directory, 'uploads');
  await mkdir(uploads);
  const { client } = await startCommand(t, directory, [], { TMPDIR: uploads });
  await client.ok('CREATE STREAM s (a int32)');
  const left = async () => (await readdir(uploads)).filter((name) => name.startsWith('sluice-upload-'));
  const big = Array.from({ length: 400_000 }, (_, row) => `${row}\n`).join('');
  const whole = form([{ name: 'data', filename: 'rows.csv', content: big }, insertField]);
  t.is((await client.send(whole)).status, 200);
  t.is(await client.ok('SELECT count() FROM table(s)'), '400000\n');
  await until('the upload is removed', async () => (await left()).length === 0);
  const cut = whole.body.subarray(0, whole.body.length - 1000);
  t.is((await client.send({ headers: whole.headers, body: cut })).status, 400);
  await until('the upload is removed', async () => (await left()).length === 0);

  const socket = connect(client.port);
  socket.on('error', () => {});
  socket.write(
    `POST / HTTP/1.1\r\nHost: x\r\nContent-Type: ${whole.headers['Content-Type']}\r\nContent-Length: 99999999\r\n\r\n`,
  );
  socket.write(cut);
  await until('the upload has begun', async () => (await left()).length > 0);
  socket.destroy();
  await until('the upload is removed', async () => (await left()).length === 0);
  t.is(await client.ok('SELECT count() FROM table(s)'), '400000\n');
});

test('the same data under the same name is written once, after a restart too', async (t) => {
  const directory = await temporaryDirectory(t);
  const first = await startTest(t, { directory });
  await first.ok('CREATE STREAM s (a int32)');
  const insert = (
    server: TestServer,
    headers: Record<string, string>,
    parameters: Record<string, string> = {},
  ) =>
    server.send({ path: url({ query: 'INSERT INTO s FORMAT CSV', ...parameters }), headers, body: '1\n2\n' });
  const key = { 'Idempotency-Key': 'order-7' };
  t.is((await insert(first, key)).status, 200);
  const repeated = await insert(first, key);
  t.is(repeated.status, 200);
  t.is(
    (JSON.parse(String(repeated.headers['x-svc-summary'])) as Record<string, string>)['written_rows'],
    '0',
  );
  t.is((await insert(first, {}, { insert_deduplication_token: 'order-7' })).status, 200);
  await first.ok("INSERT INTO s SETTINGS insert_deduplication_token = 'order-7' VALUES (1), (2)");
  t.is(await first.ok('SELECT count() FROM table(s)'), '2\n');
  await Promise.all(Array.from({ length: 8 }, () => insert(first, { 'Idempotency-Key': 'together' })));
  t.is(await first.ok('SELECT count() FROM table(s)'), '4\n');
  await first.server.close();

  const second = await startTest(t, { directory });
  t.is((await insert(second, key)).status, 200);
  t.is(await second.ok('SELECT count() FROM table(s)'), '4\n');
  t.is((await insert(second, { 'Idempotency-Key': 'order-8' })).status, 200);
  t.is(await second.ok('SELECT count() FROM table(s)'), '6\n');
});

test('a repeat whose first try failed is written', async (t) => {
  const server = await withStream(t);
  const headers = { 'Idempotency-Key': 'once' };
  const path = url({ query: 'INSERT INTO s (a) FORMAT CSV' });
  t.is((await server.send({ path, headers, body: '1\nx\n' })).status, 400);
  t.is((await server.send({ path, headers, body: '1\n2\n' })).status, 200);
  t.is(await server.ok('SELECT count() FROM table(s)'), '2\n');
});

test('many connections insert at once and lose nothing', async (t) => {
  const server = await withStream(t);
  const statuses = await Promise.all(
    Array.from(
      { length: 200 },
      async (_, index) => (await server.sql(`INSERT INTO s (a) VALUES (${index})`)).status,
    ),
  );
  t.true(statuses.every((status) => status === 200));
  t.is(await server.ok('SELECT count(), sum(a) FROM table(s)'), '200\t19900\n');
});
