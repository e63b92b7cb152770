import { SluiceError } from '../base/index.ts';
import { canonicalInteger } from './classify.ts';
import { cannotParse, excerpt } from './text-errors.ts';
import type { SqlType } from './type.ts';
import { typeName } from './type-name.ts';

type DecimalType = SqlType & { kind: 'decimal' };

const decimalPattern = /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d{1,4}))?$/;

/**
 * Reads decimals into their scaled integer: digits past the scale are cut off, as ClickHouse does; a value with more
 * digits than the precision is ARGUMENT_OUT_OF_BOUND.
 */
export function decimalParser(type: DecimalType): (text: string) => number | bigint {
  const { precision, scale } = type;
  const isBig = precision > 18;
  return (text) => {
    const match = decimalPattern.exec(text);
    if (match === null || (match[2] === '' && (match[3] ?? '') === '')) {
      throw cannotParse(type, text, 'a decimal number');
    }
    const fraction = match[3] ?? '';
    const digits = (match[2]! + fraction).replace(/^0+/, '');
    const shift = Number(match[4] ?? 0) - fraction.length + scale;
    const kept = shift < 0 ? digits.slice(0, Math.max(0, digits.length + shift)) : digits;
    const length = shift > 0 && kept !== '' ? kept.length + shift : kept.length;
    if (length > precision) {
      throw new SluiceError(
        'ARGUMENT_OUT_OF_BOUND',
        `The value ${excerpt(text)} does not fit ${typeName(type)}: it has more than ${precision} digits`,
      );
    }
    const scaled = shift > 0 && kept !== '' ? kept + '0'.repeat(shift) : kept;
    if (!isBig && scaled.length <= 15) {
      const value = Number(scaled);
      return match[1] === '-' && value !== 0 ? -value : value;
    }
    const value = match[1] === '-' ? -BigInt(scaled) : BigInt(scaled);
    return isBig ? value : canonicalInteger(value);
  };
}

/** Writes scaled integers as decimals without trailing zeros: `1.5`, `-0.07`, `12`. */
export function decimalFormatter(scale: number): (value: number | bigint) => string {
  if (scale === 0) return String;
  return (value) => {
    const negative = value < 0;
    const digits = String(negative ? -value : value).padStart(scale + 1, '0');
    const split = digits.length - scale;
    let end = digits.length;
    while (end > split && digits.charCodeAt(end - 1) === 48) end--;
    const whole = digits.slice(0, split);
    const text = end === split ? whole : `${whole}.${digits.slice(split, end)}`;
    return negative ? `-${text}` : text;
  };
}
