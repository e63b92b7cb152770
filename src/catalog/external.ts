import type { Clock, Settings } from '../base/index.ts';
import type { Block, ColumnSchema } from '../column/index.ts';
import type { ColumnDefinition } from './objects.ts';

/** Where reading begins. */
export type ReadStart =
  | { readonly kind: 'earliest' }
  | { readonly kind: 'latest' }
  /** The first row at or after a moment, in milliseconds since 1970 UTC. */
  | { readonly kind: 'time'; readonly milliseconds: number }
  /** The row of that number in every partition, or of one number for each partition in order. */
  | { readonly kind: 'sequence'; readonly sequences: readonly number[] }
  /** A position that a source gave, or that `startPosition` made. */
  | { readonly kind: 'position'; readonly position: unknown };

/**
 * A condition that the rows wanted fulfil: `column op value`, the column as a place in `allColumns`, the value in canonical
 * form of the column's type or one that compares with it. A source may use it to give fewer rows; it is checked again above.
 */
export interface SimpleCondition {
  readonly column: number;
  readonly op: '=' | '!=' | '<' | '<=' | '>' | '>=';
  readonly value: unknown;
}

export interface ReadRequest {
  /** The wanted columns, as places in `allColumns` of the table; blocks have these vectors, in this order. */
  readonly columns: readonly number[];
  /** Whether reading goes on with rows to come; else it ends with what is there at the beginning. */
  readonly streaming: boolean;
  readonly start: ReadStart;
  readonly conditions: readonly SimpleCondition[];
  /** Rows after which nothing more is wanted; undefined without a limit. */
  readonly limit: number | undefined;
  readonly settings: Settings;
  readonly clock: Clock;
  /** Aborted when the rows are no longer wanted, for whatever reason; the reader is told of it by the engine at once. */
  readonly signal: AbortSignal;
}

/**
 * Rows from outside. `next` is asked for one block at a time; a source prefetches within bounds of its own. Whoever reads is
 * told of a cancelled query and of its time limit without the source's help.
 */
export interface ExternalSource {
  /** At most 65,536 rows; null at the end. */
  next(): Block | null | Promise<Block | null>;
  /** Where to go on after the last block that was given, as data that msgpack can hold; undefined when it cannot go on. */
  readonly position: unknown;
  close(): void;
}

export interface WriteRequest {
  readonly settings: Settings;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Name of a writer that comes back after a restart and gives positions with `flush`. */
  readonly writer?: string;
}

/** Takes blocks with all columns of the table that are stored, in order. */
export interface ExternalSink {
  /** May wait until the other side has taken earlier rows. */
  add(block: Block): Promise<void>;
  /**
   * Resolves when the other side has acknowledged all rows added. The position of a writer with a name is kept with them, as
   * closely as the other side can.
   */
  flush(position?: unknown): Promise<void>;
  /** Gives up what has not been acknowledged, as far as that can be taken back; the sink ends with it. */
  abort(): Promise<void>;
  /** Lets go of everything; what was not flushed is given up. */
  close(): Promise<void>;
}

/** What is seen of an external object at work. */
export interface ExternalStatus {
  readonly state: 'idle' | 'running' | 'waiting';
  /** What went wrong last, until it goes well again; empty when nothing did. */
  readonly error: string;
}

/** Rows that live outside: what stands behind an external stream or table, or behind a table function. */
export interface ExternalTable {
  /** What it is called in plans and errors, such as `kafka`. */
  readonly type: string;
  /** The columns that are read and written. */
  readonly columns: readonly ColumnDefinition[];
  /** Further columns that can be read by name and are not part of `*`; `allColumns` are the columns, then these. */
  readonly virtualColumns: readonly ColumnSchema[];
  /** Whether rows keep coming, so that reading may go on. */
  readonly endless: boolean;
  /** The settings as they may be shown, without secrets. */
  readonly shownSettings: Readonly<Record<string, string>>;
  read(request: ReadRequest): ExternalSource;
  /** Throws NOT_IMPLEMENTED for what cannot be written. */
  write(request: WriteRequest): ExternalSink;
  /** The position that stands for a start, fixed now; only of endless tables. */
  startPosition?(
    start: ReadStart,
    request: Pick<ReadRequest, 'settings' | 'clock' | 'signal'>,
  ): Promise<unknown>;
  /** The position that a writer gave last with rows that are there; undefined when there is none. */
  writerPosition?(writer: string, request: WriteRequest): Promise<unknown>;
  status(): ExternalStatus;
  /** Ends all connections. */
  close(): Promise<void>;
}

/** What a CREATE EXTERNAL statement says. */
export interface ExternalDefinition {
  readonly variant: 'stream' | 'table';
  readonly database: string;
  readonly name: string;
  readonly columns: readonly ColumnDefinition[];
  /** As they were given, secrets included. */
  readonly settings: Readonly<Record<string, string>>;
}

/**
 * Makes the table behind a definition. It contacts nobody; throws for a type, a setting or a column that cannot be.
 */
export type ConnectExternal = (definition: ExternalDefinition) => Promise<ExternalTable>;
