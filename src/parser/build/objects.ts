import {
  type DropStatementContext,
  type ExistsStatementContext,
  type ObjectKindContext,
  type ObjectRefContext,
  type RenameStatementContext,
  ShowCreateContext,
  type ShowListContext,
  type ShowStatementContext,
  SluiceParser,
  type TruncateStatementContext,
} from '../../../generated/SluiceParser.ts';
import type {
  DropStatement,
  ExistsStatement,
  LikeClause,
  ObjectKind,
  ObjectName,
  RenameStatement,
  ShowCreate,
  ShowList,
  ShowStatement,
  TruncateStatement,
} from '../../ast/index.ts';
import { maybeYouMeant } from '../../base/index.ts';
import { identifierText, looseName, objectName, refuse, spanOf, stringValue } from './common.ts';
import { optionalExpression } from './expressions.ts';
import { outputClause } from './output.ts';
import { settingsOf } from './queries.ts';

const kindsByWords: ReadonlyMap<string, ObjectKind> = new Map([
  ['DATABASE', 'database'],
  ['SCHEMA', 'database'],
  ['STREAM', 'stream'],
  ['TABLE', 'table'],
  ['VIEW', 'view'],
  ['MATERIALIZED VIEW', 'materialized_view'],
  ['FUNCTION', 'function'],
  ['FORMAT SCHEMA', 'format_schema'],
  ['USER', 'user'],
  ['ROLE', 'role'],
  ['DICTIONARY', 'dictionary'],
  ['NAMED COLLECTION', 'named_collection'],
  ['TASK', 'task'],
  ['ALERT', 'alert'],
  ['DISK', 'disk'],
  ['QUOTA', 'quota'],
  ['PROFILE', 'settings_profile'],
  ['SETTINGS PROFILE', 'settings_profile'],
  ['POLICY', 'row_policy'],
  ['ROW POLICY', 'row_policy'],
]);

/** EXTERNAL, MUTABLE, RANDOM and TEMPORARY tell nothing that the catalog does not know better. */
function objectKind(ctx: ObjectKindContext | null): ObjectKind | null {
  if (ctx === null) return null;
  const words = ctx.children.map((child) => child.getText().toUpperCase());
  if (words.length === 2 && /^(?:EXTERNAL|MUTABLE|RANDOM|TEMPORARY)$/.test(words[0]!)) words.shift();
  return kindsByWords.get(words.join(' '))!;
}

function objectRef(ctx: ObjectRefContext): ObjectName {
  const name = ctx.objectName();
  return name === null ? { database: null, name: stringValue(ctx.STRING()!) } : objectName(name);
}

export function dropStatement(ctx: DropStatementContext): DropStatement {
  return {
    kind: 'drop',
    object: objectKind(ctx.objectKind())!,
    names: ctx.objectRef().map(objectRef),
    ifExists: ctx.ifExists() !== null,
    cascade: ctx.dropWord().some((word) => word.CASCADE() !== null),
    settings: settingsOf(ctx.settingsClause()),
    pos: spanOf(ctx),
  };
}

export function renameStatement(ctx: RenameStatementContext): RenameStatement {
  return {
    kind: 'rename',
    object: objectKind(ctx.objectKind())!,
    ifExists: ctx.ifExists() !== null,
    pairs: ctx.renamePair().map((pair) => ({ from: objectName(pair._old!), to: objectName(pair._changed!) })),
    pos: spanOf(ctx),
  };
}

export function truncateStatement(ctx: TruncateStatementContext): TruncateStatement {
  const word = ctx._object?.type;
  return {
    kind: 'truncate',
    object: word === SluiceParser.DATABASE ? 'database' : word === SluiceParser.TABLE ? 'table' : 'stream',
    name: objectName(ctx.objectName()),
    ifExists: ctx.ifExists() !== null,
    pos: spanOf(ctx),
  };
}

