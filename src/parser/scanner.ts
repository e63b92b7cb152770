import { unreadableToken } from './token-checks.ts';

/** What the scanner tells apart; `end` is the end of the text. */
export type ScanKind =
  | 'word'
  | 'quoted_name'
  | 'integer'
  | 'float'
  | 'duration'
  | 'string'
  | 'heredoc'
  | 'symbol'
  | 'end';

const space = /(?:[ \t\r\n\f\v\u00A0\u2000-\u200B\u202F\u3000\uFEFF]+|(?:--|#!|# )[^\r\n]*)+/y;
const word =
  /[0-9]*[a-z_\u00AA-\u1FFF\u2C00-\u2FEF\u3040-\uD7FF\uF900-\uFDFF][\w$\u00AA-\u1FFF\u2C00-\u2FEF\u3040-\uD7FF\uF900-\uFDFF]*/iy;
const integer = /0x[0-9a-f](?:_?[0-9a-f])*|0b[01](?:_?[01])*|[0-9](?:_?[0-9])*/iy;
const float =
  /[0-9](?:_?[0-9])*(?:\.(?:[0-9](?:_?[0-9])*)?(?:e[+-]?[0-9](?:_?[0-9])*)?|e[+-]?[0-9](?:_?[0-9])*)|\.[0-9](?:_?[0-9])*(?:e[+-]?[0-9](?:_?[0-9])*)?/iy;
const duration = /[0-9](?:_?[0-9])*(?:[num]?s|[mhdwqy])/iy;
const codedString = /(?:x'[0-9a-f]*'|b'[01]*')/iy;
const heredocTag = /\$[a-z0-9_]*\$/iy;
const symbol = /::|->|\|\||<=>|==|!=|<>|<=|>=|[\s\S]/y;

function matchEnd(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : -1;
}

/** The end of a quotation that begins at `at`, or -1. A plain loop, because a pattern would backtrack on open quotes. */
function quotationEnd(text: string, start: number): number {
  const quote = text.charCodeAt(start);
  for (let at = start + 1; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 92) at++;
    else if (code === quote) {
      if (text.charCodeAt(at + 1) !== quote) return at + 1;
      at++;
    }
  }
  return -1;
}

/**
 * Splits SQL into the same tokens as the generated lexer, without a grammar: for finding where the data of an INSERT begins
 * and where statements end, and for the shape of a query. It never looks further than the token it is asked for.
 */
export class Scanner {
  readonly text: string;
  readonly limit: number;
  kind: ScanKind = 'end';
  start: number;
  end: number;

  constructor(text: string, start: number, limit: number) {
    this.text = text;
    this.limit = limit;
    this.start = start;
    this.end = start;
  }

  /** The text of the current token. */
  get token(): string {
    return this.text.slice(this.start, this.end);
  }

  /** Whether the current token is this word, whose letters are given in upper case. */
  is(upperCase: string): boolean {
    if (this.kind !== 'word' || this.end - this.start !== upperCase.length) return false;
    return this.token.toUpperCase() === upperCase;
  }

  /** Whether the current token is this punctuation or operator. */
  isSymbol(symbolText: string): boolean {
    return this.kind === 'symbol' && this.token === symbolText;
  }

  /** Goes to the next token and tells its kind. Throws a SYNTAX_ERROR for a quotation or comment that is not closed. */
  next(): ScanKind {
    const at = this.skipSpace(this.end);
    this.start = at;
    if (at >= this.limit) {
      this.start = this.limit;
      this.end = this.limit;
      this.kind = 'end';
    } else {
      this.read(at);
      if (this.end > this.limit) this.end = this.limit;
    }
    return this.kind;
  }

  private skipSpace(from: number): number {
    const { text } = this;
    let at = from;
    for (;;) {
      const code = text.charCodeAt(at);
      if (code === 32 || code === 10) {
        at++;
        continue;
      }
      if (code === 47 && text.charCodeAt(at + 1) === 42) {
        const close = text.indexOf('*/', at + 2);
        if (close < 0) throw unreadableToken(text, at);
        at = close + 2;
        continue;
      }
      if (code > 32 && code < 128 && code !== 45 && code !== 35) return at;
      const end = matchEnd(space, text, at);
      if (end < 0) return at;
      at = end;
    }
  }

  private read(at: number): void {
    const { text } = this;
    const code = text.charCodeAt(at);
    if (isDigit(code)) this.readNumber(at);
    else if (code === 46 && isDigit(text.charCodeAt(at + 1))) this.take('float', matchEnd(float, text, at));
    else if (code === 39) this.takeQuoted('string', at);
    else if (code === 96) this.takeQuoted('quoted_name', at);
    else if (code === 34) this.takeQuoted('quoted_name', at);
    else if (code === 36) this.readHeredoc(at);
    else this.readWordOrSymbol(at);
  }

  private readWordOrSymbol(at: number): void {
    const { text } = this;
    // The first letters of x'4142' and b'0101'.
    const folded = text.charCodeAt(at) | 32;
    const coded = folded === 120 || folded === 98 ? matchEnd(codedString, text, at) : -1;
    const wordEnd = coded >= 0 ? -1 : matchEnd(word, text, at);
    if (coded >= 0) this.take('string', coded);
    else if (wordEnd >= 0) this.take('word', wordEnd);
    else this.take('symbol', matchEnd(symbol, text, at));
  }

  private take(kind: ScanKind, end: number): void {
    this.kind = kind;
    this.end = end;
  }

  private takeQuoted(kind: ScanKind, at: number): void {
    const end = quotationEnd(this.text, at);
    if (end < 0) throw unreadableToken(this.text, at);
    this.take(kind, end);
  }

  /** Of everything that may begin with a digit the longest is meant, as for the lexer. */
  private readNumber(at: number): void {
    const { text } = this;
    let kind: ScanKind = 'integer';
    let end = matchEnd(integer, text, at);
    const following = text.charCodeAt(end);
    if (following === 46 || isWordPart(following)) {
      for (const [otherKind, pattern] of longerNumbers) {
        const otherEnd = matchEnd(pattern, text, at);
        if (otherEnd > end) {
          end = otherEnd;
          kind = otherKind;
        }
      }
    }
    this.take(kind, end);
  }

  private readHeredoc(at: number): void {
    const { text } = this;
    const tagEnd = matchEnd(heredocTag, text, at);
    if (tagEnd < 0) {
      this.take('symbol', at + 1);
      return;
    }
    const close = text.indexOf(text.slice(at, tagEnd), tagEnd);
    if (close < 0) throw unreadableToken(text, at);
    this.take('heredoc', close + tagEnd - at);
  }
}

/** In the order in which they win when they are equally long. */
const longerNumbers = [
  ['duration', duration],
  ['float', float],
  ['word', word],
] as const;

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}

function isWordPart(code: number): boolean {
  return isDigit(code) || (code | 32) >= 97 || code === 95 || code === 36;
}
