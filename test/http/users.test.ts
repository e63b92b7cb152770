import test from 'ava';
import { errorOf, startTest, temporaryDirectory, until, url } from './support.ts';

type TestServer = Awaited<ReturnType<typeof startTest>>;

function as(user: string, password = 'secret'): Record<string, string> {
  return { Authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}` };
}

function ask(server: TestServer, user: string, body: string, parameters: Record<string, string> = {}) {
  return server.send({ path: url(parameters), headers: as(user), body });
}

async function setUp(server: TestServer): Promise<void> {
  for (const text of [
    'CREATE DATABASE shop',
    'CREATE STREAM shop.orders (id int32)',
    'CREATE STREAM shop.secrets (word string)',
    'CREATE STREAM other (a int32)',
    'INSERT INTO shop.orders (id) VALUES (1), (2)',
    "INSERT INTO shop.secrets (word) VALUES ('mum')",
    "CREATE USER anna IDENTIFIED BY 'secret'",
  ])
    await server.ok(text);
}

test('a user made by SQL logs in with the password, and may do what was granted', async (t) => {
  const server = await startTest(t);
  await setUp(server);
  const wrong = await server.send({ headers: as('anna', 'wrong'), body: 'SELECT 1' });
  t.is(wrong.status, 401);
  t.is(errorOf(t, wrong).code, 516);
  t.is((await ask(server, 'anna', 'SELECT current_user()')).text, 'anna\n');
  const denied = async (text: string, right: string) => {
    const answer = await ask(server, 'anna', text);
    t.is(answer.status, 403, text);
    const { code, message } = errorOf(t, answer);
    t.is(code, 497, text);
    t.true(message.endsWith(`it's necessary to have the grant ${right}`), message);
  };
  const allowed = async (text: string, result = '') => {
    const answer = await ask(server, 'anna', text);
    t.deepEqual([answer.status, answer.text], [200, result], text);
  };
  const read = 'SELECT count() FROM table(shop.orders)';
  await denied(read, 'SELECT ON shop.orders');
  await server.ok('GRANT SELECT ON shop.orders TO anna');
  await allowed(read, '2\n');
  await denied('SELECT word FROM table(shop.secrets)', 'SELECT ON shop.secrets');
  await denied(
    `SELECT 1 WHERE (${read}) IN (SELECT length(word) FROM table(shop.secrets))`,
    'SELECT ON shop.secrets',
  );
  await denied('SELECT * FROM shop.secrets', 'SELECT ON shop.secrets');
  await denied('INSERT INTO shop.orders (id) VALUES (3)', 'INSERT ON shop.orders');
  await server.ok('GRANT INSERT ON shop.* TO anna');
  await allowed('INSERT INTO shop.orders (id) VALUES (3)');
  await denied('INSERT INTO shop.orders SELECT a FROM table(default.other)', 'SELECT ON default.other');
  await denied('CREATE STREAM shop.mine (a int32)', 'CREATE STREAM ON shop.mine');
  await denied('CREATE DATABASE mine', 'CREATE DATABASE ON mine.*');
  await server.ok('GRANT CREATE, DROP ON shop.* TO anna');
  await allowed('CREATE STREAM shop.mine (a int32)');
  await allowed('CREATE MATERIALIZED VIEW shop.v INTO shop.mine AS SELECT id AS a FROM shop.orders');
  await denied(
    'CREATE MATERIALIZED VIEW shop.w INTO default.other AS SELECT id AS a FROM shop.orders',
    'INSERT ON default.other',
  );
  await denied(
    'CREATE MATERIALIZED VIEW shop.w INTO shop.mine AS SELECT length(word) AS a FROM shop.secrets',
    'SELECT ON shop.secrets',
  );
  await allowed('DROP VIEW shop.v');
  await allowed('DROP STREAM shop.mine');
  await denied('DROP STREAM default.other', 'DROP STREAM ON default.other');
  await denied('TRUNCATE STREAM shop.orders', 'TRUNCATE ON shop.orders');
  await denied("CREATE USER more IDENTIFIED BY 'x'", 'CREATE USER ON *.*');
  await denied("ALTER USER default IDENTIFIED BY 'x'", 'ALTER USER ON *.*');
  await denied('GRANT SELECT ON shop.orders TO anna', 'SELECT ON shop.orders WITH GRANT OPTION');
  await server.ok('REVOKE SELECT ON shop.orders FROM anna');
  await denied(read, 'SELECT ON shop.orders');
});

