import { createHash, randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { parseSetting, SluiceError } from '../base/index.ts';

/** A user as the engine and the server know one. */
export interface UserAccount {
  readonly name: string;
  /** May read, and nothing else. */
  readonly readonly: boolean;
  /** Settings that the user's statements start from. */
  readonly settings: Readonly<Record<string, string>>;
  readonly secret: Secret;
}

/** How a password is checked: none needed, or salted scrypt (N = 16384, r = 8, p = 1, 32 bytes). */
type Secret =
  | { readonly kind: 'none' }
  | { readonly kind: 'scrypt'; readonly salt: Buffer; readonly hash: Buffer };

const hashBytes = 32;

function derive(password: string, salt: Buffer): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    scrypt(password, salt, hashBytes, (error, hash) => (error === null ? resolve(hash) : reject(error)));
  });
}

async function secretOf(password: string): Promise<Secret> {
  if (password === '') return { kind: 'none' };
  const salt = randomBytes(16);
  return { kind: 'scrypt', salt, hash: await derive(password, salt) };
}

/** The text for `password_hash` in a users file: salted scrypt, different every time. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16);
  return `scrypt:${salt.toString('hex')}:${(await derive(password, salt)).toString('hex')}`;
}

function hashedSecret(text: string, where: string): Secret {
  const match = /^scrypt:([0-9a-f]+):([0-9a-f]{64})$/.exec(text);
  if (match === null)
    throw new SluiceError(
      'BAD_ARGUMENTS',
      `${where}: password_hash must be 'scrypt:<salt in hex>:<hash in hex>'`,
    );
  return { kind: 'scrypt', salt: Buffer.from(match[1]!, 'hex'), hash: Buffer.from(match[2]!, 'hex') };
}

const knownFields = new Set(['name', 'password', 'password_hash', 'readonly', 'settings']);

async function account(entry: unknown, where: string): Promise<UserAccount> {
  if (typeof entry !== 'object' || entry === null)
    throw new SluiceError('BAD_ARGUMENTS', `${where}: expected an object`);
  const { name, password, password_hash: hash, readonly, settings } = entry as Record<string, unknown>;
  const unknown = Object.keys(entry).find((field) => !knownFields.has(field));
  if (unknown !== undefined)
    throw new SluiceError(
      'BAD_ARGUMENTS',
      `${where}: unknown field '${unknown}', expected ${[...knownFields].join(', ')}`,
    );
  if (typeof name !== 'string' || name === '')
    throw new SluiceError('BAD_ARGUMENTS', `${where}: 'name' must be a text`);
  if (password !== undefined && typeof password !== 'string')
    throw new SluiceError('BAD_ARGUMENTS', `${where}: 'password' must be a text`);
  if (hash !== undefined && typeof hash !== 'string')
    throw new SluiceError('BAD_ARGUMENTS', `${where}: 'password_hash' must be a text`);
  if (hash !== undefined && password !== undefined)
    throw new SluiceError('BAD_ARGUMENTS', `${where}: 'password' and 'password_hash' exclude each other`);
  if (readonly !== undefined && typeof readonly !== 'boolean')
    throw new SluiceError('BAD_ARGUMENTS', `${where}: 'readonly' must be true or false`);
  const secret = typeof hash === 'string' ? hashedSecret(hash, where) : await secretOf(password ?? '');
  return { name, readonly: readonly === true, settings: settingTexts(settings, where), secret };
}

function settingTexts(settings: unknown, where: string): Record<string, string> {
  if (settings === undefined) return {};
  if (typeof settings !== 'object' || settings === null || Array.isArray(settings))
    throw new SluiceError('BAD_ARGUMENTS', `${where}: 'settings' must be an object of settings by name`);
  return Object.fromEntries(
    Object.entries(settings).map(([setting, value]) => {
      try {
        parseSetting(setting, String(value));
      } catch (thrown) {
        throw thrown instanceof SluiceError
          ? new SluiceError(thrown.errorName, `${where}: ${thrown.message}`, { cause: thrown })
          : thrown;
      }
      return [setting, String(value)];
    }),
  );
}

/** The users that may log in. */
export class Users {
  readonly #accounts = new Map<string, UserAccount>();
  /** Digests of name and password that were found right, under a key of this process: scrypt is slow on purpose. */
  readonly #verified = new Set<string>();
  readonly #key = randomBytes(32);

  constructor(accounts: Iterable<UserAccount>) {
    for (const each of accounts) this.#accounts.set(each.name, each);
  }

  /** The user `default` with an empty password, and nobody else. */
  static default(): Users {
    return new Users([{ name: 'default', readonly: false, settings: {}, secret: { kind: 'none' } }]);
  }

  /** Reads a users file: JSON, `{"users": [{"name", "password" | "password_hash", "readonly", "settings"}]}`. */
  static async load(path: string): Promise<Users> {
    let parsed: unknown;
    try {
      parsed = JSON.parse(await readFile(path, 'utf8'));
    } catch (thrown) {
      throw new SluiceError(
        'BAD_ARGUMENTS',
        `The users file ${path} cannot be read: ${(thrown as Error).message}`,
        { cause: thrown },
      );
    }
    const list = (parsed as { users?: unknown } | null)?.users;
    if (!Array.isArray(list))
      throw new SluiceError('BAD_ARGUMENTS', `The users file ${path} must hold {"users": [...]}`);
    const accounts = await Promise.all(
      list.map((entry, index) => account(entry, `${path}, user ${index + 1}`)),
    );
    const names = new Set(accounts.map((each) => each.name));
    if (names.size !== accounts.length)
      throw new SluiceError('BAD_ARGUMENTS', `The users file ${path} names a user twice`);
    return new Users(names.has('default') ? accounts : [...accounts, ...Users.default().#accounts.values()]);
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
    return this.#verified.has(this.#digest(name, password)) ? found : undefined;
  }

  async #matches(found: UserAccount, password: string): Promise<boolean> {
    const { secret } = found;
    if (secret.kind === 'none') return password === '';
    const digest = this.#digest(found.name, password);
    if (this.#verified.has(digest)) return true;
    if (!timingSafeEqual(await derive(password, secret.salt), secret.hash)) return false;
    this.#verified.add(digest);
    return true;
  }

  #digest(name: string, password: string): string {
    return createHash('sha256')
      .update(this.#key)
      .update(`${name.length}:${name}`)
      .update(password)
      .digest('base64');
  }
}
