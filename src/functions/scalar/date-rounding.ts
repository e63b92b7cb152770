import { type Code, js } from '../../code/index.ts';
import {
  datetime64,
  daysFromCivil,
  daysInMonth,
  type SqlType,
  type TimeZone,
  types,
} from '../../types/index.ts';
import { expectInteger, illegalType } from '../checks.ts';
import { type Argument, type Emitter, type Operand, type ScalarFunction, values } from '../definition.ts';
import { isoYearOf, monthOf, quarterOf, weekStart, yearOf } from './date-parts.ts';
import {
  datetimeLike,
  daysCode,
  isMoment,
  mod,
  momentArgument,
  ownZone,
  secondsCode,
  timeArgument,
  wallCode,
  type ZoneCode,
  zoneArgument,
  zoneCode,
} from './date-values.ts';

export function yearStart(days: number): number {
  return daysFromCivil(yearOf(days), 1, 1);
}

/** Monday of the week that holds the fourth of January. */
function isoYearStart(days: number): number {
  return weekStart(daysFromCivil(isoYearOf(days), 1, 4), true);
}

function quarterStart(days: number): number {
  return daysFromCivil(yearOf(days), quarterOf(days) * 3 - 2, 1);
}

export function monthStart(days: number): number {
  return daysFromCivil(yearOf(days), monthOf(days), 1);
}

function monthEnd(days: number): number {
  const [year, month] = [yearOf(days), monthOf(days)];
  return daysFromCivil(year, month, daysInMonth(year, month));
}

interface DateFloor {
  readonly name: string;
  readonly aliases?: readonly string[];
  readonly doc: string;
  readonly compute: (days: number) => number;
  readonly example: string;
}

/** The days of a result of type date: wrapped to 16 bits as ClickHouse does where the time lies outside. */
function dateCode(source: SqlType, days: Code): Code {
  return source.kind === 'date' || source.kind === 'datetime' ? days : js`(${days}) & 65535`;
}

/** The seconds of a result of type datetime, wrapped to 32 bits. */
function momentCode(source: SqlType, zone: ZoneCode, seconds: Code): Code {
  return source.kind === 'datetime' && zone.isUtc ? seconds : js`(${seconds}) >>> 0`;
}

function dateFloor(floor: DateFloor): ScalarFunction {
  return {
    kind: 'scalar',
    name: floor.name,
    aliases: floor.aliases ?? [],
    category: 'date_time',
    arity: [1, 2],
    syntax: `${floor.name}(time[, timezone])`,
    doc: floor.doc,
    examples: [[`${floor.name}(to_date('2023-05-17'))`, floor.example]],
    type: (args) => {
      timeArgument(floor.name, args, 0);
      zoneArgument(floor.name, args, 1);
      return types.date;
    },
    emit: (emitter, args) => {
      const [time, asked] = values(args) as [Operand, Operand | undefined];
      const days = daysCode(emitter, time, zoneCode(emitter, time.type, asked));
      return dateCode(time.type, js`${emitter.bind(floor.compute, floor.name)}(${days})`);
    },
  };
}

const dateFloors = [
  dateFloor({
    name: 'to_start_of_year',
    doc: 'First day of the year.',
    compute: yearStart,
    example: '2023-01-01',
  }),
  dateFloor({
    name: 'to_start_of_iso_year',
    aliases: ['toStartOfISOYear'],
    doc: 'First day, a Monday, of the ISO 8601 year.',
    compute: isoYearStart,
    example: '2023-01-02',
  }),
  dateFloor({
    name: 'to_start_of_quarter',
    doc: 'First day of the quarter.',
    compute: quarterStart,
    example: '2023-04-01',
  }),
  dateFloor({
    name: 'to_start_of_month',
    doc: 'First day of the month.',
    compute: monthStart,
    example: '2023-05-01',
  }),
  dateFloor({
    name: 'to_monday',
    doc: 'The last Monday up to the day.',
    compute: (days) => weekStart(days, true),
    example: '2023-05-15',
  }),
  dateFloor({
    name: 'to_last_day_of_month',
    aliases: ['last_day'],
    doc: 'Last day of the month.',
    compute: monthEnd,
    example: '2023-05-31',
  }),
];

