import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { SluiceError } from '../../src/base/index.ts';
import { FaultFileSystem } from './fault-file-system.ts';
import { copyOfFiles, kindsOf, openAt, range, temporaryDirectory } from './helpers.ts';

test('documents of any shape are there after a restart', async (t) => {
  const directory = temporaryDirectory(t);
  const store = await openAt(t, directory);
  const value = { list: [1, 2.5, -(2n ** 80n)], map: new Map([['a', new Uint8Array([1, 2])]]), none: null };
  await store.writeDocument('databases/default/stream.one', value);
  await store.writeDocument('users', ['x']);
  await store.writeDocument('gone', 1);
  await store.deleteDocument('gone');
  const crashed = await openAt(t, copyOfFiles(t, directory));
  await store.close();
  for (const other of [crashed, await openAt(t, directory)]) {
    t.deepEqual(other.readDocument('databases/default/stream.one'), value);
    t.deepEqual(other.listDocuments(), ['databases/default/stream.one', 'users']);
    t.deepEqual(other.listDocuments('databases/'), ['databases/default/stream.one']);
    t.is(other.readDocument('gone'), undefined);
  }
});

test('writes of one name happen in order', async (t) => {
  const directory = temporaryDirectory(t);
  const store = await openAt(t, directory);
  await Promise.all(range(0, 20).map((value) => store.writeDocument('name', value)));
  t.is(store.readDocument('name'), 19);
  await Promise.all([
    store.writeDocument('name', 1),
    store.deleteDocument('name'),
    store.writeDocument('name', 2),
  ]);
  await store.close();
  t.is((await openAt(t, directory)).readDocument('name'), 2);
});

test('a write that fails leaves the old value', async (t) => {
  for (const operation of ['open', 'write', 'sync', 'rename'] as const) {
    const directory = temporaryDirectory(t);
    const fileSystem = new FaultFileSystem();
    const store = await openAt(t, directory, { fileSystem });
    await store.writeDocument('name', 'old');
    fileSystem.plan = (asked) => (asked === operation ? { error: 'ENOSPC' } : undefined);
    const error = await t.throwsAsync(store.writeDocument('name', 'new'), { instanceOf: SluiceError });
    t.is(error?.errorName, 'NOT_ENOUGH_SPACE');
    t.is(store.readDocument('name'), 'old');
    fileSystem.plan = () => undefined;
    t.is((await openAt(t, copyOfFiles(t, directory))).readDocument('name'), 'old');
  }
});

test('a damaged document is reported and not taken for a missing one', async (t) => {
  const directory = temporaryDirectory(t);
  const store = await openAt(t, directory);
  await store.writeDocument('a/b', { value: 'text' });
  await store.close();
  const path = join(directory, 'documents', readdirSync(join(directory, 'documents'))[0]!);
  const bytes = readFileSync(path);
  for (const damaged of [bytes.subarray(0, 3), bytes.subarray(0, -1), bytes.fill(7, 20, 21)]) {
    writeFileSync(path, damaged);
    const again = await openAt(t, directory);
    t.deepEqual(kindsOf(again.problems), ['damaged-document']);
    const error = t.throws(() => again.readDocument('a/b'), { instanceOf: SluiceError });
    t.is(error?.errorName, 'CORRUPTED_DATA');
    await again.close();
  }
});

test('names that could leave the directory are refused', async (t) => {
  const store = await openAt(t, temporaryDirectory(t));
  for (const name of [
    '',
    '.',
    '..',
    '../x',
    'a/../b',
    '/a',
    'a/',
    'a//b',
    'a b',
    'a+b',
    'ä',
    'x'.repeat(201),
  ]) {
    await t.throwsAsync(async () => store.writeDocument(name, 1), { message: /is no document name/ });
  }
  for (const id of ['', '..', 'a/b', 'x'.repeat(65)]) {
    await t.throwsAsync(async () => store.openLog(id, []), { message: /is no log id/ });
  }
});
