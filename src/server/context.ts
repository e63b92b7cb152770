import type { UserAccount } from '../access/index.ts';
import type { Engine } from '../engine/index.ts';

/** What the routes of one port work with. */
export interface ServerContext {
  readonly engine: Engine;
  /** How plain stream names in FROM are read on this port when the request does not say. */
  readonly queryMode: 'streaming' | 'table';
  /** Set when the server stops: answers then end their connection. */
  readonly life: { readonly draining: boolean };
  /** Tells the log of a failure that is not the client's fault. */
  readonly log: (message: string) => void;
}

/** What the middleware leaves for the routes. */
export interface RequestState {
  user: UserAccount;
  /** The id of a statement, or of a request of the structured interface, once it is known. */
  queryId?: string;
  requestId?: string;
}
