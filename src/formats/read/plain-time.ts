import { daysFromCivil, type TimeZone } from '../../types/index.ts';
import type { InputCursor } from './input-cursor.ts';
import { exactPowers } from './number-scan.ts';

/** The year that `monthStarts` is about: rows near each other mostly fall into one. */
let knownYear = -1;
/** Day number of the day before the first of each month, counted from 1, and of the next January. */
const monthStarts = new Int32Array(14);

function learnYear(year: number): void {
  for (let month = 1; month <= 12; month++) monthStarts[month] = daysFromCivil(year, month, 0);
  monthStarts[13] = daysFromCivil(year + 1, 1, 0);
  knownYear = year;
}

/** Two digits at a position; 10,000 when they are none. */
function pair(bytes: Uint8Array, at: number): number {
  const tens = (bytes[at]! - 48) >>> 0;
  const ones = (bytes[at + 1]! - 48) >>> 0;
  return tens <= 9 && ones <= 9 ? tens * 10 + ones : 10_000;
}

/** Days of `YYYY-MM-DD` at a position; NaN when it does not stand there. */
export function plainDate(bytes: Uint8Array, at: number): number {
  if (bytes[at + 4] !== 45 || bytes[at + 7] !== 45) return Number.NaN;
  const year = pair(bytes, at) * 100 + pair(bytes, at + 2);
  const month = pair(bytes, at + 5);
  const day = pair(bytes, at + 8);
  if (year > 9_999 || month < 1 || month > 12) return Number.NaN;
  if (year !== knownYear) learnYear(year);
  const days = monthStarts[month]! + day;
  return day >= 1 && days <= monthStarts[month + 1]! ? days : Number.NaN;
}

/**
 * Ticks of `YYYY-MM-DD hh:mm:ss[.fraction][Z]` at the cursor, which then stands behind it; NaN, with the cursor where it
 * was, when something else stands there. Only for up to 6 digits of fraction, so that the ticks are exact.
 */
export function plainTicks(cursor: InputCursor, at: number, precision: number, zone: TimeZone): number {
  const { bytes } = cursor;
  const days = plainDate(bytes, at);
  const separator = bytes[at + 10];
  if ((separator !== 32 && separator !== 84) || bytes[at + 13] !== 58 || bytes[at + 16] !== 58)
    return Number.NaN;
  const hour = pair(bytes, at + 11);
  const minute = pair(bytes, at + 14);
  const second = pair(bytes, at + 17);
  if (!(hour <= 23 && minute <= 59 && second <= 59)) return Number.NaN;
  let end = at + 19;
  let fraction = 0;
  if (bytes[end] === 46) {
    const from = ++end;
    let digit = (bytes[end]! - 48) >>> 0;
    while (digit <= 9) {
      if (end - from < precision) fraction = fraction * 10 + digit;
      digit = (bytes[++end]! - 48) >>> 0;
    }
    if (end === from) return Number.NaN;
    if (end - from < precision) fraction *= exactPowers[precision - (end - from)]!;
  }
  const wall = days * 86_400 + hour * 3_600 + minute * 60 + second;
  const isUtc = bytes[end] === 90;
  if (isUtc) end++;
  const ticks = (isUtc ? wall : zone.toUtc(wall)) * exactPowers[precision]! + fraction;
  if (!Number.isSafeInteger(ticks)) return Number.NaN;
  cursor.at = end;
  return ticks;
}
