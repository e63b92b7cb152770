import { SluiceError } from '../../base/index.ts';
import {
  canonicalInteger,
  datetime64,
  daysFromCivil,
  isInteger,
  isNumber,
  type SqlType,
  serverTimeZone,
  splitTicks,
  textParser,
  timeZone,
  types,
} from '../../types/index.ts';
import { constantOf, expectNumber, illegalType } from '../checks.ts';
import type { Argument, ScalarFunction } from '../definition.ts';
import { compileFormat } from './date-format.ts';
import {
  datetimeLike,
  daySeconds,
  momentArgument,
  ownZone,
  secondsReader,
  timeArgument,
  zoneArgument,
  zoneFor,
} from './date-values.ts';

function dateFunction(parts: Omit<ScalarFunction, 'kind' | 'category'>): ScalarFunction {
  return { kind: 'scalar', category: 'date_time', ...parts };
}

/** Days of year, month and day as they are, a day too far going into the next month; 0 where there is no such month. */
function madeDays(year: number, month: number, day: number): number | undefined {
  if (!(year >= 1970 && year <= 2149 && month >= 1 && month <= 12 && day >= 1 && day <= 31)) return undefined;
  return daysFromCivil(year, month, day);
}

const makeDate = dateFunction({
  name: 'make_date',
  arity: [2, 3],
  syntax: 'make_date(year, month, day), make_date(year, day_of_year)',
  doc: 'The date of a year, month and day, or of a year and a day of the year; 1970-01-01 where there is none.',
  examples: [
    ['make_date(2023, 5, 17)', '2023-05-17'],
    ['make_date(2023, 100)', '2023-04-10'],
  ],
  type: (args) => {
    expectNumber('make_date', args, 0, 1, 2);
    return types.date;
  },
  kernel: () => (year: number | bigint, second: number | bigint, third?: number | bigint) => {
    const [one, two] = [Math.trunc(Number(year)), Math.trunc(Number(second))];
    if (third === undefined)
      return two >= 1 && two <= 366 ? ((madeDays(one, 1, 1) ?? 1 - two) + two - 1) & 0xffff : 0;
    return (madeDays(one, two, Math.trunc(Number(third))) ?? 0) & 0xffff;
  },
});

/** Seconds on the wall clock of six numbers; undefined where they name no moment. */
function madeWall(parts: readonly (number | bigint)[]): number | undefined {
  const [year, month, day, hour, minute, second] = parts.map((part) => Math.trunc(Number(part))) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  if (!(hour >= 0 && hour <= 23 && minute >= 0 && minute <= 59 && second >= 0 && second <= 59))
    return undefined;
  if (!(year >= 1900 && year <= 2299 && month >= 1 && month <= 12 && day >= 1 && day <= 31)) return undefined;
  return daysFromCivil(year, month, day) * daySeconds + hour * 3_600 + minute * 60 + second;
}

const makeDatetime = dateFunction({
  name: 'make_datetime',
  aliases: ['makeDateTime'],
  arity: [6, 7],
  syntax: 'make_datetime(year, month, day, hour, minute, second[, timezone])',
  doc: 'The moment of a date and a time of day.',
  examples: [['make_datetime(2023, 5, 17, 1, 2, 3)', '2023-05-17 01:02:03']],
  type: (args) => {
    expectNumber('make_datetime', args, 0, 1, 2, 3, 4, 5);
    return datetimeLike(types.datetime, zoneArgument('make_datetime', args, 6));
  },
  kernel: (_, type) => {
    const zone = zoneFor(type);
    return (...given: (number | bigint)[]) => {
      const wall = madeWall(given);
      return wall === undefined ? 0 : Math.min(4_294_967_295, Math.max(0, zone.toUtc(wall)));
    };
  },
});

