import http from 'node:http';
import net, { type AddressInfo } from 'node:net';
import test, { type ExecutionContext } from 'ava';
import { errorOf, startTest, temporaryDirectory, until } from '../http/support.ts';
import { useClickHouse } from './support.ts';

const clickhouse = useClickHouse();

const columns = `a Int32, s String, n Nullable(Float64), d DateTime, day Date, list Array(String),
  e Enum8('x' = 1, 'y' = 2), lc LowCardinality(String), u UUID, dc Decimal(10, 2), f FixedString(3), big UInt64, tu Tuple(Int8, String)`;

let tables = 0;

/** A new table on the other side. */
async function newTable(definition = columns): Promise<string> {
  const name = `t${++tables}`;
  await clickhouse.run(`CREATE TABLE ${name} (${definition}) ENGINE = MergeTree ORDER BY tuple()`);
  return name;
}

function external(name: string, table: string, own = '', further = ''): string {
  return `CREATE EXTERNAL TABLE ${name} ${own} SETTINGS type = 'clickhouse', address = '${clickhouse.address}', table = '${table}'${further}`;
}

async function rowsOf(server: Awaited<ReturnType<typeof startTest>>, sql: string): Promise<unknown[]> {
  const text = await server.ok(`${sql} FORMAT JSONEachRow`);
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as unknown);
}

test('values of all types go there and come back', async (t) => {
  const table = await newTable();
  const server = await startTest(t);
  await server.ok(external('ext', table));
  const described = (await server.ok('DESCRIBE ext'))
    .split('\n')
    .map((line) => line.split('\t').slice(0, 2).join(' '));
  t.deepEqual(described.slice(0, 4), ['a int32', 's string', 'n nullable(float64)', 'd datetime']);
  await server.ok(
    `INSERT INTO ext VALUES (1, 'it''s \\\\ ü\\n', NULL, '2026-01-02 03:04:05', '2026-01-02', ['p', ''], 'y', 'low', '51dd4d3e-5f62-4c45-aebc-f84d6706c4d4', 12.34, 'abc', 18446744073709551615, (-1, 'z'))`,
  );
  t.is(
    await clickhouse.run(`SELECT * FROM ${table} FORMAT TSV`),
    `1\tit\\'s \\\\ ü\\n\t\\N\t2026-01-02 03:04:05\t2026-01-02\t['p','']\ty\tlow\t51dd4d3e-5f62-4c45-aebc-f84d6706c4d4\t12.34\tabc\t18446744073709551615\t(-1,'z')\n`,
  );
  const there = (await server.ok('SELECT * FROM ext')).trimEnd();
  t.is(
    there,
    `1\tit\\'s \\\\ ü\\n\t\\N\t2026-01-02 03:04:05\t2026-01-02\t['p','']\ty\tlow\t51dd4d3e-5f62-4c45-aebc-f84d6706c4d4\t12.34\tabc\t18446744073709551615\t(-1,'z')`,
  );
});

test('INSERT SELECT there and from there, joins and aggregations over it', async (t) => {
  const table = await newTable('k UInt32, v String');
  const server = await startTest(t);
  await server.ok(external('ext', table));
  await server.ok(
    "INSERT INTO ext (k, v) SELECT number, concat('v', to_string(number % 10)) FROM numbers(200000)",
  );
  t.is(
    await clickhouse.run(`SELECT count(), sum(k), uniqExact(v) FROM ${table}`),
    '200000\t19999900000\t10\n',
  );
  t.is(await server.ok('SELECT count(), sum(k), uniq_exact(v) FROM ext'), '200000\t19999900000\t10\n');
  t.is(await server.ok('SELECT v, count() FROM ext GROUP BY v ORDER BY v LIMIT 2'), 'v0\t20000\nv1\t20000\n');
  t.is(await server.ok('SELECT count() FROM ext AS l JOIN (SELECT 5 AS k) AS r ON l.k = r.k'), '1\n');
  await server.ok('CREATE STREAM s (k uint32, v string)');
  await server.ok('INSERT INTO s (k, v) SELECT k, v FROM ext WHERE k < 10');
  t.is(await server.ok('SELECT count(), max(v) FROM table(s)'), '10\tv9\n');
  await server.ok('INSERT INTO ext (v) FORMAT JSONEachRow\n{"v": "left out"}');
  t.is(await clickhouse.run(`SELECT k FROM ${table} WHERE v = 'left out'`), '0\n');
});

