import zlib from 'node:zlib';
import test from 'ava';
import { type Answer, startTest } from './support.ts';

function json(answer: Answer): Record<string, unknown> {
  return JSON.parse(answer.text) as Record<string, unknown>;
}

const prefixes = ['/svc/v1', '/svcd/v1', '/proton/v1', '/timeplusd/v1'];

test('streams are created, listed, described, filled and dropped under every prefix', async (t) => {
  const server = await startTest(t);
  for (const [index, prefix] of prefixes.entries()) {
    const name = `s${index}`;
    const created = await server.send({
      path: `${prefix}/ddl/streams`,
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({
        name,
        columns: [
          { name: 'id', type: 'int64' },
          { name: 'from', type: 'string', default: "upper('x')", comment: "it's" },
          { name: 'note', type: 'string', nullable: true },
        ],
      }),
    });
    t.is(created.status, 200, created.text);
    t.deepEqual(Object.keys(json(created)), ['request_id']);

    const list = await server.send({ method: 'GET', path: `${prefix}/ddl/streams` });
    t.is(list.status, 200);
    t.is(list.headers['content-type']?.split(';')[0], 'application/json');
    t.is((json(list)['data'] as unknown[]).length, 1);

    const details = await server.send({ method: 'GET', path: `${prefix}/ddl/streams/default/${name}` });
    const record = json(details)['data'] as Record<string, unknown>;
    t.deepEqual(Object.keys(record), [
      'database',
      'name',
      'uuid',
      'engine',
      'mode',
      'create_query',
      'ttl',
      'order_by_expression',
      'partition_by_expression',
      'columns',
    ]);
    t.is(record['database'], 'default');
    t.is(record['name'], name);
    t.deepEqual((record['columns'] as unknown[]).slice(0, 3), [
      { name: 'id', type: 'int64', nullable: false, default: '', comment: '' },
      { name: 'from', type: 'string', nullable: false, default: "upper('x')", comment: "it's" },
      { name: 'note', type: 'nullable(string)', nullable: true, default: '', comment: '' },
    ]);
    const ingested = await server.send({
      path: `${prefix}/ingest/streams/${name}`,
      headers: { 'X-Svc-Query-Id': 'mine' },
      body: '{"id": 1}',
    });
    t.is(ingested.status, 200, ingested.text);
    t.deepEqual(json(ingested), { request_id: 'mine' });
    t.is(await server.ok(`SELECT id, \`from\`, note IS NULL FROM table(${name})`), '1\tX\ttrue\n');
    const dropped = await server.send({ method: 'DELETE', path: `${prefix}/ddl/streams/default/${name}` });
    t.is(dropped.status, 200, dropped.text);
    const gone = await server.send({ method: 'GET', path: `${prefix}/ddl/streams/default/${name}` });
    t.is(gone.status, 404);
  }
});

test('rows are taken as one object, as a list, as lines and as columns with data', async (t) => {
  const server = await startTest(t);
  await server.ok("CREATE STREAM s (id int64, name string DEFAULT 'none')");
  const ingest = async (body: string | Buffer, headers: Record<string, string> = {}, query = '') => {
    const answer = await server.send({ path: `/svc/v1/ingest/streams/s${query}`, headers, body });
    t.is(answer.status, 200, answer.text);
    t.deepEqual(Object.keys(json(answer)), ['request_id']);
  };
  await ingest('{"id": 1, "name": "a"}');
  await ingest('  [{"id": 2}, {"name": "c", "id": 3}]');
  await ingest('{"id": 4}\n{"id": 5, "name": "e"}\n');
  await ingest('{"columns": ["name", "id"], "data": [["f", 6], ["g", 9223372036854775807]]}');
  await ingest('{"data": [["h", 8]], "columns": ["name", "id"]}');
  await ingest('{"columns": ["id"], "data": []}');
  await ingest(zlib.gzipSync('{"id": 9}'), { 'Content-Encoding': 'gzip', 'Content-Type': 'text/plain' });
  await ingest('{"id": 10, "extra": 1}', {}, '?input_format_skip_unknown_fields=1');
  await ingest('{"id": 11}', { 'Idempotency-Key': 'k' });
  await ingest('{"id": 11}', { 'Idempotency-Key': 'k' });
  t.is(
    await server.ok('SELECT id, name FROM table(s) ORDER BY id'),
    '1\ta\n2\tnone\n3\tc\n4\tnone\n5\te\n6\tf\n8\th\n9\tnone\n10\tnone\n11\tnone\n9223372036854775807\tg\n',
  );
});

test('columns named columns and data are rows like any other when they are no lists', async (t) => {
  const server = await startTest(t);
  await server.ok('CREATE STREAM odd (columns array(string), data string)');
  const answer = await server.send({
    path: '/svc/v1/ingest/streams/odd',
    body: '{"columns": ["x"], "data": "y"}',
  });
  t.is(answer.status, 200, answer.text);
  t.is(await server.ok('SELECT data FROM table(odd)'), 'y\n');
});

