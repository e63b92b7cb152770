import { bestEffortTime, type WallTime } from './best-effort-time.ts';
import { daysFromCivil, isCivilDate, yearMonthDay } from './civil-date.ts';
import { canonicalInteger, integerRange } from './classify.ts';
import { cannotParse, outOfRange } from './text-errors.ts';
import type { TextOptions } from './text-options.ts';
import { serverTimeZone, type TimeZone, timeZone } from './time-zone.ts';
import type { SqlType } from './type.ts';

export type DateType = SqlType & { kind: 'date' | 'date32' };
export type DateTimeType = SqlType & { kind: 'datetime' | 'datetime64' };

/** The zone that values of the type are read and written in. */
function zoneOf(type: DateTimeType, options: TextOptions): TimeZone {
  return timeZone(type.timezone ?? (options.timezone || serverTimeZone));
}

function twoDigits(text: string, at: number): number {
  const tens = text.charCodeAt(at) - 48;
  const ones = text.charCodeAt(at + 1) - 48;
  return tens >= 0 && tens <= 9 && ones >= 0 && ones <= 9 ? tens * 10 + ones : Number.NaN;
}

/** Days of `YYYY-MM-DD` at the start of the text; NaN when there is no such date. */
function plainDays(text: string): number {
  if (text.charCodeAt(4) !== 45 || text.charCodeAt(7) !== 45) return Number.NaN;
  const year = twoDigits(text, 0) * 100 + twoDigits(text, 2);
  const month = twoDigits(text, 5);
  const day = twoDigits(text, 8);
  return isCivilDate(year, month, day) ? daysFromCivil(year, month, day) : Number.NaN;
}

/** Seconds of `hh:mm:ss` at the position; NaN when there is no such time. */
function plainClock(text: string, at: number): number {
  if (text.charCodeAt(at + 2) !== 58 || text.charCodeAt(at + 5) !== 58) return Number.NaN;
  const hour = twoDigits(text, at);
  const minute = twoDigits(text, at + 3);
  const second = twoDigits(text, at + 6);
  return hour <= 23 && minute <= 59 && second <= 59 ? hour * 3_600 + minute * 60 + second : Number.NaN;
}

const digitsOnly = /^-?\d+$/;

/** Reads dates: `YYYY-MM-DD` and the other forms of a date, a date with a time (which is dropped), or a day number. */
export function dateParser(type: DateType, options: TextOptions): (text: string) => number {
  const [least, most] = integerRange(type)!.map(Number) as [number, number];
  const basic = options.dateTimeInput === 'basic';
  return (text) => {
    let days = text.length === 10 ? plainDays(text) : Number.NaN;
    if (Number.isNaN(days) && digitsOnly.test(text) && text.length !== 8 && text.length <= 7)
      days = Number(text);
    if (Number.isNaN(days)) {
      const time = basic && !/^\d{8}$|^\d{4}-\d\d?-\d\d?/.test(text) ? undefined : bestEffortTime(text);
      if (time === undefined)
        throw cannotParse(type, text, 'a date such as 2024-01-31', 'CANNOT_PARSE_DATETIME');
      days = Math.floor(time.seconds / 86_400);
    }
    if (days < least || days > most)
      throw outOfRange(type, text, `${formatDate(least)} to ${formatDate(most)}`);
    return days;
  };
}

/** Digits of the seconds' fraction that a run of digits standing for a whole moment has, by its length. */
const timestampScales = new Map([
  [13, 3],
  [16, 6],
  [19, 9],
]);

/** Ticks of 10^-precision seconds, checked against 64 bits. */
function ticksOf(type: DateTimeType, text: string, seconds: number, fraction: string): number | bigint {
  const precision = type.kind === 'datetime' ? 0 : type.precision;
  const scale = 10 ** precision;
  const part = precision === 0 ? 0 : Number(fraction.slice(0, precision).padEnd(precision, '0'));
  const ticks = seconds * scale + part;
  if (Number.isSafeInteger(ticks)) return ticks;
  const exact = BigInt(seconds) * BigInt(scale) + BigInt(part);
  if (BigInt.asIntN(64, exact) !== exact) throw outOfRange(type, text, 'ticks of 64 bits');
  return canonicalInteger(exact);
}

const timestampPattern = /^(-?)(\d{1,19})(?:\.(\d+))?$/;

/** A moment given as a number: seconds with an optional fraction, or ticks told by the number of digits. */
function timestampTicks(type: DateTimeType, text: string): number | bigint | undefined {
  const match = timestampPattern.exec(text);
  if (match === null || match[2]!.length === 8 || match[2]!.length === 14) return undefined;
  const digits = match[2]!;
  const precision = type.kind === 'datetime' ? 0 : type.precision;
  const scale = digits.length <= 10 ? 0 : (timestampScales.get(digits.length) ?? precision);
  const whole = scale === 0 ? digits : digits.slice(0, digits.length - scale);
  const fraction = scale === 0 ? (match[3] ?? '') : digits.slice(digits.length - scale);
  const ticks = ticksOf(type, text, Number(whole), fraction);
  return match[1] === '-' ? negated(ticks) : ticks;
}

function negated(ticks: number | bigint): number | bigint {
  return ticks === 0 ? 0 : -ticks;
}

