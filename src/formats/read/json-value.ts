import { SluiceError } from '../../base/index.ts';
import {
  bareType,
  defaultValue,
  integerRange,
  isNullable,
  type SqlType,
  textParser,
  toByteString,
  typeName,
} from '../../types/index.ts';
import type { InputCursor } from './input-cursor.ts';
import {
  charCodes,
  expectByte,
  expectWord,
  readJsonString,
  skipJsonSpace,
  skipJsonValue,
  tokenEnd,
} from './json-scan.ts';
import { exactInteger, exactNumber } from './number-scan.ts';
import { nullRefused, type ReadOptions } from './read-options.ts';

/** Reads one JSON value at the cursor, space before it included, as the canonical value of a type. */
export type JsonValueReader = (cursor: InputCursor) => unknown;

/** Whether `null` (and not `nan`) starts at the cursor. */
export function startsNull(cursor: InputCursor, first: number): boolean {
  if (first !== 110) return false;
  if (cursor.at + 1 >= cursor.end && !cursor.final) cursor.needMore();
  return cursor.bytes[cursor.at + 1] === 117;
}

/** The text of a value that is a string, a number or a word, as a byte string. */
function readScalarText(cursor: InputCursor, type: SqlType): string {
  const first = skipJsonSpace(cursor);
  if (first === charCodes.quote) return readJsonString(cursor);
  if (first === charCodes.openBrace || first === charCodes.openBracket) {
    cursor.unexpected(cursor.at, `a value of ${typeName(type)}`);
  }
  const start = cursor.at;
  cursor.at = tokenEnd(cursor);
  return cursor.slice(start, cursor.at);
}

/** Text that stands for a number where JSON has a word or a whole number in another notation. */
function numberText(text: string): string {
  if (text === 'true') return '1';
  if (text === 'false') return '0';
  return text;
}

function integerReader(type: SqlType): JsonValueReader {
  const parse = textParser(type);
  const small = type.kind === 'int' && type.bits <= 64;
  const [least, most] = integerRange(type)!.map(Number) as [number, number];
  return (cursor) => {
    const first = skipJsonSpace(cursor);
    if (small && (first === charCodes.minus || (first >= 48 && first <= 57))) {
      const start = cursor.at;
      const end = tokenEnd(cursor);
      cursor.at = end;
      const value = exactInteger(cursor.bytes, start, end);
      if (value >= least && value <= most) return value;
      const text = cursor.slice(start, end);
      const whole = /[.eE]/.test(text) ? Number(text) : Number.NaN;
      return parse(Number.isSafeInteger(whole) ? String(whole) : text);
    }
    return parse(numberText(readScalarText(cursor, type)));
  };
}

function floatReader(type: SqlType & { kind: 'float' }): JsonValueReader {
  const parse = textParser(type);
  return (cursor) => {
    const first = skipJsonSpace(cursor);
    if (first === charCodes.minus || (first >= 48 && first <= 57)) {
      const start = cursor.at;
      cursor.at = tokenEnd(cursor);
      const value = exactNumber(cursor.bytes, start, cursor.at);
      if (!Number.isNaN(value)) return type.bits === 32 ? Math.fround(value) : value;
      return parse(cursor.slice(start, cursor.at));
    }
    return parse(numberText(readScalarText(cursor, type)));
  };
}

/** Strings take any JSON value: numbers and words as they are written, objects and arrays as their JSON text. */
function stringReader(type: SqlType): JsonValueReader {
  const parse = textParser(type);
  return (cursor) => {
    const first = skipJsonSpace(cursor);
    if (first !== charCodes.openBrace && first !== charCodes.openBracket) {
      return parse(readScalarText(cursor, type));
    }
    const start = cursor.at;
    skipJsonValue(cursor);
    return parse(cursor.slice(start, cursor.at));
  };
}

function arrayReader(type: SqlType & { kind: 'array' }, options: ReadOptions): JsonValueReader {
  const element = jsonValueReader(type.element, options);
  const parse = textParser(type, options.text);
  return (cursor) => {
    if (skipJsonSpace(cursor) === charCodes.quote) return parse(readJsonString(cursor));
    expectByte(cursor, charCodes.openBracket, "'[' of an array");
    return readElements(cursor, element);
  };
}

