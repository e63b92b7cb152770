import type { ParserRuleContext } from 'antlr4ng';
import { Scanner } from '../scanner.ts';
import { textOf } from './common.ts';

/** The source text of a type or codec with normalised white space and without comments. */
export function normalTypeText(ctx: ParserRuleContext): string {
  return normalSpaces(textOf(ctx));
}

const spaceAfter: ReadonlySet<string> = new Set([',', '=', '==']);
const spaceBefore: ReadonlySet<string> = new Set(['=', '==']);

/** `Decimal( 10 ,2)` becomes `Decimal(10, 2)`; words stay apart, and everything else is joined. */
export function normalSpaces(text: string): string {
  if (/^\w+$/.test(text)) return text;
  const scanner = new Scanner(text, 0, text.length);
  let result = '';
  let before = '';
  let wordBefore = false;
  while (scanner.next() !== 'end') {
    const token = text.slice(scanner.start, scanner.end);
    const word = scanner.kind !== 'symbol';
    const apart = before !== '' && ((word && wordBefore) || spaceAfter.has(before) || spaceBefore.has(token));
    result += apart ? ` ${token}` : token;
    before = token;
    wordBefore = word || token === ')';
  }
  return result;
}
