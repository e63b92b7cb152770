import { murmur2 } from '@platformatic/kafka';
import test, { type ExecutionContext } from 'ava';
import type { Database } from '../../src/index.ts';
import { opened, rowsOf, TestBroker, until } from './support.ts';

let broker: TestBroker;
test.before(async () => {
  broker = await TestBroker.start();
});
test.after.always(() => broker?.stop());

async function create(database: Database, name: string, columns: string, topic: string, settings = '') {
  await database.run(
    `CREATE EXTERNAL STREAM ${name} (${columns}) SETTINGS type='kafka', brokers='${broker.brokers}', topic='${topic}'${settings}`,
  );
}

async function external(t: ExecutionContext, columns: string, settings = '', partitions = 1) {
  const topic = await broker.topic(partitions);
  const database = await opened(t);
  await create(database, 'e', columns, topic, settings);
  return { database, topic };
}

/** The partition of five that the client library finds for a key, as the Java client does. */
function partitionOf(key: string): number {
  return (murmur2(Buffer.from(key)) & 0x7fffffff) % 5;
}

const values = async (topic: string, count: number) =>
  (await broker.messages(topic, count)).map((message) => message.value);

test('rows become messages, one each or several in one', async (t) => {
  const json = ", data_format='JSONEachRow'";
  const one = await external(
    t,
    "k int32, s string DEFAULT concat('row ', to_string(k))",
    `${json}, one_message_per_row=true`,
  );
  await one.database.run("INSERT INTO e VALUES (1, 'a'), (2, 'b\nc')");
  await one.database.run('INSERT INTO e (k) VALUES (3)');
  await one.database.run('INSERT INTO e FORMAT CSV', { data: Buffer.from('4,"x, y"\n') });
  await one.database.run("INSERT INTO e SELECT number + 5, 'n' FROM numbers(2)");
  t.deepEqual(await values(one.topic, 6), [
    '{"k":1,"s":"a"}',
    '{"k":2,"s":"b\\nc"}',
    '{"k":3,"s":"row 3"}',
    '{"k":4,"s":"x, y"}',
    '{"k":5,"s":"n"}',
    '{"k":6,"s":"n"}',
  ]);
  const several = await external(t, 'k int32', json);
  await several.database.run('INSERT INTO e VALUES (1), (2), (3)');
  await several.database.run('INSERT INTO e SETTINGS one_message_per_row=true VALUES (4), (5)');
  t.deepEqual(await values(several.topic, 3), ['{"k":1}\n{"k":2}\n{"k":3}', '{"k":4}', '{"k":5}']);
  t.deepEqual(await rowsOf(several.database, 'SELECT k FROM table(e)'), [[1], [2], [3], [4], [5]]);
});

test('every format writes what it reads', async (t) => {
  for (const [format, messages] of [
    ['CSV', ['1,"a,\n""b"""', '2,"c"']],
    ['TSV', ['1\ta,\\n"b"', '2\tc']],
  ] as const) {
    const { database, topic } = await external(
      t,
      'k int32, s string',
      `, data_format='${format}', one_message_per_row=true`,
    );
    await database.run("INSERT INTO e VALUES (1, 'a,\n\"b\"'), (2, 'c')");
    t.deepEqual(await values(topic, 2), messages, format);
    t.deepEqual(await rowsOf(database, 'SELECT * FROM table(e)'), [
      [1, 'a,\n"b"'],
      [2, 'c'],
    ]);
  }
  const raw = await external(t, 'raw string');
  await raw.database.run("INSERT INTO e VALUES ('x')");
  await raw.database.run("INSERT INTO e VALUES ('two\nlines'), ('')");
  t.deepEqual(await values(raw.topic, 3), ['x', 'two\nlines', '']);
});

test('formats with schemas and heads of their own are written and read, in messages of any size', async (t) => {
  const proto = 'syntax = "proto3"; message Row { int32 k = 1; string s = 2; }';
  for (const [format, more] of [
    ['Avro', ''],
    ['CSVWithNames', ''],
    ['Protobuf', ", format_schema='rows:Row'"],
    ['ProtobufSingle', ", format_schema='rows:Row'"],
    ['RowBinary', ''],
  ] as const) {
    for (const sizes of ['one_message_per_row=true', 'kafka_max_message_size=2000']) {
      const topic = await broker.topic();
      const database = await opened(t);
      await database.run(`CREATE FORMAT SCHEMA rows AS '${proto}' TYPE Protobuf`);
      await create(database, 'e', 'k int32, s string', topic, `, data_format='${format}', ${sizes}${more}`);
      await database.run("INSERT INTO e SELECT number, repeat('x', number % 7) FROM numbers(500)");
      const where = `${format} ${sizes}`;
      t.deepEqual(
        await rowsOf(database, 'SELECT count(), sum(k), sum(length(s)) FROM table(e)'),
        [[500, 124_750, 1_494]],
        where,
      );
      t.deepEqual(await rowsOf(database, 'SELECT s FROM table(e) WHERE k = 13'), [['xxxxxx']], where);
      await create(database, 'raw', 'raw string', topic);
      const [[messages, longest]] = (await rowsOf(
        database,
        'SELECT count(), max(length(raw)) FROM table(raw)',
      )) as [[number, number]];
      t.is(messages === 500, sizes.startsWith('one') || format === 'ProtobufSingle', where);
      t.true(longest <= 2_000, where);
      await broker.send(topic, [{ value: 'k,s\nneither a number,nor any of these' }]);
      await t.throwsAsync(rowsOf(database, 'SELECT sum(k) FROM table(e)'), {
        message: new RegExp(`topic '${topic}', partition 0, offset ${messages}: `),
      });
    }
  }
});

