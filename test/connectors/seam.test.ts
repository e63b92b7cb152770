import test, { type ExecutionContext } from 'ava';
import { SluiceError } from '../../src/base/index.ts';
import { Database, VirtualClock } from '../../src/index.ts';
import { temporaryDirectory } from '../support/temporary-database.ts';
import { MemoryServer, memoryConnector } from './memory-connector.ts';

const create =
  "CREATE EXTERNAL STREAM e (k int32, s string DEFAULT 'none') SETTINGS type = 'memory', place = 'p'";

async function opened(t: ExecutionContext, server: MemoryServer, directory = temporaryDirectory(t)) {
  const database = await Database.open({ dataDir: directory, connectors: [memoryConnector(server)] });
  t.teardown(() => database.close());
  return database;
}

async function rowsOf(database: Database, sql: string): Promise<unknown[][]> {
  return (await database.query(sql).toArray()).map((row) => Object.values(row));
}

async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 20_000;
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error('the condition did not come true');
    await new Promise((next) => setImmediate(next));
  }
}

test('an external stream is written and read like a stream', async (t) => {
  const server = new MemoryServer();
  const database = await opened(t, server);
  await database.run(create);
  await database.run('INSERT INTO e (k) VALUES (1), (2)');
  await database.run("INSERT INTO e VALUES (3, 'x')");
  await database.run('INSERT INTO e FORMAT JSONEachRow', { data: Buffer.from('{"k": "4", "s": "y"}') });
  await database.run('INSERT INTO e SELECT number, to_string(number) FROM numbers(5, 2)');
  t.deepEqual(server.rows, [
    [1, 'none'],
    [2, 'none'],
    [3, 'x'],
    [4, 'y'],
    [5, '5'],
    [6, '6'],
  ]);
  t.deepEqual(await rowsOf(database, 'SELECT * FROM table(e) WHERE k > 4 ORDER BY k DESC'), [
    [6, '6'],
    [5, '5'],
  ]);
  t.deepEqual(await rowsOf(database, "SELECT _tp_sn, k FROM table(e) WHERE s = 'x'"), [[2, 3]]);
  t.deepEqual(await rowsOf(database, "SELECT k FROM e LIMIT 2 SETTINGS seek_to = 'earliest'"), [[1], [2]]);
  t.deepEqual(
    await rowsOf(
      database,
      'SELECT n.number, e.s FROM numbers(7) AS n JOIN table(e) AS e ON n.number = e.k WHERE k > 5',
    ),
    [[6, '6']],
  );
  t.deepEqual(
    await rowsOf(database, 'SELECT count() FROM table(e) WHERE k IN (SELECT k FROM table(e) WHERE k < 3)'),
    [[2]],
  );
  t.is(server.open, 0);
});

test('a source is told of conditions and limits', async (t) => {
  const server = new MemoryServer();
  const database = await opened(t, server);
  await database.run(create);
  await rowsOf(database, "SELECT k FROM table(e) WHERE k > 4 AND 'a' <= s AND k + 1 = 3");
  await rowsOf(database, 'SELECT k + 1 FROM table(e) LIMIT 7');
  await rowsOf(database, 'SELECT k FROM table(e) WHERE k = 1 LIMIT 7');
  t.deepEqual(
    server.requests.map(({ conditions, limit }) => [
      conditions.map(({ column, op, value }) => [column, op, value]),
      limit,
    ]),
    [
      [
        [
          [0, '>', 4],
          [1, '>=', 'a'],
        ],
        undefined,
      ],
      [[], 7],
      [[[0, '=', 1]], undefined],
    ],
  );
});

test('a result over an external stream is never kept', async (t) => {
  const server = new MemoryServer();
  const database = await opened(t, server);
  await database.run(create);
  const sql = 'SELECT count() FROM table(e)';
  t.deepEqual(await rowsOf(database, sql), [[0]]);
  server.add([[1, 'a']]);
  t.deepEqual(await rowsOf(database, sql), [[1]]);
  server.add([[2, 'b']]);
  t.deepEqual(await rowsOf(database, `SELECT * FROM (${sql})`), [[2]]);
  t.deepEqual(await rowsOf(database, sql), [[2]]);
});

