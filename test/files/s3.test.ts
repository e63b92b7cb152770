import { mkdir } from 'node:fs/promises';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import S3rver from 's3rver';
import { errorOf, startTest, temporaryDirectory } from '../http/support.ts';
import { s3Key, s3Secret, signatureGuard } from './s3-support.ts';

const credentials = `'${s3Key}', '${s3Secret}'`;

/** A server of the S3 protocol with an empty bucket, and ours beside it. */
async function start(t: ExecutionContext, flags: readonly string[] = []) {
  const directory = await temporaryDirectory(t);
  await mkdir(join(directory, 'store'));
  const store = new S3rver({
    address: '127.0.0.1',
    port: 0,
    silent: true,
    directory: join(directory, 'store'),
    configureBuckets: [{ name: 'bucket', configs: [] }],
  });
  const address = await store.run();
  t.teardown(() => store.close());
  const server = await startTest(t, { flags });
  const bucket = `http://127.0.0.1:${await signatureGuard(t, address.port)}/bucket`;
  const failure = async (sql: string, parameters = {}) => errorOf(t, await server.sql(sql, parameters));
  return Object.assign(server, { bucket, failure });
}

test('objects are written and read, by pattern and without a structure', async (t) => {
  const server = await start(t);
  const { bucket } = server;
  await server.ok(
    `INSERT INTO FUNCTION s3('${bucket}/a/1.csv', ${credentials}, 'CSV') SELECT number AS n, 'x' AS s FROM numbers(3)`,
  );
  await server.ok(
    `INSERT INTO FUNCTION s3('${bucket}/a/2.csv.gz', ${credentials}, CSV, 'n int32, s string') VALUES (7, 'ä & <b>')`,
  );
  await server.ok(`INSERT INTO FUNCTION s3('${bucket}/a/odd name+%25.jsonl', ${credentials}) SELECT 9 AS n`);
  t.is(
    await server.ok(
      `SELECT n, s FROM s3('${bucket}/a/*.csv*', ${credentials}, CSV, 'n int32, s string') ORDER BY n`,
    ),
    '0\tx\n1\tx\n2\tx\n7\tä & <b>\n',
  );
  t.is(
    await server
      .ok(
        `SELECT sum(n), any(_file) FROM s3('${bucket}/a/{1,2}.{csv,csv.gz}', ${credentials}, CSV, 'n int32, s string') WHERE _file = '1.csv'`,
      )
      .catch((error: Error) => (/404|NoSuchKey/.test(error.message) ? 'missing' : error.message)),
    'missing',
  );
  t.is(await server.ok(`SELECT * FROM s3('${bucket}/a/odd*', ${credentials})`), '9\n');
  t.is(
    (await server.failure(`SELECT * FROM s3('${bucket}/b/*.csv', ${credentials}, CSV, 'n int32')`)).code,
    107,
  );
  t.regex(
    (await server.failure(`SELECT * FROM s3('${bucket}/none.csv', ${credentials}, CSV, 'n int32')`)).message,
    /status 404: NoSuchKey/,
  );
  t.is(
    (await server.failure(`INSERT INTO FUNCTION s3('${bucket}/a/1.csv', ${credentials}) SELECT 1 AS n`)).code,
    504,
  );
  await server.ok(
    `INSERT INTO FUNCTION s3('${bucket}/a/1.csv', ${credentials}) SELECT 1 AS n SETTINGS s3_truncate_on_insert = 1`,
  );
  t.is(await server.ok(`SELECT * FROM s3('${bucket}/a/1.csv', ${credentials}, CSV, 'n int32')`), '1\n');
});

test('PARTITION BY writes an object for each value', async (t) => {
  const server = await start(t);
  const { bucket } = server;
  await server.ok('CREATE STREAM events (day date, n int32)');
  await server.ok("INSERT INTO events VALUES ('2024-01-01', 1), ('2024-01-02', 2), ('2024-01-01', 3)");
  await server.ok(
    `INSERT INTO FUNCTION s3('${bucket}/{_partition_id}.csv', ${credentials}, 'CSV') PARTITION BY to_string(day) SELECT day, n FROM table(events)`,
  );
  t.is(
    await server.ok(
      `SELECT _file, count(), sum(n) FROM s3('${bucket}/2024-*.csv', ${credentials}, 'CSV', 'day date, n int32') GROUP BY _file ORDER BY _file`,
    ),
    '2024-01-01.csv\t2\t4\n2024-01-02.csv\t1\t2\n',
  );
});

