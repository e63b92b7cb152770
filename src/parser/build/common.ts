import type { ParserRuleContext, TerminalNode, Token } from 'antlr4ng';
import type {
  IdentifierContext,
  ImplicitAliasContext,
  NameContext,
  ObjectNameContext,
} from '../../../generated/SluiceParser.ts';
import { SluiceParser } from '../../../generated/SluiceParser.ts';
import type { ObjectName, Span } from '../../ast/index.ts';
import type { SluiceError } from '../../base/index.ts';
import { unquote } from '../literals.ts';
import { syntaxError } from '../syntax-error.ts';
import type { SqlToken } from '../token-buffer.ts';

/** What the builders need of a context: the source positions that every token of ours carries. */
export function firstToken(ctx: ParserRuleContext): SqlToken {
  return ctx.start as SqlToken;
}

export function spanOf(ctx: ParserRuleContext): Span {
  const start = ctx.start!.start;
  // A rule that matched nothing stops before it starts.
  return { start, end: Math.max(start, ctx.stop === null ? start : ctx.stop.stop + 1) };
}

/** The source text of a context, with its comments and white space. */
export function textOf(ctx: ParserRuleContext): string {
  const { start, end } = spanOf(ctx);
  return firstToken(ctx).source.slice(start, end);
}

/** The error of something that the grammar accepts and the dialect does not, told at its first token. */
export function refuse(at: ParserRuleContext | Token, detail: string): SluiceError {
  const token = 'tokenIndex' in at ? (at as SqlToken) : firstToken(at);
  return syntaxError(token.source, token.start, token.text, detail);
}

/** The text of a name without its quotes. */
export function identifierText(ctx: IdentifierContext | ImplicitAliasContext): string {
  return nameOfToken(ctx.start as SqlToken);
}

export function nameOfToken(token: Token): string {
  const text = token.text!;
  return token.type === SluiceParser.QUOTED_IDENTIFIER ? unquote(text) : text;
}

export function identifierTexts(contexts: readonly IdentifierContext[]): string[] {
  return contexts.map(identifierText);
}

/** The value of a STRING token or node. */
export function stringValue(node: TerminalNode | Token): string {
  return unquote('symbol' in node ? node.symbol.text! : node.text!);
}

export function optionalString(token: Token | null | undefined): string | null {
  return token ? stringValue(token) : null;
}

/** The text between the tags of a heredoc, as it stands. */
export function heredocValue(text: string): string {
  const tagLength = text.indexOf('$', 1) + 1;
  return text.slice(tagLength, -tagLength);
}

export function objectName(ctx: ObjectNameContext): ObjectName {
  const first = identifierText(ctx.identifier(0)!);
  const second = ctx.identifier(1);
  return second === null
    ? { database: null, name: first }
    : { database: first, name: identifierText(second) };
}

/** A name of a user or role, which may be written as a string. */
export function looseName(ctx: NameContext): string {
  const identifier = ctx.identifier();
  return identifier === null ? stringValue(ctx.STRING()!) : identifierText(identifier);
}
