import { Token } from 'antlr4ng';
import { SluiceLexer } from '../../generated/SluiceLexer.ts';
import { SluiceError } from '../base/index.ts';
import { describePosition, syntaxError } from './syntax-error.ts';
import type { SqlToken } from './token-buffer.ts';

/** The keywords come first in the vocabulary, in one run. */
const firstKeyword = SluiceLexer.ADD;
const lastKeyword = SluiceLexer.WITH;

export function isKeyword(type: number): boolean {
  return type >= firstKeyword && type <= lastKeyword;
}

export function isName(type: number): boolean {
  return type === SluiceLexer.IDENTIFIER || type === SluiceLexer.QUOTED_IDENTIFIER || isKeyword(type);
}

/** The error of a character that begins no token: an unclosed quotation, comment or heredoc, or a stray character. */
export function unreadableToken(sql: string, offset: number): SluiceError {
  const found = sql.slice(offset);
  const first = found[0]!;
  if (found.startsWith('/*')) {
    return syntaxError(sql, offset, found, 'the comment that begins here is not closed, expected */');
  }
  if (first === "'")
    return syntaxError(sql, offset, found, "the string that begins here is not closed, expected '");
  if (first === '`' || first === '"') {
    return syntaxError(
      sql,
      offset,
      found,
      `the quoted name that begins here is not closed, expected ${first}`,
    );
  }
  if (/^\$\w*\$/.test(found)) {
    const tag = found.slice(0, found.indexOf('$', 1) + 1);
    return syntaxError(sql, offset, found, `the heredoc that begins here is not closed, expected ${tag}`);
  }
  const code = found.codePointAt(0)!;
  if (/[\u2018\u2019\u201a\u201b\u00b4\u2032]/.test(first))
    return syntaxError(sql, offset, first, "strings stand in straight single quotes: '");
  if (/[\u201c\u201d\u201e\u2033]/.test(first))
    return syntaxError(
      sql,
      offset,
      first,
      'strings stand in straight single quotes, names in straight double quotes',
    );
  if (/^\$\d/.test(found))
    return syntaxError(
      sql,
      offset,
      first,
      'this character begins no token of SQL: placeholders are written {name:type}, their values come as param_name=...',
    );
  const hidden = code <= 0x20 || code === 0x7f || /[\p{Cf}\p{Zs}]/u.test(String.fromCodePoint(code));
  const name = hidden ? `U+${code.toString(16).toUpperCase().padStart(4, '0')}` : String.fromCodePoint(code);
  return syntaxError(sql, offset, name, 'this character begins no token of SQL');
}

function tooDeep(sql: string, offset: number, depthMax: number): SluiceError {
  return new SluiceError(
    'TOO_DEEP_AST',
    `The query is nested too deeply at ${describePosition(sql, offset)}: at most ${depthMax} levels are allowed`,
  );
}

/**
 * Finds brackets that do not match and nesting that the parser's recursion should not be asked to follow, before it
 * starts. Depth counts open brackets and, within them, prefix operators in a row, CASE, ternaries, lambdas and EXPLAIN.
 * Two brackets of different kinds become RANGE_OPEN and RANGE_CLOSE.
 */
export function checkNesting(sql: string, tokens: readonly SqlToken[], depthMax: number): void {
  const open: SqlToken[] = [];
  /** The depth from constructs other than brackets, and for every open bracket what it was before and is right inside. */
  let chain = 0;
  const chainBefore: number[] = [];
  const chainInside: number[] = [];
  let prefixes = 0;
  for (const [index, token] of tokens.entries()) {
    switch (token.type) {
      case SluiceLexer.LPAREN:
      case SluiceLexer.LBRACKET:
      case SluiceLexer.LBRACE:
        open.push(token);
        chainBefore.push(chain);
        chain += prefixes;
        chainInside.push(chain);
        prefixes = 0;
        break;
      case SluiceLexer.RPAREN:
      case SluiceLexer.RBRACKET:
      case SluiceLexer.RBRACE:
        closeBracket(sql, open.pop(), token);
        chain = chainBefore.pop()!;
        chainInside.pop();
        prefixes = 0;
        break;
      case SluiceLexer.COMMA:
        chain = chainInside.at(-1) ?? 0;
        prefixes = 0;
        break;
      case SluiceLexer.NOT:
      case SluiceLexer.MINUS:
      case SluiceLexer.PLUS:
        prefixes = index > 0 && endsValue(tokens[index - 1]!.type) ? 0 : prefixes + 1;
        break;
      case SluiceLexer.CASE:
      case SluiceLexer.QUESTION:
      case SluiceLexer.ARROW:
      case SluiceLexer.EXPLAIN:
        chain++;
        prefixes = 0;
        break;
      case SluiceLexer.END:
        chain = Math.max(chain - 1, chainInside.at(-1) ?? 0);
        prefixes = 0;
        break;
      default:
        prefixes = 0;
    }
    if (open.length + chain + prefixes > depthMax) throw tooDeep(sql, token.start, depthMax);
  }
  const unclosed = open.at(-1);
  if (unclosed !== undefined) {
    const expected = closerOf(unclosed.type);
    throw syntaxError(
      sql,
      unclosed.start,
      unclosed.text,
      `the bracket that opens here is not closed, expected ${expected}`,
    );
  }
}

