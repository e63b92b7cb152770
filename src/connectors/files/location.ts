import type { Clock } from '../../base/index.ts';

/** What every access to the outside is told. */
export interface AccessContext {
  readonly clock: Clock;
  /** Aborted when the access is no longer wanted. */
  readonly signal: AbortSignal;
}

/** An object that can be read: a file, the answer to a request, an object of a store. */
export interface Readable {
  /** Its name without the place it is in, such as `b.csv`. */
  readonly name: string;
  /** Where it is, as it may be shown. */
  readonly path: string;
  /** Its bytes in chunks, as they are stored. */
  read(): AsyncIterable<Uint8Array>;
}

/** An object in the making: nobody sees it before `commit`. */
export interface ObjectWriter {
  write(bytes: Uint8Array): Promise<void>;
  /** Resolves when the whole object is there. */
  commit(): Promise<void>;
  /** Leaves nothing behind, also after `commit` where the object was not there before. */
  abort(): Promise<void>;
}

/** How an object that is to be written stands to one of the same name. */
export interface WriteMode {
  readonly truncate: boolean;
  /** Whether what is written can stand behind what is there. */
  readonly appendable: boolean;
}

/** Where a table function finds its objects. */
export interface Location {
  /** What it is called, such as `file`. */
  readonly type: 'file' | 'url' | 's3';
  /** The path as given, as it may be shown. */
  readonly shown: string;
  /** The objects that the path stands for, in order of their names; throws when there is none. */
  find(context: AccessContext): Promise<readonly Readable[]>;
  /** Begins an object; `partition` takes the place of `{_partition_id}` in the path. */
  create(partition: string | null, mode: WriteMode, context: AccessContext): Promise<ObjectWriter>;
}
