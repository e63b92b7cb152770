import { readFileSync } from 'node:fs';
import test, { type ExecutionContext } from 'ava';
import { SluiceError } from '../../src/base/index.ts';
import { Database } from '../../src/index.ts';
import { temporaryDirectory } from '../support/temporary-database.ts';
import { opened, rowsOf, TestBroker, until } from './support.ts';

let broker: TestBroker;
test.before(async () => {
  broker = await TestBroker.start();
});
test.after.always(() => broker?.stop());

async function external(
  t: ExecutionContext,
  columns: string,
  topic: string,
  settings = '',
): Promise<Database> {
  const database = await opened(t);
  await database.run(
    `CREATE EXTERNAL STREAM e (${columns}) SETTINGS type='kafka', brokers='${broker.brokers}', topic='${topic}'${settings}`,
  );
  return database;
}

/** Reads a streaming query row by row. */
function follow(database: Database, sql: string) {
  const controller = new AbortController();
  const rows: unknown[][] = [];
  const ended = (async () => {
    for await (const row of database.query(sql, { controller })) rows.push(Object.values(row));
  })();
  ended.catch(() => {});
  return { rows, ended, controller };
}

test('one column takes whole messages, with JSON paths and casts', async (t) => {
  const topic = await broker.topic();
  await broker.send(topic, [
    { value: '{"id": 7, "user": {"name": "Ann"}, "tags": ["x", "y"]}' },
    { value: 'no JSON at all' },
    { value: Buffer.from([0, 255, 10]) },
    { value: '' },
    { value: null },
  ]);
  const database = await external(t, 'raw string', topic);
  t.deepEqual(
    await rowsOf(database, 'SELECT raw:id::int32, raw:user.name, raw:tags[2] FROM table(e) LIMIT 1'),
    [[7, 'Ann', 'y']],
  );
  t.deepEqual(await rowsOf(database, 'SELECT hex(raw) FROM table(e) WHERE _tp_sn >= 2 ORDER BY _tp_sn'), [
    ['00FF0A'],
    [''],
    [''],
  ]);
  await database.run(
    `CREATE EXTERNAL STREAM n (line nullable(string)) SETTINGS type='kafka', brokers='${broker.brokers}', topic='${topic}', data_format='RawBLOB'`,
  );
  t.deepEqual(
    await rowsOf(database, 'SELECT line, line IS NULL FROM table(n) WHERE _tp_sn >= 3 ORDER BY _tp_sn'),
    [
      ['', false],
      [null, true],
    ],
  );
});

test('keys, headers, times, partitions and offsets can be read by name and are no part of *', async (t) => {
  const topic = await broker.topic(2);
  const at = Date.UTC(2026, 0, 2, 3, 4, 5, 678);
  await broker.send(topic, [
    { key: 'k1', value: 'a', headers: { trace: 't1', ü: 'ö' }, partition: 0, timestamp: at },
    { value: 'b', partition: 1, timestamp: at + 1 },
    { value: 'c', partition: 1, timestamp: at + 2 },
  ]);
  const database = await external(t, 'raw string', topic);
  t.deepEqual(await rowsOf(database, 'SELECT * FROM table(e) ORDER BY raw'), [['a'], ['b'], ['c']]);
  t.deepEqual(
    await rowsOf(
      database,
      "SELECT raw, _tp_time, _tp_message_key, _tp_message_headers['trace'], length(_tp_message_headers), _tp_shard, _tp_sn FROM table(e) ORDER BY raw",
    ),
    [
      ['a', '2026-01-02 03:04:05.678', 'k1', 't1', 2, 0, 0],
      ['b', '2026-01-02 03:04:05.679', null, '', 0, 1, 0],
      ['c', '2026-01-02 03:04:05.680', null, '', 0, 1, 1],
    ],
  );
  t.deepEqual(
    await rowsOf(
      database,
      'SELECT to_type_name(_tp_time), to_type_name(_tp_shard), to_type_name(_tp_sn) FROM table(e) LIMIT 1',
    ),
    [["datetime64(3, 'UTC')", 'int32', 'int64']],
  );
  t.deepEqual(await rowsOf(database, 'SELECT raw FROM table(e) WHERE _tp_shard = 1 ORDER BY raw'), [
    ['b'],
    ['c'],
  ]);
  t.deepEqual(await rowsOf(database, "SELECT raw FROM table(e) SETTINGS shards = '0'"), [['a']]);
  await t.throwsAsync(rowsOf(database, "SELECT raw FROM table(e) SETTINGS shards = 'x'"), {
    message: /shards/,
  });
  t.deepEqual(await rowsOf(database, 'SELECT count() FROM table(e)'), [[3]]);
  t.deepEqual(await rowsOf(database, 'DESCRIBE e'), [['raw', 'string', '', '', '']]);
});

