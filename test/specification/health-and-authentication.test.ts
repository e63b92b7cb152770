import test from 'ava';
import { errorOf, startTest, type TestServer, url } from '../http/support.ts';

const basic = (text: string) => ({ Authorization: `Basic ${Buffer.from(text).toString('base64')}` });

test('Health: GET /ping returns the plain text Ok. with status 200; so do / and /replicas_status', async (t) => {
  const server = await startTest(t);
  for (const path of ['/ping', '/', '/replicas_status']) {
    const answer = await server.send({ method: 'GET', path });
    t.is(answer.status, 200, path);
    t.is(answer.text, 'Ok.\n', path);
    t.is(answer.headers['content-type']?.split(';')[0], 'text/plain', path);
  }
});

test('1. HTTP Basic Authentication with base64 of username:password', async (t) => {
  const server = await startTest(t, {
    users: [
      { name: 'default', password: 'secret' },
      { name: 'anna', password: 'pässw:rd' },
    ],
  });
  const as = (headers: Record<string, string>) => server.send({ headers, body: 'SELECT current_user()' });
  t.is((await as(basic('anna:pässw:rd'))).text, 'anna\n');
  for (const credentials of ['anna:', 'anna:wrong', 'nobody:x', ':', 'default:']) {
    const answer = await as(basic(credentials));
    t.is(answer.status, 401, credentials);
    t.is(errorOf(t, answer).code, 516, credentials);
    t.regex(String(answer.headers['www-authenticate']), /^Basic /);
  }
  t.is((await as({ Authorization: 'Bearer x' })).status, 401, 'other schemes are refused');
});

test('2. Default credentials: username default, empty password, so that default: works, and none at all', async (t) => {
  const server = await startTest(t);
  const ask = (headers: Record<string, string>) => server.send({ headers, body: 'SELECT current_user()' });
  t.is((await ask(basic('default:'))).text, 'default\n');
  t.is((await ask({})).text, 'default\n', 'no credentials are the user default');
  await server.ok("ALTER USER default IDENTIFIED BY 'secret'");
  t.is((await ask({})).status, 401, 'who is let in while the password is empty');
  t.is((await ask(basic('default:secret'))).text, 'default\n');
});

test('3. Custom users use their own name and password, made by SQL or in the users file', async (t) => {
  const server = await startTest(t, {
    users: [
      { name: 'default', password: '' },
      { name: 'filed', password: 'f' },
    ],
  });
  await server.ok("CREATE USER made IDENTIFIED BY 'm'");
  for (const [name, password] of [
    ['filed', 'f'],
    ['made', 'm'],
  ] as const) {
    const ask = (more: Parameters<TestServer['send']>[0]) =>
      server.send({ body: 'SELECT current_user()', ...more });
    t.is((await ask({ headers: basic(`${name}:${password}`) })).text, `${name}\n`);
    for (const brand of ['Svc', 'ClickHouse', 'Proton', 'Timeplus']) {
      const headers = { [`X-${brand}-User`]: name, [`X-${brand}-Key`]: password };
      t.is((await ask({ headers })).text, `${name}\n`, brand);
    }
    t.is((await ask({ path: url({ user: name, password }) })).text, `${name}\n`, 'by URL');
  }
});

test('4. Failure returns 401; an authenticated user lacking rights gets 403 and is told which', async (t) => {
  const server = await startTest(t);
  await server.ok('CREATE STREAM s (a int32)');
  await server.ok('CREATE STREAM other (a int32)');
  await server.ok("CREATE USER anna IDENTIFIED BY 'pw'");
  const ask = (body: string) => server.send({ headers: basic('anna:pw'), body });
  for (const [text, right] of [
    ['SELECT a FROM table(s)', 'SELECT ON default.s'],
    ['SELECT a FROM s', 'SELECT ON default.s'],
    ['INSERT INTO s VALUES (1)', 'INSERT ON default.s'],
    ['DROP STREAM s', 'DROP STREAM ON default.s'],
    ['CREATE STREAM mine (a int32)', 'CREATE STREAM ON default.mine'],
    ["CREATE USER eve IDENTIFIED BY 'x'", 'CREATE USER'],
  ] as const) {
    const answer = await ask(text);
    t.is(answer.status, 403, text);
    const told = errorOf(t, answer);
    t.is(told.code, 497, text);
    t.true(told.message.includes(right), told.message);
  }
  await server.ok('GRANT SELECT ON default.s TO anna');
  t.is((await ask('SELECT a FROM table(s)')).status, 200);
  t.is((await ask('SELECT a FROM table(other)')).status, 403);
  t.is((await ask('SHOW GRANTS')).text, 'GRANT SELECT ON default.s TO anna\n');
  const headers = basic('anna:pw');
  t.is((await server.send({ path: '/svc/v1/ingest/streams/s', headers, body: '{"a":1}' })).status, 403);
  const unknown = await server.send({
    method: 'GET',
    path: '/svc/v1/ddl/streams',
    headers: basic('anna:no'),
  });
  t.is(unknown.status, 401, 'the structured interface asks for the same credentials');
});