function fractionPrecision(args: readonly Argument[]): number {
  if (args.length < 8) return 3;
  const precision = Number(constantOf('make_datetime64', args, 7));
  if (!(precision >= 0 && precision <= 9))
    throw new SluiceError('ARGUMENT_OUT_OF_BOUND', `A precision must be from 0 to 9, not ${precision}`);
  return precision;
}

const makeDatetime64 = dateFunction({
  name: 'make_datetime64',
  aliases: ['makeDateTime64'],
  arity: [6, 9],
  syntax: 'make_datetime64(year, month, day, hour, minute, second[, fraction[, precision[, timezone]]])',
  doc: 'The moment of a date, a time of day and a fraction counted in ticks of the precision (3 when not given).',
  examples: [['make_datetime64(2023, 5, 17, 1, 2, 3, 779)', '2023-05-17 01:02:03.779']],
  type: (args) => {
    expectNumber('make_datetime64', args, 0, 1, 2, 3, 4, 5, 6);
    return datetime64(fractionPrecision(args), zoneArgument('make_datetime64', args, 8));
  },
  kernel: (_, type) => {
    const zone = zoneFor(type);
    const scale = 10n ** BigInt((type as SqlType & { kind: 'datetime64' }).precision);
    return (...given: (number | bigint)[]) => {
      const wall = madeWall(given.slice(0, 6));
      if (wall === undefined) return 0;
      const fraction = BigInt(Math.trunc(Number(given[6] ?? 0)));
      return canonicalInteger(
        BigInt(zone.toUtc(wall)) * scale + (fraction < scale && fraction >= 0n ? fraction : 0n),
      );
    };
  },
});

const toUnixTimestamp = dateFunction({
  name: 'to_unix_timestamp',
  aliases: ['unix_timestamp'],
  arity: [1, 2],
  syntax: 'to_unix_timestamp(time[, timezone])',
  doc: 'Seconds since 1970 UTC of a time, or of a text that is read as one.',
  examples: [
    ["to_unix_timestamp('2023-05-17 13:44:15')", '1684331055'],
    ["to_unix_timestamp(to_datetime('2023-05-17 13:44:15'))", '1684331055'],
  ],
  type: (args) => {
    zoneArgument('to_unix_timestamp', args, 1);
    if (args[0]!.type.kind !== 'string') timeArgument('to_unix_timestamp', args, 0);
    return types.uint32;
  },
  kernel: (args) => {
    const asked = zoneArgument('to_unix_timestamp', args, 1);
    const { type } = args[0]!;
    if (type.kind === 'string')
      return textParser(types.datetime, asked === undefined ? {} : { timezone: asked });
    const seconds = secondsReader(timeArgument('to_unix_timestamp', args, 0), zoneFor(type, asked));
    return (value: number | bigint) => seconds(value) >>> 0;
  },
});

interface Scale {
  readonly name: string;
  readonly digits: number;
  readonly example: string;
  readonly unit: string;
}

const scales: readonly Scale[] = [
  { name: 'second', digits: 0, example: '1684331055', unit: 'Seconds' },
  { name: 'milli', digits: 3, example: '1684331055678', unit: 'Milliseconds' },
  { name: 'micro', digits: 6, example: '1684331055678000', unit: 'Microseconds' },
  { name: 'nano', digits: 9, example: '1684331055678000000', unit: 'Nanoseconds' },
];

/** Ticks of one precision as those of another, digits that go being cut off towards the past. */
function rescaleTicks(value: number | bigint, from: number, to: number): number | bigint {
  if (to >= from) return canonicalInteger(BigInt(value) * 10n ** BigInt(to - from));
  return splitTicks(value, from - to)[0];
}

function toUnixScaled(scale: Scale): ScalarFunction {
  const name = `to_unix_timestamp64_${scale.name}`;
  return dateFunction({
    name,
    arity: [1, 1],
    syntax: `${name}(time)`,
    doc: `${scale.unit} since 1970 UTC of a datetime64.`,
    examples: [[`${name}(to_datetime64('2023-05-17 13:44:15.678', 3))`, scale.example]],
    type: (args) => {
      momentArgument(name, args, 0);
      return types.int64;
    },
    kernel: (args) => {
      const { type } = args[0]!;
      const precision = type.kind === 'datetime64' ? type.precision : 0;
      return (ticks: number | bigint) => rescaleTicks(ticks, precision, scale.digits);
    },
  });
}