test('keys and headers are written, and keys choose partitions as other clients have it', async (t) => {
  const { database, topic } = await external(
    t,
    'id int32, _tp_message_key nullable(string), _tp_message_headers map(string, string)',
    ", data_format='JSONEachRow'",
    5,
  );
  const names = ['', 'a', 'ab', 'abc', 'abcd', 'ключ', 'a longer key than the others'];
  await database.run(
    `INSERT INTO e VALUES ${names.map((name, id) => `(${id}, '${name}', {'n': '${name}', 'ö': 'ü'})`).join(', ')}`,
  );
  await database.run('INSERT INTO e (id, _tp_message_key) VALUES (7, NULL)');
  const read = await broker.messages(topic, 8);
  for (const [id, name] of names.entries()) {
    const message = read.find((each) => each.value === `{"id":${id}}`)!;
    t.is(message.key, name);
    t.deepEqual(message.headers, { n: name, ö: 'ü' });
    t.is(message.partition, partitionOf(name), name);
  }
  t.is(read.find((each) => each.value === '{"id":7}')!.key, null);
  t.deepEqual(
    await rowsOf(
      database,
      "SELECT id FROM table(e) WHERE _tp_message_key = 'abc' AND _tp_message_headers['n'] = 'abc'",
    ),
    [[3]],
  );
  const pair = await external(t, 'key string, value string');
  await pair.database.run("INSERT INTO e VALUES ('k', 'v')");
  await pair.database.run("INSERT INTO e (value, key) VALUES ('w', 'l')");
  const pairs = await broker.messages(pair.topic, 2);
  t.deepEqual(
    pairs.map(({ key, value }) => [key, value]),
    [
      ['k', 'v'],
      ['l', 'w'],
    ],
  );
});

test('many rows go out in messages and batches of bounded size, each once', async (t) => {
  const { database, topic } = await external(
    t,
    'k int32, s string',
    ", data_format='JSONEachRow', kafka_max_message_size=10000",
    3,
  );
  await database.run("INSERT INTO e SELECT number, repeat('x', 100) FROM numbers(60000)");
  t.deepEqual(await rowsOf(database, 'SELECT count(), uniq_exact(k), sum(k) FROM table(e)'), [
    [60_000, 60_000, (60_000 * 59_999) / 2],
  ]);
  await create(database, 'raw', 'raw string', topic);
  const [[longest, partitions]] = (await rowsOf(
    database,
    'SELECT max(length(raw)), uniq_exact(_tp_shard) FROM table(raw)',
  )) as [[number, number]];
  t.true(longest <= 10_000 && longest > 9_000, `${longest}`);
  t.is(partitions, 3);
  for (const compression of ['gzip', 'snappy', 'lz4', 'zstd']) {
    const packed = await external(
      t,
      'k int32',
      `, data_format='JSONEachRow', one_message_per_row=true, properties='compression.type=${compression}'`,
    );
    await packed.database.run('INSERT INTO e SELECT number FROM numbers(5000)');
    t.deepEqual(
      await rowsOf(packed.database, 'SELECT count(), sum(k) FROM table(e)'),
      [[5000, 12_497_500]],
      compression,
    );
    t.is((await values(packed.topic, 5000)).length, 5000);
  }
});

test('a row that no broker would take is an error', async (t) => {
  const { database, topic } = await external(t, 'raw string');
  await t.throwsAsync(database.run("INSERT INTO e SELECT repeat('x', 2000000)"), {
    message: /message.max.bytes/,
  });
  await create(database, 'larger', 'raw string', topic, ", properties='message.max.bytes=3000000'");
  await t.throwsAsync(database.run("INSERT INTO larger SELECT repeat('x', 2000000)"), {
    message: /Cannot write .*MESSAGE_TOO_LARGE/,
  });
  t.deepEqual(await rowsOf(database, 'SELECT count() FROM table(e)'), [[0]]);
});

