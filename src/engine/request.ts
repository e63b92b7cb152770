import type { UserAccount } from '../access/index.ts';
import type { Settings } from '../base/index.ts';
import type { Session } from './sessions.ts';

/** Who runs a statement, and what they may do. */
export type User = Pick<UserAccount, 'name' | 'grants' | 'defaultDatabase'>;

/** What comes with a statement. */
export interface QueryOptions {
  /** A user who may do everything, unless given. */
  readonly user?: User;
  readonly database?: string;
  /** Settings by name, as text; they are laid over the user's. */
  readonly settings?: Readonly<Record<string, string | number | boolean>>;
  /** Values of `{name:type}` placeholders, as text; in that of a string `\` begins an escape, and `\N` alone is NULL. */
  readonly parameters?: Readonly<Record<string, string>>;
  readonly queryId?: string;
  readonly signal?: AbortSignal;
  /** Ends the statement when it is aborted; the engine uses it as its own. */
  readonly controller?: AbortController;
  /** The data of an INSERT ... FORMAT, beside what stands in the text. */
  readonly data?: AsyncIterable<Uint8Array> | Iterable<Uint8Array> | Uint8Array;
  /** Whether that data follows the statement in one text, so that a semicolon at its end is the statement's. */
  readonly isDataInline?: boolean;
  /** Refuse everything that writes or changes (GET over HTTP). */
  readonly readonly?: boolean;
}

/** A statement's request with everything filled in. */
export interface Request {
  readonly text: string;
  readonly user: User;
  readonly database: string;
  readonly settings: Settings;
  readonly parameters: ReadonlyMap<string, string>;
  readonly queryId: string;
  readonly signal: AbortSignal;
  readonly data: AsyncIterable<Uint8Array> | Iterable<Uint8Array>;
  readonly isDataInline: boolean;
  readonly readonly: boolean;
  /** What statements before it in the same session have set; undefined without a session. */
  readonly session: Session | undefined;
}
