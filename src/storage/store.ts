import { join } from 'node:path';
import { SluiceError } from '../base/index.ts';
import type { ColumnSchema } from '../column/index.ts';
import { BlockCache } from './block-cache.ts';
import { lockDirectory } from './directory-lock.ts';
import { DocumentStore } from './document-store.ts';
import { writeError } from './file-access.ts';
import type { StoreCore } from './log-core.ts';
import { cacheBytesMaxDefault, fileSystemOf, type StoreOptions, storeLimits } from './options.ts';
import { type Problem, ProblemList } from './problems.ts';
import { DiskLog, type StreamLog } from './stream-log.ts';

/** All that is stored in one directory, which belongs to one process at a time. */
export interface Store {
  readonly directory: string;
  /** What is wrong with the stored data, since it was opened; the oldest first. */
  readonly problems: readonly Problem[];
  /** Bytes of blocks in memory. */
  readonly cacheBytes: number;
  /**
   * Opens a log, or begins one; a log that is open already is given again.
   * @throws SluiceError TYPE_MISMATCH when the log has columns of other types; CANNOT_WRITE_TO_FILE and others
   */
  openLog(id: string, schema: readonly ColumnSchema[]): Promise<StreamLog>;
  /** Deletes a log for good; whether it was open or existed does not matter. */
  dropLog(id: string): Promise<void>;
  /** The logs that exist, open or not. */
  listLogs(): Promise<string[]>;
  /**
   * The value last written under a name.
   * @throws SluiceError CORRUPTED_DATA when it fails its checksum
   */
  readDocument(name: string): unknown | undefined;
  /** Resolves when the value (anything msgpack can hold) is on the disk. */
  writeDocument(name: string, value: unknown): Promise<void>;
  deleteDocument(name: string): Promise<void>;
  /** The names that begin with `prefix`, sorted. */
  listDocuments(prefix?: string): string[];
  /** Finishes what is under way and lets go of the directory. */
  close(): Promise<void>;
}

const idPattern = /^[A-Za-z0-9_-]{1,64}$/;

function assertId(id: string): void {
  if (idPattern.test(id)) return;
  throw new SluiceError('BAD_ARGUMENTS', `'${id}' is no log id: expected a UUID`);
}

function openError(id: string, error: unknown): SluiceError {
  if (error instanceof SluiceError) return error;
  const failure = writeError(error, `the files of log ${id}`);
  if (failure.errorName === 'NOT_ENOUGH_SPACE') return failure;
  return new SluiceError('CANNOT_READ_FROM_FILE', `Cannot open log ${id}: ${String(error)}`, {
    cause: error,
  });
}

class DirectoryStore implements Store {
  readonly directory: string;
  readonly #core: StoreCore;
  readonly #documents: DocumentStore;
  readonly #release: () => void;
  readonly #logs = new Map<string, Promise<DiskLog>>();
  readonly #drops = new Set<Promise<void>>();
  #trashed = 0;
  #closed = false;

  constructor(core: StoreCore, documents: DocumentStore, release: () => void) {
    this.directory = core.directory;
    this.#core = core;
    this.#documents = documents;
    this.#release = release;
  }

  get problems(): readonly Problem[] {
    return this.#core.problems.list;
  }

  get cacheBytes(): number {
    return this.#core.cache.bytes;
  }

  #logDirectory(id: string): string {
    return join(this.directory, 'logs', id);
  }

  #assertOpen(): void {
    if (this.#closed) throw new SluiceError('CANNOT_WRITE_TO_FILE', 'The store is closed');
  }

  async openLog(id: string, schema: readonly ColumnSchema[]): Promise<StreamLog> {
    this.#assertOpen();
    assertId(id);
    const open = this.#logs.get(id);
    if (open !== undefined) return open;
    const opening = DiskLog.open(this.#core, id, this.#logDirectory(id), schema);
    this.#logs.set(id, opening);
    try {
      return await opening;
    } catch (error) {
      this.#logs.delete(id);
      throw openError(id, error);
    }
  }

  async dropLog(id: string): Promise<void> {
    this.#assertOpen();
    assertId(id);
    const { fileSystem } = this.#core;
    const opening = this.#logs.get(id);
    this.#logs.delete(id);
    const log = await opening?.catch(() => undefined);
    await log?.drop();
    const trash = join(this.directory, 'trash', `${id}-${this.#trashed++}`);
    if (!(await this.listLogs()).includes(id)) return;
    try {
      await fileSystem.remove(trash);
      await fileSystem.rename(this.#logDirectory(id), trash);
      await fileSystem.syncDirectory(join(this.directory, 'logs'));
    } catch (error) {
      throw writeError(error, `the drop of log ${id}`);
    }
    // What is in the trash is deleted now or when the store is opened next.
    const removal = fileSystem.remove(trash).catch(() => undefined);
    this.#drops.add(removal);
    void removal.finally(() => this.#drops.delete(removal));
  }

  listLogs(): Promise<string[]> {
    return this.#core.fileSystem.list(join(this.directory, 'logs'));
  }

  readDocument(name: string): unknown | undefined {
    return this.#documents.read(name);
  }

  writeDocument(name: string, value: unknown): Promise<void> {
    this.#assertOpen();
    return this.#documents.write(name, value);
  }

  deleteDocument(name: string): Promise<void> {
    this.#assertOpen();
    return this.#documents.delete(name);
  }

  listDocuments(prefix = ''): string[] {
    return this.#documents.list(prefix);
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    for (const opening of this.#logs.values()) {
      const log = await opening.catch(() => undefined);
      await log?.close();
    }
    await this.#documents.idle();
    await Promise.all(this.#drops);
    this.#release();
  }
}

/**
 * Opens the store in a directory, which is made when it does not exist.
 * @throws SluiceError CANNOT_WRITE_TO_FILE when another process has it open, or when it cannot be written to
 */
export async function openStore(options: StoreOptions): Promise<Store> {
  const { directory, clock } = options;
  const fileSystem = fileSystemOf(options);
  const lock = lockDirectory(directory);
  try {
    const problems = new ProblemList(clock, options.onProblem);
    for (const name of ['logs', 'trash', 'quarantine', 'documents']) {
      await fileSystem.makeDirectory(join(directory, name));
    }
    await fileSystem.syncDirectory(directory);
    const trash = join(directory, 'trash');
    for (const name of await fileSystem.list(trash)) await fileSystem.remove(join(trash, name));
    const documents = await DocumentStore.open(fileSystem, join(directory, 'documents'), problems);
    const cache = new BlockCache(options.cacheBytesMax ?? cacheBytesMaxDefault);
    const core: StoreCore = { directory, fileSystem, limits: storeLimits(options), cache, problems };
    return new DirectoryStore(core, documents, lock.release);
  } catch (error) {
    lock.release();
    throw writeError(error, `to the data directory '${directory}'`);
  }
}
