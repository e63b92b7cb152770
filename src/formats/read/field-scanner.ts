import type { InputCursor } from './input-cursor.ts';
import { StringScratch } from './json-scan.ts';

const newline = 10;
const carriageReturn = 13;
const backslash = 92;

/**
 * Finds the fields of delimited text. After `read` the bytes of the field, without quotes and escapes, are
 * `bytes[start, end)`, and the cursor stands on the delimiter or line end behind it.
 */
export interface FieldScanner {
  readonly delimiter: number;
  bytes: Uint8Array;
  view: DataView;
  start: number;
  end: number;
  /** Whether the field is `\N` without quotes. */
  isNull: boolean;
  /** Whether the field stood in quotes, so that an empty one is an empty string. */
  isQuoted: boolean;
  /** `verbatim` fields keep their escapes, because their values have a notation with escapes of its own. */
  read(cursor: InputCursor, verbatim: boolean): void;
}

/** Whether a line ends at the position, as \n or \r\n. */
export function isLineEnd(cursor: InputCursor, at: number): boolean {
  const byte = cursor.bytes[at];
  return byte === newline || (byte === carriageReturn && cursor.bytes[at + 1] === newline);
}

/** Moves past the line end that must stand at the cursor. */
export function expectLineEnd(cursor: InputCursor, expected: string): void {
  let { at } = cursor;
  if (cursor.bytes[at] === carriageReturn) at++;
  if (cursor.bytes[at] !== newline) cursor.unexpected(at >= cursor.end ? at : cursor.at, expected);
  cursor.at = at + 1;
}

abstract class ScannedField {
  readonly delimiter: number;
  bytes: Uint8Array = Buffer.alloc(0);
  view = new DataView(this.bytes.buffer, 0, 0);
  start = 0;
  end = 0;
  isNull = false;
  isQuoted = false;
  protected readonly scratch = new StringScratch();

  constructor(delimiter: number) {
    this.delimiter = delimiter;
  }

  protected setPlain(cursor: InputCursor, start: number, end: number): void {
    this.bytes = cursor.bytes;
    this.view = cursor.view;
    this.start = start;
    this.end = end;
  }

  protected setScratch(): void {
    this.bytes = this.scratch.bytes;
    this.view = this.scratch.view;
    this.start = 0;
    this.end = this.scratch.length;
  }

  /** Whether the field, found between the positions, is `\N`. */
  protected isNullMark(start: number, end: number): boolean {
    return end - start === 2 && this.bytes[start] === backslash && this.bytes[start + 1] === 78;
  }
}

/** Fields of CSV: in double or single quotes, which are doubled inside, or bare up to the delimiter. */
export class CsvFields extends ScannedField implements FieldScanner {
  read(cursor: InputCursor): void {
    this.#skipBlanks(cursor);
    const quote = cursor.bytes[cursor.at]!;
    this.isQuoted = quote === 34 || quote === 39;
    if (this.isQuoted) {
      this.isNull = false;
      this.#readQuoted(cursor, quote);
      this.#skipBlanks(cursor);
    } else {
      this.#readBare(cursor);
      this.isNull = this.isNullMark(this.start, this.end);
    }
  }

