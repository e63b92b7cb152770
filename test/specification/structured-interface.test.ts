import test from 'ava';
import { type Answer, startTest, type TestServer } from '../http/support.ts';

const json = { 'Content-Type': 'application/json' };
const devices = '{"name":"devices","columns":[{"name":"id","type":"int32"},{"name":"name","type":"string"}]}';

function parsed(answer: Answer): Record<string, unknown> {
  return JSON.parse(answer.text) as Record<string, unknown>;
}

const get = (server: TestServer, path: string) => server.send({ method: 'GET', path });

for (const [ddl, ingest] of [
  ['/svc/v1/ddl', '/svc/v1/ingest'],
  ['/svcd/v1/ddl', '/svc/v1/ingest'],
  ['/proton/v1/ddl', '/proton/v1/ingest'],
  ['/timeplusd/v1/ddl', '/timeplusd/v1/ingest'],
] as const) {
  test(`Under ${ddl}: POST creates a stream, GET lists and shows, POST ingests, DELETE drops`, async (t) => {
    const server = await startTest(t);
    const created = await server.send({ path: `${ddl}/streams`, headers: json, body: devices });
    t.is(created.status, 200, created.text);
    t.deepEqual(Object.keys(parsed(created)), ['request_id'], 'POST /ddl/streams creates the stream');
    t.is(await server.ok('SHOW STREAMS'), 'devices\n');

    const list = parsed(await get(server, `${ddl}/streams`));
    t.deepEqual(Object.keys(list), ['request_id', 'data']);
    const [record] = list['data'] as Record<string, unknown>[];
    for (const name of [
      'database',
      'name',
      'uuid',
      'engine',
      'mode',
      'create_query',
      'ttl',
      'order_by_expression',
      'partition_by_expression',
    ])
      t.is(typeof record?.[name], 'string', `GET /ddl/streams lists records with ${name}`);
    const details = parsed(await get(server, `${ddl}/streams/default/devices`));
    t.deepEqual(details['data'], record, 'GET /ddl/streams/<database>/<stream> gives the details of one');
    t.deepEqual((record!['columns'] as unknown[])[0], {
      name: 'id',
      type: 'int32',
      nullable: false,
      default: '',
      comment: '',
    });

    const row = await server.send({
      path: `${ingest}/streams/devices`,
      headers: json,
      body: '{"id":1,"name":"a"}',
    });
    t.is(row.status, 200, row.text);
    t.deepEqual(Object.keys(parsed(row)), ['request_id'], 'POST /ingest/streams/<stream> ingests the row');
    t.is(await server.ok('SELECT id, name FROM table(devices)'), '1\ta\n');

    const dropped = await server.send({ method: 'DELETE', path: `${ddl}/streams/default/devices` });
    t.is(dropped.status, 200);
    t.is(await server.ok('SHOW STREAMS'), '');
  });
}

test('Ingest takes one object, a list of objects, lines of objects, and columns with data', async (t) => {
  const server = await startTest(t);
  await server.send({ path: '/svc/v1/ddl/streams', headers: json, body: devices });
  for (const body of [
    '{"id":1,"name":"a"}',
    '[{"id":1,"name":"a"}]',
    '{"id":1,"name":"a"}\n',
    '{"columns":["name","id"],"data":[["a",1]]}',
  ]) {
    const answer = await server.send({ path: '/svc/v1/ingest/streams/devices', headers: json, body });
    t.is(answer.status, 200, `${body}: ${answer.text}`);
    t.is(await server.ok('SELECT id, name FROM table(devices)'), '1\ta\n', body);
    await server.ok('TRUNCATE STREAM devices');
  }
});

test('Errors answer request_id, code, error_msg and the same exception field', async (t) => {
  const server = await startTest(t);
  await server.send({ path: '/svc/v1/ddl/streams', headers: json, body: devices });
  const fails = async (path: string, body: string | undefined, status: number, code: number) => {
    const answer =
      body === undefined ? await get(server, path) : await server.send({ path, headers: json, body });
    t.is(answer.status, status, answer.text);
    const told = parsed(answer);
    t.deepEqual(Object.keys(told), ['request_id', 'code', 'error_msg', 'exception']);
    t.is(told['code'], code);
    t.is(told['exception'], `Code: ${code}. DB::Exception: ${String(told['error_msg'])}`);
  };
  await fails('/svc/v1/ddl/streams/default/nothing', undefined, 404, 60);
  await fails('/svc/v1/ddl/streams/nowhere/devices', undefined, 404, 81);
  await fails('/svc/v1/ddl/streams', devices, 400, 57);
  await fails('/svc/v1/ddl/streams', '{"name":"x","columns":[{"name":"a","type":"in32"}]}', 400, 50);
  await fails('/svc/v1/ddl/streams', '{"name":"x"}', 400, 36);
  await fails('/svc/v1/ingest/streams/nothing', '{"id":1}', 404, 60);
  await fails('/svc/v1/ingest/streams/devices', '{"id":null}', 400, 349);
  await fails('/svc/v1/ingest/streams/devices', '{"id":1,"more":2}', 400, 117);
});

test('Versioning: the structured interface carries v1 in its paths, other versions are not there', async (t) => {
  const server = await startTest(t);
  t.is((await get(server, '/svc/v1/ddl/streams')).status, 200);
  for (const path of ['/svc/v2/ddl/streams', '/svc/ddl/streams', '/ddl/streams'])
    t.is((await get(server, path)).status, 404, path);
});
