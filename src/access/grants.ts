import { namesOf, type Privilege, privileges, type Scope, scopeText } from './privileges.ts';

/** Whether a right is granted on a scope, or taken back from a wider grant; `option` lets it be granted on. */
interface Entry {
  readonly granted: boolean;
  readonly option: boolean;
}

/** An entry as it is stored. */
export interface StoredGrant extends Scope, Entry {
  readonly privilege: Privilege;
}

/** What an entry changes about what the scopes around it say. */
type Change = 'grant' | 'grant with option' | 'revoke' | 'revoke option';

const changeTexts: Readonly<Record<Change, (rights: string, user: string) => string>> = {
  grant: (rights, user) => `GRANT ${rights} TO ${user}`,
  'grant with option': (rights, user) => `GRANT ${rights} TO ${user} WITH GRANT OPTION`,
  revoke: (rights, user) => `REVOKE ${rights} FROM ${user}`,
  'revoke option': (rights, user) => `REVOKE GRANT OPTION FOR ${rights} FROM ${user}`,
};

const nothing: Entry = { granted: false, option: false };

function keyOf({ database, table }: Scope): string {
  if (database === null) return '';
  return table === null ? `${database}\0` : `${database}\0${table}`;
}

function scopeOf(key: string): Scope {
  if (key === '') return { database: null, table: null };
  const at = key.indexOf('\0');
  return { database: key.slice(0, at), table: at === key.length - 1 ? null : key.slice(at + 1) };
}

/** 0 for everything, 1 for a database, 2 for a stream. */
function depthOf(key: string): number {
  const { database, table } = scopeOf(key);
  return database === null ? 0 : table === null ? 1 : 2;
}

/** The keys of the scopes around a scope, the nearest first. */
function around({ database, table }: Scope): string[] {
  if (database === null) return [];
  return table === null ? [''] : [`${database}\0`, ''];
}

/** The rights of one user: for each privilege entries by scope, of which the narrowest decides. */
export class Grants {
  readonly #entries = new Map<Privilege, Map<string, Entry>>();
  #unlimited: boolean | undefined;

  constructor(stored: Iterable<StoredGrant> = []) {
    for (const { privilege, granted, option, ...scope } of stored)
      this.#of(privilege).set(keyOf(scope), { granted, option });
  }

  /** All rights on everything, to be granted on. */
  static all(): Grants {
    const grants = new Grants();
    for (const privilege of privileges) grants.grant(privilege, { database: null, table: null }, true);
    return grants;
  }

