import type { ColumnSchema } from '../column/index.ts';
import type { SqlType } from '../types/index.ts';
import type { BlockCache } from './block-cache.ts';
import type { BlockList } from './block-list.ts';
import { DataFile, type DataFileKind } from './data-file.ts';
import type { FileSystem } from './file-system.ts';
import type { ManifestKeeper } from './manifest.ts';
import type { StoreLimits } from './options.ts';
import type { ProblemKind, ProblemList } from './problems.ts';
import type { StoredBlock } from './stored-block.ts';

/** What all logs of a store share. */
export interface StoreCore {
  readonly directory: string;
  readonly fileSystem: FileSystem;
  readonly limits: StoreLimits;
  readonly cache: BlockCache;
  readonly problems: ProblemList;
}

/** What the parts of one log share. */
export interface LogCore {
  readonly store: StoreCore;
  readonly id: string;
  readonly directory: string;
  readonly schema: readonly ColumnSchema[];
  readonly types: readonly SqlType[];
  readonly list: BlockList;
  /** Data files by name. */
  readonly files: Map<string, DataFile>;
  readonly manifest: ManifestKeeper;
  readonly numbers: FileNumbers;
}

/** Hands out the numbers of data files; no number is used twice in the life of a log. */
export class FileNumbers {
  next: number;

  constructor(next: number) {
    this.next = next;
  }

  take(): number {
    return this.next++;
  }
}

export function newDataFile(core: LogCore, kind: DataFileKind): DataFile {
  const file = new DataFile(core.id, core.directory, kind, core.numbers.take());
  core.files.set(file.name, file);
  return file;
}

/** Name of one of a log's files as problems and messages give it. */
export function relativeName(id: string, name: string): string {
  return `logs/${id}/${name}`;
}

export function reportFor(
  core: { readonly store: StoreCore; readonly id: string },
  kind: ProblemKind,
  file: string,
  message: string,
  rows?: { readonly firstSequence: number; readonly rows: number },
): void {
  core.store.problems.report({
    kind,
    file: relativeName(core.id, file),
    message,
    logId: core.id,
    ...rows,
  });
}

/** Forgets files whose rows live elsewhere now, or nowhere, and the blocks that were in them. */
export function forgetFiles(core: LogCore, files: readonly DataFile[], blocks: readonly StoredBlock[]): void {
  for (const block of blocks) core.store.cache.remove(block);
  for (const file of files) {
    file.removed = true;
    core.files.delete(file.name);
  }
}

/** Deletes files that nothing refers to any more; those that stay are deleted when the log is opened next. */
export async function deleteFiles(core: LogCore, files: readonly DataFile[]): Promise<void> {
  for (const file of files) {
    try {
      await core.store.fileSystem.remove(file.path);
    } catch (error) {
      reportFor(core, 'background-failure', file.name, `Cannot delete the file: ${String(error)}`);
    }
  }
}
