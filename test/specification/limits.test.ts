import test, { type ExecutionContext } from 'ava';
import { type Answer, errorOf, startTest, type TestServer, url } from '../http/support.ts';
import { request } from '../http/transport.ts';

/** How a client sets a limit: in the URL, in the statement, or in the user's profile. */
const places = ['url', 'clause', 'users file', 'create user'] as const;
type Place = (typeof places)[number];

/** The statements that a limit holds for; `%` is where a SETTINGS clause goes. */
const statements = {
  'a batch query': 'SELECT sum(n) FROM table(big) %',
  'a batch query of system tables and functions': 'SELECT sum(number) FROM numbers(10000000000) %',
  'a streaming query': "SELECT n FROM big WHERE modulo(n, 7) = 9 %, seek_to = 'earliest'",
  'INSERT SELECT in batch': 'INSERT INTO target SELECT n FROM table(big) %',
  'INSERT SELECT from a stream':
    "INSERT INTO target SELECT n FROM big WHERE modulo(n, 7) = 9 %, seek_to = 'earliest'",
  'INSERT SELECT, settings before it': 'INSERT INTO target % SELECT sum(n) FROM table(big)',
} as const;

function withSettings(statement: string, settings: string): string {
  if (!statement.includes('%,')) return statement.replace('%', settings === '' ? '' : `SETTINGS ${settings}`);
  return statement.replace('%,', settings === '' ? 'SETTINGS' : `SETTINGS ${settings},`);
}

const login = (user: string) => ({ Authorization: `Basic ${Buffer.from(`${user}:pw`).toString('base64')}` });

async function ask(server: TestServer, statement: string, place: Place, limit: string): Promise<Answer> {
  const [name, value] = limit.split('=') as [string, string];
  const body = withSettings(statement, place === 'clause' ? limit : '');
  const path = url(place === 'url' ? { [name]: value } : {});
  if (place === 'url' || place === 'clause') return server.send({ path, body });
  const user = `${place === 'users file' ? 'filed' : 'made'}_${name}`;
  return server.send({ path, headers: login(user), body });
}

async function withUsers(t: ExecutionContext, limits: readonly string[]): Promise<TestServer> {
  const pair = (limit: string) => limit.split('=') as [string, string];
  const server = await startTest(t, {
    users: [
      { name: 'default', password: '' },
      ...limits.map(pair).map(([name, value]) => ({
        name: `filed_${name}`,
        password: 'pw',
        settings: { [name]: value },
      })),
    ],
  });
  await server.ok('CREATE STREAM big (n int64)');
  await server.ok('CREATE STREAM target (n int64)');
  await server.ok('INSERT INTO big SELECT number FROM numbers(200000)');
  for (const [name, value] of limits.map(pair)) {
    await server.ok(`CREATE USER made_${name} IDENTIFIED BY 'pw' SETTINGS ${name} = ${value}`);
    await server.ok(`GRANT SELECT, INSERT ON *.* TO made_${name}`);
  }
  return server;
}

for (const [limit, code] of [
  ['max_rows_to_read=1000', 158],
  ['max_execution_time=0.05', 159],
] as const) {
  const name = limit.split('=')[0]!;
  test(`${name} bounds every kind of query wherever it is set: before any output it is 400 with code ${code}`, async (t) => {
    const server = await withUsers(t, [limit]);
    for (const [kind, statement] of Object.entries(statements)) {
      // Reading what is stored is done before its time is up; work without an end stands in for it.
      const text =
        code === 159
          ? statement.replace(
              /\bn FROM table\(big\)|\(n\) FROM table\(big\)/,
              '(number) FROM numbers(10000000000)',
            )
          : statement;
      for (const place of places) {
        const answer = await ask(server, text, place, limit);
        t.is(answer.status, 400, `${kind}, by ${place}: ${answer.text}`);
        const told = errorOf(t, answer);
        t.is(told.code, code, `${kind}, by ${place}`);
        t.true(told.message.includes(name), `${kind}, by ${place}: ${told.message}`);
      }
    }
    await server.idle();
    t.is(await server.ok('SELECT count() FROM table(target)'), '0\n', 'an INSERT that failed wrote nothing');
  });
}

