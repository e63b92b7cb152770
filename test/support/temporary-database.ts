import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ExecutionContext } from 'ava';
import { type Clock, Database, type DatabaseOptions } from '../../src/index.ts';

/** A directory that goes when the test ends. */
export function temporaryDirectory(t: ExecutionContext): string {
  const directory = mkdtempSync(join(tmpdir(), 'sluice-test-'));
  t.teardown(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

/** A database in a directory of its own. */
export interface TemporaryDatabase {
  readonly database: Database;
  /** Closes and removes it. */
  readonly remove: () => Promise<void>;
}

export async function openTemporary(
  options: Omit<DatabaseOptions, 'dataDir'> = {},
): Promise<TemporaryDatabase> {
  const directory = mkdtempSync(join(tmpdir(), 'sluice-test-'));
  const database = await Database.open({ ...options, dataDir: directory });
  const remove = async () => {
    await database.close();
    rmSync(directory, { recursive: true, force: true });
  };
  return { database, remove };
}

/** A database of the test's own, closed and removed when it ends. */
export async function temporaryDatabase(t: ExecutionContext, clock?: Clock): Promise<Database> {
  const { database, remove } = await openTemporary(clock === undefined ? {} : { clock });
  t.teardown(remove);
  return database;
}
