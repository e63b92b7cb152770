import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import zlib from 'node:zlib';
import test, { type ExecutionContext } from 'ava';
import { type Answer, errorOf, startTest, type TestServer, until } from '../http/support.ts';

async function withStream(t: ExecutionContext): Promise<TestServer> {
  const server = await startTest(t);
  await server.ok("CREATE STREAM s (id int32, name string DEFAULT 'none', at datetime DEFAULT now())");
  return server;
}

const all = 'SELECT id, name FROM table(s) ORDER BY id';

function fails(t: ExecutionContext, answer: Answer, status: number, code: number, message: RegExp): void {
  t.is(answer.status, status, answer.text);
  const told = errorOf(t, answer);
  t.is(told.code, code, told.message);
  t.regex(told.message, message);
}

test('Grammar: INSERT INTO [TABLE] [db.]name [(columns)] VALUES (...), (...)', async (t) => {
  const server = await withStream(t);
  await server.ok("INSERT INTO s (id, name) VALUES (1, 'a')");
  await server.ok("INSERT INTO TABLE s (id, name) VALUES (2, 'b')");
  await server.ok("INSERT INTO default.s (id, name) VALUES (3, 'c'), (4, 'd')");
  await server.ok("INSERT INTO TABLE default.s (id, name) VALUES (5, 'e'),\n (6, 'f');");
  t.is(await server.ok(all), '1\ta\n2\tb\n3\tc\n4\td\n5\te\n6\tf\n');
});

test('column_list: when omitted, values for all columns are expected in definition order', async (t) => {
  const server = await withStream(t);
  await server.ok("INSERT INTO s VALUES (1, 'a', '2024-01-01 00:00:00')");
  t.is(await server.ok('SELECT id, name, at FROM table(s)'), '1\ta\t2024-01-01 00:00:00\n');
  fails(t, await server.sql("INSERT INTO s VALUES (1, 'a')"), 400, 117, /2 values, expected 3/);
});

test('SETTINGS may stand last, behind the rows of VALUES, too', async (t) => {
  const server = await withStream(t);
  const token = "SETTINGS insert_deduplication_token = 'once', max_threads = 1";
  for (const end of ['', ';', ' ;\n']) await server.ok(`INSERT INTO s (id) VALUES (1), (2)\n${token}${end}`);
  await server.ok('', { query: `INSERT INTO s (id) VALUES (1), (2) ${token}` });
  await server.ok(`INSERT INTO s (id) FORMAT Values (1), (2) ${token}`);
  t.is(await server.ok(all), '1\tnone\n2\tnone\n', 'the setting held for each of them');
  await server.ok('INSERT INTO s (id, name) VALUES (3, NULL) SETTINGS input_format_null_as_default = 1');
  await server.ok("INSERT INTO s (id, name) VALUES (4, concat('(x) SETTINGS a = 1', ''))");
  t.is(await server.ok('SELECT name FROM table(s) WHERE id > 2 ORDER BY id'), 'none\n(x) SETTINGS a = 1\n');
  fails(
    t,
    await server.sql('INSERT INTO s (id) VALUES (5) SETTINGS max_thread = 1'),
    400,
    115,
    /'max_threads'/,
  );
});

test('Remarks may stand between and behind rows of VALUES; an INSERT that brings nothing says so', async (t) => {
  const server = await withStream(t);
  await server.ok("INSERT INTO s (id, name) VALUES -- first\n(1, '--a'), /* (9, 'no'), */ (2, 'b'); -- done");
  t.is(await server.ok(all), '1\t--a\n2\tb\n');
  fails(t, await server.sql('INSERT INTO s'), 400, 62, /expected VALUES, SELECT, or FORMAT/);
  fails(
    t,
    await server.sql('INSERT INTO s (id) VALUES (3); SELECT 1'),
    400,
    27,
    /one statement is run at a time/,
  );
  fails(
    t,
    await server.sql('{"id":1}', { query: 'INSERT INTO s' }),
    400,
    27,
    /FORMAT JSONEachRow before rows of JSON/,
  );
  fails(
    t,
    await server.sql('INSERT INTO s (id, name) VALUES (3, "x")'),
    400,
    47,
    /a string stands in single quotes, 'x'/,
  );
  fails(t, await server.sql("INSERT INTO s (id, name) VALUES (3, 'it's')"), 400, 27, /written twice/);
});

test('VALUES: expressions such as now(), now64(3) and rand() are allowed as values', async (t) => {
  const server = await startTest(t);
  await server.ok('CREATE STREAM s (a datetime, b datetime64(3), c uint32, d int32, e string)');
  await server.ok("INSERT INTO s VALUES (now(), now64(3), rand(), 1 + 2 * 3, concat('a', upper('b')))");
  t.is(
    await server.ok(
      "SELECT abs(date_diff('second', a, now())) < 60, abs(date_diff('second', b, now64(3))) < 60, d, e FROM table(s)",
    ),
    'true\ttrue\t7\taB\n',
  );
});

