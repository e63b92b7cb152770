import type {
  ForeignStatementContext,
  SystemStatementContext,
  ViewControlStatementContext,
} from '../../../generated/SluiceParser.ts';
import { SluiceParser } from '../../../generated/SluiceParser.ts';
import type {
  ObjectName,
  SystemStatement,
  UnsupportedStatement,
  ViewControlStatement,
} from '../../ast/index.ts';
import { maybeYouMeant } from '../../base/index.ts';
import type { SqlToken } from '../token-buffer.ts';
import { isName } from '../token-checks.ts';
import { nameOfToken, objectName, refuse, spanOf, textOf } from './common.ts';

const viewActions: ReadonlyMap<string, ViewControlStatement['action']> = new Map([
  ['PAUSE', 'pause'],
  ['RESUME', 'resume'],
  ['UNPAUSE', 'resume'],
  ['ABORT', 'abort'],
  ['RECOVER', 'recover'],
]);

export function viewControlStatement(ctx: ViewControlStatementContext): ViewControlStatement {
  const action = viewActions.get(ctx._action!.text!.toUpperCase());
  if (action === undefined) throw refuse(ctx._action!, 'expected PAUSE, RESUME, ABORT or RECOVER');
  const name = objectName(ctx.objectName());
  return { kind: 'view_control', action, name, ifExists: ctx.ifExists() !== null, pos: spanOf(ctx) };
}

/** The words after which a command of SYSTEM names its object. */
const objectWords: ReadonlySet<string> = new Set([
  'VIEW',
  'STREAM',
  'TABLE',
  'DICTIONARY',
  'FUNCTION',
  'MODEL',
  'REPLICA',
]);

export function systemStatement(ctx: SystemStatementContext): SystemStatement {
  const tokens = ctx.anyToken().map((token) => token.start as SqlToken);
  const words = tokens.map((token) => token.text.toUpperCase());
  const odd = tokens.find((token) => !isName(token.type) && token.type !== SluiceParser.DOT);
  if (odd !== undefined) throw refuse(odd, 'expected the words of a command and the name of its object');
  const dotAt = words.indexOf('.');
  const wordAt = words.findLastIndex((word) => objectWords.has(word));
  const nameAt = dotAt > 0 ? dotAt - 1 : wordAt >= 0 && wordAt < words.length - 1 ? wordAt + 1 : words.length;
  return {
    kind: 'system',
    command: words.slice(0, nameAt).join(' '),
    name: nameOf(tokens.slice(nameAt)),
    pos: spanOf(ctx),
  };
}

function nameOf(tokens: readonly SqlToken[]): ObjectName | null {
  const [first, dot, second, excess] = tokens;
  if (first === undefined) return null;
  if (dot === undefined) return { database: null, name: nameOfToken(first) };
  if (dot.text !== '.' || second === undefined || excess !== undefined) {
    throw refuse(excess ?? dot, 'expected the end of the statement after the name');
  }
  return { database: nameOfToken(first), name: nameOfToken(second) };
}

/** Statements of the dialect's relatives, by their first words; longer ones are tried first. */
const foreign: readonly string[] = [
  'ALTER DICTIONARY',
  'ALTER NAMED COLLECTION',
  'ALTER QUOTA',
  'ALTER ROLE',
  'ALTER ROW POLICY',
  'ALTER SETTINGS PROFILE',
  'ALTER PROFILE',
  'ALTER ALERT',
  'ALTER TASK',
  'CREATE ALERT',
  'CREATE DICTIONARY',
  'CREATE DISK',
  'CREATE INPUT',
  'CREATE NAMED COLLECTION',
  'CREATE NULL STREAM',
  'CREATE POLICY',
  'CREATE PROFILE',
  'CREATE QUOTA',
  'CREATE REMOTE FUNCTION',
  'CREATE ROW POLICY',
  'CREATE SCHEDULED MATERIALIZED VIEW',
  'CREATE SETTINGS PROFILE',
  'CREATE TASK',
  'CREATE WORKLOAD',
  'ATTACH',
  'BACKUP',
  'BEGIN',
  'COMMIT',
  'DETACH',
  'EXCHANGE',
  'MOVE',
  'RESTORE',
  'ROLLBACK',
  'START',
  'UNDROP',
  'WATCH',
];

/** What a statement can begin with, for suggestions. */
const beginnings: readonly string[] = [
  'ALTER',
  'CHECK',
  'CREATE',
  'DELETE',
  'DESCRIBE',
  'DROP',
  'EXISTS',
  'EXPLAIN',
  'GRANT',
  'INSERT',
  'KILL',
  'OPTIMIZE',
  'RENAME',
  'REVOKE',
  'SELECT',
  'SET',
  'SHOW',
  'SYSTEM',
  'TRUNCATE',
  'UPDATE',
  'USE',
  'WITH',
];

const creatable: readonly string[] = [
  'DATABASE',
  'STREAM',
  'TABLE',
  'EXTERNAL',
  'MUTABLE',
  'RANDOM',
  'VIEW',
  'MATERIALIZED',
  'FUNCTION',
  'FORMAT',
  'USER',
  'ROLE',
];

export function unsupportedStatement(ctx: ForeignStatementContext): UnsupportedStatement {
  const text = textOf(ctx);
  const words = text
    .toUpperCase()
    .replace(/\s+/g, ' ')
    .replace(/^CREATE OR REPLACE /, 'CREATE ');
  const what = foreign.find((start) => words === start || words.startsWith(`${start} `));
  if (what !== undefined) return { kind: 'unsupported_statement', what, text, pos: spanOf(ctx) };
  const first = ctx.start as SqlToken;
  const isDefinition = first.type === SluiceParser.CREATE || first.type === SluiceParser.ALTER;
  if (!isDefinition) {
    const expected = 'expected a statement, such as SELECT, INSERT, CREATE or SHOW';
    throw refuse(first, expected + maybeYouMeant(first.text, beginnings));
  }
  const object = ctx.foreignObject()!;
  const expected = 'expected what it defines, such as STREAM, VIEW, FUNCTION or USER';
  throw refuse(object, expected + maybeYouMeant(object.getText(), creatable));
}
