import { readFile } from 'node:fs/promises';
import { parseSetting, SluiceError } from '../base/index.ts';
import { parseStatement } from '../parser/index.ts';
import type { UserAccount } from './account.ts';
import { Grants } from './grants.ts';
import { parseSecret, secretOf } from './passwords.ts';
import { privilegesNamed } from './privileges.ts';

const knownFields = new Set([
  'name',
  'password',
  'password_hash',
  'readonly',
  'grants',
  'settings',
  'default_database',
]);

/** Settings by name as text, each checked; throws what is wrong with one, and where. */
export function settingTexts(settings: unknown, where: string): Record<string, string> {
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

/** `SELECT, INSERT ON db.*` and the like, as they stand in GRANT. */
function grantsOf(given: unknown, where: string): Grants {
  if (!Array.isArray(given) || given.some((each) => typeof each !== 'string'))
    throw new SluiceError(
      'BAD_ARGUMENTS',
      `${where}: 'grants' must be a list of texts such as "SELECT ON db.*"`,
    );
  const grants = new Grants();
  for (const text of given as string[]) {
    const statement = parseGrant(text, where);
    for (const { name } of statement.privileges)
      for (const privilege of privilegesNamed(name, statement.on!))
        grants.grant(privilege, statement.on!, false);
  }
  return grants;
}

function parseGrant(text: string, where: string) {
  const refuse = (why: string): never => {
    throw new SluiceError('BAD_ARGUMENTS', `${where}: the grant '${text}' is not understood: ${why}`);
  };
  let statement: ReturnType<typeof parseStatement>;
  try {
    statement = parseStatement(`GRANT ${text} TO x`);
  } catch (thrown) {
    if (thrown instanceof SluiceError) return refuse(thrown.message);
    throw thrown;
  }
  if (statement.kind !== 'grant' || statement.on === null || statement.on.currentDatabase)
    return refuse('expected rights, ON, and a stream with its database, db.* or *.*');
  if (statement.privileges.some((privilege) => privilege.columns.length > 0))
    return refuse('rights on single columns are not supported');
  return statement;
}

async function account(entry: unknown, where: string): Promise<UserAccount> {
  if (typeof entry !== 'object' || entry === null)
    throw new SluiceError('BAD_ARGUMENTS', `${where}: expected an object`);
  const fields = entry as Record<string, unknown>;
  const {
    name,
    password,
    password_hash: hash,
    readonly,
    grants,
    settings,
    default_database: database,
  } = fields;
  const unknown = Object.keys(entry).find((field) => !knownFields.has(field));
  if (unknown !== undefined)
    throw new SluiceError(
      'BAD_ARGUMENTS',
      `${where}: unknown field '${unknown}', expected ${[...knownFields].join(', ')}`,
    );
  const text = (value: unknown, field: string) => {
    if (value !== undefined && typeof value !== 'string')
      throw new SluiceError('BAD_ARGUMENTS', `${where}: '${field}' must be a text`);
    return value;
  };
  if (typeof name !== 'string' || name === '')
    throw new SluiceError('BAD_ARGUMENTS', `${where}: 'name' must be a text`);
  const plain = text(password, 'password');
  const hashed = text(hash, 'password_hash');
  if (hashed !== undefined && plain !== undefined)
    throw new SluiceError('BAD_ARGUMENTS', `${where}: 'password' and 'password_hash' exclude each other`);
  if (readonly !== undefined && typeof readonly !== 'boolean')
    throw new SluiceError('BAD_ARGUMENTS', `${where}: 'readonly' must be true or false`);
  if (readonly === true && grants !== undefined)
    throw new SluiceError('BAD_ARGUMENTS', `${where}: 'readonly' and 'grants' exclude each other`);
  const rights = readonly === true ? ['SELECT ON *.*'] : grants;
  return {
    name,
    origin: 'file',
    secret:
      hashed === undefined ? await secretOf(plain ?? '') : parseSecret(hashed, `${where}: password_hash`),
    settings: settingTexts(settings, where),
    defaultDatabase: text(database, 'default_database') ?? null,
    grants: rights === undefined ? Grants.all() : grantsOf(rights, where),
  };
}

/**
 * Reads a users file: JSON, `{"users": [{"name", "password" | "password_hash", "readonly" | "grants", "settings",
 * "default_database"}]}`. Without `readonly` and `grants` a user may do everything. Throws BAD_ARGUMENTS.
 */
export async function readUsersFile(path: string): Promise<UserAccount[]> {
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
  if (new Set(accounts.map((each) => each.name)).size !== accounts.length)
    throw new SluiceError('BAD_ARGUMENTS', `The users file ${path} names a user twice`);
  return accounts;
}
