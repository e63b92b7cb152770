/*
 * JSON: paths of documents in a string column, and rows of JSONEachRow inserted durably, beside ClickHouse (chdb) on one
 * thread in the same run. The ratio is the peer's median time divided by ours.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Session } from 'chdb';
import { Database } from '../src/index.ts';
import { median, milliseconds, printTable, ratio, times } from './measure.ts';

const documents = Number(process.env['DOCUMENTS'] ?? 2_000_000);
const rows = Number(process.env['ROWS'] ?? 1_000_000);
const runs = Number(process.env['RUNS'] ?? 5);

let seed = 42;
/** A whole number from 0 to `most`, the same at every run. */
function random(most: number): number {
  seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0;
  return Math.floor(((seed >>> 8) / 0x1000000) * most);
}

function document(): string {
  return JSON.stringify({
    id: random(1e9),
    user: { name: `user${random(1000)}`, country: ['AT', 'DE', 'US', 'JP'][random(4)] },
    event: ['view', 'click', 'buy'][random(3)],
    price: random(100_000) / 100,
    tags: ['a', 'b', `t${random(50)}`],
    note: 'lorem ipsum dolor sit',
  });
}

const directory = mkdtempSync(join(tmpdir(), 'sluice-bench-'));
const clickhouse = new Session(join(directory, 'clickhouse'));
const sluice = await Database.open({
  dataDir: join(directory, 'sluice'),
  threads: 1,
  storage: { cacheBytesMax: 8e9 },
});
const table: string[][] = [['work', 'Sluice', 'ClickHouse', 'ratio']];

const file = join(directory, 'documents.txt');
const lines: string[] = [];
for (let index = 0; index < documents; index++) lines.push(document());
writeFileSync(file, lines.join('\n'));
await sluice.run('CREATE STREAM raw (raw string)');
for (let from = 0; from < documents; from += 250_000) {
  await sluice.run('INSERT INTO raw FORMAT RawBLOB', {
    data: Buffer.from(lines.slice(from, from + 250_000).join('\n')),
  });
}
lines.length = 0;
clickhouse.query('CREATE DATABASE bench');
clickhouse.query('CREATE TABLE bench.raw (raw String) ENGINE = Memory');
clickhouse.query(
  `INSERT INTO bench.raw SELECT * FROM file('${file}', 'LineAsString') SETTINGS max_threads = 1`,
);
const own =
  "SELECT raw:user.country AS c, count(), sum(raw:price::float64) FROM table(raw) WHERE raw:event = 'buy' GROUP BY c";
const theirs =
  "SELECT JSONExtractString(raw, 'user', 'country') AS c, count(), sum(JSONExtractFloat(raw, 'price')) FROM bench.raw WHERE JSONExtractString(raw, 'event') = 'buy' GROUP BY c SETTINGS max_threads = 1";
const first = median(
  await times(runs, () => sluice.query(own, { settings: { use_result_cache: false } }).toArray()),
);
const second = median(await times(runs, () => clickhouse.query(theirs, 'Null')));
table.push([
  `3 JSON paths of ${documents} documents`,
  milliseconds(first),
  milliseconds(second),
  ratio(second, first),
]);

const insert = Array.from({ length: rows }, (_, index) =>
  JSON.stringify({
    id: index,
    name: `name${random(1000)}`,
    city: ['Vienna', 'Graz', 'Linz'][random(3)],
    value: random(1e6) / 1000,
    at: 1_700_000_000 + index,
  }),
).join('\n');
const insertFile = join(directory, 'rows.json');
writeFileSync(insertFile, insert);
const body = Buffer.from(insert);
await sluice.run('CREATE STREAM ingest (id int64, name string, city string, value float64, at datetime)');
clickhouse.query(
  'CREATE TABLE bench.ingest (id Int64, name String, city String, value Float64, at DateTime) ENGINE = MergeTree ORDER BY tuple() SETTINGS fsync_after_insert = 1',
);
const ownInsert = median(
  await times(runs, async () => {
    await sluice.run('INSERT INTO ingest FORMAT JSONEachRow', { data: body });
    await sluice.run('TRUNCATE STREAM ingest');
  }),
);
const theirInsert = median(
  await times(runs, () => {
    clickhouse.query(
      `INSERT INTO bench.ingest SELECT * FROM file('${insertFile}', 'JSONEachRow', 'id Int64, name String, city String, value Float64, at DateTime') SETTINGS max_threads = 1, max_insert_threads = 1, max_parsing_threads = 1, input_format_parallel_parsing = 0`,
    );
    clickhouse.query('TRUNCATE TABLE bench.ingest');
  }),
);
table.push([
  `JSONEachRow, ${rows} rows, ${Math.round(body.length / 1e6)} MB, on disk`,
  milliseconds(ownInsert),
  milliseconds(theirInsert),
  ratio(theirInsert, ownInsert),
]);
console.log(`one thread, medians of ${runs} runs`);
printTable(table);
await sluice.close();
clickhouse.cleanup();
rmSync(directory, { recursive: true, force: true });
process.exit(0);
