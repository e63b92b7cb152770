import { daysFromCivil, isCivilDate } from './civil-date.ts';

/** A moment as text gives it, before it is known in which zone to read it. */
export interface WallTime {
  /** Seconds since 1970 on the wall clock, or since the epoch when `offset` is known. */
  readonly seconds: number;
  /** Digits after the second's decimal point. */
  readonly fraction: string;
  /** Seconds east of UTC that the text names; undefined when it names no zone. */
  readonly offset: number | undefined;
}

const clock =
  '(?:[T ,]+(?<hour>\\d{1,2}):(?<minute>\\d{2})(?::(?<second>\\d{2})(?:[.,](?<fraction>\\d+))?)?(?:\\s*(?<half>[AP]M))?)?';
const zone = '\\s*(?<zone>Z|UTC|GMT|[+-]\\d{2}(?::?\\d{2})?)?';
const monthName = '(?<name>jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\\.?';
const weekday = '(?:(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*\\.?,?\\s+)?';

const forms: readonly RegExp[] = [
  `(?<year>\\d{4})(?<mark>[-/.])(?<month>\\d{1,2})\\k<mark>(?<day>\\d{1,2})${clock}${zone}`,
  `(?<year>\\d{4})(?<month>\\d{2})(?<day>\\d{2})${clock}${zone}`,
  `(?<year>\\d{4})(?<month>\\d{2})(?<day>\\d{2})[T ]?(?<hour>\\d{2})(?<minute>\\d{2})(?<second>\\d{2})(?:[.,](?<fraction>\\d+))?${zone}`,
  `(?<day>\\d{1,2})(?<mark>[-/.])(?<month>\\d{1,2})\\k<mark>(?<year>\\d{4})${clock}${zone}`,
  `${weekday}(?<day>\\d{1,2})[ -]${monthName}[ -](?<year>\\d{4})${clock}${zone}`,
  `${weekday}${monthName}\\s+(?<day>\\d{1,2}),?\\s+(?<year>\\d{4})${clock}${zone}`,
].map((form) => new RegExp(`^${form}$`, 'i'));

const monthNames = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];

function zoneOffset(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (!/^[+-]/.test(text)) return 0;
  const digits = text.slice(1).replace(':', '');
  const seconds = Number(digits.slice(0, 2)) * 3_600 + Number(digits.slice(2) || 0) * 60;
  return text.startsWith('-') ? -seconds : seconds;
}

function hourOf(parts: Record<string, string | undefined>): number {
  const hour = Number(parts['hour'] ?? 0);
  const half = parts['half']?.toLowerCase();
  if (half === undefined) return hour;
  if (hour < 1 || hour > 12) return Number.NaN;
  return (hour % 12) + (half === 'pm' ? 12 : 0);
}

/** The moment that the named parts give; undefined when they name none. */
function fromParts(parts: Record<string, string | undefined>): WallTime | undefined {
  const year = Number(parts['year']);
  const name = parts['name']?.toLowerCase();
  const month = name === undefined ? Number(parts['month']) : monthNames.indexOf(name) + 1;
  const day = Number(parts['day']);
  const hour = hourOf(parts);
  const minute = Number(parts['minute'] ?? 0);
  const second = Number(parts['second'] ?? 0);
  if (!isCivilDate(year, month, day) || !(hour <= 23) || minute > 59 || second > 59) return undefined;
  return {
    seconds: daysFromCivil(year, month, day) * 86_400 + hour * 3_600 + minute * 60 + second,
    fraction: parts['fraction'] ?? '',
    offset: zoneOffset(parts['zone']),
  };
}

/**
 * Reads a date, with or without a time, in the forms people and programs write: ISO 8601, `2024/01/02`, `20240102`,
 * `20240102030405`, `02.01.2024` (the day first), `2 Jan 2024`, `Jan 2, 2024 3:04 PM`.
 */
export function bestEffortTime(text: string): WallTime | undefined {
  for (const form of forms) {
    const match = form.exec(text);
    if (match !== null) return fromParts(match.groups!);
  }
  return undefined;
}
