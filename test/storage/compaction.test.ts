import test from 'ava';
import { blockRows } from '../../src/column/index.ts';
import { nodeFileSystem } from '../../src/storage/index.ts';
import {
  blockOf,
  copyOfFiles,
  filesOfLog,
  logId,
  numbersOf,
  openAt,
  randomOf,
  range,
  rowOf,
  rowsOf,
  schema,
  temporaryDirectory,
} from './helpers.ts';

const foreground = { compaction: { background: false } };

/** Lets everything that is due in the background happen. */
async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve));
}

test('compaction changes no row, and old snapshots stay readable', async (t) => {
  const directory = temporaryDirectory(t);
  const store = await openAt(t, directory, { ...foreground, segmentBytesMax: 100_000 });
  const log = await store.openLog(logId, schema);
  const random = randomOf(7);
  const snapshots = [];
  while (log.end < 5_000) {
    const rows = random() < 0.5 ? 1 : Math.ceil(random() * 400);
    await log.append(blockOf(range(log.end, log.end + rows)));
    if (random() < 0.1) snapshots.push(log.snapshot(Math.floor(random() * log.end)));
  }
  const { end } = log;
  const before = log.snapshot();
  const segments = filesOfLog(directory, '.segment');
  t.true(segments.length > 2);
  await log.compactNow();
  t.deepEqual(filesOfLog(directory, '.segment'), []);
  t.true(filesOfLog(directory, '.part').length < segments.length);
  const expected = range(0, end).map(rowOf);
  t.deepEqual(await rowsOf(t, log.snapshot()), expected);
  t.deepEqual(await rowsOf(t, before), expected);
  for (const snapshot of snapshots) {
    const from = snapshot.blocks[0]?.firstSequence ?? snapshot.end;
    t.deepEqual(await numbersOf(t, snapshot), range(from, snapshot.end));
  }
  await store.close();
  const again = await openAt(t, directory);
  t.deepEqual(await rowsOf(t, (await again.openLog(logId, schema)).snapshot()), expected);
  t.deepEqual(again.problems, []);
});

test('snapshots from before compaction are read from the new files when memory holds nothing', async (t) => {
  const directory = temporaryDirectory(t);
  const store = await openAt(t, directory, { ...foreground, cacheBytesMax: 0, segmentRecordsMax: 10 });
  const log = await store.openLog(logId, schema);
  for (const index of range(0, 50)) await log.append(blockOf(range(index * 10, index * 10 + 10)));
  const old = log.snapshot(15);
  await log.compactNow();
  t.is(store.cacheBytes, 0);
  t.deepEqual(await numbersOf(t, old), range(15, 500));
  await log.append(blockOf([500]));
  await log.compactNow();
  t.deepEqual(await numbersOf(t, old), range(15, 500));
});

test('a file that is deleted while a block of it is about to be read is no error', async (t) => {
  const directory = temporaryDirectory(t);
  let compact: (() => Promise<void>) | undefined;
  let compacted = false;
  const fileSystem = {
    ...nodeFileSystem,
    open: async (...[path, mode]: Parameters<typeof nodeFileSystem.open>) => {
      if (mode === 'read' && path.endsWith('.segment') && compact !== undefined) {
        const run = compact;
        compact = undefined;
        await run();
        compacted = true;
      }
      return nodeFileSystem.open(path, mode);
    },
  };
  const store = await openAt(t, directory, {
    ...foreground,
    fileSystem,
    cacheBytesMax: 0,
    segmentRecordsMax: 4,
  });
  const log = await store.openLog(logId, schema);
  for (const number of range(0, 20)) await log.append(blockOf([number]));
  const old = log.snapshot();
  compact = () => log.compactNow();
  t.deepEqual(await numbersOf(t, old), range(0, 20));
  t.true(compacted);
});

test('a log that is fed row by row is a few blocks to its readers', async (t) => {
  const directory = temporaryDirectory(t);
  const store = await openAt(t, directory);
  const log = await store.openLog(logId, schema);
  const count = 50_000;
  const blocks = range(0, 100).map((number) => blockOf([number]));
  let next = 0;
  const sequences = new Uint8Array(count);
  const caller = async (): Promise<void> => {
    while (next < count) sequences[(await log.append(blocks[next++ % 100]!)).firstSequence]!++;
  };
  const callers = Array.from({ length: 500 }, caller);
  await Promise.all(callers);
  t.true(sequences.every((times) => times === 1));
  await turns(200);
  t.true(log.snapshot().blocks.length < 200);
  t.is(log.rows, count);
  for (const from of [0, 1, 31, 33, 1_500, 49_999]) {
    const { blocks: refs } = log.snapshot(from);
    t.is(refs[0]!.firstSequence, from);
    t.is(blockRows(await refs[0]!.load())[0]![0], from % 100);
    t.is(
      refs.reduce((sum, ref) => sum + ref.rows, 0),
      count - from,
    );
  }
  const crashed = await openAt(t, copyOfFiles(t, directory));
  t.is((await crashed.openLog(logId, schema)).rows, count);
  await log.compactNow();
  t.is(log.snapshot().blocks.length, 1);
  t.deepEqual((await numbersOf(t, log.snapshot())).slice(-3), [97, 98, 99]);
});

test('sealed segments of small blocks are compacted in the background', async (t) => {
  const directory = temporaryDirectory(t);
  const store = await openAt(t, directory, { segmentRecordsMax: 100, compaction: { filesFanout: 4 } });
  const log = await store.openLog(logId, schema);
  for (const index of range(0, 300)) await log.append(blockOf(range(index * 3, index * 3 + 3)));
  await (log as unknown as { idle(): Promise<void> }).idle();
  t.true(filesOfLog(directory, '.part').length > 0);
  t.deepEqual(await numbersOf(t, log.snapshot()), range(0, 900));
  t.deepEqual(store.problems, []);
});

