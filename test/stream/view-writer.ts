/* Inserts rows one after the other into a stream that a view reads, and prints each number once it is acknowledged. */
import { Database } from '../../src/index.ts';

const database = await Database.open({ dataDir: process.argv[2]! });
await database.run('CREATE STREAM IF NOT EXISTS source (n int64)');
await database.run('CREATE STREAM IF NOT EXISTS target (n int64)');
await database.run('CREATE MATERIALIZED VIEW IF NOT EXISTS v INTO target AS SELECT n * 2 AS n FROM source');
const [row] = await database.query('SELECT max(n) AS n, count() AS c FROM table(source)').toArray();
for (let n = row!['c'] === 0 ? 0 : (row!['n'] as number) + 1; ; n++) {
  await database.run(`INSERT INTO source VALUES (${n})`);
  process.stdout.write(`${n}\n`);
}