test('an INSERT of a streaming SELECT copies a bounded amount of history', async (t) => {
  const { database, topic } = await external(t, 'raw string');
  await broker.send(
    topic,
    Array.from({ length: 10 }, (_, k) => ({ value: `{"k": ${k}}` })),
  );
  await database.run('CREATE STREAM s (k int32)');
  await database.run("INSERT INTO s SELECT raw:k::int32 FROM e LIMIT 5 SETTINGS seek_to='earliest'");
  t.deepEqual(await rowsOf(database, 'SELECT k FROM table(s) ORDER BY k'), [[0], [1], [2], [3], [4]]);
  const other = await broker.topic();
  await create(database, 'copy', 'raw string', other);
  await database.run('INSERT INTO copy SELECT raw FROM table(e)');
  t.is((await values(other, 10)).length, 10);
});

test('views run from topic to stream, from stream to topic and from topic to topic', async (t) => {
  const { database, topic } = await external(t, 'raw string');
  const [out, copy] = [await broker.topic(2), await broker.topic()];
  await create(database, 'out', 'k int32, name string', out, ", data_format='JSONEachRow'");
  await create(database, 'copy', 'raw string', copy);
  await database.run("CREATE STREAM s (k int32, name string DEFAULT 'none')");
  await broker.send(topic, [{ value: '{"k": -1}' }]);
  await database.run('CREATE MATERIALIZED VIEW fill INTO s AS SELECT raw:k::int32 AS k FROM e');
  await database.run('CREATE MATERIALIZED VIEW emit INTO out AS SELECT k * 10 AS k, name FROM s');
  await database.run(
    "CREATE MATERIALIZED VIEW again INTO copy AS SELECT upper(raw) AS raw FROM e SETTINGS seek_to='earliest'",
  );
  await broker.send(topic, [{ value: '{"k": 1}' }, { value: '{"k": 2}' }]);
  await until(
    'the stream is filled',
    async () => (await rowsOf(database, 'SELECT count() FROM table(s)'))[0]![0] === 2,
  );
  t.deepEqual(await rowsOf(database, 'SELECT k, name FROM table(s) ORDER BY k'), [
    [1, 'none'],
    [2, 'none'],
  ]);
  await until(
    'the topic is filled',
    async () => (await rowsOf(database, 'SELECT count() FROM table(out)'))[0]![0] === 2,
  );
  t.deepEqual(await rowsOf(database, 'SELECT k FROM table(out) ORDER BY k'), [[10], [20]]);
  await until(
    'the copy is there',
    async () => (await rowsOf(database, 'SELECT count() FROM table(copy)'))[0]![0] === 3,
  );
  t.deepEqual(await values(copy, 3), ['{"K": -1}', '{"K": 1}', '{"K": 2}']);
  t.deepEqual(
    await rowsOf(
      database,
      "SELECT name, state, last_error FROM system.tables WHERE engine = 'MaterializedView' ORDER BY name",
    ),
    [
      ['again', 'running', ''],
      ['emit', 'running', ''],
      ['fill', 'running', ''],
    ],
  );
  await t.throwsAsync(database.run('DROP STREAM out'), { message: /view default.emit writes into it/ });
});

test('a message that cannot be read stops a view, with an error, and nothing is lost', async (t) => {
  const { database, topic } = await external(t, 'k int32', ", data_format='JSONEachRow'");
  await database.run('CREATE STREAM s (k int32)');
  await database.run('CREATE STREAM lenient (k int32)');
  await database.run('CREATE MATERIALIZED VIEW v INTO s AS SELECT k FROM e');
  await database.run(
    'CREATE MATERIALIZED VIEW w INTO lenient AS SELECT k FROM e SETTINGS input_format_allow_errors_num = 10',
  );
  await broker.send(topic, [{ value: '{"k": 1}' }, { value: 'poison' }, { value: '{"k": 3}' }]);
  const state = async () =>
    (await rowsOf(database, "SELECT state, last_error FROM system.tables WHERE name = 'v'"))[0]!;
  await until('the view has failed', async () => (await state())[0] === 'failed');
  t.regex(String((await state())[1]), /partition 0, offset 1: Cannot read the input/);
  await until(
    'the lenient one went on',
    async () => (await rowsOf(database, 'SELECT count() FROM table(lenient)'))[0]![0] === 2,
  );
  t.deepEqual(await rowsOf(database, 'SELECT k FROM table(s)'), [[1]]);
  t.deepEqual(await rowsOf(database, 'SELECT k FROM table(lenient) ORDER BY k'), [[1], [3]]);
  await until('it is tried again', async () => (await state())[0] === 'failed');
  t.deepEqual(await rowsOf(database, 'SELECT k FROM table(s)'), [[1]]);
});
