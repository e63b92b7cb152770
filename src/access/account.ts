import type { Grants } from './grants.ts';
import type { Secret } from './passwords.ts';

/** A user as the engine and the server know one. */
export interface UserAccount {
  readonly name: string;
  /** Where the user is kept: made by SQL, named in the users file, or there from the beginning. */
  readonly origin: 'sql' | 'file' | 'built in';
  readonly secret: Secret;
  /** Settings that the user's statements start from. */
  readonly settings: Readonly<Record<string, string>>;
  /** The database of statements that name none; null for `default`. */
  readonly defaultDatabase: string | null;
  readonly grants: Grants;
}
