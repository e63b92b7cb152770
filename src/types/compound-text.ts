import { SluiceError } from '../base/index.ts';
import {
  acceptMark,
  expectMark,
  failAt,
  quoteText,
  readBare,
  readQuoted,
  skipSpace,
  type TextCursor,
} from './quoted-text.ts';
import { scalarFormatter, scalarParser, type TextFormatter } from './scalar-text.ts';
import type { TextOptions } from './text-options.ts';
import type { SqlType } from './type.ts';
import { typeName } from './type-name.ts';

/** Reads one literal at the cursor and moves past it. */
export type LiteralReader = (cursor: TextCursor) => unknown;

function isNullWord(word: string): boolean {
  return word === '\\N' || /^null$/i.test(word);
}

function scalarReader(type: SqlType, options: TextOptions, takesNull: boolean): LiteralReader {
  if (type.kind === 'nullable' || type.kind === 'low_cardinality') {
    return scalarReader(type.inner, options, takesNull || type.kind === 'nullable');
  }
  if (type.kind === 'array' || type.kind === 'tuple' || type.kind === 'map')
    return literalReader(type, options);
  const parse = scalarParser(type, options);
  return (cursor) => {
    skipSpace(cursor);
    const first = cursor.text[cursor.at];
    if (first === "'" || first === '"') return parse(readQuoted(cursor));
    const word = readBare(cursor);
    if (isNullWord(word)) {
      if (takesNull || type.kind === 'nothing') return null;
      throw new SluiceError(
        'CANNOT_INSERT_NULL_IN_ORDINARY_COLUMN',
        `NULL is no value of ${typeName(type)}, which is not nullable`,
      );
    }
    return parse(word);
  };
}

function arrayReader(element: LiteralReader): LiteralReader {
  return (cursor) => {
    expectMark(cursor, '[');
    const values: unknown[] = [];
    if (acceptMark(cursor, ']')) return values;
    do values.push(element(cursor));
    while (acceptMark(cursor, ','));
    expectMark(cursor, ']');
    return values;
  };
}

function mapReader(key: LiteralReader, value: LiteralReader): LiteralReader {
  return (cursor) => {
    expectMark(cursor, '{');
    const pairs: unknown[] = [];
    if (acceptMark(cursor, '}')) return pairs;
    do {
      const read = key(cursor);
      if (!acceptMark(cursor, ':')) expectMark(cursor, '=');
      pairs.push([read, value(cursor)]);
    } while (acceptMark(cursor, ','));
    expectMark(cursor, '}');
    return pairs;
  };
}

function tupleReader(type: SqlType & { kind: 'tuple' }, options: TextOptions): LiteralReader {
  const elements = type.elements.map((element) => literalReader(element.type, options));
  return (cursor) => {
    expectMark(cursor, '(');
    const values: unknown[] = [];
    for (const [index, read] of elements.entries()) {
      if (index > 0) expectMark(cursor, ',');
      values.push(read(cursor));
    }
    // A tuple of one is written with a comma behind its value.
    acceptMark(cursor, ',');
    if (!acceptMark(cursor, ')'))
      failAt(cursor, `')' after the ${elements.length} values of ${typeName(type)}`);
    return values;
  };
}

/**
 * A reader of SQL literals of the type inside a longer text: `'a'`, `1`, `NULL`, `['a', 'b']`, `(1, 'x')`, `{'k': 1}`.
 * Strings may be in single or double quotes; other values with or without.
 */
export function literalReader(type: SqlType, options: TextOptions = {}): LiteralReader {
  switch (type.kind) {
    case 'array':
      return arrayReader(literalReader(type.element, options));
    case 'map':
      return mapReader(literalReader(type.key, options), literalReader(type.value, options));
    case 'tuple':
      return tupleReader(type, options);
    default:
      return scalarReader(type, options, false);
  }
}

/** Whether literals of the type stand without quotes. */
function isBareLiteral(type: SqlType): boolean {
  return (
    type.kind === 'int' ||
    type.kind === 'float' ||
    type.kind === 'decimal' ||
    type.kind === 'bool' ||
    type.kind === 'interval' ||
    type.kind === 'nothing'
  );
}

/** Writes values as SQL literals, which is also how they stand inside arrays, tuples and maps. */
export function literalFormatter(type: SqlType, options: TextOptions = {}): TextFormatter {
  switch (type.kind) {
    case 'low_cardinality':
      return literalFormatter(type.inner, options);
    case 'nullable': {
      const inner = literalFormatter(type.inner, options);
      return (value) => (value === null ? 'NULL' : inner(value));
    }
    case 'array': {
      const element = literalFormatter(type.element, options);
      return (value) => `[${(value as unknown[]).map(element).join(',')}]`;
    }
    case 'map': {
      const key = literalFormatter(type.key, options);
      const item = literalFormatter(type.value, options);
      return (value) =>
        `{${(value as [unknown, unknown][]).map((pair) => `${key(pair[0])}:${item(pair[1])}`).join(',')}}`;
    }
    case 'tuple': {
      const elements = type.elements.map((element) => literalFormatter(element.type, options));
      return (value) =>
        `(${elements.map((element, index) => element((value as unknown[])[index])).join(',')})`;
    }
    default: {
      const format = scalarFormatter(type, options);
      return isBareLiteral(type) ? format : (value) => quoteText(format(value));
    }
  }
}
