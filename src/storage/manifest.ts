import { join } from 'node:path';
import type { ColumnSchema } from '../column/index.ts';
import { type DataFileKind, formatVersion } from './data-file.ts';
import { decodeEnvelope, encodeEnvelope } from './envelope.ts';
import { readWhole, replaceFile } from './file-access.ts';
import type { FileSystem } from './file-system.ts';
import type { StoredIndexEntry } from './stored-block.ts';

/** A sealed file: nothing is appended to it any more. */
export interface ManifestFile {
  readonly kind: DataFileKind;
  readonly number: number;
  readonly firstSequence: number;
  /** The sequence number after its last row. */
  readonly end: number;
  readonly rows: number;
  readonly bytes: number;
  /** Blocks in the file, ranges of small ones counting once, and the records they consist of. */
  readonly blocks: number;
  readonly records: number;
  readonly indexOffset: number;
  readonly indexLength: number;
  /** Stands in for the index in the file since rows of it were quarantined. */
  readonly index?: readonly StoredIndexEntry[];
}

/** Rows that were found damaged and taken out. */
export interface DamagedRows {
  readonly file: string;
  readonly message: string;
  readonly firstSequence: number;
  readonly rows: number;
}

/** What the manifest holds besides files: facts that must outlive the records they came from. */
export interface LogFacts {
  /** The sequence number that the next row gets. */
  readonly end: number;
  /** By writer, the packed position it wrote last. */
  readonly origins: ReadonlyMap<string, Uint8Array>;
  readonly tokens: readonly (readonly [token: string, firstSequence: number, rows: number])[];
}

export interface Manifest extends LogFacts {
  /** The format version that the log was written in. */
  readonly version: number;
  readonly id: string;
  readonly schema: readonly ColumnSchema[];
  /** Sealed files in the order of their rows. */
  readonly files: readonly ManifestFile[];
  /** Segments from this number on are not sealed; what else is not among `files` is left over. */
  readonly active: number;
  readonly nextNumber: number;
  readonly damaged: readonly DamagedRows[];
  /** Ends of unsealed segments that could not be cut back to them after a failed write: number and bytes. */
  readonly cuts: readonly (readonly [number: number, bytes: number])[];
}

export function manifestPath(directory: string): string {
  return join(directory, 'manifest');
}

export function newManifest(id: string, schema: readonly ColumnSchema[]): Manifest {
  return {
    version: formatVersion,
    id,
    schema,
    files: [],
    active: 1,
    nextNumber: 1,
    damaged: [],
    cuts: [],
    end: 0,
    origins: new Map(),
    tokens: [],
  };
}

/** The manifest in the directory; undefined when there is none, 'damaged' when it fails its checksum. */
export async function readManifest(
  fileSystem: FileSystem,
  directory: string,
): Promise<Manifest | 'damaged' | undefined> {
  const bytes = await readWhole(fileSystem, manifestPath(directory));
  if (bytes === undefined) return undefined;
  const decoded = decodeEnvelope(bytes);
  return decoded === undefined ? 'damaged' : (decoded.value as Manifest);
}

/** What a change leaves out, the keeper fills in: what of the log is known at the moment of writing. */
export type ManifestChange = (manifest: Manifest) => Manifest | undefined;

/** Changes the manifest of a log, one change at a time, each atomically. */
export class ManifestKeeper {
  #current: Manifest;
  #last: Promise<unknown> = Promise.resolve();
  readonly #fileSystem: FileSystem;
  readonly #directory: string;
  readonly #facts: () => LogFacts;

  constructor(fileSystem: FileSystem, directory: string, manifest: Manifest, facts: () => LogFacts) {
    this.#fileSystem = fileSystem;
    this.#directory = directory;
    this.#current = manifest;
    this.#facts = facts;
  }

  get current(): Manifest {
    return this.#current;
  }

  /**
   * Replaces the manifest by `change(current)` with the facts of the moment; does nothing when that is undefined.
   * Resolves to whether it was changed, and `published` (if given) has then run before any other change.
   *
   * @throws whatever the file system does; the manifest is then the old one
   */
  change(change: ManifestChange, published?: () => void): Promise<boolean> {
    const run = async (): Promise<boolean> => {
      const changed = change(this.#current);
      if (changed === undefined) return false;
      const next: Manifest = { ...changed, ...this.#facts() };
      await replaceFile(this.#fileSystem, manifestPath(this.#directory), encodeEnvelope(next));
      this.#current = next;
      published?.();
      return true;
    };
    const result = this.#last.then(run, run);
    this.#last = result.catch(() => undefined);
    return result;
  }
}
