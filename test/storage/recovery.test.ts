import { readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { SluiceError } from '../../src/base/index.ts';
import type { ColumnSchema } from '../../src/column/index.ts';
import type { Problem, Store, StreamLog } from '../../src/storage/index.ts';
import {
  blockOf,
  copyOfFiles,
  filesOfLog,
  kindsOf,
  logId,
  numbersOf,
  openAt,
  range,
  rowOf,
  rowsOf,
  schema,
  temporaryDirectory,
} from './helpers.ts';

const background = { compaction: { background: false } };

/** Changes one byte of a file. */
function flip(path: string, offset: number): void {
  const bytes = readFileSync(path);
  bytes[offset] = bytes[offset]! ^ 0x10;
  writeFileSync(path, bytes);
}

function rowsLost(problems: readonly Problem[]): number {
  return problems.reduce((sum, { kind, rows }) => sum + (kind === 'damaged-rows' ? rows! : 0), 0);
}

/** Bytes of the newest segment. */
function segmentBytes(directory: string): number {
  return readFileSync(filesOfLog(directory, '.segment').at(-1)!).length;
}

test('a log whose last write was cut anywhere comes back with all rows before it', async (t) => {
  const directory = temporaryDirectory(t);
  const store = await openAt(t, directory);
  const narrow: ColumnSchema[] = [schema[0]!, schema[8]!];
  const log = await store.openLog(logId, narrow);
  const narrowBlock = (number: number) => {
    const { rows, vectors } = blockOf([number]);
    return { rows, vectors: [vectors[0]!, vectors[8]!] };
  };
  for (const number of range(0, 3)) await log.append(narrowBlock(number));
  const start = segmentBytes(directory);
  await log.append(narrowBlock(3));
  const end = segmentBytes(directory);
  for (let cut = start; cut < end; cut++) {
    const copy = copyOfFiles(t, directory);
    truncateSync(filesOfLog(copy, '.segment')[0]!, cut);
    const after = await openAt(t, copy);
    const recovered = await after.openLog(logId, narrow);
    t.is(recovered.end, 3);
    t.deepEqual(kindsOf(after.problems), cut === start ? [] : ['torn-tail']);
    await recovered.append(narrowBlock(7));
    await after.close();
    const again = await (await openAt(t, copy)).openLog(logId, narrow);
    const numbers: unknown[] = [];
    for (const ref of again.snapshot().blocks)
      numbers.push(...(await ref.load()).vectors[0]!.length.toString());
    t.is(again.rows, 4);
    t.is(numbers.length, again.snapshot().blocks.length);
  }
});

test('a flipped bit anywhere in the last write takes away that write and nothing else', async (t) => {
  const directory = temporaryDirectory(t);
  const store = await openAt(t, directory);
  const log = await store.openLog(logId, schema);
  await log.append(blockOf(range(0, 3)));
  const start = segmentBytes(directory);
  await log.append(blockOf([3]));
  const end = segmentBytes(directory);
  for (let offset = start; offset < end; offset += 13) {
    const copy = copyOfFiles(t, directory);
    flip(filesOfLog(copy, '.segment')[0]!, offset);
    const recovered = await (await openAt(t, copy)).openLog(logId, schema);
    const numbers = await numbersOf(t, recovered.snapshot());
    // Padding between a header and its body belongs to nothing and harms nothing.
    t.true([3, 4].includes(numbers.length));
    t.deepEqual(numbers, range(0, numbers.length));
  }
});

test('of a torn write nothing is kept, though its later pages reached the disk', async (t) => {
  const directory = temporaryDirectory(t);
  const store = await openAt(t, directory);
  const log = await store.openLog(logId, schema);
  await log.append(blockOf([0]));
  const start = segmentBytes(directory);
  await Promise.all([log.append(blockOf([1])), log.append(blockOf([2]))]);
  const copy = copyOfFiles(t, directory);
  flip(filesOfLog(copy, '.segment')[0]!, start + 70);
  const after = await openAt(t, copy);
  const recovered = await after.openLog(logId, schema);
  t.deepEqual(await numbersOf(t, recovered.snapshot()), [0]);
  t.deepEqual(kindsOf(after.problems), ['torn-tail']);
});

test('of several blocks of one append all or none come back', async (t) => {
  const directory = temporaryDirectory(t);
  const store = await openAt(t, directory);
  const log = await store.openLog(logId, schema);
  await log.append(blockOf([0]));
  const start = segmentBytes(directory);
  await log.append([blockOf([1]), blockOf([2]), blockOf([3])], { token: 'abc' });
  const end = segmentBytes(directory);
  for (let cut = start; cut < end; cut += 53) {
    const copy = copyOfFiles(t, directory);
    truncateSync(filesOfLog(copy, '.segment')[0]!, cut);
    const recovered = await (await openAt(t, copy)).openLog(logId, schema);
    t.deepEqual(await numbersOf(t, recovered.snapshot()), [0]);
    t.false((await recovered.append(blockOf([1]), { token: 'abc' })).duplicate);
  }
});

test('damage to acknowledged rows in an unsealed segment is set aside and reported', async (t) => {
  const directory = temporaryDirectory(t);
  const store = await openAt(t, directory, background);
  const log = await store.openLog(logId, schema);
  const starts: number[] = [];
  for (const number of range(0, 6)) {
    await log.append(blockOf([number]));
    starts.push(segmentBytes(directory));
  }
  for (const place of [10, 100, 250]) {
    const copy = copyOfFiles(t, directory);
    flip(filesOfLog(copy, '.segment')[0]!, starts[1]! + place);
    const first = await openAt(t, copy, background);
    const recovered = await first.openLog(logId, schema);
    t.deepEqual(await numbersOf(t, recovered.snapshot()), [0, 1, 3, 4, 5]);
    t.is(recovered.end, 6);
    t.is(rowsLost(first.problems), 1);
    t.is(first.problems[0]!.firstSequence, 2);
    t.is(readdirSync(join(copy, 'quarantine')).length, 1);
    await recovered.append(blockOf([6]));
    await first.close();
    const second = await openAt(t, copy, background);
    const again = await second.openLog(logId, schema);
    t.deepEqual(await numbersOf(t, again.snapshot()), [0, 1, 3, 4, 5, 6]);
    t.is(rowsLost(second.problems), 1);
  }
});

/** A store that was closed, with blocks of 100 rows in sealed files. */
async function sealedStore(t: Parameters<typeof openAt>[0], blocks: number): Promise<string> {
  const directory = temporaryDirectory(t);
  const store = await openAt(t, directory, { ...background, segmentBytesMax: 40_000 });
  const log = await store.openLog(logId, schema);
  for (const index of range(0, blocks)) await log.append(blockOf(range(index * 100, index * 100 + 100)));
  await store.close();
  return directory;
}

async function open(
  t: Parameters<typeof openAt>[0],
  directory: string,
): Promise<{ store: Store; log: StreamLog }> {
  const store = await openAt(t, directory, background);
  return { store, log: await store.openLog(logId, schema) };
}

test('damage in a sealed file fails the read that finds it and takes out those rows alone', async (t) => {
  const directory = await sealedStore(t, 10);
  const segments = filesOfLog(directory, '.segment');
  t.true(segments.length > 1);
  flip(segments[0]!, 3_000);
  const { store, log } = await open(t, directory);
  t.deepEqual(store.problems, []);
  const { blocks } = log.snapshot();
  const error = await t.throwsAsync(async () => blocks[0]!.load(), { instanceOf: SluiceError });
  t.is(error?.errorName, 'CORRUPTED_DATA');
  t.is(rowsLost(store.problems), 100);
  const rest = await rowsOf(t, log.snapshot());
  t.deepEqual(rest, range(100, 1_000).map(rowOf));
  t.is(log.rows, 900);
  await store.close();
  const again = await open(t, directory);
  t.is(rowsLost(again.store.problems), 100);
  t.deepEqual(await numbersOf(t, again.log.snapshot()), range(100, 1_000));
  await again.log.compactNow();
  t.deepEqual(await numbersOf(t, again.log.snapshot()), range(100, 1_000));
  await again.store.close();
  const compacted = await open(t, directory);
  t.is(rowsLost(compacted.store.problems), 100);
  t.deepEqual(await numbersOf(t, compacted.log.snapshot()), range(100, 1_000));
});

test('compaction stops at damaged rows, sets them aside, and goes on the next time', async (t) => {
  const directory = await sealedStore(t, 10);
  flip(filesOfLog(directory, '.segment')[0]!, 3_000);
  const { store, log } = await open(t, directory);
  await t.throwsAsync(log.compactNow(), { message: /fail their checksum/ });
  await log.compactNow();
  t.is(rowsLost(store.problems), 100);
  t.deepEqual(await numbersOf(t, log.snapshot()), range(100, 1_000));
});

test('a damaged index is made anew', async (t) => {
  const directory = await sealedStore(t, 10);
  const segments = filesOfLog(directory, '.segment');
  const path = segments[0]!;
  flip(path, readFileSync(path).length - 20);
  const { store, log } = await open(t, directory);
  t.deepEqual(kindsOf(store.problems), ['damaged-index']);
  t.deepEqual(await rowsOf(t, log.snapshot()), range(0, 1_000).map(rowOf));
});

test('a missing file is reported, and the rest is there', async (t) => {
  const directory = await sealedStore(t, 10);
  rmSync(filesOfLog(directory, '.segment')[0]!);
  const { store, log } = await open(t, directory);
  t.deepEqual(kindsOf(store.problems), ['missing-file']);
  const lost = store.problems[0]!.rows!;
  t.deepEqual(await numbersOf(t, log.snapshot()), range(lost, 1_000));
  await log.append(blockOf([1_000]));
  await store.close();
  const again = await open(t, directory);
  t.is(again.log.rows, 1_001 - lost);
  t.is(rowsLost(again.store.problems), lost);
});

for (const compacted of [false, true]) {
  test(`a damaged manifest is made anew from the data files, ${compacted ? 'compacted' : 'as written'}`, async (t) => {
    const directory = await sealedStore(t, 10);
    const before = await open(t, directory);
    if (compacted) await before.log.compactNow();
    await before.log.append(blockOf(range(1_000, 1_010)), { token: 'x' });
    const copy = copyOfFiles(t, directory);
    flip(join(copy, 'logs', logId, 'manifest'), 40);
    const { store, log } = await open(t, copy);
    t.deepEqual(kindsOf(store.problems), ['damaged-manifest']);
    t.is(log.end, 1_010);
    t.deepEqual(await rowsOf(t, log.snapshot()), range(0, 1_010).map(rowOf));
    t.true((await log.append(blockOf([5]), { token: 'x' })).duplicate);
    await log.append(blockOf([1_010]));
    await log.compactNow();
    await store.close();
    const again = await open(t, copy);
    t.deepEqual(await numbersOf(t, again.log.snapshot()), range(0, 1_011));
  });
}

test('stored bytes that look like records are not taken for records', async (t) => {
  const directory = temporaryDirectory(t);
  const store = await openAt(t, directory);
  const text: ColumnSchema[] = [schema[3]!];
  const log = await store.openLog(logId, text);
  const stringBlock = (value: string) => {
    const { rows, vectors } = blockOf([0]);
    const offsets = Uint32Array.of(0, value.length);
    const data = Buffer.from(value, 'latin1');
    t.is(vectors.length, schema.length);
    return { rows, vectors: [{ kind: 'bytes' as const, length: 1, nulls: null, offsets, data }] };
  };
  await log.append(stringBlock('first'));
  const own = readFileSync(filesOfLog(directory, '.segment')[0]!).toString('latin1');
  const copies = Array.from({ length: 8 }, (_, shift) => ' '.repeat(shift) + own).join('');
  await log.append(stringBlock(copies));
  const end = segmentBytes(directory);
  await log.append(stringBlock('last'));
  const copy = copyOfFiles(t, directory);
  flip(filesOfLog(copy, '.segment')[0]!, end - 10);
  const recovered = await (await openAt(t, copy)).openLog(logId, text);
  t.deepEqual(
    recovered.snapshot().blocks.map(({ firstSequence, rows }) => [firstSequence, rows]),
    [
      [0, 1],
      [2, 1],
    ],
  );
});

test('one process at a time, and one store at a time, has a directory', async (t) => {
  const directory = temporaryDirectory(t);
  const store = await openAt(t, directory);
  const error = await t.throwsAsync(openAt(t, directory), { instanceOf: SluiceError });
  t.regex(error!.message, /in use by another server \(process \d+\)/);
  await store.close();
  await t.notThrowsAsync(openAt(t, directory));
});

test('a data directory that cannot be made is a clear error', async (t) => {
  const directory = temporaryDirectory(t);
  writeFileSync(join(directory, 'file'), '');
  const error = await t.throwsAsync(openAt(t, join(directory, 'file', 'data')), { instanceOf: SluiceError });
  t.regex(error!.message, /cannot be used/);
});