test('streaming reads end with a kill and with their time', async (t) => {
  const server = new MemoryServer();
  const database = await opened(t, server);
  await database.run(create);
  const controller = new AbortController();
  const reading = database.query('SELECT k FROM e', { controller }).toArray();
  await until(() => server.open === 1);
  const before = performance.now();
  controller.abort(new SluiceError('QUERY_WAS_CANCELLED', 'killed'));
  await t.throwsAsync(reading, { message: 'killed' });
  // Far less than any time-out, and far more than it takes on a busy machine.
  t.true(performance.now() - before < 2_000);
  await t.throwsAsync(database.query('SELECT k FROM e SETTINGS max_execution_time = 0.1').toArray(), {
    message: /max_execution_time/,
  });
  await until(() => server.open === 0);
  t.pass();
});

test('views read from outside and write to it, each row once, also after a restart', async (t) => {
  const server = new MemoryServer();
  const directory = temporaryDirectory(t);
  const first = await opened(t, server, directory);
  await first.run(create);
  await first.run('CREATE STREAM here (k int32, s string)');
  await first.run("CREATE EXTERNAL STREAM out (k int64) SETTINGS type = 'memory', place = 'p'");
  server.add([[0, 'before']]);
  await first.run('CREATE MATERIALIZED VIEW v INTO here AS SELECT k, s FROM e');
  server.add([
    [1, 'a'],
    [2, 'b'],
  ]);
  await until(async () => (await rowsOf(first, 'SELECT count() FROM table(here)'))[0]![0] === 2);
  await first.close();
  server.add([[3, 'c']]);
  const second = await opened(t, server, directory);
  await until(async () => (await rowsOf(second, 'SELECT count() FROM table(here)'))[0]![0] === 3);
  t.deepEqual(await rowsOf(second, 'SELECT k FROM table(here) ORDER BY k'), [[1], [2], [3]]);
  await second.run('DROP VIEW v');
  await second.run('CREATE MATERIALIZED VIEW w INTO out AS SELECT k * 10 AS k FROM here');
  const before = server.rows.length;
  await second.run("INSERT INTO here VALUES (7, 'x')");
  await until(() => server.rows.length === before + 1);
  t.deepEqual(server.rows.at(-1), [70]);
  await second.close();
  server.positions.clear();
  const third = await opened(t, server, directory);
  await third.run("INSERT INTO here VALUES (9, 'x')");
  await until(() => server.rows.length === before + 2);
  t.deepEqual(server.rows.slice(before), [[70], [90]], 'a position that the other side forgot is known here');
  server.failure = new SluiceError('NETWORK_ERROR', 'the other side is gone');
  await third.run("INSERT INTO here VALUES (8, 'x')");
  const state = () => rowsOf(third, "SELECT state, last_error FROM system.tables WHERE name = 'w'");
  await until(async () => (await state())[0]![0] === 'failed');
  t.regex(String((await state())[0]![1]), /the other side is gone/);
  server.failure = null;
  await until(() => server.rows.length === before + 3);
  t.deepEqual(server.rows.at(-1), [80]);
  await t.throwsAsync(third.run('DROP STREAM out'), { message: /view default.w writes into it/ });
});

test('a view that lets few rows through goes on where it was', async (t) => {
  const server = new MemoryServer();
  const directory = temporaryDirectory(t);
  const clock = new VirtualClock();
  const connectors = [memoryConnector(server)];
  const first = await Database.open({ dataDir: directory, clock, connectors });
  await first.run(create);
  await first.run('CREATE STREAM here (k int32)');
  await first.run('CREATE MATERIALIZED VIEW v INTO here AS SELECT k FROM e WHERE k > 100');
  for (let k = 0; k < 20; k++) server.add([[k, 'x']]);
  await until(() => server.given === 20);
  const uuid = (await rowsOf(first, "SELECT uuid FROM system.tables WHERE name = 'v'"))[0]![0] as string;
  const here = first.engine.catalog.find('default', 'here');
  const noted = () => here.kind === 'stream' && here.log.originPosition(uuid) !== undefined;
  await until(() => {
    clock.advance(1_000);
    return noted();
  });
  await first.close();
  const second = await opened(t, server, directory);
  server.add([[101, 'x']]);
  await until(async () => (await rowsOf(second, 'SELECT count() FROM table(here)'))[0]![0] === 1);
  t.deepEqual(server.requests.at(-1)!.start, { kind: 'position', position: { next: 20 } });
});

