import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { ClickHouseError, ClickHouseLogLevel, createClient, TupleParam } from '@clickhouse/client';
import test, { type ExecutionContext } from 'ava';
import { startTest, until } from '../http/support.ts';

/* The published client for ClickHouse, as its users use it. */

type Configuration = NonNullable<Parameters<typeof createClient>[0]>;

async function open(t: ExecutionContext, configuration: Configuration = {}) {
  const server = await startTest(t);
  const connect = (own: Configuration = {}) => {
    const client = createClient({
      url: `http://127.0.0.1:${server.port}`,
      log: { level: ClickHouseLogLevel.OFF },
      ...configuration,
      ...own,
    });
    t.teardown(() => client.close());
    return client;
  };
  return { server, client: connect(), connect };
}

const create = 'CREATE STREAM s (a int32, b string, c nullable(float64))';

test('ping, with and without a query, and with a wrong password', async (t) => {
  const { client, connect } = await open(t);
  t.deepEqual(await client.ping(), { success: true });
  t.deepEqual(await client.ping({ select: true }), { success: true });
  const stranger = connect({ username: 'u', password: 'p' });
  const answer = await stranger.ping({ select: true });
  t.false(answer.success);
  t.like((answer as { error: unknown }).error, { code: '516', type: 'AUTHENTICATION_FAILED' });
});

for (const compressed of [false, true]) {
  test(`rows go in as arrays and streams and come back in every way${compressed ? ', compressed' : ''}`, async (t) => {
    const { client } = await open(t, { compression: { request: compressed, response: compressed } });
    const made = await client.command({ query: create });
    t.truthy(made.query_id);
    const inserted = await client.insert({
      table: 's',
      format: 'JSONEachRow',
      values: [
        { a: 1, b: 'x', c: 1.5 },
        { a: 2, b: 'y', c: null },
      ],
    });
    t.true(inserted.executed);
    t.is(inserted.summary?.written_rows, '2');
    const columns: [string, ...string[]] = ['b', 'a'];
    await client.insert({ table: 's', format: 'JSONCompactEachRow', columns, values: [['z', 3]] });
    await client.insert({
      table: 's',
      format: 'JSONEachRow',
      columns: { except: ['c'] },
      values: [{ a: 4, b: 'w' }],
    });
    const objects = Array.from({ length: 5000 }, (_, index) => ({
      a: index + 5,
      b: `row ${index}`,
      c: index / 2,
    }));
    await client.insert({ table: 's', format: 'JSONEachRow', values: Readable.from(objects) });
    const lines = Readable.from(['6000,"k",1\n60', '01,"l",2\n'], { objectMode: false });
    await client.insert({ table: 's', format: 'CSV', values: lines });
    const query = 'SELECT a, b, c FROM table(s) ORDER BY a LIMIT 3';
    const json = await (await client.query({ query, format: 'JSON' })).json<{ a: number }>();
    t.deepEqual(json.data as unknown, [
      { a: 1, b: 'x', c: 1.5 },
      { a: 2, b: 'y', c: null },
      { a: 3, b: 'z', c: null },
    ]);
    t.is(json.rows, 3);
    t.deepEqual(json.meta?.[0], { name: 'a', type: 'int32' });
    t.deepEqual(await (await client.query({ query, format: 'JSONCompactEachRow' })).json(), [
      [1, 'x', 1.5],
      [2, 'y', null],
      [3, 'z', null],
    ]);
    t.is(await (await client.query({ query, format: 'CSV' })).text(), '1,"x",1.5\n2,"y",\\N\n3,"z",\\N\n');
    const whole = await client.query({ query: 'SELECT a FROM table(s)', format: 'JSONEachRow' });
    let rows = 0;
    for await (const batch of whole.stream<{ a: number }>())
      for (const row of batch) if (row.json().a > 0) rows++;
    t.is(rows, 5006);
  });
}

test('parameters of all kinds reach the query as values', async (t) => {
  const { client } = await open(t);
  const query = `SELECT {i:Int32} + 1 AS i, {s:String} AS s, {list:Array(String)} AS list, {m:Map(String, Int32)} AS m,
    {pair:Tuple(Int32, String)} AS pair, {b:Bool} AS b, {n:Nullable(String)} AS n, {d:DateTime('UTC')} AS d`;
  const answer = await client.query({
    query,
    format: 'JSONEachRow',
    query_params: {
      i: 41,
      s: "it's a\t\n\\ '); DROP STREAM s; --",
      list: ["a'b", 'c\\d'],
      m: { k: 1 },
      pair: new TupleParam([1, 'x']),
      b: true,
      n: null,
      d: new Date(0),
    },
  });
  t.deepEqual(await answer.json(), [
    {
      i: 42,
      s: "it's a\t\n\\ '); DROP STREAM s; --",
      list: ["a'b", 'c\\d'],
      m: { k: 1 },
      pair: [1, 'x'],
      b: true,
      n: null,
      d: '1970-01-01 00:00:00',
    },
  ]);
});