test('names in paths are decoded, and databases can be named', async (t) => {
  const server = await startTest(t);
  await server.ok('CREATE DATABASE `my db`');
  const name = 'ströme/1 `x`';
  const created = await server.send({
    path: '/svc/v1/ddl/streams/my%20db',
    body: JSON.stringify({ name, columns: [{ name: 'a b', type: 'int32' }] }),
  });
  t.is(created.status, 200, created.text);
  const path = `my%20db/${encodeURIComponent(name)}`;
  const details = await server.send({ method: 'GET', path: `/svc/v1/ddl/streams/${path}` });
  t.is((json(details)['data'] as Record<string, unknown>)['name'], name, details.text);
  const ingested = await server.send({ path: `/svc/v1/ingest/streams/${path}`, body: '{"a b": 5}' });
  t.is(ingested.status, 200, ingested.text);
  const byHeader = await server.send({
    path: `/svc/v1/ingest/streams/${encodeURIComponent(name)}`,
    headers: { 'X-Svc-Database': 'my db' },
    body: '{"columns":["a b"],"data":[[6]]}',
  });
  t.is(byHeader.status, 200, byHeader.text);
  t.is(await server.ok('SELECT `a b` FROM table(`my db`.`ströme/1 \\`x\\``)'), '5\n6\n');
  const list = (query: string) => server.send({ method: 'GET', path: `/svc/v1/ddl/streams${query}` });
  t.is((json(await list('?database=my%20db'))['data'] as unknown[]).length, 1);
  t.is((json(await list('?database=default'))['data'] as unknown[]).length, 0);
  t.is((json(await list(''))['data'] as unknown[]).length, 1);
  t.is((await list('?database=nowhere')).status, 404);
  t.is((await server.send({ method: 'DELETE', path: `/svc/v1/ddl/streams/${path}` })).status, 200);
});

test('errors have the code, the message and the id of the request', async (t) => {
  const server = await startTest(t);
  await server.ok('CREATE STREAM s (id int64)');
  const fails = async (
    method: string,
    path: string,
    body: string | undefined,
    status: number,
    code: number,
  ): Promise<void> => {
    const answer = await server.send({
      method,
      path: `/svc/v1${path}`,
      headers: { 'X-Svc-Query-Id': 'r' },
      body,
    });
    const what = `${method} ${path} ${body}: ${answer.text}`;
    t.is(answer.status, status, what);
    const shape = json(answer);
    t.deepEqual(Object.keys(shape), ['request_id', 'code', 'error_msg', 'exception']);
    t.is(shape['request_id'], 'r');
    t.is(shape['code'], code, what);
    t.is(shape['exception'], `Code: ${code}. DB::Exception: ${String(shape['error_msg'])}`);
    t.is(answer.headers['x-svc-exception-code'], String(code));
  };
  const streams = '/ddl/streams';
  const column = { name: 'a', type: 'int32' };
  const create = (body: unknown) => JSON.stringify(body);
  await fails('GET', `${streams}/default/none`, undefined, 404, 60);
  await fails('GET', `${streams}/nowhere/s`, undefined, 404, 81);
  await fails('DELETE', `${streams}/default/none`, undefined, 404, 60);
  await fails('GET', `${streams}/default/%zz`, undefined, 404, 60);
  await fails('POST', streams, '{', 400, 117);
  await fails('POST', streams, '[]', 400, 36);
  await fails('POST', streams, 'null', 400, 36);
  await fails('POST', streams, create({ columns: [column] }), 400, 36);
  await fails('POST', streams, create({ name: 'x' }), 400, 36);
  await fails('POST', streams, create({ name: 'x', columns: [] }), 400, 36);
  await fails('POST', streams, create({ name: 'x', columns: [{ name: 'a' }] }), 400, 36);
  await fails('POST', streams, create({ name: 'x', columns: [{ name: 'a', type: 'int33' }] }), 400, 50);
  await fails('POST', streams, create({ name: 'x', columns: [{ name: 'a', type: 'int32) x' }] }), 400, 50);
  await fails(
    'POST',
    streams,
    create({ name: 'x', columns: [{ ...column, default: '1, b int32' }] }),
    400,
    62,
  );
  await fails('POST', streams, create({ name: 'x', columns: [column, column] }), 400, 15);
  await fails('POST', streams, create({ name: 's', columns: [column] }), 400, 57);
  await fails('POST', `${streams}/nowhere`, create({ name: 'x', columns: [column] }), 404, 81);
  await fails('POST', '/ingest/streams/none', '{"id":1}', 404, 60);
  await fails('POST', '/ingest/streams/s', '', 400, 108);
  await fails('POST', '/ingest/streams/s', '{"id":"x"}', 400, 27);
  await fails('POST', '/ingest/streams/s', '{"id":1', 400, 33);
  await fails('POST', '/ingest/streams/s', '{"id":null}', 400, 349);
  await fails('POST', '/ingest/streams/s', '{"unknown":1}', 400, 117);
  await fails('POST', '/ingest/streams/s', '{"columns":["id"],"data":[[1,2]]}', 400, 117);
  await fails('POST', '/ingest/streams/s', '{"columns":["none"],"data":[[1]]}', 400, 16);
  await fails('PATCH', streams, '{}', 400, 1);
  await fails('GET', '/nothing/here', undefined, 404, 1);
  t.is(await server.ok('SELECT count() FROM table(s)'), '0\n');
});
