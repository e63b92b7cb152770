import {
  Grants,
  type Privilege,
  parseSecret,
  privilegesNamed,
  type Scope,
  secretOf,
  type UserAccount,
} from '../../access/index.ts';
import {
  type AlterUser,
  type CreateUser,
  type DropStatement,
  type GrantStatement,
  quoteName,
  quoteString,
  type ShowCreate,
  type ShowStatement,
  type UserAuth,
  type UserOptions,
} from '../../ast/index.ts';
import { parseSetting, SluiceError } from '../../base/index.ts';
import { literalText } from '../../plan/index.ts';
import type { Engine } from '../engine.ts';
import { withAssignments } from '../planner.ts';
import type { Request } from '../request.ts';
import { done, type Outcome } from '../result.ts';
import { assertGranted, assertMayGrant, refuseBeyond } from '../rights.ts';
import { rowsOutcome, textColumns, textRows } from '../rows-outcome.ts';

const global: Scope = { database: null, table: null };

function refuse(what: string): never {
  throw new SluiceError('NOT_IMPLEMENTED', `${what} is not supported`);
}

/** Methods whose secret is a password; each is kept as salted scrypt, however it was to be kept. */
const passwordMethods = new Set([
  'password',
  'plaintext_password',
  'sha256_password',
  'double_sha1_password',
  'scrypt_password',
  'bcrypt_password',
]);

function secretFrom({ method, secret }: UserAuth): ReturnType<typeof secretOf> | UserAccount['secret'] {
  if (method === 'no_password') return { kind: 'none' };
  if (method === 'scrypt_hash') return parseSecret(secret!, 'The secret of IDENTIFIED WITH scrypt_hash');
  if (passwordMethods.has(method)) return secretOf(secret!);
  return refuse(`IDENTIFIED WITH ${method}`);
}

function refuseOptions({ hosts, defaultRoles }: UserOptions): void {
  if (hosts?.some((host) => host !== 'ANY')) refuse('HOST of a user');
  if (defaultRoles?.some((role) => role !== 'NONE' && role !== 'ALL')) refuse('DEFAULT ROLE of a user');
}

function settingsOf({ settings }: UserOptions): Record<string, string> {
  return Object.fromEntries(
    settings.map(({ name, value }) => {
      const text = literalText(value, `The value of setting '${name}'`);
      parseSetting(name, text);
      return [name, text];
    }),
  );
}

export async function createUser(engine: Engine, request: Request, statement: CreateUser): Promise<Outcome> {
  const { options } = statement;
  refuseOptions(options);
  if (options.renameTo !== null) throw new SluiceError('BAD_ARGUMENTS', 'RENAME TO belongs to ALTER USER');
  if (options.auth === null)
    throw new SluiceError(
      'BAD_ARGUMENTS',
      "CREATE USER needs IDENTIFIED BY 'password', or NOT IDENTIFIED for a user without one",
    );
  const settings = settingsOf(options);
  for (const name of statement.names) {
    if (engine.users.get(name) !== undefined) {
      if (statement.ifNotExists) continue;
      if (!statement.orReplace)
        throw new SluiceError('ACCESS_ENTITY_ALREADY_EXISTS', `The user '${name}' already exists`);
      engine.users.findChangeable(name);
      assertGranted(request.user, 'DROP USER', global);
    }
    await engine.users.save({
      name,
      origin: 'sql',
      secret: await secretFrom(options.auth),
      settings,
      defaultDatabase: options.defaultDatabase,
      grants: new Grants(),
    });
    engine.recheckRights(name);
  }
  return done(request.settings);
}

