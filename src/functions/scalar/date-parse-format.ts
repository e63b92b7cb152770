import { SluiceError } from '../../base/index.ts';
import { dayOfWeek, daysFromCivil, daysInMonth, isCivilDate, isLeapYear } from '../../types/index.ts';
import { dayNames, monthNames } from './date-format.ts';
import { jodaTokens, unknownLetter } from './date-format-joda.ts';

/** What has been read of a moment; everything is optional. */
export interface ReadFields {
  year?: number;
  century?: number;
  month?: number;
  day?: number;
  dayOfYear?: number;
  isoYear?: number;
  isoWeek?: number;
  isoDay?: number;
  hour?: number;
  /** The hour is one of a clock of 12 hours. */
  halfDay?: boolean;
  afternoon?: boolean;
  minute?: number;
  second?: number;
  fraction?: string;
  /** Seconds east of UTC. */
  offset?: number;
}

/** Reads one piece of a text from a position and gives the position after it; -1 where the text does not fit. */
type Reader = (text: string, at: number, fields: ReadFields) => number;

function numberReader(
  least: number,
  most: number,
  digits: readonly [number, number],
  store: (fields: ReadFields, value: number) => void,
): Reader {
  return (text, at, fields) => {
    let end = at;
    let value = 0;
    while (end < text.length && end - at < digits[1]) {
      const digit = text.charCodeAt(end) - 48;
      if (digit < 0 || digit > 9) break;
      value = value * 10 + digit;
      end++;
    }
    if (end - at < digits[0] || value < least || value > most) return -1;
    store(fields, value);
    return end;
  };
}

function nameReader(names: readonly string[], store: (fields: ReadFields, index: number) => void): Reader {
  const lower = names.map((name) => name.toLowerCase());
  return (text, at, fields) => {
    // Of two names that fit, the longer one is meant.
    let best = -1;
    for (const [index, name] of lower.entries()) {
      const longer = best < 0 || name.length > lower[best]!.length;
      if (longer && text.slice(at, at + name.length).toLowerCase() === name) best = index;
    }
    if (best < 0) return -1;
    store(fields, best);
    return at + lower[best]!.length;
  };
}

function short(names: readonly string[]): readonly string[] {
  return names.map((name) => name.slice(0, 3));
}

function literalReader(literal: string): Reader {
  return (text, at) => (text.startsWith(literal, at) ? at + literal.length : -1);
}

const monthName = nameReader(monthNames, (fields, index) => {
  fields.month = index + 1;
});
const monthShort = nameReader(short(monthNames), (fields, index) => {
  fields.month = index + 1;
});
const dayName = nameReader(dayNames, (fields, index) => {
  fields.isoDay ??= index + 1;
});
const dayShort = nameReader(short(dayNames), (fields, index) => {
  fields.isoDay ??= index + 1;
});

const halfOfDay = nameReader(['AM', 'PM'], (fields, index) => {
  fields.afternoon = index === 1;
  fields.halfDay = true;
});

const offsetReader: Reader = (text, at, fields) => {
  const match = /^([+-])(\d{2}):?(\d{2})/.exec(text.slice(at, at + 6));
  if (match === null) return text[at] === 'Z' ? storeOffset(fields, 0, at + 1) : -1;
  const seconds = Number(match[2]) * 3_600 + Number(match[3]) * 60;
  return storeOffset(fields, match[1] === '-' ? -seconds : seconds, at + match[0].length);
};

function storeOffset(fields: ReadFields, offset: number, end: number): number {
  fields.offset = offset;
  return end;
}

function fractionReader(digits: readonly [number, number]): Reader {
  return (text, at, fields) => {
    let end = at;
    while (end < text.length && end - at < digits[1] && /\d/.test(text[end]!)) end++;
    if (end - at < digits[0]) return -1;
    fields.fraction = text.slice(at, end);
    return end;
  };
}

function twoDigitYear(value: number): number {
  return value < 70 ? 2000 + value : 1900 + value;
}

type Digits = readonly [number, number];