test('a compiled query that somebody else ran is no way around a right', async (t) => {
  const server = await startTest(t);
  await setUp(server);
  const text = 'SELECT word FROM table(shop.secrets)';
  t.is(await server.ok(text), 'mum\n');
  t.is((await ask(server, 'anna', text)).status, 403);
  t.is((await ask(server, 'anna', "SELECT word FROM table(shop.secrets) WHERE word = 'mum'")).status, 403);
  const tables = "SELECT name FROM system.tables WHERE database = 'shop' ORDER BY name";
  t.is(await server.ok(tables), 'orders\nsecrets\n');
  t.is((await ask(server, 'anna', tables)).text, '');
  await server.ok('GRANT INSERT ON shop.orders TO anna');
  t.is((await ask(server, 'anna', tables)).text, 'orders\n');
  t.is(await server.ok(tables), 'orders\nsecrets\n');
});

test('what a user may not touch is not shown', async (t) => {
  const server = await startTest(t);
  await setUp(server);
  const seen = async (text: string) => (await ask(server, 'anna', text)).text;
  t.is(await seen('SHOW STREAMS FROM shop'), '');
  t.is(await seen('SHOW DATABASES'), 'system\n');
  t.is((await ask(server, 'anna', 'DESCRIBE shop.secrets')).status, 403);
  t.is((await ask(server, 'anna', 'SHOW CREATE STREAM shop.secrets')).status, 403);
  const detail = await server.send({
    method: 'GET',
    path: '/svc/v1/ddl/streams/shop/secrets',
    headers: as('anna'),
  });
  t.is(detail.status, 403);
  await server.ok('GRANT SELECT ON shop.orders TO anna');
  t.is(await seen('SHOW STREAMS FROM shop'), 'orders\n');
  t.is(await seen('SHOW DATABASES'), 'shop\nsystem\n');
  t.is(await seen("SELECT name FROM system.columns WHERE database = 'shop' AND name != '_tp_time'"), 'id\n');
  const list = await server.send({ method: 'GET', path: '/svc/v1/ddl/streams', headers: as('anna') });
  t.deepEqual(
    (JSON.parse(list.text) as { data: { name: string }[] }).data.map((record) => record.name),
    ['orders'],
  );
  t.is(await seen('SELECT name FROM system.users'), 'anna\n');
  t.is(await seen('SHOW USERS'), 'anna\n');
  t.is(await server.ok('SHOW USERS'), 'anna\ndefault\n');
});

test('grants are shown as statements, with partial revokes and the option to grant on', async (t) => {
  const server = await startTest(t);
  await setUp(server);
  t.is(await server.ok('SHOW GRANTS'), 'GRANT ALL ON *.* TO default WITH GRANT OPTION\n');
  t.is(await server.ok('SHOW GRANTS FOR anna'), '');
  await server.ok('GRANT SELECT, INSERT ON shop.* TO anna WITH GRANT OPTION');
  await server.ok('REVOKE SELECT ON shop.secrets FROM anna');
  t.is(
    (await ask(server, 'anna', 'SHOW GRANTS')).text,
    'GRANT SELECT, INSERT ON shop.* TO anna WITH GRANT OPTION\nREVOKE SELECT ON shop.secrets FROM anna\n',
  );
  t.is((await ask(server, 'anna', 'SELECT word FROM table(shop.secrets)')).status, 403);
  await server.ok("CREATE USER `b b` IDENTIFIED BY 'secret'");
  t.is((await ask(server, 'anna', 'GRANT INSERT ON shop.* TO `b b`')).status, 200);
  t.is((await ask(server, 'anna', 'GRANT SELECT ON shop.* TO `b b`')).status, 403);
  t.is((await ask(server, 'anna', 'SHOW GRANTS FOR `b b`')).status, 403);
  t.is(await server.ok('SHOW GRANTS FOR `b b`'), 'GRANT INSERT ON shop.* TO `b b`\n');
  const bad = await server.sql('GRANT SELCT ON shop.* TO anna');
  t.is(bad.status, 400);
  t.regex(bad.text, /Unknown privilege 'SELCT'.*SELECT/);
  const nobody = await server.sql('GRANT SELECT ON shop.* TO ana');
  t.is(nobody.status, 400);
  t.regex(nobody.text, /There is no user 'ana'.*anna/);
});

