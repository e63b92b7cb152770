import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ExecutionContext } from 'ava';
import { type Clock, Database } from '../../src/index.ts';

/** A directory that goes when the test ends. */
export function temporaryDirectory(t: ExecutionContext): string {
  const directory = mkdtempSync(join(tmpdir(), 'sluice-test-'));
  t.teardown(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

/** A database of the test's own, closed and removed when it ends. */
export async function temporaryDatabase(t: ExecutionContext, clock?: Clock): Promise<Database> {
  const directory = mkdtempSync(join(tmpdir(), 'sluice-test-'));
  const database = await Database.open({ dataDir: directory, ...(clock === undefined ? {} : { clock }) });
  t.teardown(async () => {
    await database.close();
    rmSync(directory, { recursive: true, force: true });
  });
  return database;
}
