import { maybeYouMeant, type Settings, SluiceError } from '../../base/index.ts';
import { fromByteString, parseType, sameType, toByteString, typeName } from '../../types/index.ts';
import type { BlockReader, ReaderColumn } from '../block-reader.ts';
import { BlockAssembler } from './block-assembler.ts';
import { delimitedColumnReader } from './delimited-column.ts';
import { type DelimitedPlan, delimitedRows } from './delimited-fast.ts';
import { CsvFields, expectLineEnd, type FieldScanner, isLineEnd, TsvFields } from './field-scanner.ts';
import { InputCursor } from './input-cursor.ts';
import type { ColumnReader } from './json-column.ts';
import type { FastRows } from './json-fast.ts';
import { type ReadOptions, readOptions } from './read-options.ts';
import { RowPump, type RowSource } from './row-pump.ts';
import { type ColumnPlan, columnPlan } from './value-code.ts';

/** Lines before the data. */
export type HeaderLines = 'none' | 'names' | 'types';

/** Rows that take the slow way before code is compiled for them. */
const slowRowsMax = 64;

/** The column of each name of a header; -1 for names that are to be passed over. */
export function columnsByName(
  names: readonly string[],
  columns: readonly ReaderColumn[],
  options: ReadOptions,
): number[] {
  const places = new Map(columns.map((column, index) => [toByteString(column.name), index]));
  const result: number[] = [];
  for (const name of names) {
    const place = places.get(name) ?? -1;
    const text = fromByteString(name);
    if (place < 0 && !options.skipUnknownFields) {
      const hint = maybeYouMeant(
        text,
        columns.map((column) => column.name),
      );
      throw new SluiceError('INCORRECT_DATA', `The header names the unknown column '${text}'${hint}`);
    }
    if (place >= 0 && result.includes(place)) {
      throw new SluiceError('INCORRECT_DATA', `The header names the column '${text}' twice`);
    }
    result.push(place);
  }
  return result;
}

/** Fails when a header's types are not those of the columns. */
export function checkTypes(
  types: readonly string[],
  fields: readonly number[],
  columns: readonly ReaderColumn[],
): void {
  if (types.length !== fields.length) {
    throw new SluiceError(
      'INCORRECT_DATA',
      `The header has ${fields.length} names but ${types.length} types`,
    );
  }
  for (const [index, text] of types.entries()) {
    const column = columns[fields[index]!];
    if (column === undefined || sameType(parseType(fromByteString(text)), column.type)) continue;
    throw new SluiceError(
      'INCORRECT_DATA',
      `The header gives column '${column.name}' the type ${fromByteString(text)}, but it is ${typeName(column.type)}`,
    );
  }
}

/** Rows of CSV or TabSeparated. */
class DelimitedRows implements RowSource {
  readonly mustBeUtf8 = false;
  readonly #assembler: BlockAssembler;
  readonly #scanner: FieldScanner;
  readonly #options: ReadOptions;
  readonly #readers: readonly ColumnReader[];
  readonly #plans: readonly ColumnPlan[];
  readonly #isCsv: boolean;
  #header: HeaderLines;
  #isStarted = false;
  #fields: readonly number[];
  #missing: readonly number[] = [];
  #fast: FastRows | undefined;
  #slowRows = 0;