  #skipBlanks(cursor: InputCursor): void {
    let byte = cursor.bytes[cursor.at]!;
    while ((byte === 32 || byte === 9) && byte !== this.delimiter) byte = cursor.bytes[++cursor.at]!;
  }

  #readBare(cursor: InputCursor): void {
    const { bytes } = cursor;
    const start = cursor.at;
    let at = start;
    for (;;) {
      const byte = bytes[at]!;
      if (byte === this.delimiter || byte === newline) break;
      if (byte === 0 && at >= cursor.end) cursor.unexpected(at, 'the end of a row');
      at++;
    }
    cursor.at = at;
    if (bytes[at] === newline && at > start && bytes[at - 1] === carriageReturn) cursor.at = --at;
    while (at > start && (bytes[at - 1] === 32 || bytes[at - 1] === 9)) at--;
    this.setPlain(cursor, start, at);
  }

  #readQuoted(cursor: InputCursor, quote: number): void {
    const { bytes } = cursor;
    let from = cursor.at + 1;
    let isCopied = false;
    for (let at = from; ; at++) {
      if (bytes[at] === quote) {
        // Whether the quote is doubled cannot be told before the next byte is there.
        if (at + 1 >= cursor.end && !cursor.final) cursor.needMore();
        if (bytes[at + 1] !== quote) {
          cursor.at = at + 1;
          this.#finishQuoted(cursor, isCopied, from, at);
          return;
        }
        if (!isCopied) this.scratch.length = 0;
        isCopied = true;
        this.scratch.append(bytes, from, ++at);
        from = at + 1;
      } else if (at >= cursor.end) {
        cursor.unexpected(at, 'the closing quote of a string');
      }
    }
  }

  #finishQuoted(cursor: InputCursor, isCopied: boolean, from: number, end: number): void {
    if (!isCopied) {
      this.setPlain(cursor, from, end);
      return;
    }
    this.scratch.append(cursor.bytes, from, end);
    this.setScratch();
  }
}

const escapes = new Uint8Array(256);
for (const [char, value] of [
  ['b', 8],
  ['f', 12],
  ['n', 10],
  ['r', 13],
  ['t', 9],
  ['0', 0],
  ['a', 7],
  ['v', 11],
  ['e', 27],
] as const) {
  escapes[char.charCodeAt(0)] = value;
}

function hexDigit(byte: number): number {
  const lower = byte | 32;
  if (byte >= 48 && byte <= 57) return byte - 48;
  return lower >= 97 && lower <= 102 ? lower - 87 : -1;
}

/** Fields of TabSeparated: up to the delimiter, with backslash escapes unless the format is the raw one. */
export class TsvFields extends ScannedField implements FieldScanner {
  readonly #isRaw: boolean;

  constructor(delimiter: number, isRaw: boolean) {
    super(delimiter);
    this.#isRaw = isRaw;
  }

  read(cursor: InputCursor, verbatim: boolean): void {
    const { bytes } = cursor;
    const start = cursor.at;
    let hasEscapes = false;
    let at = start;
    for (;;) {
      const byte = bytes[at]!;
      if (byte === this.delimiter || byte === newline) break;
      if (byte === backslash && !this.#isRaw) {
        hasEscapes = true;
        at++;
      }
      if (at >= cursor.end) cursor.unexpected(at, 'the end of a row');
      at++;
    }
    if (bytes[at] === newline && at > start && bytes[at - 1] === carriageReturn) at--;
    cursor.at = at;
    this.setPlain(cursor, start, at);
    this.isNull = this.isNullMark(start, at);
    if (hasEscapes && !verbatim && !this.isNull) this.#unescape(start, at);
  }

  #unescape(start: number, end: number): void {
    const { bytes, scratch } = this;
    scratch.length = 0;
    scratch.reserve(end - start);
    let from = start;
    for (let at = start; at < end; at++) {
      if (bytes[at] !== backslash) continue;
      scratch.append(bytes, from, at);
      const byte = bytes[at + 1]!;
      const value = escapes[byte]!;
      from = at + 2;
      const high = byte === 120 && at + 3 < end ? hexDigit(bytes[at + 2]!) : -1;
      const low = high >= 0 ? hexDigit(bytes[at + 3]!) : -1;
      if (low >= 0) {
        scratch.bytes[scratch.length++] = high * 16 + low;
        from = at + 4;
      } else if (value !== 0 || byte === 48) {
        scratch.bytes[scratch.length++] = value;
      } else {
        // What has no meaning of its own keeps its backslash, except for quotes and the backslash itself.
        from =
          byte === backslash || byte === 39 || byte === 34 || byte === 47 || byte === newline ? at + 1 : at;
        scratch.append(bytes, from, at + 2);
        from = at + 2;
      }
      at = from - 1;
    }
    scratch.append(bytes, from, end);
    this.setScratch();
  }
}
