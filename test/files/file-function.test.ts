import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import zlib from 'node:zlib';
import test, { type ExecutionContext } from 'ava';
import { errorOf, startTest } from '../http/support.ts';

async function start(t: ExecutionContext, files: Record<string, string | Buffer> = {}) {
  const server = await startTest(t);
  const root = join(server.directory, 'data', 'user_files');
  await mkdir(root, { recursive: true });
  for (const [name, content] of Object.entries(files)) {
    await mkdir(join(root, name, '..'), { recursive: true });
    await writeFile(join(root, name), content);
  }
  const failure = async (sql: string, parameters = {}) => errorOf(t, await server.sql(sql, parameters));
  return Object.assign(server, { root, failure, read: (name: string) => readFile(join(root, name), 'utf8') });
}

test('files are tables, with a structure or without', async (t) => {
  const server = await start(t, {
    'a.csv': '1,one\n2,two\n',
    'n.csv': 'id,day,name,share\n1,2024-01-31,x,0.5\n2,2024-02-01,,1\n',
    't.tsv.gz': zlib.gzipSync('id\tname\nint8\tstring\n5\tfive\n'),
    'r.jsonl': '{"a":1,"b":"x","c":[1,2]}\n{"a":2.5,"d":true}\n',
    'p/1.csv': '1,a\n',
    'p/2.csv': '2,b\n',
  });
  t.is(await server.ok("SELECT * FROM file('a.csv', 'CSV', 'id int32, name string')"), '1\tone\n2\ttwo\n');
  t.is(
    await server.ok("SELECT sum(id) FROM file('a.csv', CSV, 'id int32, name string') WHERE name != 'one'"),
    '2\n',
  );
  t.is(
    await server.ok(
      "SELECT name, _file, id FROM file('p/{1,2}.csv', auto, 'id int32, name string') ORDER BY id DESC",
    ),
    'b\t2.csv\t2\na\t1.csv\t1\n',
  );
  t.is(
    await server.ok(
      "SELECT *, to_type_name(id), to_type_name(day), to_type_name(name), to_type_name(share) FROM file('n.csv', 'CSVWithNames')",
    ),
    '1\t2024-01-31\tx\t0.5\tint64\tdate32\tstring\tfloat64\n2\t2024-02-01\t\t1\tint64\tdate32\tstring\tfloat64\n',
  );
  t.is(
    await server.ok("SELECT *, to_type_name(id) FROM file('t.tsv.gz', 'TSVWithNamesAndTypes')"),
    '5\tfive\tint8\n',
  );
  t.is(await server.ok("SELECT * FROM file('r.jsonl')"), '1\tx\t[1,2]\t\\N\n2.5\t\\N\t[]\ttrue\n');
  t.is(
    await server
      .ok("DESCRIBE file('a.csv', 'CSV', 'id int32, name string')")
      .then((text) => text.split('\n')[0]?.split('\t').slice(0, 2).join(' ')),
    'id int32',
  );
  await server.ok(
    "INSERT INTO FUNCTION file('x.avro') SELECT number AS id, to_string(number) AS name FROM numbers(3)",
  );
  t.is(
    await server.ok("SELECT *, to_type_name(id) FROM file('x.avro')"),
    '0\t0\tint64\n1\t1\tint64\n2\t2\tint64\n',
  );
  t.is(
    await server.ok(
      "SELECT f.name FROM file('a.csv', CSV, 'id int32, name string') AS f JOIN file('p/*.csv', CSV, 'id int32, c string') AS g ON f.id = g.id ORDER BY 1",
    ),
    'one\ntwo\n',
  );
  t.is((await server.failure("SELECT * FROM file('a.csv')")).code, 636);
  t.is((await server.failure("SELECT * FROM file('no.csv')")).code, 107);
  t.is((await server.failure("SELECT * FROM file('a.csv', 'CSV', 'id')")).code, 36);
  t.is((await server.failure("SELECT * FROM file('a.csv', 'CSV', 'id int32) x')")).code, 36);
  t.is((await server.failure('SELECT * FROM file()')).code, 42);
  t.is((await server.failure("SELECT * FROM file('a.csv', 'CSW', 'id int32')")).code, 73);
  t.is((await server.failure("SELECT * FROM file('a.csv', 'CSV', 'id int32', 'zp')")).code, 89);
  t.regex(
    (await server.failure("SELECT * FROM file('a.csv', 'CSV', 'id int32, name int32')")).message,
    /row 1, column 'name'.*while reading '.*a\.csv'/s,
  );
});

