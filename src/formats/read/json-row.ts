import { maybeYouMeant, SluiceError } from '../../base/index.ts';
import { excerpt, toByteString } from '../../types/index.ts';
import type { BlockAssembler } from './block-assembler.ts';
import type { InputCursor } from './input-cursor.ts';
import { type ColumnReader, jsonColumnReader } from './json-column.ts';
import { charCodes, expectByte, readJsonString, skipJsonSpace, skipJsonValue } from './json-scan.ts';
import type { ReadOptions } from './read-options.ts';

/** Where the values of one row stood, from which a parser for rows of the same layout is made. */
export class RowLayout {
  /** Column of each value in order; -1 for a field that is passed over. */
  readonly columns: number[] = [];
  /** Where each value starts and ends, counted from the start of the row. */
  readonly starts: number[] = [];
  readonly ends: number[] = [];

  clear(): void {
    this.columns.length = 0;
    this.starts.length = 0;
    this.ends.length = 0;
  }

  add(column: number, start: number, end: number): void {
    this.columns.push(column);
    this.starts.push(start);
    this.ends.push(end);
  }
}

/** Reads one row, of which the first byte that is no space stands at the cursor. */
export interface JsonRowReader {
  readonly readers: readonly ColumnReader[];
  /** Fills the sinks at `cursor.row` and the layout; the cursor then stands behind the row. */
  readRow(cursor: InputCursor, layout: RowLayout): void;
}

/** Rows that are objects: columns by name, in any order, some possibly missing. */
export class JsonObjectRow implements JsonRowReader {
  readonly readers: readonly ColumnReader[];
  readonly #assembler: BlockAssembler;
  readonly #options: ReadOptions;
  readonly #names: readonly Buffer[];
  readonly #columnOfName: ReadonlyMap<string, number>;
  /** The column that stood at each place of the row before: most often the next row has the same. */
  readonly #order: number[] = [];
  /** The attempt (see #attempt) in which each column was last given. */
  readonly #seen: Float64Array;
  #attempt = 0;
  #given = 0;
  #place = 0;
  #isFlat = true;

  constructor(assembler: BlockAssembler, options: ReadOptions) {
    this.#assembler = assembler;
    this.#options = options;
    const { columns, sinks } = assembler;
    this.readers = columns.map((column, index) => jsonColumnReader(column.type, sinks[index]!, options));
    this.#names = columns.map((column) => Buffer.from(column.name));
    this.#columnOfName = new Map(columns.map((column, index) => [toByteString(column.name), index]));
    this.#seen = new Float64Array(columns.length);
  }

  readRow(cursor: InputCursor, layout: RowLayout): void {
    this.#attempt++;
    this.#given = 0;
    this.#place = 0;
    this.#isFlat = true;
    layout.clear();
    cursor.column = -1;
    expectByte(cursor, charCodes.openBrace, "'{'");
    this.#readFields(cursor, '', layout);
    if (!this.#isFlat) layout.clear();
    cursor.column = -1;
    if (this.#given === this.#seen.length) return;
    for (let column = 0; column < this.#seen.length; column++) {
      if (this.#seen[column] !== this.#attempt) this.#assembler.omit(column, cursor.row);
    }
  }

  /** Reads the fields of an object whose brace was read; `prefix` is the path to it with a dot behind. */
  #readFields(cursor: InputCursor, prefix: string, layout: RowLayout): void {
    if (skipJsonSpace(cursor) === charCodes.closeBrace) {
      cursor.at++;
      return;
    }
    for (;;) {
      if (skipJsonSpace(cursor) !== charCodes.quote) cursor.unexpected(cursor.at, 'a key in double quotes');
      this.#readField(cursor, prefix, layout);
      const next = skipJsonSpace(cursor);
      if (next !== charCodes.comma && next !== charCodes.closeBrace)
        cursor.unexpected(cursor.at, "',' or '}'");
      cursor.at++;
      if (next === charCodes.closeBrace) return;
    }
  }

  #readField(cursor: InputCursor, prefix: string, layout: RowLayout): void {
    const place = this.#place++;
    let column = this.#guess(cursor, place);
    if (column < 0 || prefix !== '') {
      const key = prefix + readJsonString(cursor);
      column = this.#columnOfName.get(key) ?? -1;
      if (prefix === '') this.#order[place] = column;
      expectByte(cursor, charCodes.colon, "':' after a key");
      if (column < 0) {
        this.#readUnknown(cursor, key, layout);
        return;
      }
    } else {
      cursor.at += this.#names[column]!.length + 2;
      expectByte(cursor, charCodes.colon, "':' after a key");
    }
    cursor.column = column;
    if (this.#seen[column] === this.#attempt) {
      throw new SluiceError('INCORRECT_DATA', 'The field is there twice');
    }
    skipJsonSpace(cursor);
    const start = cursor.at;
    if (!this.readers[column]!(cursor, cursor.row)) this.#assembler.omit(column, cursor.row);
    this.#seen[column] = this.#attempt;
    this.#given++;
    layout.add(column, start - cursor.rowStart, cursor.at - cursor.rowStart);
    cursor.column = -1;
  }

  /** The column whose quoted name stands at the cursor, if it is the one that stood there in the last row. */
  #guess(cursor: InputCursor, place: number): number {
    const column = this.#order[place] ?? place;
    const name = column < this.#names.length ? this.#names[column] : undefined;
    if (name === undefined) return -1;
    const start = cursor.at + 1;
    const { bytes } = cursor;
    for (let index = 0; index < name.length; index++) if (bytes[start + index] !== name[index]) return -1;
    return bytes[start + name.length] === charCodes.quote ? column : -1;
  }

