import { SluiceError } from '../base/index.ts';
import { type LiteralReader, literalFormatter, literalReader } from './compound-text.ts';
import { failAt, skipSpace } from './quoted-text.ts';
import { scalarFormatter, scalarParser, type TextFormatter, type TextParser } from './scalar-text.ts';
import { excerpt } from './text-errors.ts';
import type { TextOptions } from './text-options.ts';
import { bareType, type SqlType } from './type.ts';
import { typeName } from './type-name.ts';

function wholeText(read: LiteralReader, type: SqlType): TextParser {
  return (text) => {
    const cursor = { text, at: 0 };
    try {
      const value = read(cursor);
      skipSpace(cursor);
      if (cursor.at < text.length) failAt(cursor, 'the end of the value');
      return value;
    } catch (thrown) {
      if (!(thrown instanceof SluiceError)) throw thrown;
      throw new SluiceError(
        thrown.errorName,
        `Cannot parse '${excerpt(text)}' as ${typeName(type)}: ${thrown.message}`,
        { cause: thrown },
      );
    }
  };
}

/**
 * A function from the text of a value (a byte string) to its canonical value. It throws SluiceError: CANNOT_PARSE_TEXT,
 * CANNOT_PARSE_DATETIME, _UUID, _IPV4, _IPV6, _BOOL, UNKNOWN_ELEMENT_OF_ENUM, or VALUE_IS_OUT_OF_RANGE_OF_DATA_TYPE.
 * NULL is known as `NULL` or `\N`, for nullable types that are not strings.
 */
export function textParser(type: SqlType, options: TextOptions = {}): TextParser {
  switch (type.kind) {
    case 'low_cardinality':
      return textParser(type.inner, options);
    case 'nullable': {
      const inner = textParser(type.inner, options);
      const { kind } = bareType(type);
      if (kind === 'string' || kind === 'fixed_string') return inner;
      return (text) => (text === 'NULL' || text === '\\N' ? null : inner(text));
    }
    case 'array':
    case 'tuple':
    case 'map':
      return wholeText(literalReader(type, options), type);
    default:
      return scalarParser(type, options);
  }
}

/**
 * A function from a canonical value to its text (a byte string) as it stands alone: strings and dates without quotes,
 * arrays, tuples and maps as literals, NULL as `NULL`. Formats with another word for NULL ask for it before they call.
 */
export function textFormatter(type: SqlType, options: TextOptions = {}): TextFormatter {
  switch (type.kind) {
    case 'low_cardinality':
      return textFormatter(type.inner, options);
    case 'nullable': {
      const inner = textFormatter(type.inner, options);
      return (value) => (value === null ? 'NULL' : inner(value));
    }
    case 'array':
    case 'tuple':
    case 'map':
      return literalFormatter(type, options);
    default:
      return scalarFormatter(type, options);
  }
}

/** The canonical value of a text; see textParser. */
export function parseText(type: SqlType, text: string, options: TextOptions = {}): unknown {
  return textParser(type, options)(text);
}

/** The text of a canonical value; see textFormatter. */
export function formatText(type: SqlType, value: unknown, options: TextOptions = {}): string {
  return textFormatter(type, options)(value);
}
