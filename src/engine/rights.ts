import { type Privilege, type Scope, scopeText } from '../access/index.ts';
import type { DropStatement, ObjectName, Statement } from '../ast/index.ts';
import { SluiceError, unreachable } from '../base/index.ts';
import type { Viewer } from '../catalog/index.ts';
import type { QueryReads } from './planner.ts';
import type { Request, User } from './request.ts';

/** A right that a statement needs. */
interface Need extends Scope {
  readonly privilege: Privilege;
}

const everything: Scope = { database: null, table: null };

/** Statements that only look. */
const reading = new Set<Statement['kind']>([
  'query',
  'show',
  'show_create',
  'describe',
  'explain',
  'exists_statement',
  'use',
  'set',
]);

function everywhere(privilege: Privilege): Need[] {
  return [{ privilege, ...everything }];
}

function dropNeeds(request: Request, { object, names }: Pick<DropStatement, 'object' | 'names'>): Need[] {
  switch (object) {
    case 'database':
      return names.map(({ name }) => ({ privilege: 'DROP DATABASE', database: name, table: null }));
    case 'user':
      return everywhere('DROP USER');
    case 'format_schema':
      return everywhere('DROP FORMAT SCHEMA');
    default: {
      const privilege = object === 'view' || object === 'materialized_view' ? 'DROP VIEW' : 'DROP STREAM';
      return names.map((name) => on(request, privilege, name));
    }
  }
}

function on(request: Request, privilege: Privilege, name: ObjectName): Need {
  return { privilege, database: name.database ?? request.database, table: name.name };
}

/** The right that a table function needs, by its name. */
function sourcePrivilege(name: string): Privilege {
  const upper = name.toUpperCase();
  return upper === 'URL' || upper === 'S3' ? upper : 'FILE';
}

/** The rights that a statement needs, beside those on what its queries read. */
function needsOf(request: Request, statement: Statement): Need[] {
  const created = (privilege: Privilege, object: { name: ObjectName; orReplace: boolean }, drop: Privilege) =>
    [privilege, ...(object.orReplace ? [drop] : [])].map((each) => on(request, each, object.name));
  switch (statement.kind) {
    case 'query':
    case 'show':
    case 'show_create':
    case 'describe':
    case 'explain':
    case 'exists_statement':
    case 'use':
    case 'set':
      return [];
    // Granting needs the rights that are granted, and a user's own statements may be ended.
    case 'grant':
    case 'kill':
      return [];
    case 'insert':
      if ('kind' in statement.target) return everywhere(sourcePrivilege(statement.target.name));
      return [
        on(request, 'INSERT', statement.target),
        ...(statement.infile === null ? [] : everywhere('FILE')),
      ];
    case 'create_database':
      return [{ privilege: 'CREATE DATABASE', database: statement.name, table: null }];
    case 'create_stream':
      return created(
        statement.variant === 'external' ? 'CREATE EXTERNAL STREAM' : 'CREATE STREAM',
        statement,
        'DROP STREAM',
      );
    case 'create_view':
      return created('CREATE VIEW', statement, 'DROP VIEW');
    case 'create_materialized_view':
      return [
        ...created('CREATE MATERIALIZED VIEW', statement, 'DROP VIEW'),
        ...(statement.into === null ? [] : [on(request, 'INSERT', statement.into)]),
      ];
    case 'create_format_schema':
      return everywhere('CREATE FORMAT SCHEMA');
    case 'create_user':
    case 'create_role':
      return everywhere('CREATE USER');
    case 'alter_user':
      return everywhere('ALTER USER');
    case 'drop':
      return dropNeeds(request, statement);
    case 'rename':
      return statement.pairs.flatMap(({ from, to }) => [
        on(request, 'DROP STREAM', from),
        on(request, 'CREATE STREAM', to),
      ]);
    case 'truncate':
      return [on(request, 'TRUNCATE', statement.name)];
    case 'optimize':
      return [on(request, 'OPTIMIZE', statement.name)];
    case 'unsupported_statement':
    case 'create_function':
    case 'alter':
    case 'set_role':
    case 'system':
    case 'view_control':
    case 'delete':
    case 'update':
    case 'check':
      return everywhere('SYSTEM');
    default:
      return unreachable(statement);
  }
}

function denied(user: User, privilege: string, scope: Scope, why = ''): SluiceError {
  return new SluiceError(
    'ACCESS_DENIED',
    `${user.name}: Not enough privileges. To execute this query, it's necessary to have the grant ${privilege} ON ${scopeText(scope)}${why}`,
  );
}

/** Throws ACCESS_DENIED when the user lacks a right. */
export function assertGranted(user: User, privilege: Privilege, scope: Scope): void {
  if (!user.grants.unlimited && !user.grants.allows(privilege, scope)) throw denied(user, privilege, scope);
}

/** Throws ACCESS_DENIED when the user may not grant a right, or take it away. */
export function assertMayGrant(user: User, privilege: Privilege, scope: Scope): void {
  if (!user.grants.mayGrant(privilege, scope)) throw denied(user, privilege, scope, ' WITH GRANT OPTION');
}

/** Refuses a change of a user who has a right that the one who asks has not. */
export function refuseBeyond(
  user: User,
  changed: string,
  { privilege, scope }: { readonly privilege: Privilege; readonly scope: Scope },
): never {
  throw denied(user, privilege, scope, `, which the user '${changed}' has`);
}

/** Throws ACCESS_DENIED when the user has no right at all on an object, and so may not see what it is. */
export function assertSeen(user: User, database: string, table: string): void {
  if (database === 'system' || user.grants.sees({ database, table })) return;
  throw denied(user, 'SELECT', { database, table });
}

/** Throws ACCESS_DENIED when the user may not read what a query reads. */
export function assertReadable(user: User, reads: QueryReads): void {
  if (user.grants.unlimited) return;
  for (const scope of reads.tables) assertGranted(user, 'SELECT', scope);
  for (const name of reads.functions) assertGranted(user, sourcePrivilege(name), everything);
}

/**
 * Refuses what the request or its user may not do: READONLY for a request that may only look (GET, the setting readonly),
 * ACCESS_DENIED for a user who may.
 */
export function assertAllowed(request: Request, statement: Statement): void {
  if (reading.has(statement.kind)) return;
  const { user } = request;
  if (request.readonly) {
    const [first] = needsOf(request, statement);
    const what =
      first === undefined
        ? statement.kind.replaceAll('_', ' ').toUpperCase()
        : `${first.privilege} ON ${scopeText(first)}`;
    throw new SluiceError(
      'READONLY',
      `Cannot execute ${what} in readonly mode: GET requests and the setting readonly only read, send it as POST`,
    );
  }
  if (user.grants.unlimited) return;
  for (const { privilege, ...scope } of needsOf(request, statement)) assertGranted(user, privilege, scope);
}

/** Throws ACCESS_DENIED when the user may not read through a table function. */
export function assertSource(user: User, name: string): void {
  assertGranted(user, sourcePrivilege(name), everything);
}

/** What a user who may not do everything sees in the system tables. */
export function viewerOf({ name, grants }: User): Viewer {
  return {
    name,
    sees: (database, table) => database === 'system' || grants.sees({ database, table }),
    seesUsers: grants.allows('ALTER USER', everything),
    seesProcesses: grants.allows('KILL QUERY', everything),
  };
}