  #of(privilege: Privilege): Map<string, Entry> {
    let entries = this.#entries.get(privilege);
    if (entries === undefined) {
      entries = new Map();
      this.#entries.set(privilege, entries);
    }
    return entries;
  }

  #effective(privilege: Privilege, scope: Scope): Entry {
    const entries = this.#entries.get(privilege);
    if (entries === undefined) return nothing;
    const own = entries.get(keyOf(scope));
    return own ?? this.#fromAround(entries, scope);
  }

  #fromAround(entries: ReadonlyMap<string, Entry>, scope: Scope): Entry {
    for (const key of around(scope)) {
      const entry = entries.get(key);
      if (entry !== undefined) return entry;
    }
    return nothing;
  }

  /** The entries inside a scope, without its own. */
  *#inside(entries: ReadonlyMap<string, Entry>, scope: Scope): Iterable<[string, Entry]> {
    const key = keyOf(scope);
    if (scope.table !== null) return;
    for (const entry of entries) if (entry[0] !== key && entry[0].startsWith(key)) yield entry;
  }

  /** Whether the user may do everything everywhere, so that nothing has to be looked up. */
  get unlimited(): boolean {
    this.#unlimited ??= privileges.every((privilege) => {
      const entries = this.#entries.get(privilege);
      return entries?.size === 1 && entries.get('')?.granted === true;
    });
    return this.#unlimited;
  }

  /** Whether the right is there on the scope itself: a stream, a database, or everything. */
  allows(privilege: Privilege, scope: Scope): boolean {
    return this.#effective(privilege, scope).granted;
  }

  /** Whether the right can be granted on: it is there with its option, on everything inside the scope. */
  mayGrant(privilege: Privilege, scope: Scope): boolean {
    if (!this.#effective(privilege, scope).option) return false;
    for (const [, entry] of this.#inside(this.#of(privilege), scope)) if (!entry.option) return false;
    return true;
  }

  /** The first right of another user that is not held here on the whole of its scope; undefined when all of them are. */
  firstBeyond(other: Grants): { readonly privilege: Privilege; readonly scope: Scope } | undefined {
    for (const { privilege, granted, database, table } of other.stored()) {
      const scope = { database, table };
      if (granted && !this.#allowsWhole(privilege, scope)) return { privilege, scope };
    }
    return undefined;
  }

  #allowsWhole(privilege: Privilege, scope: Scope): boolean {
    if (!this.allows(privilege, scope)) return false;
    for (const [, entry] of this.#inside(this.#of(privilege), scope)) if (!entry.granted) return false;
    return true;
  }

  /** Whether there is any right on the stream, or inside the database when `table` is null. */
  sees(scope: Scope): boolean {
    if (this.unlimited) return true;
    return privileges.some((privilege) => {
      if (this.allows(privilege, scope)) return true;
      for (const [, entry] of this.#inside(this.#of(privilege), scope)) if (entry.granted) return true;
      return false;
    });
  }

  /** Changes what is on a scope and inside it, and keeps the entries that say something else than those around them. */
  #change(privilege: Privilege, scope: Scope, change: (entry: Entry) => Entry): void {
    const entries = this.#of(privilege);
    const changed = new Map<string, Entry>([[keyOf(scope), change(this.#effective(privilege, scope))]]);
    for (const [key, entry] of this.#inside(entries, scope)) changed.set(key, change(entry));
    // The widest come first, so that each is compared with what is around it now.
    for (const key of [...changed.keys()].sort((left, right) => depthOf(left) - depthOf(right))) {
      const entry = changed.get(key)!;
      entries.delete(key);
      const wider = this.#fromAround(entries, scopeOf(key));
      if (entry.granted !== wider.granted || entry.option !== wider.option) entries.set(key, entry);
    }
    this.#unlimited = undefined;
  }

  grant(privilege: Privilege, scope: Scope, option: boolean): void {
    this.#change(privilege, scope, (entry) => ({
      granted: true,
      option: option || (entry.granted && entry.option),
    }));
  }

  /** Takes the right away, or only that of granting it on. */
  revoke(privilege: Privilege, scope: Scope, onlyOption: boolean): void {
    this.#change(privilege, scope, (entry) => ({ granted: onlyOption && entry.granted, option: false }));
  }

  *stored(): Iterable<StoredGrant> {
    for (const [privilege, entries] of this.#entries)
      for (const [key, entry] of entries) yield { privilege, ...scopeOf(key), ...entry };
  }

  /** The statements that make these rights, the widest first; `user` as it stands in SQL. */
  statements(user: string): string[] {
    const parts = new Map<string, { scope: Scope; change: Change; held: Set<Privilege> }>();
    for (const { privilege, granted, option, database, table } of this.stored()) {
      const scope = { database, table };
      const wider = this.#fromAround(this.#of(privilege), scope);
      const change: Change = !granted
        ? 'revoke'
        : option
          ? 'grant with option'
          : wider.granted
            ? 'revoke option'
            : 'grant';
      const key = `${change} ${keyOf(scope)}`;
      const part = parts.get(key) ?? { scope, change, held: new Set() };
      part.held.add(privilege);
      parts.set(key, part);
    }
    return [...parts.values()]
      .sort(
        (left, right) =>
          depthOf(keyOf(left.scope)) - depthOf(keyOf(right.scope)) ||
          (keyOf(left.scope) < keyOf(right.scope) ? -1 : 1),
      )
      .map(({ scope, change, held }) => {
        return changeTexts[change](`${namesOf(held, scope).join(', ')} ON ${scopeText(scope)}`, user);
      });
  }
}