function closerOf(opener: number): string {
  if (opener === SluiceLexer.LPAREN) return ')';
  return opener === SluiceLexer.LBRACKET ? ']' : '}';
}

function closeBracket(sql: string, opener: SqlToken | undefined, closer: SqlToken): void {
  const text = closer.text;
  if (opener === undefined)
    throw syntaxError(sql, closer.start, text, 'no bracket is open that this one could close');
  if (closerOf(opener.type) === text) return;
  if (opener.type === SluiceLexer.LBRACE || closer.type === SluiceLexer.RBRACE) {
    const where = describePosition(sql, opener.start);
    throw syntaxError(
      sql,
      closer.start,
      text,
      `expected ${closerOf(opener.type)}, which would close the ${opener.text} at ${where}`,
    );
  }
  opener.type = SluiceLexer.RANGE_OPEN;
  closer.type = SluiceLexer.RANGE_CLOSE;
}

function endsValue(type: number): boolean {
  return (
    type === SluiceLexer.RPAREN ||
    type === SluiceLexer.RBRACKET ||
    type === SluiceLexer.RBRACE ||
    type === SluiceLexer.TUPLE_INDEX ||
    type === SluiceLexer.INTEGER ||
    type === SluiceLexer.FLOAT ||
    type === SluiceLexer.STRING ||
    (isName(type) && type !== SluiceLexer.NOT && type !== SluiceLexer.SELECT)
  );
}

/** `.1` right after a value is an element of a tuple, and every word after a dot is a name. */
export function retypeAfterDots(sql: string, tokens: readonly SqlToken[]): void {
  for (let i = 1; i < tokens.length; i++) {
    const token = tokens[i]!;
    const before = tokens[i - 1]!;
    if (token.type === SluiceLexer.FLOAT) {
      const adjacent = before.stop + 1 === token.start && sql.charCodeAt(token.start) === 46;
      if (adjacent && endsValue(before.type)) token.type = SluiceLexer.TUPLE_INDEX;
    } else if (before.type === SluiceLexer.DOT && isKeyword(token.type)) {
      const isMatcher = token.type === SluiceLexer.COLUMNS && tokens[i + 1]!.type === SluiceLexer.LPAREN;
      if (!isMatcher) token.type = SluiceLexer.IDENTIFIER;
    }
  }
}

/** Tells the colons of JSON paths from those of ternaries, maps and parameters; the rule is stated in the grammar. */
export function retypeColons(tokens: readonly SqlToken[]): void {
  /** Of the innermost bracket: how many `?` lack a colon, and the last colon since that looked like a path. */
  let waiting = 0;
  let lastPath: SqlToken | null = null;
  const outer: { readonly waiting: number; readonly lastPath: SqlToken | null }[] = [];
  const settle = () => {
    if (waiting > 0 && lastPath !== null) lastPath.type = SluiceLexer.COLON;
    waiting = 0;
    lastPath = null;
  };
  for (const [index, token] of tokens.entries()) {
    switch (token.type) {
      case SluiceLexer.LPAREN:
      case SluiceLexer.LBRACKET:
      case SluiceLexer.LBRACE:
        outer.push({ waiting, lastPath });
        waiting = 0;
        lastPath = null;
        break;
      case SluiceLexer.RPAREN:
      case SluiceLexer.RBRACKET:
      case SluiceLexer.RBRACE: {
        settle();
        const restored = outer.pop();
        waiting = restored?.waiting ?? 0;
        lastPath = restored?.lastPath ?? null;
        break;
      }
      case SluiceLexer.COMMA:
      case SluiceLexer.FROM:
      case SluiceLexer.WHERE:
      case SluiceLexer.SEMICOLON:
      case Token.EOF:
        settle();
        break;
      case SluiceLexer.QUESTION:
        waiting++;
        lastPath = null;
        break;
      case SluiceLexer.COLON:
        if (joinsNames(tokens, index)) {
          token.type = SluiceLexer.PATH_COLON;
          const key = tokens[index + 1]!;
          if (isKeyword(key.type)) key.type = SluiceLexer.IDENTIFIER;
          if (waiting > 0) lastPath = token;
        } else if (waiting > 0) {
          waiting--;
          lastPath = null;
        }
        break;
      default:
    }
  }
}

function joinsNames(tokens: readonly SqlToken[], colon: number): boolean {
  const at = tokens[colon]!;
  const before = tokens[colon - 1];
  const after = tokens[colon + 1];
  if (before === undefined || after === undefined) return false;
  if (before.stop + 1 !== at.start || after.start !== at.stop + 1) return false;
  return (isName(before.type) || before.type === SluiceLexer.RBRACKET) && isName(after.type);
}
