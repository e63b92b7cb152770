import { SluiceError } from '../../base/index.ts';
import {
  canonicalInteger,
  datetime64,
  type SqlType,
  serverTimeZone,
  timeZone,
  types,
} from '../../types/index.ts';
import { constantOf, illegalType } from '../checks.ts';
import type { Argument, QueryContext, ScalarFunction } from '../definition.ts';
import { datetimeLike, daySeconds, ownZone, zoneArgument } from './date-values.ts';

function clockFunction(
  parts: Pick<
    ScalarFunction,
    'name' | 'aliases' | 'arity' | 'syntax' | 'doc' | 'examples' | 'type' | 'kernel'
  >,
): ScalarFunction {
  return { kind: 'scalar', category: 'date_time', evaluation: 'per_query', contextual: true, ...parts };
}

function secondsNow(context: QueryContext): number {
  return Math.floor(context.now / 1_000);
}

const nowInBlock = clockFunction({
  name: 'now_in_block',
  aliases: ['current_timestamp'],
  arity: [0, 1],
  syntax: 'now_in_block([timezone])',
  doc: 'The time at which the query, or the block of a streaming query, started, to the second.',
  examples: [['to_type_name(now_in_block())', 'datetime']],
  type: (args) => datetimeLike(types.datetime, zoneArgument('now_in_block', args, 0)),
  kernel: () => secondsNow,
});

function precisionArgument(args: readonly Argument[]): number {
  if (args.length === 0) return 3;
  if (args[0]!.type.kind !== 'int')
    throw illegalType('now64_in_block', 0, args[0]!.type, 'a precision from 0 to 9');
  const precision = Number(constantOf('now64_in_block', args, 0));
  if (!(precision >= 0 && precision <= 9))
    throw new SluiceError('ARGUMENT_OUT_OF_BOUND', `A precision must be from 0 to 9, not ${precision}`);
  return precision;
}

const now64InBlock = clockFunction({
  name: 'now64_in_block',
  arity: [0, 2],
  syntax: 'now64_in_block([precision[, timezone]])',
  doc: 'The time at which the query, or the block of a streaming query, started, in milliseconds or with another precision (0 to 9).',
  examples: [['to_type_name(now64_in_block(6))', 'datetime64(6)']],
  type: (args) => datetime64(precisionArgument(args), zoneArgument('now64_in_block', args, 1)),
  kernel: (_, type) => {
    const { precision } = type as SqlType & { kind: 'datetime64' };
    if (precision <= 3) return (context: QueryContext) => Math.floor(context.now / 10 ** (3 - precision));
    const factor = 10n ** BigInt(precision - 3);
    return (context: QueryContext) => canonicalInteger(BigInt(Math.floor(context.now)) * factor);
  },
});

const currentDate = clockFunction({
  name: 'current_date',
  aliases: ['curdate'],
  arity: [0, 1],
  syntax: 'current_date([timezone])',
  doc: 'The day on which the query started.',
  examples: [['to_type_name(current_date())', 'date']],
  type: (args) => {
    zoneArgument('current_date', args, 0);
    return types.date;
  },
  kernel: (args) => {
    const zone = timeZone(zoneArgument('current_date', args, 0) ?? serverTimeZone);
    return (context: QueryContext) => {
      const seconds = secondsNow(context);
      return Math.floor((seconds + zone.offsetAt(seconds)) / daySeconds);
    };
  },
});

const utcTimestamp = clockFunction({
  name: 'utc_timestamp',
  aliases: ['UTCTimestamp'],
  arity: [0, 0],
  syntax: 'utc_timestamp()',
  doc: 'The time at which the query started, in UTC.',
  examples: [['to_type_name(utc_timestamp())', "datetime('UTC')"]],
  type: () => ({ kind: 'datetime', timezone: 'UTC' }),
  kernel: () => secondsNow,
});

const timeZoneOf: ScalarFunction = {
  kind: 'scalar',
  name: 'timezone_of',
  aliases: ['timeZoneOf', 'time_zone_of'],
  category: 'date_time',
  arity: [1, 1],
  syntax: 'timezone_of(time)',
  doc: "The name of the time's zone.",
  examples: [["timezone_of(to_datetime('2023-05-17 13:44:15', 'Asia/Tokyo'))", 'Asia/Tokyo']],
  type: (args) => {
    const { type } = args[0]!;
    if (type.kind !== 'datetime' && type.kind !== 'datetime64')
      throw illegalType('timezone_of', 0, type, 'a date with time');
    return types.string;
  },
  kernel: (args) => {
    const zone = ownZone(args[0]!.type) ?? serverTimeZone;
    return () => zone;
  },
};

const earliestTimestamp: ScalarFunction = {
  kind: 'scalar',
  name: 'earliest_timestamp',
  aliases: ['earliest_ts'],
  category: 'date_time',
  arity: [0, 1],
  syntax: 'earliest_timestamp()',
  doc: 'The earliest time that a stream can hold, 1970-01-01 00:00:00.000: for reading a stream from its beginning.',
  examples: [['earliest_timestamp()', '1970-01-01 00:00:00.000']],
  type: (args) => {
    return datetime64(3, zoneArgument('earliest_timestamp', args, 0));
  },
  kernel: () => () => 0,
};

export const dateNowFunctions: readonly ScalarFunction[] = [
  nowInBlock,
  now64InBlock,
  currentDate,
  utcTimestamp,
  timeZoneOf,
  earliestTimestamp,
];