const set = {
  year: (digits: Digits) =>
    numberReader(0, 9_999, digits, (fields, value) => {
      fields.year = value;
    }),
  shortYear: numberReader(0, 99, [2, 2], (fields, value) => {
    fields.year = twoDigitYear(value);
  }),
  month: (digits: Digits) =>
    numberReader(1, 12, digits, (fields, value) => {
      fields.month = value;
    }),
  day: (digits: Digits) =>
    numberReader(1, 31, digits, (fields, value) => {
      fields.day = value;
    }),
  dayOfYear: (digits: Digits) =>
    numberReader(1, 366, digits, (fields, value) => {
      fields.dayOfYear = value;
    }),
  hour: (digits: Digits) =>
    numberReader(0, 23, digits, (fields, value) => {
      fields.hour = value;
    }),
  hourFromOne: (digits: Digits) =>
    numberReader(1, 24, digits, (fields, value) => {
      fields.hour = value % 24;
    }),
  halfHour: (least: number, digits: Digits) =>
    numberReader(least, least + 11, digits, (fields, value) => {
      fields.hour = value % 12;
      fields.halfDay = true;
    }),
  minute: (digits: Digits) =>
    numberReader(0, 59, digits, (fields, value) => {
      fields.minute = value;
    }),
  second: (digits: Digits) =>
    numberReader(0, 59, digits, (fields, value) => {
      fields.second = value;
    }),
  isoYear: (digits: Digits) =>
    numberReader(0, 9_999, digits, (fields, value) => {
      fields.isoYear = value;
    }),
  isoWeek: (digits: Digits) =>
    numberReader(1, 53, digits, (fields, value) => {
      fields.isoWeek = value;
    }),
  isoDay: (least: number, digits: Digits) =>
    numberReader(least, least + 6, digits, (fields, value) => {
      fields.isoDay = value === 0 ? 7 : value;
    }),
} as const;

const two: Digits = [2, 2];
const oneOrTwo: Digits = [1, 2];

function sequence(...readers: readonly Reader[]): Reader {
  return (text, at, fields) => {
    let end = at;
    for (const reader of readers) {
      end = reader(text, end, fields);
      if (end < 0) return -1;
    }
    return end;
  };
}

const hourMinute = sequence(set.hour(two), literalReader(':'), set.minute(two));

/** The readers of MySQL's `%` codes. */
const codeReaders: Readonly<Record<string, Reader>> = {
  a: dayShort,
  b: monthShort,
  c: set.month(oneOrTwo),
  d: set.day(two),
  D: sequence(set.month(two), literalReader('/'), set.day(two), literalReader('/'), set.shortYear),
  e: set.day(oneOrTwo),
  f: fractionReader([1, 9]),
  F: sequence(set.year([4, 4]), literalReader('-'), set.month(two), literalReader('-'), set.day(two)),
  G: set.isoYear([4, 4]),
  h: set.halfHour(1, two),
  H: set.hour(two),
  i: set.minute(two),
  I: set.halfHour(1, two),
  j: set.dayOfYear([3, 3]),
  k: set.hour(oneOrTwo),
  l: set.halfHour(1, oneOrTwo),
  m: set.month(two),
  M: monthName,
  n: literalReader('\n'),
  p: halfOfDay,
  r: sequence(
    set.halfHour(1, two),
    literalReader(':'),
    set.minute(two),
    literalReader(':'),
    set.second(two),
    literalReader(' '),
    halfOfDay,
  ),
  R: hourMinute,
  s: set.second(two),
  S: set.second(two),
  t: literalReader('\t'),
  T: sequence(hourMinute, literalReader(':'), set.second(two)),
  u: set.isoDay(1, [1, 1]),
  V: set.isoWeek(two),
  w: set.isoDay(0, [1, 1]),
  W: dayName,
  y: set.shortYear,
  Y: set.year([4, 4]),
  z: offsetReader,
  '%': literalReader('%'),
};

/** The reader of a text by a format with `%` codes. */
export function compileCodes(format: string): Reader {
  const readers: Reader[] = [];
  for (let at = 0; at < format.length; ) {
    if (format[at] !== '%') {
      readers.push(literalReader(format[at]!));
      at++;
      continue;
    }
    const code = format[at + 1] ?? '';
    if (!Object.hasOwn(codeReaders, code))
      throw new SluiceError('BAD_ARGUMENTS', `The format has an unknown code %${code} at position ${at + 1}`);
    readers.push(codeReaders[code]!);
    at += 2;
  }
  return sequence(...readers);
}

const numberLetters = /^[CYyxweDdKhHkmsS]$/;

