import test from 'ava';
import { useClickHouse } from '../clickhouse/support.ts';
import { errorOf, startTest } from '../http/support.ts';

const clickhouse = useClickHouse();

test('CREATE EXTERNAL TABLE <name> SETTINGS type=..., address=..., table=...; it is a valid INSERT target', async (t) => {
  await clickhouse.run('CREATE TABLE remote (id Int32, name String) ENGINE = MergeTree ORDER BY id');
  const server = await startTest(t);
  const created = await server.sql(
    `CREATE EXTERNAL TABLE e SETTINGS type='clickhouse', address='${clickhouse.address}', table='remote'`,
  );
  t.deepEqual([created.status, created.text], [200, '']);
  await server.ok("INSERT INTO e VALUES (1, 'values')");
  await server.ok('INSERT INTO e (name, id) FORMAT JSONEachRow\n{"id":2,"name":"data"};');
  await server.ok("INSERT INTO e SELECT 3, 'select'");
  await server.ok('4,url\n', { query: 'INSERT INTO TABLE e FORMAT CSV' });
  t.is(
    await clickhouse.run('SELECT id, name FROM remote ORDER BY id FORMAT TSV'),
    '1\tvalues\n2\tdata\n3\tselect\n4\turl\n',
    'the rows are on the other side when the INSERT returns',
  );
  t.is(await server.ok('SELECT count() FROM e'), '4\n');
  t.regex(await server.ok("SELECT name FROM system.tables WHERE name = 'e'"), /^e\n$/);
});

test('What CREATE EXTERNAL TABLE lacks is named', async (t) => {
  const server = await startTest(t);
  for (const [settings, missing] of [
    ["type='clickhouse', table='remote'", /address/],
    ["address='127.0.0.1:1', table='remote'", /type/],
    ["type='clickhose', address='127.0.0.1:1', table='remote'", /clickhouse/],
  ] as const) {
    const answer = await server.sql(`CREATE EXTERNAL TABLE e SETTINGS ${settings}`);
    t.is(answer.status, 400, settings);
    t.regex(errorOf(t, answer).message, missing);
  }
});