  constructor(assembler: BlockAssembler, scanner: FieldScanner, options: ReadOptions, header: HeaderLines) {
    const { columns, sinks } = assembler;
    this.#assembler = assembler;
    this.#scanner = scanner;
    this.#options = options;
    this.#header = header;
    this.#isCsv = scanner instanceof CsvFields;
    this.#readers = columns.map((column, index) =>
      delimitedColumnReader(column.type, sinks[index]!, scanner, options),
    );
    this.#plans = columns.map((column) => columnPlan(column.type, options.text));
    this.#fields = columns.map((_, index) => index);
  }

  restart(): void {
    this.#isStarted = false;
    // A header of its own may name other columns.
    if (this.#header !== 'none') this.#fast = undefined;
  }

  beforeEnd(cursor: InputCursor): void {
    // Every row then ends with a newline, also the last one.
    if (cursor.pending > 0 && cursor.bytes[cursor.end - 1] !== 10) cursor.append(Buffer.from('\n'));
  }

  readRows(cursor: InputCursor, rowsMax: number): void {
    cursor.at = cursor.rowStart;
    if (!this.#isStarted && !this.#begin(cursor)) return;
    while (cursor.row < rowsMax) {
      if (this.#fast !== undefined) this.#readFast(cursor, rowsMax);
      if (cursor.row === rowsMax || !this.#toRow(cursor)) return;
      try {
        this.#readRow(cursor);
      } catch (thrown) {
        throw this.#withHeaderHint(thrown, cursor);
      }
      this.#learn();
      cursor.row++;
      cursor.rowStart = cursor.at;
    }
  }

  /** A field that cannot be read and holds the name of its column stands in a line of names. */
  #withHeaderHint(thrown: unknown, cursor: InputCursor): unknown {
    if (!(thrown instanceof SluiceError) || this.#header !== 'none' || cursor.column < 0) return thrown;
    const { bytes, start, end, delimiter } = this.#scanner;
    const field = (bytes as Buffer).latin1Slice(start, end);
    if (field !== this.#assembler.columns[cursor.column]!.name) return thrown;
    const format = delimiter === 9 ? 'TabSeparatedWithNames' : 'CSVWithNames';
    return thrown.within(`the line seems to hold the names of columns, which FORMAT ${format} reads`);
  }

  #readFast(cursor: InputCursor, rowsMax: number): void {
    const from = cursor.row;
    try {
      this.#fast!(cursor, this.#assembler, this.#readers, rowsMax);
    } finally {
      for (const column of this.#missing) this.#assembler.omitRange(column, from, cursor.row);
    }
  }

  /** Reads the byte order mark and the header; false while nothing is there. */
  #begin(cursor: InputCursor): boolean {
    if (cursor.pending === 0) return false;
    if (cursor.bytes[cursor.at] === 0xef) {
      if (cursor.at + 3 > cursor.end) cursor.needMore();
      if (cursor.bytes[cursor.at + 1] === 0xbb && cursor.bytes[cursor.at + 2] === 0xbf) cursor.at += 3;
    }
    if (this.#header !== 'none') {
      const names = this.#readHeader(cursor);
      const types = this.#header === 'types' ? this.#readHeader(cursor) : undefined;
      this.#fields = columnsByName(names, this.#assembler.columns, this.#options);
      if (types !== undefined) checkTypes(types, this.#fields, this.#assembler.columns);
      const present = new Set(this.#fields);
      this.#missing = this.#assembler.columns.flatMap((_, column) => (present.has(column) ? [] : [column]));
    }
    this.#isStarted = true;
    cursor.rowStart = cursor.at;
    return true;
  }

  #readHeader(cursor: InputCursor): string[] {
    const texts: string[] = [];
    for (;;) {
      this.#scanner.read(cursor, false);
      const { bytes, start, end } = this.#scanner;
      texts.push((bytes as Buffer).latin1Slice(start, end));
      if (cursor.bytes[cursor.at] !== this.#scanner.delimiter) break;
      cursor.at++;
    }
    expectLineEnd(cursor, 'the end of the header line');
    return texts;
  }

  /** Moves to the next row; false when there is none so far. Empty lines are no rows of several columns. */
  #toRow(cursor: InputCursor): boolean {
    cursor.at = cursor.rowStart;
    cursor.column = -1;
    while (this.#fields.length !== 1 && cursor.at < cursor.end && isLineEnd(cursor, cursor.at)) {
      cursor.at += cursor.bytes[cursor.at] === 13 ? 2 : 1;
      cursor.rowStart = cursor.at;
    }
    return cursor.at < cursor.end;
  }

  #readRow(cursor: InputCursor): void {
    const fields = this.#fields;
    for (let index = 0; index < fields.length; index++) {
      const column = fields[index]!;
      cursor.column = column;
      if (column < 0) this.#scanner.read(cursor, true);
      else if (!this.#readers[column]!(cursor, cursor.row)) this.#assembler.omit(column, cursor.row);
      if (index + 1 < fields.length) this.#expectDelimiter(cursor, index + 1);
    }
    cursor.column = -1;
    expectLineEnd(cursor, `the end of the row after its ${fields.length} values`);
    for (const column of this.#missing) this.#assembler.omit(column, cursor.row);
  }

  #expectDelimiter(cursor: InputCursor, values: number): void {
    const { bytes } = cursor;
    if (bytes[cursor.at] === this.#scanner.delimiter) {
      cursor.at++;
      return;
    }
    if (cursor.at < cursor.end && isLineEnd(cursor, cursor.at)) {
      cursor.column = -1;
      throw new SluiceError(
        'INCORRECT_DATA',
        `The row has ${values} value${values === 1 ? '' : 's'}, expected ${this.#fields.length}`,
      );
    }
    cursor.unexpected(cursor.at, 'a delimiter');
  }

  #learn(): void {
    const slow = ++this.#slowRows;
    if (this.#fast !== undefined || (slow !== 1 && slow !== slowRowsMax)) return;
    const plan: DelimitedPlan = {
      delimiter: this.#scanner.delimiter,
      isCsv: this.#isCsv,
      columns: this.#fields,
    };
    this.#fast = delimitedRows(plan, this.#plans, slow === slowRowsMax);
  }

  skipRow(cursor: InputCursor): boolean {
    const newline = cursor.bytes.subarray(0, cursor.end).indexOf(10, cursor.rowStart);
    if (newline < 0 && !cursor.final) return false;
    cursor.rowStart = newline < 0 ? cursor.end : newline + 1;
    return true;
  }
}

function delimitedReader(
  columns: readonly ReaderColumn[],
  settings: Settings,
  scanner: FieldScanner,
  header: HeaderLines,
): BlockReader {
  const options = readOptions(settings);
  const assembler = new BlockAssembler(columns, options.fillDefaults);
  const rows = new DelimitedRows(assembler, scanner, options, header);
  return new RowPump(new InputCursor(), rows, assembler, options.errorsAllowed);
}

/** The delimiter that the settings ask for; the setting for input wins when it was changed. */
function csvDelimiter(settings: Settings): number {
  const both = settings.format_csv_delimiter || ',';
  const text = settings.input_format_csv_delimiter === ',' ? both : settings.input_format_csv_delimiter;
  const byte = text.charCodeAt(0);
  if (text.length !== 1 || byte > 127 || '"\'\n\r\\\0'.includes(text)) {
    throw new SluiceError(
      'BAD_ARGUMENTS',
      `The delimiter of CSV cannot be '${text}': expected one character`,
    );
  }
  return byte;
}

export function csvReader(
  columns: readonly ReaderColumn[],
  settings: Settings,
  header: HeaderLines,
): BlockReader {
  return delimitedReader(columns, settings, new CsvFields(csvDelimiter(settings)), header);
}

export function tsvReader(
  columns: readonly ReaderColumn[],
  settings: Settings,
  header: HeaderLines,
  isRaw: boolean,
): BlockReader {
  return delimitedReader(columns, settings, new TsvFields(9, isRaw), header);
}