test('after output began, a limit ends the stream as a mid-stream error does: a last line and a cut connection', async (t) => {
  const server = await withUsers(t, ['max_rows_to_read=5', 'max_execution_time=1']);
  await server.ok('CREATE STREAM live (a int32)');
  for (const [limit, code] of [
    ['max_rows_to_read=5', 158],
    ['max_execution_time=1', 159],
  ] as const) {
    const [name, value] = limit.split('=') as [string, string];
    const open = (place: Place) => {
      const user =
        place === 'users file' ? `filed_${name}` : place === 'create user' ? `made_${name}` : undefined;
      return server.open(`SELECT a FROM live ${place === 'clause' ? `SETTINGS ${limit}` : ''}`, {
        ...(place === 'url' ? { [name]: value } : {}),
        ...(user === undefined ? {} : { user, password: 'pw' }),
      });
    };
    const queries = await Promise.all(places.map(open));
    await server.ok('INSERT INTO live VALUES (1), (2), (3)');
    for (const query of queries) t.deepEqual(await query.take(3), ['{"a":1}', '{"a":2}', '{"a":3}']);
    if (code === 158) await server.ok('INSERT INTO live VALUES (4), (5), (6)');
    for (const [index, query] of queries.entries()) {
      await query.finished();
      const where = `${name}, by ${places[index]}`;
      t.true(query.failed, `${where}: the connection is cut`);
      t.true(
        query.lines.at(-1)?.startsWith(`{"exception":"Code: ${code}. DB::Exception: `),
        `${where}: ${query.lines.at(-1)}`,
      );
    }
  }
  const batch = await server.sql('SELECT number FROM numbers(3)', { max_rows_to_read: '3' });
  t.is(batch.text, '0\n1\n2\n', 'as many rows as the limit are allowed');
  await t.throwsAsync(
    server.sql('SELECT throwIf(number = 3000000) FROM numbers(10000000)', { buffer_size: '1000' }),
    { code: 'ECONNRESET' },
    'a batch answer that was begun is cut, too',
  );
});

test("a limit of the statement goes before that of the URL, and both before the user's", async (t) => {
  const server = await withUsers(t, ['max_rows_to_read=5']);
  const read = 'SELECT count() FROM (SELECT number FROM numbers(10))';
  const headers = login('filed_max_rows_to_read');
  t.is((await server.send({ headers, body: read })).status, 400);
  t.is((await server.send({ headers, path: url({ max_rows_to_read: '10' }), body: read })).status, 200);
  t.is((await server.sql(`${read} SETTINGS max_rows_to_read = 10`, { max_rows_to_read: '5' })).status, 200);
  t.is((await server.sql(`${read} SETTINGS max_rows_to_read = 5`, { max_rows_to_read: '10' })).status, 400);
});

test('LIMIT n ends an otherwise unbounded streaming query after n rows', async (t) => {
  const server = await withUsers(t, []);
  const answer = server.sql("SELECT n FROM big LIMIT 3 SETTINGS seek_to = 'earliest'");
  t.is((await answer).text, '0\n1\n2\n');
  await server.idle();
});

test('an INSERT of data has its time, too: the sender that goes quiet is told 159, and nothing is stored', async (t) => {
  const server = await withUsers(t, []);
  const query = url({ query: 'INSERT INTO target FORMAT CSV', max_execution_time: '0.1' });
  const answer = await new Promise<{ status: number; text: string }>((done, failed) => {
    const sent = request({ port: server.port, method: 'POST', path: query, agent: false }, (response) => {
      let text = '';
      response.on('data', (chunk: Buffer) => {
        text += chunk.toString();
      });
      response.on('end', () => {
        sent.destroy();
        done({ status: response.statusCode ?? 0, text });
      });
    });
    sent.on('error', failed);
    sent.write('1\n');
  });
  t.is(answer.status, 400);
  t.regex(answer.text, /Code: 159\. /);
  t.is(await server.ok('SELECT count() FROM table(target)'), '0\n');
});
