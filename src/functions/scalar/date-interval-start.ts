import { SluiceError } from '../../base/index.ts';
import { type Code, js } from '../../code/index.ts';
import {
  datetime64,
  daysFromCivil,
  fromByteString,
  type IntervalUnit,
  intervalUnits,
  type SqlType,
  type TimeZone,
  types,
} from '../../types/index.ts';
import { constantOf, illegalType } from '../checks.ts';
import { type Emitter, type Operand, type ScalarFunction, values } from '../definition.ts';
import { monthOf, weekStart, yearOf } from './date-parts.ts';
import { floorCode, startOfDay, tickFloor } from './date-rounding.ts';
import {
  datetimeLike,
  daysCode,
  isMoment,
  mod,
  ownZone,
  secondsCode,
  secondsReader,
  type TimeType,
  timeArgument,
  wallCode,
  wallReader,
  zoneArgument,
  zoneCode,
  zoneFor,
} from './date-values.ts';

const fineDigits: Partial<Record<IntervalUnit, number>> = { millisecond: 3, microsecond: 6, nanosecond: 9 };
const clockSeconds: Partial<Record<IntervalUnit, number>> = { second: 1, minute: 60, hour: 3_600 };

/** First day of the span of so many calendar units that a day is in. */
function calendarStart(unit: IntervalUnit, days: number, count: number): number {
  switch (unit) {
    case 'week': {
      // Weeks are counted from Monday, 1970-01-05.
      const week = Math.floor((weekStart(days, true) - 4) / 7);
      return Math.floor(week / count) * count * 7 + 4;
    }
    case 'month':
    case 'quarter': {
      const months = unit === 'quarter' ? count * 3 : count;
      const month = (yearOf(days) - 1900) * 12 + monthOf(days) - 1;
      const start = Math.floor(month / months) * months;
      return daysFromCivil(1900 + Math.floor(start / 12), mod(start, 12) + 1, 1);
    }
    default:
      return daysFromCivil(Math.floor(yearOf(days) / count) * count, 1, 1);
  }
}

/** Start, in seconds since 1970 UTC, of the span of so many days, counted from 1970-01-01 on the wall clock. */
function daySpanStart(wall: number, count: number, zone: TimeZone): number {
  const days = Math.floor(wall / 86_400);
  return zone.toUtc(Math.floor(days / count) * count * 86_400);
}

/** Start of the span of so many hours, counted from midnight. */
function hourSpanStart(seconds: number, wall: number, count: number): number {
  return seconds - mod(mod(wall, 86_400), count * 3_600);
}

/** The result type of rounding a time to an interval, as ClickHouse has it. */
function startType(name: string, type: TimeType, unit: IntervalUnit, zone: string | undefined): SqlType {
  const digits = fineDigits[unit];
  if (digits !== undefined) {
    if (type.kind !== 'datetime64')
      throw illegalType(name, 0, type, `a datetime64 for an interval of ${unit}s`);
    return datetime64(digits, zone ?? ownZone(type));
  }
  if (clockSeconds[unit] !== undefined) {
    if (!isMoment(type)) throw illegalType(name, 0, type, `a date with time for an interval of ${unit}s`);
    return datetimeLike(type, zone);
  }
  return unit === 'day' ? datetimeLike(type, zone) : types.date;
}

function positive(count: number | bigint): number {
  const number = Number(count);
  if (!(number > 0))
    throw new SluiceError('ARGUMENT_OUT_OF_BOUND', `An interval to round to must be positive, not ${count}`);
  return number;
}

/** The interval's count in generated code: a number known to be positive. */
function countCode(emitter: Emitter, interval: Operand): Code {
  const { bounds } = interval;
  if (bounds !== undefined && bounds[0] === bounds[1] && bounds[0] > 0) return js`${bounds[0]}`;
  return emitter.constant('count', js`${emitter.bind(positive, 'positive')}(${interval.code})`);
}

