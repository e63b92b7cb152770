import test from 'ava';
import { SluiceError } from '../../src/base/index.ts';
import type { Database } from '../../src/index.ts';
import { type Filled, filledDatabase, fresh, rows } from './support.ts';

const heavy =
  'SELECT text, count(), sum(sqrt(price)), uniq(many) FROM table(t) GROUP BY text ORDER BY text LIMIT 50';
let filled: Filled;
let database: Database;

test.before(async () => {
  filled = await filledDatabase(2);
  database = filled.database;
});

test.after.always(() => filled.remove());

test.serial('an error of the query on any thread is the error of the query', async (t) => {
  const sql = `SELECT name, sum(throw_if(id = ${rows - 10}, 'found it')) FROM table(t) GROUP BY name`;
  const known = await t.throwsAsync(fresh(database, sql, 1), { instanceOf: SluiceError });
  const error = await t.throwsAsync(fresh(database, sql, 2), { instanceOf: SluiceError });
  t.is((error as SluiceError).code, (known as SluiceError).code);
  t.is((error as SluiceError).message, (known as SluiceError).message);
  t.is((await fresh(database, heavy, 2)).length, 50);
});

test.serial('a query that is cancelled ends with that error, and the next one runs', async (t) => {
  const controller = new AbortController();
  const result = database.query(heavy, {
    signal: controller.signal,
    settings: { max_rows_to_read: 1e9, max_threads: 2 },
  });
  const rows = result.toArray();
  setImmediate(() => controller.abort());
  const error = await t.throwsAsync(rows, { instanceOf: SluiceError });
  t.is((error as SluiceError).errorName, 'QUERY_WAS_CANCELLED');
  t.is((await fresh(database, heavy, 2)).length, 50);
});

test.serial('limits hold on several threads', async (t) => {
  const run = (settings: Record<string, number>) =>
    database.query(heavy, { settings: { ...settings, max_threads: 2 } }).toArray();
  const tooMany = await t.throwsAsync(run({ max_rows_to_read: 1_000_000 }), { instanceOf: SluiceError });
  t.is((tooMany as SluiceError).errorName, 'TOO_MANY_ROWS');
  const late = await t.throwsAsync(run({ max_execution_time: 0.001, max_rows_to_read: 1e9 }), {
    instanceOf: SluiceError,
  });
  t.is((late as SluiceError).errorName, 'TIMEOUT_EXCEEDED');
});

test.serial('a thread that dies loses no row', async (t) => {
  const expected = await fresh(database, heavy, 1);
  for (let round = 0; round < 5; round++) {
    const found = fresh(database, heavy, 2);
    // Once it works on the query, at a moment that differs from round to round.
    for (let turn = 0; turn < round * 3; turn++) await new Promise((resolve) => setImmediate(resolve));
    for (const thread of database.engine.workers.threads) void thread.terminate();
    const lines = await found;
    t.is(lines.length, expected.length);
    t.deepEqual(
      lines.map(([text, count, , different]) => [text, count, different]),
      expected.map(([text, count, , different]) => [text, count, different]),
    );
  }
});

test.serial('one thread is enough for queries that ask for one, and for small ones', async (t) => {
  const before = database.engine.workers.sharesDone;
  await fresh(database, heavy, 1);
  await database.run('CREATE STREAM few (id uint32)');
  await database.run('INSERT INTO few (id) SELECT number FROM numbers(100000)');
  t.deepEqual(await fresh(database, 'SELECT count() FROM table(few)', 2), [[100_000]]);
  t.is(database.engine.workers.sharesDone, before);
});

test.serial('closing ends the threads, and queries with them', async (t) => {
  const { database: own, remove } = await filledDatabase(2);
  t.is((await fresh(own, heavy, 2)).length, 50);
  t.is(own.engine.workers.running, 1);
  const running = fresh(own, heavy, 2);
  const failed = t.throwsAsync(running, { instanceOf: SluiceError });
  await own.close();
  await failed;
  t.is(own.engine.workers.running, 0);
  await remove();
});
