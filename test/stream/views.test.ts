import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import test from 'ava';
import { Database } from '../../src/index.ts';
import { temporaryDatabase, temporaryDirectory } from '../support/temporary-database.ts';

/** Resolves with a query's rows once they are as wanted. */
async function eventually(
  database: Database,
  sql: string,
  wanted: (value: unknown) => boolean,
): Promise<unknown> {
  const deadline = Date.now() + 20_000;
  while (true) {
    const [row] = await database.query(sql).toArray();
    const value = row === undefined ? undefined : Object.values(row)[0];
    if (wanted(value) || Date.now() > deadline) return value;
    await new Promise((next) => setImmediate(next));
  }
}

test('a view writes every row once, goes on after a restart, and ends with DROP', async (t) => {
  const directory = temporaryDirectory(t);
  let database = await Database.open({ dataDir: directory });
  await database.run('CREATE STREAM source (k int32, s string)');
  await database.run('CREATE STREAM target (k int64, s string, extra string DEFAULT lower(s))');
  await database.run("INSERT INTO source (k, s) VALUES (0, 'before the view')");
  await database.run(
    'CREATE MATERIALIZED VIEW v INTO target AS SELECT k, upper(s) AS s FROM source WHERE k > 0',
  );
  await database.run("INSERT INTO source (k, s) VALUES (1, 'a'), (-1, 'x'), (2, 'b')");
  t.is(await eventually(database, 'SELECT count() AS c FROM table(target)', (count) => count === 2), 2);
  await database.close();
  database = await Database.open({ dataDir: directory });
  await database.run("INSERT INTO source (k, s) VALUES (3, 'C')");
  t.is(await eventually(database, 'SELECT count() AS c FROM table(target)', (count) => count === 3), 3);
  t.deepEqual(await database.query('SELECT k, s, extra FROM table(target) ORDER BY k').toArray(), [
    { k: 1, s: 'A', extra: 'a' },
    { k: 2, s: 'B', extra: 'b' },
    { k: 3, s: 'C', extra: 'c' },
  ]);
  await t.throwsAsync(database.run('DROP STREAM target'), {
    message: /the materialized view default.v writes into it/,
  });
  await database.run('DROP VIEW v');
  await database.run("INSERT INTO source (k, s) VALUES (4, 'late')");
  t.is(await eventually(database, 'SELECT count() AS c FROM table(target)', () => true), 3);
  await database.close();
});

test('views feed views, and a view without a target keeps its rows itself', async (t) => {
  const database = await temporaryDatabase(t);
  await database.run('CREATE STREAM a (n int32)');
  await database.run('CREATE STREAM b (n int32)');
  await database.run('CREATE MATERIALIZED VIEW ab INTO b AS SELECT n * 10 AS n FROM a');
  await database.run('CREATE MATERIALIZED VIEW bc AS SELECT n + 1 AS n FROM b');
  await database.run('INSERT INTO a VALUES (1), (2)');
  t.is(await eventually(database, 'SELECT sum(n) AS n FROM table(bc)', (sum) => sum === 32), 32);
});

test('an aggregating view goes on from all its rows after a restart', async (t) => {
  const directory = temporaryDirectory(t);
  let database = await Database.open({ dataDir: directory });
  await database.run('CREATE STREAM a (n int32)');
  await database.run('CREATE STREAM totals (n int64)');
  await database.run(
    'CREATE MATERIALIZED VIEW v INTO totals AS SELECT sum(n) AS n FROM a SETTINGS periodic_emit_interval = 0.05',
  );
  await database.run('INSERT INTO a VALUES (1), (2)');
  t.is(await eventually(database, 'SELECT max(n) AS n FROM table(totals)', (sum) => sum === 3), 3);
  await database.close();
  database = await Database.open({ dataDir: directory });
  await database.run('INSERT INTO a VALUES (10)');
  t.is(await eventually(database, 'SELECT max(n) AS n FROM table(totals)', (sum) => sum === 13), 13);
  await database.close();
});