/** Reads moments into seconds (datetime) or ticks (datetime64); CANNOT_PARSE_DATETIME for text that is none. */
export function dateTimeParser(type: DateTimeType, options: TextOptions): (text: string) => number | bigint {
  const zone = zoneOf(type, options);
  const basic = options.dateTimeInput === 'basic';
  const isSeconds = type.kind === 'datetime';
  const checked = (ticks: number | bigint, text: string): number | bigint => {
    if (isSeconds && !(ticks >= 0 && ticks <= 4_294_967_295)) {
      throw outOfRange(type, text, '1970-01-01 00:00:00 to 2106-02-07 06:28:15 UTC');
    }
    return ticks;
  };
  const inZone = (wall: WallTime) =>
    wall.offset === undefined ? zone.toUtc(wall.seconds) : wall.seconds - wall.offset;
  return (text) => {
    const separator = text.charCodeAt(10);
    if (text.length >= 19 && (separator === 32 || separator === 84)) {
      const wall = plainDays(text) * 86_400 + plainClock(text, 11);
      const fraction = text.length === 19 ? '' : plainFraction(text);
      if (!Number.isNaN(wall) && fraction !== undefined) {
        return checked(ticksOf(type, text, zone.toUtc(wall), fraction), text);
      }
    }
    const timestamp = timestampTicks(type, text);
    if (timestamp !== undefined) return checked(timestamp, text);
    const wall =
      basic && !/^\d{4}-\d\d?-\d\d?( \d\d?:\d\d:\d\d)?$/.test(text) ? undefined : bestEffortTime(text);
    if (wall === undefined) {
      throw cannotParse(type, text, 'a time such as 2024-01-31 23:59:59', 'CANNOT_PARSE_DATETIME');
    }
    return checked(ticksOf(type, text, inZone(wall), wall.fraction), text);
  };
}

/** The digits after position 19 when the text ends with `.digits`; undefined otherwise. */
function plainFraction(text: string): string | undefined {
  if (text.charCodeAt(19) !== 46 || text.length === 20) return undefined;
  for (let at = 20; at < text.length; at++) {
    const digit = text.charCodeAt(at) - 48;
    if (digit < 0 || digit > 9) return undefined;
  }
  return text.slice(20);
}

const pairs = Array.from({ length: 100 }, (_, value) => String(value).padStart(2, '0'));

/** `YYYY-MM-DD` of a day number. */
export function formatDate(days: number): string {
  const packed = yearMonthDay(days);
  const year = Math.floor(packed / 10_000);
  const rest = packed - year * 10_000;
  const yearText =
    year >= 1_000 && year <= 9_999
      ? String(year)
      : `${year < 0 ? '-' : ''}${String(Math.abs(year)).padStart(4, '0')}`;
  return `${yearText}-${pairs[Math.floor(rest / 100)]}-${pairs[rest % 100]}`;
}

/** `YYYY-MM-DD hh:mm:ss` of seconds on a wall clock, with another separator on request. */
export function formatWallSeconds(wallSeconds: number, separator = ' '): string {
  const days = Math.floor(wallSeconds / 86_400);
  const rest = wallSeconds - days * 86_400;
  const hour = Math.floor(rest / 3_600);
  const minute = Math.floor((rest - hour * 3_600) / 60);
  return `${formatDate(days)}${separator}${pairs[hour]}:${pairs[minute]}:${pairs[rest - hour * 3_600 - minute * 60]}`;
}

/** Whole seconds (towards the past) and the ticks left over. */
export function splitTicks(
  ticks: number | bigint,
  precision: number,
): readonly [seconds: number, rest: number] {
  const scale = 10 ** precision;
  if (typeof ticks === 'number') {
    const seconds = Math.floor(ticks / scale);
    return [seconds, ticks - seconds * scale];
  }
  const divisor = BigInt(scale);
  let seconds = ticks / divisor;
  if (ticks < 0n && seconds * divisor !== ticks) seconds -= 1n;
  return [Number(seconds), Number(ticks - seconds * divisor)];
}

/** Writes seconds or ticks: `2024-01-02 03:04:05.123` in the zone of the type, or as the options ask. */
export function dateTimeFormatter(
  type: DateTimeType,
  options: TextOptions,
): (value: number | bigint) => string {
  const precision = type.kind === 'datetime' ? 0 : type.precision;
  const style = options.dateTimeOutput ?? 'simple';
  const zone = style === 'simple' ? zoneOf(type, options) : timeZone('UTC');
  const separator = style === 'iso' ? 'T' : ' ';
  const suffix = style === 'iso' ? 'Z' : '';
  return (value) => {
    // A count of seconds before 1970 has its sign in front of the whole number, fraction included.
    const sign = style === 'unix_timestamp' && value < 0 ? '-' : '';
    const ticks = sign === '' ? value : -value;
    const [seconds, rest] = precision === 0 ? [Number(ticks), 0] : splitTicks(ticks, precision);
    const fraction = precision === 0 ? '' : `.${String(rest).padStart(precision, '0')}`;
    if (style === 'unix_timestamp') return `${sign}${seconds}${fraction}`;
    return formatWallSeconds(seconds + zone.offsetAt(seconds), separator) + fraction + suffix;
  };
}
