import { canonicalInteger, integerRange } from './classify.ts';
import { cannotParse, outOfRange } from './text-errors.ts';
import type { SqlType } from './type.ts';

type IntegerType = SqlType & { kind: 'int' | 'interval' };
type FloatType = SqlType & { kind: 'float' };

/** Digits that always make an exact JS number. */
const safeDigits = 15;

/** The value of a short run of digits with an optional sign; NaN when the text is anything else. */
function shortInteger(text: string): number {
  const length = text.length;
  const first = text.charCodeAt(0);
  let at = first === 45 || first === 43 ? 1 : 0;
  if (at === length || length - at > safeDigits) return Number.NaN;
  let value = 0;
  for (; at < length; at++) {
    const digit = text.charCodeAt(at) - 48;
    if (digit < 0 || digit > 9) return Number.NaN;
    value = value * 10 + digit;
  }
  return first === 45 && value !== 0 ? -value : value;
}

const integerPattern = /^[+-]?\d+$/;

/** Reads whole numbers, range checked, in the canonical form of the type. */
export function integerParser(type: IntegerType): (text: string) => number | bigint {
  const [least, most] = integerRange(type)!;
  const small = type.kind === 'int' && type.bits <= 32;
  const bigOnly = type.kind === 'int' && type.bits > 64;
  const leastNumber = Number(least);
  const mostNumber = Number(most);
  return (text) => {
    if (!bigOnly) {
      const value = shortInteger(text);
      if (value >= leastNumber && value <= mostNumber) return value;
    }
    if (!integerPattern.test(text)) throw cannotParse(type, text, 'a whole number');
    // Longer texts than any value has are refused before BigInt spends time on them.
    const value = text.length > 4_096 ? most + 1n : BigInt(text.startsWith('+') ? text.slice(1) : text);
    if (value < least || value > most) throw outOfRange(type, text, `${least} to ${most}`);
    if (bigOnly) return value;
    return small ? Number(value) : canonicalInteger(value);
  };
}

const floatPattern = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;

const namedFloats = new Map<string, number>([
  ['nan', Number.NaN],
  ['inf', Number.POSITIVE_INFINITY],
  ['infinity', Number.POSITIVE_INFINITY],
]);

function namedFloat(text: string): number | undefined {
  const sign = text.startsWith('-') ? -1 : 1;
  const value = namedFloats.get(
    (text.startsWith('-') || text.startsWith('+') ? text.slice(1) : text).toLowerCase(),
  );
  return value === undefined ? undefined : value * sign;
}

/** Reads floats: decimal and exponent notation, nan and inf; a float32 is rounded to the nearest one. */
export function floatParser(type: FloatType): (text: string) => number {
  return (text) => {
    const value = floatPattern.test(text) ? Number(text) : namedFloat(text);
    if (value === undefined) throw cannotParse(type, text, 'a number');
    return type.bits === 32 ? Math.fround(value) : value;
  };
}

export function formatInteger(value: unknown): string {
  return String(value);
}

function plainFloat(value: number): string {
  if (Object.is(value, -0)) return '-0';
  if (Number.isFinite(value)) {
    const text = String(value);
    return text.includes('e+') ? text.replace('e+', 'e') : text;
  }
  return Number.isNaN(value) ? 'nan' : value > 0 ? 'inf' : '-inf';
}

/** The shortest text that reads back as the same float64: `0.1`, `1e21`, `nan`, `inf`, `-inf`, `-0`. */
export function formatFloat64(value: number): string {
  return plainFloat(value);
}

/** The shortest text that reads back as the same float32. */
export function formatFloat32(value: number): string {
  if (!Number.isFinite(value) || (Number.isInteger(value) && Math.abs(value) < 1e6)) return plainFloat(value);
  // Six digits always survive a float32, and nine always tell it from its neighbours.
  for (let digits = 6; digits < 9; digits++) {
    const rounded = Number(value.toPrecision(digits));
    if (Math.fround(rounded) === value) return plainFloat(rounded);
  }
  return plainFloat(Number(value.toPrecision(9)));
}
