import type { UserAccount, Users } from '../access/index.ts';
import type { Engine } from '../engine/index.ts';

/** What the routes of one port work with. */
export interface ServerContext {
  readonly engine: Engine;
  readonly users: Users;
  /** How plain stream names in FROM are read on this port when the request does not say. */
  readonly queryMode: 'streaming' | 'table';
}

/** What the middleware leaves for the routes. */
export interface RequestState {
  user: UserAccount;
}
