import type { Settings } from '../../base/index.ts';
import type { BlockReader, ReaderColumn } from '../block-reader.ts';
import { BlockAssembler } from './block-assembler.ts';
import { checkTypes, columnsByName, type HeaderLines } from './delimited-rows.ts';
import { InputCursor } from './input-cursor.ts';
import { JsonArrayRow, JsonObjectRow } from './json-row.ts';
import { type HeaderReader, JsonRows } from './json-rows.ts';
import { charCodes, expectByte, readJsonString, skipJsonSpace } from './json-scan.ts';
import { readOptions } from './read-options.ts';
import { RowPump } from './row-pump.ts';
import { columnPlan } from './value-code.ts';

/** JSONEachRow and its aliases: an object for each row. */
export function jsonEachRowReader(columns: readonly ReaderColumn[], settings: Settings): BlockReader {
  const options = readOptions(settings);
  const assembler = new BlockAssembler(columns, options.fillDefaults);
  const plans = columns.map((column) => columnPlan(column.type, options.text));
  const rows = new JsonRows(assembler, new JsonObjectRow(assembler, options), plans, true);
  return new RowPump(new InputCursor(), rows, assembler, options.errorsAllowed);
}

/** An array of strings at the cursor. */
export function readStringArray(cursor: InputCursor): string[] {
  const texts: string[] = [];
  expectByte(cursor, charCodes.openBracket, "'['");
  if (skipJsonSpace(cursor) === charCodes.closeBracket) {
    cursor.at++;
    return texts;
  }
  for (;;) {
    if (skipJsonSpace(cursor) !== charCodes.quote) cursor.unexpected(cursor.at, 'a name in double quotes');
    texts.push(readJsonString(cursor));
    const next = skipJsonSpace(cursor);
    if (next !== charCodes.comma && next !== charCodes.closeBracket)
      cursor.unexpected(cursor.at, "',' or ']'");
    cursor.at++;
    if (next === charCodes.closeBracket) return texts;
  }
}

/** JSONCompactEachRow and its variants: an array for each row, with the names and types before the data on request. */
export function jsonCompactEachRowReader(
  columns: readonly ReaderColumn[],
  settings: Settings,
  header: HeaderLines,
): BlockReader {
  const options = readOptions(settings);
  const assembler = new BlockAssembler(columns, options.fillDefaults);
  const plans = columns.map((column) => columnPlan(column.type, options.text));
  const inOrder = columns.map((_, index) => index);
  const readHeader: HeaderReader = (cursor) => {
    const fields = columnsByName(readStringArray(cursor), columns, options);
    if (header === 'types') checkTypes(readStringArray(cursor), fields, columns);
    return new JsonArrayRow(assembler, options, fields);
  };
  const rows = new JsonRows(
    assembler,
    new JsonArrayRow(assembler, options, inOrder),
    plans,
    false,
    header === 'none' ? undefined : readHeader,
  );
  return new RowPump(new InputCursor(), rows, assembler, options.errorsAllowed);
}
