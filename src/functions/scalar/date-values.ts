import { SluiceError } from '../../base/index.ts';
import { type Code, js } from '../../code/index.ts';
import {
  assertTimeZone,
  isDateOrTime,
  type SqlType,
  serverTimeZone,
  splitTicks,
  type TimeZone,
  timeZone,
  typeName,
} from '../../types/index.ts';
import { constantOf, illegalType } from '../checks.ts';
import type { Argument, Emitter, Operand } from '../definition.ts';

/** Dates and times: what the functions of this family take. */
export type TimeType = SqlType & { kind: 'date' | 'date32' | 'datetime' | 'datetime64' };
export type MomentType = SqlType & { kind: 'datetime' | 'datetime64' };

export const daySeconds = 86_400;

/** The date or time type of an argument; ILLEGAL_TYPE_OF_ARGUMENT for anything else. */
export function timeArgument(name: string, args: readonly Argument[], position: number): TimeType {
  const { type } = args[position]!;
  if (!isDateOrTime(type)) throw illegalType(name, position, type, 'a date or a date with time');
  return type as TimeType;
}

export function isMoment(type: SqlType): type is MomentType {
  return type.kind === 'datetime' || type.kind === 'datetime64';
}

/** The type of an argument that must have a time of day. */
export function momentArgument(name: string, args: readonly Argument[], position: number): MomentType {
  const { type } = args[position]!;
  if (!isMoment(type)) throw illegalType(name, position, type, 'a date with time (datetime or datetime64)');
  return type;
}

/** The name of the zone given as an argument that is constant; undefined when it is not given. */
export function zoneArgument(name: string, args: readonly Argument[], position: number): string | undefined {
  const argument = args[position];
  if (argument === undefined) return undefined;
  if (argument.type.kind !== 'string')
    throw new SluiceError(
      'ILLEGAL_TYPE_OF_ARGUMENT',
      `Argument ${position + 1} of function ${name} is ${typeName(argument.type)}: expected the name of a time zone`,
    );
  const zone = String(constantOf(name, args, position));
  assertTimeZone(zone);
  return zone;
}

/** The zone that the type itself names. */
export function ownZone(type: SqlType): string | undefined {
  return isMoment(type) ? type.timezone : undefined;
}

/** The zone to read a time in: the one asked for, else the type's own, else the server's. */
export function zoneFor(type: SqlType, asked?: string): TimeZone {
  return timeZone(asked ?? ownZone(type) ?? serverTimeZone);
}

/** A datetime type with the zone asked for, or that of the time. */
export function datetimeLike(type: SqlType, asked: string | undefined): SqlType {
  const zone = asked ?? ownZone(type);
  return zone === undefined ? { kind: 'datetime' } : { kind: 'datetime', timezone: zone };
}

/** How generated code learns what a wall clock shows. */
export interface ZoneCode {
  readonly isUtc: boolean;
  /** A TimeZone. */
  readonly zone: Code;
}

/** The zone of a time in generated code; `asked` is the operand of a zone argument. */
export function zoneCode(emitter: Emitter, type: SqlType, asked: Operand | undefined): ZoneCode {
  if (asked !== undefined) {
    const zone = emitter.constant('zone', js`${emitter.bind(timeZone, 'timeZone')}(${asked.code})`);
    return { isUtc: false, zone };
  }
  const zone = zoneFor(type);
  return { isUtc: zone.isUtc, zone: emitter.bind(zone, 'zone') };
}

function wholeSeconds(precision: number): (ticks: bigint) => number {
  return (ticks) => splitTicks(ticks, precision)[0];
}

/** Whole seconds since 1970 UTC of a datetime or datetime64. */
export function secondsCode(emitter: Emitter, operand: Operand): Code {
  const { type, code, bounds } = operand;
  if (type.kind !== 'datetime64') return code;
  const quick = type.precision === 0 ? code : js`Math.floor(${code} / ${10 ** type.precision})`;
  if (bounds !== undefined) return type.precision === 0 ? code : emitter.constant('seconds', quick);
  const slow = emitter.bind(wholeSeconds(type.precision), 'wholeSeconds');
  return emitter.constant('seconds', js`typeof ${code} === 'number' ? ${quick} : ${slow}(${code})`);
}

/** Seconds since 1970 on the zone's wall clock; a date is its midnight. */
export function wallCode(emitter: Emitter, operand: Operand, zone: ZoneCode): Code {
  if (!isMoment(operand.type)) return emitter.constant('wall', js`${operand.code} * 86400`);
  const seconds = secondsCode(emitter, operand);
  if (zone.isUtc) return seconds;
  return emitter.constant('wall', js`${seconds} + ${zone.zone}.offsetAt(${seconds})`);
}

/** Days since 1970 on the zone's wall clock. */
export function daysCode(emitter: Emitter, operand: Operand, zone: ZoneCode): Code {
  if (!isMoment(operand.type)) return operand.code;
  return emitter.constant('days', js`Math.floor(${wallCode(emitter, operand, zone)} / 86400)`);
}

/** A function from canonical values to seconds since 1970 UTC; a date is its midnight in the zone. */
export function secondsReader(type: TimeType, zone: TimeZone): (value: number | bigint) => number {
  if (type.kind === 'datetime') return (value) => Number(value);
  if (type.kind === 'datetime64') return (value) => splitTicks(value, type.precision)[0];
  return (days) => zone.toUtc(Number(days) * daySeconds);
}

/** A function from canonical values to seconds since 1970 on the zone's wall clock. */
export function wallReader(type: TimeType, zone: TimeZone): (value: number | bigint) => number {
  if (!isMoment(type)) return (days) => Number(days) * daySeconds;
  const seconds = secondsReader(type, zone);
  if (zone.isUtc) return seconds;
  return (value) => {
    const utc = seconds(value);
    return utc + zone.offsetAt(utc);
  };
}

/** A function from canonical values to nanoseconds since 1970 UTC. */
export function nanosecondsReader(type: TimeType, zone: TimeZone): (value: number | bigint) => bigint {
  if (type.kind === 'datetime64') {
    const factor = 10n ** BigInt(9 - type.precision);
    return (value) => BigInt(value) * factor;
  }
  const seconds = secondsReader(type, zone);
  return (value) => BigInt(seconds(value)) * 1_000_000_000n;
}

/** A positive modulus. */
export function mod(value: number, divisor: number): number {
  return value - Math.floor(value / divisor) * divisor;
}
