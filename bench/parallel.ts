/*
 * Heavy aggregations on one thread and on two, over the same rows in memory. The ratio is the median time on one thread
 * divided by that on two.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Database } from '../src/index.ts';
import { median, milliseconds, printTable, ratio, times } from './measure.ts';

const rows = Number(process.env['ROWS'] ?? 4_000_000);
const runs = Number(process.env['RUNS'] ?? 7);
const part = 500_000;

const queries: readonly (readonly [name: string, sql: string])[] = [
  [
    'group by string, five aggregates',
    'SELECT s, sum(v), avg(f), min(f), max(k), uniq(k) FROM table(t) WHERE v % 7 != 3 GROUP BY s ORDER BY s',
  ],
  [
    'group by two expressions',
    'SELECT upper(s) AS a, v % 13 AS b, count(), sum(sqrt(f)) FROM table(t) GROUP BY a, b ORDER BY a, b',
  ],
  [
    '3 JSON paths',
    "SELECT j:user.name AS c, count(), sum(j:price::float64) FROM table(t) WHERE j:event = 'buy' GROUP BY c ORDER BY c",
  ],
];

const directory = mkdtempSync(join(tmpdir(), 'sluice-bench-'));
const database = await Database.open({ dataDir: directory, threads: 2, storage: { cacheBytesMax: 8e9 } });
await database.run('CREATE STREAM t (k uint32, v int32, f float64, s string, j string)');
for (let from = 0; from < rows; from += part) {
  await database.run(
    `INSERT INTO t (k, v, f, s, j) SELECT number * 7919 % 100000, number % 1000, number * 0.37, concat('value', to_string(number % 100)), concat('{"id":', to_string(number), ',"user":{"name":"u', to_string(number % 1000), '","country":"AT"},"event":"', if(number % 3 = 0, 'buy', 'view'), '","price":', to_string(number % 500), '}') FROM numbers(${from}, ${Math.min(part, rows - from)})`,
  );
}

const table: string[][] = [['query', 'one thread', 'two threads', 'ratio']];
for (const [name, sql] of queries) {
  const run = async (threads: number): Promise<number> => {
    // A limit on what is read keeps results from being reused.
    const settings = { max_threads: threads, max_rows_to_read: 1e12 };
    return median(await times(runs, () => database.query(sql, { settings }).toArray()));
  };
  const [one, two] = [await run(1), await run(2)];
  table.push([name, milliseconds(one), milliseconds(two), ratio(one, two)]);
}
console.log(`${rows} rows, medians of ${runs} runs`);
printTable(table);
await database.close();
rmSync(directory, { recursive: true, force: true });
