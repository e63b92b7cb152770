import type { ColumnSchema } from '../column/index.ts';
import type { StreamLog } from '../storage/index.ts';
import type { ExternalTable } from './external.ts';

/** A column of a stream as its CREATE statement defined it. */
export interface ColumnDefinition extends ColumnSchema {
  /** SQL text of the DEFAULT expression; null when there is none. */
  readonly defaultText: string | null;
  readonly comment: string;
}

interface ObjectBase {
  readonly uuid: string;
  readonly database: string;
  readonly name: string;
  readonly columns: readonly ColumnDefinition[];
  /** The CREATE statement, in canonical form. */
  readonly createText: string;
  readonly comment: string;
}

/** An append-only stream; its last stored column is `_tp_time`. */
export interface StreamObject extends ObjectBase {
  readonly kind: 'stream';
  readonly log: StreamLog;
}

/** A stored SELECT. */
export interface ViewObject extends ObjectBase {
  readonly kind: 'view';
  readonly queryText: string;
  /** The database that unqualified names in the query are in. */
  readonly queryDatabase: string;
}

/** A SELECT that keeps running and writes into `target`. */
export interface MaterializedViewObject extends ObjectBase {
  readonly kind: 'materialized_view';
  readonly queryText: string;
  /** The database that unqualified names in the query are in. */
  readonly queryDatabase: string;
  readonly target: { readonly database: string; readonly name: string };
  /** By the uuid of a source: where the view begins, a sequence number of a stream or the position of an external one. */
  readonly start: Readonly<Record<string, unknown>>;
  /** Whether the target was made with the view and goes with it. */
  readonly ownsTarget: boolean;
}

/** Rows that live in another system. */
export interface ExternalObject extends ObjectBase {
  readonly kind: 'external';
  readonly variant: 'stream' | 'table';
  /** As they were given, secrets included; what is shown is in `createText` and `external.shownSettings`. */
  readonly settings: Readonly<Record<string, string>>;
  readonly external: ExternalTable;
}

export type CatalogObject = StreamObject | ViewObject | MaterializedViewObject | ExternalObject;

/** What an object is called to users. */
export function kindName(object: CatalogObject): string {
  return object.kind === 'external' ? `external ${object.variant}` : object.kind.replaceAll('_', ' ');
}

/** What system tables and the REST interface call an object's engine. */
export function engineName(object: CatalogObject): string {
  switch (object.kind) {
    case 'stream':
      return 'Stream';
    case 'view':
      return 'View';
    case 'materialized_view':
      return 'MaterializedView';
    case 'external':
      return object.variant === 'stream' ? 'ExternalStream' : 'ExternalTable';
  }
}

/** A user who may not see everything. */
export interface Viewer {
  readonly name: string;
  /** Whether there is any right on the object, or on something in the database when `table` is null. */
  sees(database: string, table: string | null): boolean;
  /** Whether the user may know of other users. */
  readonly seesUsers: boolean;
  /** Whether the user may know what others run. */
  readonly seesProcesses: boolean;
}

/** A read-only table of the database `system`, whose rows are made when a query reads it. */
export interface SystemTable {
  readonly kind: 'system_table';
  readonly name: string;
  readonly columns: readonly ColumnSchema[];
  /** Rows as canonical values, one array a row: those that the viewer may see, or all. */
  readonly rows: (viewer?: Viewer) => Iterable<readonly unknown[]>;
  readonly doc: string;
}

export const eventTimeColumn = '_tp_time';
export const sequenceColumn = '_tp_sn';
