import { type FileHandle, mkdir, open, readdir, rename, rm } from 'node:fs/promises';

/** An open file; positions and lengths in bytes. */
export interface OpenFile {
  /** Reads into `target` from `position` on; resolves to the bytes read, fewer than asked at the end of the file. */
  read(target: Uint8Array, position: number): Promise<number>;
  /** Writes the buffers one after the other; resolves to the bytes written, which may be fewer than given. */
  write(buffers: readonly Uint8Array[], position: number): Promise<number>;
  truncate(length: number): Promise<void>;
  /** Resolves once data and length are on the disk. */
  sync(): Promise<void>;
  size(): Promise<number>;
  close(): Promise<void>;
}

/**
 * How a file is opened: `read` and `write` want it to exist, `create` wants it not to exist, `replace` takes away what
 * was in it.
 */
export type OpenMode = 'read' | 'write' | 'create' | 'replace';

/** The file system as the store uses it; tests put faults between it and the disk. */
export interface FileSystem {
  open(path: string, mode: OpenMode): Promise<OpenFile>;
  /** Makes the directory and those above it; no error when it exists. */
  makeDirectory(path: string): Promise<void>;
  /** The names in a directory. */
  list(path: string): Promise<string[]>;
  rename(from: string, to: string): Promise<void>;
  /** Removes a file, or a directory with all in it; no error when there is none. */
  remove(path: string): Promise<void>;
  /** Resolves once the names in the directory are on the disk. */
  syncDirectory(path: string): Promise<void>;
}

const openFlags = { read: 'r', write: 'r+', create: 'wx+', replace: 'w+' } as const;

/** The most that is asked of the operating system in one read. */
const readBytesMax = 0x4000_0000;

class NodeFile implements OpenFile {
  readonly #handle: FileHandle;

  constructor(handle: FileHandle) {
    this.#handle = handle;
  }

  async read(target: Uint8Array, position: number): Promise<number> {
    let done = 0;
    while (done < target.length) {
      const length = Math.min(readBytesMax, target.length - done);
      const { bytesRead } = await this.#handle.read(target, done, length, position + done);
      if (bytesRead === 0) break;
      done += bytesRead;
    }
    return done;
  }

  async write(buffers: readonly Uint8Array[], position: number): Promise<number> {
    return (await this.#handle.writev(buffers as Uint8Array[], position)).bytesWritten;
  }

  truncate(length: number): Promise<void> {
    return this.#handle.truncate(length);
  }

  sync(): Promise<void> {
    return this.#handle.datasync();
  }

  async size(): Promise<number> {
    return (await this.#handle.stat()).size;
  }

  close(): Promise<void> {
    return this.#handle.close();
  }
}

/** The file system of the machine. */
export const nodeFileSystem: FileSystem = {
  open: async (path, mode) => new NodeFile(await open(path, openFlags[mode])),
  makeDirectory: async (path) => {
    await mkdir(path, { recursive: true });
  },
  list: (path) => readdir(path),
  rename,
  remove: (path) => rm(path, { recursive: true, force: true }),
  syncDirectory: async (path) => {
    const handle = await open(path, 'r');
    try {
      await handle.sync();
    } finally {
      await handle.close();
    }
  },
};
