import test from 'ava';
import { SluiceError } from '../../src/base/index.ts';
import { FaultFileSystem, type FaultPlan } from './fault-file-system.ts';
import {
  blockOf,
  copyOfFiles,
  logId,
  numbersOf,
  openAt,
  range,
  schema,
  temporaryDirectory,
} from './helpers.ts';

const options = { compaction: { background: false } };

function onSegments(operation: string, error: string): FaultPlan {
  return (asked, path) => (asked === operation && path.endsWith('.segment') ? { error } : undefined);
}

const failures: readonly (readonly [name: string, plan: () => FaultPlan, errorName: string])[] = [
  ['the write fails for lack of space', () => onSegments('write', 'ENOSPC'), 'NOT_ENOUGH_SPACE'],
  ['the write fails', () => onSegments('write', 'EIO'), 'CANNOT_WRITE_TO_FILE'],
  ['the sync fails', () => onSegments('sync', 'EIO'), 'CANNOT_WRITE_TO_FILE'],
  [
    'the disk is full after some bytes',
    () => {
      let writes = 0;
      return (operation, path) => {
        if (operation !== 'write' || !path.endsWith('.segment')) return undefined;
        return writes++ % 2 === 0 ? { short: 100 } : { error: 'ENOSPC' };
      };
    },
    'NOT_ENOUGH_SPACE',
  ],
  [
    'nothing is written',
    () => (operation) => (operation === 'write' ? { short: 0 } : undefined),
    'CANNOT_WRITE_TO_FILE',
  ],
];

for (const [name, plan, errorName] of failures) {
  for (const first of [true, false]) {
    test(`when ${name}, nothing of ${first ? 'the first' : 'a later'} write is ever seen`, async (t) => {
      const directory = temporaryDirectory(t);
      const fileSystem = new FaultFileSystem();
      const store = await openAt(t, directory, { ...options, fileSystem });
      const log = await store.openLog(logId, schema);
      const seen: number[] = [];
      log.subscribe((ref) => seen.push(ref.firstSequence));
      const before = first ? 0 : 2;
      for (const number of range(0, before)) await log.append(blockOf([number]));
      fileSystem.plan = plan();
      const results = await Promise.allSettled([
        log.append(blockOf([100]), { token: 'a', origin: { writer: 'w', position: 1 } }),
        log.append(blockOf(range(101, 3_000))),
        log.append([blockOf([5_000]), blockOf([5_001])]),
      ]);
      for (const result of results) {
        t.is(result.status, 'rejected');
        const { reason } = result as PromiseRejectedResult;
        t.true(reason instanceof SluiceError);
        t.is(reason.errorName, errorName);
      }
      t.is(log.end, before);
      t.is(log.originPosition('w'), undefined);
      t.deepEqual(await numbersOf(t, log.snapshot()), range(0, before));
      fileSystem.plan = () => undefined;
      const crashed = await openAt(t, copyOfFiles(t, directory), options);
      t.deepEqual(await numbersOf(t, (await crashed.openLog(logId, schema)).snapshot()), range(0, before));
      t.deepEqual(await log.append(blockOf([before]), { token: 'a' }), {
        firstSequence: before,
        rows: 1,
        duplicate: false,
      });
      t.deepEqual(seen, range(0, before + 1));
      await store.close();
      const again = await openAt(t, directory, options);
      t.deepEqual(await numbersOf(t, (await again.openLog(logId, schema)).snapshot()), range(0, before + 1));
      t.deepEqual(again.problems, []);
    });
  }
}

test('a short write is continued', async (t) => {
  const directory = temporaryDirectory(t);
  const fileSystem = new FaultFileSystem();
  const store = await openAt(t, directory, { ...options, fileSystem });
  const log = await store.openLog(logId, schema);
  fileSystem.plan = (operation) => (operation === 'write' ? { short: 1_000 } : undefined);
  await Promise.all([log.append(blockOf(range(0, 50))), log.append(blockOf(range(50, 2_000)))]);
  const crashed = await openAt(t, copyOfFiles(t, directory));
  t.deepEqual(await numbersOf(t, (await crashed.openLog(logId, schema)).snapshot()), range(0, 2_000));
});

test('a failed write that cannot be cut off is noted in the manifest and never seen again', async (t) => {
  const directory = temporaryDirectory(t);
  const fileSystem = new FaultFileSystem();
  const store = await openAt(t, directory, { ...options, fileSystem });
  const log = await store.openLog(logId, schema);
  await log.append(blockOf([0]));
  fileSystem.plan = (operation, path) =>
    (operation === 'sync' || operation === 'truncate') && path.endsWith('.segment')
      ? { error: 'EIO' }
      : undefined;
  await t.throwsAsync(log.append(blockOf([100])), { instanceOf: SluiceError });
  const crashed = await openAt(t, copyOfFiles(t, directory), options);
  t.deepEqual(await numbersOf(t, (await crashed.openLog(logId, schema)).snapshot()), [0]);
  fileSystem.plan = () => undefined;
  t.is((await log.append(blockOf([1]))).firstSequence, 1);
  const later = await openAt(t, copyOfFiles(t, directory), options);
  t.deepEqual(await numbersOf(t, (await later.openLog(logId, schema)).snapshot()), [0, 1]);
  await store.close();
  const again = await openAt(t, directory, options);
  t.deepEqual(await numbersOf(t, (await again.openLog(logId, schema)).snapshot()), [0, 1]);
});