test('users, passwords and rights are there after a restart, and no password in a file', async (t) => {
  const directory = await temporaryDirectory(t);
  const first = await startTest(t, { directory });
  await setUp(first);
  await first.ok("ALTER USER anna IDENTIFIED BY 'hunter2' SETTINGS max_rows_to_read = 2");
  await first.ok('GRANT SELECT ON shop.orders TO anna');
  await first.ok("CREATE USER gone IDENTIFIED BY 'x'");
  await first.ok('DROP USER gone');
  t.is((await ask(first, 'anna', 'SELECT 1')).status, 401, 'the old password is not remembered');
  await first.server.close();
  const server = await startTest(t, { directory });
  const count = (password: string) =>
    server.send({ headers: as('anna', password), body: 'SELECT count() FROM table(shop.orders)' });
  t.is((await count('secret')).status, 401);
  t.is((await count('hunter2')).text, '2\n');
  await server.ok('INSERT INTO shop.orders (id) VALUES (3)');
  const limited = await count('hunter2');
  t.is(limited.status, 400);
  t.is(errorOf(t, limited).code, 158, 'the limit of the profile holds');
  t.is((await server.send({ headers: as('gone', 'x'), body: 'SELECT 1' })).status, 401);
  t.is(
    await server.ok('SHOW CREATE USER anna'),
    "CREATE USER anna IDENTIFIED WITH scrypt_hash SETTINGS max_rows_to_read = \\'2\\'\n",
  );
  const { execFileSync } = await import('node:child_process');
  t.throws(() => execFileSync('grep', ['-r', 'hunter2', directory]), undefined, 'nothing is found');
});

test('the default user can be given a password', async (t) => {
  const server = await startTest(t);
  await server.ok("ALTER USER default IDENTIFIED BY 'locked'");
  t.is((await server.sql('SELECT 1')).status, 401);
  t.is((await server.send({ headers: as('default', 'locked'), body: 'SELECT 1' })).text, '1\n');
});

test('users of the users file are as the file says, and SQL does not change them', async (t) => {
  const server = await startTest(t, {
    users: [
      { name: 'default', password: '' },
      {
        name: 'fay',
        password: 'secret',
        grants: ['SELECT ON *.*', 'INSERT, CREATE ON shop.*'],
        default_database: 'shop',
      },
    ],
  });
  await server.ok('CREATE DATABASE shop');
  t.is((await ask(server, 'fay', 'CREATE STREAM own (a int32)')).status, 200);
  t.is((await ask(server, 'fay', 'INSERT INTO own (a) VALUES (1)')).status, 200);
  t.is((await ask(server, 'fay', 'SELECT a FROM table(own)')).text, '1\n');
  t.is((await ask(server, 'fay', 'DROP STREAM own')).status, 403);
  const refused = await server.sql("ALTER USER fay IDENTIFIED BY 'x'");
  t.is(refused.status, 400);
  t.regex(refused.text, /defined in the users file/);
});

test('a running query ends when its user loses the right, or is dropped', async (t) => {
  const server = await startTest(t);
  await setUp(server);
  await server.ok('GRANT SELECT ON shop.* TO anna');
  const live = (query_id: string) =>
    ask(server, 'anna', 'SELECT id FROM shop.orders', { query_id }).then(
      (answer) => answer.text,
      (error: Error) => error.message,
    );
  const first = live('first');
  await until('the query runs', () => server.runs('first'));
  await server.ok('REVOKE SELECT ON shop.orders FROM anna');
  t.regex(await first, /Not enough privileges/);
  await server.ok('GRANT SELECT ON shop.orders TO anna');
  const second = live('second');
  await until('the query runs', () => server.runs('second'));
  await server.ok('DROP USER anna');
  t.regex(await second, /was dropped/);
});

