import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import test, { type ExecutionContext } from 'ava';
import { KafkaBroker } from '../../scripts/kafka.ts';
import type { Database } from '../../src/index.ts';
import { temporaryDirectory } from '../support/temporary-database.ts';
import { opened, rowsOf, TestBroker, until } from './support.ts';

/** These tests end brokers, so that they never run against one of somebody else. */
let broker: TestBroker;
let own: KafkaBroker;
test.before(async () => {
  own = await KafkaBroker.start();
  broker = TestBroker.over(own);
});
test.after.always(() => own?.stop());

async function create(database: Database, name: string, columns: string, topic: string, settings = '') {
  await database.run(
    `CREATE EXTERNAL STREAM ${name} (${columns}) SETTINGS type='kafka', brokers='${own.brokers}', topic='${topic}'${settings}`,
  );
}

const stateOf = async (database: Database, name: string) =>
  (await rowsOf(database, `SELECT state, last_error FROM system.tables WHERE name = '${name}'`))[0] as [
    string,
    string,
  ];

const count = async (database: Database, from: string) =>
  (await rowsOf(database, `SELECT count() FROM table(${from})`))[0]![0] as number;

test.serial('a SELECT and views wait for a broker that is restarted, visibly, and go on', async (t) => {
  t.timeout(120_000);
  const [source, target] = [await broker.topic(2), await broker.topic()];
  const directory = temporaryDirectory(t);
  let database = await opened(t, directory);
  await create(database, 'e', 'raw string', source);
  await create(database, 'out', 'raw string', target);
  await database.run('CREATE STREAM s (raw string)');
  await database.run('CREATE MATERIALIZED VIEW v INTO s AS SELECT raw FROM e');
  await database.run('CREATE MATERIALIZED VIEW w INTO out AS SELECT raw FROM s');
  const seen: unknown[] = [];
  const controller = new AbortController();
  const following = (async () => {
    for await (const row of database.query('SELECT raw FROM e', { controller })) seen.push(row['raw']);
  })();
  following.catch(() => {});
  await until('the SELECT reads', async () => {
    await broker.send(source, [{ value: 'ping' }]);
    return seen.length > 0;
  });
  await broker.send(source, [{ value: 'before' }]);
  await until(
    'all have it',
    async () => seen.includes('before') && (await count(database, 'out')) === (await count(database, 's')),
  );
  const before = await count(database, 's');
  await own.pause();
  await until('it shows', async () => (await stateOf(database, 'e'))[0] === 'waiting');
  t.regex((await stateOf(database, 'e'))[1], /Cannot read .*(ECONNREFUSED|closed|failed)/);
  t.is((await stateOf(database, 'v'))[0], 'waiting');
  await database.run("INSERT INTO s VALUES ('while it was away')");
  // A server that starts while the broker is away waits for it, too.
  await database.close();
  await t.throwsAsync(following);
  database = await opened(t, directory);
  await until('the view is in trouble', async () =>
    ['waiting', 'failed'].includes((await stateOf(database, 'w'))[0]),
  );
  await own.resume();
  await broker.send(source, [
    { value: 'after', partition: 0 },
    { value: 'after', partition: 1 },
  ]);
  await until('the stream has all', async () => (await count(database, 's')) === before + 3);
  await until('the topic has all', async () => (await count(database, 'out')) === before + 3);
  await until(
    'all is well',
    async () =>
      (await stateOf(database, 'v')).join() === 'running,' &&
      (await stateOf(database, 'w')).join() === 'running,',
  );
});

test.serial('a streaming SELECT goes on after the broker was restarted', async (t) => {
  t.timeout(120_000);
  const topic = await broker.topic();
  const database = await opened(t);
  await create(database, 'e', 'raw string', topic);
  await broker.send(topic, [{ value: 'one' }]);
  const seen: unknown[] = [];
  const following = (async () => {
    for await (const row of database.query("SELECT raw FROM e LIMIT 2 SETTINGS seek_to='earliest'"))
      seen.push(row['raw']);
  })();
  await until('the first came', () => seen.length === 1);
  await own.pause('SIGTERM');
  await until('it waits', async () => (await stateOf(database, 'e'))[0] === 'waiting');
  await own.resume();
  await broker.send(topic, [{ value: 'two' }]);
  await following;
  t.deepEqual(seen, ['one', 'two']);
});

test.serial('an INSERT whose broker stops in the middle fails in bounded time', async (t) => {
  t.timeout(120_000);
  const topic = await broker.topic();
  const database = await opened(t);
  await create(database, 'e', 'raw string', topic, ', connection_timeout = 1');
  async function* endless() {
    for (;;) {
      yield Buffer.from(`${'x'.repeat(1000)}\n`.repeat(1000));
      await new Promise((next) => setTimeout(next, 5));
    }
  }
  const inserting = database.run('INSERT INTO e FORMAT RawBLOB', { data: endless() });
  const failed = t.throwsAsync(inserting, {
    message: /Cannot write .*(ECONNREFUSED|closed|failed|timed out)/,
  });
  await until('some is there', async () => (await count(database, 'e')) > 5000);
  await own.pause();
  const before = performance.now();
  await failed;
  t.true(performance.now() - before < 5_000, `${performance.now() - before} ms`);
  await own.resume();
  await database.run("INSERT INTO e VALUES ('again')");
  t.deepEqual(await rowsOf(database, "SELECT count() FROM table(e) WHERE raw = 'again'"), [[1]]);
});

