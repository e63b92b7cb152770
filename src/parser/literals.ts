import type { FloatLiteral, IntegerLiteral, Span } from '../ast/index.ts';
import type { IntervalUnit } from '../types/index.ts';

const simpleEscapes: ReadonlyMap<string, string> = new Map([
  ['a', '\x07'],
  ['b', '\b'],
  ['e', '\x1b'],
  ['f', '\f'],
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
  ['v', '\v'],
  ['0', '\0'],
  ['N', ''],
  ['\\', '\\'],
  ["'", "'"],
  ['"', '"'],
  ['`', '`'],
  ['/', '/'],
  ['=', '='],
]);

/**
 * The value of a quoted string or name. `\xHH` gives bytes, which are read as UTF-8; an escape that means nothing keeps
 * its backslash, so that patterns of LIKE and regular expressions need no doubled ones.
 */
export function unquote(text: string): string {
  const quote = text[0]!;
  const inner = text.slice(1, -1);
  if (!inner.includes('\\')) return inner.includes(quote) ? inner.replaceAll(quote + quote, quote) : inner;
  const pattern =
    quote === "'" ? escapePattern : quote === '"' ? doubleQuotedEscapePattern : backquotedEscapePattern;
  return inner.replace(pattern, (found) => {
    if (found[0] !== '\\') return quote;
    if (found[1] === 'x' && found.length > 2)
      return Buffer.from(found.replaceAll('\\x', ''), 'hex').toString('utf8');
    return simpleEscapes.get(found.slice(1)) ?? found;
  });
}

const escapePattern = /(?:\\x[0-9a-f]{2})+|\\[\s\S]|''/gi;
const doubleQuotedEscapePattern = /(?:\\x[0-9a-f]{2})+|\\[\s\S]|""/gi;
const backquotedEscapePattern = /(?:\\x[0-9a-f]{2})+|\\[\s\S]|``/gi;

export function integerLiteral(text: string, pos: Span): IntegerLiteral {
  const digits = text.includes('_') ? text.replaceAll('_', '') : text;
  return { kind: 'literal', type: 'integer', value: BigInt(digits), text: digits, pos };
}

export function floatLiteral(text: string, pos: Span): FloatLiteral {
  const digits = text.includes('_') ? text.replaceAll('_', '') : text;
  const word = digits.toLowerCase();
  const value = word === 'inf' ? Number.POSITIVE_INFINITY : word === 'nan' ? Number.NaN : Number(digits);
  return { kind: 'literal', type: 'float', value, text: word, pos };
}

/** The same number with the opposite sign. */
export function negateNumber<T extends IntegerLiteral | FloatLiteral>(literal: T, pos: Span): T {
  const text = literal.text.startsWith('-') ? literal.text.slice(1) : `-${literal.text}`;
  return { ...literal, value: -literal.value, text, pos };
}

const unitNames: ReadonlyMap<string, IntervalUnit> = new Map(
  (
    [
      ['nanosecond', 'ns'],
      ['microsecond', 'us'],
      ['millisecond', 'ms'],
      ['second', 's'],
      ['minute', 'mi'],
      ['hour', 'h'],
      ['day', 'd'],
      ['week', 'w'],
      ['month', 'mo'],
      ['quarter', 'q'],
      ['year', 'y'],
    ] as const
  ).flatMap(([unit, short]): [string, IntervalUnit][] => [
    [unit, unit],
    [`${unit}s`, unit],
    [short, unit],
    [`sql_tsi_${unit}`, unit],
  ]),
);

/** The words that name a unit of time, for suggestions. */
export const unitWords: readonly string[] = [...unitNames.keys()].filter((word) => !word.startsWith('sql_'));

/** The unit of time that a word names; alone among them `m` (minute) and `M` (month) differ by case. */
export function intervalUnit(word: string): IntervalUnit | undefined {
  if (word === 'm') return 'minute';
  if (word === 'M') return 'month';
  return unitNames.get(word.toLowerCase());
}
