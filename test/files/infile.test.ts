import { mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import zlib from 'node:zlib';
import test, { type ExecutionContext } from 'ava';
import { errorOf, startTest, type TestServer, temporaryDirectory } from '../http/support.ts';

/** A server whose user files are these. */
async function withFiles(
  t: ExecutionContext,
  files: Record<string, string | Buffer>,
): Promise<TestServer & { root: string }> {
  const server = await startTest(t);
  const root = join(server.directory, 'data', 'user_files');
  await mkdir(root, { recursive: true });
  for (const [name, content] of Object.entries(files)) {
    await mkdir(join(root, name, '..'), { recursive: true });
    await writeFile(join(root, name), content);
  }
  await server.ok("CREATE STREAM s (id int32, name string DEFAULT 'none')");
  return Object.assign(server, { root });
}

const all = 'SELECT id, name FROM table(s) ORDER BY id';

test('a file is read in the format it names or is named for', async (t) => {
  const server = await withFiles(t, {
    'a.csv': '1,one\n2,two',
    'b.data': '{"id":3,"name":"three"}\n',
    'c.tsv': '4\tfour\n',
    'sub/d.ndjson.gz': zlib.gzipSync('{"id":5}\n'),
    'e.csvwithnames': 'name,id\nsix,6\n',
  });
  await server.ok("INSERT INTO s FROM INFILE 'a.csv'");
  await server.ok("INSERT INTO s FROM INFILE 'b.data' FORMAT JSONEachRow");
  await server.ok("INSERT INTO s FROM INFILE './sub/../c.tsv' COMPRESSION 'none' FORMAT TSV");
  await server.ok("INSERT INTO s (id) FROM INFILE 'sub/d.ndjson.gz'");
  await server.ok(`INSERT INTO s FROM INFILE '${server.root}/e.csvwithnames'`);
  t.is(await server.ok(all), '1\tone\n2\ttwo\n3\tthree\n4\tfour\n5\tnone\n6\tsix\n');
});

test('a pattern stands for all files that it matches', async (t) => {
  const server = await withFiles(t, {
    'y/01.csv': '1,a',
    'y/02.csv': '2,b',
    'y/03.csv.gz': zlib.gzipSync('3,c'),
    'y/10.csv': '10,no',
    'y/z/04.csv': '4,d',
    'y/.hidden.csv': '9,no',
  });
  const reset = () => server.ok('TRUNCATE STREAM s');
  for (const [pattern, ids] of [
    ['y/{01,02}.csv', '1,2'],
    ['y/{01..03}.csv*', '1,2,3'],
    ['y/0?.csv', '1,2'],
    ['y/0*', '1,2,3'],
    ['y/**/0*.csv', '1,2,4'],
    ['*/0*.csv', '1,2'],
    ['y/{z/04,01}.csv', '1,4'],
  ] as const) {
    await reset();
    await server.ok(`INSERT INTO s FROM INFILE '${pattern}' FORMAT CSV`);
    t.is(
      (
        await server.ok(
          "SELECT array_string_concat(group_array(id::string), ',') FROM (SELECT id FROM table(s) ORDER BY id)",
        )
      ).trim(),
      ids,
      pattern,
    );
  }
  const none = errorOf(t, await server.sql("INSERT INTO s FROM INFILE 'y/{01,07}.csv' FORMAT CSV"));
  t.is(none.code, 107);
  t.regex(none.message, /'y\/07\.csv' does not exist/);
});

test('what lies outside the directory of user files is refused, however it is named', async (t) => {
  const server = await withFiles(t, { 'a.csv': '1,a' });
  const outside = await temporaryDirectory(t);
  await writeFile(join(outside, 'secret.csv'), '7,secret');
  await symlink(join(outside, 'secret.csv'), join(server.root, 'link.csv'));
  await symlink(outside, join(server.root, 'door'));
  await symlink('a.csv', join(server.root, 'inner.csv'));
  for (const path of [
    `${outside}/secret.csv`,
    '/etc/passwd',
    '../users.json',
    'x/../../users.json',
    '../user_files_too/a.csv',
    'link.csv',
    'door/secret.csv',
    'door/*.csv',
    '*.csv',
    '{a,link}.csv',
    'a.csv\\0',
    '..',
  ]) {
    const answer = await server.sql(`INSERT INTO s FROM INFILE '${path}' FORMAT CSV`);
    t.is(answer.status, 403, path);
    t.is(errorOf(t, answer).code, 291);
  }
  t.is(await server.ok(all), '');
  await server.ok("INSERT INTO s FROM INFILE 'inner.csv'");
  t.is(await server.ok(all), '1\ta\n');
});

test('errors say which file, and what was expected', async (t) => {
  const server = await withFiles(t, {
    'a.csv': '1,a',
    'bad.csv': '2,b\nx,c\n',
    'what.ever': '',
    'e.csv.gz': zlib.gzipSync('1,a').subarray(0, 12),
    'd/a.csv': '1,a',
  });
  const failure = async (sql: string) => errorOf(t, await server.sql(sql));
  const missing = await failure("INSERT INTO s FROM INFILE 'no.csv'");
  t.is(missing.code, 107);
  t.true(missing.message.includes(server.root));
  const codec = await failure("INSERT INTO s FROM INFILE 'a.csv' COMPRESSION 'gzp' FORMAT CSV");
  t.is(codec.code, 89);
  t.regex(codec.message, /expected one of zstd, gzip, br, deflate, lz4, xz, bz2, none, auto.*gzip/s);
  t.is((await failure("INSERT INTO s FROM INFILE 'what.ever'")).code, 36);
  t.is((await failure("INSERT INTO s FROM INFILE 'a.csv' FORMAT Nothing")).code, 73);
  t.regex((await failure("INSERT INTO s FROM INFILE 'd' FORMAT CSV")).message, /is a directory/);
  const half = await failure("INSERT INTO s FROM INFILE '{a,bad}.csv'");
  t.regex(half.message, /row 2, column 'id'.*while reading file 'bad\.csv'/s);
  t.regex(
    (await failure("INSERT INTO s FROM INFILE 'e.csv.gz'")).message,
    /gzip data cannot be decompressed/,
  );
  t.is((await failure("INSERT INTO s FROM INFILE 'a.csv' COMPRESSION 'xz' FORMAT CSV")).code, 271);
  t.is((await failure("INSERT INTO s FROM INFILE '{1..100000}' FORMAT CSV")).code, 36);
  t.is(await server.ok(all), '', 'nothing of a file that fails is kept');
});

test('a file that goes away between two reads is missing, not a crash', async (t) => {
  const server = await withFiles(t, { 'a.csv': '1,a' });
  await server.ok("INSERT INTO s FROM INFILE 'a.csv'");
  await rm(join(server.root, 'a.csv'));
  t.is(errorOf(t, await server.sql("INSERT INTO s FROM INFILE 'a.csv'")).code, 107);
  t.is(await server.ok(all), '1\ta\n');
});

test('settings of the statement hold for its file', async (t) => {
  const server = await withFiles(t, {
    'a.jsonl': '{"id":1,"name":"x","more":2}\n',
    'n.jsonl': '{"id":2,"p":{"q":5}}',
  });
  const without = await server.sql("INSERT INTO s FROM INFILE 'a.jsonl'");
  t.is(errorOf(t, without).code, 117);
  await server.ok(
    "INSERT INTO s FROM INFILE 'a.jsonl' FORMAT JSONEachRow SETTINGS input_format_skip_unknown_fields=1",
  );
  await server.ok(
    "INSERT INTO s FROM INFILE 'a.jsonl' SETTINGS input_format_skip_unknown_fields=1 FORMAT JSONEachRow",
  );
  t.is(await server.ok(all), '1\tx\n1\tx\n');
  await server.ok('CREATE STREAM n (id int32, `p.q` int32)');
  await server.ok("INSERT INTO n FROM INFILE 'n.jsonl' SETTINGS input_format_import_nested_json=1");
  t.is(await server.ok('SELECT id, `p.q` FROM table(n)'), '2\t5\n');
});
