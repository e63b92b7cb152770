import test from 'ava';
import { errorOf, startTest } from '../http/support.ts';

const select = "SELECT to_int32(number) AS id, concat('n', to_string(number)) AS name FROM numbers(1, 2)";

test('JSON: an object with meta (name and type), data (row objects keyed by column name) and rows (count)', async (t) => {
  const server = await startTest(t);
  const answer = JSON.parse(await server.ok(`${select} FORMAT JSON`)) as Record<string, unknown>;
  t.deepEqual(answer['meta'], [
    { name: 'id', type: 'int32' },
    { name: 'name', type: 'string' },
  ]);
  t.deepEqual(answer['data'], [
    { id: 1, name: 'n1' },
    { id: 2, name: 'n2' },
  ]);
  t.is(answer['rows'], 2);
});

test('JSONEachRow: one JSON object per line', async (t) => {
  const server = await startTest(t);
  t.is(await server.ok(`${select} FORMAT JSONEachRow`), '{"id":1,"name":"n1"}\n{"id":2,"name":"n2"}\n');
});

test('JSONCompact: compact JSON, rows as lists', async (t) => {
  const server = await startTest(t);
  const answer = JSON.parse(await server.ok(`${select} FORMAT JSONCompact`)) as Record<string, unknown>;
  t.deepEqual(answer['data'], [
    [1, 'n1'],
    [2, 'n2'],
  ]);
  t.is(answer['rows'], 2);
});

test('CSV: comma-separated values; TSV and TabSeparated: tab-separated, the two names equivalent', async (t) => {
  const server = await startTest(t);
  t.is(await server.ok(`${select} FORMAT CSV`), '1,"n1"\n2,"n2"\n');
  t.is(await server.ok(`${select} FORMAT TSV`), '1\tn1\n2\tn2\n');
  t.is(await server.ok(`${select} FORMAT TabSeparated`), '1\tn1\n2\tn2\n');
});

test('Pretty and PrettyCompact: tables for people', async (t) => {
  const server = await startTest(t);
  for (const format of ['Pretty', 'PrettyCompact']) {
    const lines = (await server.ok(`${select} FORMAT ${format}`)).trimEnd().split('\n');
    t.true(
      lines.some((line) => line.includes('id') && line.includes('name')),
      `${format}: a head`,
    );
    t.true(
      lines.some((line) => /1\D+n1/.test(line)),
      `${format}: a row`,
    );
    t.regex(lines.join(''), /[┌┏]/, `${format}: a frame`);
  }
  const height = async (format: string) => (await server.ok(`${select} FORMAT ${format}`)).split('\n').length;
  t.true((await height('PrettyCompact')) < (await height('Pretty')), 'PrettyCompact is the shorter one');
});

test('Values: a VALUES clause that INSERT takes', async (t) => {
  const server = await startTest(t);
  const values = await server.ok(`${select} FORMAT Values`);
  t.is(values, "(1,'n1'),(2,'n2')");
  await server.ok('CREATE STREAM s (id int32, name string)');
  await server.ok(`INSERT INTO s VALUES ${values}`);
  t.is(await server.ok('SELECT id, name FROM table(s)'), '1\tn1\n2\tn2\n');
});

test('Null: no output, though the query is run', async (t) => {
  const server = await startTest(t);
  const answer = await server.sql(`${select} FORMAT Null`);
  t.is(answer.status, 200);
  t.is(answer.text, '');
  t.is(errorOf(t, await server.sql('SELECT throwIf(number = 1) FROM numbers(2) FORMAT Null')).code, 395);
});

test('Every format has its Content-Type and is named in X-Svc-Format; an unknown one is 73 with the nearest name', async (t) => {
  const server = await startTest(t);
  for (const [format, type] of [
    ['JSON', 'application/json'],
    ['JSONCompact', 'application/json'],
    ['JSONEachRow', 'application/x-ndjson'],
    ['CSV', 'text/csv'],
    ['TabSeparated', 'text/tab-separated-values'],
    ['Pretty', 'text/plain'],
    ['PrettyCompact', 'text/plain'],
    ['Values', 'text/plain'],
    ['Null', 'text/plain'],
  ] as const) {
    const answer = await server.sql(`${select} FORMAT ${format}`);
    t.is(answer.headers['content-type']?.split(';')[0], type, format);
    t.is(answer.headers['x-svc-format'], format);
  }
  const unknown = await server.sql('SELECT 1 FORMAT JSONEachRov');
  t.is(unknown.status, 400);
  const told = errorOf(t, unknown);
  t.is(told.code, 73);
  t.regex(told.message, /JSONEachRov.*JSONEachRow/);
});
