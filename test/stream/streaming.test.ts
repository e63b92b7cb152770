import test from 'ava';
import { type Database, type Row, VirtualClock } from '../../src/index.ts';
import { temporaryDatabase } from '../support/temporary-database.ts';

/** Resolves when so many queries are running. */
async function running(database: Database, count: number): Promise<void> {
  while (database.engine.processes.list.length !== count) await new Promise((next) => setImmediate(next));
}

/** Lets everything that is ready run. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 50; turn++) await new Promise((next) => setImmediate(next));
}

function take(database: Database, sql: string): Promise<Row[]> {
  return database.query(sql).toArray();
}

test('a plain SELECT gives rows that come after it, and LIMIT ends it', async (t) => {
  const database = await temporaryDatabase(t);
  await database.run('CREATE STREAM s (k int32, v string)');
  await database.run("INSERT INTO s (k, v) VALUES (1, 'before')");
  const rows = take(database, 'SELECT k * 2 AS twice, upper(v) AS v FROM s WHERE k > 1 LIMIT 3');
  await running(database, 1);
  await database.run("INSERT INTO s (k, v) VALUES (2, 'a'), (0, 'left out'), (3, 'b')");
  await database.run("INSERT INTO s (k, v) VALUES (4, 'c'), (5, 'd')");
  t.deepEqual(await rows, [
    { twice: 4, v: 'A' },
    { twice: 6, v: 'B' },
    { twice: 8, v: 'C' },
  ]);
  t.is(database.engine.processes.list.length, 0);
});

test('history comes first when it is asked for, without gap or repetition', async (t) => {
  const database = await temporaryDatabase(t);
  await database.run('CREATE STREAM s (k int32)');
  await database.run('INSERT INTO s SELECT number FROM numbers(1000)');
  const rows = take(database, "SELECT k FROM s LIMIT 1500 SETTINGS seek_to = 'earliest'");
  for (let next = 1000; next < 1600; next += 50)
    await database.run(`INSERT INTO s SELECT number + ${next} FROM numbers(50)`);
  t.deepEqual(
    (await rows).map((row) => row['k']),
    Array.from({ length: 1500 }, (_, index) => index),
  );
});

test('a bound on the event time starts a query earlier', async (t) => {
  const database = await temporaryDatabase(t);
  await database.run('CREATE STREAM s (k int32)');
  await database.run(
    "INSERT INTO s (k, _tp_time) VALUES (1, '2024-01-01 00:00:00'), (2, '2024-06-01 00:00:00'), (3, '2024-07-01 00:00:00')",
  );
  t.deepEqual(await take(database, "SELECT k FROM s WHERE _tp_time >= '2024-05-01' LIMIT 2"), [
    { k: 2 },
    { k: 3 },
  ]);
  t.deepEqual(await take(database, "SELECT k FROM s LIMIT 1 SETTINGS seek_to = '2024-06-15 00:00:00'"), [
    { k: 3 },
  ]);
});

test('an aggregation over a stream gives its result at every interval in which rows came', async (t) => {
  const clock = new VirtualClock();
  const database = await temporaryDatabase(t, clock);
  await database.run('CREATE STREAM s (k string, n int32)');
  const seen: Row[] = [];
  const done = (async () => {
    for await (const row of database.query(
      'SELECT k, count() AS c, sum(n) AS n FROM s GROUP BY k ORDER BY k LIMIT 10',
    ))
      seen.push(row);
  })();
  await running(database, 1);
  await database.run("INSERT INTO s (k, n) VALUES ('a', 1), ('b', 2), ('a', 3)");
  await settle();
  t.deepEqual(seen, [], 'nothing before the interval is over');
  clock.advance(2000);
  await settle();
  t.deepEqual(seen.splice(0), [
    { k: 'a', c: 2, n: 4 },
    { k: 'b', c: 1, n: 2 },
  ]);
  clock.advance(2000);
  await settle();
  t.deepEqual(seen, [], 'nothing without new rows');
  await database.run("INSERT INTO s (k, n) VALUES ('b', 5)");
  await settle();
  clock.advance(2000);
  await settle();
  t.deepEqual(seen.splice(0), [
    { k: 'a', c: 2, n: 4 },
    { k: 'b', c: 2, n: 7 },
  ]);
  for (const process of database.engine.processes.list) database.engine.processes.kill(process);
  await t.throwsAsync(done, { message: /killed/ });
});

test('EMIT PERIODIC sets the interval, and LIMIT counts over all results', async (t) => {
  const clock = new VirtualClock();
  const database = await temporaryDatabase(t, clock);
  await database.run('CREATE STREAM s (n int32)');
  const rows = take(database, 'SELECT count() AS c FROM s EMIT PERIODIC 5s LIMIT 2');
  await running(database, 1);
  await database.run('INSERT INTO s VALUES (1), (2)');
  await settle();
  clock.advance(5000);
  await settle();
  await database.run('INSERT INTO s VALUES (3)');
  await settle();
  clock.advance(5000);
  t.deepEqual(await rows, [{ c: 2 }, { c: 3 }]);
});

test('max_execution_time, KILL QUERY and leaving the loop end a query', async (t) => {
  const clock = new VirtualClock();
  const database = await temporaryDatabase(t, clock);
  await database.run('CREATE STREAM s (n int32)');
  const late = take(database, 'SELECT n FROM s SETTINGS max_execution_time = 3');
  await running(database, 1);
  await settle();
  clock.advance(3000);
  await t.throwsAsync(late, { message: /max_execution_time/ });
  const killed = database.query('SELECT n FROM s', { queryId: 'victim' }).toArray();
  await running(database, 1);
  const answer = await take(database, "KILL QUERY WHERE query_id = 'victim'");
  t.is(answer[0]!['query_id'], 'victim');
  await t.throwsAsync(killed, { message: /killed/ });
  const left = database.query('SELECT n FROM s')[Symbol.asyncIterator]();
  const first = left.next();
  await running(database, 1);
  await database.run('INSERT INTO s VALUES (7)');
  t.deepEqual((await first).value, { n: 7 });
  await left.return!();
  t.is(database.engine.processes.list.length, 0);
});

test('a stream is joined with a table, and streams are united', async (t) => {
  const database = await temporaryDatabase(t);
  await database.run('CREATE STREAM s (k int32)');
  await database.run('CREATE STREAM other (k int32)');
  await database.run('CREATE STREAM names (k int32, name string)');
  await database.run("INSERT INTO names (k, name) VALUES (1, 'one'), (2, 'two')");
  const joined = take(
    database,
    'SELECT s.k AS k, name FROM s LEFT JOIN table(names) AS names ON s.k = names.k LIMIT 2',
  );
  const united = take(database, 'SELECT k FROM s UNION ALL SELECT k + 100 AS k FROM other LIMIT 1');
  await running(database, 2);
  await database.run('INSERT INTO s VALUES (2), (3)');
  t.deepEqual(await joined, [
    { k: 2, name: 'two' },
    { k: 3, name: '' },
  ]);
  for (const process of database.engine.processes.list) database.engine.processes.kill(process);
  await united.catch(() => {});
});

test('what cannot keep running is refused by name', async (t) => {
  const database = await temporaryDatabase(t);
  await database.run('CREATE STREAM s (k int32)');
  await t.throwsAsync(take(database, 'SELECT k FROM s ORDER BY k'), { message: /ORDER BY over a stream/ });
  await t.throwsAsync(take(database, 'SELECT a.k FROM s AS a JOIN s AS b ON a.k = b.k'), {
    message: /right side keeps running/,
  });
  await t.throwsAsync(take(database, 'SELECT count() FROM s EMIT CHANGELOG'), { message: /EMIT CHANGELOG/ });
  await t.throwsAsync(take(database, 'SELECT k FROM s WHERE k IN (SELECT k FROM s)'), {
    message: /wrap the stream/,
  });
});

test('USE and SET are for the statements after them in the same session', async (t) => {
  const clock = new VirtualClock();
  const database = await temporaryDatabase(t, clock);
  await database.run('CREATE DATABASE d');
  await database.run('CREATE STREAM d.s (k int32)');
  const session = { settings: { session_id: 'one', session_timeout: 60 } };
  await t.throwsAsync(database.run('USE d'), { message: /send session_id/ });
  await database.run('USE d', session);
  await database.run("SET query_mode = 'table'", session);
  t.deepEqual(await database.query('SELECT count() AS c FROM s', session).toArray(), [{ c: 0 }]);
  await t.throwsAsync(database.query('SELECT count() AS c FROM s').toArray(), {
    message: /default.s doesn't exist/,
  });
  await t.throwsAsync(database.run('SET nonsense = 1', session), { message: /Unknown setting 'nonsense'/ });
  clock.advance(61_000);
  await t.throwsAsync(database.query('SELECT count() AS c FROM s', session).toArray(), {
    message: /default.s doesn't exist/,
  });
});
