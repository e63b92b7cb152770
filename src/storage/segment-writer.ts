import { dirname } from 'node:path';
import { type DataFile, fileHeadBytes } from './data-file.ts';
import { writeAll } from './file-access.ts';
import type { FileSystem, OpenFile } from './file-system.ts';

/**
 * Appends to one segment, all or nothing: what a failed write or sync left behind is cut off again, before anything
 * else is written if it cannot be done at once.
 */
export class SegmentWriter {
  readonly file: DataFile;
  readonly #fileSystem: FileSystem;
  #handle: OpenFile | undefined;
  #exists: boolean;
  #nameDurable: boolean;
  #end: number;
  #dirty: boolean;
  #records = 0;

  /** `end` is where a segment that exists already ends; what stands after it is cut off before anything is written. */
  constructor(fileSystem: FileSystem, file: DataFile, end?: number) {
    this.#fileSystem = fileSystem;
    this.file = file;
    this.#exists = end !== undefined;
    this.#nameDurable = this.#exists;
    this.#dirty = this.#exists;
    this.#end = end ?? 0;
  }

  /** Bytes of the file that are known to be on the disk. */
  get end(): number {
    return this.#end;
  }

  /** Where the next record goes. */
  get nextOffset(): number {
    return Math.max(this.#end, fileHeadBytes);
  }

  /** Records written so far by this writer. */
  get records(): number {
    return this.#records;
  }

  /** Whether the file may hold more than `end` bytes because a failed write could not be undone yet. */
  get isDirty(): boolean {
    return this.#dirty;
  }

  /** Appends the buffers and waits until they are on the disk. */
  async write(buffers: readonly Uint8Array[], records: number): Promise<void> {
    const handle = await this.#open();
    if (this.#dirty) await this.#cutBack(handle);
    try {
      this.#dirty = true;
      const start = this.#end;
      const written = await writeAll(handle, start === 0 ? [this.file.head(), ...buffers] : buffers, start);
      await handle.sync();
      if (!this.#nameDurable) await this.#fileSystem.syncDirectory(dirname(this.file.path));
      this.#nameDurable = true;
      this.#end = start + written;
      this.#records += records;
      this.#dirty = false;
    } catch (error) {
      // The first failure is the one to tell; a failure to undo it shows in isDirty.
      await this.#cutBack(handle).catch(() => undefined);
      throw error;
    }
  }

  async #open(): Promise<OpenFile> {
    this.#handle ??= await this.#fileSystem.open(this.file.path, this.#exists ? 'write' : 'create');
    this.#exists = true;
    return this.#handle;
  }

  /** Cuts off what a failed write left behind; throws when that fails again. */
  async repair(): Promise<void> {
    if (this.#dirty) await this.#cutBack(await this.#open());
  }

  async #cutBack(handle: OpenFile): Promise<void> {
    await handle.truncate(this.#end);
    await handle.sync();
    this.#dirty = false;
  }

  async close(): Promise<void> {
    const handle = this.#handle;
    this.#handle = undefined;
    await handle?.close();
  }
}