/** The values up to the closing bracket; the opening one was read. */
function readElements(cursor: InputCursor, element: JsonValueReader): unknown[] {
  const values: unknown[] = [];
  if (skipJsonSpace(cursor) === charCodes.closeBracket) {
    cursor.at++;
    return values;
  }
  for (;;) {
    values.push(element(cursor));
    const next = skipJsonSpace(cursor);
    if (next !== charCodes.comma && next !== charCodes.closeBracket)
      cursor.unexpected(cursor.at, "',' or ']'");
    cursor.at++;
    if (next === charCodes.closeBracket) return values;
  }
}

/** Calls back at each value of an object, whose opening brace was read, with its key. */
export function readObject(cursor: InputCursor, onValue: (key: string) => void): void {
  if (skipJsonSpace(cursor) === charCodes.closeBrace) {
    cursor.at++;
    return;
  }
  for (;;) {
    if (skipJsonSpace(cursor) !== charCodes.quote) cursor.unexpected(cursor.at, 'a key in double quotes');
    const key = readJsonString(cursor);
    expectByte(cursor, charCodes.colon, "':' after a key");
    onValue(key);
    const next = skipJsonSpace(cursor);
    if (next !== charCodes.comma && next !== charCodes.closeBrace) cursor.unexpected(cursor.at, "',' or '}'");
    cursor.at++;
    if (next === charCodes.closeBrace) return;
  }
}

function mapReader(type: SqlType & { kind: 'map' }, options: ReadOptions): JsonValueReader {
  const key = textParser(type.key, options.text);
  const value = jsonValueReader(type.value, options);
  const parse = textParser(type, options.text);
  return (cursor) => {
    if (skipJsonSpace(cursor) === charCodes.quote) return parse(readJsonString(cursor));
    expectByte(cursor, charCodes.openBrace, "'{' of a map");
    const pairs: unknown[] = [];
    readObject(cursor, (text) => pairs.push([key(text), value(cursor)]));
    return pairs;
  };
}

function tupleReader(type: SqlType & { kind: 'tuple' }, options: ReadOptions): JsonValueReader {
  const elements = type.elements.map((element) => jsonValueReader(element.type, options));
  const places = new Map(
    type.elements.map((element, index) => [toByteString(element.name || `${index + 1}`), index]),
  );
  const parse = textParser(type, options.text);
  const fromObject = (cursor: InputCursor): unknown[] => {
    const values = defaultValue(type) as unknown[];
    readObject(cursor, (name) => {
      const place = places.get(name);
      if (place !== undefined) {
        values[place] = elements[place]!(cursor);
      } else if (options.skipUnknownFields) {
        skipJsonValue(cursor);
      } else {
        throw new SluiceError('INCORRECT_DATA', `${typeName(type)} has no element '${name}'`);
      }
    });
    return values;
  };
  return (cursor) => {
    const first = skipJsonSpace(cursor);
    if (first === charCodes.quote) return parse(readJsonString(cursor));
    if (first === charCodes.openBrace) {
      cursor.at++;
      return fromObject(cursor);
    }
    expectByte(cursor, charCodes.openBracket, "'[' or '{' of a tuple");
    const values: unknown[] = [];
    for (const [index, element] of elements.entries()) {
      if (index > 0) expectByte(cursor, charCodes.comma, `',' and ${elements.length} values of a tuple`);
      values.push(element(cursor));
    }
    expectByte(cursor, charCodes.closeBracket, `']' after the ${elements.length} values of a tuple`);
    return values;
  };
}

function notNullReader(type: SqlType, options: ReadOptions): JsonValueReader {
  switch (type.kind) {
    case 'int':
    case 'interval':
      return integerReader(type);
    case 'float':
      return floatReader(type);
    case 'string':
    case 'fixed_string':
      return stringReader(type);
    case 'array':
      return arrayReader(type, options);
    case 'map':
      return mapReader(type, options);
    case 'tuple':
      return tupleReader(type, options);
    default: {
      const parse = textParser(type, options.text);
      const words = type.kind === 'decimal' ? numberText : (text: string) => text;
      return (cursor) => parse(words(readScalarText(cursor, type)));
    }
  }
}

/** A reader of JSON values of the type; null is given for nullable types and refused for others. */
export function jsonValueReader(type: SqlType, options: ReadOptions): JsonValueReader {
  const read = notNullReader(bareType(type), options);
  const nullable = isNullable(type);
  return (cursor) => {
    if (!startsNull(cursor, skipJsonSpace(cursor))) return read(cursor);
    expectWord(cursor, 'null');
    if (nullable) return null;
    if (options.nullAsDefault) return defaultValue(type);
    throw nullRefused(type);
  };
}
