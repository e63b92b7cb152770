import { bareType, isNullable, type SqlType, textParser } from '../../types/index.ts';
import type { ColumnSink } from './column-sink.ts';
import type { FieldScanner } from './field-scanner.ts';
import type { ColumnReader } from './json-column.ts';
import { nullRefused, type ReadOptions } from './read-options.ts';
import { StringSink } from './string-sink.ts';

/** A reader of fields into the sink of a column; an empty field without quotes means no value, except for strings. */
export function delimitedColumnReader(
  type: SqlType,
  sink: ColumnSink,
  scanner: FieldScanner,
  options: ReadOptions,
): ColumnReader {
  const bare = bareType(type);
  const nullable = isNullable(type);
  const isText = bare.kind === 'string' || bare.kind === 'fixed_string';
  const strings = bare.kind === 'string' && sink instanceof StringSink ? sink : undefined;
  const verbatim = bare.kind === 'array' || bare.kind === 'tuple' || bare.kind === 'map';
  const parse = textParser(isText ? bare : type, options.text);
  return (cursor, row) => {
    scanner.read(cursor, verbatim);
    if (scanner.isNull) {
      if (nullable) sink.put(row, null);
      else if (!options.nullAsDefault) throw nullRefused(type);
      return nullable;
    }
    const { bytes, view, start, end } = scanner;
    if (strings !== undefined) {
      if (nullable) strings.nulls.set(row, false);
      strings.putBytes(bytes, view, start, end, row);
      return true;
    }
    if (start === end && !scanner.isQuoted && !isText) return false;
    sink.put(row, parse((bytes as Buffer).latin1Slice(start, end)));
    return true;
  };
}
