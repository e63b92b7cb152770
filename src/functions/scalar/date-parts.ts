import { js } from '../../code/index.ts';
import {
  dayOfWeek,
  dayOfYear,
  daysFromCivil,
  isLeapYear,
  type SqlType,
  splitTicks,
  types,
  yearMonthDay,
} from '../../types/index.ts';
import { expectInteger } from '../checks.ts';
import { type Operand, type ScalarFunction, values } from '../definition.ts';
import {
  daysCode,
  mod,
  momentArgument,
  secondsCode,
  timeArgument,
  wallCode,
  zoneArgument,
  zoneCode,
} from './date-values.ts';

export function yearOf(days: number): number {
  return Math.floor(yearMonthDay(days) / 10_000);
}

export function monthOf(days: number): number {
  return Math.floor(yearMonthDay(days) / 100) % 100;
}

export function dayOf(days: number): number {
  return yearMonthDay(days) % 100;
}

export function quarterOf(days: number): number {
  return Math.floor((monthOf(days) + 2) / 3);
}

/** Year of the ISO week, which is that of its Thursday. */
export function isoYearOf(days: number): number {
  return yearOf(days - dayOfWeek(days) + 4);
}

export function isoWeekOf(days: number): number {
  return Math.floor((dayOfYear(days - dayOfWeek(days) + 4) - 1) / 7) + 1;
}

export function hourOf(wall: number): number {
  return Math.floor(mod(wall, 86_400) / 3_600);
}

export function minuteOf(wall: number): number {
  return Math.floor(mod(wall, 3_600) / 60);
}

export function secondOf(wall: number): number {
  return mod(wall, 60);
}

interface Part {
  readonly name: string;
  readonly aliases?: readonly string[];
  readonly doc: string;
  readonly type: SqlType;
  readonly bounds: readonly [number, number];
  /** What it is computed from: days, or seconds, on the wall clock, or seconds since 1970 UTC. */
  readonly of: 'days' | 'seconds' | 'utc';
  readonly compute: (value: number) => number;
  readonly example: string;
}

function partFunction(part: Part): ScalarFunction {
  return {
    kind: 'scalar',
    name: part.name,
    aliases: part.aliases ?? [],
    category: 'date_time',
    arity: [1, 2],
    syntax: `${part.name}(time[, timezone])`,
    doc: part.doc,
    examples: [[`${part.name}(to_datetime('2023-05-17 13:44:15'))`, part.example]],
    type: (args) => {
      if (part.of !== 'days') momentArgument(part.name, args, 0);
      else timeArgument(part.name, args, 0);
      zoneArgument(part.name, args, 1);
      return part.type;
    },
    emit: (emitter, args, type) => {
      const [time, asked] = values(args) as [Operand, Operand | undefined];
      const zone = zoneCode(emitter, time.type, asked);
      const wall = () => (part.of === 'utc' ? secondsCode(emitter, time) : wallCode(emitter, time, zone));
      const from = part.of === 'days' ? daysCode(emitter, time, zone) : wall();
      const compute = emitter.bind(part.compute, part.name);
      return {
        type,
        code: emitter.constant(part.name, js`${compute}(${from})`),
        isNull: null,
        bounds: part.bounds,
      };
    },
  };
}

const { uint8, uint16, uint32, uint64 } = types;

