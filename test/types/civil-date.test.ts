import test from 'ava';
import {
  civilFromDays,
  dayOfWeek,
  dayOfYear,
  daysFromCivil,
  daysInMonth,
  isCivilDate,
  isLeapYear,
  yearMonthDay,
} from '../../src/types/index.ts';

test('days and dates agree with the calendar of the JavaScript engine', (t) => {
  for (let days = -680_000; days <= 800_000; days += 97) {
    const date = new Date(days * 86_400_000);
    const expected = { year: date.getUTCFullYear(), month: date.getUTCMonth() + 1, day: date.getUTCDate() };
    t.deepEqual(civilFromDays(days), expected);
    t.is(daysFromCivil(expected.year, expected.month, expected.day), days);
    t.is(dayOfWeek(days), date.getUTCDay() || 7);
    t.is(dayOfYear(days), (days * 86_400_000 - Date.UTC(expected.year, 0, 1)) / 86_400_000 + 1);
  }
});

test('leap years follow the Gregorian rule', (t) => {
  t.deepEqual([1900, 2000, 2023, 2024].map(isLeapYear), [false, true, false, true]);
  t.is(daysInMonth(2023, 2), 28);
  t.is(daysInMonth(2024, 2), 29);
  t.true(isCivilDate(2024, 2, 29));
  t.false(isCivilDate(2023, 2, 29));
  t.false(isCivilDate(2023, 13, 1));
});

test('a packed date holds year, month and day', (t) => {
  t.is(yearMonthDay(0), 19_700_101);
  t.is(yearMonthDay(daysFromCivil(2299, 12, 31)), 22_991_231);
});