function fromUnixScaled(scale: Scale): ScalarFunction {
  const name = `from_unix_timestamp64_${scale.name}`;
  const example = [
    '2023-05-17 13:44:15',
    '2023-05-17 13:44:15.678',
    '2023-05-17 13:44:15.678000',
    '2023-05-17 13:44:15.678000000',
  ];
  return dateFunction({
    name,
    arity: [1, 2],
    syntax: `${name}(number[, timezone])`,
    doc: `The datetime64(${scale.digits}) of so many ${scale.unit.toLowerCase()} since 1970 UTC.`,
    examples: [[`${name}(${scale.example})`, example[scale.digits / 3]!]],
    type: (args) => {
      if (!isInteger(args[0]!.type)) throw illegalType(name, 0, args[0]!.type, 'an integer');
      return datetime64(scale.digits, zoneArgument(name, args, 1));
    },
    kernel: () => (value: number | bigint) => canonicalInteger(BigInt.asIntN(64, BigInt(value))),
  });
}

const fromUnixTimestamp = dateFunction({
  name: 'from_unix_timestamp',
  arity: [1, 3],
  syntax: 'from_unix_timestamp(seconds[, format[, timezone]])',
  doc: 'The datetime of so many seconds since 1970 UTC; with a format its text, as format_datetime writes it.',
  examples: [
    ['from_unix_timestamp(1684331055)', '2023-05-17 13:44:15'],
    ["from_unix_timestamp(1684331055, '%Y/%m')", '2023/05'],
  ],
  type: (args) => {
    if (!isNumber(args[0]!.type) && args[0]!.type.kind !== 'date')
      throw illegalType('from_unix_timestamp', 0, args[0]!.type, 'a number');
    if (args.length === 1) return types.datetime;
    zoneArgument('from_unix_timestamp', args, 2);
    constantOf('from_unix_timestamp', args, 1);
    return types.string;
  },
  kernel: (args) => {
    const wrap = (value: number | bigint) => Number(BigInt.asUintN(32, BigInt(Math.trunc(Number(value)))));
    if (args.length === 1) return wrap;
    const zone = timeZone(zoneArgument('from_unix_timestamp', args, 2) ?? serverTimeZone);
    const format = compileFormat(String(constantOf('from_unix_timestamp', args, 1)));
    return (value: number | bigint) => {
      const seconds = wrap(value);
      const offset = zone.offsetAt(seconds);
      return format({ wall: seconds + offset, fraction: '', offset, zone: zone.name });
    };
  },
});

const timezoneOffset = dateFunction({
  name: 'timezone_offset',
  aliases: ['time_zone_offset'],
  arity: [1, 1],
  syntax: 'timezone_offset(time)',
  doc: "Seconds by which the wall clock of the time's zone is ahead of UTC.",
  examples: [["timezone_offset(to_datetime('2023-05-17 00:00:00', 'America/New_York'))", '-14400']],
  type: (args) => {
    momentArgument('timezone_offset', args, 0);
    return types.int32;
  },
  kernel: (args) => {
    const type = momentArgument('timezone_offset', args, 0);
    const zone = zoneFor(type, ownZone(type));
    const seconds = secondsReader(type, zone);
    return (value: number | bigint) => zone.offsetAt(seconds(value));
  },
});

export const dateMakeFunctions: readonly ScalarFunction[] = [
  makeDate,
  makeDatetime,
  makeDatetime64,
  toUnixTimestamp,
  ...scales.map(toUnixScaled),
  ...scales.map(fromUnixScaled),
  fromUnixTimestamp,
  timezoneOffset,
];