test('SELECT: the rows produced are inserted, SELECT * with extra computed columns included', async (t) => {
  const server = await startTest(t);
  await server.ok('CREATE STREAM source (a int32)');
  await server.ok('CREATE STREAM target (a int32, at datetime64(3), twice int32)');
  await server.ok('INSERT INTO source VALUES (1), (2)');
  await server.ok('INSERT INTO target SELECT *, a * 2 AS twice FROM table(source)');
  t.is(await server.ok('SELECT a, twice FROM table(target) ORDER BY a'), '1\t2\n2\t4\n');
});

test('FROM INFILE with COMPRESSION: gzip, br, xz, zstd, lz4, bz2, deflate, none', async (t) => {
  const server = await withStream(t);
  const put = async (name: string, content: string | Buffer) => {
    const file = join(server.directory, 'data', 'user_files', name);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, content);
  };
  const csv = '1,a\n2,b\n';
  // Of codecs that Node cannot write, the bytes that their own tools make of this text.
  const packed: Record<string, Buffer> = {
    none: Buffer.from(csv),
    gzip: zlib.gzipSync(csv),
    br: zlib.brotliCompressSync(csv),
    zstd: zlib.zstdCompressSync(csv),
    deflate: zlib.deflateSync(csv),
    xz: Buffer.from(
      '/Td6WFoAAATm1rRGAgAhARYAAAB0L+WjAQAHMSxhCjIsYgoA8JlNyMYojnwAASAIuxnZux+2830BAAAAAARZWg==',
      'base64',
    ),
    lz4: Buffer.from('BCJNGGRApwgAAIAxLGEKMixiCgAAAADpH8WE', 'base64'),
    bz2: Buffer.from('QlpoOTFBWSZTWbCnEU8AAAJZAAAQAAQwADAAIAAhppmgwAKVCwu5IpwoSFhTiKeA', 'base64'),
  };
  for (const [codec, bytes] of Object.entries(packed)) {
    await put(`rows.${codec}`, bytes);
    await server.ok(`INSERT INTO s (id, name) FROM INFILE 'rows.${codec}' COMPRESSION '${codec}' FORMAT CSV`);
    t.is(await server.ok(all), '1\ta\n2\tb\n', codec);
    await server.ok('TRUNCATE STREAM s');
  }
  const unknown = await server.sql("INSERT INTO s FROM INFILE 'rows.none' COMPRESSION 'rar' FORMAT CSV");
  fails(t, unknown, 400, 89, /rar.*gzip/);
});

test('Files of FROM INFILE lie below <data-dir>/user_files; what is outside is refused with 403', async (t) => {
  const server = await withStream(t);
  const root = join(server.directory, 'data', 'user_files');
  await mkdir(root, { recursive: true });
  await writeFile(join(server.directory, 'secret.csv'), '1,secret\n');
  await symlink(join(server.directory, 'secret.csv'), join(root, 'link.csv'));
  for (const path of ['../../secret.csv', 'link.csv', '/etc/passwd', join(server.directory, 'secret.csv')]) {
    const answer = await server.sql(`INSERT INTO s (id, name) FROM INFILE '${path}' FORMAT CSV`);
    fails(t, answer, 403, 291, /user_files|directory/);
  }
  t.is(await server.ok(all), '');
});

test('Insert rule 1: data follows the FORMAT line, one record per line; the last may end with a semicolon', async (t) => {
  const server = await withStream(t);
  for (const [format, data] of [
    ['JSONEachRow', '{"id":1,"name":"a"}\n{"id":2,"name":"b"};'],
    ['CSV', '1,a\n2,b;'],
    ['TabSeparated', '1\ta\n2\tb;\n'],
    ['Values', "(1, 'a')\n(2, 'b');"],
  ] as const) {
    await server.ok(`INSERT INTO s (id, name) FORMAT ${format}\n${data}`);
    t.is(await server.ok(all), '1\ta\n2\tb\n', format);
    await server.ok('TRUNCATE STREAM s');
  }
});

test('Insert rule 2: columns omitted from the list take their DEFAULT; listed ones may be in any order', async (t) => {
  const server = await withStream(t);
  await server.ok('INSERT INTO s (id) VALUES (1)');
  await server.ok("INSERT INTO s (name, id) VALUES ('two', 2)");
  await server.ok('INSERT INTO s (name, id) FORMAT CSV\nthree,3\n');
  t.is(await server.ok(all), '1\tnone\n2\ttwo\n3\tthree\n');
});

