import { SluiceError } from '../../base/index.ts';
import {
  datetime64,
  type IntervalUnit,
  isInteger,
  isNumber,
  type SqlType,
  serverTimeZone,
  textParser,
  types,
} from '../../types/index.ts';
import { expectInteger, illegalType } from '../checks.ts';
import type { Argument, ScalarFunction } from '../definition.ts';
import { unitArgument } from './date-interval-start.ts';
import { type TimeType, timeArgument, zoneArgument } from './date-values.ts';
import { movedType, mover } from './time-arithmetic.ts';

const units: readonly IntervalUnit[] = [
  'year',
  'quarter',
  'month',
  'week',
  'day',
  'hour',
  'minute',
  'second',
  'millisecond',
  'microsecond',
  'nanosecond',
];

type Move = (value: number | bigint, amount: number | bigint) => number | bigint;

/** The time type that an argument is moved as: text is read as datetime64(3). */
function movable(name: string, args: readonly Argument[], position: number): TimeType {
  const { type } = args[position]!;
  if (type.kind === 'string') return datetime64(3) as TimeType;
  return timeArgument(name, args, position);
}

/** Moves a canonical value of the argument's own type, text included. */
function moverOf(
  type: SqlType,
  as: TimeType,
  unit: IntervalUnit,
): (value: never, amount: number | bigint) => number | bigint {
  const move: Move = mover(as, unit);
  if (type.kind !== 'string') return move;
  const parse = textParser(as);
  return (value: string, amount) => move(parse(value) as number, amount);
}

function truncated(amount: number | bigint): number | bigint {
  return typeof amount === 'number' ? Math.trunc(amount) : amount;
}

function moveFunction(unit: IntervalUnit, sign: 1 | -1): ScalarFunction {
  const name = `${sign === 1 ? 'add' : 'subtract'}_${unit}s`;
  return {
    kind: 'scalar',
    name,
    category: 'date_time',
    arity: [2, 2],
    syntax: `${name}(time, n)`,
    doc: `The time ${sign === 1 ? 'plus' : 'minus'} n ${unit}s. The day is cut to the length of the month that is arrived at.`,
    examples: [[`${name}(to_datetime64('2024-03-31 12:00:00', 3), 1)`, movedExample(unit, sign)]],
    type: (args) => {
      const type = movable(name, args, 0);
      const amount = args[1]!.type;
      if (!isNumber(amount) || amount.kind === 'decimal') throw illegalType(name, 1, amount, 'a number');
      return movedType(type, unit);
    },
    kernel: (args) => {
      const move = moverOf(args[0]!.type, movable(name, args, 0), unit);
      return sign === 1
        ? (value: never, amount: number | bigint) => move(value, truncated(amount))
        : (value: never, amount: number | bigint) => move(value, -truncated(amount));
    },
  };
}

const movedExamples: Record<string, readonly [added: string, subtracted: string]> = {
  year: ['2025-03-31 12:00:00.000', '2023-03-31 12:00:00.000'],
  quarter: ['2024-06-30 12:00:00.000', '2023-12-31 12:00:00.000'],
  month: ['2024-04-30 12:00:00.000', '2024-02-29 12:00:00.000'],
  week: ['2024-04-07 12:00:00.000', '2024-03-24 12:00:00.000'],
  day: ['2024-04-01 12:00:00.000', '2024-03-30 12:00:00.000'],
  hour: ['2024-03-31 13:00:00.000', '2024-03-31 11:00:00.000'],
  minute: ['2024-03-31 12:01:00.000', '2024-03-31 11:59:00.000'],
  second: ['2024-03-31 12:00:01.000', '2024-03-31 11:59:59.000'],
  millisecond: ['2024-03-31 12:00:00.001', '2024-03-31 11:59:59.999'],
  microsecond: ['2024-03-31 12:00:00.000001', '2024-03-31 11:59:59.999999'],
  nanosecond: ['2024-03-31 12:00:00.000000001', '2024-03-31 11:59:59.999999999'],
};

function movedExample(unit: IntervalUnit, sign: 1 | -1): string {
  return movedExamples[unit]![sign === 1 ? 0 : 1];
}