test('conditions and limits are left to the other side, and mean the same', async (t) => {
  const table = await newTable("k Int64, s String, d DateTime('Asia/Tokyo'), day Date, f Float64");
  await clickhouse.run(
    `INSERT INTO ${table} SELECT number, toString(number), toDateTime(number * 3600), toDate(number), number / 2 FROM numbers(10000)`,
  );
  const server = await startTest(t);
  await server.ok(external('ext', table));
  const read = async (sql: string) => {
    const answer = await server.sql(sql);
    t.is(answer.status, 200, answer.text);
    const summary = JSON.parse(String(answer.headers['x-svc-summary'])) as { read_rows: string };
    return [answer.text, Number(summary.read_rows)];
  };
  t.deepEqual(await read('SELECT count() FROM ext WHERE k >= 9990'), ['10\n', 10]);
  t.deepEqual(await read("SELECT k FROM ext WHERE s = '77' AND k < 100"), ['77\n', 1]);
  t.deepEqual(await read("SELECT k FROM ext WHERE d = to_datetime('1970-01-02 00:00:00', 'UTC')"), [
    '24\n',
    1,
  ]);
  t.deepEqual(await read("SELECT count() FROM ext WHERE day >= to_date('1997-05-18')"), ['1\n', 1]);
  t.deepEqual(await read('SELECT count() FROM ext WHERE 4999.0 < f'), ['1\n', 1]);
  t.is((await read('SELECT k FROM ext LIMIT 3'))[1], 3);
  t.deepEqual(await read('SELECT count() FROM ext WHERE k % 2 = 0 AND k < 10'), ['5\n', 10]);
  const odd = "it''s \\\\ `x` \\'; DROP TABLE";
  t.deepEqual(await read(`SELECT count() FROM ext WHERE s = '${odd}'`), ['0\n', 0]);
});

test('columns of ones own choice are cast on the other side', async (t) => {
  const table = await newTable('k Int64, s String, b UInt8');
  await clickhouse.run(`INSERT INTO ${table} VALUES (1, '10', 0), (2, '20', 1)`);
  const server = await startTest(t);
  await server.ok(external('ext', table, '(s int32, k string, b bool)'));
  t.deepEqual(await rowsOf(server, 'SELECT * FROM ext WHERE s > 10'), [{ s: 20, k: '2', b: true }]);
  await server.ok("INSERT INTO ext VALUES (30, '3', true)");
  t.is(await clickhouse.run(`SELECT * FROM ${table} WHERE k = 3`), '3\t30\t1\n');
});

test('a materialized view writes there, and goes on after a restart', async (t) => {
  const table = await newTable('k UInt32, v String');
  const directory = await temporaryDirectory(t);
  const first = await startTest(t, { directory });
  await first.ok('CREATE STREAM s (k uint32, v string)');
  await first.ok(external('ext', table));
  await first.ok('CREATE MATERIALIZED VIEW mv INTO ext AS SELECT k, upper(v) AS v FROM s');
  await first.ok("INSERT INTO s (k, v) VALUES (1, 'a'), (2, 'b')");
  const there = () => clickhouse.run(`SELECT * FROM ${table} ORDER BY k`);
  await until('the rows are there', async () => (await there()) === '1\tA\n2\tB\n');
  await first.server.close();
  const second = await startTest(t, { directory });
  await second.ok("INSERT INTO s (k, v) VALUES (3, 'c')");
  await until('the row is there', async () => (await there()).endsWith('3\tC\n'));
  t.is(await there(), '1\tA\n2\tB\n3\tC\n');
});

test('users, databases and odd names', async (t) => {
  await clickhouse.run('CREATE DATABASE IF NOT EXISTS `odd db`');
  await clickhouse.run(
    'CREATE TABLE `odd db`.`ta``ble ü` (`co``l` Int32) ENGINE = Memory'.replaceAll('``', '\\`'),
  );
  const server = await startTest(t);
  await server.ok(
    external('ext', 'ta`ble ü', '', ", database = 'odd db', user = 'writer', password = 's3cret'"),
  );
  await server.ok('INSERT INTO ext VALUES (7)');
  t.is(await server.ok('SELECT * FROM ext'), '7\n');
  t.regex(await server.ok('SHOW CREATE TABLE ext'), /password = \\'\[HIDDEN\]\\'/);
  t.notRegex(await server.ok("SELECT create_table_query FROM system.tables WHERE name = 'ext'"), /s3cret/);
});

