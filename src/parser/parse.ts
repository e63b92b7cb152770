import type { ParserRuleContext } from 'antlr4ng';
import type { Expr, InsertStatement, Query, SettingAssignment, Statement } from '../ast/index.ts';
import { limits, SluiceError } from '../base/index.ts';
import { aliasedExpression } from './build/expressions.ts';
import { query, settingsOf } from './build/queries.ts';
import { foreignStatement, statement } from './build/statements.ts';
import { findInlineData, splitStatements, startsInsert, type TextRange } from './insert-data.ts';
import { type Entry, recognize } from './recognize.ts';
import { syntaxError } from './syntax-error.ts';

export interface ParseOptions {
  /** The longest SQL text in UTF-8 bytes, not counting the inline data of an INSERT. */
  readonly maxBytes?: number;
  /** How deep brackets, CASE, unary operators and the like may nest. */
  readonly maxDepth?: number;
}

function read<C extends ParserRuleContext, T>(
  sql: string,
  range: TextRange,
  options: ParseOptions,
  entry: Entry<C>,
  build: (context: C) => T,
): T {
  checkText(sql, range, options.maxBytes ?? limits.query_text_bytes_max);
  return recognize(sql, range.start, range.end, options.maxDepth ?? limits.nesting_depth_max, entry, build);
}

/** Refuses text that is too long and text that is not Unicode. */
function checkText(sql: string, { start, end }: TextRange, bytesMax: number): void {
  const text = start === 0 && end === sql.length ? sql : sql.slice(start, end);
  // A UTF-16 unit takes at most three bytes in UTF-8, so that short texts need no counting.
  if (text.length * 3 > bytesMax) {
    const bytes = Buffer.byteLength(text);
    if (bytes > bytesMax) {
      throw new SluiceError(
        'SYNTAX_ERROR',
        `Syntax error: the query has ${bytes} bytes, at most ${bytesMax} are allowed (max_query_size)`,
      );
    }
  }
  if (!text.isWellFormed()) {
    const at = text.search(/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/);
    throw syntaxError(
      sql,
      start + at,
      'U+' + text.charCodeAt(at).toString(16).toUpperCase(),
      'half of a surrogate pair is no character',
    );
  }
  const nul = text.indexOf('\0');
  if (nul >= 0)
    throw syntaxError(
      sql,
      start + nul,
      'U+0000',
      "the character NUL is not allowed in SQL, write '\\0' in a string",
    );
}

/** Parses one statement, with any number of semicolons around it. Errors: SYNTAX_ERROR, TOO_DEEP_AST. */
export function parseStatement(sql: string, options: ParseOptions = {}): Statement {
  return parseRange(sql, { start: 0, end: sql.length }, options);
}

/** Parses statements that are separated by semicolons; an INSERT with inline data takes the rest of the text. */
export function parseStatements(sql: string, options: ParseOptions = {}): Statement[] {
  return splitStatements(sql).map((range) => parseRange(sql, range, options));
}

/** `data.offset` of an INSERT refers to `sql`, whatever the range is. */
function parseRange(sql: string, range: TextRange, options: ParseOptions): Statement {
  const data = findInlineData(sql, range);
  const head = data === null ? range : { start: range.start, end: data.headEnd };
  const parsed = read(
    sql,
    head,
    options,
    (parser) => parser.singleStatement(),
    (context) => {
      const native = context.statement();
      if (native !== null) return statement(native);
      const foreign = context.foreignStatement();
      if (foreign !== null) return foreignStatement(foreign);
      throw new SluiceError('SYNTAX_ERROR', 'Syntax error: the query is empty');
    },
  );
  if (data === null || parsed.kind !== 'insert') return parsed;
  return { ...parsed, data: { format: parsed.format ?? 'Values', offset: data.offset } };
}

/** What is known of an INSERT before its data is read; `offset` is where the data begins, or the end of the text. */
export interface InsertHead {
  readonly statement: InsertStatement;
  readonly offset: number;
}

/** Parses the head of an INSERT; null when the text is another statement. The data is neither read nor checked. */
export function parseInsertHead(sql: string, options: ParseOptions = {}): InsertHead | null {
  if (!startsInsert(sql)) return null;
  const parsed = parseStatement(sql, options);
  if (parsed.kind !== 'insert') return null;
  return { statement: parsed, offset: parsed.data?.offset ?? sql.length };
}

/** Parses a query without an output clause. */
export function parseQuery(sql: string, options: ParseOptions = {}): Query {
  const range = { start: 0, end: sql.length };
  return read(
    sql,
    range,
    options,
    (parser) => parser.singleQuery(),
    (context) => query(context.query()),
  );
}

/** Parses one expression, which `start` and `end` may cut out of a longer text. */
export function parseExpression(sql: string, options: ParseOptions & Partial<TextRange> = {}): Expr {
  const range = { start: options.start ?? 0, end: options.end ?? sql.length };
  return read(
    sql,
    range,
    options,
    (parser) => parser.singleExpression(),
    (context) => aliasedExpression(context.aliasedExpr()),
  );
}

/** Parses what may follow the last row of VALUES: `[SETTINGS name = value, ...]` and semicolons. */
export function parseInsertTail(sql: string, start: number, options: ParseOptions = {}): SettingAssignment[] {
  const range = { start, end: sql.length };
  return read(
    sql,
    range,
    options,
    (parser) => parser.insertTail(),
    (context) => settingsOf(context.settingsClause()),
  );
}
