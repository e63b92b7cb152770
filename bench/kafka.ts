import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Admin, Consumer, Producer } from '@platformatic/kafka';
import { KafkaBroker } from '../scripts/kafka.ts';
import { Database } from '../src/index.ts';
import { median, printTable } from './measure.ts';

/*
 * Rows a second from and to a Kafka topic, as a share of what the client library alone reaches with the same messages on the
 * same broker in the same run. The library's reader is timed from its first message on, so that joining its group costs it
 * nothing; Sluice's time is that of the whole query.
 */
const rows = Number(process.argv[2] ?? 500_000);
const turns = 3;

const broker = process.env.KAFKA_BROKERS ? null : await KafkaBroker.start();
const brokers = broker?.brokers ?? process.env.KAFKA_BROKERS!;
const bootstrap = { clientId: 'bench', bootstrapBrokers: brokers.split(',') };
const directory = mkdtempSync(join(tmpdir(), 'sluice-bench-'));
const database = await Database.open({ dataDir: directory });
const name = (what: string) => `bench-${process.pid}-${what}`;

async function topic(what: string): Promise<string> {
  const admin = new Admin(bootstrap);
  await admin.createTopics({ topics: [name(what)], partitions: 2, replicas: 1 });
  await admin.close();
  return name(what);
}

function message(k: number): string {
  return `{"id":${k},"device":"device_${k % 100}","temperature":${k % 1000},"site":{"name":"hall ${k % 7}"},"ok":true}`;
}

const settings = (of: string) => `SETTINGS type='kafka', brokers='${brokers}', topic='${of}'`;

/** Rows a second, the median of several turns. */
async function rate(turn: (number: number) => Promise<number>): Promise<number> {
  const taken: number[] = [];
  for (let number = 0; number < turns; number++) taken.push(await turn(number));
  return (rows / median(taken)) * 1000;
}

async function timed(action: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await action();
  return performance.now() - start;
}

const messages = Array.from({ length: rows }, (_, k) => message(k));

const libraryWrites = await rate(async (turn) => {
  const target = await topic(`library-${turn}`);
  const producer = new Producer({ ...bootstrap, idempotent: true });
  const time = await timed(async () => {
    for (let from = 0; from < rows; from += 5_000) {
      const part = messages.slice(from, from + 5_000);
      await producer.send({ messages: part.map((value) => ({ topic: target, value: Buffer.from(value) })) });
    }
  });
  await producer.close();
  return time;
});

const text =
  'concat(\'{"id":\', to_string(number), \',"device":"device_\', to_string(number % 100), \'","temperature":\', to_string(number % 1000), \',"site":{"name":"hall \', to_string(number % 7), \'"},"ok":true}\')';
const source = name('0');
const writes = await rate(async (turn) => {
  await database.run(`CREATE EXTERNAL STREAM w${turn} (raw string) ${settings(await topic(String(turn)))}`);
  return timed(() => database.run(`INSERT INTO w${turn} SELECT ${text} FROM numbers(${rows})`));
});
const formatted = await rate(async (turn) => {
  const of = settings(await topic(`formatted-${turn}`));
  await database.run(
    `CREATE EXTERNAL STREAM f${turn} (id int64, device string, temperature int32, ok bool) ${of}, data_format='JSONEachRow', one_message_per_row=true`,
  );
  return timed(() =>
    database.run(
      `INSERT INTO f${turn} SELECT number, concat('device_', to_string(number % 100)), number % 1000, true FROM numbers(${rows})`,
    ),
  );
});

const libraryReads = await rate(async (turn) => {
  const consumer = new Consumer({ ...bootstrap, groupId: name(`group-${turn}`) });
  const stream = await consumer.consume({
    topics: [source],
    mode: 'earliest',
    maxWaitTime: 100,
    maxBytes: 8_388_608,
  });
  let [count, bytes, start] = [0, 0, 0];
  const time = await new Promise<number>((resolve) => {
    stream.on('data', ({ value }) => {
      if (count++ === 0) start = performance.now();
      bytes += value!.length;
      if (count === rows) resolve(performance.now() - start);
    });
  });
  await consumer.close(true);
  if (bytes === 0) throw new Error('nothing was read');
  return time;
});

await database.run(`CREATE EXTERNAL STREAM raw (raw string) ${settings(source)}`);
await database.run(
  `CREATE EXTERNAL STREAM parsed (id int64, device string, temperature int32) ${settings(source)}, data_format='JSONEachRow'`,
);

async function reads(sql: string): Promise<number> {
  return rate(() => timed(() => database.query(sql).toArray()));
}

const results: (readonly [string, number, number])[] = [
  ['written: whole messages', writes, libraryWrites],
  ['written: JSONEachRow, a message a row', formatted, libraryWrites],
  [
    'read: whole messages, sum of lengths',
    await reads('SELECT count(), sum(length(raw)) FROM table(raw)'),
    libraryReads,
  ],
  [
    'read: three JSON paths',
    await reads(
      'SELECT sum(raw:id::int64), max(raw:temperature::int32), uniq(raw:site.name) FROM table(raw)',
    ),
    libraryReads,
  ],
  [
    'read: three columns by JSONEachRow',
    await reads('SELECT sum(id), max(temperature), uniq(device) FROM table(parsed)'),
    libraryReads,
  ],
];

const perSecond = (value: number) => `${Math.round(value).toLocaleString('en')}`;
printTable([
  ['what', 'rows/s', 'library alone', 'of it'],
  ...results.map(([what, own, library]) => [
    what,
    perSecond(own),
    perSecond(library),
    `${(own / library).toFixed(2)}x`,
  ]),
]);

await database.close();
await broker?.stop();
rmSync(directory, { recursive: true, force: true });