const dayParts: readonly Part[] = [
  {
    name: 'to_year',
    aliases: ['year'],
    doc: 'Year of the time.',
    type: uint16,
    bounds: [0, 65_535],
    of: 'days',
    compute: yearOf,
    example: '2023',
  },
  {
    name: 'to_quarter',
    aliases: ['quarter'],
    doc: 'Quarter of the time, 1 to 4.',
    type: uint8,
    bounds: [1, 4],
    of: 'days',
    compute: quarterOf,
    example: '2',
  },
  {
    name: 'to_month',
    aliases: ['month'],
    doc: 'Month of the time, 1 to 12.',
    type: uint8,
    bounds: [1, 12],
    of: 'days',
    compute: monthOf,
    example: '5',
  },
  {
    name: 'to_day_of_month',
    aliases: ['day', 'day_of_month', 'dayofmonth'],
    doc: 'Day of the month, 1 to 31.',
    type: uint8,
    bounds: [1, 31],
    of: 'days',
    compute: dayOf,
    example: '17',
  },
  {
    name: 'to_day_of_year',
    aliases: ['day_of_year'],
    doc: 'Day of the year, 1 to 366.',
    type: uint16,
    bounds: [1, 366],
    of: 'days',
    compute: dayOfYear,
    example: '137',
  },
  {
    name: 'to_iso_year',
    aliases: ['toISOYear'],
    doc: 'Year that the ISO 8601 week of the time belongs to.',
    type: uint16,
    bounds: [0, 65_535],
    of: 'days',
    compute: isoYearOf,
    example: '2023',
  },
  {
    name: 'to_iso_week',
    aliases: ['toISOWeek'],
    doc: 'ISO 8601 week of the time, 1 to 53.',
    type: uint8,
    bounds: [1, 53],
    of: 'days',
    compute: isoWeekOf,
    example: '20',
  },
  {
    name: 'to_YYYYMM',
    aliases: ['toYYYYMM', 'to_yyyymm'],
    doc: 'Year and month as one number, year * 100 + month.',
    type: uint32,
    bounds: [0, 4_294_967_295],
    of: 'days',
    compute: (days) => Math.floor(yearMonthDay(days) / 100),
    example: '202305',
  },
  {
    name: 'to_YYYYMMDD',
    aliases: ['toYYYYMMDD'],
    doc: 'Year, month and day as one number.',
    type: uint32,
    bounds: [0, 4_294_967_295],
    of: 'days',
    compute: yearMonthDay,
    example: '20230517',
  },
  {
    name: 'to_relative_year_num',
    doc: 'Number of the year.',
    type: uint16,
    bounds: [0, 65_535],
    of: 'days',
    compute: yearOf,
    example: '2023',
  },
  {
    name: 'to_relative_quarter_num',
    doc: 'Number of the quarter, counted on through the years.',
    type: uint32,
    bounds: [0, 4_294_967_295],
    of: 'days',
    compute: (days) => yearOf(days) * 4 + quarterOf(days) - 1,
    example: '8093',
  },
  {
    name: 'to_relative_month_num',
    doc: 'Number of the month, counted on through the years.',
    type: uint32,
    bounds: [0, 4_294_967_295],
    of: 'days',
    compute: (days) => yearOf(days) * 12 + monthOf(days),
    example: '24281',
  },
  {
    name: 'to_relative_week_num',
    doc: 'Number of the week, counted from 1970.',
    type: uint32,
    bounds: [0, 4_294_967_295],
    of: 'days',
    compute: (days) => Math.max(0, Math.floor((days + 3) / 7)),
    example: '2785',
  },
  {
    name: 'to_relative_day_num',
    doc: 'Days since 1970-01-01.',
    type: uint32,
    bounds: [0, 4_294_967_295],
    of: 'days',
    compute: (days) => Math.max(0, days),
    example: '19494',
  },
];

const timeParts: readonly Part[] = [
  {
    name: 'to_hour',
    aliases: ['hour'],
    doc: 'Hour of the day, 0 to 23.',
    type: uint8,
    bounds: [0, 23],
    of: 'seconds',
    compute: hourOf,
    example: '13',
  },
  {
    name: 'to_minute',
    aliases: ['minute'],
    doc: 'Minute of the hour, 0 to 59.',
    type: uint8,
    bounds: [0, 59],
    of: 'seconds',
    compute: minuteOf,
    example: '44',
  },
  {
    name: 'to_second',
    aliases: ['second'],
    doc: 'Second of the minute, 0 to 59.',
    type: uint8,
    bounds: [0, 59],
    of: 'seconds',
    compute: secondOf,
    example: '15',
  },
  {
    name: 'to_YYYYMMDDhhmmss',
    aliases: ['toYYYYMMDDhhmmss'],
    doc: 'Date and time of day as one number.',
    type: uint64,
    bounds: [0, 99_999_999_999_999],
    of: 'seconds',
    compute: dateTimeNumber,
    example: '20230517134415',
  },
  {
    name: 'to_relative_hour_num',
    doc: 'Hours since 1970.',
    type: uint32,
    bounds: [0, 4_294_967_295],
    of: 'utc',
    compute: (wall) => Math.max(0, Math.floor(wall / 3_600)),
    example: '467869',
  },
  {
    name: 'to_relative_minute_num',
    doc: 'Minutes since 1970.',
    type: uint32,
    bounds: [0, 4_294_967_295],
    of: 'utc',
    compute: (wall) => Math.max(0, Math.floor(wall / 60)),
    example: '28072184',
  },
  {
    name: 'to_relative_second_num',
    doc: 'Seconds since 1970.',
    type: uint32,
    bounds: [0, 4_294_967_295],
    of: 'utc',
    compute: (wall) => Math.max(0, wall),
    example: '1684331055',
  },
];

function dateTimeNumber(wall: number): number {
  const days = Math.floor(wall / 86_400);
  return yearMonthDay(days) * 1_000_000 + hourOf(wall) * 10_000 + minuteOf(wall) * 100 + secondOf(wall);
}

const toMillisecond: ScalarFunction = {
  kind: 'scalar',
  name: 'to_millisecond',
  aliases: ['millisecond'],
  category: 'date_time',
  arity: [1, 2],
  syntax: 'to_millisecond(time)',
  doc: 'Milliseconds of the second, 0 to 999.',
  examples: [["to_millisecond(to_datetime64('2023-05-17 13:44:15.678', 3))", '678']],
  type: (args) => {
    momentArgument('to_millisecond', args, 0);
    return uint16;
  },
  kernel: (args) => {
    const { type } = args[0]!;
    if (type.kind !== 'datetime64') return () => 0;
    const { precision } = type;
    return (ticks: number | bigint) => Math.floor(splitTicks(ticks, precision)[1] / 10 ** (precision - 3));
  },
};

