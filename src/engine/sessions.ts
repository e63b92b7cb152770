import { type Clock, SluiceError, type Timer } from '../base/index.ts';

/** What statements of one session have set for those after them. */
export interface Session {
  database: string | undefined;
  /** Settings by name, as text. */
  readonly settings: Map<string, string>;
}

/** Sessions that one server keeps at most. */
const sessionsMax = 10_000;

/** Named sessions, each kept for some time after its last statement. A name belongs to the user who uses it. */
export class Sessions {
  readonly #clock: Clock;
  readonly #sessions = new Map<string, Session & { timer: Timer | null }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The session of that name, made when there is none; undefined for statements without one. */
  use(user: string, name: string, seconds: number): Session | undefined {
    if (name === '') return undefined;
    const key = `${user}\0${name}`;
    let session = this.#sessions.get(key);
    if (session === undefined) {
      if (this.#sessions.size >= sessionsMax)
        throw new SluiceError('TOO_MANY_SIMULTANEOUS_QUERIES', `There are ${sessionsMax} sessions already`);
      session = { database: undefined, settings: new Map(), timer: null };
      this.#sessions.set(key, session);
    }
    session.timer?.cancel();
    session.timer = this.#clock.after(seconds * 1000, () => this.#sessions.delete(key));
    return session;
  }
}

/** The session that a statement wants to change; throws BAD_ARGUMENTS when it has none. */
export function neededSession(session: Session | undefined, statement: string): Session {
  if (session !== undefined) return session;
  throw new SluiceError(
    'BAD_ARGUMENTS',
    `${statement} is for the statements after it: send session_id with it and with them, or give settings and database with each request`,
  );
}