test('a user who manages others takes over nobody with more rights', async (t) => {
  const server = await startTest(t);
  await setUp(server);
  await server.ok('GRANT ACCESS MANAGEMENT ON *.* TO anna');
  await server.ok("CREATE USER boss IDENTIFIED BY 'secret'");
  await server.ok('GRANT SELECT ON shop.secrets TO boss');
  for (const [name, right] of [
    ['default', /which the user 'default' has$/],
    ['boss', /SELECT ON shop\.secrets, which the user 'boss' has$/],
  ] as const) {
    const answer = await ask(server, 'anna', `ALTER USER ${name} IDENTIFIED BY 'taken'`);
    t.is(answer.status, 403, name);
    t.regex(errorOf(t, answer).message, right);
  }
  t.is((await ask(server, 'boss', 'SELECT word FROM table(shop.secrets)')).text, 'mum\n');
  await server.ok('GRANT SELECT ON shop.* TO anna');
  t.is((await ask(server, 'anna', "ALTER USER boss IDENTIFIED BY 'secret'")).status, 200);
});

test('users end their own queries, and those of others with the right to', async (t) => {
  const server = await startTest(t);
  await setUp(server);
  await server.ok('GRANT SELECT ON shop.* TO anna');
  const live = (user: string, query_id: string) =>
    server
      .send({
        path: url({ query_id }),
        headers: user === 'anna' ? as('anna') : {},
        body: 'SELECT id FROM shop.orders',
      })
      .then(
        () => 'ended',
        () => 'cut',
      );
  const own = live('anna', 'own');
  const foreign = live('default', 'foreign');
  for (const id of ['own', 'foreign']) await until('the query runs', () => server.runs(id));
  const all = 'KILL QUERY WHERE 1';
  t.regex((await ask(server, 'anna', all)).text, /^killed\town\tanna\t/);
  await own;
  t.true(await server.runs('foreign'));
  t.is(
    (await ask(server, 'anna', "SELECT count() FROM system.processes WHERE user = 'default'")).text,
    '0\n',
  );
  await server.ok('GRANT KILL QUERY ON *.* TO anna');
  t.regex((await ask(server, 'anna', all)).text, /^killed\tforeign\tdefault\t/);
  await foreign;
});

test('statements about users that cannot be say why', async (t) => {
  const server = await startTest(t);
  await server.ok("CREATE USER a IDENTIFIED BY 'x'");
  const cases: [string, number, RegExp][] = [
    ["CREATE USER a IDENTIFIED BY 'y'", 493, /already exists/],
    ['CREATE USER b', 36, /IDENTIFIED BY 'password', or NOT IDENTIFIED/],
    ["CREATE USER b IDENTIFIED WITH kerberos BY 'x'", 48, /kerberos/],
    ["CREATE USER b IDENTIFIED BY 'x' HOST IP '10.0.0.0/8'", 48, /HOST/],
    ["CREATE USER b IDENTIFIED BY 'x' SETTINGS max_rows = 1", 115, /max_rows/],
    ['DROP USER nobody', 192, /no user 'nobody'/],
    ['DROP USER default', 36, /default cannot be dropped/],
    ['GRANT SELECT(a) ON default.x TO a', 48, /single columns/],
    ['GRANT admin TO a', 48, /roles/],
    ['GRANT KILL QUERY ON default.* TO a', 36, /cannot be granted on default\.\*/],
  ];
  for (const [text, code, message] of cases) {
    const answer = await server.sql(text);
    t.is(answer.status, 400, text);
    t.is(errorOf(t, answer).code, code, text);
    t.regex(answer.text, message);
  }
  await server.ok("CREATE USER IF NOT EXISTS a IDENTIFIED BY 'z'");
  await server.ok('DROP USER IF EXISTS nobody');
  t.is((await server.send({ headers: as('a', 'x'), body: 'SELECT 1' })).text, '1\n');
});
