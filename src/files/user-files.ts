import { constants } from 'node:fs';
import { type FileHandle, mkdir, open, readdir, realpath, stat } from 'node:fs/promises';
import { isAbsolute, join, relative, resolve, sep } from 'node:path';
import { SluiceError } from '../base/index.ts';
import { expandBraces, hasWildcard, matchesPattern } from './glob.ts';

/** Files that one pattern may stand for. */
const filesMax = 10_000;
const readBytes = 262_144;

/** A file that was found below the root. */
export interface FoundFile {
  /** Its path from the root on, with '/' between the names. */
  readonly name: string;
  readonly path: string;
}

function isInside(root: string, path: string): boolean {
  return path === root || path.startsWith(root.endsWith(sep) ? root : root + sep);
}

function codeOf(thrown: unknown): string | undefined {
  return (thrown as NodeJS.ErrnoException).code;
}

/** A directory that files are read from and written to, and nothing outside it. */
export class UserFiles {
  readonly root: string;

  constructor(root: string) {
    this.root = resolve(root);
  }

  #denied(path: string): SluiceError {
    return new SluiceError(
      'DATABASE_ACCESS_DENIED',
      `File '${path}' is not inside the directory of user files, which is all that queries may reach`,
    );
  }

  #missing(path: string): SluiceError {
    return new SluiceError(
      'FILE_DOESNT_EXIST',
      `File '${path}' does not exist: paths are relative to ${this.root}`,
    );
  }

  /** The path from the root on that a query means; throws DATABASE_ACCESS_DENIED for one that leads outside. */
  #inside(path: string): string {
    if (path.includes('\0')) throw this.#denied(path.replaceAll('\0', '\\0'));
    const whole = isAbsolute(path) ? resolve(path) : resolve(this.root, path);
    if (!isInside(this.root, whole)) throw this.#denied(path);
    return whole;
  }

  /** Throws DATABASE_ACCESS_DENIED when links on the way to something that exists lead outside. */
  async #assertReal(path: string, given: string): Promise<string> {
    const [root, real] = await Promise.all([realpath(this.root), realpath(path)]);
    if (!isInside(root, real)) throw this.#denied(given);
    return real;
  }

  /** The files that a path or pattern stands for, by name; throws FILE_DOESNT_EXIST when there is none. */
  async find(pattern: string): Promise<FoundFile[]> {
    const found = new Map<string, FoundFile>();
    for (const one of expandBraces(pattern)) {
      const path = this.#inside(one);
      const names = relative(this.root, path).split(sep);
      if (names[0] === '') throw new SluiceError('BAD_ARGUMENTS', `'${one}' names no file`);
      await this.#walk(this.root, names, one, found);
      if (!hasWildcard(one) && !found.has(names.join('/'))) throw this.#missing(one);
    }
    if (found.size === 0) throw this.#missing(pattern);
    return [...found.values()].sort((left, right) => (left.name < right.name ? -1 : 1));
  }

  async #walk(
    directory: string,
    names: readonly string[],
    given: string,
    found: Map<string, FoundFile>,
  ): Promise<void> {
    const [name, ...rest] = names;
    if (name === '**') {
      await this.#walk(directory, rest.length === 0 ? ['*'] : rest, given, found);
      for (const entry of await this.#entries(directory, given)) {
        // Links are not followed downwards: they may lead in a circle.
        if (entry.isDirectory()) await this.#walk(join(directory, entry.name), names, given, found);
      }
      return;
    }
    if (!hasWildcard(name!)) {
      await this.#visit(join(directory, name!), rest, given, found);
      return;
    }
    for (const entry of await this.#entries(directory, given)) {
      // As in a shell, hidden files have to be asked for.
      if (entry.name.startsWith('.') && !name!.startsWith('.')) continue;
      if (matchesPattern(entry.name, name!))
        await this.#visit(join(directory, entry.name), rest, given, found);
    }
  }

  async #entries(directory: string, given: string) {
    try {
      await this.#assertReal(directory, given);
      return await readdir(directory, { withFileTypes: true });
    } catch (thrown) {
      if (codeOf(thrown) === 'ENOENT' || codeOf(thrown) === 'ENOTDIR') return [];
      throw thrown;
    }
  }

  async #visit(
    path: string,
    rest: readonly string[],
    given: string,
    found: Map<string, FoundFile>,
  ): Promise<void> {
    if (rest.length > 0) {
      await this.#walk(path, rest, given, found);
      return;
    }
    try {
      await this.#assertReal(path, given);
      const isExact = !hasWildcard(given);
      const status = await stat(path);
      if (status.isDirectory() && !isExact) return;
      if (!status.isFile())
        throw new SluiceError(
          'CANNOT_READ_FROM_FILE',
          `'${given}' is ${status.isDirectory() ? 'a directory' : 'no plain file'}`,
        );
    } catch (thrown) {
      if (codeOf(thrown) === 'ENOENT' || codeOf(thrown) === 'ENOTDIR') return;
      throw thrown;
    }
    const name = relative(this.root, path).split(sep).join('/');
    found.set(name, { name, path });
    if (found.size > filesMax)
      throw new SluiceError('BAD_ARGUMENTS', `'${given}' stands for more than ${filesMax} files`);
  }

  /** The bytes of a file in chunks; throws FILE_DOESNT_EXIST when it has gone since it was found. */
  async *read(file: FoundFile): AsyncGenerator<Uint8Array, void, void> {
    const handle = await this.#open(file);
    try {
      for (;;) {
        const { bytesRead, buffer } = await handle.read(Buffer.allocUnsafeSlow(readBytes), 0, readBytes);
        if (bytesRead === 0) return;
        yield buffer.subarray(0, bytesRead);
      }
    } catch (thrown) {
      throw codeOf(thrown) === undefined
        ? thrown
        : new SluiceError(
            'CANNOT_READ_FROM_FILE',
            `File '${file.name}' cannot be read: ${(thrown as Error).message}`,
            {
              cause: thrown,
            },
          );
    } finally {
      await handle.close();
    }
  }

  /** Opens without waiting for anybody (a pipe would), and makes sure of what was opened, not of a name that may change. */
  async #open(file: FoundFile): Promise<FileHandle> {
    let handle: FileHandle;
    try {
      handle = await open(file.path, constants.O_RDONLY | constants.O_NONBLOCK);
    } catch (thrown) {
      if (codeOf(thrown) === 'ENOENT') throw this.#missing(file.name);
      throw new SluiceError(
        'CANNOT_READ_FROM_FILE',
        `File '${file.name}' cannot be opened: ${(thrown as Error).message}`,
        {
          cause: thrown,
        },
      );
    }
    try {
      const [opened, real] = await Promise.all([
        handle.stat(),
        this.#assertReal(file.path, file.name).then((path) => stat(path)),
      ]);
      if (opened.ino !== real.ino || opened.dev !== real.dev) throw this.#denied(file.name);
      if (!opened.isFile()) throw new SluiceError('CANNOT_READ_FROM_FILE', `'${file.name}' is no plain file`);
      return handle;
    } catch (thrown) {
      await handle.close();
      if (codeOf(thrown) === 'ENOENT') throw this.#missing(file.name);
      throw thrown;
    }
  }

  /** Where a file that is to be written belongs, with the directories above it made; `path` is no pattern. */
  async place(path: string): Promise<FoundFile> {
    const whole = this.#inside(path);
    const name = relative(this.root, whole).split(sep).join('/');
    if (name === '') throw new SluiceError('BAD_ARGUMENTS', `'${path}' names no file`);
    await mkdir(this.root, { recursive: true });
    // Each directory is looked at before anything is made in it: a link could lead outside.
    let directory = this.root;
    for (const part of relative(this.root, whole).split(sep).slice(0, -1)) {
      directory = join(directory, part);
      await mkdir(directory).catch((thrown) => {
        if (codeOf(thrown) !== 'EEXIST') throw thrown;
      });
      await this.#assertReal(directory, path);
    }
    const exists = await realpath(whole).then(
      () => true,
      () => false,
    );
    if (exists) await this.#assertReal(whole, path);
    return { name, path: whole };
  }
}