test('several columns are read by the format, several rows of a message too', async (t) => {
  const json = await broker.topic();
  await broker.send(json, [
    { value: '{"k": 1, "s": "a", "unknown": {"x": 1}}' },
    { value: '{"s": "b", "k": "2"}\n{"k": 3}\n' },
    { value: null },
    { value: '[{"k": 4}, {"k": 5}]' },
    { value: '' },
    { value: '{"k": 6, "s": "z"}' },
  ]);
  const first = await external(t, 'k int32, s string', json, ", data_format='JSONEachRow'");
  t.deepEqual(await rowsOf(first, 'SELECT *, _tp_sn FROM table(e) ORDER BY k'), [
    [1, 'a', 0],
    [2, 'b', 1],
    [3, '', 1],
    [4, '', 3],
    [5, '', 3],
    [6, 'z', 5],
  ]);
  t.deepEqual(await rowsOf(first, 'SELECT count() FROM table(e)'), [[6]]);
  t.deepEqual(await rowsOf(first, 'SELECT sum(_tp_sn) FROM table(e)'), [[13]]);
  for (const [format, texts] of [
    ['CSV', ['1,"a,b"', '2,c\n3,"d\n"\n']],
    ['TSV', ['1\ta,b', '2\tc\n3\td\\n\n']],
    ['TabSeparated', ['1\ta,b\n', '2\tc\n3\td\\n']],
    ['CSVWithNames', ['k,s\n1,"a,b"', 's,k\nc,2\n"d\n",3\n']],
  ] as const) {
    const topic = await broker.topic();
    await broker.send(
      topic,
      texts.map((value) => ({ value })),
    );
    const database = await external(t, 'k int32, s string', topic, `, data_format='${format}'`);
    t.deepEqual(
      await rowsOf(database, 'SELECT * FROM table(e) ORDER BY k'),
      [
        [1, 'a,b'],
        [2, 'c'],
        [3, 'd\n'],
      ],
      format,
    );
  }
});

test('columns named key and value are keys and values', async (t) => {
  const topic = await broker.topic();
  await broker.send(topic, [{ key: 'k', value: 'v' }, { value: 'w' }]);
  const database = await external(t, 'key string, value string', topic);
  t.deepEqual(await rowsOf(database, 'SELECT * FROM table(e) ORDER BY value'), [
    ['k', 'v'],
    ['', 'w'],
  ]);
});

test('compressed batches are read', async (t) => {
  for (const compression of ['gzip', 'snappy', 'lz4', 'zstd']) {
    const topic = await broker.topic();
    const messages = Array.from({ length: 500 }, (_, k) => ({ key: `k${k}`, value: `{"k": ${k}}` }));
    await broker.send(topic, messages, compression);
    const database = await external(t, 'raw string', topic);
    t.deepEqual(
      await rowsOf(database, 'SELECT count(), sum(raw:k::int32), max(_tp_message_key) FROM table(e)'),
      [[500, 124_750, 'k99']],
      compression,
    );
  }
});

