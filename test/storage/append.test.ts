import test from 'ava';
import { SluiceError } from '../../src/base/index.ts';
import { blockRows, sliceBlock } from '../../src/column/index.ts';
import { types } from '../../src/types/index.ts';
import { FaultFileSystem } from './fault-file-system.ts';
import {
  blockOf,
  copyOfFiles,
  logId,
  numbersOf,
  openAt,
  range,
  rowOf,
  rowsOf,
  schema,
  temporaryDirectory,
} from './helpers.ts';

test('rows of every kind of vector are read back, from memory and from disk', async (t) => {
  const directory = temporaryDirectory(t);
  const store = await openAt(t, directory);
  const log = await store.openLog(logId, schema);
  t.deepEqual(await log.append(blockOf(range(0, 3))), { firstSequence: 0, rows: 3, duplicate: false });
  // This one is large enough for shared memory.
  t.deepEqual(await log.append(blockOf(range(3, 3_000))), {
    firstSequence: 3,
    rows: 2_997,
    duplicate: false,
  });
  const expected = range(0, 3_000).map(rowOf);
  t.deepEqual(await rowsOf(t, log.snapshot()), expected);
  t.is(log.end, 3_000);
  t.is(log.rows, 3_000);
  const crashed = await openAt(t, copyOfFiles(t, directory));
  t.deepEqual(await rowsOf(t, (await crashed.openLog(logId, schema)).snapshot()), expected);
  await store.close();
  const again = await openAt(t, directory);
  const reopened = await again.openLog(logId, schema);
  t.deepEqual(await rowsOf(t, reopened.snapshot()), expected);
  t.deepEqual([reopened.end, reopened.rows, again.problems, crashed.problems], [3_000, 3_000, [], []]);
});

test('large blocks are handed to readers in shared memory', async (t) => {
  const store = await openAt(t, temporaryDirectory(t));
  const log = await store.openLog(logId, schema);
  await log.append(blockOf(range(0, 5_000)));
  const block = await log.snapshot().blocks[0]!.load();
  const vector = block.vectors[0]!;
  t.true(vector.kind === 'flat' && vector.data.buffer instanceof SharedArrayBuffer);
});

test('a snapshot starts at any sequence number and does not change', async (t) => {
  const store = await openAt(t, temporaryDirectory(t));
  const log = await store.openLog(logId, schema);
  for (let start = 0; start < 40; start += 8) await log.append(blockOf(range(start, start + 8)));
  const snapshots = range(0, 42).map((from) => log.snapshot(from));
  await log.append(blockOf([40]));
  for (const [from, snapshot] of snapshots.entries()) {
    t.deepEqual(await numbersOf(t, snapshot), range(from, 40));
    t.is(snapshot.end, 40);
  }
  t.is(log.snapshot(17).blocks[0]!.firstSequence, 17);
});

test('appends that wait for the disk together share one write and one sync', async (t) => {
  const fileSystem = new FaultFileSystem();
  const store = await openAt(t, temporaryDirectory(t), { fileSystem });
  const log = await store.openLog(logId, schema);
  await log.append(blockOf([0]));
  fileSystem.counts.clear();
  const results = await Promise.all(range(1, 501).map((number) => log.append(blockOf([number]))));
  t.deepEqual(
    results.map((result) => result.firstSequence),
    range(1, 501),
  );
  t.true(fileSystem.counts.get('sync')! <= 2);
  t.true(fileSystem.counts.get('write')! <= 2);
  t.deepEqual(await numbersOf(t, log.snapshot()), range(0, 501));
});

test('subscribers see each block once, in order, when it is durable and before its append resolves', async (t) => {
  const fileSystem = new FaultFileSystem();
  const store = await openAt(t, temporaryDirectory(t), { fileSystem });
  const log = await store.openLog(logId, schema);
  const events: string[] = [];
  let syncs = 0;
  fileSystem.plan = (operation, path) => {
    if (operation === 'sync' && path.endsWith('.segment')) syncs++;
    return undefined;
  };
  const end = log.subscribe((ref) => {
    t.true(syncs > 0);
    t.is(log.snapshot().end, ref.firstSequence + ref.rows);
    const loaded = ref.load();
    t.false(loaded instanceof Promise);
    events.push(`seen ${ref.firstSequence}`);
  });
  await Promise.all(
    range(0, 3).map((n) => log.append(blockOf([n])).then((r) => events.push(`done ${r.firstSequence}`))),
  );
  t.deepEqual(
    events.filter((event) => event.startsWith('seen')),
    ['seen 0', 'seen 1', 'seen 2'],
  );
  for (const number of range(0, 3))
    t.true(events.indexOf(`seen ${number}`) < events.indexOf(`done ${number}`));
  end();
  await log.append(blockOf([3]));
  t.is(events.length, 6);
});

test('a subscriber that throws harms neither the append nor the other subscribers', async (t) => {
  const store = await openAt(t, temporaryDirectory(t));
  const log = await store.openLog(logId, schema);
  let seen = 0;
  log.subscribe(() => {
    throw new Error('no');
  });
  log.subscribe(() => seen++);
  await log.append(blockOf([0]));
  t.is(seen, 1);
  t.deepEqual(
    store.problems.map(({ kind }) => kind),
    ['listener-failure'],
  );
});