/** `date_add` as a function: with a unit as text and a number, or with an interval. */
function dateMove(name: string, aliases: readonly string[], sign: 1 | -1, example: string): ScalarFunction {
  const unitOf = (args: readonly Argument[]): IntervalUnit => {
    if (args.length === 3) return unitArgument(name, args);
    const { type } = args[1]!;
    if (type.kind !== 'interval') throw illegalType(name, 1, type, 'an interval');
    return type.unit;
  };
  return {
    kind: 'scalar',
    name,
    aliases,
    category: 'date_time',
    arity: [2, 3],
    syntax: `${name}(unit, n, time), ${name}(time, interval)`,
    doc: `The time ${sign === 1 ? 'plus' : 'minus'} an interval.`,
    examples: [
      [`${name}(DAY, 3, to_date('2024-01-10'))`, example],
      [`${name}(to_date('2024-01-10'), INTERVAL 3 DAY)`, example],
    ],
    type: (args) => {
      const unit = unitOf(args);
      if (args.length === 3) expectInteger(name, args, 1);
      return movedType(movable(name, args, args.length === 3 ? 2 : 0), unit);
    },
    kernel: (args) => {
      const unit = unitOf(args);
      const place = args.length === 3 ? 2 : 0;
      const move = moverOf(args[place]!.type, movable(name, args, place), unit);
      if (place === 0)
        return (value: never, amount: number | bigint) => move(value, sign === 1 ? amount : -amount);
      return (_: unknown, amount: number | bigint, value: never) =>
        move(value, sign === 1 ? amount : -amount);
    },
  };
}

const toTimeZone: ScalarFunction = {
  kind: 'scalar',
  name: 'to_timezone',
  aliases: ['to_time_zone'],
  category: 'date_time',
  arity: [2, 2],
  syntax: "to_timezone(time, 'zone')",
  doc: 'The same moment with another time zone, in which it is shown and computed with.',
  examples: [["to_timezone(to_datetime('2023-05-17 00:00:00'), 'Asia/Tokyo')", '2023-05-17 09:00:00']],
  type: (args) => {
    const { type } = args[0]!;
    if (type.kind !== 'datetime' && type.kind !== 'datetime64')
      throw illegalType('to_timezone', 0, type, 'a date with time');
    return { ...type, timezone: zoneArgument('to_timezone', args, 1) ?? serverTimeZone };
  },
  emit: (_, args, type) => {
    const [time] = args;
    if (time === undefined || 'lambda' in time) throw new Error('Assertion failed: to_timezone takes a time');
    return { ...time, type };
  },
};

function addInterval(name: string, sign: 1 | -1, example: string): ScalarFunction {
  return {
    kind: 'scalar',
    name,
    category: 'date_time',
    arity: [2, 2],
    syntax: `${name}(interval, interval)`,
    doc: `An interval ${sign === 1 ? 'plus' : 'minus'} another of the same unit.`,
    examples: [[`${name}(INTERVAL 3 DAY, INTERVAL 2 DAY)`, example]],
    type: (args) => {
      const [left, right] = args.map((argument) => argument.type) as [SqlType, SqlType];
      if (left.kind !== 'interval' || right.kind !== 'interval' || left.unit !== right.unit)
        throw new SluiceError('ILLEGAL_TYPE_OF_ARGUMENT', `Function ${name} takes two intervals of one unit`);
      return left;
    },
    kernel: () => (left: number, right: number) => left + sign * right,
  };
}

/** Days from the first of January of the year 0 to 1970-01-01. */
const yearZeroShift = 719_528;

const toDaysSinceYearZero: ScalarFunction = {
  kind: 'scalar',
  name: 'to_days_since_year_zero',
  aliases: ['to_days'],
  category: 'date_time',
  arity: [1, 1],
  syntax: 'to_days_since_year_zero(date)',
  doc: 'Days from the first of January of the year 0 to the date.',
  examples: [["to_days_since_year_zero(to_date('2023-09-08'))", '739136']],
  type: (args) => {
    const { type } = args[0]!;
    if (type.kind !== 'date' && type.kind !== 'date32')
      throw illegalType('to_days_since_year_zero', 0, type, 'a date');
    return types.uint32;
  },
  kernel: () => (days: number) => days + yearZeroShift,
};

const fromDaysSinceYearZero: ScalarFunction = {
  kind: 'scalar',
  name: 'from_days_since_year_zero',
  aliases: ['from_days'],
  category: 'date_time',
  arity: [1, 1],
  syntax: 'from_days_since_year_zero(days)',
  doc: 'The date so many days after the first of January of the year 0.',
  examples: [['from_days_since_year_zero(739136)', '2023-09-08']],
  type: (args) => {
    if (!isInteger(args[0]!.type))
      throw illegalType('from_days_since_year_zero', 0, args[0]!.type, 'an integer');
    return types.date;
  },
  kernel: () => (days: number | bigint) => (Number(days) - yearZeroShift) & 0xffff,
};

export const dateArithmeticFunctions: readonly ScalarFunction[] = [
  ...units.map((unit) => moveFunction(unit, 1)),
  ...units.map((unit) => moveFunction(unit, -1)),
  dateMove('date_add', ['timestamp_add', 'timestampadd'], 1, '2024-01-13'),
  dateMove('date_sub', ['timestamp_sub', 'timestampsub'], -1, '2024-01-07'),
  addInterval('add_interval', 1, '5'),
  addInterval('subtract_interval', -1, '1'),
  toTimeZone,
  toDaysSinceYearZero,
  fromDaysSinceYearZero,
];