test('table(...) completes over gaps of compacted topics, and of transactions, whose messages show only when they end well', async (t) => {
  const compacted = await broker.topic(1, {
    'cleanup.policy': 'compact',
    'min.cleanable.dirty.ratio': '0.001',
    'segment.ms': '100',
    'min.compaction.lag.ms': '0',
    'delete.retention.ms': '0',
  });
  for (let round = 0; round < 4; round++) {
    await broker.send(compacted, [
      { key: 'a', value: `a${round}` },
      { key: 'b', value: `b${round}` },
    ]);
    await new Promise((next) => setTimeout(next, 150));
  }
  await broker.send(compacted, [{ key: 'c', value: 'c' }]);
  const first = await external(t, 'raw string', compacted);
  await until('the topic is compacted', async () => {
    const [[count]] = (await rowsOf(first, 'SELECT count() FROM table(e)')) as [[number]];
    return count < 9;
  });
  const kept = (await rowsOf(first, 'SELECT raw FROM table(e)')).flat();
  t.true(kept.includes('a3') && kept.includes('b3') && kept.includes('c'));

  const topic = await broker.topic();
  await broker.send(topic, [{ value: 'plain' }]);
  await broker.sendInTransaction(topic, [{ value: 'kept 1' }, { value: 'kept 2' }], true);
  await broker.sendInTransaction(topic, [{ value: 'given up' }], false);
  const second = await external(t, 'raw string', topic);
  t.deepEqual((await rowsOf(second, 'SELECT raw FROM table(e)')).flat().sort(), [
    'kept 1',
    'kept 2',
    'plain',
  ]);
  await broker.sendInTransaction(topic, [{ value: 'given up, too' }], false);
  t.deepEqual(await rowsOf(second, 'SELECT count() FROM table(e)'), [[3]]);
  await second.run(
    `CREATE EXTERNAL STREAM everything (raw string) SETTINGS type='kafka', brokers='${broker.brokers}', topic='${topic}', properties='isolation.level=read_uncommitted'`,
  );
  t.deepEqual(await rowsOf(second, 'SELECT count() FROM table(everything)'), [[5]]);
  const empty = await external(t, 'raw string', await broker.topic(3));
  t.deepEqual(await rowsOf(empty, 'SELECT count() FROM table(e)'), [[0]]);
});

test('a streaming SELECT begins now, at the oldest message, at a time or at offsets', async (t) => {
  const topic = await broker.topic(2);
  const now = Date.now();
  const at = (hours: number) => now - hours * 3_600_000;
  await broker.send(topic, [
    { value: 'old', partition: 0, timestamp: at(5) },
    { value: 'newer', partition: 0, timestamp: at(1) },
    { value: 'old 1', partition: 1, timestamp: at(4) },
    { value: 'newer 1', partition: 1, timestamp: at(1) },
  ]);
  const database = await external(t, 'raw string', topic);
  const read = async (count: number, seek: string) =>
    (await rowsOf(database, `SELECT raw FROM e LIMIT ${count} SETTINGS seek_to='${seek}'`)).flat().sort();
  t.deepEqual(await read(4, 'earliest'), ['newer', 'newer 1', 'old', 'old 1']);
  t.deepEqual(await read(2, '-2h'), ['newer', 'newer 1']);
  const since = new Date(at(4.5)).toISOString().slice(0, 19).replace('T', ' ');
  t.deepEqual(await read(3, since), ['newer', 'newer 1', 'old 1']);
  t.deepEqual(await read(3, '1,0'), ['newer', 'newer 1', 'old 1']);
  await t.throwsAsync(read(1, '1,2,3'), { message: /3 offsets.*2 partitions/ });
  const latest = follow(database, 'SELECT raw FROM e LIMIT 2');
  await until('it reads', () => database.engine.processes.list.length > 0);
  await until('the source runs', async () => {
    await broker.send(topic, [{ value: 'now' }]);
    return latest.rows.length > 0;
  });
  await broker.send(topic, [{ value: 'then' }]);
  await latest.ended;
  t.deepEqual(latest.rows[0], ['now']);
});

