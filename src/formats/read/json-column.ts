import { bareType, isNullable, type SqlType } from '../../types/index.ts';
import type { ColumnSink } from './column-sink.ts';
import type { InputCursor } from './input-cursor.ts';
import {
  charCodes,
  decodeString,
  expectWord,
  StringScratch,
  skipJsonSpace,
  stringStop,
} from './json-scan.ts';
import { jsonValueReader, startsNull } from './json-value.ts';
import { nullRefused, type ReadOptions } from './read-options.ts';
import { StringSink } from './string-sink.ts';

/** Reads the value at the cursor into a row; false when it counts as not given (a NULL that asks for the DEFAULT). */
export type ColumnReader = (cursor: InputCursor, row: number) => boolean;

const scratch = new StringScratch();

/** Reads the string that starts at the cursor's quote into a row, without making a JS string. */
function readStringInto(sink: StringSink, cursor: InputCursor, row: number): void {
  const start = cursor.at + 1;
  const stop = stringStop(cursor, start);
  if (cursor.bytes[stop] === charCodes.quote) {
    cursor.at = stop + 1;
    sink.putBytes(cursor.bytes, cursor.view, start, stop, row);
    return;
  }
  cursor.at = start;
  decodeString(cursor, scratch);
  sink.putBytes(scratch.bytes, scratch.view, 0, scratch.length, row);
}

/** A reader of JSON values into the sink of a column. */
export function jsonColumnReader(type: SqlType, sink: ColumnSink, options: ReadOptions): ColumnReader {
  const bare = bareType(type);
  const read = jsonValueReader(bare, options);
  const nullable = isNullable(type);
  const strings = bare.kind === 'string' && sink instanceof StringSink ? sink : undefined;
  return (cursor, row) => {
    const first = skipJsonSpace(cursor);
    if (strings !== undefined && first === charCodes.quote) {
      if (nullable) strings.nulls.set(row, false);
      readStringInto(strings, cursor, row);
      return true;
    }
    if (startsNull(cursor, first)) {
      expectWord(cursor, 'null');
      if (nullable) sink.put(row, null);
      else if (!options.nullAsDefault) throw nullRefused(type);
      return nullable;
    }
    sink.put(row, read(cursor));
    return true;
  };
}
