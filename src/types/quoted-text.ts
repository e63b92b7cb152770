import { SluiceError } from '../base/index.ts';
import { excerpt } from './text-errors.ts';

/** A place in a byte string that a reader moves forward. */
export interface TextCursor {
  readonly text: string;
  at: number;
}

const escapeOf: Record<string, string> = {
  '\\': '\\\\',
  "'": "\\'",
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\0': '\\0',
};

/** A string as SQL writes it: in single quotes, with backslash escapes. */
export function quoteText(text: string): string {
  return `'${text.replace(/[\\'\b\f\n\r\t\0]/g, (char) => escapeOf[char]!)}'`;
}

const unescapes: Record<string, string> = {
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  '0': '\0',
  a: '\x07',
  v: '\v',
  e: '\x1b',
};

function expectedAt(cursor: TextCursor, expected: string): SluiceError {
  const found =
    cursor.at < cursor.text.length ? `'${excerpt(cursor.text.slice(cursor.at, cursor.at + 20))}'` : 'the end';
  return new SluiceError('CANNOT_PARSE_TEXT', `Expected ${expected}, found ${found}`);
}

/** Fails at the cursor, quoting what stands there. */
export function failAt(cursor: TextCursor, expected: string): never {
  throw expectedAt(cursor, expected);
}

export function skipSpace(cursor: TextCursor): void {
  const { text } = cursor;
  let at = cursor.at;
  for (;;) {
    const char = text.charCodeAt(at);
    if (char !== 32 && !(char >= 9 && char <= 13)) break;
    at++;
  }
  cursor.at = at;
}

/** Moves past the mark after optional space, if it is there. */
export function acceptMark(cursor: TextCursor, mark: string): boolean {
  skipSpace(cursor);
  if (cursor.text[cursor.at] !== mark) return false;
  cursor.at++;
  return true;
}

export function expectMark(cursor: TextCursor, mark: string): void {
  if (!acceptMark(cursor, mark)) failAt(cursor, `'${mark}'`);
}

/** The byte that a backslash and what follows it stand for; moves past it. */
function readEscape(cursor: TextCursor): string {
  const { text } = cursor;
  const char = text[cursor.at + 1];
  if (char === undefined) failAt(cursor, 'a character after the backslash');
  cursor.at += 2;
  if (char === 'x') {
    const hex = text.slice(cursor.at, cursor.at + 2);
    if (!/^[0-9a-f]{2}$/i.test(hex)) failAt(cursor, 'two hexadecimal digits after \\x');
    cursor.at += 2;
    return String.fromCharCode(Number.parseInt(hex, 16));
  }
  // A backslash before anything without a meaning of its own stays, as ClickHouse keeps it for LIKE patterns.
  return unescapes[char] ?? (/[\\'"`/]/.test(char) ? char : `\\${char}`);
}

/** A text without quotes in which a backslash begins an escape. */
export function unescapeText(text: string): string {
  let result = '';
  let from = 0;
  for (let at = text.indexOf('\\'); at >= 0; at = text.indexOf('\\', from)) {
    const cursor = { text, at };
    result += text.slice(from, at) + readEscape(cursor);
    from = cursor.at;
  }
  return result + text.slice(from);
}

/** Reads a string in single or double quotes, with backslash escapes and doubled quotes. */
export function readQuoted(cursor: TextCursor): string {
  const { text } = cursor;
  const quote = text.charCodeAt(cursor.at);
  let result = '';
  let from = cursor.at + 1;
  for (let at = from; ; ) {
    const char = text.charCodeAt(at);
    if (char === 92) {
      cursor.at = at;
      result += text.slice(from, at) + readEscape(cursor);
      at = cursor.at;
      from = at;
    } else if (char === quote) {
      result += text.slice(from, at);
      cursor.at = at + 1;
      if (text.charCodeAt(at + 1) !== quote) return result;
      from = at + 1;
      at += 2;
    } else if (Number.isNaN(char)) {
      cursor.at = text.length;
      failAt(cursor, `the closing quote ${String.fromCharCode(quote)}`);
    } else {
      at++;
    }
  }
}

/** By char code: 1 where a value without quotes ends. */
const bareEnds = new Uint8Array(256);
for (const char of ',()[]{}:=;\'" \t\n\v\f\r') bareEnds[char.charCodeAt(0)] = 1;

/** Reads up to the next comma, bracket, colon, or space: a number, a word, a date without quotes. */
export function readBare(cursor: TextCursor): string {
  const { text } = cursor;
  const from = cursor.at;
  let at = from;
  while (at < text.length && bareEnds[text.charCodeAt(at)] === 0) at++;
  if (at === from) failAt(cursor, 'a value');
  cursor.at = at;
  return text.slice(from, at);
}
