/** Powers of ten that a double holds exactly. */
export const exactPowers = Float64Array.from({ length: 23 }, (_, exponent) => Number(`1e${exponent}`));

const maxExactMantissa = 2 ** 53;

/**
 * The number written in bytes [start, end) when it has the plain form `-123.45e6` and so few digits that one division
 * or multiplication gives the nearest double; NaN otherwise, and then the slow, always right way is to be taken.
 */
export function exactNumber(bytes: Uint8Array, start: number, end: number): number {
  let at = start;
  const negative = bytes[at] === 45;
  if (negative) at++;
  let mantissa = 0;
  let exponent = 0;
  let digits = 0;
  for (; at < end; at++, digits++) {
    const digit = bytes[at]! - 48;
    if (digit < 0 || digit > 9) break;
    mantissa = mantissa * 10 + digit;
  }
  if (at < end && bytes[at] === 46) {
    const from = ++at;
    for (; at < end; at++, digits++) {
      const digit = bytes[at]! - 48;
      if (digit < 0 || digit > 9) break;
      mantissa = mantissa * 10 + digit;
    }
    exponent = from - at;
  }
  if (digits === 0 || digits > 19 || mantissa >= maxExactMantissa) return Number.NaN;
  if (at < end) {
    if ((bytes[at]! | 32) !== 101) return Number.NaN;
    const minus = bytes[++at] === 45;
    if (minus || bytes[at] === 43) at++;
    if (at === end || end - at > 3) return Number.NaN;
    let power = 0;
    for (; at < end; at++) {
      const digit = bytes[at]! - 48;
      if (digit < 0 || digit > 9) return Number.NaN;
      power = power * 10 + digit;
    }
    exponent += minus ? -power : power;
  }
  if (exponent < -22 || exponent > 22) return Number.NaN;
  const value = exponent < 0 ? mantissa / exactPowers[-exponent]! : mantissa * exactPowers[exponent]!;
  return negative ? -value : value;
}

/** The whole number written in bytes [start, end), of at most 15 digits; NaN for anything else. */
export function exactInteger(bytes: Uint8Array, start: number, end: number): number {
  let at = start;
  const negative = bytes[at] === 45;
  if (negative) at++;
  if (at === end || end - at > 15) return Number.NaN;
  let value = 0;
  for (; at < end; at++) {
    const digit = bytes[at]! - 48;
    if (digit < 0 || digit > 9) return Number.NaN;
    value = value * 10 + digit;
  }
  return negative && value !== 0 ? -value : value;
}
