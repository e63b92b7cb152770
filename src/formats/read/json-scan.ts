import { limits, SluiceError } from '../../base/index.ts';
import type { InputCursor } from './input-cursor.ts';

export const charCodes = {
  quote: 34,
  comma: 44,
  minus: 45,
  colon: 58,
  openBracket: 91,
  backslash: 92,
  closeBracket: 93,
  openBrace: 123,
  closeBrace: 125,
} as const;

/** Moves past blanks and line ends and gives the byte that stands there; 0 at the end. */
export function skipJsonSpace(cursor: InputCursor): number {
  const { bytes } = cursor;
  let at = cursor.at;
  let byte = bytes[at]!;
  while (byte === 32 || byte === 10 || byte === 13 || byte === 9) byte = bytes[++at]!;
  cursor.at = at;
  return byte;
}

/** Moves past one byte that must come next, after space. */
export function expectByte(cursor: InputCursor, byte: number, expected: string): void {
  if (skipJsonSpace(cursor) !== byte) cursor.unexpected(cursor.at, expected);
  cursor.at++;
}

/** Moves past a word such as null, of which the first byte was seen. */
export function expectWord(cursor: InputCursor, word: string): void {
  for (let index = 0; index < word.length; index++) {
    if (cursor.bytes[cursor.at + index] !== word.charCodeAt(index)) {
      cursor.unexpected(cursor.at + index >= cursor.end ? cursor.end : cursor.at, `'${word}'`);
    }
  }
  cursor.at += word.length;
}

/**
 * The place of the next quote or backslash from `at` on. Zero bytes stop the search too, because one stands behind the
 * input; those inside it are passed over.
 */
export function stringStop(cursor: InputCursor, at: number): number {
  const { bytes } = cursor;
  for (;;) {
    let byte = bytes[at]!;
    while (byte !== 34 && byte !== 92 && byte !== 0) byte = bytes[++at]!;
    if (byte !== 0) return at;
    if (at >= cursor.end) cursor.unexpected(at, 'the closing quote of a string');
    at++;
  }
}

/** What a string without its escapes is written to. */
export class StringScratch {
  bytes = Buffer.alloc(1_024);
  view = new DataView(this.bytes.buffer, this.bytes.byteOffset, this.bytes.byteLength);
  length = 0;

  reserve(more: number): void {
    if (this.length + more + 16 <= this.bytes.length) return;
    const larger = Buffer.alloc(Math.max(this.bytes.length * 2, this.length + more + 16));
    larger.set(this.bytes);
    this.bytes = larger;
    this.view = new DataView(larger.buffer, larger.byteOffset, larger.byteLength);
  }

  append(from: Uint8Array, start: number, end: number): void {
    this.reserve(end - start);
    if (end - start > 32) this.bytes.set(from.subarray(start, end), this.length);
    else for (let at = start; at < end; at++) this.bytes[this.length + at - start] = from[at]!;
    this.length += end - start;
  }

  /** Appends a code point as UTF-8. */
  appendCodePoint(code: number): void {
    this.reserve(4);
    const { bytes } = this;
    if (code < 0x80) {
      bytes[this.length++] = code;
    } else if (code < 0x800) {
      bytes[this.length++] = 0xc0 | (code >> 6);
      bytes[this.length++] = 0x80 | (code & 0x3f);
    } else if (code < 0x10000) {
      bytes[this.length++] = 0xe0 | (code >> 12);
      bytes[this.length++] = 0x80 | ((code >> 6) & 0x3f);
      bytes[this.length++] = 0x80 | (code & 0x3f);
    } else {
      bytes[this.length++] = 0xf0 | (code >> 18);
      bytes[this.length++] = 0x80 | ((code >> 12) & 0x3f);
      bytes[this.length++] = 0x80 | ((code >> 6) & 0x3f);
      bytes[this.length++] = 0x80 | (code & 0x3f);
    }
  }
}

const escapeValues = new Uint8Array(256);
for (const [char, value] of [
  ['"', 34],
  ['\\', 92],
  ['/', 47],
  ["'", 39],
  ['b', 8],
  ['f', 12],
  ['n', 10],
  ['r', 13],
  ['t', 9],
] as const) {
  escapeValues[char.charCodeAt(0)] = value;
}

/** The four hexadecimal digits at the position as a number; -1 when there are none. */
function hexAt(cursor: InputCursor, at: number): number {
  let value = 0;
  for (let index = at; index < at + 4; index++) {
    const byte = cursor.bytes[index]!;
    const lower = byte | 32;
    const digit = byte >= 48 && byte <= 57 ? byte - 48 : lower >= 97 && lower <= 102 ? lower - 87 : -1;
    if (digit < 0) return index >= cursor.end ? -2 : -1;
    value = value * 16 + digit;
  }
  return value;
}

