import test from 'ava';
import { errorOf, startTest } from '../http/support.ts';

test('Created with CREATE STREAM <name> (<column definitions>)', async (t) => {
  const server = await startTest(t);
  t.is((await server.sql('CREATE STREAM devices (id int32, name string)')).status, 200);
  t.is(await server.ok('SHOW STREAMS'), 'devices\n');
  const again = await server.sql('CREATE STREAM devices (id int32)');
  t.is(again.status, 400);
  t.is(errorOf(t, again).code, 57, 'a name can be taken once');
});

test('Column type names: int32, int64, string, float64, datetime64(3), date, datetime, as they are shown', async (t) => {
  const server = await startTest(t);
  const columns = {
    a: 'int32',
    b: 'int64',
    c: 'string',
    d: 'float64',
    e: 'datetime64(3)',
    f: 'date',
    g: 'datetime',
  };
  const text = Object.entries(columns).map(([name, type]) => `${name} ${type}`);
  await server.ok(`CREATE STREAM s (${text.join(', ')})`);
  const described = (
    await server.ok(
      "SELECT name, type FROM system.columns WHERE table = 's' AND name != '_tp_time' FORMAT CSV",
    )
  )
    .trim()
    .split('\n');
  t.deepEqual(
    described,
    Object.entries(columns).map(([name, type]) => `"${name}","${type}"`),
  );
  await server.ok(
    "INSERT INTO s VALUES (-2147483648, 9223372036854775807, 'x', 1.5, '2024-01-02 03:04:05.678', '2024-01-02', '2024-01-02 03:04:05')",
  );
  t.is(
    await server.ok('SELECT a, b, c, d, e, f, g FROM table(s)'),
    '-2147483648\t9223372036854775807\tx\t1.5\t2024-01-02 03:04:05.678\t2024-01-02\t2024-01-02 03:04:05\n',
  );
});

test("ClickHouse's spellings of types and CREATE TABLE are taken as well", async (t) => {
  const server = await startTest(t);
  await server.ok('CREATE TABLE s (a Int32, b Nullable(String), c DateTime64(3), d Float64)');
  t.regex(
    await server.ok('DESCRIBE s'),
    /^a\tint32\t.*\nb\tnullable\(string\)\t.*\nc\tdatetime64\(3\)\t.*\nd\tfloat64\t/,
  );
});

test('DEFAULT: an omitted column takes its expression, such as a constant string or now64(3)', async (t) => {
  const server = await startTest(t);
  await server.ok(
    "CREATE STREAM s (id int32, state string DEFAULT 'new', at datetime64(3) DEFAULT now64(3), twice int32 DEFAULT id * 2)",
  );
  await server.ok('INSERT INTO s (id) VALUES (4)');
  t.is(
    await server.ok("SELECT id, state, abs(date_diff('second', at, now64(3))) < 60, twice FROM table(s)"),
    '4\tnew\ttrue\t8\n',
  );
});

test('_tp_time is built in, and set to the current time when an insert does not provide it', async (t) => {
  const server = await startTest(t);
  await server.ok('CREATE STREAM s (a int32)');
  await server.ok('INSERT INTO s VALUES (1)');
  await server.ok("INSERT INTO s (a, _tp_time) VALUES (2, '2020-01-01 00:00:00.000')");
  t.is(
    await server.ok("SELECT a, abs(date_diff('second', _tp_time, now64(3))) < 60 FROM table(s) ORDER BY a"),
    '1\ttrue\n2\tfalse\n',
  );
  t.is(await server.ok('SELECT to_string(_tp_time) FROM table(s) WHERE a = 2'), '2020-01-01 00:00:00.000\n');
  t.regex(await server.ok('SELECT * FROM table(s) FORMAT JSONEachRow'), /^\{"a":1,"_tp_time":"[^"]+"\}\n/);
  t.is(await server.ok('SELECT _tp_sn FROM table(s)'), '0\n1\n', 'the sequence number is read by its name');
  t.not((await server.sql('INSERT INTO s (a, _tp_sn) VALUES (1, 1)')).status, 200, 'and cannot be written');
});

test('NOT NULL columns: inserting NULL into one is an error, and columns are so unless nullable', async (t) => {
  const server = await startTest(t);
  await server.ok('CREATE STREAM s (a int32, b int32 NOT NULL, c nullable(int32), d int32 NULL)');
  await server.ok('INSERT INTO s VALUES (0, 0, NULL, NULL)');
  for (const text of [
    'INSERT INTO s (a) VALUES (NULL)',
    'INSERT INTO s (b) VALUES (NULL)',
    'INSERT INTO s (a) FORMAT JSONEachRow {"a":null}',
    'INSERT INTO s (a) FORMAT TSV\n\\N',
    'INSERT INTO s (a) SELECT NULL',
    'INSERT INTO s (a) SELECT if(number = 2, NULL, number) FROM numbers(4)',
    'INSERT INTO s (b, a) SELECT 1, c FROM table(s)',
    'CREATE STREAM x (a int32 DEFAULT NULL)',
  ]) {
    const answer = await server.sql(text);
    t.is(answer.status, 400, text);
    t.is(errorOf(t, answer).code, 349, text);
  }
  t.is(await server.ok('INSERT INTO s (a, b, c, d) VALUES (1, 2, NULL, NULL)'), '');
  t.is(await server.ok('SELECT a, b, c, d FROM table(s)'), '0\t0\t\\N\t\\N\n1\t2\t\\N\t\\N\n');
});

test('Keywords and functions in any case; streams and columns as they are written', async (t) => {
  const server = await startTest(t);
  await server.ok('create stream Big (Id int32, id int32)');
  await server.ok('insert into Big (Id, id) values (1, 2)');
  t.is(await server.ok('select Id, ID_ from (select Id, id as ID_ from table(Big))'), '1\t2\n');
  t.is(await server.ok("SELECT UPPER('a'), toInt32('1'), to_int32('1')"), 'A\t1\t1\n');
  t.is((await server.sql('SELECT Id FROM table(big)')).status, 404);
});

test('64-bit integers never lose precision, and are plain numbers in JSON unless asked', async (t) => {
  const server = await startTest(t);
  const select = 'SELECT 9223372036854775807 + 0 AS n, 18446744073709551615 AS u FORMAT JSONEachRow';
  t.is(await server.ok(select), '{"n":9223372036854775807,"u":18446744073709551615}\n');
  t.is(
    await server.ok(select, { output_format_json_quote_64bit_integers: '1' }),
    '{"n":"9223372036854775807","u":"18446744073709551615"}\n',
  );
});

test('raw:field extracts from a JSON string column, a ::type suffix casts, a missing path is empty', async (t) => {
  const server = await startTest(t);
  await server.ok('CREATE STREAM s (raw string)');
  await server.ok(
    `INSERT INTO s FORMAT RawBLOB\n{"id":7,"a":{"b":"x"},"list":[{"b":1},{"b":2}],"odd name":true}`,
  );
  t.is(
    await server.ok(
      'SELECT raw:id, raw:id::int32 + 1, raw:a.b, raw:a, raw:list[2].b, raw:`odd name`, raw:none, raw:none::nullable(int32) FROM table(s)',
    ),
    '7\t8\tx\t{"b":"x"}\t2\ttrue\t\t\\N\n',
  );
});