test('a large object goes in parts, and nothing is seen of one that fails', async (t) => {
  const server = await start(t);
  const { bucket } = server;
  const rows = 300_000;
  await server.ok(
    `INSERT INTO FUNCTION s3('${bucket}/big.csv', ${credentials}) SELECT number AS n, repeat('abcdefgh', 10) AS s FROM numbers(${rows})`,
  );
  t.is(
    await server.ok(
      `SELECT count(), sum(n), max(length(s)) FROM s3('${bucket}/big.csv', ${credentials}, CSV, 'n int64, s string')`,
    ),
    `${rows}\t${(rows * (rows - 1)) / 2}\t80\n`,
  );
  const failed = await server.failure(
    `INSERT INTO FUNCTION s3('${bucket}/half.csv', ${credentials}) SELECT number + throw_if(number = ${rows}) AS n, repeat('abcdefgh', 10) AS s FROM numbers(${rows + 1})`,
  );
  t.is(failed.code, 395);
  t.regex(
    (await server.failure(`SELECT * FROM s3('${bucket}/half.csv', ${credentials}, CSV, 'n int64, s string')`))
      .message,
    /404/,
  );
  t.is(
    (await server.failure(`SELECT * FROM s3('${bucket}/h*.csv', ${credentials}, CSV, 'n int64, s string')`))
      .code,
    107,
  );
});

test('wrong credentials, buckets and hosts are told', async (t) => {
  const server = await start(t);
  const { bucket } = server;
  const wrong = await server.failure(
    `INSERT INTO FUNCTION s3('${bucket}/x.csv', 'S3RVER', 'wrong') SELECT 1 AS n`,
  );
  t.is(wrong.code, 499);
  t.regex(wrong.message, /status 403/);
  t.notRegex(wrong.message, /wrong/);
  t.regex(
    (await server.failure(`SELECT * FROM s3('${bucket}x/a*.csv', ${credentials}, CSV, 'n int32')`)).message,
    /NoSuchBucket/,
  );
  t.is(
    (await server.failure(`SELECT * FROM s3('http://127.0.0.1:1/b/a.csv', ${credentials}, CSV, 'n int32')`))
      .code,
    210,
  );
  t.is((await server.failure(`SELECT * FROM s3('nonsense', ${credentials}, CSV, 'n int32')`)).code, 36);
  t.is(
    (await server.failure(`SELECT * FROM s3('http://127.0.0.1/bucket', ${credentials}, CSV, 'n int32')`))
      .code,
    36,
  );
});

test('the server can be kept from hosts', async (t) => {
  for (const [hosts, allowed] of [
    ['none', false],
    ['example.com', false],
    ['127.0.0.1', true],
    ['*.example.com,127.0.0.1', true],
  ] as const) {
    const server = await start(t, ['--outside-hosts', hosts]);
    const answer = await server.sql(
      `INSERT INTO FUNCTION s3('${server.bucket}/x.csv', ${credentials}) SELECT 1 AS n`,
    );
    t.is(answer.status, allowed ? 200 : 403, hosts);
  }
  const server = await start(t);
  for (const url of [
    'http://169.254.169.254/latest/meta-data',
    'http://[fe80::1]/x',
    'http://[::ffff:169.254.169.254]/x',
  ])
    t.is((await server.failure(`SELECT * FROM url('${url}', LineAsString)`)).code, 497, url);
});

test('the secret of a running query is not shown', async (t) => {
  const server = await start(t);
  const slow = http.createServer(() => {});
  await new Promise<void>((resolve) => slow.listen(0, '127.0.0.1', resolve));
  t.teardown(() => {
    slow.closeAllConnections();
    slow.close();
  });
  const { port } = slow.address() as AddressInfo;
  const query = await server.open(
    `SELECT * FROM s3('http://127.0.0.1:${port}/b/k', 'KEYNAME', 'TOPSECRET', CSV, 'n int32')`,
  );
  const text = await server.ok("SELECT query FROM system.processes WHERE query LIKE '%KEYNAME%'");
  t.true(text.includes('KEYNAME'));
  t.false(text.includes('TOPSECRET'), text);
  query.leave();
  await server.idle();
});
