import {
  canonicalInteger,
  civilFromDays,
  type IntervalUnit,
  type TimeZone,
  types,
} from '../../types/index.ts';
import { illegalType } from '../checks.ts';
import type { ScalarFunction } from '../definition.ts';
import { unitArgument } from './date-interval-start.ts';
import { monthOf, quarterOf, weekStart, yearOf } from './date-parts.ts';
import {
  nanosecondsReader,
  secondsReader,
  type TimeType,
  timeArgument,
  wallReader,
  zoneArgument,
  zoneFor,
} from './date-values.ts';

/** Nanoseconds of the units below a day. */
const unitLengths: Partial<Record<IntervalUnit, bigint>> = {
  hour: 3_600_000_000_000n,
  minute: 60_000_000_000n,
  second: 1_000_000_000n,
  millisecond: 1_000_000n,
  microsecond: 1_000n,
  nanosecond: 1n,
};

function floorDivide(value: bigint, divisor: bigint): bigint {
  const quotient = value / divisor;
  return value % divisor < 0n ? quotient - 1n : quotient;
}

/** The number of the calendar unit that a day is in, counted on through the years. */
function calendarNumber(unit: IntervalUnit, days: number): number {
  switch (unit) {
    case 'year':
      return yearOf(days);
    case 'quarter':
      return yearOf(days) * 4 + quarterOf(days);
    case 'month':
      return yearOf(days) * 12 + monthOf(days);
    case 'week':
      return (weekStart(days, true) - 4) / 7;
    default:
      return days;
  }
}

type Value = number | bigint;

/** A function that gives the number of the unit that a time is in. */
function numberReader(type: TimeType, unit: IntervalUnit, zone: TimeZone): (value: Value) => bigint {
  const length = unitLengths[unit];
  if (length === undefined) {
    const wall = wallReader(type, zone);
    return (value) => BigInt(calendarNumber(unit, Math.floor(wall(value) / 86_400)));
  }
  const nanoseconds = nanosecondsReader(type, zone);
  return (value) => floorDivide(nanoseconds(value), length);
}

/** The same in plain numbers, for units of a second and more. */
function quickReader(
  type: TimeType,
  unit: IntervalUnit,
  zone: TimeZone,
): ((value: Value) => number) | undefined {
  if (unit === 'millisecond' || unit === 'microsecond' || unit === 'nanosecond') return undefined;
  const length = unitLengths[unit];
  if (length !== undefined) {
    const seconds = secondsReader(type, zone);
    const span = Number(length / 1_000_000_000n);
    return (value) => Math.floor(seconds(value) / span);
  }
  const wall = wallReader(type, zone);
  return (value) => calendarNumber(unit, Math.floor(wall(value) / 86_400));
}

const dateDiff: ScalarFunction = {
  kind: 'scalar',
  name: 'date_diff',
  aliases: ['timestamp_diff', 'datediff', 'timestampdiff'],
  category: 'date_time',
  arity: [3, 4],
  syntax: "date_diff('unit', start, end[, timezone])",
  doc: 'How many borders of the unit lie between two times, negative when the second comes first.',
  examples: [
    ["date_diff('day', to_date('2024-01-30'), to_date('2024-02-02'))", '3'],
    ["date_diff('hour', to_datetime('2024-01-01 12:59:59'), to_datetime('2024-01-01 13:00:00'))", '1'],
  ],
  type: (args) => {
    unitArgument('date_diff', args);
    timeArgument('date_diff', args, 1);
    timeArgument('date_diff', args, 2);
    zoneArgument('date_diff', args, 3);
    return types.int64;
  },
  kernel: (args) => {
    const unit = unitArgument('date_diff', args);
    const asked = zoneArgument('date_diff', args, 3);
    const sides = [1, 2].map((position) => timeArgument('date_diff', args, position));
    const [start, end] = sides.map((type) => quickReader(type, unit, zoneFor(type, asked)));
    if (start !== undefined && end !== undefined)
      return (_: unknown, from: Value, to: Value) => end(to) - start(from);
    const [first, second] = sides.map((type) => numberReader(type, unit, zoneFor(type, asked)));
    return (_: unknown, from: Value, to: Value) => canonicalInteger(second!(to) - first!(from));
  },
};

/** A moment taken apart: days on the wall clock, and nanoseconds of the day. */
interface WallMoment {
  readonly days: number;
  readonly rest: bigint;
}

function wholeMonths(from: WallMoment, to: WallMoment): number {
  if (to.days < from.days || (to.days === from.days && to.rest < from.rest)) return 0 - wholeMonths(to, from);
  const [start, end] = [civilFromDays(from.days), civilFromDays(to.days)];
  const months = (end.year - start.year) * 12 + end.month - start.month;
  const early = end.day < start.day || (end.day === start.day && to.rest < from.rest);
  return early ? months - 1 : months;
}

