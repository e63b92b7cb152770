import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { SluiceError } from '../base/index.ts';

/** What SQLite answers when another connection holds the lock. */
const sqliteBusy = 5;

export interface DirectoryLock {
  release(): void;
}

function ownerOf(path: string): string {
  try {
    return ` (process ${readFileSync(path, 'utf8').trim()})`;
  } catch {
    return '';
  }
}

function lockError(directory: string, error: unknown): SluiceError {
  const busy = error instanceof Error && 'errcode' in error && error.errcode === sqliteBusy;
  const reason = error instanceof Error ? error.message : String(error);
  return new SluiceError(
    'CANNOT_WRITE_TO_FILE',
    busy
      ? `The data directory '${directory}' is in use by another server${ownerOf(join(directory, 'lock.owner'))}`
      : `The data directory '${directory}' cannot be used: ${reason}`,
    { cause: error },
  );
}

/**
 * Takes the directory for this process. Node offers no file locks of its own, but its SQLite takes the operating
 * system's: those end with the process however it ends, so that nothing stale is ever left, and they do not depend on
 * process ids, which repeat across containers. The database itself stays empty.
 *
 * @throws SluiceError CANNOT_WRITE_TO_FILE when another process, or this one, holds the directory.
 */
export function lockDirectory(directory: string): DirectoryLock {
  let database: DatabaseSync | undefined;
  try {
    mkdirSync(directory, { recursive: true });
    database = new DatabaseSync(join(directory, 'lock'));
    database.exec('PRAGMA busy_timeout = 0; PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE');
    writeFileSync(join(directory, 'lock.owner'), String(process.pid));
  } catch (error) {
    database?.close();
    throw lockError(directory, error);
  }
  const held = database;
  return { release: () => held.close() };
}