test('a failing query is an error of the type that the client knows', async (t) => {
  const { client } = await open(t);
  const failing = [
    {
      query: 'SELECT a FROM table(nope)',
      code: '60',
      type: 'UNKNOWN_TABLE',
      message: /^Table default\.nope doesn't exist/,
    },
    { query: 'SELEKT 1', code: '62', type: 'SYNTAX_ERROR', message: /line 1, column 1/ },
    { query: 'SELECT nope', code: '47', type: 'UNKNOWN_IDENTIFIER', message: /nope/ },
  ];
  for (const { query, message, ...rest } of failing) {
    const error = await t.throwsAsync(client.query({ query, format: 'JSONEachRow' }), { message });
    t.true(error instanceof ClickHouseError);
    t.like(error, rest);
  }
  const late = await client.query({
    query: 'SELECT number, throw_if(number > 200000) FROM numbers(300000)',
    format: 'JSONEachRow',
  });
  let rows = 0;
  const error = await t.throwsAsync(async () => {
    for await (const batch of late.stream()) rows += batch.length;
  });
  t.true(rows > 0, 'rows came before the error');
  t.like(error, { code: '395', type: 'FUNCTION_THROW_IF_VALUE_IS_NON_ZERO' });
});

test('settings by client and by query, and sessions', async (t) => {
  const { client, connect } = await open(t);
  const query = 'SELECT number FROM numbers(5)';
  const clickhouse_settings = {
    max_result_rows: '3',
    async_insert: 1,
    wait_for_async_insert: 1,
    send_progress_in_http_headers: 1,
    http_headers_progress_interval_ms: '1000',
    wait_end_of_query: 1,
    date_time_input_format: 'best_effort',
  } as const;
  await t.throwsAsync(client.query({ query, clickhouse_settings }), { message: /max_result_rows/ });
  await t.throwsAsync(connect({ clickhouse_settings }).query({ query }), { message: /max_result_rows/ });
  await t.throwsAsync(client.query({ query, clickhouse_settings: { max_result_row: '1' } as never }), {
    message: /Unknown setting 'max_result_row'.*max_result_rows/,
  });
  const session = connect({ session_id: 'one' });
  await session.command({ query: 'SET max_result_rows = 3' });
  await t.throwsAsync(session.query({ query }), { message: /max_result_rows/ });
  t.is((await (await client.query({ query, format: 'JSONEachRow' })).json<unknown>()).length, 5);
});

test('an aborted query ends in the server; a live one gives rows as they come', async (t) => {
  const { client, server } = await open(t);
  await client.command({ query: create });
  const controller = new AbortController();
  const live = await Promise.all([
    client.query({
      query: 'SELECT a FROM s',
      format: 'JSONEachRow',
      abort_signal: controller.signal,
      query_id: 'live',
    }),
    (async () => {
      await until('the query runs', () => server.runs('live'));
      await client.insert({ table: 's', values: [{ a: 7, b: 'x' }], format: 'JSONEachRow' });
    })(),
  ]);
  const seen: unknown[] = [];
  const reading = (async () => {
    for await (const batch of live[0].stream<{ a: number }>()) for (const row of batch) seen.push(row.json());
  })();
  await until('the row has come', () => seen.length === 1);
  t.deepEqual(seen, [{ a: 7 }]);
  controller.abort();
  await t.throwsAsync(reading);
  await until('the query has ended', async () => !(await server.runs('live')));
});

test('exec gives and takes raw streams', async (t) => {
  const { client } = await open(t);
  await client.command({ query: create });
  const written = await client.exec({
    query: 'INSERT INTO s (a, b) FORMAT CSV',
    values: Readable.from([gzipSync('9,z\n')]),
    http_headers: { 'Content-Encoding': 'gzip' },
  });
  for await (const _ of written.stream);
  t.is(written.summary?.written_rows, '1');
  const { stream, query_id: id } = await client.exec({
    query: 'SELECT a, b FROM table(s) FORMAT TSV',
    query_id: 'mine',
  });
  t.is(id, 'mine');
  let text = '';
  for await (const chunk of stream) text += String(chunk);
  t.is(text, '9\tz\n');
});
