import { type Settings, SluiceError } from '../../base/index.ts';
import {
  acceptMark,
  bareType,
  excerpt,
  failAt,
  isNullable,
  type LiteralReader,
  literalReader,
  type SqlType,
  skipSpace,
  type TextCursor,
} from '../../types/index.ts';
import type { BlockReader, ReaderColumn, ReaderOptions } from '../block-reader.ts';
import { BlockAssembler } from './block-assembler.ts';
import { InputCursor } from './input-cursor.ts';
import { nullRefused, type ReadOptions, readOptions } from './read-options.ts';
import { RowPump, type RowSource } from './row-pump.ts';

const numberPattern = /[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?\s*(?=[,)])/y;
const wordPattern = /([A-Za-z_]+)\s*(?=[,)])/y;

const byteOrderMark = '\xef\xbb\xbf';

/** An escape or word cut by the end of the input fails up to so many bytes before it. */
const cutBytes = 8;

/** Moves past an expression: to the comma or parenthesis that ends it. */
function skipExpression(cursor: TextCursor): void {
  const { text } = cursor;
  let depth = 0;
  for (; cursor.at < text.length; cursor.at++) {
    const char = text[cursor.at]!;
    if (char === '(' || char === '[' || char === '{') {
      depth++;
    } else if (char === ')' || char === ']' || char === '}' || char === ',') {
      if (depth === 0) return;
      if (char !== ',') depth--;
    } else if (char === "'" || char === '"' || char === '`') {
      let at = cursor.at + 1;
      while (at < text.length && text[at] !== char) at += text[at] === '\\' ? 2 : 1;
      cursor.at = at;
      if (at >= text.length)
        failAt(
          cursor,
          `a ${char} to close the string: inside of one it is written twice (${char}${char}) or as \\${char}`,
        );
    }
  }
  cursor.at = text.length;
  failAt(cursor, "',' or ')'");
}

/** Moves past blanks and remarks between rows; one that has no end yet needs more input. */
function skipBetween(text: TextCursor, cursor: InputCursor): void {
  for (;;) {
    skipSpace(text);
    const opens = text.text.slice(text.at, text.at + 2);
    if (opens !== '--' && opens !== '/*') return;
    const close = opens === '--' ? '\n' : '*/';
    const end = text.text.indexOf(close, text.at + 2);
    if (end < 0 && !cursor.final) cursor.needMore();
    if (end < 0 && opens === '/*') failAt(text, 'the remark that begins here to be closed with */');
    text.at = end < 0 ? text.text.length : end + close.length;
  }
}

type Value = { readonly value: unknown } | 'default' | 'expression';

/** Reads the literal at the cursor; `expression` when something else stands there, and then the cursor may be anywhere. */
function readLiteral(cursor: TextCursor, type: SqlType, read: LiteralReader): Value {
  const { text } = cursor;
  const first = text[cursor.at];
  if (first === "'" || first === '[' || first === '(' || first === '{') {
    const value = read(cursor);
    skipSpace(cursor);
    const next = text[cursor.at];
    if (next === undefined) failAt(cursor, "',' or ')'");
    return next === ',' || next === ')' ? { value } : 'expression';
  }
  numberPattern.lastIndex = cursor.at;
  if (numberPattern.test(text)) return { value: read(cursor) };
  wordPattern.lastIndex = cursor.at;
  const word = wordPattern.exec(text)?.[1]?.toLowerCase();
  if (word === 'default') {
    cursor.at += word.length;
    return 'default';
  }
  const { kind } = bareType(type);
  const isNumber = kind === 'int' || kind === 'float' || kind === 'decimal';
  if (word === 'null' || (kind === 'bool' && (word === 'true' || word === 'false')))
    return { value: read(cursor) };
  if (isNumber && (word === 'true' || word === 'false')) {
    cursor.at += word.length;
    return {
      value:
        kind === 'int' && type.kind === 'int' && type.bits > 64
          ? BigInt(word === 'true')
          : Number(word === 'true'),
    };
  }
  if (kind === 'float' && (word === 'nan' || word === 'inf')) return { value: read(cursor) };
  return 'expression';
}

/** Rows of the Values format: literals in parentheses, and expressions where a function to compute them is given. */
class ValuesRows implements RowSource {
  readonly mustBeUtf8 = false;
  readonly #assembler: BlockAssembler;
  readonly #options: ReadOptions;
  readonly #evaluate: ReaderOptions['evaluateExpression'];
  readonly #literals: readonly LiteralReader[];
  /** Whether a row was read, before which a byte order mark may stand. */
  #isBegun = false;
  #isClosed = false;

