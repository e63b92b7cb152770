import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'ava';
import S3rver from 's3rver';
import { s3Key, s3Secret, signatureGuard } from '../files/s3-support.ts';
import { errorOf, startTest, temporaryDirectory } from '../http/support.ts';

test('INSERT INTO FUNCTION: an object-store function taking a URL, two credentials and a format, with PARTITION BY', async (t) => {
  const directory = await temporaryDirectory(t);
  await mkdir(join(directory, 'store'));
  const store = new S3rver({
    address: '127.0.0.1',
    port: 0,
    silent: true,
    directory: join(directory, 'store'),
    configureBuckets: [{ name: 'bucket', configs: [] }],
  });
  const { port } = await store.run();
  t.teardown(() => store.close());
  const bucket = `http://127.0.0.1:${await signatureGuard(t, port)}/bucket`;
  const server = await startTest(t);
  await server.ok('CREATE STREAM s (city string, n int32)');
  await server.ok("INSERT INTO s VALUES ('ulm', 1), ('bonn', 2), ('ulm', 3)");
  const keys = `'${s3Key}', '${s3Secret}', 'CSV'`;
  await server.ok(
    `INSERT INTO FUNCTION s3('${bucket}/{_partition_id}.csv', ${keys}) PARTITION BY city SELECT city, n FROM table(s)`,
  );
  for (const [city, rows] of [
    ['ulm', '1\n3\n'],
    ['bonn', '2\n'],
  ] as const)
    t.is(
      await server.ok(
        `SELECT n FROM s3('${bucket}/${city}.csv', ${keys}, 'city string, n int32') ORDER BY n`,
      ),
      rows,
      'PARTITION BY chooses the partition of each row',
    );
  await server.ok(`INSERT INTO FUNCTION s3('${bucket}/values.csv', ${keys}, 'a int32') VALUES (1), (2)`);
  t.is(await server.ok(`SELECT a FROM s3('${bucket}/values.csv', ${keys}, 'a int32')`), '1\n2\n');
  const wrong = await server.sql('INSERT INTO s PARTITION BY city VALUES (1)');
  t.is(wrong.status, 400, 'PARTITION BY is used with table functions');
  t.regex(errorOf(t, wrong).message, /PARTITION BY is for INSERT INTO FUNCTION/);
});
