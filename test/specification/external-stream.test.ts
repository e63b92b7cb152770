import test, { type ExecutionContext } from 'ava';
import { errorOf, startTest, type TestServer, until } from '../http/support.ts';
import { TestBroker } from '../kafka/support.ts';

let broker: TestBroker;
test.before(async () => {
  broker = await TestBroker.start();
});
test.after.always(() => broker?.stop());

async function external(
  t: ExecutionContext,
  columns: string,
  settings = '',
): Promise<{ server: TestServer; topic: string }> {
  const server = await startTest(t);
  const topic = await broker.topic();
  const answer = await server.sql(
    `CREATE EXTERNAL STREAM e (${columns}) SETTINGS type='kafka', brokers='${broker.brokers}', topic='${topic}'${settings}`,
  );
  t.deepEqual(
    [answer.status, answer.text],
    [200, ''],
    'CREATE EXTERNAL STREAM <name> (<columns>) SETTINGS ...',
  );
  return { server, topic };
}

const json = ", data_format='JSONEachRow'";

test('Settings type, brokers, topic and data_format: messages are read as rows of the format', async (t) => {
  const { server, topic } = await external(t, 'id int32, name string', json);
  await broker.send(topic, [{ value: '{"id":1,"name":"a"}' }, { value: '{"id":2,"name":"b"}' }]);
  t.is(
    await server.ok('SELECT id, name FROM table(e)'),
    '1\ta\n2\tb\n',
    'table() reads what is there and completes',
  );
  const query = await server.open('SELECT id, name FROM e');
  // A query that runs asks the broker for the end of the topic first: what is sent before that answer is not new to it.
  await until('a message comes', async () => {
    await broker.send(topic, [{ value: '{"id":3,"name":"new"}' }]);
    return query.lines.length > 0;
  });
  t.deepEqual(
    await query.take(1),
    ['{"id":3,"name":"new"}'],
    'a plain SELECT gives what arrives after it started',
  );
  query.leave();
  for (const [text, missing] of [
    [`CREATE EXTERNAL STREAM x (a string) SETTINGS type='kafka', topic='t'`, /brokers/],
    [`CREATE EXTERNAL STREAM x (a string) SETTINGS type='kafka', brokers='${broker.brokers}'`, /topic/],
    [`CREATE EXTERNAL STREAM x (a string) SETTINGS brokers='b', topic='t'`, /type/],
    [`CREATE EXTERNAL STREAM x (a string) SETTINGS type='kafak', brokers='b', topic='t'`, /kafka/],
  ] as const) {
    const answer = await server.sql(text);
    t.is(answer.status, 400, text);
    t.regex(errorOf(t, answer).message, missing);
  }
});

test("Reading with SETTINGS seek_to='earliest' starts from the oldest available data", async (t) => {
  const { server, topic } = await external(t, 'id int32', json);
  await broker.send(topic, [{ value: '{"id":1}' }, { value: '{"id":2}' }]);
  t.is(
    await server.ok("SELECT id FROM e LIMIT 2 SETTINGS seek_to='earliest'", { max_execution_time: '20' }),
    '1\n2\n',
  );
});

for (const place of ['stream', 'insert', 'insert end', 'url'] as const) {
  test(`one_message_per_row=true: each row becomes its own message, as a setting of the ${place}`, async (t) => {
    const own = 'one_message_per_row=true';
    const { server, topic } = await external(t, 'id int32', place === 'stream' ? `${json}, ${own}` : json);
    const text = {
      stream: 'INSERT INTO e FORMAT JSONEachRow\n{"id":1}\n{"id":2}',
      insert: `INSERT INTO e SETTINGS ${own} FORMAT JSONEachRow\n{"id":1}\n{"id":2}`,
      'insert end': `INSERT INTO e SELECT number + 1 FROM numbers(2) SETTINGS ${own}`,
      url: 'INSERT INTO e VALUES (1), (2)',
    }[place];
    await server.ok(text, place === 'url' ? { one_message_per_row: 'true' } : {});
    const values = (await broker.messages(topic, 2)).map((message) => message.value);
    t.deepEqual(values, ['{"id":1}', '{"id":2}']);
  });
}

test('A single string column such as raw allows raw:<field> and ::<type>', async (t) => {
  const { server, topic } = await external(t, 'raw string');
  await broker.send(topic, [{ value: '{"id":7,"user":{"name":"Ann"}}' }]);
  t.is(await server.ok('SELECT raw:id::int32 + 1, raw:user.name FROM table(e)'), '8\tAnn\n');
});

test('A two-column external stream (key, value, both string) is written by inserting rows with those columns', async (t) => {
  const { server } = await external(t, 'key string, value string', json);
  await server.ok("INSERT INTO e (key, value) VALUES ('k1', 'v1'), ('k2', 'v2')");
  t.is(await server.ok('SELECT key, value FROM table(e)'), 'k1\tv1\nk2\tv2\n');
});

test('Data flows into a stream without an INSERT when a materialized view reads the external stream', async (t) => {
  const { server, topic } = await external(t, 'raw string');
  await server.ok('CREATE STREAM s (id int32)');
  await server.ok('CREATE MATERIALIZED VIEW v INTO s AS SELECT raw:id::int32 AS id FROM e');
  await broker.send(topic, [{ value: '{"id":1}' }, { value: '{"id":2}' }]);
  await until(
    'the view has written',
    async () => (await server.ok('SELECT count() FROM table(s)')) === '2\n',
  );
  t.is(await server.ok('SELECT id FROM table(s) ORDER BY id'), '1\n2\n');
});

test('The target of a materialized view can be an external stream', async (t) => {
  const { server, topic } = await external(t, 'id int32', `${json}, one_message_per_row=true`);
  await server.ok('CREATE STREAM s (id int32)');
  await server.ok('CREATE MATERIALIZED VIEW v INTO e AS SELECT id * 10 AS id FROM s');
  await server.ok('INSERT INTO s VALUES (1), (2)');
  t.deepEqual(
    (await broker.messages(topic, 2)).map((message) => message.value),
    ['{"id":10}', '{"id":20}'],
  );
});

test("Insert rule 4: INSERT ... SELECT from an external stream with seek_to='earliest' and LIMIT copies bounded history", async (t) => {
  const { server, topic } = await external(t, 'id int32', json);
  await broker.send(topic, [{ value: '{"id":1}' }, { value: '{"id":2}' }, { value: '{"id":3}' }]);
  await server.ok('CREATE STREAM s (id int32)');
  await server.ok("INSERT INTO s SELECT id FROM e LIMIT 2 SETTINGS seek_to='earliest'", {
    max_execution_time: '20',
  });
  t.is(await server.ok('SELECT id FROM table(s)'), '1\n2\n');
});