test('while a failed write can neither be cut off nor noted, no more rows are taken', async (t) => {
  const directory = temporaryDirectory(t);
  const fileSystem = new FaultFileSystem();
  const store = await openAt(t, directory, { ...options, fileSystem });
  const log = await store.openLog(logId, schema);
  await log.append(blockOf([0]));
  fileSystem.plan = (operation) =>
    operation === 'sync' || operation === 'truncate' || operation === 'rename' ? { error: 'EIO' } : undefined;
  await t.throwsAsync(log.append(blockOf([100])), { message: /EIO/ });
  await t.throwsAsync(log.append(blockOf([101])), { message: /takes no more rows: an earlier write failed/ });
  fileSystem.plan = () => undefined;
  t.is((await log.append(blockOf([1]))).firstSequence, 1);
  t.is((await log.append(blockOf([2]))).firstSequence, 2);
  const crashed = await openAt(t, copyOfFiles(t, directory), options);
  t.deepEqual(await numbersOf(t, (await crashed.openLog(logId, schema)).snapshot()), [0, 1, 2]);
});

test('a segment that cannot be sealed is sealed later; nothing is lost meanwhile', async (t) => {
  const directory = temporaryDirectory(t);
  const fileSystem = new FaultFileSystem();
  const store = await openAt(t, directory, { ...options, fileSystem, segmentRecordsMax: 4 });
  const log = await store.openLog(logId, schema);
  fileSystem.plan = (operation, path) =>
    operation === 'rename' && path.endsWith('manifest') ? { error: 'ENOSPC' } : undefined;
  for (const number of range(0, 18)) await log.append(blockOf([number]));
  const crashed = await openAt(t, copyOfFiles(t, directory), options);
  t.deepEqual(await numbersOf(t, (await crashed.openLog(logId, schema)).snapshot()), range(0, 18));
  t.true(store.problems.length > 0 && store.problems.every(({ kind }) => kind === 'background-failure'));
  fileSystem.plan = () => undefined;
  await log.compactNow();
  t.deepEqual(await numbersOf(t, log.snapshot()), range(0, 18));
  await store.close();
  const again = await openAt(t, directory, options);
  t.deepEqual(await numbersOf(t, (await again.openLog(logId, schema)).snapshot()), range(0, 18));
});

test('compaction that fails anywhere loses nothing and leaves nothing behind', async (t) => {
  const directory = temporaryDirectory(t);
  const fileSystem = new FaultFileSystem();
  const store = await openAt(t, directory, { ...options, fileSystem, segmentRecordsMax: 5 });
  const log = await store.openLog(logId, schema);
  for (const number of range(0, 23)) await log.append(blockOf([number]));
  let failures = 0;
  for (let step = 0; ; step++) {
    let asked = 0;
    fileSystem.plan = () => (asked++ === step ? { error: 'EIO' } : undefined);
    // A failure to seal is only reported, a failure to compact is thrown.
    const failed = await log.compactNow().then(
      () => asked > step,
      () => true,
    );
    fileSystem.plan = () => undefined;
    t.deepEqual(await numbersOf(t, log.snapshot()), range(0, log.end));
    const crashed = await openAt(t, copyOfFiles(t, directory), options);
    const recovered = await crashed.openLog(logId, schema);
    t.deepEqual(await numbersOf(t, recovered.snapshot()), range(0, log.end));
    if (!failed) break;
    failures++;
    await log.append(blockOf([log.end]));
  }
  t.true(failures > 10);
  await log.compactNow();
  t.is(log.snapshot().blocks.length, 1);
});

test('a truncation that fails leaves a log that can be written to', async (t) => {
  for (const operation of ['rename', 'syncDirectory'] as const) {
    const directory = temporaryDirectory(t);
    const fileSystem = new FaultFileSystem();
    const store = await openAt(t, directory, { ...options, fileSystem });
    const log = await store.openLog(logId, schema);
    await log.append(blockOf([0]), { token: 'a' });
    fileSystem.plan = (asked) => (asked === operation ? { error: 'ENOSPC' } : undefined);
    await t.throwsAsync(log.truncate(), { instanceOf: SluiceError });
    fileSystem.plan = () => undefined;
    t.deepEqual(await numbersOf(t, log.snapshot()), [0]);
    t.true((await log.append(blockOf([0]), { token: 'a' })).duplicate);
    await log.append(blockOf([1]));
    // A crash now may find the rows from before the truncation or not, but never misses one written after it.
    const crashed = await (await openAt(t, copyOfFiles(t, directory), options)).openLog(logId, schema);
    t.is((await numbersOf(t, crashed.snapshot())).at(-1), 1);
    t.is(crashed.end, 2);
  }
});

test('a read that fails is an error and no damage', async (t) => {
  const directory = temporaryDirectory(t);
  const fileSystem = new FaultFileSystem();
  const store = await openAt(t, directory, { ...options, fileSystem, cacheBytesMax: 0 });
  const log = await store.openLog(logId, schema);
  await log.append(blockOf(range(0, 40_000)));
  fileSystem.plan = (operation) => (operation === 'read' ? { error: 'EIO' } : undefined);
  const error = await t.throwsAsync(async () => log.snapshot().blocks[0]!.load(), {
    instanceOf: SluiceError,
  });
  t.is(error?.errorName, 'CANNOT_READ_FROM_FILE');
  fileSystem.plan = () => undefined;
  t.is((await log.snapshot().blocks[0]!.load()).rows, 40_000);
  t.deepEqual(store.problems, []);
});