function serve(directory: string, topics: readonly string[]): { child: ChildProcess; ready: Promise<void> } {
  const child = spawn(
    process.execPath,
    [join(import.meta.dirname, 'view-server.ts'), directory, own.brokers, ...topics],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  const ready = new Promise<void>((resolve) =>
    createInterface({ input: child.stdout! }).once('line', () => resolve()),
  );
  return { child, ready };
}

test.serial(
  'killed again and again, views have every message exactly once in streams and topics',
  async (t) => {
    t.timeout(180_000);
    const topics = [await broker.topic(2), await broker.topic(2), await broker.topic(1)];
    const [source, target, copy] = topics as [string, string, string];
    const directory = temporaryDirectory(t);
    let sent = 0;
    const feed = async (messages: number) => {
      const batch = Array.from({ length: messages }, () => ({ value: `m${sent++}`, partition: sent % 2 }));
      await broker.send(source, batch);
    };
    for (let round = 0; round < 6; round++) {
      const { child, ready } = serve(directory, topics);
      const closed = new Promise((done) => child.once('close', done));
      await ready;
      for (let part = 0; part < 4 + round; part++) await feed(20 + 7 * round);
      child.kill('SIGKILL');
      await closed;
    }
    await feed(5);
    const { child, ready } = serve(directory, topics);
    t.teardown(() => child.kill('SIGKILL'));
    await ready;
    const database = await opened(t);
    await create(database, 'target', 'raw string', target);
    await create(database, 'copy', 'raw string', copy);
    const whole = async (name: string) => {
      await until(`${name} has all`, async () => (await count(database, name)) >= sent);
      t.deepEqual(
        await rowsOf(database, `SELECT count(), uniq_exact(raw) FROM table(${name})`),
        [[sent, sent]],
        name,
      );
    };
    await whole('target');
    await whole('copy');
    child.kill('SIGKILL');
    await new Promise((done) => child.once('close', done));
    const stored = await opened(t, directory);
    t.deepEqual(await rowsOf(stored, 'SELECT count(), uniq_exact(raw) FROM table(stored)'), [[sent, sent]]);
  },
);

test.serial('a user is known by name and password, which are never shown', async (t) => {
  const topic = await broker.topic();
  await broker.send(topic, [{ value: 'x' }]);
  const database = await opened(t);
  const sasl = (name: string, password: string) =>
    database.run(
      `CREATE EXTERNAL STREAM ${name} (raw string) SETTINGS type='kafka', brokers='${own.saslBrokers}', topic='${topic}', security_protocol='SASL_PLAINTEXT', sasl_mechanism='PLAIN', username='alice', password='${password}', connection_timeout=3`,
    );
  await sasl('e', 'alice-secret');
  t.deepEqual(await rowsOf(database, 'SELECT raw FROM table(e)'), [['x']]);
  await database.run("INSERT INTO e VALUES ('y')");
  t.is(await count(database, 'e'), 2);
  t.notRegex(String(await rowsOf(database, 'SHOW CREATE STREAM e')), /alice-secret/);
  t.notRegex(String(await rowsOf(database, 'SELECT * FROM system.tables')), /alice-secret/);
  await sasl('wrong', 'guess-work');
  const error = await t.throwsAsync(rowsOf(database, 'SELECT raw FROM table(wrong)'), {
    message: /do not accept the user/,
  });
  t.notRegex(String(error), /guess-work/);
});

test.serial('TLS and SCRAM: the certificate has to be known, unless it is not asked for', async (t) => {
  const topic = await broker.topic();
  await broker.send(topic, [{ value: 'x' }]);
  const database = await opened(t);
  const scram = (name: string, mechanism: string, trust: string, password = 'bob-secret') =>
    database.run(
      `CREATE EXTERNAL STREAM ${name} (raw string) SETTINGS type='kafka', brokers='${own.tlsBrokers}', topic='${topic}', security_protocol='SASL_SSL', sasl_mechanism='${mechanism}', username='bob', password='${password}', connection_timeout=3${trust}`,
    );
  await scram('e', 'SCRAM-SHA-256', `, ssl_ca_pem='${own.certificate}'`);
  await scram('f', 'SCRAM-SHA-512', ', skip_ssl_cert_check=true');
  await scram('untrusted', 'SCRAM-SHA-256', '');
  await scram('wrong', 'SCRAM-SHA-512', ', skip_ssl_cert_check=true', 'guess-work');
  t.deepEqual(await rowsOf(database, 'SELECT raw FROM table(e)'), [['x']]);
  await database.run("INSERT INTO f VALUES ('y')");
  t.is(await count(database, 'e'), 2);
  await t.throwsAsync(count(database, 'untrusted'), { message: /self-signed certificate/ });
  await t.throwsAsync(count(database, 'wrong'), { message: /do not accept the user/ });
});

function untrusted(t: ExecutionContext, database: Database, sql: string) {
  return t.throwsAsync(rowsOf(database, sql), { message: /127.0.0.1/ });
}

test.serial('a broker that does not speak TLS is told apart in bounded time', async (t) => {
  const database = await opened(t);
  await create(
    database,
    'e',
    'raw string',
    'any',
    ", security_protocol='SSL', skip_ssl_cert_check=true, connection_timeout=1",
  );
  const before = performance.now();
  await untrusted(t, database, 'SELECT raw FROM table(e)');
  t.true(performance.now() - before < 5_000);
});