test('Insert rule 3: strings are converted to the column type when possible', async (t) => {
  const server = await startTest(t);
  await server.ok('CREATE STREAM s (a int32, b float64, c datetime, d datetime64(3), e date)');
  const values = "'42', '1.5', '2024-01-02 03:04:05', '2024-01-02 03:04:05.678', '2024-01-02'";
  const result = '42\t1.5\t2024-01-02 03:04:05\t2024-01-02 03:04:05.678\t2024-01-02\n';
  for (const text of [
    `INSERT INTO s VALUES (${values})`,
    `INSERT INTO s SELECT ${values}`,
    `INSERT INTO s FORMAT JSONEachRow {"a":"42","b":"1.5","c":"2024-01-02 03:04:05","d":"2024-01-02T03:04:05.678Z","e":"2024-01-02"}`,
  ]) {
    await server.ok(text);
    t.is(await server.ok('SELECT a, b, c, d, e FROM table(s)'), result, text);
    await server.ok('TRUNCATE STREAM s');
  }
  const answer = await server.sql("INSERT INTO s (a) VALUES ('forty-two')");
  t.is(answer.status, 400);
  t.regex(errorOf(t, answer).message, /row 1, column 'a'.*'forty-two'/);
});

test('Insert rule 3: every conversion function that is named exists, in a SELECT and as a value', async (t) => {
  const server = await startTest(t);
  await server.ok('CREATE STREAM s (a string)');
  for (const [call, result] of [
    ["to_int32('42')", '42'],
    ["to_datetime64('2024-01-02 03:04:05.678', 3)", '2024-01-02 03:04:05.678'],
    ["to_date('2024-01-02 03:04:05')", '2024-01-02'],
    ["to_hour(to_datetime('2024-01-02 03:04:05'))", '3'],
    ["to_start_of_hour(to_datetime('2024-01-02 03:04:05'))", '2024-01-02 03:00:00'],
    ["to_time(to_datetime('2024-01-02 03:04:05'))", '2024-01-02 03:04:05.000'],
    ['to_string(42)', '42'],
    ["to_json_string(map('a', 1))", '{"a":1}'],
    ["map('a', 1)", "{'a':1}"],
    ["lower('AbC')", 'abc'],
    ["upper('AbC')", 'ABC'],
  ] as const) {
    t.is(await server.ok(`SELECT ${call} FORMAT TSVRaw`), `${result}\n`, call);
    await server.ok(`INSERT INTO s VALUES (to_string(${call}))`);
    t.is(await server.ok('SELECT a FROM table(s) FORMAT TSVRaw'), `${result}\n`, call);
    await server.ok('TRUNCATE STREAM s');
  }
});

test('Insert rule 4: inserting from a stream keeps running; table() copies once', async (t) => {
  const server = await startTest(t);
  for (const name of ['source', 'target']) await server.ok(`CREATE STREAM ${name} (a int32)`);
  await server.ok('INSERT INTO source VALUES (1), (2)');
  t.is(await server.ok('INSERT INTO target SELECT a FROM table(source)'), '');
  t.is(await server.ok('SELECT a FROM table(target) ORDER BY a'), '1\n2\n', 'a one-time copy');
  const running = server.sql('INSERT INTO target SELECT a FROM source', { query_id: 'copy' });
  await until('the copy runs', () => server.runs('copy'));
  for (const row of [3, 4]) {
    await server.ok(`INSERT INTO source VALUES (${row})`);
    await until(
      'the row is copied',
      async () => (await server.ok(`SELECT a FROM table(target) WHERE a = ${row}`)) !== '',
    );
  }
  await server.ok("KILL QUERY WHERE query_id = 'copy' SYNC");
  t.is((await running).status, 400);
  t.is(await server.ok('SELECT a FROM table(target) ORDER BY a'), '1\n2\n3\n4\n');
});

test("Insert rule 4: seek_to='earliest' with LIMIT n copies a bounded amount of history", async (t) => {
  const server = await startTest(t);
  for (const name of ['source', 'target']) await server.ok(`CREATE STREAM ${name} (a int32)`);
  await server.ok('INSERT INTO source VALUES (1), (2), (3)');
  await server.ok("INSERT INTO target SELECT a FROM source LIMIT 2 SETTINGS seek_to='earliest'", {
    max_execution_time: '20',
  });
  t.is(await server.ok('SELECT a FROM table(target) ORDER BY a'), '1\n2\n');
});

test('Insert rule 5: INSERT is synchronous, the rows are there when it returns', async (t) => {
  const server = await withStream(t);
  for (let row = 1; row <= 20; row++) {
    await server.ok(`INSERT INTO s (id) VALUES (${row})`);
    t.is(await server.ok('SELECT count() FROM table(s)'), `${row}\n`);
  }
});

test('Idempotency-Key and insert_deduplication_token: a repeat is acknowledged and written no second time', async (t) => {
  const server = await withStream(t);
  const insert = { headers: { 'Idempotency-Key': 'k1' }, body: 'INSERT INTO s (id) VALUES (1)' };
  t.is((await server.send(insert)).status, 200);
  t.is((await server.send(insert)).status, 200);
  await server.ok(insert.body, { insert_deduplication_token: 'k1' });
  await server.ok("INSERT INTO s (id) SETTINGS insert_deduplication_token = 'k1' VALUES (1)");
  t.is(await server.ok('SELECT count() FROM table(s)'), '1\n');
});