test('an aggregating view goes on from its stored state, whatever has become of the rows', async (t) => {
  const directory = temporaryDirectory(t);
  let database = await Database.open({ dataDir: directory });
  for (const stream of ['a', 'copy'])
    await database.run(`CREATE STREAM ${stream} (k string, n nullable(int64), u string)`);
  await database.run(
    'CREATE STREAM totals (k string, rows uint64, sum nullable(int64), avg nullable(float64), least nullable(int64), users uint64, list array(int64), last string)',
  );
  const columns =
    'k, count() AS rows, sum(n) AS sum, avg(n) AS avg, min(n) AS least, uniq_exact(u) AS users, group_array(n) AS list, any_last(concat(k, u)) AS last';
  await database.run(
    `CREATE MATERIALIZED VIEW v INTO totals AS SELECT ${columns} FROM a WHERE k != 'none' GROUP BY k SETTINGS periodic_emit_interval = 0.05`,
  );
  const insert = async (first: number) => {
    for (const stream of ['a', 'copy'])
      await database.run(
        `INSERT INTO ${stream} SELECT ['x', 'y', 'none'][number % 3 + 1], if(number % 5 = 0, NULL, number * 4611686018427387), to_string(number % 4) FROM numbers(${first}, 9)`,
      );
  };
  /** The newest result of the view, once it is made of so many rows of each key. */
  const newest = async (rows: number) => {
    const least = 'SELECT min(m) AS n FROM (SELECT max(rows) AS m FROM table(totals) GROUP BY k)';
    await eventually(database, least, (n) => Number(n) === rows);
    const sql = `SELECT * EXCEPT _tp_time FROM table(totals) WHERE rows = ${rows} ORDER BY k LIMIT 1 BY k`;
    return database.query(sql).toArray();
  };
  const whole = () =>
    database.query(`SELECT ${columns} FROM table(copy) WHERE k != 'none' GROUP BY k ORDER BY k`).toArray();
  await insert(0);
  t.deepEqual(await newest(3), await whole());
  await eventually(
    database,
    'SELECT 1 AS n',
    () => database.engine.store.listDocuments('views/states/').length === 1,
  );
  // What the state was made of is gone: it could not be made anew.
  await database.run('TRUNCATE STREAM a');
  await database.close();

  database = await Database.open({ dataDir: directory });
  await insert(9);
  t.deepEqual(await newest(6), await whole());
  // A state that was stored is none the worse for it.
  await insert(18);
  t.deepEqual(await newest(9), await whole());
  await database.run('DROP VIEW v');
  t.deepEqual(database.engine.store.listDocuments('views/'), []);
  await database.close();
});

test('a view that cannot be is refused when it is made', async (t) => {
  const database = await temporaryDatabase(t);
  await database.run('CREATE STREAM a (n int32)');
  await database.run('CREATE STREAM b (m int32)');
  await t.throwsAsync(database.run('CREATE MATERIALIZED VIEW v INTO b AS SELECT n FROM a'), {
    message: /gives a column 'n' that default.b does not have/,
  });
  await t.throwsAsync(database.run('CREATE MATERIALIZED VIEW v INTO b AS SELECT n AS m FROM table(a)'), {
    message: /keeps running/,
  });
  await t.throwsAsync(database.run('CREATE MATERIALIZED VIEW v INTO nowhere AS SELECT n FROM a'), {
    message: /default.nowhere doesn't exist/,
  });
  t.deepEqual(await database.query('SHOW VIEWS').toArray(), []);
});

/** Numbers from 0 to 1, the same at every run. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

function writer(directory: string): { child: ChildProcess; acknowledged: number[] } {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'view-writer.ts'), directory], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const acknowledged: number[] = [];
  createInterface({ input: child.stdout! }).on('line', (line) => acknowledged.push(Number(line)));
  return { child, acknowledged };
}

test('killed again and again, a view has every acknowledged row exactly once', async (t) => {
  t.timeout(120_000);
  const directory = temporaryDirectory(t);
  const random = seeded(7);
  const all = new Set<number>();
  for (let round = 0; round < 10; round++) {
    const { child, acknowledged } = writer(directory);
    const closed = new Promise((done) => child.once('close', done));
    const wanted = 5 + Math.floor(random() * 120);
    while (acknowledged.length < wanted && child.exitCode === null)
      await new Promise((next) => setImmediate(next));
    child.kill('SIGKILL');
    await closed;
    for (const value of acknowledged) {
      t.false(all.has(value), 'the writer goes on after what it found');
      all.add(value);
    }
  }
  const database = await Database.open({ dataDir: directory });
  const [{ total }] = (await database.query('SELECT count() AS total FROM table(source)').toArray()) as [
    { total: number },
  ];
  await eventually(database, 'SELECT count() AS c FROM table(target)', (count) => count === total);
  const rows = await database.query('SELECT n FROM table(target)').toArray();
  const values = rows.map((row) => row['n'] as number);
  t.is(values.length, total, 'each row of the source once');
  t.is(new Set(values).size, total, 'none twice');
  for (const value of all) t.true(values.includes(value * 2), `row ${value} is there`);
  await database.close();
});
