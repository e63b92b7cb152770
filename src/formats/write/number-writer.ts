import { formatFloat32, formatFloat64, yearMonthDay } from '../../types/index.ts';

/** Bytes that any number, date or time takes at most. */
export const numberBytesMax = 40;

/** The two digits of 0 to 99, one after the other. */
const digitPairs = new Uint8Array(200);
for (let value = 0; value < 100; value++) {
  digitPairs[value * 2] = 48 + Math.floor(value / 10);
  digitPairs[value * 2 + 1] = 48 + (value % 10);
}

/** Digits of a whole number from 0 to 2^32 - 1. */
function digitCount(value: number): number {
  if (value < 10_000) return value < 100 ? (value < 10 ? 1 : 2) : value < 1_000 ? 3 : 4;
  if (value < 100_000_000) {
    return value < 1_000_000 ? (value < 100_000 ? 5 : 6) : value < 10_000_000 ? 7 : 8;
  }
  return value < 1_000_000_000 ? 9 : 10;
}

/** Writes a whole number from 0 to 2^32 - 1 with exactly `count` digits, and gives the place behind it. */
function writeDigits(bytes: Uint8Array, at: number, value: number, count: number): number {
  let rest = value >>> 0;
  let to = at + count;
  while (to - at >= 2) {
    const quotient = (rest / 100) >>> 0;
    const pair = (rest - quotient * 100) * 2;
    bytes[--to] = digitPairs[pair + 1]!;
    bytes[--to] = digitPairs[pair]!;
    rest = quotient;
  }
  if (to > at) bytes[--to] = 48 + (rest % 10);
  return at + count;
}

/** Writes a safe integer and gives the place behind it. */
export function writeInteger(bytes: Uint8Array, at: number, value: number): number {
  let rest = value;
  let to = at;
  if (rest < 0) {
    bytes[to++] = 45;
    rest = -rest;
  }
  if (rest <= 4_294_967_295) return writeDigits(bytes, to, rest, digitCount(rest));
  const high = Math.floor(rest / 1e9);
  to = writeInteger(bytes, to, high);
  return writeDigits(bytes, to, rest - high * 1e9, 9);
}

/** Writes text that is ASCII. */
function writeAscii(bytes: Uint8Array, at: number, text: string): number {
  for (let index = 0; index < text.length; index++) bytes[at + index] = text.charCodeAt(index);
  return at + text.length;
}

/**
 * Writes a finite float64 in its shortest form. A value that is a whole number of ten-thousandths with at most 15 digits
 * has exactly one such decimal, so it can be written as an integer with a point in it.
 */
export function writeFloat64(bytes: Uint8Array, at: number, value: number): number {
  const scaled = Math.round(value * 10_000);
  const magnitude = Math.abs(scaled);
  if (magnitude >= 1e13 || scaled / 10_000 !== value || magnitude === 0) {
    return writeAscii(bytes, at, formatFloat64(value));
  }
  let to = at;
  if (scaled < 0) bytes[to++] = 45;
  const whole = Math.floor(magnitude / 10_000);
  to = writeInteger(bytes, to, whole);
  const fraction = magnitude - whole * 10_000;
  if (fraction === 0) return to;
  bytes[to++] = 46;
  writeDigits(bytes, to, fraction, 4);
  to += 4;
  while (bytes[to - 1] === 48) to--;
  return to;
}

/** Writes a finite float32 in the shortest form that reads back as the same float32. */
export function writeFloat32(bytes: Uint8Array, at: number, value: number): number {
  return writeAscii(bytes, at, formatFloat32(value));
}

/** The day written last: rows near each other mostly fall on one. */
let knownDays = Number.NaN;
let knownDate = 0;

/** Writes `YYYY-MM-DD`; the year must have four digits at most and not be negative. */
export function writeDate(bytes: Uint8Array, at: number, days: number): number {
  if (days !== knownDays) {
    knownDays = days;
    knownDate = yearMonthDay(days);
  }
  const date = knownDate;
  const year = Math.floor(date / 10_000);
  writeDigits(bytes, at, year, 4);
  bytes[at + 4] = 45;
  writeDigits(bytes, at + 5, Math.floor(date / 100) % 100, 2);
  bytes[at + 7] = 45;
  return writeDigits(bytes, at + 8, date % 100, 2);
}

/** Writes `YYYY-MM-DD hh:mm:ss` of seconds on a wall clock. */
export function writeWallSeconds(bytes: Uint8Array, at: number, wallSeconds: number): number {
  const days = Math.floor(wallSeconds / 86_400);
  const rest = wallSeconds - days * 86_400;
  writeDate(bytes, at, days);
  bytes[at + 10] = 32;
  const hour = (rest / 3_600) | 0;
  const minute = ((rest - hour * 3_600) / 60) | 0;
  writeDigits(bytes, at + 11, hour, 2);
  bytes[at + 13] = 58;
  writeDigits(bytes, at + 14, minute, 2);
  bytes[at + 16] = 58;
  return writeDigits(bytes, at + 17, rest - hour * 3_600 - minute * 60, 2);
}

/** Writes so many digits of a fraction of a second, with the point before them. */
export function writeFraction(bytes: Uint8Array, at: number, fraction: number, precision: number): number {
  bytes[at] = 46;
  return writeDigits(bytes, at + 1, fraction, precision);
}