/** A function of the week's first day; odd modes begin weeks on Monday, even ones on Sunday. */
function weekFloor(name: string, doc: string, example: string, shift: number): ScalarFunction {
  return {
    kind: 'scalar',
    name,
    category: 'date_time',
    arity: [1, 3],
    syntax: `${name}(time[, mode[, timezone]])`,
    doc,
    examples: [[`${name}(to_date('2023-05-17'))`, example]],
    type: (args) => {
      timeArgument(name, args, 0);
      expectInteger(name, args, 1);
      zoneArgument(name, args, 2);
      return types.date;
    },
    emit: (emitter, args) => {
      const [time, mode, asked] = values(args) as [Operand, Operand | undefined, Operand | undefined];
      const days = daysCode(emitter, time, zoneCode(emitter, time.type, asked));
      const start = emitter.bind(weekStart, 'weekStart');
      const monday = mode === undefined ? js`false` : js`Number(${mode.code}) % 2 === 1`;
      return js`(${start}(${days}, ${monday}) + ${shift}) & 65535`;
    },
  };
}

interface TimeFloor {
  readonly name: string;
  readonly aliases?: readonly string[];
  readonly doc: string;
  /** Length in seconds of what is rounded down to. */
  readonly seconds: number;
  readonly example: string;
}

/** The start of a day, in seconds since 1970 UTC. */
export function startOfDay(wall: number, zone: TimeZone): number {
  return zone.toUtc(Math.floor(wall / 86_400) * 86_400);
}

/** Code of the seconds rounded down on the wall clock to a length that divides a day. */
export function floorCode(emitter: Emitter, time: Operand, zone: ZoneCode, length: number): Code {
  const wall = wallCode(emitter, time, zone);
  if (zone.isUtc) return js`Math.floor(${wall} / ${length}) * ${length}`;
  if (length === 86_400) return js`${emitter.bind(startOfDay, 'startOfDay')}(${wall}, ${zone.zone})`;
  const seconds = secondsCode(emitter, time);
  return js`${seconds} - ${emitter.bind(mod, 'mod')}(${wall}, ${length})`;
}

function timeFloor(floor: TimeFloor): ScalarFunction {
  const wholeDay = floor.seconds === 86_400;
  return {
    kind: 'scalar',
    name: floor.name,
    aliases: floor.aliases ?? [],
    category: 'date_time',
    arity: [1, 2],
    syntax: `${floor.name}(time[, timezone])`,
    doc: floor.doc,
    examples: [[`${floor.name}(to_datetime('2023-05-17 13:44:15'))`, floor.example]],
    type: (args) => {
      const type = wholeDay ? timeArgument(floor.name, args, 0) : momentArgument(floor.name, args, 0);
      return datetimeLike(type, zoneArgument(floor.name, args, 1));
    },
    emit: (emitter, args) => {
      const [time, asked] = values(args) as [Operand, Operand | undefined];
      const zone = zoneCode(emitter, time.type, asked);
      return momentCode(time.type, zone, floorCode(emitter, time, zone, floor.seconds));
    },
  };
}

