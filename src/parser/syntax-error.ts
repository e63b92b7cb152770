import { SluiceError } from '../base/index.ts';

/** How much of an offending piece of text a message shows. */
const shownCharactersMax = 40;

/** `line 2, column 5`; both count from 1, columns in UTF-16 units. */
export function describePosition(sql: string, offset: number): string {
  let line = 1;
  let lineStart = 0;
  for (let at = sql.indexOf('\n'); at >= 0 && at < offset; at = sql.indexOf('\n', at + 1)) {
    line++;
    lineStart = at + 1;
  }
  return `line ${line}, column ${offset - lineStart + 1}`;
}

function shorten(text: string): string {
  const flat = text.replace(/\s+/g, ' ');
  return flat.length > shownCharactersMax ? `${flat.slice(0, shownCharactersMax)}...` : flat;
}

/** A SYNTAX_ERROR at an offset: where, what stood there, and what is wrong or was expected. */
export function syntaxError(sql: string, offset: number, found: string, detail: string): SluiceError {
  const what = found === '' ? 'end of query' : `'${shorten(found)}'`;
  return new SluiceError(
    'SYNTAX_ERROR',
    `Syntax error: failed at ${describePosition(sql, offset)} (${what}): ${detail}`,
  );
}