test('a token is written once: again, at the same time, after a restart and after a crash', async (t) => {
  const directory = temporaryDirectory(t);
  const store = await openAt(t, directory);
  const log = await store.openLog(logId, schema);
  const both = await Promise.all([
    log.append(blockOf(range(0, 4)), { token: 'a' }),
    log.append(blockOf(range(0, 4)), { token: 'a' }),
  ]);
  t.deepEqual(both, [
    { firstSequence: 0, rows: 4, duplicate: false },
    { firstSequence: 0, rows: 4, duplicate: true },
  ]);
  await log.append([blockOf([4]), blockOf([5, 6])], { token: 'b' });
  const crashed = await (await openAt(t, copyOfFiles(t, directory))).openLog(logId, schema);
  await log.compactNow();
  await store.close();
  const reopened = await (await openAt(t, directory)).openLog(logId, schema);
  for (const other of [crashed, reopened]) {
    t.deepEqual(await other.append(blockOf([9]), { token: 'a' }), {
      firstSequence: 0,
      rows: 4,
      duplicate: true,
    });
    t.deepEqual(await other.append(blockOf([9]), { token: 'b' }), {
      firstSequence: 4,
      rows: 3,
      duplicate: true,
    });
    t.deepEqual(await numbersOf(t, other.snapshot()), range(0, 7));
  }
});

test('only so many tokens are remembered', async (t) => {
  const store = await openAt(t, temporaryDirectory(t), { tokensMax: 2 });
  const log = await store.openLog(logId, schema);
  for (const [index, token] of ['a', 'b', 'c'].entries()) await log.append(blockOf([index]), { token });
  t.true((await log.append(blockOf([3]), { token: 'c' })).duplicate);
  t.true((await log.append(blockOf([3]), { token: 'b' })).duplicate);
  t.false((await log.append(blockOf([3]), { token: 'a' })).duplicate);
});

test('the last position of each writer outlives restart, crash and compaction', async (t) => {
  const directory = temporaryDirectory(t);
  const store = await openAt(t, directory);
  const log = await store.openLog(logId, schema);
  t.is(log.originPosition('view'), undefined);
  await log.append(blockOf([0]), { origin: { writer: 'view', position: { source: 1 } } });
  const position = { source: 17n ** 20n, more: new Map([['partition', [1, 2.5]]]) };
  await log.append(blockOf([1]), { origin: { writer: 'view', position } });
  await log.append(blockOf([2]), { origin: { writer: 'other', position: 5 } });
  // A position without rows is kept as well, and is no block to readers.
  t.deepEqual(await log.append([], { origin: { writer: 'other', position: 6 } }), {
    firstSequence: 3,
    rows: 0,
    duplicate: false,
  });
  const crashed = await (await openAt(t, copyOfFiles(t, directory))).openLog(logId, schema);
  await log.compactNow();
  await store.close();
  const reopened = await (await openAt(t, directory)).openLog(logId, schema);
  for (const other of [crashed, reopened]) {
    t.deepEqual(other.originPosition('view'), position);
    t.is(other.originPosition('other'), 6);
    t.is(other.rows, 3);
  }
});

test('several blocks of one append are seen together', async (t) => {
  const store = await openAt(t, temporaryDirectory(t));
  const log = await store.openLog(logId, schema);
  const ends: number[] = [];
  log.subscribe(() => ends.push(log.snapshot().blocks.reduce((sum, ref) => sum + ref.rows, 0)));
  t.deepEqual(await log.append([blockOf([0, 1]), blockOf([2])]), {
    firstSequence: 0,
    rows: 3,
    duplicate: false,
  });
  t.deepEqual(ends, [3, 3]);
});

test('an append of no rows writes nothing', async (t) => {
  const store = await openAt(t, temporaryDirectory(t));
  const log = await store.openLog(logId, schema);
  t.deepEqual(await log.append(blockOf([])), { firstSequence: 0, rows: 0, duplicate: false });
  t.is(log.bytes, 0);
});

test('a slice of a large block does not keep the whole block in memory', async (t) => {
  const store = await openAt(t, temporaryDirectory(t));
  const log = await store.openLog(logId, schema);
  const large = blockOf(range(0, 20_000));
  await log.append(sliceBlock(large, 500, 502));
  const block = await log.snapshot().blocks[0]!.load();
  const vector = block.vectors[0]!;
  t.true(vector.kind === 'flat' && vector.data.buffer.byteLength < 10_000);
  t.deepEqual(blockRows(block), [rowOf(500), rowOf(501)]);
});

test('a log is not opened with other types, but with other names', async (t) => {
  const directory = temporaryDirectory(t);
  const store = await openAt(t, directory);
  await store.openLog(logId, [{ name: 'a', type: types.int32 }]);
  await store.close();
  const again = await openAt(t, directory);
  const error = await t.throwsAsync(again.openLog(logId, [{ name: 'a', type: types.string }]), {
    instanceOf: SluiceError,
  });
  t.is(error?.errorName, 'TYPE_MISMATCH');
  t.is((await again.openLog(logId, [{ name: 'b', type: types.int32 }])).schema[0]!.name, 'b');
});

test('a closed log takes no rows', async (t) => {
  const store = await openAt(t, temporaryDirectory(t));
  const log = await store.openLog(logId, schema);
  const last = log.append(blockOf([0]));
  await store.close();
  t.is((await last).rows, 1);
  await t.throwsAsync(log.append(blockOf([1])), { message: /is closed/ });
});