function emitFine(
  emitter: Emitter,
  time: Operand,
  count: Code,
  type: SqlType & { kind: 'datetime64' },
): Code {
  const from = (time.type as SqlType & { kind: 'datetime64' }).precision;
  const to = type.precision;
  if (from === to && time.bounds !== undefined) return js`Math.floor(${time.code} / ${count}) * ${count}`;
  const round = (ticks: number | bigint, by: number): number | bigint => {
    const shift = BigInt(10 ** Math.abs(to - from));
    const scaled = to >= from ? BigInt(ticks) * shift : tickFloor(0, 0, shift)(ticks);
    const brought = to >= from ? scaled : BigInt(scaled) / shift;
    return tickFloor(0, 0, BigInt(by))(brought);
  };
  return js`${emitter.bind(round, 'round')}(${time.code}, ${count})`;
}

function emitStart(
  emitter: Emitter,
  time: Operand,
  interval: Operand,
  asked: Operand | undefined,
  type: SqlType,
): Code {
  const { unit } = interval.type as SqlType & { kind: 'interval' };
  const count = countCode(emitter, interval);
  if (type.kind === 'datetime64') return emitFine(emitter, time, count, type);
  const zone = zoneCode(emitter, time.type, asked);
  if (type.kind === 'date') {
    const start = emitter.bind((days: number, by: number) => calendarStart(unit, days, by), 'calendarStart');
    return js`${start}(${daysCode(emitter, time, zone)}, ${count}) & 65535`;
  }
  const { bounds } = interval;
  const single = bounds !== undefined && bounds[0] === 1 && bounds[1] === 1;
  if (unit === 'day') {
    if (single) return js`(${floorCode(emitter, time, zone, 86_400)}) >>> 0`;
    const wall = wallCode(emitter, time, zone);
    if (zone.isUtc) return js`(Math.floor(${wall} / (${count} * 86400)) * ${count} * 86400) >>> 0`;
    return js`${emitter.bind(daySpanStart, 'daySpanStart')}(${wall}, ${count}, ${zone.zone}) >>> 0`;
  }
  const seconds = secondsCode(emitter, time);
  if (unit === 'hour' && !single) {
    const wall = wallCode(emitter, time, zone);
    return js`${emitter.bind(hourSpanStart, 'hourSpanStart')}(${seconds}, ${wall}, ${count}) >>> 0`;
  }
  if (single) return js`(${floorCode(emitter, time, zone, clockSeconds[unit]!)}) >>> 0`;
  const length = emitter.constant('length', js`${count} * ${clockSeconds[unit]!}`);
  return js`(Math.floor(${seconds} / ${length}) * ${length}) >>> 0`;
}

const toStartOfInterval: ScalarFunction = {
  kind: 'scalar',
  name: 'to_start_of_interval',
  aliases: ['time_bucket', 'date_bin'],
  category: 'date_time',
  arity: [2, 3],
  syntax: 'to_start_of_interval(time, interval[, timezone])',
  doc: 'Start of the span that the time is in, time being divided into spans as long as the interval: days and weeks from 1970 on, hours from midnight on.',
  examples: [
    ["to_start_of_interval(to_datetime('2023-05-17 13:14:15'), INTERVAL 5 MINUTE)", '2023-05-17 13:10:00'],
    ["to_start_of_interval(to_datetime('2023-05-17 13:14:15'), INTERVAL 1 MONTH)", '2023-05-01'],
  ],
  type: (args) => {
    const type = timeArgument('to_start_of_interval', args, 0);
    const interval = args[1]!.type;
    if (interval.kind !== 'interval') throw illegalType('to_start_of_interval', 1, interval, 'an interval');
    const zone = zoneArgument('to_start_of_interval', args, 2);
    return startType('to_start_of_interval', type, interval.unit, zone);
  },
  emit: (emitter, args, type) => {
    const [time, interval, asked] = values(args) as [Operand, Operand, Operand | undefined];
    return emitStart(emitter, time, interval, asked, type);
  },
};

const truncUnits = new Map<string, IntervalUnit>(intervalUnits.map((unit) => [unit, unit]));