test('what is wrong with a definition or with the other side is said', async (t) => {
  const table = await newTable('k UInt32, v String');
  const server = await startTest(t);
  const address = clickhouse.address;
  const cases: [string, number, RegExp][] = [
    [external('x', 'nowhere'), 210, /Code: 60.*nowhere/],
    [
      external('x', table, '', ", user = 'writer', password = 'wrong'"),
      210,
      /Wrong password|Authentication failed/,
    ],
    [
      `CREATE EXTERNAL TABLE x SETTINGS type = 'clickhouse', address = '${address}'`,
      36,
      /'table' .* is missing/,
    ],
    [external('x', table, '', ", adress = 'y'"), 115, /Unknown setting 'adress'.*'address'/],
    [`CREATE EXTERNAL TABLE x SETTINGS type = 'clickhouse', address = 'a b:1', table = 't'`, 36, /host:port/],
    [
      `CREATE EXTERNAL TABLE x SETTINGS type = 'clickhouse', address = '127.0.0.1:1', table = 't'`,
      210,
      /connection refused/,
    ],
    [
      `CREATE EXTERNAL TABLE x SETTINGS type = 'clickhouse', address = '${clickhouse.native}', table = 't'`,
      210,
      /native protocol/,
    ],
    [
      `CREATE EXTERNAL STREAM x (k int32) SETTINGS type = 'clickhouse', address = '${address}', table = 't'`,
      36,
      /EXTERNAL TABLE/,
    ],
  ];
  for (const [sql, code, message] of cases) {
    const error = errorOf(t, await server.sql(sql));
    t.is(error.code, code, `${sql}\n${error.message}`);
    t.regex(error.message, message);
  }
  await server.ok(external('ext', table, '(k uint32, w string)'));
  t.regex((await server.sql('SELECT * FROM ext')).text, /no column 'w'/);
  await server.ok(external('number', table, '(v int32)'));
  await server.ok(external('whole', table));
  await server.ok("INSERT INTO whole VALUES (1, 'no number')");
  t.regex((await server.sql('SELECT * FROM number')).text, /Cannot parse|CANNOT_PARSE/);
  t.regex(await server.ok("SELECT last_error FROM system.tables WHERE name = 'number'"), /Cannot parse/);
  await clickhouse.run(`DROP TABLE ${table}`);
  t.regex((await server.sql("INSERT INTO whole VALUES (2, 'x')")).text, /doesn.t exist/);
  t.is(await server.ok('SELECT 1'), '1\n');
});

test('a server whose host is not allowed is not spoken to', async (t) => {
  const table = await newTable('k UInt32');
  const server = await startTest(t, { flags: ['--outside-hosts', 'elsewhere.example'] });
  const answer = await server.sql(external('x', table));
  t.is(answer.status, 403);
  t.regex(errorOf(t, answer).message, /'127\.0\.0\.1' is refused.*--outside-hosts/);
});

/** A server that speaks HTTP only as far as `answer` does. */
async function badServer(t: ExecutionContext, answer: http.RequestListener): Promise<string> {
  const server = http.createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test('a server that is silent, cuts off or talks nonsense ends in an error in time', async (t) => {
  const silent = await badServer(t, () => {});
  const cut = await badServer(t, (_, response) => {
    response.writeHead(200);
    response.write(Buffer.from([1, 200, 1, 1]), () => setImmediate(() => response.destroy()));
  });
  const nonsense = await badServer(t, (_, response) => response.end('<html>hello</html>'));
  const late = await badServer(t, (_, response) => {
    response.writeHead(200);
    response.end('Code: 241. DB::Exception: Memory limit (total) exceeded');
  });
  const deaf = net.createServer();
  await new Promise<void>((resolve) => deaf.listen(0, '127.0.0.1', resolve));
  t.teardown(() => deaf.close());
  const server = await startTest(t);
  const definition = (name: string, address: string) =>
    server.ok(
      `CREATE EXTERNAL TABLE ${name} (a int32) SETTINGS type = 'clickhouse', address = '${address}', table = 't', receive_timeout = 0.3, connect_timeout = 0.3`,
    );
  await definition('silent', silent);
  await definition('cut', cut);
  await definition('nonsense', nonsense);
  await definition('late', late);
  const wrong = async (sql: string, message: RegExp) => {
    const { code, message: text } = errorOf(t, await server.sql(sql));
    t.true(code === 210 || code === 16 || code === 33, `${code} ${text}`);
    t.regex(text, message);
  };
  for (const sql of ['SELECT * FROM silent', 'INSERT INTO silent VALUES (1)'])
    await wrong(sql, /no answer within 0\.3 s/);
  await wrong('SELECT * FROM cut', /aborted|cut/);
  await wrong('SELECT * FROM nonsense', /no column 'a'/);
  await wrong('SELECT * FROM late', /Code: 241.*Memory limit/);
  const ended = await server.sql('SELECT * FROM silent SETTINGS max_execution_time = 0.05');
  t.is(errorOf(t, ended).code, 159);
});
