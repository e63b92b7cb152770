import { readFileSync, statSync } from 'node:fs';
import http from 'node:http';
import https from 'node:https';
import net from 'node:net';
import test from 'ava';
import { makeCertificate } from '../../src/server/certificate.ts';
import { send, startTest, temporaryDirectory } from './support.ts';

/** Sends bytes and gives everything that comes back until the other side hangs up. */
function talk(port: number, bytes: string | Buffer): Promise<string> {
  return new Promise((done, failed) => {
    const socket = net.connect(port, '127.0.0.1');
    let text = '';
    socket.on('data', (chunk) => {
      text += chunk.toString();
    });
    socket.on('error', failed);
    socket.on('close', () => done(text));
    socket.write(bytes);
  });
}

test('the native port speaks HTTP to those who begin with it', async (t) => {
  const server = await startTest(t, { flags: ['--http-query-mode', 'table'] });
  const port = server.server.ports.native ?? 0;
  t.is((await send(port, { body: 'SELECT 1' })).text, '1\n');
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
  t.teardown(() => agent.destroy());
  await server.ok('CREATE STREAM s (a int32)');
  const rows = Buffer.from(Array.from({ length: 300_000 }, (_, row) => `${row}\n`).join(''));
  for (let time = 0; time < 3; time++)
    t.is((await send(port, { path: '/?query=INSERT+INTO+s+FORMAT+CSV', body: rows, agent })).status, 200);
  t.is((await send(port, { body: 'SELECT count() FROM table(s)', agent })).text, '900000\n');
  t.is((await send(server.port, { body: 'SELECT count() FROM s' })).text, '900000\n');
  // On this port a plain stream goes on, and its rows of before are not shown.
  t.is(
    (await send(port, { body: "SELECT a FROM s LIMIT 2 SETTINGS seek_to = 'earliest'", agent })).text,
    '0\n1\n',
  );
});

test('anything else than HTTP is refused in words', async (t) => {
  const server = await startTest(t);
  const port = server.server.ports.native ?? 0;
  const hello = Buffer.from([0, 6, ...Buffer.from('client'), 1, 1]);
  for (const bytes of [hello, Buffer.from([22, 3, 1]), Buffer.from('get / HTTP/1.1\r\n')])
    t.regex(await talk(port, bytes), /^Code: 1\. DB::Exception: .*HTTP/);
  t.is((await send(port, { method: 'GET', path: '/ping' })).text, 'Ok.\n');
});

test('a malformed request is answered with an error and hung up on', async (t) => {
  const server = await startTest(t);
  for (const bytes of ['NONSENSE\r\n\r\n', 'GET / HTTP/9.9\r\n\r\n', Buffer.from([0, 1, 2])]) {
    const answer = await talk(server.port, bytes);
    t.regex(answer, /^HTTP\/1\.1 400 Bad Request\r\n/);
    t.regex(answer, /\r\n\r\n\{"exception":"Code: 36\. DB::Exception: The HTTP request cannot be read/);
  }
  t.is((await server.sql('SELECT 1')).text, '1\n');
});

test('closed doors stay closed', async (t) => {
  const server = await startTest(t, { flags: ['--native-port', 'off'] });
  t.deepEqual(Object.keys(server.server.ports), ['http']);
});

test('a certificate that the command makes opens HTTPS, and what is none is told of', async (t) => {
  const directory = await temporaryDirectory(t);
  const { cert, key } = await makeCertificate(['--out-dir', directory, '--host', 'localhost,127.0.0.1']);
  t.is(statSync(key).mode & 0o777, 0o600);
  await t.throwsAsync(makeCertificate(['--out-dir', directory]), { message: /exists already/ });
  await t.throwsAsync(makeCertificate(['--days', 'x']), { message: /--days must be/ });
  const tls = ['--https-port', '0', '--tls-cert', cert, '--tls-key', key];
  const server = await startTest(t, { flags: tls, directory });
  const ca = readFileSync(cert);
  const answer = await new Promise<string>((done, failed) => {
    const options = { host: 'localhost', port: server.server.ports.https, path: '/ping', ca, agent: false };
    https
      .get(options, (response) => response.on('data', (chunk: Buffer) => done(chunk.toString())))
      .on('error', failed);
  });
  t.is(answer, 'Ok.\n');
  const swapped = ['--https-port', '0', '--tls-cert', key, '--tls-key', cert];
  await t.throwsAsync(startTest(t, { flags: swapped }), { message: /no certificate and key/ });
  const missing = ['--https-port', '0', '--tls-cert', '/nowhere.pem', '--tls-key', key];
  await t.throwsAsync(startTest(t, { flags: missing }), { message: /--tls-cert cannot be read/ });
});
