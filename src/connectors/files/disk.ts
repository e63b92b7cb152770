import { randomUUID } from 'node:crypto';
import { copyFile, type FileHandle, open, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { SluiceError } from '../../base/index.ts';
import type { FoundFile, UserFiles } from '../../files/index.ts';
import type { AccessContext, Location, ObjectWriter, Readable, WriteMode } from './location.ts';

function cannotWrite(name: string, thrown: unknown): SluiceError {
  if (thrown instanceof SluiceError) return thrown;
  return new SluiceError(
    'CANNOT_WRITE_TO_FILE',
    `File '${name}' cannot be written: ${(thrown as Error).message}`,
    {
      cause: thrown,
    },
  );
}

/** A file that takes its name once it is whole. */
class FileWriter implements ObjectWriter {
  readonly #file: FoundFile;
  readonly #temporary: string;
  readonly #existed: boolean;
  #handle: FileHandle | null;
  #committed = false;

  private constructor(file: FoundFile, temporary: string, existed: boolean, handle: FileHandle) {
    this.#file = file;
    this.#temporary = temporary;
    this.#existed = existed;
    this.#handle = handle;
  }

  static async open(file: FoundFile, mode: WriteMode): Promise<FileWriter> {
    const existing = await stat(file.path).catch(() => null);
    if (existing !== null && !existing.isFile())
      throw new SluiceError('CANNOT_WRITE_TO_FILE', `'${file.name}' is there and is no plain file`);
    if (existing !== null && !mode.truncate && !mode.appendable) {
      throw new SluiceError(
        'FILE_ALREADY_EXISTS',
        `File '${file.name}' is there already, and rows in its format or compression cannot be put behind others: engine_file_truncate_on_insert=1 replaces it`,
      );
    }
    const temporary = join(dirname(file.path), `.${basename(file.path)}.${randomUUID()}.part`);
    try {
      if (existing !== null && !mode.truncate) await copyFile(file.path, temporary);
      const handle = await open(temporary, 'a');
      return new FileWriter(file, temporary, existing !== null, handle);
    } catch (thrown) {
      await rm(temporary, { force: true });
      throw cannotWrite(file.name, thrown);
    }
  }

  async write(bytes: Uint8Array): Promise<void> {
    try {
      await this.#handle!.writeFile(bytes);
    } catch (thrown) {
      throw cannotWrite(this.#file.name, thrown);
    }
  }

  async commit(): Promise<void> {
    try {
      await this.#handle!.sync();
      await this.#handle!.close();
      this.#handle = null;
      await rename(this.#temporary, this.#file.path);
      this.#committed = true;
      const directory = await open(dirname(this.#file.path), 'r');
      await directory.sync().finally(() => directory.close());
    } catch (thrown) {
      throw cannotWrite(this.#file.name, thrown);
    }
  }

  async abort(): Promise<void> {
    await this.#handle?.close();
    this.#handle = null;
    if (!this.#committed) await rm(this.#temporary, { force: true });
    else if (!this.#existed) await rm(this.#file.path, { force: true });
  }
}

/** Files below the directory of user files. */
export class DiskLocation implements Location {
  readonly type = 'file';
  readonly shown: string;
  readonly #files: UserFiles;

  constructor(path: string, files: UserFiles) {
    this.shown = path;
    this.#files = files;
  }

  async find(_: AccessContext): Promise<readonly Readable[]> {
    const found = await this.#files.find(this.shown);
    return found.map((file) => ({
      name: basename(file.name),
      path: file.path,
      read: () => this.#files.read(file),
    }));
  }

  async create(partition: string | null, mode: WriteMode): Promise<ObjectWriter> {
    const path = partition === null ? this.shown : this.shown.replaceAll('{_partition_id}', partition);
    if (/[*?{}]/.test(path))
      throw new SluiceError('BAD_ARGUMENTS', `'${path}' is a pattern, and only one file can be written`);
    return FileWriter.open(await this.#files.place(path), mode);
  }
}
