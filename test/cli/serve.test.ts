import { mkdir, writeFile } from 'node:fs/promises';
import http from 'node:http';
import net from 'node:net';
import { join } from 'node:path';
import test from 'ava';
import { readUsersFile } from '../../src/access/index.ts';
import { Database } from '../../src/index.ts';
import { CommandProcess, send, startCommand, temporaryDirectory, until, url } from '../http/support.ts';

test('serve opens its doors and serves', async (t) => {
  const directory = await temporaryDirectory(t);
  const { process: server, client } = await startCommand(t, directory);
  t.is((await client.send({ method: 'GET', path: '/ping' })).text, 'Ok.\n');
  t.is(await client.ok('SELECT 1'), '1\n');
  const { native } = await server.ready();
  t.is((await send(native, { body: 'SELECT 2' })).text, '2\n');
});

test('SIGTERM lets a running insert finish, ends streams and exits with 0', async (t) => {
  const directory = await temporaryDirectory(t);
  const { process: server, client } = await startCommand(t, directory);
  await client.ok('CREATE STREAM s (a int32)');
  const stream = await client.open('SELECT a FROM s');
  const silent = await client.open('SELECT count() FROM s');
  await client.ok('INSERT INTO s VALUES (1)');
  await stream.take(1);

  const agent = new http.Agent({ keepAlive: true });
  t.teardown(() => agent.destroy());
  const path = url({ query: 'INSERT INTO s FORMAT JSONEachRow', query_id: 'slow' });
  const answer = Promise.withResolvers<http.IncomingMessage>();
  const request = http.request({ port: client.port, method: 'POST', path, agent }, answer.resolve);
  request.on('error', answer.reject);
  request.write('{"a":2}\n');
  await until('the insert runs', () => client.runs('slow'));
  server.child.kill('SIGTERM');
  await until('the stop is told', () => server.output.includes('SIGTERM'));
  await stream.finished();
  t.regex(stream.lines.at(-1) ?? '', /"Code: 394\. /);
  await silent.finished();
  t.is(silent.response?.statusCode, 400);
  await t.throwsAsync(client.sql('SELECT 1'), { code: 'ECONNREFUSED' });
  t.is(server.exitCode, null, 'the insert is waited for');
  request.end('{"a":3}\n');
  const response = await answer.promise;
  response.resume();
  t.is(response.statusCode, 200);
  t.is(await server.exited, 0);

  const again = await startCommand(t, directory);
  t.is(await again.client.ok('SELECT a FROM table(s) ORDER BY a'), '1\n2\n3\n');
  again.process.child.kill('SIGINT');
  t.is(await again.process.exited, 0);
});

test('what was acknowledged is there after SIGKILL', async (t) => {
  const directory = await temporaryDirectory(t);
  const first = await startCommand(t, directory);
  await first.client.ok('CREATE STREAM s (a int32)');
  await first.client.ok('INSERT INTO s VALUES (1), (2)');
  first.process.child.kill('SIGKILL');
  await first.process.exited;
  const second = await startCommand(t, directory);
  t.is(await second.client.ok('SELECT a FROM table(s)'), '1\n2\n');
});

async function fails(
  t: Parameters<typeof temporaryDirectory>[0],
  args: readonly string[],
  message: RegExp,
  environment: Record<string, string> = {},
): Promise<void> {
  const server = new CommandProcess(t, args, environment);
  t.is(await server.exited, 1, args.join(' '));
  t.regex(server.output, message);
  t.notRegex(server.output, /\n\s+at /, 'no stack trace');
}

test('a taken port and a taken directory are clear errors', async (t) => {
  const directory = await temporaryDirectory(t);
  const holder = net.createServer();
  const port = await new Promise<number>((done) => {
    holder.listen(0, '127.0.0.1', () => done((holder.address() as net.AddressInfo).port));
  });
  t.teardown(() => new Promise<void>((done) => holder.close(() => done())));
  const data = join(directory, 'data');
  const taken = new RegExp(`Cannot listen on 127\\.0\\.0\\.1:${port}: it is taken`);
  await fails(t, ['serve', '--http-port', String(port), '--native-port', 'off', '--data-dir', data], taken);
  await fails(t, ['serve', '--http-port', '0', '--native-port', String(port), '--data-dir', data], taken);
  await startCommand(t, directory);
  await fails(
    t,
    ['serve', '--http-port', '0', '--native-port', '0', '--data-dir', data],
    /another process|in use|locked/,
  );
});

test('wrong commands and flags end with 1 and a line of text', async (t) => {
  await fails(
    t,
    ['serve', '--http-prot', '1'],
    /^sluice: Unknown flag --http-prot\. Maybe you meant 'http-port'\n$/,
  );
  await fails(t, ['serv'], /Unknown command 'serv'\. Maybe you meant 'serve'/);
  await fails(t, ['serve', '--users-file', '/nowhere.json'], /users file .* cannot be read/);
});

test('flags go before the environment, that before the configuration file', async (t) => {
  const directory = await temporaryDirectory(t);
  const config = join(directory, 'sluice.json');
  await mkdir(join(directory, 'from-config'));
  const value = {
    'http-port': 'x',
    'native-port': 'off',
    data_dir: join(directory, 'from-config'),
    threads: 1,
  };
  await writeFile(config, JSON.stringify(value));
  const server = new CommandProcess(t, ['serve', '--http-port', '0'], {
    SLUICE_CONFIG: config,
    SLUICE_HTTP_PORT: 'y',
    SLUICE_HTTP_QUERY_MODE: 'table',
  });
  const { http: port, native } = await server.ready();
  t.is(native, 0, 'the door stays closed');
  t.regex(server.output, /data in .*from-config/);
  await send(port, { body: 'CREATE STREAM s (a int32)' });
  t.is((await send(port, { body: 'SELECT count() FROM s' })).text, '0\n');
});

test('hash-password prints what a users file takes', async (t) => {
  const hashing = new CommandProcess(t, ['hash-password'], {}, 'secret\n');
  t.is(await hashing.exited, 0);
  const hash = hashing.output.trim();
  const directory = await temporaryDirectory(t);
  const file = join(directory, 'users.json');
  await writeFile(file, JSON.stringify({ users: [{ name: 'u', password_hash: hash }] }));
  const database = await Database.open({
    dataDir: join(directory, 'data'),
    users: await readUsersFile(file),
  });
  const { users } = database.engine;
  t.is((await users.authenticate('u', 'secret')).name, 'u');
  await t.throwsAsync(users.authenticate('u', 'secret\n'), { message: /Authentication failed/ });
  await t.throwsAsync(users.authenticate('u', ''), { message: /Authentication failed/ });
  await database.close();
});

test('a server that others can reach warns of a user without a password, until there is one', async (t) => {
  const directory = await temporaryDirectory(t);
  const flags = ['--host', '0.0.0.0'];
  const open = await startCommand(t, directory, flags);
  t.regex(open.process.output, /warning: everybody who reaches 0\.0\.0\.0 may do everything/);
  await open.client.ok("ALTER USER default IDENTIFIED BY 'x'");
  open.process.child.kill('SIGTERM');
  t.is(await open.process.exited, 0);
  const closed = await startCommand(t, directory, flags);
  t.notRegex(closed.process.output, /warning/);
});

test('cert makes a pair of files and says how to serve with them', async (t) => {
  const directory = await temporaryDirectory(t);
  const making = new CommandProcess(t, ['cert', '--out-dir', directory]);
  t.is(await making.exited, 0);
  t.true(
    making.output.includes(`npm start -- --tls-cert ${directory}/cert.pem --tls-key ${directory}/key.pem`),
  );
  const again = new CommandProcess(t, ['cert', '--out-dir', directory]);
  t.is(await again.exited, 1);
  t.regex(again.output, /key\.pem: it exists already \(--force writes over it\)/);
});

test('version and help answer', async (t) => {
  for (const args of [['version']]) {
    const shown = new CommandProcess(t, args);
    t.is(await shown.exited, 0);
    t.regex(shown.output, /^\d+\.\d+\.\d+\n$/);
  }
  for (const args of [[], ['serve', '--help']]) {
    const shown = new CommandProcess(t, args);
    t.is(await shown.exited, 0, args.join(' '));
    for (const flag of [
      '--host',
      '--http-port',
      '--native-port',
      '--https-port',
      '--data-dir',
      '--users-file',
    ])
      t.true(shown.output.includes(flag), flag);
  }
});