test('KILL, a lost client and the time limit end a streaming SELECT at once', async (t) => {
  const topic = await broker.topic();
  const database = await external(t, 'raw string', topic);
  const ended = async (
    end: (following: ReturnType<typeof follow>) => void | Promise<void>,
    message: RegExp,
  ) => {
    const following = follow(database, "SELECT raw, 'mark' FROM e");
    await until(
      'it runs',
      async () =>
        (await rowsOf(database, "SELECT state FROM system.tables WHERE name = 'e'"))[0]![0] === 'running',
    );
    const before = performance.now();
    await end(following);
    await t.throwsAsync(following.ended, { message });
    return performance.now() - before;
  };
  /** The least of several times: a machine that is busy with others may hold up any one of them. */
  const least = async (end: Parameters<typeof ended>[0], message: RegExp) => {
    const taken: number[] = [];
    for (let turn = 0; turn < 3; turn++) taken.push(await ended(end, message));
    t.true(Math.min(...taken) < 100, taken.join());
  };
  await least(({ controller }) => controller.abort(new SluiceError('QUERY_WAS_CANCELLED', 'gone')), /gone/);
  await least(async () => {
    await database.run("KILL QUERY WHERE query LIKE '%mark%' AND query NOT LIKE '%KILL%'");
  }, /killed/);
  const taken: number[] = [];
  for (let turn = 0; turn < 3; turn++) {
    const before = performance.now();
    await t.throwsAsync(rowsOf(database, 'SELECT raw FROM e SETTINGS max_execution_time = 0.3'), {
      message: /max_execution_time/,
    });
    taken.push(performance.now() - before - 300);
  }
  t.true(Math.min(...taken) < 100, taken.join());
  await until(
    'nothing is open',
    async () =>
      (await rowsOf(database, "SELECT state FROM system.tables WHERE name = 'e'"))[0]![0] === 'idle',
  );
});

test('aggregations, joins and subqueries run over topics, and their results are never kept', async (t) => {
  const topic = await broker.topic();
  await broker.send(topic, [{ value: '{"k": 1}' }, { value: '{"k": 2}' }]);
  const database = await external(t, 'k int32', topic, ", data_format='JSONEachRow'");
  await database.run('CREATE STREAM s (k int32, name string)');
  await database.run("INSERT INTO s VALUES (2, 'two'), (3, 'three')");
  t.deepEqual(await rowsOf(database, 'SELECT s.name FROM table(s) AS s JOIN table(e) AS e ON s.k = e.k'), [
    ['two'],
  ]);
  t.deepEqual(
    await rowsOf(
      database,
      "SELECT s.name FROM e JOIN table(s) AS s ON e.k = s.k LIMIT 1 SETTINGS seek_to='earliest'",
    ),
    [['two']],
  );
  t.deepEqual(await rowsOf(database, 'SELECT max(k) FROM table(e) WHERE k IN (SELECT k FROM table(e))'), [
    [2],
  ]);
  const sql = 'SELECT count() FROM table(e)';
  t.deepEqual(await rowsOf(database, sql), [[2]]);
  await broker.send(topic, [{ value: '{"k": 3}' }]);
  t.deepEqual(await rowsOf(database, sql), [[3]]);
  t.deepEqual(
    await rowsOf(
      database,
      "SELECT count() AS c FROM e EMIT PERIODIC 50ms LIMIT 1 SETTINGS seek_to='earliest'",
    ),
    [[3]],
  );
});

test('a message that cannot be read is an error with its place, unless it may be passed over', async (t) => {
  const topic = await broker.topic();
  await broker.send(topic, [{ value: '{"k": 1}' }, { value: '{"k": "bad' }, { value: '{"k": 3}' }]);
  const database = await external(t, 'k int32', topic, ", data_format='JSONEachRow'");
  const place = new RegExp(`Kafka topic '${topic}', partition 0, offset 1: Cannot read the input at row 1`);
  await t.throwsAsync(rowsOf(database, 'SELECT k FROM table(e)'), { message: place });
  const following = follow(database, "SELECT k FROM e SETTINGS seek_to='earliest'");
  await t.throwsAsync(following.ended, { message: place });
  t.deepEqual(following.rows, [[1]]);
  t.deepEqual(await rowsOf(database, 'SELECT k FROM table(e) SETTINGS input_format_allow_errors_num = 1'), [
    [1],
    [3],
  ]);
  await database.run(
    `CREATE EXTERNAL STREAM skipping (k int32) SETTINGS type='kafka', brokers='${broker.brokers}', topic='${topic}', data_format='JSONEachRow', on_error='skip'`,
  );
  t.deepEqual(await rowsOf(database, 'SELECT k FROM table(skipping)'), [[1], [3]]);
  const [[error]] = (await rowsOf(
    database,
    "SELECT last_error FROM system.tables WHERE name = 'skipping'",
  )) as [[string]];
  t.regex(error, /^1 messages were passed over, the last one: .*offset 1/);
});