/** The unit that a constant argument names. */
export function unitArgument(name: string, args: Parameters<ScalarFunction['type']>[0]): IntervalUnit {
  const text = constantOf(name, args, 0);
  const unit =
    typeof text === 'string'
      ? (truncUnits.get(text.toLowerCase()) ?? unitAliases.get(text.toLowerCase()))
      : undefined;
  if (unit === undefined)
    throw new SluiceError(
      'BAD_ARGUMENTS',
      `Function ${name} does not know the unit '${fromByteString(String(text))}': expected ${[...truncUnits.keys()].join(', ')}`,
    );
  return unit;
}

const unitAliases = new Map<string, IntervalUnit>([
  ['nanoseconds', 'nanosecond'],
  ['ns', 'nanosecond'],
  ['microseconds', 'microsecond'],
  ['us', 'microsecond'],
  ['u', 'microsecond'],
  ['milliseconds', 'millisecond'],
  ['ms', 'millisecond'],
  ['seconds', 'second'],
  ['ss', 'second'],
  ['s', 'second'],
  ['minutes', 'minute'],
  ['mi', 'minute'],
  ['n', 'minute'],
  ['hours', 'hour'],
  ['hh', 'hour'],
  ['h', 'hour'],
  ['days', 'day'],
  ['dd', 'day'],
  ['d', 'day'],
  ['weeks', 'week'],
  ['wk', 'week'],
  ['ww', 'week'],
  ['months', 'month'],
  ['mm', 'month'],
  ['m', 'month'],
  ['quarters', 'quarter'],
  ['qq', 'quarter'],
  ['q', 'quarter'],
  ['years', 'year'],
  ['yyyy', 'year'],
  ['yy', 'year'],
]);

/** The type of date_trunc: like that of to_start_of_interval, wide types staying wide. */
function truncType(type: TimeType, unit: IntervalUnit, zone: string | undefined): SqlType {
  const start = startType('date_trunc', type, unit, zone);
  const wide = type.kind === 'datetime64' || type.kind === 'date32';
  if (!wide || start.kind === 'datetime64') return start;
  return start.kind === 'date' ? types.date32 : datetime64(0, zone ?? ownZone(type));
}

const dateTrunc: ScalarFunction = {
  kind: 'scalar',
  name: 'date_trunc',
  category: 'date_time',
  arity: [2, 3],
  syntax: "date_trunc('unit', time[, timezone])",
  doc: 'The time cut down to a unit: year, quarter, month, week, day, hour, minute, second, millisecond and finer.',
  examples: [
    ["date_trunc('hour', to_datetime('2023-05-17 13:44:15'))", '2023-05-17 13:00:00'],
    ["date_trunc('month', to_date('2023-05-17'))", '2023-05-01'],
  ],
  type: (args) => {
    const unit = unitArgument('date_trunc', args);
    return truncType(timeArgument('date_trunc', args, 1), unit, zoneArgument('date_trunc', args, 2));
  },
  kernel: (args, type) => {
    const unit = unitArgument('date_trunc', args);
    const from = args[1]!.type as TimeType;
    const zone = zoneFor(from, zoneArgument('date_trunc', args, 2));
    const digits = fineDigits[unit];
    if (digits !== undefined && type.kind === 'datetime64') {
      const { precision } = from as SqlType & { kind: 'datetime64' };
      const down = tickFloor(0, 0, 10n ** BigInt(Math.max(0, precision - digits)));
      const factor = 10n ** BigInt(Math.abs(digits - precision));
      const rescale = (ticks: number | bigint) =>
        digits >= precision ? BigInt(ticks) * factor : BigInt(ticks) / factor;
      return (_: unknown, ticks: number | bigint) => tickFloor(0, 0, 1n)(rescale(down(ticks)));
    }
    const wall = wallReader(from, zone);
    if (type.kind === 'date' || type.kind === 'date32')
      return (_: unknown, value: number | bigint) => calendarStart(unit, Math.floor(wall(value) / 86_400), 1);
    if (unit === 'day') return (_: unknown, value: number | bigint) => startOfDay(wall(value), zone);
    const seconds = secondsReader(from, zone);
    const length = clockSeconds[unit]!;
    return (_: unknown, value: number | bigint) => seconds(value) - mod(wall(value), length);
  },
};

export const dateIntervalStartFunctions: readonly ScalarFunction[] = [toStartOfInterval, dateTrunc];
