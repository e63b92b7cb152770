import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import zlib from 'node:zlib';
import test, { type ExecutionContext } from 'ava';
import { makeCertificate } from '../../src/server/certificate.ts';
import { type Client, startCommand, startTest, temporaryDirectory, until } from '../http/support.ts';
import { CurlProcess, curl, curlOk } from './curl.ts';

interface Service {
  readonly base: string;
  readonly directory: string;
  readonly client: Client;
  /** Runs a statement in the body, as `curl <base> --data-binary @-` does. */
  readonly sql: (text: string, ...args: string[]) => Promise<string>;
}

async function start(t: ExecutionContext): Promise<Service> {
  const client = await startTest(t);
  const base = `http://127.0.0.1:${client.port}`;
  return {
    base,
    directory: client.directory,
    client,
    sql: (text, ...args) => curlOk(t, [...args, `${base}/`, '--data-binary', '@-'], text),
  };
}

test('curl --data-binary @-, -d, -G --data-urlencode: statements by body, by URL and by GET', async (t) => {
  const { base, sql } = await start(t);
  t.is(await sql('SELECT 1'), '1\n', "echo 'SELECT 1' | curl ... --data-binary @-");
  t.is(await curlOk(t, [`${base}/`, '-d', "SELECT 'a' || 'b'"]), 'ab\n', '-d');
  t.is(await curlOk(t, [`${base}/?query=SELECT%201%2B1`]), '2\n', 'GET with an encoded query');
  t.is(
    await curlOk(t, [
      '-G',
      `${base}/`,
      '--data-urlencode',
      "query=SELECT 'ä & b' AS x",
      '-d',
      'default_format=JSONEachRow',
    ]),
    '{"x":"ä & b"}\n',
    '-G --data-urlencode',
  );
  t.is(await curlOk(t, [`${base}/ping`]), 'Ok.\n', 'curl .../ping');
  t.is(await curlOk(t, [base]), 'Ok.\n', 'curl without anything');
});

test('curl: a first session, from CREATE STREAM to every way of inserting', async (t) => {
  const { base, directory, sql } = await start(t);
  t.is(await sql('CREATE STREAM devices (id int32, name string, at datetime64(3) DEFAULT now64(3));\n'), '');
  const post = (query: string, data: string, ...args: string[]) =>
    curlOk(t, [...args, `${base}/?query=${encodeURIComponent(query)}`, '--data-binary', '@-'], data);
  await sql("INSERT INTO devices (id, name) VALUES (1, 'values'), (2, 'values');");
  await sql(
    'INSERT INTO devices (id, name) FORMAT JSONEachRow\n{"id":3,"name":"inline"}\n{"id":4,"name":"inline"};\n',
  );
  await post('INSERT INTO devices (id, name) FORMAT CSV', '5,url\n6,url\n', '-H', 'Content-Type: text/csv');
  await post(
    'INSERT INTO devices (id, name) FORMAT JSONEachRow',
    '{"id":7,"name":"json"}',
    '-H',
    'Content-Type: application/json',
  );
  const intoCsv = `${base}/?query=${encodeURIComponent('INSERT INTO devices (id, name) FORMAT CSV')}`;
  const file = join(directory, 'rows.csv');
  await writeFile(file, '8,file\n9,file\n');
  await curlOk(t, [
    `${base}/`,
    '-F',
    'query=INSERT INTO devices (id, name) FORMAT CSV',
    '-F',
    `data=@${file}`,
  ]);
  await curlOk(t, ['-T', '-', '-X', 'POST', intoCsv], '8,file\n9,file\n');
  await writeFile(`${file}.gz`, zlib.gzipSync('10,gzip\n'));
  await curlOk(t, [...['-H', 'Content-Encoding: gzip', '--data-binary', `@${file}.gz`], intoCsv]);
  await curlOk(t, [
    ...['-X', 'POST', `${base}/svc/v1/ingest/streams/devices`, '-H', 'Content-Type: application/json'],
    ...['-d', '{"id":11,"name":"ingest"}'],
  ]);
  t.is(
    await sql('SELECT name, count() FROM table(devices) GROUP BY name ORDER BY name FORMAT CSV'),
    '"file",4\n"gzip",1\n"ingest",1\n"inline",2\n"json",1\n"url",2\n"values",2\n',
  );
  t.is(await sql('SHOW STREAMS'), 'devices\n');
  t.regex(await sql('DESCRIBE devices'), /^id\tint32\t/);
  t.is(await sql("SELECT name FROM system.tables WHERE database = 'default'"), 'devices\n');
  t.regex(await sql('SELECT version()'), /^\d+\.\d+/);
  t.regex(await sql('SELECT * FROM table(devices) LIMIT 1 FORMAT Pretty'), /devices|values/);
});