test('rows beyond a block, also of a single message, come all', async (t) => {
  const topic = await broker.topic();
  const big = Array.from({ length: 100_000 }, (_, k) => `{"k":${k}}`);
  await broker.send(topic, [
    { value: '{"k": 0}' },
    { value: big.slice(0, 70_000).join('\n') },
    { value: '{"k": 1}' },
  ]);
  const database = await external(t, 'k int32', topic, ", data_format='JSONEachRow'");
  t.deepEqual(await rowsOf(database, 'SELECT count(), sum(k), max(_tp_sn) FROM table(e)'), [
    [70_002, (70_000 * 69_999) / 2 + 1, 2],
  ]);
});

test('what cannot be reached is a clear error in bounded time', async (t) => {
  const missing = await external(t, 'raw string', 'there-is-no-such-topic', ', connection_timeout = 0.5');
  const before = performance.now();
  const told = /Cannot read: the Kafka topic 'there-is-no-such-topic' does not exist on/;
  await t.throwsAsync(rowsOf(missing, 'SELECT raw FROM e'), { message: told });
  await t.throwsAsync(rowsOf(missing, 'SELECT raw FROM table(e)'), { message: told });
  await t.throwsAsync(missing.run("INSERT INTO e VALUES ('x')"), {
    message: /Cannot write: the Kafka topic/,
  });
  const database = await opened(t);
  await database.run(
    "CREATE EXTERNAL STREAM e (raw string) SETTINGS type='kafka', brokers='127.0.0.1:1', topic='t', connection_timeout = 0.5",
  );
  const refused = /Kafka topic 't' on 127.0.0.1:1\).*ECONNREFUSED/;
  await t.throwsAsync(rowsOf(database, 'SELECT raw FROM e'), { message: refused });
  await t.throwsAsync(database.run("INSERT INTO e VALUES ('x')"), { message: refused });
  await database.run('CREATE STREAM s (raw string)');
  await t.throwsAsync(database.run('CREATE MATERIALIZED VIEW v INTO s AS SELECT raw FROM e'), {
    message: refused,
  });
  t.true(performance.now() - before < 8_000);
});

test('a SELECT ends with an error when its stream is dropped', async (t) => {
  const database = await external(t, 'raw string', await broker.topic());
  const following = follow(database, 'SELECT raw FROM e');
  await until(
    'it runs',
    async () =>
      (await rowsOf(database, "SELECT state FROM system.tables WHERE name = 'e'"))[0]![0] === 'running',
  );
  await database.run('DROP STREAM e');
  await t.throwsAsync(following.ended, { message: /has been dropped/ });
});

test('new partitions are found while a SELECT runs', async (t) => {
  const topic = await broker.topic(1);
  const database = await external(t, 'raw string', topic);
  const following = follow(database, "SELECT raw FROM e LIMIT 2 SETTINGS seek_to='earliest'");
  await broker.send(topic, [{ value: 'one' }]);
  await until('the first came', () => following.rows.length === 1);
  await broker.addPartitions(topic, 2);
  await until('the partition is there', async () => {
    try {
      await broker.send(topic, [{ value: 'two', partition: 1 }]);
      return true;
    } catch {
      return false;
    }
  });
  await following.ended;
  t.deepEqual(following.rows, [['one'], ['two']]);
});

test('the example of the README runs', async (t) => {
  const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');
  const [, sql] = /```sql\n(CREATE EXTERNAL STREAM events[\s\S]*?)```/.exec(readme)!;
  const [events, alerts] = [await broker.topic(), await broker.topic()];
  await broker.send(events, [
    { value: '{"id": 1, "type": "purchase", "user": {"name": "Ann"}}' },
    { value: '{"id": 2, "type": "visit", "user": {"name": "Bo"}}' },
  ]);
  const database = await opened(t);
  const controller = new AbortController();
  const own = sql!
    .replaceAll('localhost:9092', broker.brokers)
    .replace("topic='events'", `topic='${events}'`)
    .replace("topic='alerts'", `topic='${alerts}'`);
  const results: unknown[] = [];
  for (const statement of own.split(';').map((part) => part.trim())) {
    if (statement === '') continue;
    const limited = statement.startsWith('SELECT raw:id')
      ? statement.replace(' SETTINGS', ' LIMIT 1 SETTINGS')
      : statement;
    results.push(await database.query(limited, { controller }).toArray());
  }
  t.is((results[1] as unknown[]).length, 2);
  t.is((results[2] as { id: number }[])[0]!.id, 1);
  await broker.send(events, [{ value: '{"id": 3, "type": "purchase", "user": {"name": "Cy"}}' }]);
  await until(
    'the view has it',
    async () => (await rowsOf(database, 'SELECT count() FROM table(purchases)'))[0]![0] === 1,
  );
  t.deepEqual(await rowsOf(database, 'SELECT id, user FROM table(purchases)'), [[3, 'Cy']]);
  t.deepEqual(
    (await broker.messages(alerts, 1)).map(({ value }) => value),
    ['{"id":1,"text":"hello"}'],
  );
});