test('rows are written into files, which appear whole', async (t) => {
  const server = await start(t);
  await server.ok("INSERT INTO FUNCTION file('out/a.csv') SELECT number AS n, 'x' AS s FROM numbers(3)");
  t.is(await server.read('out/a.csv'), '0,"x"\n1,"x"\n2,"x"\n');
  await server.ok("INSERT INTO FUNCTION file('out/a.csv', CSV, 'n int32, s string') VALUES (7, 'y')");
  t.is(await server.read('out/a.csv'), '0,"x"\n1,"x"\n2,"x"\n7,"y"\n');
  await server.ok(
    "INSERT INTO FUNCTION file('out/a.csv') SELECT 9 AS n SETTINGS engine_file_truncate_on_insert = 1",
  );
  t.is(await server.read('out/a.csv'), '9\n');
  await server.ok("INSERT INTO FUNCTION file('h.csv', CSVWithNames) SELECT 1 AS n");
  t.is((await server.failure("INSERT INTO FUNCTION file('h.csv', CSVWithNames) SELECT 1 AS n")).code, 504);
  for (const ending of ['gz', 'zst', 'lz4', 'br', 'deflate']) {
    const into = `INSERT INTO FUNCTION file('c.jsonl.${ending}') SELECT number AS n FROM numbers(10000)`;
    await server.ok(into);
    if (ending === 'br' || ending === 'deflate') t.is((await server.failure(into)).code, 504);
    else await server.ok(into);
    const rows = ending === 'br' || ending === 'deflate' ? 10_000 : 20_000;
    t.is(
      await server.ok(`SELECT count(), sum(n) FROM file('c.jsonl.${ending}', auto, 'n int64')`),
      `${rows}\t${(rows / 10_000) * 49_995_000}\n`,
    );
  }
  t.is((await server.failure("INSERT INTO FUNCTION file('c.csv.xz') SELECT 1 AS n")).code, 48);
  const before = (await readdir(server.root)).sort();
  t.is(
    (
      await server.failure(
        "INSERT INTO FUNCTION file('bad.csv') SELECT throw_if(number = 99999) AS n FROM numbers(100000)",
      )
    ).code,
    395,
  );
  t.deepEqual((await readdir(server.root)).sort(), before, 'nothing is left of what failed');
  t.is((await server.failure("INSERT INTO FUNCTION file('*.csv') SELECT 1 AS n")).code, 36);
  t.is((await server.failure("INSERT INTO FUNCTION file('q.csv') VALUES (1)")).code, 36);
  await server.ok('CREATE STREAM s (n int32)');
  t.regex(
    (await server.failure("INSERT INTO FUNCTION file('s.csv') SELECT n FROM s")).message,
    /comes to an end/,
  );
  t.is((await server.failure('INSERT INTO s PARTITION BY n VALUES (1)')).code, 36);
});

test('PARTITION BY writes a file for each value', async (t) => {
  const server = await start(t);
  await server.ok(
    "INSERT INTO FUNCTION file('p/{_partition_id}.csv', 'CSV', 'k string, n int64') PARTITION BY k SELECT if(number % 3 = 0, 'a', 'b'), number FROM numbers(9)",
  );
  t.is(await server.read('p/a.csv'), '"a",0\n"a",3\n"a",6\n');
  t.is(await server.read('p/b.csv'), '"b",1\n"b",2\n"b",4\n"b",5\n"b",7\n"b",8\n');
  await server.ok(
    "INSERT INTO FUNCTION file('q/{_partition_id}.csv') PARTITION BY n % 2 SELECT number AS n FROM numbers(4)",
  );
  t.deepEqual((await readdir(join(server.root, 'q'))).sort(), ['0.csv', '1.csv']);
  for (const value of ["'../x'", "'a/b'", "''", "'..'", "'*'"]) {
    t.is(
      (
        await server.failure(
          `INSERT INTO FUNCTION file('r/{_partition_id}', CSV) PARTITION BY k SELECT ${value} AS k`,
        )
      ).code,
      36,
      value,
    );
  }
  t.is((await server.failure("INSERT INTO FUNCTION file('r.csv') PARTITION BY n SELECT 1 AS n")).code, 36);
  t.is((await server.failure("INSERT INTO FUNCTION file('r/{_partition_id}.csv') SELECT 1 AS n")).code, 36);
  t.regex(
    (
      await server.failure(
        "INSERT INTO FUNCTION file('r/{_partition_id}.csv') PARTITION BY n SELECT number AS n FROM numbers(2000)",
      )
    ).message,
    /more than 1000 objects/,
  );
  t.deepEqual(
    (await readdir(join(server.root, 'r')).catch(() => [])).filter((name) => !name.startsWith('.')),
    [],
  );
});

test('nothing outside the directory is read or written', async (t) => {
  const server = await start(t, { 'a.csv': '1\n' });
  await writeFile(join(server.directory, 'secret.csv'), '5\n');
  await symlink(join(server.directory, 'secret.csv'), join(server.root, 'link.csv'));
  await symlink(server.directory, join(server.root, 'door'));
  for (const path of ['../../secret.csv', 'link.csv', 'door/secret.csv', '/etc/passwd']) {
    t.is((await server.sql(`SELECT * FROM file('${path}', CSV, 'n string')`)).status, 403, path);
  }
  for (const path of ['../../new.csv', 'door/new.csv', '/tmp/new.csv', 'door/deep/new.csv']) {
    t.is((await server.sql(`INSERT INTO FUNCTION file('${path}', CSV) SELECT 1 AS n`)).status, 403, path);
  }
  t.deepEqual((await readdir(server.directory)).sort(), ['data', 'secret.csv']);
});

test('a user needs the right to files, also to have columns found', async (t) => {
  const server = await startTest(t);
  await mkdir(join(server.directory, 'data', 'user_files'), { recursive: true });
  await writeFile(join(server.directory, 'data', 'user_files', 'a.jsonl'), '{"a":1}\n');
  await server.ok("CREATE USER bob IDENTIFIED BY 'b'");
  const bob = { user: 'bob', password: 'b' };
  t.is((await server.sql("SELECT * FROM file('a.jsonl')", bob)).status, 403);
  t.is((await server.sql("SELECT * FROM file('missing.jsonl')", bob)).status, 403);
  t.is((await server.sql("INSERT INTO FUNCTION file('b.jsonl') SELECT 1 AS a", bob)).status, 403);
  await server.ok('GRANT FILE ON *.* TO bob');
  t.is(await server.ok("SELECT * FROM file('a.jsonl')", bob), '1\n');
});
