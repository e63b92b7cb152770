import test from 'ava';
import { errorOf, startCommand, startTest, temporaryDirectory, until } from '../http/support.ts';

test('CREATE MATERIALIZED VIEW <name> INTO <target> AS <SELECT> continuously writes its results into the target', async (t) => {
  const server = await startTest(t);
  await server.ok('CREATE STREAM source (a int32, b string)');
  await server.ok('CREATE STREAM target (twice int64, word string)');
  t.is(
    await server.ok(
      'CREATE MATERIALIZED VIEW v INTO target AS SELECT a * 2 AS twice, upper(b) AS word FROM source WHERE a > 0',
    ),
    '',
  );
  for (let row = 1; row <= 3; row++) {
    await server.ok(`INSERT INTO source VALUES (${row}, 'w${row}'), (-1, 'no')`);
    await until(
      'the view has written',
      async () => (await server.ok('SELECT count() FROM table(target)')) === `${row}\n`,
    );
  }
  t.is(await server.ok('SELECT twice, word FROM table(target) ORDER BY twice'), '2\tW1\n4\tW2\n6\tW3\n');
  const query = await server.open('SELECT word FROM target');
  await server.ok("INSERT INTO source VALUES (4, 'live')");
  t.deepEqual(
    await query.take(1),
    ['{"word":"LIVE"}'],
    'a reader of the target sees rows as the view writes them',
  );
  query.leave();
  await server.ok('DROP VIEW v');
  await server.ok("INSERT INTO source VALUES (5, 'late')");
  t.is(await server.ok('SELECT count() FROM table(target)'), '4\n', 'a view that is dropped writes no more');
});

test('A view takes every row once that is inserted after its CREATE returned, none before, across kill -9', async (t) => {
  const directory = await temporaryDirectory(t);
  const first = await startCommand(t, directory);
  await first.client.ok('CREATE STREAM source (a int32)');
  await first.client.ok('CREATE STREAM target (a int32)');
  await first.client.ok('INSERT INTO source VALUES (-1)');
  await first.client.ok('CREATE MATERIALIZED VIEW v INTO target AS SELECT a FROM source');
  const acknowledged: number[] = [];
  const insert = async (from: number) => {
    for (let row = from; ; row += 4) {
      await first.client.ok(`INSERT INTO source VALUES (${row})`);
      acknowledged.push(row);
    }
  };
  const writers = [0, 1, 2, 3].map((from) => insert(from).catch(() => {}));
  await until('rows are acknowledged', () => acknowledged.length > 40);
  first.process.child.kill('SIGKILL');
  await Promise.all(writers);
  const second = await startCommand(t, directory);
  await second.client.ok('INSERT INTO source VALUES (1000000)');
  const rows = async () =>
    (await second.client.ok('SELECT a FROM table(target) ORDER BY a')).trim().split('\n').map(Number);
  await until('the view has caught up', async () => (await rows()).includes(1_000_000));
  const written = await rows();
  const stored = (await second.client.ok('SELECT a FROM table(source) WHERE a >= 0 ORDER BY a'))
    .trim()
    .split('\n');
  t.deepEqual(written, stored.map(Number), 'the target has what the source has, each row once');
  t.true(
    acknowledged.every((row) => written.includes(row)),
    'every acknowledged row is there',
  );
});

test('What cannot be a view is told', async (t) => {
  const server = await startTest(t);
  await server.ok('CREATE STREAM s (a int32)');
  const failure = async (text: string) => {
    const answer = await server.sql(text);
    return { status: answer.status, ...errorOf(t, answer) };
  };
  const batch = await failure('CREATE MATERIALIZED VIEW v INTO s AS SELECT a FROM table(s)');
  t.is(batch.status, 400);
  t.regex(batch.message, /keeps running/);
  t.regex((await failure('CREATE MATERIALIZED VIEW v INTO s AS SELECT a FROM s')).message, /feed itself/);
  await server.ok('CREATE STREAM other (a int32)');
  await server.ok('CREATE MATERIALIZED VIEW there INTO other AS SELECT a FROM s');
  t.regex(
    (await failure('CREATE MATERIALIZED VIEW back INTO s AS SELECT a FROM other')).message,
    /feed itself/,
  );
  t.is((await failure('CREATE MATERIALIZED VIEW v INTO nowhere AS SELECT a FROM s')).status, 404);
  t.is((await failure('CREATE MATERIALIZED VIEW v INTO s AS SELECT a FROM nowhere')).status, 404);
});