  #readUnknown(cursor: InputCursor, key: string, layout: RowLayout): void {
    const first = skipJsonSpace(cursor);
    // What the field holds decides what it means, so its first byte must be there.
    if (cursor.at >= cursor.end) cursor.unexpected(cursor.at, 'a value');
    if (first === charCodes.openBrace && this.#options.nestedJson && this.#hasColumnsBelow(key)) {
      this.#isFlat = false;
      cursor.at++;
      this.#readFields(cursor, `${key}.`, layout);
      return;
    }
    if (!this.#options.skipUnknownFields) {
      const names = this.#assembler.columns.map((column) => column.name);
      throw new SluiceError(
        'INCORRECT_DATA',
        `Unknown field '${excerpt(key)}'${maybeYouMeant(key, names)}; input_format_skip_unknown_fields=1 ignores such fields`,
      );
    }
    const start = cursor.at;
    skipJsonValue(cursor);
    layout.add(-1, start - cursor.rowStart, cursor.at - cursor.rowStart);
  }

  #hasColumnsBelow(key: string): boolean {
    for (const name of this.#columnOfName.keys()) if (name.startsWith(`${key}.`)) return true;
    return false;
  }
}

/** Rows that are arrays: a value for each column, in order. */
export class JsonArrayRow implements JsonRowReader {
  readonly readers: readonly ColumnReader[];
  readonly #assembler: BlockAssembler;
  readonly #columns: readonly number[];

  /** `columns` names the column of each place, -1 where the value is to be passed over. */
  constructor(assembler: BlockAssembler, options: ReadOptions, columns: readonly number[]) {
    this.#assembler = assembler;
    this.#columns = columns;
    this.readers = assembler.columns.map((column, index) =>
      jsonColumnReader(column.type, assembler.sinks[index]!, options),
    );
  }

  readRow(cursor: InputCursor, layout: RowLayout): void {
    layout.clear();
    cursor.column = -1;
    expectByte(cursor, charCodes.openBracket, "'['");
    for (const [place, column] of this.#columns.entries()) {
      if (place > 0) expectByte(cursor, charCodes.comma, `',' and ${this.#columns.length} values in a row`);
      skipJsonSpace(cursor);
      const start = cursor.at;
      cursor.column = column;
      if (column < 0) skipJsonValue(cursor);
      else if (!this.readers[column]!(cursor, cursor.row)) this.#assembler.omit(column, cursor.row);
      layout.add(column, start - cursor.rowStart, cursor.at - cursor.rowStart);
    }
    cursor.column = -1;
    expectByte(cursor, charCodes.closeBracket, `']' after the ${this.#columns.length} values of a row`);
    if (this.#columns.length === this.#assembler.columns.length) return;
    for (let column = 0; column < this.#assembler.columns.length; column++) {
      if (!this.#columns.includes(column)) this.#assembler.omit(column, cursor.row);
    }
  }
}
