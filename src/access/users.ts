import { createHash, randomBytes } from 'node:crypto';
import { maybeYouMeant, SluiceError } from '../base/index.ts';
import type { Store } from '../storage/index.ts';
import type { UserAccount } from './account.ts';
import { Grants, type StoredGrant } from './grants.ts';
import { derive, isPassword, parseSecret, secretText } from './passwords.ts';

/** What is stored of a user that SQL made. */
interface StoredUser {
  readonly name: string;
  readonly secret: string;
  readonly settings: Readonly<Record<string, string>>;
  readonly defaultDatabase: string | null;
  readonly grants: readonly StoredGrant[];
}

const documentPrefix = 'access/users/';

function documentOf(name: string): string {
  return documentPrefix + Buffer.from(name, 'utf8').toString('hex');
}

function builtIn(): UserAccount {
  return {
    name: 'default',
    origin: 'built in',
    secret: { kind: 'none' },
    settings: {},
    defaultDatabase: null,
    grants: Grants.all(),
  };
}

/** The users that may log in. Those of the users file hide what SQL made under the same name. */
export class Users {
  readonly #store: Store;
  readonly #accounts = new Map<string, UserAccount>();
  /** Digests of name, password and secret that were found right, under a key of this process: scrypt is slow on purpose. */
  readonly #verified = new Set<string>();
  readonly #key = randomBytes(32);
  #last: Promise<unknown> = Promise.resolve();

  /** Reads the users that SQL made from the store, and adds those of a users file. */
  constructor(store: Store, fromFile: Iterable<UserAccount> = []) {
    this.#store = store;
    this.#accounts.set('default', builtIn());
    for (const document of store.listDocuments(documentPrefix)) {
      const stored = store.readDocument(document) as StoredUser;
      const { name, settings, defaultDatabase } = stored;
      this.#accounts.set(name, {
        name,
        origin: 'sql',
        secret: parseSecret(stored.secret, `The secret of the user ${name}`),
        settings,
        defaultDatabase,
        grants: new Grants(stored.grants),
      });
    }
    for (const account of fromFile) this.#accounts.set(account.name, account);
  }

  get list(): readonly UserAccount[] {
    return [...this.#accounts.values()].sort((left, right) => (left.name < right.name ? -1 : 1));
  }

  get(name: string): UserAccount | undefined {
    return this.#accounts.get(name);
  }

  /** The user of that name; throws UNKNOWN_USER. */
  find(name: string): UserAccount {
    const found = this.#accounts.get(name);
    if (found !== undefined) return found;
    throw new SluiceError(
      'UNKNOWN_USER',
      `There is no user '${name}'${maybeYouMeant(name, this.#accounts.keys())}`,
    );
  }

  /** The user of that name, to be changed by SQL; throws UNKNOWN_USER, or ACCESS_STORAGE_READONLY for one of the file. */
  findChangeable(name: string): UserAccount {
    const found = this.find(name);
    if (found.origin !== 'file') return found;
    throw new SluiceError(
      'ACCESS_STORAGE_READONLY',
      `The user '${name}' is defined in the users file: change it there`,
    );
  }

  /** Keeps a user, new or changed; resolves when it is on disk. */
  save(account: UserAccount): Promise<void> {
    return this.#inTurn(async () => {
      const { name, secret, settings, defaultDatabase, grants } = account;
      const stored: StoredUser = {
        name,
        secret: secretText(secret),
        settings,
        defaultDatabase,
        grants: [...grants.stored()],
      };
      await this.#store.writeDocument(documentOf(name), stored);
      this.#accounts.set(name, { ...account, origin: 'sql' });
    });
  }

  /** Takes a user away. `default` comes back as it was at the beginning at the next start, so it stays. */
  remove(account: UserAccount): Promise<void> {
    return this.#inTurn(async () => {
      if (account.name === 'default')
        throw new SluiceError(
          'BAD_ARGUMENTS',
          'The user default cannot be dropped: give it a password instead',
        );
      await this.#store.deleteDocument(documentOf(account.name));
      this.#accounts.delete(account.name);
    });
  }

  /** Runs changes one after the other. */
  #inTurn(change: () => Promise<void>): Promise<void> {
    const result = this.#last.then(change);
    this.#last = result.catch(() => {});
    return result;
  }

  /** The user of that name when the password is right; throws AUTHENTICATION_FAILED. */
  async authenticate(name: string, password: string): Promise<UserAccount> {
    const found = this.#accounts.get(name);
    if (found !== undefined && (await this.#matches(found, password))) return found;
    // An unknown name takes as long as a wrong password, so that the time does not tell which it was.
    if (found === undefined) await derive(password, this.#key);
    throw new SluiceError(
      'AUTHENTICATION_FAILED',
      `${name}: Authentication failed: password is incorrect, or there is no user with such name`,
    );
  }

  /** The account when nothing has to be computed to let the user in. */
  known(name: string, password: string): UserAccount | undefined {
    const found = this.#accounts.get(name);
    if (found === undefined) return undefined;
    if (found.secret.kind === 'none') return password === '' ? found : undefined;
    return this.#verified.has(this.#digest(found, password)) ? found : undefined;
  }

  async #matches(found: UserAccount, password: string): Promise<boolean> {
    if (found.secret.kind === 'none') return password === '';
    const digest = this.#digest(found, password);
    if (this.#verified.has(digest)) return true;
    if (!(await isPassword(found.secret, password))) return false;
    this.#verified.add(digest);
    return true;
  }

  /** The secret is part of it, so that an old password is not remembered as right. */
  #digest({ name, secret }: UserAccount, password: string): string {
    return createHash('sha256')
      .update(this.#key)
      .update(`${name.length}:${name}:${secretText(secret)}:`)
      .update(password)
      .digest('base64');
  }
}
