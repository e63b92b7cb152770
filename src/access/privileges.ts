import { quoteName } from '../ast/index.ts';
import { maybeYouMeant, SluiceError } from '../base/index.ts';

/** How narrow a right can be: on one stream, on one database, or only on all. */
type Reach = 'table' | 'database' | 'global';

/** The rights that statements need, and how narrow each can be granted. */
const reaches = {
  SELECT: 'table',
  INSERT: 'table',
  TRUNCATE: 'table',
  OPTIMIZE: 'table',
  'CREATE STREAM': 'table',
  'CREATE EXTERNAL STREAM': 'table',
  'CREATE VIEW': 'table',
  'CREATE MATERIALIZED VIEW': 'table',
  'CREATE DATABASE': 'database',
  'CREATE FORMAT SCHEMA': 'global',
  'DROP STREAM': 'table',
  'DROP VIEW': 'table',
  'DROP DATABASE': 'database',
  'DROP FORMAT SCHEMA': 'global',
  'CREATE USER': 'global',
  'ALTER USER': 'global',
  'DROP USER': 'global',
  'KILL QUERY': 'global',
  SYSTEM: 'global',
  FILE: 'global',
  URL: 'global',
  S3: 'global',
} as const satisfies Record<string, Reach>;

/** A right that cannot be taken apart. */
export type Privilege = keyof typeof reaches;

export const privileges = Object.keys(reaches) as readonly Privilege[];

/** Names for several rights, the widest first; a later one may be part of an earlier one. */
const groups: readonly (readonly [string, readonly Privilege[]])[] = [
  ['ALL', privileges],
  ['CREATE', privileges.filter((name) => name.startsWith('CREATE ') && name !== 'CREATE USER')],
  ['DROP', privileges.filter((name) => name.startsWith('DROP ') && name !== 'DROP USER')],
  ['ACCESS MANAGEMENT', ['CREATE USER', 'ALTER USER', 'DROP USER']],
  ['SOURCES', ['FILE', 'URL', 'S3']],
];

/** Other spellings. */
const aliases: Readonly<Record<string, string>> = {
  'ALL PRIVILEGES': 'ALL',
  'CREATE TABLE': 'CREATE STREAM',
  'CREATE EXTERNAL TABLE': 'CREATE EXTERNAL STREAM',
  'DROP TABLE': 'DROP STREAM',
  KILL: 'KILL QUERY',
};

/** What a right is on; a database of null stands for all of them, a table of null for all of the database. */
export interface Scope {
  readonly database: string | null;
  readonly table: string | null;
}

export function scopeText({ database, table }: Scope): string {
  return `${database === null ? '*' : quoteName(database)}.${table === null ? '*' : quoteName(table)}`;
}

function suits(privilege: Privilege, { database, table }: Scope): boolean {
  const reach: Reach = reaches[privilege];
  if (table !== null) return reach === 'table';
  return database === null || reach !== 'global';
}

/**
 * The rights that a name in GRANT stands for, as far as they can be had on the scope; throws BAD_ARGUMENTS for an unknown
 * name and for one that has no meaning on so narrow a scope.
 */
export function privilegesNamed(name: string, scope: Scope): readonly Privilege[] {
  const proper = aliases[name] ?? name;
  const group =
    groups.find(([known]) => known === proper)?.[1] ?? privileges.filter((each) => each === proper);
  if (group.length === 0) {
    const known = [...groups.map(([each]) => each), ...privileges];
    throw new SluiceError(
      'BAD_ARGUMENTS',
      `Unknown privilege '${name}'${maybeYouMeant(name, known)}: expected one of ${known.join(', ')}`,
    );
  }
  const suitable = group.filter((privilege) => suits(privilege, scope));
  if (suitable.length === 0) {
    const where = reaches[group[0]!] === 'global' ? '*.*' : '*.* or a database';
    throw new SluiceError(
      'BAD_ARGUMENTS',
      `${name} cannot be granted on ${scopeText(scope)}: it is a right on ${where}`,
    );
  }
  return suitable;
}

/** The shortest names for a set of rights on a scope. */
export function namesOf(held: ReadonlySet<Privilege>, scope: Scope): string[] {
  const names: string[] = [];
  const left = new Set(held);
  for (const [name, members] of groups) {
    const suitable = members.filter((privilege) => suits(privilege, scope));
    if (suitable.length < 2 || !suitable.every((privilege) => left.has(privilege))) continue;
    names.push(name);
    for (const privilege of suitable) left.delete(privilege);
  }
  return [...names, ...privileges.filter((privilege) => left.has(privilege))];
}
