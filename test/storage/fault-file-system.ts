import { type FileSystem, nodeFileSystem, type OpenFile } from '../../src/storage/index.ts';

export type FileOperation =
  | 'open'
  | 'write'
  | 'sync'
  | 'truncate'
  | 'rename'
  | 'remove'
  | 'syncDirectory'
  | 'read';

/** What happens in the place of an operation; `short` writes so many bytes and no more. */
export type Fault = { readonly error: string } | { readonly short: number };

/** Decides whether an operation fails; undefined lets it pass. */
export type FaultPlan = (operation: FileOperation, path: string) => Fault | undefined;

function systemError(code: string): Error {
  return Object.assign(new Error(`${code}: injected`), { code });
}

/** The real file system, with faults where the plan says so. */
export class FaultFileSystem implements FileSystem {
  plan: FaultPlan = () => undefined;
  /** How often each operation was asked for. */
  readonly counts = new Map<FileOperation, number>();

  #check(operation: FileOperation, path: string): number | undefined {
    this.counts.set(operation, (this.counts.get(operation) ?? 0) + 1);
    const fault = this.plan(operation, path);
    if (fault === undefined) return undefined;
    if ('short' in fault) return fault.short;
    throw systemError(fault.error);
  }

  async open(path: string, mode: Parameters<FileSystem['open']>[1]): Promise<OpenFile> {
    this.#check('open', path);
    const file = await nodeFileSystem.open(path, mode);
    return {
      read: async (target, position) => {
        this.#check('read', path);
        return file.read(target, position);
      },
      write: async (buffers, position) => {
        const short = this.#check('write', path);
        return file.write(
          short === undefined ? buffers : [Buffer.concat(buffers).subarray(0, short)],
          position,
        );
      },
      truncate: async (length) => {
        this.#check('truncate', path);
        await file.truncate(length);
      },
      sync: async () => {
        this.#check('sync', path);
        await file.sync();
      },
      size: () => file.size(),
      close: () => file.close(),
    };
  }

  makeDirectory(path: string): Promise<void> {
    return nodeFileSystem.makeDirectory(path);
  }

  list(path: string): Promise<string[]> {
    return nodeFileSystem.list(path);
  }

  async rename(from: string, to: string): Promise<void> {
    this.#check('rename', to);
    await nodeFileSystem.rename(from, to);
  }

  async remove(path: string): Promise<void> {
    this.#check('remove', path);
    await nodeFileSystem.remove(path);
  }

  async syncDirectory(path: string): Promise<void> {
    this.#check('syncDirectory', path);
    await nodeFileSystem.syncDirectory(path);
  }
}