/** Appends what the \\u escape at the position stands for (half a surrogate pair: U+FFFD) and gives its end. */
function unicodeEscape(cursor: InputCursor, at: number, scratch: StringScratch): number {
  const first = hexAt(cursor, at + 2);
  if (first < 0) cursor.unexpected(first === -2 ? cursor.end : at, 'four hexadecimal digits after \\u');
  if (first < 0xd800 || first > 0xdfff) {
    scratch.appendCodePoint(first);
    return at + 6;
  }
  if (first < 0xdc00) {
    if (at + 12 > cursor.end && !cursor.final) cursor.needMore();
    if (cursor.bytes[at + 6] === 92 && cursor.bytes[at + 7] === 117) {
      const second = hexAt(cursor, at + 8);
      if (second >= 0xdc00 && second <= 0xdfff) {
        scratch.appendCodePoint(0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00));
        return at + 12;
      }
    }
  }
  scratch.appendCodePoint(0xfffd);
  return at + 6;
}

/** Decodes the string whose text starts at the cursor (behind its quote) and moves past the closing quote. */
export function decodeString(cursor: InputCursor, scratch: StringScratch): void {
  scratch.length = 0;
  let from = cursor.at;
  for (;;) {
    const stop = stringStop(cursor, from);
    scratch.append(cursor.bytes, from, stop);
    if (cursor.bytes[stop] === charCodes.quote) {
      cursor.at = stop + 1;
      return;
    }
    const letter = cursor.bytes[stop + 1]!;
    if (letter === 117) {
      from = unicodeEscape(cursor, stop, scratch);
      continue;
    }
    const value = escapeValues[letter]!;
    if (value === 0) cursor.unexpected(stop + 1, 'an escape sequence');
    scratch.reserve(1);
    scratch.bytes[scratch.length++] = value;
    from = stop + 2;
  }
}

const sharedScratch = new StringScratch();

/** Reads the string that starts at the cursor's quote, as a byte string. */
export function readJsonString(cursor: InputCursor): string {
  const start = cursor.at + 1;
  const stop = stringStop(cursor, start);
  if (cursor.bytes[stop] === charCodes.quote) {
    cursor.at = stop + 1;
    return cursor.slice(start, stop);
  }
  cursor.at = start;
  decodeString(cursor, sharedScratch);
  return sharedScratch.bytes.latin1Slice(0, sharedScratch.length);
}

/** Moves past the string that starts at the cursor's quote. */
function skipString(cursor: InputCursor): void {
  let at = cursor.at + 1;
  for (;;) {
    at = stringStop(cursor, at);
    if (cursor.bytes[at] === charCodes.quote) break;
    if (at + 1 >= cursor.end) cursor.unexpected(cursor.end, 'the closing quote of a string');
    at += 2;
  }
  cursor.at = at + 1;
}

/** Where the number, or word such as true or nan, that starts at the cursor ends. */
export function tokenEnd(cursor: InputCursor): number {
  const { bytes } = cursor;
  let at = cursor.at;
  for (;;) {
    const byte = bytes[at]!;
    const isWord =
      (byte >= 48 && byte <= 57) ||
      (byte >= 97 && byte <= 122) ||
      (byte >= 65 && byte <= 90) ||
      byte === 45 ||
      byte === 46 ||
      byte === 43;
    if (!isWord) break;
    at++;
  }
  if (at >= cursor.end && !cursor.final) cursor.needMore();
  if (at === cursor.at) cursor.unexpected(at, 'a value');
  return at;
}

/** Moves past any JSON value. */
export function skipJsonValue(cursor: InputCursor, depth = 0): void {
  if (depth > limits.nesting_depth_max) {
    throw new SluiceError('INCORRECT_DATA', `JSON is nested deeper than ${limits.nesting_depth_max} levels`);
  }
  const first = skipJsonSpace(cursor);
  if (first === charCodes.quote) {
    skipString(cursor);
  } else if (first === charCodes.openBrace || first === charCodes.openBracket) {
    const isObject = first === charCodes.openBrace;
    const close = isObject ? charCodes.closeBrace : charCodes.closeBracket;
    cursor.at++;
    if (skipJsonSpace(cursor) === close) {
      cursor.at++;
      return;
    }
    for (;;) {
      if (isObject) {
        if (skipJsonSpace(cursor) !== charCodes.quote) cursor.unexpected(cursor.at, 'a key in double quotes');
        skipString(cursor);
        expectByte(cursor, charCodes.colon, "':' after a key");
      }
      skipJsonValue(cursor, depth + 1);
      const next = skipJsonSpace(cursor);
      if (next !== charCodes.comma && next !== close) {
        cursor.unexpected(cursor.at, isObject ? "',' or '}'" : "',' or ']'");
      }
      cursor.at++;
      if (next === close) return;
    }
  } else {
    cursor.at = tokenEnd(cursor);
  }
}
