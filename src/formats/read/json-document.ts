import { type Settings, SluiceError } from '../../base/index.ts';
import type { BlockReader, ReaderColumn } from '../block-reader.ts';
import { BlockAssembler } from './block-assembler.ts';
import { columnsByName } from './delimited-rows.ts';
import { InputCursor } from './input-cursor.ts';
import { readStringArray } from './json-each-row.ts';
import { JsonArrayRow, JsonObjectRow, type JsonRowReader, RowLayout } from './json-row.ts';
import { charCodes, expectByte, readJsonString, skipJsonSpace, skipJsonValue } from './json-scan.ts';
import { readObject } from './json-value.ts';
import { type ReadOptions, readOptions } from './read-options.ts';
import { RowPump, type RowSource } from './row-pump.ts';

type State = 'start' | 'fields' | 'rows' | 'closed';

/** The names in the `meta` field of a document: objects that have a `name`. */
function readMeta(cursor: InputCursor): string[] {
  const names: string[] = [];
  expectByte(cursor, charCodes.openBracket, "'[' of meta");
  if (skipJsonSpace(cursor) === charCodes.closeBracket) {
    cursor.at++;
    return names;
  }
  for (;;) {
    expectByte(cursor, charCodes.openBrace, "'{' of a column in meta");
    readObject(cursor, (key) => {
      if (key === 'name' && skipJsonSpace(cursor) === charCodes.quote) names.push(readJsonString(cursor));
      else skipJsonValue(cursor);
    });
    const next = skipJsonSpace(cursor);
    if (next !== charCodes.comma && next !== charCodes.closeBracket)
      cursor.unexpected(cursor.at, "',' or ']'");
    cursor.at++;
    if (next === charCodes.closeBracket) return names;
  }
}

/**
 * The document of the formats JSON and JSONCompact: the rows are the elements of its field `data`, objects or arrays.
 * Arrays follow the names in `meta` or `columns` when one stands before `data`, else the order of the columns.
 */
class JsonDocument implements RowSource {
  readonly mustBeUtf8 = true;
  readonly #assembler: BlockAssembler;
  readonly #options: ReadOptions;
  readonly #objects: JsonRowReader;
  #arrays: JsonRowReader;
  readonly #layout = new RowLayout();
  #state: State = 'start';
  #sawData = false;
  /** Whether a comma must come before the next field or row. */
  #needsComma = false;

  constructor(assembler: BlockAssembler, options: ReadOptions) {
    this.#assembler = assembler;
    this.#options = options;
    this.#objects = new JsonObjectRow(assembler, options);
    this.#arrays = this.#arrayReader(assembler.columns.map((_, index) => index));
  }

  #arrayReader(columns: readonly number[]): JsonRowReader {
    return new JsonArrayRow(this.#assembler, this.#options, columns);
  }

  readRows(cursor: InputCursor, rowsMax: number): void {
    while (cursor.row < rowsMax) {
      cursor.at = cursor.rowStart;
      cursor.column = -1;
      skipJsonSpace(cursor);
      if (cursor.at >= cursor.end) return;
      this.#step(cursor);
      cursor.rowStart = cursor.at;
    }
  }

  #step(cursor: InputCursor): void {
    switch (this.#state) {
      case 'start':
        if (cursor.bytes[cursor.at] === 0xef) {
          if (cursor.at + 3 > cursor.end) cursor.needMore();
          cursor.at += 3;
        }
        expectByte(cursor, charCodes.openBrace, "'{' of a document");
        this.#state = 'fields';
        return;
      case 'fields':
        if (!this.#toNext(cursor, charCodes.closeBrace, 'closed', "',' or '}'")) return;
        this.#readField(cursor);
        return;
      case 'rows':
        if (!this.#toNext(cursor, charCodes.closeBracket, 'fields', "',' or ']' after a row")) return;
        this.#readRow(cursor);
        return;
      case 'closed':
        if (cursor.bytes[cursor.at] !== 59) cursor.unexpected(cursor.at, 'the end of the input');
        cursor.at++;
    }
  }

  /** Moves to the next field or row; false, and on to the state, when the list is closed there. */
  #toNext(cursor: InputCursor, close: number, state: State, expected: string): boolean {
    const byte = skipJsonSpace(cursor);
    if (byte === close) {
      cursor.at++;
      this.#state = state;
      this.#needsComma = true;
      return false;
    }
    if (this.#needsComma) {
      if (byte !== charCodes.comma) cursor.unexpected(cursor.at, expected);
      cursor.at++;
      if (skipJsonSpace(cursor) === 0 && cursor.at >= cursor.end) cursor.unexpected(cursor.at, 'a value');
    }
    return true;
  }

  #readField(cursor: InputCursor): void {
    if (skipJsonSpace(cursor) !== charCodes.quote) cursor.unexpected(cursor.at, 'a key in double quotes');
    const key = readJsonString(cursor);
    expectByte(cursor, charCodes.colon, "':' after a key");
    if (key === 'data') {
      if (this.#sawData) throw new SluiceError('INCORRECT_DATA', "The field 'data' is there twice");
      expectByte(cursor, charCodes.openBracket, "'[' of data");
      this.#sawData = true;
      this.#state = 'rows';
      this.#needsComma = false;
      return;
    }
    if (key === 'meta' || key === 'columns') {
      const names = key === 'meta' ? readMeta(cursor) : readStringArray(cursor);
      this.#arrays = this.#arrayReader(columnsByName(names, this.#assembler.columns, this.#options));
    } else {
      skipJsonValue(cursor);
    }
    this.#needsComma = true;
  }

  #readRow(cursor: InputCursor): void {
    const reader = skipJsonSpace(cursor) === charCodes.openBracket ? this.#arrays : this.#objects;
    reader.readRow(cursor, this.#layout);
    this.#needsComma = true;
    cursor.row++;
  }

  skipRow(): boolean {
    return false;
  }

  end(cursor: InputCursor): void {
    cursor.column = -1;
    if (this.#state === 'closed') {
      if (!this.#sawData) throw new SluiceError('INCORRECT_DATA', "The document has no field 'data'");
      return;
    }
    if (this.#state !== 'start')
      throw new SluiceError('CANNOT_READ_ALL_DATA', 'The input ends inside the document');
  }
}

/** JSON and JSONCompact as input; also `{"columns": [names], "data": [[values], ...]}`. */
export function jsonDocumentReader(columns: readonly ReaderColumn[], settings: Settings): BlockReader {
  const options = readOptions(settings);
  const assembler = new BlockAssembler(columns, options.fillDefaults);
  return new RowPump(new InputCursor(), new JsonDocument(assembler, options), assembler, 0);
}
