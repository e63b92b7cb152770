import { SluiceError } from '../../base/index.ts';
import type { BlockAssembler } from './block-assembler.ts';
import type { InputCursor } from './input-cursor.ts';
import { type FastRows, fastRows, layoutPlan } from './json-fast.ts';
import { type JsonRowReader, RowLayout } from './json-row.ts';
import { charCodes, skipJsonSpace } from './json-scan.ts';
import type { RowSource } from './row-pump.ts';
import type { ColumnPlan } from './value-code.ts';

/** Rows in a row that must take the slow way before a parser for their layout is compiled. */
const slowRowsMax = 64;
/** Layouts one input may have compiled; inputs that keep changing stay on the slow way. */
const compilationsMax = 8;

/** Reads the lines before the data and gives the reader of rows that they ask for. */
export type HeaderReader = (cursor: InputCursor) => JsonRowReader;

/**
 * A sequence of JSON rows, with newlines, commas or nothing between them, or all in one array. The layout of a row is
 * taken for that of its successors: a parser compiled for it reads them as long as they agree with it.
 */
export class JsonRows implements RowSource {
  readonly mustBeUtf8 = true;
  readonly #assembler: BlockAssembler;
  #reader: JsonRowReader;
  readonly #readHeader: HeaderReader | undefined;
  readonly #plans: readonly ColumnPlan[];
  /** Whether `[` at the start opens an array of all rows. */
  readonly #mayBeWrapped: boolean;
  readonly #layout = new RowLayout();
  #state: 'start' | 'rows' | 'closed' = 'start';
  #isWrapped = false;
  #fast: FastRows | undefined;
  #missing: readonly number[] = [];
  #slowRows = 0;
  #compilations = 0;

  constructor(
    assembler: BlockAssembler,
    reader: JsonRowReader,
    plans: readonly ColumnPlan[],
    mayBeWrapped: boolean,
    readHeader?: HeaderReader,
  ) {
    this.#readHeader = readHeader;
    this.#assembler = assembler;
    this.#reader = reader;
    this.#plans = plans;
    this.#mayBeWrapped = mayBeWrapped;
  }

  readRows(cursor: InputCursor, rowsMax: number): void {
    if (this.#state === 'start') this.#begin(cursor);
    while (cursor.row < rowsMax) {
      if (this.#fast !== undefined && this.#state === 'rows') this.#readFast(cursor, rowsMax);
      if (cursor.row === rowsMax || !this.#toRow(cursor)) return;
      this.#reader.readRow(cursor, this.#layout);
      this.#learn(cursor);
      cursor.row++;
      cursor.rowStart = cursor.at;
    }
  }

  #readFast(cursor: InputCursor, rowsMax: number): void {
    const from = cursor.row;
    try {
      this.#fast!(cursor, this.#assembler, this.#reader.readers, rowsMax);
    } finally {
      if (cursor.row > from) {
        this.#slowRows = 0;
        for (const column of this.#missing) this.#assembler.omitRange(column, from, cursor.row);
      }
    }
  }

  #begin(cursor: InputCursor): void {
    cursor.at = cursor.rowStart;
    if (cursor.bytes[cursor.at] === 0xef) {
      if (cursor.at + 3 > cursor.end) cursor.needMore();
      cursor.at += 3;
      cursor.rowStart = cursor.at;
    }
    const first = skipJsonSpace(cursor);
    if (cursor.at >= cursor.end) return;
    if (first === charCodes.openBracket && this.#mayBeWrapped) {
      this.#isWrapped = true;
      cursor.at++;
    }
    if (this.#readHeader !== undefined) this.#reader = this.#readHeader(cursor);
    cursor.rowStart = cursor.at;
    this.#state = 'rows';
  }

  /** Moves to the first byte of the next row; false when there is none so far. */
  #toRow(cursor: InputCursor): boolean {
    if (this.#state === 'start') return false;
    cursor.at = cursor.rowStart;
    cursor.column = -1;
    let byte = skipJsonSpace(cursor);
    if (this.#state === 'rows' && byte === charCodes.comma) {
      cursor.at++;
      byte = skipJsonSpace(cursor);
    }
    if (cursor.at >= cursor.end) return false;
    const closes = byte === charCodes.closeBracket && this.#isWrapped && this.#state === 'rows';
    if (closes || byte === 59) {
      if (byte === 59 && this.#isWrapped && this.#state === 'rows') cursor.unexpected(cursor.at, "']'");
      this.#state = 'closed';
      cursor.at++;
      byte = skipJsonSpace(cursor);
      if (byte === 59 && closes) {
        cursor.at++;
        skipJsonSpace(cursor);
      }
      cursor.rowStart = cursor.at;
      if (cursor.at >= cursor.end) return false;
    }
    if (this.#state === 'closed') cursor.unexpected(cursor.at, 'the end of the input');
    cursor.rowStart = cursor.at;
    return true;
  }

  /** Counts a row that took the slow way, and makes a parser for its layout when many did. */
  #learn(cursor: InputCursor): void {
    const slow = ++this.#slowRows;
    const isFirst = slow === 1 && this.#fast === undefined;
    if (!isFirst && slow !== slowRowsMax) return;
    if (slow === slowRowsMax) {
      this.#slowRows = 0;
      if (++this.#compilations > compilationsMax) return;
    }
    const plan = layoutPlan(this.#layout, cursor.bytes, cursor.rowStart, cursor.at, this.#plans);
    const rows = plan && fastRows(plan, this.#plans, !isFirst);
    if (rows === undefined) return;
    this.#fast = rows;
    const present = new Set(plan!.columns);
    this.#missing = this.#assembler.columns.flatMap((_, column) => (present.has(column) ? [] : [column]));
  }

  skipRow(cursor: InputCursor): boolean {
    const newline = cursor.bytes.subarray(0, cursor.end).indexOf(10, cursor.rowStart);
    if (newline < 0 && !cursor.final) return false;
    cursor.rowStart = newline < 0 ? cursor.end : newline + 1;
    return true;
  }

  restart(): void {
    this.#state = 'start';
    this.#isWrapped = false;
  }

  end(cursor: InputCursor): void {
    if (this.#isWrapped && this.#state === 'rows') {
      throw new SluiceError('CANNOT_READ_ALL_DATA', "The input ends where ']' was expected");
    }
    cursor.column = -1;
  }
}
