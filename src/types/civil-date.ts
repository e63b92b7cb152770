/*
 * The proleptic Gregorian calendar as arithmetic. Years are counted from March so that the leap day is the last day of
 * its year; 400 years (an era) always have 146,097 days.
 */

export interface CivilDate {
  readonly year: number;
  /** 1 to 12. */
  readonly month: number;
  /** 1 to 31. */
  readonly day: number;
}

const daysPerEra = 146_097;
/** Days from 0000-03-01 to 1970-01-01. */
const epochShift = 719_468;

/** Days since 1970-01-01; the day may lie outside its month, the month must be 1 to 12. */
export function daysFromCivil(year: number, month: number, day: number): number {
  const shifted = month <= 2 ? year - 1 : year;
  const era = Math.floor(shifted / 400);
  const yearOfEra = shifted - era * 400;
  const dayOfYear = Math.floor((153 * (month + (month > 2 ? -3 : 9)) + 2) / 5) + day - 1;
  const dayOfEra = yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear;
  return era * daysPerEra + dayOfEra - epochShift;
}

/** The date of a day number as one number, year * 10000 + month * 100 + day, for code that must not allocate. */
export function yearMonthDay(days: number): number {
  const shifted = days + epochShift;
  const era = Math.floor(shifted / daysPerEra);
  const dayOfEra = shifted - era * daysPerEra;
  const yearOfEra = Math.floor(
    (dayOfEra -
      Math.floor(dayOfEra / 1_460) +
      Math.floor(dayOfEra / 36_524) -
      Math.floor(dayOfEra / 146_096)) /
      365,
  );
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const marchMonth = Math.floor((5 * dayOfYear + 2) / 153);
  const day = dayOfYear - Math.floor((153 * marchMonth + 2) / 5) + 1;
  const month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9;
  const year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0);
  return year * 10_000 + month * 100 + day;
}

/** The date of a day number (days since 1970-01-01). */
export function civilFromDays(days: number): CivilDate {
  const packed = yearMonthDay(days);
  const year = Math.floor(packed / 10_000);
  const rest = packed - year * 10_000;
  const month = Math.floor(rest / 100);
  return { year, month, day: rest - month * 100 };
}

export function isLeapYear(year: number): boolean {
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
}

const monthLengths = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** Days of a month (1 to 12) of a year. */
export function daysInMonth(year: number, month: number): number {
  return month === 2 && isLeapYear(year) ? 29 : monthLengths[month - 1]!;
}

/** Day of the week: 1 is Monday, 7 is Sunday. */
export function dayOfWeek(days: number): number {
  return ((((days + 3) % 7) + 7) % 7) + 1;
}

/** Day of the year: 1 is the first of January. */
export function dayOfYear(days: number): number {
  return days - daysFromCivil(Math.floor(yearMonthDay(days) / 10_000), 1, 1) + 1;
}

/** Whether year, month and day name a day that exists. */
export function isCivilDate(year: number, month: number, day: number): boolean {
  return month >= 1 && month <= 12 && day >= 1 && day <= daysInMonth(year, month);
}