test('the files that restarts leave behind are merged', async (t) => {
  const directory = temporaryDirectory(t);
  for (const number of range(0, 20)) {
    const store = await openAt(t, directory);
    const log = await store.openLog(logId, schema);
    await log.append(blockOf([number]));
    await (log as unknown as { idle(): Promise<void> }).idle();
    t.deepEqual(await numbersOf(t, log.snapshot()), range(0, number + 1));
    await store.close();
  }
  t.true(filesOfLog(directory, '').length < 20);
});

test('more data than the cache holds is read from disk', async (t) => {
  const directory = temporaryDirectory(t);
  const cacheBytesMax = 1_000_000;
  const store = await openAt(t, directory, { cacheBytesMax, segmentBytesMax: 500_000 });
  const log = await store.openLog(logId, schema);
  for (const index of range(0, 40)) await log.append(blockOf(range(index * 1_000, index * 1_000 + 1_000)));
  t.true(log.bytes > 3 * cacheBytesMax);
  for (let pass = 0; pass < 2; pass++) {
    t.deepEqual(await numbersOf(t, log.snapshot()), range(0, 40_000));
    t.true(store.cacheBytes <= cacheBytesMax);
  }
  const last = log.snapshot(39_999).blocks[0]!;
  await last.load();
  t.false(last.load() instanceof Promise);
});

test('rows are truncated for good; numbers and positions go on, tokens do not', async (t) => {
  const directory = temporaryDirectory(t);
  const store = await openAt(t, directory, { segmentRecordsMax: 3 });
  const log = await store.openLog(logId, schema);
  for (const number of range(0, 10)) {
    await log.append(blockOf([number]), { token: `t${number}`, origin: { writer: 'w', position: number } });
  }
  const old = log.snapshot();
  const pending = log.append(blockOf([10]));
  const truncated = log.truncate();
  await Promise.all([pending, truncated, log.append(blockOf([11]), { token: 'new' })]);
  t.deepEqual(await numbersOf(t, log.snapshot()), [11]);
  t.is(log.end, 12);
  t.is(log.rows, 1);
  t.deepEqual(filesOfLog(directory, '').length, 2);
  await t.throwsAsync(
    async () => {
      for (const ref of old.blocks) await ref.load();
      throw new Error('all in memory, were truncated or dropped');
    },
    { message: /were truncated or dropped/ },
  );
  const crashed = await (await openAt(t, copyOfFiles(t, directory))).openLog(logId, schema);
  await store.close();
  const reopened = await (await openAt(t, directory)).openLog(logId, schema);
  for (const other of [crashed, reopened]) {
    t.deepEqual(await numbersOf(t, other.snapshot()), [11]);
    t.is(other.end, 12);
    t.is(other.originPosition('w'), 9);
    t.true((await other.append(blockOf([0]), { token: 'new' })).duplicate);
    t.false((await other.append(blockOf([0]), { token: 't4' })).duplicate);
  }
});

test('a dropped log is gone, and its id can be used again', async (t) => {
  const directory = temporaryDirectory(t);
  const store = await openAt(t, directory);
  const log = await store.openLog(logId, schema);
  const last = log.append(blockOf([0]));
  await store.dropLog(logId);
  await last;
  await t.throwsAsync(log.append(blockOf([1])), { message: /has been dropped/ });
  t.deepEqual(await store.listLogs(), []);
  await store.dropLog(logId);
  const again = await store.openLog(logId, schema);
  t.is(again.end, 0);
  t.deepEqual(await store.listLogs(), [logId]);
  await store.close();
});

for (const seed of range(1, 7)) {
  test(`whatever is done in whatever order, the rows are those of an array: seed ${seed}`, async (t) => {
    const directory = temporaryDirectory(t);
    const random = randomOf(seed);
    const options = {
      segmentBytesMax: 3_000 + Math.floor(random() * 100_000),
      segmentRecordsMax: 2 + Math.floor(random() * 40),
      cacheBytesMax: random() < 0.5 ? 20_000 : undefined,
      compaction: { background: random() < 0.7, blocksFanout: 2 + Math.floor(random() * 6), filesFanout: 3 },
    };
    let store = await openAt(t, directory, options);
    let log = await store.openLog(logId, schema);
    let first = 0;
    for (let step = 0; step < 120; step++) {
      const choice = random();
      if (choice < 0.6) {
        const appends = [];
        let next = log.end;
        for (let count = Math.ceil(random() * 8); count > 0; count--) {
          const rows = random() < 0.7 ? 1 : Math.ceil(random() * 60);
          appends.push(log.append(blockOf(range(next, next + rows))));
          next += rows;
        }
        await Promise.all(appends);
      } else if (choice < 0.65) {
        await log.compactNow();
      } else if (choice < 0.68) {
        await log.truncate();
        first = log.end;
      } else if (choice < 0.72) {
        if (random() < 0.5) await store.close();
        const crashed = copyOfFiles(t, directory);
        await store.close();
        store = await openAt(t, crashed, options);
        log = await store.openLog(logId, schema);
        await store.close();
        store = await openAt(t, directory, options);
        log = await store.openLog(logId, schema);
      } else if (choice < 0.9) {
        const from = first + Math.floor(random() * (log.end - first + 1));
        const snapshot = log.snapshot(from);
        const more = log.append(blockOf([log.end]));
        t.deepEqual(await numbersOf(t, snapshot), range(from, snapshot.end));
        await more;
      } else {
        await turns(3);
      }
    }
    t.deepEqual(await rowsOf(t, log.snapshot()), range(first, log.end).map(rowOf));
    t.deepEqual(store.problems, []);
    await store.close();
  });
}