test('curl --compressed, -H Accept-Encoding, -H X-Svc-Format, -H X-Svc-Database, -i', async (t) => {
  const { base, sql } = await start(t);
  t.is(await sql('SELECT 1', '--compressed'), '1\n', '--compressed');
  const packed = await curl(t, ['-H', 'Accept-Encoding: gzip', `${base}/`, '-d', 'SELECT 1']);
  t.is(zlib.gunzipSync(packed.bytes).toString(), '1\n');
  t.is(await sql("SELECT 'x' AS a", '-H', 'X-Svc-Format: JSONEachRow'), '{"a":"x"}\n');
  await sql('CREATE DATABASE shop');
  await sql('CREATE STREAM orders (id int32)', '-H', 'X-Svc-Database: shop');
  t.is(await curlOk(t, [`${base}/?database=shop`, '-d', 'SHOW STREAMS']), 'orders\n');
  const head = await sql('SELECT 1', '-i');
  t.regex(head, /^HTTP\/1\.1 200 OK\r\n/);
  t.regex(head, /\r\nX-Svc-Query-Id: [0-9a-f-]{36}\r\n/i);
});

test('curl -N: a streaming query arrives line by line, and LIMIT ends it', async (t) => {
  const { base, client, sql } = await start(t);
  await sql('CREATE STREAM s (a int32)');
  const open = async (query: string, id: string, ...args: string[]) => {
    const process = new CurlProcess(
      t,
      ['-N', ...args, `${base}/?query_id=${id}`, '--data-binary', '@-'],
      query,
    );
    await until('the query runs', () => client.runs(id));
    return process;
  };
  const endless = await open('SELECT a FROM s FORMAT JSONEachRow', 'endless');
  const limited = await open('SELECT a FROM s LIMIT 2 FORMAT JSONEachRow', 'limited');
  const packed = await open('SELECT a FROM s FORMAT JSONEachRow', 'packed', '--compressed');
  for (let row = 1; row <= 3; row++) {
    await sql(`INSERT INTO s VALUES (${row})`);
    t.is((await endless.take(row)).at(-1), `{"a":${row}}`, 'a line comes before the next row is inserted');
    t.is((await packed.take(row)).at(-1), `{"a":${row}}`, 'in a compressed stream, too');
  }
  const ended = await limited.ended;
  t.is(ended.code, 0);
  t.is(ended.output, '{"a":1}\n{"a":2}\n');
  await sql("KILL QUERY WHERE query_id = 'endless' SYNC");
  const cut = await endless.ended;
  t.not(cut.code, 0, 'curl tells that a cut stream is not whole');
  t.regex(cut.output, /"exception":"Code: 394\. /);
});

test('curl -u user:password; -H Authorization; --fail tells an error by its exit code', async (t) => {
  const { base, sql } = await start(t);
  await sql("CREATE USER anna IDENTIFIED BY 'pw'");
  const who = ['-d', 'SELECT current_user()', `${base}/`];
  t.is(await curlOk(t, ['-u', 'default:', ...who]), 'default\n', 'default: works');
  t.is(await curlOk(t, ['-u', 'anna:pw', ...who]), 'anna\n');
  t.is(
    await curlOk(t, ['-H', `Authorization: Basic ${Buffer.from('anna:pw').toString('base64')}`, ...who]),
    'anna\n',
  );
  const status = async (...args: string[]) =>
    (await curl(t, ['-o', '/dev/null', '-w', '%{http_code}', ...args])).output;
  t.is(await status('-u', 'anna:wrong', ...who), '401');
  t.is(await status('-u', 'anna:pw', `${base}/`, '-d', 'CREATE STREAM s (a int32)'), '403');
  t.is(await status(`${base}/`, '-d', 'SELEC 1'), '400');
  t.is(await status(`${base}/`, '-d', 'SELECT * FROM table(nothing)'), '404');
  const failed = await curl(t, ['--fail-with-body', `${base}/`, '-d', 'SELECT * FROM table(nothing)']);
  t.is(failed.code, 22);
  t.is(failed.output, `{"exception":"Code: 60. DB::Exception: Table default.nothing doesn't exist"}`);
});

test('curl: the structured interface', async (t) => {
  const { base } = await start(t);
  const json = ['-H', 'Content-Type: application/json'];
  const body = '{"name":"devices","columns":[{"name":"id","type":"int32"},{"name":"name","type":"string"}]}';
  const made = await curlOk(t, ['-X', 'POST', `${base}/svc/v1/ddl/streams`, ...json, '-d', body]);
  t.deepEqual(Object.keys(JSON.parse(made) as object), ['request_id']);
  const list = JSON.parse(await curlOk(t, [`${base}/svc/v1/ddl/streams`])) as { data: { name: string }[] };
  t.is(list.data[0]?.name, 'devices');
  const one = JSON.parse(await curlOk(t, [`${base}/svcd/v1/ddl/streams/default/devices`])) as {
    data: { columns: { name: string }[] };
  };
  t.is(one.data.columns[0]?.name, 'id');
  await curlOk(t, ['-X', 'DELETE', `${base}/svc/v1/ddl/streams/default/devices`]);
});

test('HTTPS with --cacert: the same interface behind a certificate that sluice cert made', async (t) => {
  const directory = await temporaryDirectory(t);
  const { cert, key } = await makeCertificate(['--out-dir', directory, '--host', 'localhost,127.0.0.1']);
  const { process: server } = await startCommand(t, directory, [
    ...['--https-port', '0', '--tls-cert', cert, '--tls-key', key],
  ]);
  const { https } = await server.ready();
  const base = `https://localhost:${https}`;
  t.is(await curlOk(t, ['--cacert', cert, `${base}/ping`]), 'Ok.\n');
  await curlOk(t, ['--cacert', cert, `${base}/`, '-d', 'CREATE STREAM s (a int32)']);
  await curlOk(
    t,
    ['--cacert', cert, '--compressed', `${base}/`, '--data-binary', '@-'],
    'INSERT INTO s FORMAT CSV\n1\n2\n',
  );
  t.is(
    await curlOk(t, ['--cacert', cert, '-u', 'default:', `${base}/`, '-d', 'SELECT a FROM table(s)']),
    '1\n2\n',
  );
  const stream = await curlOk(
    t,
    ['-N', '--cacert', cert, `${base}/`, '--data-binary', '@-'],
    "SELECT a FROM s LIMIT 2 SETTINGS seek_to = 'earliest'",
  );
  t.is(stream, '1\n2\n');
  t.is((await curl(t, [`${base}/ping`])).code, 60, 'without --cacert the certificate is not trusted');
  t.regex(await readFile(cert, 'utf8'), /BEGIN CERTIFICATE/);
});

test('curl: an answer that is larger than memory would like comes whole, and errors before output have their status', async (t) => {
  const { base, sql } = await start(t);
  const numbers = await sql('SELECT number FROM numbers(300000)');
  t.is(numbers.length, 1_988_890);
  const late = await curl(t, [`${base}/`, '-d', 'SELECT throwIf(number = 5000000) FROM numbers(10000000)']);
  t.not(late.code, 0, 'a result that failed half way is cut');
  t.regex(late.output, /\n\{"exception":"Code: 395\. [^\n]*\}\n$/);
  const whole = await curl(t, [
    `${base}/?wait_end_of_query=1`,
    '-d',
    'SELECT throwIf(number = 5000000) FROM numbers(10000000) FORMAT Null',
    '-w',
    '%{http_code}',
  ]);
  t.regex(whole.output, /400$/);
});