  constructor(
    assembler: BlockAssembler,
    options: ReadOptions,
    evaluate: ReaderOptions['evaluateExpression'],
  ) {
    this.#assembler = assembler;
    this.#options = options;
    this.#evaluate = evaluate;
    this.#literals = assembler.columns.map((column) =>
      literalReader(nullableForm(column.type), options.text),
    );
  }

  readRows(cursor: InputCursor, rowsMax: number): void {
    const base = cursor.rowStart;
    const text: TextCursor = { text: cursor.slice(base, cursor.end), at: 0 };
    while (cursor.row < rowsMax) {
      try {
        if (!this.#toRow(text, cursor)) return;
        this.#readRow(text, cursor);
      } catch (thrown) {
        // A value that the end of the input cuts fails near it; the row is then read again when more has come.
        if (thrown instanceof SluiceError && !cursor.final && text.at + cutBytes >= text.text.length)
          cursor.needMore();
        throw thrown;
      }
      this.#isBegun = true;
      cursor.row++;
      cursor.rowStart = base + text.at;
    }
  }

  /** Moves to the next opening parenthesis; false when there is no row so far. */
  #toRow(text: TextCursor, cursor: InputCursor): boolean {
    if (!this.#isBegun && text.text.startsWith(byteOrderMark)) text.at = byteOrderMark.length;
    skipBetween(text, cursor);
    if (!this.#isClosed && acceptMark(text, ',')) skipBetween(text, cursor);
    if (acceptMark(text, ';')) {
      this.#isClosed = true;
      skipBetween(text, cursor);
    }
    if (text.at >= text.text.length) return false;
    if (this.#isClosed) failAt(text, 'the end of the input: one statement is run at a time');
    const first = text.text[text.at];
    if (first === '{' || first === '[')
      failAt(text, "'(' of a row, or FORMAT JSONEachRow before rows of JSON");
    if (first !== '(') failAt(text, "'(' of a row");
    return true;
  }

  #readRow(text: TextCursor, cursor: InputCursor): void {
    text.at++;
    const { columns } = this.#assembler;
    for (let column = 0; column < columns.length; column++) {
      if (column > 0 && !acceptMark(text, ',')) this.#wrongCount(text, cursor, column);
      cursor.column = column;
      this.#readValue(text, column, cursor.row);
    }
    cursor.column = -1;
    if (!acceptMark(text, ')')) this.#wrongCount(text, cursor, columns.length);
  }

  #wrongCount(text: TextCursor, cursor: InputCursor, values: number): never {
    cursor.column = -1;
    const { columns } = this.#assembler;
    const { length } = columns;
    const next = text.text[text.at];
    if (next === ')') {
      const missing = columns.slice(values, values + 5).map((column) => column.name);
      throw new SluiceError(
        'INCORRECT_DATA',
        `The row has ${values} value${values === 1 ? '' : 's'}, expected ${length}: nothing is given for ${missing.join(', ')}${length - values > 5 ? ', ...' : ''}`,
      );
    }
    if (next === ',') throw new SluiceError('INCORRECT_DATA', `The row has more than ${length} values`);
    failAt(text, values === length ? "')'" : "','");
  }

  #readValue(text: TextCursor, column: number, row: number): void {
    skipSpace(text);
    const start = text.at;
    const { type } = this.#assembler.columns[column]!;
    let read: Value = 'expression';
    let failure: unknown;
    try {
      read = readLiteral(text, type, this.#literals[column]!);
    } catch (thrown) {
      if (!(thrown instanceof SluiceError)) throw thrown;
      failure = thrown;
    }
    if (read === 'default') {
      this.#assembler.omit(column, row);
      return;
    }
    if (read !== 'expression') {
      this.#put(column, row, read.value);
      return;
    }
    this.#put(column, row, this.#evaluateAt(text, start, column, failure));
  }

  /** The value of the expression at `start`; a literal that failed keeps its own, better error. */
  #evaluateAt(text: TextCursor, start: number, column: number, failure: unknown): unknown {
    const failedAt = text.at;
    text.at = start;
    skipExpression(text);
    const expression = text.text.slice(start, text.at).trimEnd();
    const isLiteral = /^(?:'(?:[^'\\]|\\.|'')*'|[+-]?[\d.]+)$/s.test(expression);
    if (failure !== undefined && (isLiteral || this.#evaluate === undefined)) {
      text.at = failedAt;
      throw failure;
    }
    if (this.#evaluate === undefined) {
      text.at = start;
      failAt(text, 'a literal');
    }
    if (/^"(?:[^"\\]|\\.|"")*"$/s.test(expression))
      throw new SluiceError(
        'UNKNOWN_IDENTIFIER',
        `${excerpt(expression)} names a column: a string stands in single quotes, '${excerpt(expression.slice(1, -1))}'`,
      );
    return this.#evaluate(expression, this.#assembler.columns[column]!);
  }

  #put(column: number, row: number, value: unknown): void {
    const { type } = this.#assembler.columns[column]!;
    if (value === null && !isNullable(type)) {
      if (!this.#options.nullAsDefault) throw nullRefused(type);
      this.#assembler.omit(column, row);
      return;
    }
    this.#assembler.sinks[column]!.put(row, value);
  }

  skipRow(): boolean {
    return false;
  }

  end(cursor: InputCursor): void {
    cursor.column = -1;
  }
}

/** The type that also reads NULL, so that the reader itself can say what a NULL means. */
function nullableForm(type: SqlType): SqlType {
  const bare = bareType(type);
  return bare.kind === 'array' || bare.kind === 'tuple' || bare.kind === 'map'
    ? bare
    : { kind: 'nullable', inner: bare };
}

/** Values: rows as in the VALUES clause of an INSERT, with or without commas between them. */
export function valuesReader(
  columns: readonly ReaderColumn[],
  settings: Settings,
  options: ReaderOptions,
): BlockReader {
  const parsed = readOptions(settings);
  const assembler = new BlockAssembler(columns, parsed.fillDefaults);
  const rows = new ValuesRows(assembler, parsed, options.evaluateExpression);
  return new RowPump(new InputCursor(), rows, assembler, 0);
}
