import { mkdir, open } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'ava';
import { startTest } from '../http/support.ts';

const megabyte = 1_048_576;

/** The most memory of this process while something runs, in bytes above what it was before. */
async function peakWhile(work: () => Promise<unknown>): Promise<number> {
  const before = process.memoryUsage().rss;
  let most = before;
  const timer = setInterval(() => {
    most = Math.max(most, process.memoryUsage().rss);
  }, 5);
  try {
    await work();
  } finally {
    clearInterval(timer);
  }
  return most - before;
}

test('a file of 200 MB is read with memory for a part of it', async (t) => {
  const server = await startTest(t);
  const root = join(server.directory, 'data', 'user_files');
  await mkdir(root, { recursive: true });
  const line = Buffer.from(
    '12345,some text that is much the same in every row of the file,2024-01-31 12:00:00\n',
  );
  const part = Buffer.concat(Array.from({ length: 12_000 }, () => line));
  const file = await open(join(root, 'large.csv'), 'w');
  let rows = 0;
  for (let size = 0; size < 200 * megabyte; size += part.length, rows += 12_000) await file.write(part);
  await file.close();
  const structure = 'n int32, s string, at datetime';
  await server.ok(`SELECT count() FROM file('large.csv', CSV, '${structure}') LIMIT 1`);
  const read = await peakWhile(async () => {
    t.is(
      await server.ok(`SELECT count(), sum(n) FROM file('large.csv', CSV, '${structure}')`),
      `${rows}\t${rows * 12_345}\n`,
    );
  });
  t.true(read < 100 * megabyte, `reading took ${Math.round(read / megabyte)} MB`);
  await server.ok(`CREATE STREAM s (${structure})`);
  const inserted = await peakWhile(() => server.ok("INSERT INTO s FROM INFILE 'large.csv'"));
  t.is(await server.ok('SELECT count() FROM table(s)'), `${rows}\n`);
  t.true(inserted < 150 * megabyte, `inserting took ${Math.round(inserted / megabyte)} MB`);
  const copied = await peakWhile(() =>
    server.ok(`INSERT INTO FUNCTION file('copy.csv.gz', CSV, '${structure}') SELECT n, s, at FROM table(s)`),
  );
  t.true(copied < 150 * megabyte, `writing took ${Math.round(copied / megabyte)} MB`);
  t.is(await server.ok(`SELECT count() FROM file('copy.csv.gz', CSV, '${structure}')`), `${rows}\n`);
});
