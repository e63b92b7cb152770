import { findInlineData } from './insert-data.ts';
import { unquote } from './literals.ts';
import { Scanner } from './scanner.ts';

/** A literal that was taken out of a text. `value` of a string is unescaped; `start` and `end` are UTF-16 offsets. */
export interface ShapeLiteral {
  readonly kind: 'integer' | 'float' | 'string';
  readonly text: string;
  readonly value: bigint | number | string;
  readonly start: number;
  readonly end: number;
}

export interface TokenShape {
  /** The tokens, one space between them, each literal as `?`. */
  readonly shape: string;
  readonly literals: readonly ShapeLiteral[];
}

/**
 * The token stream of a text with its literals taken out, so that texts which differ only in literals, white space and
 * comments share one shape. Keywords keep their case. The data of an INSERT is not part of it. It costs no parse; texts
 * that are no SQL have a shape as well, unless a quotation or comment is not closed (SYNTAX_ERROR).
 */
export function tokenShape(sql: string): TokenShape {
  const data = findInlineData(sql, { start: 0, end: sql.length });
  const scanner = new Scanner(sql, 0, data === null ? sql.length : data.headEnd);
  const literals: ShapeLiteral[] = [];
  let shape = '';
  let valueEnd = -1;
  for (let kind = scanner.next(); kind !== 'end'; kind = scanner.next()) {
    const { start, end } = scanner;
    const text = sql.slice(start, end);
    // `.1` right behind a value is an element of a tuple, which decides the type of the query.
    const isElement = kind === 'float' && text[0] === '.' && valueEnd === start;
    const coded = kind === 'string' && text[0] !== "'";
    if ((kind === 'integer' || kind === 'float' || kind === 'string') && !isElement && !coded) {
      literals.push({ kind, text, value: literalValue(kind, text), start, end });
      shape += '? ';
    } else {
      shape += `${text} `;
    }
    const endsValue = kind === 'word' || kind === 'quoted_name' || isElement || /^[)\]}]$/.test(text);
    if (endsValue) valueEnd = end;
  }
  return { shape, literals };
}

function literalValue(kind: ShapeLiteral['kind'], text: string): bigint | number | string {
  if (kind === 'string') return unquote(text);
  const digits = text.includes('_') ? text.replaceAll('_', '') : text;
  return kind === 'integer' ? BigInt(digits) : Number(digits);
}