test('a slow reader of a fast topic holds a bounded number of bytes', async (t) => {
  const topic = await broker.topic();
  const database = await external(t, 'raw string', topic);
  const total = 160_000_000;
  await database.run(`INSERT INTO e SELECT repeat('x', 1000) FROM numbers(${total / 1000})`);
  const memory = () => process.memoryUsage().arrayBuffers;
  const before = memory();
  let most = 0;
  let rows = 0;
  const result = await database.engine.execute("SELECT raw FROM e SETTINGS seek_to = 'earliest'");
  // Each block is waited over for as long as the reader would need to run far ahead.
  for (let block = 0; block < 8; block++) {
    rows += (await result.next())!.rows;
    for (let turn = 0; turn < 20; turn++) {
      await new Promise((next) => setTimeout(next, 5));
      most = Math.max(most, memory() - before);
    }
  }
  result.close();
  t.true(rows < total / 1000);
  t.true(most < 100_000_000, `${most} bytes`);
});

test('settings that do not suit are refused when the stream is created', async (t) => {
  const database = await opened(t);
  const refused = (settings: string, message: RegExp, columns = 'raw string') =>
    t.throwsAsync(
      database.run(`CREATE EXTERNAL STREAM e (${columns}) SETTINGS type='kafka', ${settings}`),
      { message },
      settings,
    );
  const where = "brokers='b:9092', topic='t'";
  await refused("topic='t'", /'brokers' .* is missing/);
  await refused("brokers='b:1'", /'topic' .* is missing/);
  await refused("brokers='b:99999', topic='t'", /host:port/);
  await refused("brokers='b', topic='a b'", /'topic' cannot be 'a b'/);
  await refused(`${where}, borkers='x'`, /Unknown setting 'borkers'.*brokers/);
  await refused(`${where}, data_format='JSONEachRaw'`, /Unknown format.*JSONEachRow/i);
  await refused(where, /data_format/, 'a int32, b string');
  await refused(where, /data_format/, 'a int32');
  await refused(where, /'_tp_shard' can be read/, 'raw string, _tp_shard int32');
  await refused(where, /must be a string/, 'raw string, _tp_message_key int32');
  await refused(`${where}, one_message_per_row='x'`, /expected true, false/);
  await refused(`${where}, security_protocol='SASL_SLS'`, /one of .*SASL_SSL/);
  await refused(`${where}, security_protocol='SASL_SSL'`, /needs 'username' and 'password'/);
  await refused(`${where}, username='u', password='geheim'`, /^(?!.*geheim).*need security_protocol/);
  await refused(`${where}, sasl_mechanism='AWS_MSK_IAM'`, /one of PLAIN/);
  await refused(`${where}, skip_ssl_cert_check=true`, /need security_protocol/);
  await refused(
    `${where}, properties='fetch.max.byte=1'`,
    /Unknown Kafka property 'fetch.max.byte'.*fetch.max.bytes/,
  );
  await refused(`${where}, properties='fetch.max.bytes=x'`, /whole number/);
  await refused(`${where}, kafka_schema_registry_url='http://x'`, /not supported yet/);
});

test('brokers that the server may not speak to are refused', async (t) => {
  const refused = async (outsideHosts: string, brokers: string) => {
    const database = await Database.open({ dataDir: temporaryDirectory(t), outsideHosts });
    t.teardown(() => database.close());
    const sql = `CREATE EXTERNAL STREAM e (raw string) SETTINGS type='kafka', brokers='${brokers}', topic='t'`;
    await t.throwsAsync(database.run(sql), { message: /is refused/ });
  };
  await refused('none', broker.brokers);
  await refused('example.com', broker.brokers);
  await refused('any', '169.254.169.254:80');
});