export function existsStatement(ctx: ExistsStatementContext): ExistsStatement {
  return {
    kind: 'exists_statement',
    object: objectKind(ctx.objectKind()) ?? 'stream',
    name: objectRef(ctx.objectRef()),
    output: outputClause(ctx.outputClause()),
    pos: spanOf(ctx),
  };
}

export function showStatement(ctx: ShowStatementContext): ShowStatement | ShowCreate {
  if (!(ctx instanceof ShowCreateContext)) return showList(ctx as ShowListContext);
  return {
    kind: 'show_create',
    object: objectKind(ctx.objectKind()) ?? 'stream',
    name: objectRef(ctx.objectRef()),
    output: outputClause(ctx.outputClause()),
    pos: spanOf(ctx),
  };
}

const lists: ReadonlyMap<string, ShowList> = new Map(
  (
    [
      'databases',
      'streams',
      'tables',
      'views',
      'columns',
      'indexes',
      'functions',
      'aggregate_functions',
      'settings',
      'processlist',
      'users',
      'roles',
      'current_roles',
      'enabled_roles',
      'grants',
      'privileges',
      'quotas',
      'profiles',
      'policies',
      'access',
      'clusters',
      'engines',
      'formats',
      'format_schemas',
      'dictionaries',
      'tasks',
      'alerts',
      'disks',
      'named_collections',
      'materialized_views',
    ] as const
  ).map((list): [string, ShowList] => [list.replaceAll('_', ' ').toUpperCase(), list]),
);

/** Other ways of writing the words of a list. */
const listAliases: ReadonlyMap<string, string> = new Map([
  ['SCHEMAS', 'DATABASES'],
  ['FIELDS', 'COLUMNS'],
  ['INDEX', 'INDEXES'],
  ['KEYS', 'INDEXES'],
  ['INDICES', 'INDEXES'],
  ['SETTINGS PROFILES', 'PROFILES'],
  ['EXTERNAL STREAMS', 'STREAMS'],
  ['EXTERNAL TABLES', 'TABLES'],
  ['TEMPORARY TABLES', 'TABLES'],
]);

function showList(ctx: ShowListContext): ShowStatement {
  const words = ctx.showWord().map((word) => word.getText().toUpperCase());
  if (ctx.FORMAT() !== null) words.unshift('FORMAT');
  const full = words[0] === 'FULL';
  const changed = words[0] === 'CHANGED';
  const asked = (full || changed ? words.slice(1) : words).join(' ');
  const list = lists.get(listAliases.get(asked) ?? asked);
  if (list === undefined) {
    const hint = maybeYouMeant(asked, lists.keys());
    throw refuse(
      ctx.showWord(0)!,
      `expected what SHOW lists, such as STREAMS, TABLES, DATABASES or FUNCTIONS${hint}`,
    );
  }
  return {
    kind: 'show',
    list,
    full,
    changed,
    from: showFrom(ctx, list),
    for: ctx.nameList()?.name().map(looseName) ?? [],
    like: likeClause(ctx),
    where: optionalExpression(ctx._where),
    limit: optionalExpression(ctx._limit),
    output: outputClause(ctx.outputClause()),
    pos: spanOf(ctx),
  };
}

/** `FROM db` names a database for most lists; `COLUMNS FROM t FROM db` names a stream and its database. */
function showFrom(ctx: ShowListContext, list: ShowList): ObjectName | null {
  const source = ctx.objectName();
  if (source === null) return null;
  const name = objectName(source);
  const ofStream = list === 'columns' || list === 'indexes';
  if (!ofStream && name.database !== null) throw refuse(source, 'expected the name of a database');
  if (ctx._database === undefined) return name;
  if (!ofStream)
    throw refuse(ctx._database, 'a second FROM is only expected after the stream of SHOW COLUMNS');
  return { database: identifierText(ctx._database), name: name.name };
}

function likeClause(ctx: ShowListContext): LikeClause | null {
  const like = ctx.likeClause();
  if (like === null) return null;
  return {
    pattern: stringValue(like.STRING()),
    negated: like.NOT() !== null,
    caseInsensitive: like._op!.type === SluiceParser.ILIKE,
  };
}
