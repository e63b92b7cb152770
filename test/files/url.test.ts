import http from 'node:http';
import type { AddressInfo } from 'node:net';
import test, { type ExecutionContext } from 'ava';
import { errorOf, startTest, until } from '../http/support.ts';

type Handler = (request: http.IncomingMessage, response: http.ServerResponse) => void;

/** A server that answers as the test wants, and ours beside it. */
async function start(t: ExecutionContext, routes: Record<string, Handler>) {
  const seen: {
    method: string;
    path: string;
    body: string;
    complete: boolean;
    headers: http.IncomingHttpHeaders;
  }[] = [];
  const other = http.createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => {
      body += chunk.toString();
    });
    const note = () =>
      seen.push({
        method: request.method!,
        path: request.url!,
        body,
        complete: request.complete,
        headers: request.headers,
      });
    request.on('close', note);
    const handler = routes[request.url!.split('?')[0]!];
    if (handler === undefined) response.writeHead(404).end('nothing here');
    else handler(request, response);
  });
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  t.teardown(() => {
    other.closeAllConnections();
    other.close();
  });
  const server = await startTest(t);
  const base = `http://127.0.0.1:${(other.address() as AddressInfo).port}`;
  const failure = async (sql: string, parameters = {}) => errorOf(t, await server.sql(sql, parameters));
  return Object.assign(server, { base, seen, failure });
}

test('what a server answers with is read, over redirects, with credentials', async (t) => {
  const server = await start(t, {
    '/a.csv': (_, response) => response.end('1,x\n2,y\n'),
    '/b.csv': (_, response) => response.end('3,z\n'),
    '/to': (_, response) => response.writeHead(302, { location: '/a.csv' }).end(),
    '/round': (_, response) => response.writeHead(307, { location: '/round' }).end(),
    '/odd': (_, response) => response.writeHead(302, { location: 'file:///etc/passwd' }).end(),
    '/me': (request, response) => response.end(request.headers.authorization ?? 'none'),
  });
  const { base } = server;
  t.is(await server.ok(`SELECT * FROM url('${base}/a.csv', CSV, 'n int32, s string')`), '1\tx\n2\ty\n');
  t.is(await server.ok(`SELECT sum(n) FROM url('${base}/{a,b}.csv', auto, 'n int32, s string')`), '6\n');
  t.is(await server.ok(`SELECT count() FROM url('${base}/to', CSV, 'n int32, s string')`), '2\n');
  t.is(
    await server.ok(`SELECT line FROM url('${base.replace('//', '//ann:pw@')}/me', LineAsString)`),
    `Basic ${Buffer.from('ann:pw').toString('base64')}\n`,
  );
  t.regex(
    (await server.failure(`SELECT * FROM url('${base}/round', LineAsString)`)).message,
    /redirected more than 5 times/,
  );
  t.is((await server.failure(`SELECT * FROM url('${base}/odd', LineAsString)`)).code, 36);
});

test('a failure says status and the beginning of the body', async (t) => {
  const server = await start(t, {
    '/500': (_, response) => response.writeHead(500).end(`broken ${'x'.repeat(10_000)}`),
    '/cut': (_, response) => {
      response.writeHead(200, { 'content-length': '1000' });
      response.write('1\n2\n', () => response.destroy());
    },
    '/bad': (_, response) => response.end('1\nx\n'),
  });
  const { base } = server;
  const failed = await server.failure(`SELECT * FROM url('${base}/500?token=secret', CSV, 'n int32')`);
  t.is(failed.code, 86);
  t.regex(failed.message, /status 500 Internal Server Error: broken x+/);
  t.true(failed.message.length < 1000);
  t.notRegex(failed.message, /secret/);
  t.is((await server.failure(`SELECT * FROM url('${base}/none', CSV, 'n int32')`)).code, 86);
  t.is((await server.failure(`SELECT * FROM url('${base}/cut', CSV, 'n int32')`)).code, 210);
  t.is((await server.failure(`SELECT * FROM url('${base}/bad', CSV, 'n int32')`)).code, 27);
  t.is((await server.failure("SELECT * FROM url('http://127.0.0.1:1/', CSV, 'n int32')")).code, 210);
  t.is((await server.failure("SELECT * FROM url('ftp://127.0.0.1/', CSV, 'n int32')")).code, 36);
});

test('rows are posted, and a failed INSERT is seen as one', async (t) => {
  const server = await start(t, {
    '/in': (request, response) => request.on('end', () => response.end('thanks')).resume(),
    '/no': (request, response) => request.on('end', () => response.writeHead(409).end('not now')).resume(),
  });
  const { base, seen } = server;
  await server.ok(`INSERT INTO FUNCTION url('${base}/in', JSONEachRow) SELECT number AS n FROM numbers(3)`);
  t.like(seen.at(-1), { method: 'POST', path: '/in', body: '{"n":0}\n{"n":1}\n{"n":2}\n', complete: true });
  const refused = await server.failure(`INSERT INTO FUNCTION url('${base}/no', CSV) SELECT 1 AS n`);
  t.is(refused.code, 86);
  t.regex(refused.message, /status 409 Conflict: not now/);
  // So much that the request has long begun when the error comes.
  const before = seen.length;
  const failed = await server.failure(
    `INSERT INTO FUNCTION url('${base}/in', CSV) SELECT number + throw_if(number = 2999999) AS n FROM numbers(3000000)`,
  );
  t.is(failed.code, 395);
  await until('the request ends', () => seen.length > before);
  t.false(seen.at(-1)!.complete, 'the other side sees that the body was cut');
});

test('a server that says nothing does not hold a query past its time, nor past its client', async (t) => {
  const server = await start(t, { '/quiet': () => {} });
  const slow = await server.failure(`SELECT * FROM url('${server.base}/quiet', LineAsString, 'l string')`, {
    max_execution_time: '0.3',
  });
  t.is(slow.code, 159);
  const finding = await server.failure(`SELECT * FROM url('${server.base}/quiet', JSONEachRow)`, {
    max_execution_time: '0.3',
  });
  t.is(finding.code, 159);
  const writing = await server.failure(
    `INSERT INTO FUNCTION url('${server.base}/quiet', CSV) SELECT 1 AS n`,
    { max_execution_time: '0.3' },
  );
  t.is(writing.code, 159);
  await server.idle();
});