const timeFloors = [
  timeFloor({
    name: 'to_start_of_day',
    doc: 'Midnight of the day.',
    seconds: 86_400,
    example: '2023-05-17 00:00:00',
  }),
  timeFloor({
    name: 'to_start_of_hour',
    doc: 'Start of the hour.',
    seconds: 3_600,
    example: '2023-05-17 13:00:00',
  }),
  timeFloor({
    name: 'to_start_of_minute',
    doc: 'Start of the minute.',
    seconds: 60,
    example: '2023-05-17 13:44:00',
  }),
  timeFloor({
    name: 'to_start_of_five_minutes',
    aliases: ['to_start_of_five_minute'],
    doc: 'Start of the five minutes.',
    seconds: 300,
    example: '2023-05-17 13:40:00',
  }),
  timeFloor({
    name: 'to_start_of_ten_minutes',
    doc: 'Start of the ten minutes.',
    seconds: 600,
    example: '2023-05-17 13:40:00',
  }),
  timeFloor({
    name: 'to_start_of_fifteen_minutes',
    doc: 'Start of the quarter of an hour.',
    seconds: 900,
    example: '2023-05-17 13:30:00',
  }),
  timeFloor({
    name: 'time_slot',
    doc: 'Start of the half hour.',
    seconds: 1_800,
    example: '2023-05-17 13:30:00',
  }),
];

interface TickFloor {
  readonly name: string;
  readonly doc: string;
  /** Digits of the second's fraction that stay. */
  readonly digits: number;
  readonly example: string;
}

/** Brings ticks to another precision, cutting off towards the past, in units of the given digits. */
export function tickFloor(
  from: number,
  to: number,
  unit: bigint,
): (ticks: number | bigint) => number | bigint {
  const factor = 10n ** BigInt(to - from);
  return (ticks) => {
    const scaled = BigInt(ticks) * factor;
    const rest = ((scaled % unit) + unit) % unit;
    const result = scaled - rest;
    return result >= -9007199254740991n && result <= 9007199254740991n ? Number(result) : result;
  };
}

function subsecondFloor(floor: TickFloor): ScalarFunction {
  return {
    kind: 'scalar',
    name: floor.name,
    category: 'date_time',
    arity: [1, 2],
    syntax: `${floor.name}(time)`,
    doc: floor.doc,
    examples: [[`${floor.name}(to_datetime64('2023-05-17 13:44:15.678912', 6))`, floor.example]],
    type: (args: readonly Argument[]) => {
      const type = momentArgument(floor.name, args, 0);
      const zone = zoneArgument(floor.name, args, 1) ?? ownZone(type);
      if (type.kind === 'datetime' && floor.digits > 0)
        throw illegalType(floor.name, 0, type, 'a datetime64');
      const precision = type.kind === 'datetime64' ? type.precision : 0;
      return type.kind === 'datetime' ? type : datetime64(Math.max(precision, floor.digits), zone);
    },
    kernel: (args, type) => {
      const from = args[0]!.type;
      if (!isMoment(from) || from.kind === 'datetime' || type.kind !== 'datetime64')
        return (value: number) => value;
      return tickFloor(from.precision, type.precision, 10n ** BigInt(type.precision - floor.digits));
    },
  };
}

export const dateRoundingFunctions: readonly ScalarFunction[] = [
  ...dateFloors,
  weekFloor(
    'to_start_of_week',
    'First day of the week: the Sunday up to the day, or with an odd mode the Monday.',
    '2023-05-14',
    0,
  ),
  weekFloor(
    'to_last_day_of_week',
    'Last day of the week: the Saturday from the day on, or with an odd mode the Sunday.',
    '2023-05-20',
    6,
  ),
  ...timeFloors,
  subsecondFloor({
    name: 'to_start_of_second',
    doc: 'Start of the second.',
    digits: 0,
    example: '2023-05-17 13:44:15.000000',
  }),
  subsecondFloor({
    name: 'to_start_of_millisecond',
    doc: 'Start of the millisecond.',
    digits: 3,
    example: '2023-05-17 13:44:15.678000',
  }),
  subsecondFloor({
    name: 'to_start_of_microsecond',
    doc: 'Start of the microsecond.',
    digits: 6,
    example: '2023-05-17 13:44:15.678912',
  }),
  subsecondFloor({
    name: 'to_start_of_nanosecond',
    doc: 'Start of the nanosecond.',
    digits: 9,
    example: '2023-05-17 13:44:15.678912000',
  }),
];
