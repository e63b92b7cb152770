import { scryptSync } from 'node:crypto';
import test from 'ava';
import { errorOf, startTest, url } from './support.ts';

const salt = Buffer.from('00112233445566778899aabbccddeeff', 'hex');
const users = [
  { name: 'default', password: '' },
  { name: 'writer', password: 'pass:word' },
  { name: 'reader', password: 'look', readonly: true },
  { name: 'limited', password: 'x', settings: { max_rows_to_read: 5, readonly: 1 } },
  {
    name: 'hashed',
    password_hash: `scrypt:${salt.toString('hex')}:${scryptSync('secret', salt, 32).toString('hex')}`,
  },
];

function basic(user: string, password: string): Record<string, string> {
  return { Authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}` };
}

const who = 'SELECT current_user()';

test('users come by Basic authentication, by headers and by URL; nobody is default', async (t) => {
  const server = await startTest(t, { users });
  const ask = async (headers: Record<string, string>, parameters: Record<string, string> = {}) =>
    (await server.send({ path: url(parameters), headers, body: who })).text;
  t.is(await ask({}), 'default\n');
  t.is(await ask(basic('default', '')), 'default\n');
  t.is(await ask(basic('writer', 'pass:word')), 'writer\n');
  t.is(await ask(basic('hashed', 'secret')), 'hashed\n');
  t.is(await ask(basic('hashed', 'secret')), 'hashed\n', 'the second time the password is known');
  for (const brand of ['X-Svc-', 'X-ClickHouse-'])
    t.is(await ask({ [`${brand}User`]: 'writer', [`${brand}Key`]: 'pass:word' }), 'writer\n');
  t.is(await ask({}, { user: 'writer', password: 'pass:word' }), 'writer\n');
});

test('a wrong login is 401, whatever is wrong with it', async (t) => {
  const server = await startTest(t, { users });
  const attempts: Record<string, string>[] = [
    basic('writer', 'wrong'),
    basic('writer', ''),
    basic('default', 'x'),
    basic('nobody', 'x'),
    basic('', ''),
    { Authorization: 'Basic' },
    { Authorization: 'Basic !!!' },
    { Authorization: `Basic ${Buffer.from('no colon').toString('base64')}` },
    { Authorization: 'Bearer token' },
    { 'X-ClickHouse-User': 'writer', 'X-ClickHouse-Key': 'wrong' },
    { 'X-Svc-User': 'writer' },
  ];
  for (const headers of attempts) {
    const answer = await server.send({ headers, body: who });
    t.is(answer.status, 401, JSON.stringify(headers));
    t.is(errorOf(t, answer).code, 516);
    t.regex(String(answer.headers['www-authenticate']), /^Basic realm=/);
  }
  const byUrl = await server.sql(who, { user: 'writer', password: 'wrong' });
  t.is(byUrl.status, 401);
  const rest = await server.send({
    method: 'GET',
    path: '/svc/v1/ddl/streams',
    headers: basic('writer', 'wrong'),
  });
  t.is(rest.status, 401);
  const shape = JSON.parse(rest.text) as Record<string, unknown>;
  t.deepEqual(Object.keys(shape).sort(), ['code', 'error_msg', 'exception', 'request_id']);
  t.not(shape['request_id'], '');
});

test('a read-only user reads, and is told which right is missing for the rest', async (t) => {
  const server = await startTest(t, { users });
  await server.ok('CREATE STREAM s (a int32)');
  const reader = basic('reader', 'look');
  const send = (body: string) => server.send({ headers: reader, body });
  for (const sql of ['SELECT a FROM table(s)', 'SHOW STREAMS', 'DESCRIBE s'])
    t.is((await send(sql)).status, 200, sql);
  const refused: [string, RegExp][] = [
    ['INSERT INTO s VALUES (1)', /grant INSERT ON default\.s$/],
    ['CREATE STREAM x (a int32)', /grant CREATE STREAM ON default\.x$/],
    ['CREATE MATERIALIZED VIEW v INTO s AS SELECT a FROM s', /grant CREATE MATERIALIZED VIEW ON default\.v$/],
    ['DROP STREAM s', /grant DROP STREAM ON default\.s$/],
    ['TRUNCATE STREAM s', /grant TRUNCATE ON default\.s$/],
    ['CREATE DATABASE d', /grant CREATE DATABASE/],
  ];
  for (const [sql, right] of refused) {
    const answer = await send(sql);
    t.is(answer.status, 403, sql);
    const error = errorOf(t, answer);
    t.is(error.code, 497);
    t.regex(error.message, right);
  }
  const get = await server.send({ method: 'GET', path: url({ query: 'DROP STREAM s' }), headers: reader });
  t.is(errorOf(t, get).code, 164);
  const ingest = await server.send({ path: '/svc/v1/ingest/streams/s', headers: reader, body: '{"a":1}' });
  t.is(ingest.status, 403);
  t.is((JSON.parse(ingest.text) as Record<string, unknown>)['code'], 497);
  const drop = await server.send({
    method: 'DELETE',
    path: '/svc/v1/ddl/streams/default/s',
    headers: reader,
  });
  t.is(drop.status, 403);
  t.is(await server.ok('SELECT count() FROM table(s)'), '0\n');
});

test("a user's settings hold for what the user asks", async (t) => {
  const server = await startTest(t, { users });
  const limited = basic('limited', 'x');
  const send = (body: string, parameters: Record<string, string> = {}) =>
    server.send({ path: url(parameters), headers: limited, body });
  t.is(errorOf(t, await send('SELECT number FROM numbers(10)')).code, 158);
  t.is((await send('SELECT number FROM numbers(2)')).status, 200);
  t.is(errorOf(t, await send('CREATE STREAM s (a int32)')).code, 164);
  t.is(errorOf(t, await send('CREATE STREAM s (a int32)', { readonly: '0' })).code, 164);
});

test('a users file that is wrong keeps the server from starting', async (t) => {
  const wrong: [unknown, RegExp][] = [
    [[{ name: 'a' }, { name: 'a' }], /names a user twice/],
    [[{ name: 'a', pasword: 'x' }], /unknown field 'pasword'/],
    [[{ password: 'x' }], /'name' must be a text/],
    [[{ name: 'a', password: 1 }], /'password' must be a text/],
    [[{ name: 'a', readonly: 'yes' }], /'readonly' must be true or false/],
    [[{ name: 'a', password_hash: 'md5:1' }], /password_hash must be/],
    [[{ name: 'a', password: 'x', password_hash: 'scrypt:00:00' }], /exclude each other/],
    [[{ name: 'a', settings: { max_rows_to_rea: 1 } }], /Maybe you meant 'max_rows_to_read'/],
    [[{ name: 'a', settings: { max_rows_to_read: 'x' } }], /max_rows_to_read/],
    ['nobody', /must hold/],
  ];
  for (const [content, message] of wrong)
    await t.throwsAsync(startTest(t, { users: content }), { message }, JSON.stringify(content));
  await t.throwsAsync(startTest(t, { flags: ['--users-file', '/nowhere/users.json'] }), {
    message: /cannot be read/,
  });
});
