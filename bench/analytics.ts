/*
 * Queries over 10 million rows in memory: Sluice beside ClickHouse (chdb) and DuckDB, all on one thread, in one run. The
 * ratio is the peer's median time divided by ours.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { Session } from 'chdb';
import { Database } from '../src/index.ts';
import { median, milliseconds, printTable, ratio, times } from './measure.ts';

const rows = Number(process.env['ROWS'] ?? 10_000_000);
const runs = Number(process.env['RUNS'] ?? 7);

interface Case {
  readonly name: string;
  /** The query, with T for the table. */
  readonly sql: string;
  readonly duckdb?: string;
}

const cases: readonly Case[] = [
  {
    name: 'filter on two columns',
    sql: 'SELECT count(), sum(v), avg(f) FROM T WHERE v > 500 AND f < 0.5',
    duckdb: 'SELECT count(*), sum(v), avg(f) FROM T WHERE v > 500 AND f < 0.5',
  },
  {
    name: 'group by string, 100 values',
    sql: 'SELECT s, count(), sum(v) FROM T GROUP BY s ORDER BY s',
    duckdb: 'SELECT s, count(*), sum(v) FROM T GROUP BY s ORDER BY s',
  },
  {
    name: 'group by integer, 1 M values, top 10',
    sql: 'SELECT k, count() AS c FROM T GROUP BY k ORDER BY c DESC, k LIMIT 10',
    duckdb: 'SELECT k, count(*) AS c FROM T GROUP BY k ORDER BY c DESC, k LIMIT 10',
  },
  {
    name: 'LIKE on a string of 100 values',
    sql: "SELECT count() FROM T WHERE s LIKE '%7%'",
    duckdb: "SELECT count(*) FROM T WHERE s LIKE '%7%'",
  },
  { name: 'top 10 by a float', sql: 'SELECT f, k FROM T ORDER BY f LIMIT 10' },
];

const directory = mkdtempSync(join(tmpdir(), 'sluice-bench-'));
const clickhouse = new Session(join(directory, 'clickhouse'));
const duck = await (await DuckDBInstance.create(':memory:')).connect();
const sluice = await Database.open({
  dataDir: join(directory, 'sluice'),
  threads: 1,
  storage: { cacheBytesMax: 8e9 },
});

clickhouse.query('CREATE DATABASE bench');
clickhouse.query('CREATE TABLE bench.t (k UInt32, v Int32, f Float64, s String) ENGINE = Memory');
clickhouse.query(
  `INSERT INTO bench.t SELECT intHash64(number) % 1000000, intHash64(number * 3 + 1) % 1000, (intHash64(number * 7 + 5) % 1000003) / 1000003, concat('value', toString(intHash64(number * 11 + 3) % 100)) FROM numbers(${rows}) SETTINGS max_threads = 1`,
);
await duck.run('SET threads TO 1');
await duck.run('CREATE TABLE t (k UINTEGER, v INTEGER, f DOUBLE, s VARCHAR)');
const file = join(directory, 't.parquet');
clickhouse.query(`SELECT * FROM bench.t INTO OUTFILE '${file}' FORMAT Parquet`);
await duck.run(`INSERT INTO t SELECT * FROM '${file}'`);
await sluice.run('CREATE STREAM t (k uint32, v int32, f float64, s string)');
const part = 1_000_000;
for (let from = 0; from < rows; from += part) {
  const text = clickhouse.query(`SELECT * FROM bench.t LIMIT ${from}, ${part}`, 'TSV') as unknown as string;
  await sluice.run('INSERT INTO t FORMAT TSV', { data: Buffer.from(String(text)) });
}

const table: string[][] = [['query', 'Sluice', 'ClickHouse', 'DuckDB', 'vs ClickHouse', 'vs DuckDB']];
for (const { name, sql, duckdb } of cases) {
  const own = sql.replace(' T', ' table(t)');
  const theirs = sql.replace(' T', ' bench.t');
  const ducks = (duckdb ?? sql).replace(' T', ' t');
  const ours = median(
    await times(runs, () => sluice.query(own, { settings: { use_result_cache: false } }).toArray()),
  );
  const first = median(
    await times(runs, () => clickhouse.query(`${theirs} SETTINGS max_threads = 1`, 'Null')),
  );
  const second = median(await times(runs, async () => (await duck.runAndReadAll(ducks)).getRows()));
  table.push([
    name,
    milliseconds(ours),
    milliseconds(first),
    milliseconds(second),
    ratio(first, ours),
    ratio(second, ours),
  ]);
}
console.log(`${rows} rows, one thread, medians of ${runs} runs`);
printTable(table);
await sluice.close();
clickhouse.cleanup();
rmSync(directory, { recursive: true, force: true });
process.exit(0);
