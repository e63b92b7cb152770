import test from 'ava';
import { startTest, type TestServer, url } from '../http/support.ts';

const rows = '1\tone\n2\ttwo\n';

async function stored(server: TestServer): Promise<string> {
  const found = await server.ok('SELECT id, name FROM table(s) ORDER BY id');
  await server.ok('TRUNCATE STREAM s');
  return found;
}

async function withStream(t: Parameters<typeof startTest>[0]): Promise<TestServer> {
  const server = await startTest(t);
  await server.ok('CREATE STREAM s (id int32, name string)');
  return server;
}

for (const [format, data] of [
  ['JSONEachRow', '{"id":1,"name":"one"}\n{"name":"two","id":2}\n'],
  ['CSV', '1,"one"\n2,two\n'],
  ['TabSeparated', '1\tone\n2\ttwo\n'],
  ['Values', "(1, 'one'), (2, lower('TWO'))"],
] as const) {
  test(`Input format ${format}: inline, in the body under a statement in the URL, and with Windows line ends`, async (t) => {
    const server = await withStream(t);
    await server.ok(`INSERT INTO s FORMAT ${format}\n${data}`);
    t.is(await stored(server), rows, 'inline');
    await server.ok(data, { query: `INSERT INTO s FORMAT ${format}` });
    t.is(await stored(server), rows, 'in the body');
    await server.ok(`INSERT INTO s FORMAT ${format}\r\n${data.replaceAll('\n', '\r\n')}`);
    t.is(await stored(server), rows, 'with \\r\\n');
    await server.ok(`\ufeff${data}`, { query: `INSERT INTO s FORMAT ${format}` });
    t.is(await stored(server), rows, 'after a byte order mark');
  });
}

test('Input format RawBLOB: raw text, each line stored into the single target column', async (t) => {
  const server = await startTest(t);
  await server.ok('CREATE STREAM s (raw string)');
  const lines = ['{"a":1}', "it's, \t odd", 'last'];
  await server.ok(`INSERT INTO s FORMAT RawBLOB\n${lines.join('\n')}\n`);
  t.is(await server.ok('SELECT raw FROM table(s) FORMAT TSVRaw'), `${lines.join('\n')}\n`);
  await server.ok('CREATE STREAM two (a string, b string)');
  const refused = await server.sql('INSERT INTO two FORMAT RawBLOB\nx');
  t.is(refused.status, 400);
  t.regex(refused.text, /RawBLOB fills one column/);
});

test('Input format Avro: what the output format Avro wrote is read again', async (t) => {
  const server = await withStream(t);
  const file = await server.sql(
    "SELECT to_int32(number) AS id, if(number = 1, 'one', 'two') AS name FROM numbers(1, 2) FORMAT Avro",
  );
  t.is(file.status, 200);
  t.is(file.body.subarray(0, 3).toString(), 'Obj', 'an Avro container file');
  const sent = await server.send({ path: url({ query: 'INSERT INTO s FORMAT Avro' }), body: file.body });
  t.is(sent.status, 200, sent.text);
  t.is(await stored(server), rows);
});

test('Input format Protobuf: messages of a schema', async (t) => {
  const server = await withStream(t);
  await server.ok(
    `CREATE FORMAT SCHEMA item AS 'syntax = "proto3"; message Item { int32 id = 1; string name = 2; }' TYPE Protobuf`,
  );
  // Each message after its length: field 1 as a varint, field 2 as bytes.
  const message = (id: number, name: string) =>
    Buffer.concat([Buffer.from([4 + name.length, 0x08, id, 0x12, name.length]), Buffer.from(name)]);
  const body = Buffer.concat([message(1, 'one'), message(2, 'two')]);
  const ways: Record<string, string>[] = [
    { query: 'INSERT INTO s FORMAT Protobuf', format_schema: 'item:Item' },
    { query: "INSERT INTO s SETTINGS format_schema = 'item:Item' FORMAT Protobuf" },
    { query: "INSERT INTO s FORMAT Protobuf SETTINGS format_schema = 'item:Item'" },
  ];
  for (const parameters of ways) {
    const answer = await server.send({ path: url(parameters), body });
    t.is(answer.status, 200, answer.text);
    t.is(await stored(server), rows, parameters['query']);
  }
});