export async function alterUser(engine: Engine, request: Request, statement: AlterUser): Promise<Outcome> {
  const { options } = statement;
  refuseOptions(options);
  if (options.renameTo !== null && statement.names.length !== 1)
    throw new SluiceError('BAD_ARGUMENTS', 'RENAME TO takes a single user');
  const settings = settingsOf(options);
  for (const name of statement.names) {
    if (statement.ifExists && engine.users.get(name) === undefined) continue;
    const account = engine.users.findChangeable(name);
    // Whoever could change the password of somebody with more rights would have those rights.
    const beyond = request.user.grants.firstBeyond(account.grants);
    if (beyond !== undefined) refuseBeyond(request.user, name, beyond);
    const changed: UserAccount = {
      ...account,
      secret: options.auth === null ? account.secret : await secretFrom(options.auth),
      settings: options.settings.length === 0 ? account.settings : settings,
      defaultDatabase: options.defaultDatabase ?? account.defaultDatabase,
    };
    if (options.renameTo === null || options.renameTo === name) {
      await engine.users.save(changed);
      continue;
    }
    if (engine.users.get(options.renameTo) !== undefined)
      throw new SluiceError('ACCESS_ENTITY_ALREADY_EXISTS', `The user '${options.renameTo}' already exists`);
    if (name === 'default') throw new SluiceError('BAD_ARGUMENTS', 'The user default cannot be renamed');
    await engine.users.save({ ...changed, name: options.renameTo });
    await engine.users.remove(account);
    engine.recheckRights(name);
  }
  return done(request.settings);
}

export async function dropUser(engine: Engine, request: Request, statement: DropStatement): Promise<Outcome> {
  for (const { name } of statement.names) {
    if (statement.ifExists && engine.users.get(name) === undefined) continue;
    await engine.users.remove(engine.users.findChangeable(name));
    engine.recheckRights(name);
  }
  return done(request.settings);
}

/** The rights that a GRANT or REVOKE names, each with the scope that it is on. */
function named(request: Request, statement: GrantStatement): { scope: Scope; list: Privilege[] } {
  if (statement.on === null) return refuse('GRANT of roles');
  if (statement.adminOption) return refuse('ADMIN OPTION');
  const { database, table, currentDatabase } = statement.on;
  const scope = { database: currentDatabase ? request.database : database, table };
  const list = statement.privileges.flatMap(({ name, columns }) => {
    if (columns.length > 0) return refuse(`GRANT ${name} on single columns`);
    return privilegesNamed(name, scope);
  });
  return { scope, list };
}

export async function grant(engine: Engine, request: Request, statement: GrantStatement): Promise<Outcome> {
  const { scope, list } = named(request, statement);
  for (const privilege of list) assertMayGrant(request.user, privilege, scope);
  const accounts = statement.grantees.map((name) =>
    engine.users.findChangeable(name === 'CURRENT_USER' ? request.user.name : name),
  );
  for (const account of accounts) {
    // Rights are changed once they are on disk.
    const grants = new Grants(account.grants.stored());
    for (const privilege of list) {
      if (statement.revoke) grants.revoke(privilege, scope, statement.grantOption);
      else grants.grant(privilege, scope, statement.grantOption);
    }
    await engine.users.save({ ...account, grants });
    if (statement.revoke) engine.recheckRights(account.name);
  }
  return done(request.settings);
}

/** SHOW GRANTS [FOR user, ...]: the statements that would make the rights. */
export function showGrants(engine: Engine, request: Request, statement: ShowStatement): Outcome {
  const names = statement.for.length === 0 ? [request.user.name] : statement.for;
  const lines = names.flatMap((name) => {
    if (name !== request.user.name) assertGranted(request.user, 'ALTER USER', global);
    const { grants } = name === request.user.name ? request.user : engine.users.find(name);
    return grants.statements(quoteName(name));
  });
  return rowsOutcome(
    textColumns('grants'),
    textRows(lines.map((line) => [line])),
    statement.output,
    withAssignments(request.settings, statement.output.settings),
  );
}

/** The statement that makes a user, without the secret. */
function userText({ name, secret, defaultDatabase, settings }: UserAccount): string {
  const parts = [`CREATE USER ${quoteName(name)}`];
  parts.push(secret.kind === 'none' ? 'NOT IDENTIFIED' : 'IDENTIFIED WITH scrypt_hash');
  if (defaultDatabase !== null) parts.push(`DEFAULT DATABASE ${quoteName(defaultDatabase)}`);
  const assignments = Object.entries(settings).map(([setting, text]) => `${setting} = ${quoteString(text)}`);
  if (assignments.length > 0) parts.push(`SETTINGS ${assignments.join(', ')}`);
  return parts.join(' ');
}

export function showCreateUser(engine: Engine, request: Request, statement: ShowCreate): Outcome {
  const { name } = statement.name;
  if (name !== request.user.name) assertGranted(request.user, 'ALTER USER', global);
  return rowsOutcome(
    textColumns('statement'),
    textRows([[userText(engine.users.find(name))]]),
    statement.output,
    request.settings,
  );
}
