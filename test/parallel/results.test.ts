import { inspect } from 'node:util';
import test from 'ava';
import type { Database } from '../../src/index.ts';
import { type Filled, filledDatabase, fresh } from './support.ts';

/** Queries with one order of rows; each is run on one thread and on several. */
const queries: readonly string[] = [
  'SELECT count(), sum(small), min(price), max(price), avg(price), sum(price) FROM table(t)',
  'SELECT count(), sum(id), min(name), max(text) FROM table(t) WHERE small > 250 AND price < 300000',
  'SELECT count(), sum(id), max(id), min(text) FROM table(t) WHERE small > 10000',
  'SELECT name, count(), sum(small), avg(price) FROM table(t) GROUP BY name ORDER BY name',
  'SELECT text, count(), sum(small) FROM table(t) GROUP BY text ORDER BY text LIMIT 200',
  'SELECT many, count() AS c, sum(price) FROM table(t) GROUP BY many ORDER BY c DESC, many LIMIT 100',
  'SELECT many, max(price) FROM table(t) GROUP BY many ORDER BY many LIMIT 100',
  'SELECT small, uniq(many), uniq_exact(name) FROM table(t) GROUP BY small ORDER BY small',
  'SELECT maybe, count(), count(maybe_name), sum(maybe), min(maybe_name) FROM table(t) GROUP BY maybe ORDER BY maybe',
  'SELECT maybe_name, maybe, sum(id), avg(maybe) FROM table(t) GROUP BY maybe_name, maybe ORDER BY maybe_name, maybe',
  'SELECT name, small % 10 AS d, maybe, count() FROM table(t) GROUP BY name, d, maybe ORDER BY name, d, maybe',
  'SELECT concat(text, to_string(many)) AS c, count(), sum(id) FROM table(t) GROUP BY c ORDER BY c LIMIT 50',
  'SELECT pair, count() FROM table(t) GROUP BY pair ORDER BY pair',
  'SELECT price % 3 AS f, count() FROM table(t) GROUP BY f ORDER BY f',
  'SELECT big % 1000 AS b, count(), sum(big), max(big) FROM table(t) GROUP BY b ORDER BY b',
  'SELECT big, count() FROM table(t) GROUP BY big ORDER BY big DESC LIMIT 20',
  'SELECT name, quantile(0.9)(small), quantile_exact(0.5)(small) FROM table(t) WHERE id % 100 = 0 GROUP BY name ORDER BY name',
  'SELECT name, group_array_sorted(5)(small), group_uniq_array(3)(small) FROM table(t) GROUP BY name ORDER BY name',
  'SELECT name, any(id), any_last(id), arg_max(text, price), group_array(4)(id) FROM table(t) GROUP BY name ORDER BY name',
  'SELECT name, count_if(small > 0), sum_if(price, small > 0), count(DISTINCT small) FROM table(t) GROUP BY name ORDER BY name',
  "SELECT doc:user.name AS u, count(), sum(doc:price::float64) FROM table(t) WHERE doc:kind = 'buy' GROUP BY u ORDER BY u",
  'SELECT item, count() FROM table(t) ARRAY JOIN pair AS item GROUP BY item ORDER BY item',
  'SELECT var_pop(small), stddev_samp(price), corr(price, small) FROM table(t)',
  'SELECT name, c FROM (SELECT name, count() AS c FROM table(t) GROUP BY name HAVING c > 100) ORDER BY c DESC, name LIMIT 5',
  "SELECT count() FROM table(t) WHERE name IN ('name 1', 'name 2') AND id IN (SELECT many FROM table(t) WHERE small = 3)",
  'SELECT small, count() FROM table(t) WHERE id > (SELECT avg(id) FROM table(t)) GROUP BY small ORDER BY small LIMIT 10',
  'WITH sums AS (SELECT name, sum(id) AS s FROM table(t) GROUP BY name) SELECT sum(s), count() FROM sums',
  'SELECT max(_tp_sn), count() FROM table(t) WHERE _tp_sn % 3 = 0',
  'SELECT count(), sum(id) FROM v WHERE small > 0',
  'SELECT count() FROM (SELECT id FROM table(t) LIMIT 1000)',
  'SELECT sum(DISTINCT small) FROM table(t)',
  'SELECT * FROM (SELECT name AS n, count() AS c FROM table(t) GROUP BY n UNION ALL SELECT text AS n, count() AS c FROM table(t) GROUP BY n) ORDER BY n LIMIT 100',
];

/** Whether values are equal, floats but for their last digits. */
function alike(left: unknown, right: unknown): boolean {
  if (typeof left === 'number' && typeof right === 'number' && left !== right) {
    if (Number.isInteger(left) && Number.isInteger(right)) return false;
    return Math.abs(left - right) <= 1e-9 * Math.max(1, Math.abs(left), Math.abs(right));
  }
  if (Array.isArray(left) && Array.isArray(right))
    return left.length === right.length && left.every((value, index) => alike(value, right[index]));
  return left === right;
}

let filled: Filled;
let database: Database;

test.before(async () => {
  filled = await filledDatabase(3);
  database = filled.database;
  await database.run('CREATE VIEW v AS SELECT * FROM table(t) WHERE id % 2 = 0');
});

test.after.always(() => filled.remove());

for (const sql of queries) {
  test.serial(sql, async (t) => {
    const one = await fresh(database, sql, 1);
    const several = await fresh(database, sql, 3);
    t.true(alike(one, several), inspect([one.slice(0, 5), several.slice(0, 5)], { depth: 4 }));
    t.true(one.length > 0);
    // Once more, on threads that have the query compiled.
    t.true(alike(one, await fresh(database, sql, 3)));
  });
}

test.serial('threads have taken part', (t) => {
  t.is(database.engine.workers.running, 2);
  t.true(database.engine.workers.sharesDone > queries.length);
});

test.serial('a query with other literals uses the parameters it was given', async (t) => {
  const count = async (least: number, threads: number) =>
    fresh(
      database,
      `SELECT count() FROM table(t) WHERE small >= ${least} AND name != 'name ${least}'`,
      threads,
    );
  for (const least of [0, 10, 400]) t.deepEqual(await count(least, 3), await count(least, 1));
});

test.serial('placeholders are known to all threads', async (t) => {
  const parameters = { least: '100', what: 'name 5' };
  const sql = 'SELECT count(), sum(id) FROM table(t) WHERE small > {least:int32} OR name = {what:string}';
  const run = (threads: number) =>
    database.query(sql, { parameters, settings: { max_threads: threads, max_rows_to_read: 1e9 } }).toArray();
  t.deepEqual(await run(3), await run(1));
});

test.serial('an INSERT of an aggregation is split, too', async (t) => {
  const sql = (target: string) =>
    `INSERT INTO ${target} (name, c, s) SELECT name, count() AS c, sum(id) AS s FROM table(t) WHERE small % 3 = 1 GROUP BY name`;
  const before = database.engine.workers.sharesDone;
  for (const [target, threads] of [
    ['first', 1],
    ['second', 3],
  ] as const) {
    await database.run(`CREATE STREAM ${target} (name string, c uint64, s uint64)`);
    await database.run(sql(target), { settings: { max_threads: threads } });
  }
  t.true(database.engine.workers.sharesDone > before);
  const stored = (target: string) =>
    fresh(database, `SELECT name, c, s FROM table(${target}) ORDER BY name`, 1);
  t.is((await stored('first')).length, 37);
  t.deepEqual(await stored('second'), await stored('first'));
});
