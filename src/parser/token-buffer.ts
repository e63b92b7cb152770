import {
  type CharStream,
  type Interval,
  Lexer,
  type ParserRuleContext,
  Token,
  type TokenSource,
  type TokenStream,
} from 'antlr4ng';
import { SluiceLexer } from '../../generated/SluiceLexer.ts';
import { TextStream } from './text-stream.ts';
import { checkNesting, retypeAfterDots, retypeColons, unreadableToken } from './token-checks.ts';

/** A token as the parser needs it: type and offsets. Lines are computed only when an error is told. */
export class SqlToken implements Token {
  type: number;
  readonly start: number;
  readonly stop: number;
  tokenIndex: number;
  readonly channel = 0;
  readonly line = 1;
  readonly column = 0;
  readonly tokenSource: TokenSource | null = null;
  readonly inputStream: CharStream | null = null;
  /** The whole text that the offsets refer to. */
  readonly source: string;

  constructor(source: string, type: number, start: number, stop: number, tokenIndex: number) {
    this.source = source;
    this.type = type;
    this.start = start;
    this.stop = stop;
    this.tokenIndex = tokenIndex;
  }

  get text(): string {
    return this.type === Token.EOF ? '<EOF>' : this.source.slice(this.start, this.stop + 1);
  }
}

/** All tokens of one text, which the parser reads forwards and looks ahead in. */
export class TokenBuffer implements TokenStream {
  index = 0;
  tokens: SqlToken[] = [];
  private readonly stream = new TextStream();
  private readonly lexer = new SluiceLexer(this.stream);

  get tokenSource(): TokenSource {
    return this.lexer;
  }

  get size(): number {
    return this.tokens.length;
  }

  /**
   * Reads the tokens of `sql[start, end)`. Refuses, with a SYNTAX_ERROR or TOO_DEEP_AST, what is unclosed, what is no token
   * and what is nested deeper than `depthMax`.
   */
  open(sql: string, start: number, end: number, depthMax: number): void {
    const { lexer, stream } = this;
    const match = lexer.interpreter;
    const tokens: SqlToken[] = [];
    stream.open(sql, start, end);
    let colons = false;
    while (stream.index < end) {
      const from = stream.index;
      // The two fields are what the lexer's actions (skip, finishHeredoc) read and write.
      lexer.tokenStartCharIndex = from;
      lexer.type = Token.INVALID_TYPE;
      const matched = match.match(stream, Lexer.DEFAULT_MODE);
      const type = lexer.type === Token.INVALID_TYPE ? matched : lexer.type;
      if (type === Lexer.SKIP) continue;
      if (type === SluiceLexer.COLON) colons = true;
      else if (type === SluiceLexer.UNKNOWN) throw unreadableToken(sql, from);
      else if (type === SluiceLexer.SLASH && sql.charCodeAt(stream.index) === 42)
        throw unreadableToken(sql, from);
      else if (type === SluiceLexer.HEREDOC && !isClosedHeredoc(sql, from, stream.index))
        throw unreadableToken(sql, from);
      tokens.push(new SqlToken(sql, type, from, stream.index - 1, tokens.length));
    }
    tokens.push(new SqlToken(sql, Token.EOF, end, end - 1, tokens.length));
    retypeAfterDots(sql, tokens);
    if (colons) retypeColons(tokens);
    checkNesting(sql, tokens, depthMax);
    this.tokens = tokens;
    this.index = 0;
  }

  LA(offset: number): number {
    const { tokens } = this;
    const at = offset < 0 ? this.index + offset : this.index + offset - 1;
    if (at < 0) return Token.INVALID_TYPE;
    return at < tokens.length ? tokens[at]!.type : Token.EOF;
  }

  LT(offset: number): SqlToken | null {
    const { tokens } = this;
    const at = offset < 0 ? this.index + offset : this.index + offset - 1;
    if (at < 0) return null;
    return tokens[at < tokens.length ? at : tokens.length - 1]!;
  }

  consume(): void {
    if (this.index < this.tokens.length - 1) this.index++;
  }

  get(index: number): SqlToken {
    return this.tokens[index]!;
  }

  mark(): number {
    return 0;
  }

  release(_marker: number): void {
    // Every token stays until the next text is opened.
  }

  seek(index: number): void {
    this.index = index;
  }

  getSourceName(): string {
    return this.stream.name;
  }

  getText(): string {
    return this.getTextFromRange(this.tokens[0]!, this.tokens.at(-1)!);
  }

  getTextFromInterval(interval: Interval): string {
    return this.getTextFromRange(this.get(interval.start), this.get(interval.stop));
  }

  getTextFromContext(context: ParserRuleContext): string {
    return this.getTextFromRange(context.start, context.stop);
  }

  getTextFromRange(start: Token | null, stop: Token | null): string {
    return start === null || stop === null ? '' : this.stream.getTextFromRange(start.start, stop.stop);
  }

  setLine(_line: number): void {
    // Lines are not counted.
  }

  setColumn(_column: number): void {
    // Columns are not counted.
  }
}

function isClosedHeredoc(sql: string, start: number, end: number): boolean {
  const tag = sql.slice(start, sql.indexOf('$', start + 1) + 1);
  return end - start >= 2 * tag.length && sql.startsWith(tag, end - tag.length);
}