const dayNanoseconds = 86_400_000_000_000n;

/** The wall clock of a time in nanoseconds since 1970. */
function wallNanoseconds(type: TimeType, zone: TimeZone): (value: Value) => bigint {
  const nanoseconds = nanosecondsReader(type, zone);
  const [wall, seconds] = [wallReader(type, zone), secondsReader(type, zone)];
  return (value) => nanoseconds(value) + BigInt(wall(value) - seconds(value)) * 1_000_000_000n;
}

function takeApart(nanoseconds: bigint): WallMoment {
  const days = floorDivide(nanoseconds, dayNanoseconds);
  return { days: Number(days), rest: nanoseconds - days * dayNanoseconds };
}

const monthsOf: Partial<Record<IntervalUnit, number>> = { month: 1, quarter: 3, year: 12 };
const daysOf: Partial<Record<IntervalUnit, bigint>> = { day: 1n, week: 7n };

const age: ScalarFunction = {
  kind: 'scalar',
  name: 'age',
  category: 'date_time',
  arity: [3, 4],
  syntax: "age('unit', start, end[, timezone])",
  doc: 'How many whole units have passed between two times, negative when the second comes first.',
  examples: [
    ["age('month', to_date('2024-01-31'), to_date('2024-03-01'))", '1'],
    ["age('hour', to_datetime('2024-01-01 12:59:59'), to_datetime('2024-01-01 13:00:00'))", '0'],
  ],
  type: (args) => {
    unitArgument('age', args);
    timeArgument('age', args, 1);
    timeArgument('age', args, 2);
    zoneArgument('age', args, 3);
    return types.int64;
  },
  kernel: (args) => {
    const unit = unitArgument('age', args);
    const asked = zoneArgument('age', args, 3);
    const [start, end] = [1, 2].map((position) => {
      const type = timeArgument('age', args, position);
      return wallNanoseconds(type, zoneFor(type, asked));
    }) as [(value: Value) => bigint, (value: Value) => bigint];
    const months = monthsOf[unit];
    if (months !== undefined) {
      return (_: unknown, from: Value, to: Value) =>
        Math.trunc(wholeMonths(takeApart(start(from)), takeApart(end(to))) / months) + 0;
    }
    const length = unitLengths[unit] ?? daysOf[unit]! * dayNanoseconds;
    return (_: unknown, from: Value, to: Value) => canonicalInteger((end(to) - start(from)) / length);
  },
};

/** Nanoseconds of an interval; calendar units count as on average they are written: 30 and 365 days. */
const intervalLengths: Record<IntervalUnit, bigint> = {
  nanosecond: 1n,
  microsecond: 1_000n,
  millisecond: 1_000_000n,
  second: 1_000_000_000n,
  minute: 60_000_000_000n,
  hour: 3_600_000_000_000n,
  day: dayNanoseconds,
  week: 7n * dayNanoseconds,
  month: 30n * dayNanoseconds,
  quarter: 90n * dayNanoseconds,
  year: 365n * dayNanoseconds,
};

const dateDiffWithin: ScalarFunction = {
  kind: 'scalar',
  name: 'date_diff_within',
  category: 'date_time',
  arity: [3, 3],
  syntax: 'date_diff_within(interval, a, b)',
  doc: 'Whether two times lie no further apart than the interval; bounds the rows that a join of streams has to keep.',
  examples: [
    [
      "date_diff_within(INTERVAL 2 MINUTE, to_datetime('2024-01-01 00:00:00'), to_datetime('2024-01-01 00:01:30'))",
      'true',
    ],
  ],
  type: (args) => {
    if (args[0]!.type.kind !== 'interval')
      throw illegalType('date_diff_within', 0, args[0]!.type, 'an interval');
    timeArgument('date_diff_within', args, 1);
    timeArgument('date_diff_within', args, 2);
    return types.bool;
  },
  kernel: (args) => {
    const length = intervalLengths[(args[0]!.type as { readonly unit: IntervalUnit }).unit];
    const [first, second] = [1, 2].map((position) => {
      const type = timeArgument('date_diff_within', args, position);
      return nanosecondsReader(type, zoneFor(type));
    }) as [(value: Value) => bigint, (value: Value) => bigint];
    return (interval: Value, left: Value, right: Value) => {
      const distance = first(left) - second(right);
      return (distance < 0n ? -distance : distance) <= BigInt(interval) * length ? 1 : 0;
    };
  },
};

export const dateDifferenceFunctions: readonly ScalarFunction[] = [dateDiff, age, dateDiffWithin];
