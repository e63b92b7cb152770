import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { Database } from '../../src/index.ts';

/* Blocks whose bounds say that none of their rows is wanted are not read. */

async function open(t: ExecutionContext): Promise<Database> {
  const directory = mkdtempSync(join(tmpdir(), 'sluice-prune-'));
  const database = await Database.open({ dataDir: directory });
  t.teardown(async () => {
    await database.close();
    rmSync(directory, { recursive: true, force: true });
  });
  await database.run(
    "CREATE STREAM s (k int64, n nullable(int32), f float64, _tp_time datetime64(3, 'UTC'))",
  );
  // Four blocks of 70,000 rows are too large to be put together.
  for (let block = 0; block < 4; block++)
    await database.run(
      `INSERT INTO s (k, n, f, _tp_time) SELECT number + ${block * 100_000}, if(number % 2 = 0, NULL, ${block}), if(number = 5, nan, ${block}), to_datetime64('2026-01-0${block + 1} 00:00:00', 3, 'UTC') FROM numbers(65536)`,
    );
  return database;
}

async function run(database: Database, sql: string): Promise<{ count: unknown; read: number }> {
  const result = await database.engine.execute(sql, { settings: { use_result_cache: 0 } });
  let count: unknown = 0;
  for (let block = await result.next(); block !== null; block = await result.next())
    count = (block.vectors[0] as { data: ArrayLike<number> }).data[0];
  return { count, read: result.progress.readRows / 65_536 };
}

test('a filter over bounds reads the blocks that can have rows', async (t) => {
  const database = await open(t);
  const cases: [string, number, number][] = [
    ['k < 10', 10, 1],
    ['k = 100005', 1, 1],
    ['k >= 200000 AND k < 300010', 65_546, 2],
    ['5 > k', 5, 1],
    ['k > 1000000', 0, 0],
    ['k != 5', 262_143, 4],
    // Where NULLs are, the bounds reach to 0.
    ['n = 2', 32_768, 2],
    ['n IS NULL', 131_072, 4],
    ['f > 2.5', 65_535, 1],
    ['f != 1', 196_609, 4],
    ["_tp_time >= '2026-01-03 00:00:00'", 131_072, 2],
    ["_tp_time >= to_datetime64('2026-01-04 00:00:00', 3, 'UTC')", 65_536, 1],
    ['_tp_sn < 3', 3, 1],
    ['k + 0 < 10', 10, 4],
  ];
  for (const [condition, rows, blocks] of cases) {
    const sql = `SELECT count() FROM table(s) WHERE ${condition}`;
    t.deepEqual(await run(database, sql), { count: rows, read: blocks }, condition);
    const plain = `${sql} SETTINGS disabled_optimizer_rules = 'all'`;
    t.is((await run(database, plain)).count, rows, `${condition}, without rules`);
  }
});

test('a streaming query over the past steps over blocks, and a literal of the same shape has bounds of its own', async (t) => {
  const database = await open(t);
  const live = (least: number) =>
    run(database, `SELECT k FROM s WHERE k >= ${least} LIMIT 1 SETTINGS seek_to = 'earliest'`);
  t.deepEqual(await live(300_000), { count: 300_000, read: 1 });
  t.deepEqual(await live(200_000), { count: 200_000, read: 1 });
  t.is(database.engine.cache.shapeHits > 0, true);
});

test('the first rows by a column are found without the blocks that are past them', async (t) => {
  const database = await open(t);
  for (const [order, first] of [
    ['k', 0],
    ['k DESC', 365_535],
    ['f DESC, k', 300_000],
    ['n DESC NULLS LAST, k', 300_001],
  ] as const) {
    const rows = await database.query(`SELECT k FROM table(s) ORDER BY ${order} LIMIT 1`).toArray();
    t.deepEqual(rows, [{ k: first }], order);
  }
});