test('external objects are listed and described, and their secrets are not shown', async (t) => {
  const server = new MemoryServer();
  const directory = temporaryDirectory(t);
  const first = await opened(t, server, directory);
  await first.run(`${create}, password = 'hunter2'`);
  await first.close();
  const database = await opened(t, server, directory);
  t.deepEqual(await rowsOf(database, 'SHOW STREAMS'), [['e']]);
  t.deepEqual(await rowsOf(database, 'DESCRIBE e'), [
    ['k', 'int32', '', '', ''],
    ['s', 'string', 'DEFAULT', "'none'", ''],
  ]);
  const [[statement]] = (await rowsOf(database, 'SHOW CREATE STREAM e')) as [[string]];
  t.is(
    statement,
    "CREATE EXTERNAL STREAM default.e\n(\n  k int32,\n  s string DEFAULT 'none'\n)\nSETTINGS type = 'memory', place = 'p', password = '[HIDDEN]'",
  );
  const [[engine, query]] = (await rowsOf(
    database,
    "SELECT engine, create_table_query FROM system.tables WHERE name = 'e'",
  )) as [[string, string]];
  t.is(engine, 'ExternalStream');
  t.is(query, statement);
  t.deepEqual(await rowsOf(database, 'EXISTS STREAM e'), [[true]]);
  const shown = await rowsOf(database, "SELECT query FROM system.processes -- password = 'hunter2'");
  t.regex(String(shown), /HIDDEN/);
  t.notRegex(String(shown), /hunter2/);
  await database.run('DROP STREAM e');
  t.deepEqual(await rowsOf(database, 'SHOW STREAMS'), []);
});

test('what cannot be is refused when it is created', async (t) => {
  const database = await opened(t, new MemoryServer());
  const refused = async (settings: string, message: RegExp, columns = '(k int32)') => {
    const sql = `CREATE EXTERNAL STREAM e ${columns} SETTINGS ${settings}`;
    await t.throwsAsync(database.run(sql), { message });
  };
  await refused("place = 'p'", /'type' of an external stream is missing/);
  await refused("type = 'memry'", /cannot be 'memry'.*maybe you meant.*memory/i);
  await refused("type = 'memory'", /'place' of an external stream of type 'memory' is missing/);
  await refused("type = 'memory', place = 'p', dept = 1", /Unknown setting 'dept'.*depth/);
  await refused(
    "type = 'memory', place = 'p', depth = 'x'",
    /'depth' .* cannot be 'x': expected a whole number/,
  );
  await refused("type = 'memory', place = 'p', place = 'q'", /given twice/);
  await refused("type = 'memory', place = 'p'", /'k' is defined twice/, '(k int32, k string)');
  await refused("type = 'memory', place = 'p'", /needs at least one column/, '');
  await t.throwsAsync(
    database.run("CREATE EXTERNAL TABLE e (k int32) SETTINGS type = 'memory', place = 'p'"),
    {
      message: /is for CREATE EXTERNAL STREAM/,
    },
  );
  await database.run(create);
  await database.run(create.replace('STREAM e', 'STREAM IF NOT EXISTS e'));
  await t.throwsAsync(database.run(create), { message: /already exists/ });
  await t.throwsAsync(
    database.run("CREATE OR REPLACE EXTERNAL STREAM e (k int32) SETTINGS type = 'memory'"),
    {
      message: /missing/,
    },
  );
  await database.run("CREATE OR REPLACE EXTERNAL STREAM e (q int32) SETTINGS type = 'memory', place = 'p'");
  t.deepEqual(await rowsOf(database, 'DESCRIBE e'), [['q', 'int32', '', '', '']]);
  await t.throwsAsync(database.run('SELECT * FROM valus(1)'), {
    message: /Unknown table function 'valus'.*values/i,
  });
});