/** Weeks as MySQL numbers them, by mode; 8 and 9 are ClickHouse's: week 1 is the one with the first of January. */
export function yearWeek(days: number, mode: number): readonly [year: number, week: number] {
  const mondayFirst = (mode & 1) !== 0;
  if ((mode & 8) !== 0) {
    const start = weekStart(days, mondayFirst);
    const year = yearOf(start + 6);
    return [year, (start - weekStart(daysFromCivil(year, 1, 1), mondayFirst)) / 7 + 1];
  }
  let ofYear = (mode & 2) !== 0;
  const firstWeekday = ((mode & 4) !== 0) === mondayFirst;
  let year = yearOf(days);
  let first = daysFromCivil(year, 1, 1);
  let weekday = mondayFirst ? dayOfWeek(first) - 1 : dayOfWeek(first) % 7;
  const shortWeek = () => (firstWeekday ? weekday !== 0 : weekday >= 4);
  if (days - first + 1 <= 7 - weekday) {
    if (!ofYear && shortWeek()) return [year, 0];
    ofYear = true;
    year--;
    const length = isLeapYear(year) ? 366 : 365;
    first -= length;
    weekday = (weekday + 53 * 7 - length) % 7;
  }
  const elapsed = shortWeek() ? days - (first + 7 - weekday) : days - (first - weekday);
  if (ofYear && elapsed >= 52 * 7) {
    weekday = (weekday + (isLeapYear(year) ? 366 : 365)) % 7;
    if (!shortWeek()) return [year + 1, 1];
  }
  return [year, Math.floor(elapsed / 7) + 1];
}

/** First day of the week, a Monday or a Sunday. */
export function weekStart(days: number, mondayFirst: boolean): number {
  return mondayFirst ? days - dayOfWeek(days) + 1 : days - (dayOfWeek(days) % 7);
}

interface WeekPart {
  readonly name: string;
  readonly aliases?: readonly string[];
  readonly doc: string;
  readonly type: SqlType;
  readonly compute: (days: number, mode: number) => number;
  readonly example: string;
}

function weekFunction(part: WeekPart): ScalarFunction {
  return {
    kind: 'scalar',
    name: part.name,
    aliases: part.aliases ?? [],
    category: 'date_time',
    arity: [1, 3],
    syntax: `${part.name}(time[, mode[, timezone]])`,
    doc: part.doc,
    examples: [[`${part.name}(to_date('2023-05-17'))`, part.example]],
    type: (args) => {
      timeArgument(part.name, args, 0);
      expectInteger(part.name, args, 1);
      zoneArgument(part.name, args, 2);
      return part.type;
    },
    emit: (emitter, args) => {
      const [time, mode, asked] = values(args) as [Operand, Operand | undefined, Operand | undefined];
      const days = daysCode(emitter, time, zoneCode(emitter, time.type, asked));
      const given = mode === undefined ? js`0` : js`Number(${mode.code})`;
      return js`${emitter.bind(part.compute, part.name)}(${days}, ${given})`;
    },
  };
}

function dayOfWeekInMode(days: number, mode: number): number {
  const iso = dayOfWeek(days);
  switch (mode & 3) {
    case 1:
      return iso - 1;
    case 2:
      return iso % 7;
    case 3:
      return (iso % 7) + 1;
    default:
      return iso;
  }
}

const weekParts = [
  weekFunction({
    name: 'to_week',
    aliases: ['week'],
    doc: "Week of the year; the mode says as in MySQL's WEEK on which day weeks begin and which is the first.",
    type: uint8,
    compute: (days, mode) => yearWeek(days, mode)[1],
    example: '20',
  }),
  weekFunction({
    name: 'to_year_week',
    aliases: ['yearweek'],
    doc: 'Year and week of the year as one number, year * 100 + week.',
    type: uint32,
    compute: (days, mode) => {
      const [year, week] = yearWeek(days, mode | 2);
      return year * 100 + week;
    },
    example: '202320',
  }),
  weekFunction({
    name: 'to_day_of_week',
    aliases: ['day_of_week'],
    doc: 'Day of the week: 1 is Monday, 7 is Sunday. Mode 1 counts from 0, mode 2 from Sunday as 0, mode 3 from Sunday as 1.',
    type: uint8,
    compute: dayOfWeekInMode,
    example: '3',
  }),
];

export const datePartFunctions: readonly ScalarFunction[] = [
  ...dayParts.map(partFunction),
  ...timeParts.map(partFunction),
  toMillisecond,
  ...weekParts,
];
