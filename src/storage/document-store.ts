import { join } from 'node:path';
import { SluiceError } from '../base/index.ts';
import { decodeEnvelope, encodeEnvelope } from './envelope.ts';
import { readWhole, replaceFile, writeError } from './file-access.ts';
import type { FileSystem } from './file-system.ts';
import type { ProblemList } from './problems.ts';

const namePattern = /^[A-Za-z0-9_-][A-Za-z0-9_.-]*(\/[A-Za-z0-9_-][A-Za-z0-9_.-]*)*$/;
const nameCharactersMax = 200;

/** File names hold no '/', and the names of documents no '+'. */
function fileNameOf(name: string): string {
  if (name.length > nameCharactersMax || !namePattern.test(name)) {
    throw new SluiceError(
      'BAD_ARGUMENTS',
      `'${name}' is no document name: expected words of letters, digits, '_', '.' and '-' with '/' between them, ${nameCharactersMax} characters at most`,
    );
  }
  return `${name.replaceAll('/', '+')}.document`;
}

/** Small values by name, each replaced atomically; all of them are in memory. */
export class DocumentStore {
  readonly #fileSystem: FileSystem;
  readonly #directory: string;
  readonly #documents = new Map<string, Uint8Array>();
  /** The last write of each name that is under way: writes of one name happen in the order of the calls. */
  readonly #writes = new Map<string, Promise<void>>();

  private constructor(fileSystem: FileSystem, directory: string) {
    this.#fileSystem = fileSystem;
    this.#directory = directory;
  }

  static async open(
    fileSystem: FileSystem,
    directory: string,
    problems: ProblemList,
  ): Promise<DocumentStore> {
    const store = new DocumentStore(fileSystem, directory);
    await fileSystem.makeDirectory(directory);
    for (const fileName of await fileSystem.list(directory)) {
      const path = join(directory, fileName);
      if (fileName.endsWith('.tmp')) await fileSystem.remove(path);
      if (!fileName.endsWith('.document')) continue;
      const name = fileName.slice(0, -'.document'.length).replaceAll('+', '/');
      const bytes = (await readWhole(fileSystem, path)) ?? new Uint8Array();
      store.#documents.set(name, bytes);
      if (decodeEnvelope(bytes) !== undefined) continue;
      const message = `Document '${name}' fails its checksum`;
      problems.report({ kind: 'damaged-document', file: `documents/${fileName}`, message });
    }
    return store;
  }

  read(name: string): unknown | undefined {
    const bytes = this.#documents.get(name);
    if (bytes === undefined) return undefined;
    const decoded = decodeEnvelope(bytes);
    if (decoded !== undefined) return decoded.value;
    throw new SluiceError(
      'CORRUPTED_DATA',
      `Document '${name}' fails its checksum: documents/${fileNameOf(name)} must be restored from a copy`,
    );
  }

  async write(name: string, value: unknown): Promise<void> {
    const path = join(this.#directory, fileNameOf(name));
    const bytes = encodeEnvelope(value);
    await this.#inOrder(name, async () => {
      await replaceFile(this.#fileSystem, path, bytes);
      this.#documents.set(name, bytes);
    });
  }

  async delete(name: string): Promise<void> {
    const path = join(this.#directory, fileNameOf(name));
    await this.#inOrder(name, async () => {
      await this.#fileSystem.remove(path);
      await this.#fileSystem.syncDirectory(this.#directory);
      this.#documents.delete(name);
    });
  }

  list(prefix: string): string[] {
    return [...this.#documents.keys()].filter((name) => name.startsWith(prefix)).sort();
  }

  /** Resolves when no write is under way. */
  async idle(): Promise<void> {
    await Promise.allSettled(this.#writes.values());
  }

  async #inOrder(name: string, write: () => Promise<void>): Promise<void> {
    const before = this.#writes.get(name) ?? Promise.resolve();
    const own = before.then(write, write);
    this.#writes.set(name, own);
    try {
      await own;
    } catch (error) {
      throw writeError(error, `document '${name}'`);
    } finally {
      if (this.#writes.get(name) === own) this.#writes.delete(name);
    }
  }
}
