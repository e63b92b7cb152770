import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import type { DatabaseOptions, QueryOptions } from '../../src/index.ts';
import { rules } from '../../src/plan/index.ts';
import { difference, isOrdered, showDatabase } from '../reference/compare.ts';
import { fill, firstSeed, queryCount, randomQuery, report } from '../reference/harness.ts';
import { printQuery } from '../reference/model.ts';
import { checkScript } from '../support/sql-script.ts';
import { openTemporary, type TemporaryDatabase } from '../support/temporary-database.ts';

/*
 * The same random queries however they are planned, stored, kept and run: each way gives the columns and rows of every other.
 * SEED and QUERIES choose them as in the tests of the reference evaluator.
 */
type Settings = NonNullable<QueryOptions['settings']>;

/** Every run computes its rows: kept results would make all ways one. */
const computed: Settings = { use_result_cache: 0, max_threads: 1 };

/** Blocks stay as they were inserted. */
const asInserted: DatabaseOptions['storage'] = { compaction: { background: false, blocksFanout: 1_000_000 } };

const open: TemporaryDatabase[] = [];

async function filled(blockRows: number, threads = 1): Promise<TemporaryDatabase['database']> {
  const temporary = await openTemporary({ threads, storage: asInserted });
  open.push(temporary);
  return fill(temporary.database, blockRows);
}

test.after.always(async () => {
  for (const { remove } of open) await remove();
});

/** The text with other whole numbers in it: another query of one shape, or one that fails. */
function otherLiterals(sql: string): string {
  return sql.replace(/(?<![\w.'-])\d{1,2}(?![\w.'-])/g, (digits) => String((Number(digits) + 1) % 100));
}

test('random queries give the same however they are planned, stored, kept and run', async (t) => {
  const blocks = await filled(37);
  const rowByRow = await filled(1);
  const whole = await filled(100_000);
  const several = await filled(16, 2);
  several.engine.workers.splitRowsMin = 1;
  several.engine.workers.waits = true;
  const disabled = [...rules.map(({ name }) => name), 'all'];
  const count = queryCount(40);
  for (let seed = firstSeed; seed < firstSeed + count; seed++) {
    const query = randomQuery(seed);
    const sql = printQuery(query);
    const spaced = sql.replaceAll(' FROM ', '  FROM ');
    const fresh = { ...computed, use_query_cache: 0 };
    const expected = await showDatabase(blocks, sql, { settings: fresh });
    const check = async (way: string, database: typeof blocks, text: string, settings: Settings) => {
      const found = await showDatabase(database, text, { settings });
      const what = difference(expected, found, isOrdered(query));
      t.is(what, null, report(seed, text, `${way}: ${what}`));
      return what === null;
    };
    for (const rule of disabled)
      if (!(await check(`without rule ${rule}`, blocks, sql, { ...fresh, disabled_optimizer_rules: rule })))
        return;
    await showDatabase(blocks, otherLiterals(sql), { settings: computed });
    const ways: readonly [string, typeof blocks, string, Settings][] = [
      ['after a query of its shape', blocks, sql, computed],
      ['kept by its text', blocks, sql, computed],
      ['kept by its shape', blocks, spaced, computed],
      ['a row a block', rowByRow, sql, computed],
      ['one block', whole, sql, computed],
      ['over several threads', several, sql, { ...computed, max_threads: 2 }],
      ['a kept result, first', blocks, sql, { max_threads: 1 }],
      ['a kept result', blocks, sql, { max_threads: 1 }],
    ];
    for (const [way, database, text, settings] of ways)
      if (!(await check(way, database, text, settings))) return;
  }
  // Otherwise the ways above would be one way.
  const { cache, workers } = { cache: blocks.engine.cache, workers: several.engine.workers };
  if (count >= 100)
    t.true(cache.textHits > count && cache.shapeHits > count && workers.sharesDone > count / 10);
});

test('an unknown rule is refused', async (t) => {
  const { database, remove } = await openTemporary();
  t.teardown(remove);
  const run = database.run("SELECT 1 SETTINGS disabled_optimizer_rules = 'prune_column'");
  await t.throwsAsync(run, {
    message: /no optimizer rule 'prune_column'.*push_filters.*Maybe you meant 'prune_columns'/,
  });
});

const scripts = readdirSync(join(import.meta.dirname, '../sql'), { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && entry.name.endsWith('.slt'))
  .map((entry) => join(entry.parentPath, entry.name))
  .sort();

test('scripts give the same without rewriting rules', async (t) => {
  for (const path of scripts) {
    const { database, remove } = await openTemporary({ settings: { disabled_optimizer_rules: 'all' } });
    try {
      await checkScript(t, database, path);
    } finally {
      await remove();
    }
  }
});