/** The reader of one run of a pattern letter; `tight` where digits of another field follow at once. */
function jodaReader(letter: string, length: number, tight: boolean): Reader {
  const upTo = (most: number): Digits => [1, tight ? length : Math.max(length, most)];
  switch (letter) {
    case 'G':
      return nameReader(['AD', 'BC'], () => undefined);
    case 'Y':
    case 'y':
      return length === 2 ? set.shortYear : set.year(upTo(4));
    case 'x':
      return set.isoYear(upTo(4));
    case 'w':
      return set.isoWeek(upTo(2));
    case 'e':
      return set.isoDay(1, upTo(1));
    case 'E':
      return sequenceOf(dayName, dayShort);
    case 'D':
      return set.dayOfYear(upTo(3));
    case 'M':
      return length > 2 ? sequenceOf(monthName, monthShort) : set.month(upTo(2));
    case 'd':
      return set.day(upTo(2));
    case 'a':
      return halfOfDay;
    case 'K':
      return set.halfHour(0, upTo(2));
    case 'h':
      return set.halfHour(1, upTo(2));
    case 'H':
      return set.hour(upTo(2));
    case 'k':
      return set.hourFromOne(upTo(2));
    case 'm':
      return set.minute(upTo(2));
    case 's':
      return set.second(upTo(2));
    case 'S':
      return fractionReader([1, tight ? length : Math.max(length, 9)]);
    case 'Z':
    case 'z':
      return offsetReader;
    default:
      throw unknownLetter(letter);
  }
}

/** The first of two readers that fits. */
function sequenceOf(first: Reader, second: Reader): Reader {
  return (text, at, fields) => {
    const end = first(text, at, fields);
    return end >= 0 ? end : second(text, at, fields);
  };
}

/** The reader of a text by a Joda-Time pattern. */
export function compileJodaReader(pattern: string): Reader {
  const tokens = jodaTokens(pattern);
  return sequence(
    ...tokens.map((token, index) => {
      if (token.kind === 'text') return literalReader(token.text);
      const next = tokens[index + 1];
      const tight =
        next?.kind === 'field' &&
        numberLetters.test(next.letter) &&
        !(next.letter === 'M' && next.length > 2);
      return jodaReader(token.letter, token.length, tight || (next?.kind === 'field' && next.letter === 'M'));
    }),
  );
}

/** Days since 1970 of the fields; undefined where they name no day. */
function daysOf(fields: ReadFields): number | undefined {
  const year = fields.year ?? 1970;
  if (fields.isoWeek !== undefined || (fields.isoYear !== undefined && fields.year === undefined)) {
    const january4 = daysFromCivil(fields.isoYear ?? year, 1, 4);
    return january4 - dayOfWeek(january4) + 1 + ((fields.isoWeek ?? 1) - 1) * 7 + (fields.isoDay ?? 1) - 1;
  }
  if (fields.dayOfYear !== undefined) {
    if (fields.dayOfYear > (isLeapYear(year) ? 366 : 365)) return undefined;
    return daysFromCivil(year, 1, 1) + fields.dayOfYear - 1;
  }
  const [month, day] = [fields.month ?? 1, fields.day ?? 1];
  if (day > daysInMonth(year, month) || !isCivilDate(year, month, day)) return undefined;
  return daysFromCivil(year, month, day);
}

/** A moment that was read: seconds on the wall clock, or UTC where the text names an offset. */
export interface ReadMoment {
  readonly seconds: number;
  readonly fraction: string;
  readonly isUtc: boolean;
}

/** Reads a whole text; undefined where it does not fit. */
export function readMoment(reader: Reader, text: string): ReadMoment | undefined {
  const fields: ReadFields = {};
  if (reader(text, 0, fields) !== text.length) return undefined;
  const days = daysOf(fields);
  if (days === undefined) return undefined;
  let hour = fields.hour ?? 0;
  if (fields.halfDay === true) hour = (hour % 12) + (fields.afternoon === true ? 12 : 0);
  const seconds = days * 86_400 + hour * 3_600 + (fields.minute ?? 0) * 60 + (fields.second ?? 0);
  const { offset } = fields;
  return { seconds: seconds - (offset ?? 0), fraction: fields.fraction ?? '', isUtc: offset !== undefined };
}
