/* A server with views between topics and streams, for tests that kill it: makes what is not there, then runs until killed. */
import { Database } from '../../src/index.ts';

const [directory, brokers, source, target, copy] = process.argv.slice(2) as [
  string,
  string,
  string,
  string,
  string,
];
const database = await Database.open({ dataDir: directory });
const external = (name: string, topic: string) =>
  `CREATE EXTERNAL STREAM IF NOT EXISTS ${name} (raw string) SETTINGS type='kafka', brokers='${brokers}', topic='${topic}'`;
await database.run(external('source', source));
await database.run(external('target', target));
await database.run(external('copy', copy));
await database.run('CREATE STREAM IF NOT EXISTS stored (raw string)');
await database.run(
  "CREATE MATERIALIZED VIEW IF NOT EXISTS filling INTO stored AS SELECT raw FROM source SETTINGS seek_to='earliest'",
);
await database.run('CREATE MATERIALIZED VIEW IF NOT EXISTS emitting INTO target AS SELECT raw FROM stored');
await database.run(
  "CREATE MATERIALIZED VIEW IF NOT EXISTS copying INTO copy AS SELECT raw FROM source SETTINGS seek_to='earliest'",
);
process.stdout.write('ready\n');
setInterval(() => {}, 60_000);
