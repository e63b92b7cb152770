import { SluiceError } from '../../base/index.ts';
import { type Code, js } from '../../code/index.ts';
import {
  canonicalInteger,
  civilFromDays,
  datetime64,
  daysFromCivil,
  daysInMonth,
  type IntervalUnit,
  isInteger,
  type SqlType,
  serverTimeZone,
  timeZone,
  types,
} from '../../types/index.ts';
import type { Emitter, Operand } from '../definition.ts';

type TimeType = SqlType & { kind: 'date' | 'date32' | 'datetime' | 'datetime64' };

/** Nanoseconds of the units that are always equally long. */
const unitNanoseconds: Partial<Record<IntervalUnit, bigint>> = {
  nanosecond: 1n,
  microsecond: 1_000n,
  millisecond: 1_000_000n,
  second: 1_000_000_000n,
  minute: 60_000_000_000n,
  hour: 3_600_000_000_000n,
};

/** Days or months of the units that follow the calendar. */
const unitDays: Partial<Record<IntervalUnit, number>> = { day: 1, week: 7 };
const unitMonths: Partial<Record<IntervalUnit, number>> = { month: 1, quarter: 3, year: 12 };

function isTime(type: SqlType): type is TimeType {
  return (
    type.kind === 'date' || type.kind === 'date32' || type.kind === 'datetime' || type.kind === 'datetime64'
  );
}

/** The type of a time moved by an interval: finer units need a type that can hold them. */
export function movedType(type: TimeType, unit: IntervalUnit): SqlType {
  const fine = { millisecond: 3, microsecond: 6, nanosecond: 9 }[unit as string];
  if (fine !== undefined) {
    if (type.kind === 'datetime64') return datetime64(Math.max(type.precision, fine), type.timezone);
    return datetime64(fine, type.kind === 'datetime' ? type.timezone : undefined);
  }
  const belowDay = unit === 'second' || unit === 'minute' || unit === 'hour';
  if (belowDay && type.kind === 'date') return types.datetime;
  if (belowDay && type.kind === 'date32') return datetime64(0);
  return type;
}

/** The result type of a sum or difference in which a date or time takes part; undefined when none does. */
export function timeResult(name: string, left: SqlType, right: SqlType): SqlType | undefined {
  if (name === 'multiply') return undefined;
  if (left.kind === 'interval' && right.kind === 'interval' && left.unit === right.unit) return left;
  if (isTime(left)) {
    if (right.kind === 'interval') return movedType(left, right.unit);
    if (isInteger(right)) return left;
    if (name === 'minus' && isTime(right)) return differenceType(left, right);
  }
  if (isTime(right) && name === 'plus') {
    if (left.kind === 'interval') return movedType(right, left.unit);
    if (isInteger(left)) return right;
  }
  return undefined;
}

function differenceType(left: TimeType, right: TimeType): SqlType {
  if (
    (left.kind === 'datetime64') !== (right.kind === 'datetime64') ||
    (left.kind === 'datetime') !== (right.kind === 'datetime')
  ) {
    throw new SluiceError(
      'ILLEGAL_TYPE_OF_ARGUMENT',
      'Only times of the same kind can be subtracted: use date_diff',
    );
  }
  if (left.kind !== 'datetime64' || right.kind !== 'datetime64') return types.int32;
  return { kind: 'decimal', precision: 18, scale: Math.max(left.precision, right.precision) };
}

/** Adds months to days since 1970; the day of the month is cut to the month's length. */
export function addMonths(days: number, months: number): number {
  const { year, month, day } = civilFromDays(days);
  const total = year * 12 + (month - 1) + months;
  const [newYear, newMonth] = [Math.floor(total / 12), (((total % 12) + 12) % 12) + 1];
  return daysFromCivil(newYear, newMonth, Math.min(day, daysInMonth(newYear, newMonth)));
}

function clampDays(type: SqlType, days: number): number {
  return type.kind === 'date' ? days & 0xffff : Math.min(120_529, Math.max(-25_567, days));
}

/** Ticks per second of a type. */
function ticksOf(type: SqlType): bigint {
  return type.kind === 'datetime64' ? 10n ** BigInt(type.precision) : 1n;
}

/** A function that moves a canonical value of `from` by a number of units, giving a value of movedType. */
export function mover(
  from: TimeType,
  unit: IntervalUnit,
  defaultZone = serverTimeZone,
): (value: number | bigint, amount: number | bigint) => number | bigint {
  const to = movedType(from, unit);
  const zone = timeZone(
    (to.kind === 'datetime' || to.kind === 'datetime64' ? to.timezone : undefined) ?? defaultZone,
  );
  const days = unitDays[unit];
  const months = unitMonths[unit];
  const moveDays = (day: number, amount: number) =>
    days !== undefined ? day + days * amount : addMonths(day, months! * amount);
  const isDate = from.kind === 'date' || from.kind === 'date32';
  const fixed = unitNanoseconds[unit];
  if (isDate && fixed === undefined)
    return (value, amount) => clampDays(from, moveDays(Number(value), Number(amount)));
  const [fromTicks, toTicks] = [ticksOf(from), ticksOf(to)];
  const start = (value: number | bigint): bigint =>
    isDate ? BigInt(zone.toUtc(Number(value) * 86_400)) * toTicks : (BigInt(value) * toTicks) / fromTicks;
  const finish = (ticks: bigint): number | bigint =>
    to.kind === 'datetime' ? Number(BigInt.asUintN(32, ticks)) : canonicalInteger(ticks);
  if (fixed !== undefined) {
    return (value, amount) => finish(start(value) + (BigInt(amount) * fixed * toTicks) / 1_000_000_000n);
  }
  return (value, amount) => {
    const ticks = start(value);
    const seconds = Number(ticks >= 0n ? ticks / toTicks : -((-ticks + toTicks - 1n) / toTicks));
    const fraction = ticks - BigInt(seconds) * toTicks;
    const wall = seconds + zone.offsetAt(seconds);
    const day = Math.floor(wall / 86_400);
    const moved = moveDays(day, Number(amount)) * 86_400 + (wall - day * 86_400);
    return finish(BigInt(zone.toUtc(moved)) * toTicks + fraction);
  };
}

function numberMover(type: TimeType): (value: number | bigint, amount: number | bigint) => number | bigint {
  if (type.kind === 'date' || type.kind === 'date32')
    return (value, amount) => clampDays(type, Number(value) + Number(amount));
  if (type.kind === 'datetime')
    return (value, amount) => Number(BigInt.asUintN(32, BigInt(value) + BigInt(amount)));
  const ticks = ticksOf(type);
  return (value, amount) => canonicalInteger(BigInt(value) + BigInt(amount) * ticks);
}

function negated(amount: Code): Code {
  return js`-${amount}`;
}

/** Emits sums and differences with dates and times; undefined when none takes part. */
export function timeArithmetic(
  name: string,
  emitter: Emitter,
  left: Operand,
  right: Operand,
  type: SqlType,
): Code | undefined {
  if (timeResult(name, left.type, right.type) === undefined) return undefined;
  const [time, other] = isTime(left.type) ? [left, right] : [right, left];
  if (left.type.kind === 'interval' && right.type.kind === 'interval')
    return name === 'plus' ? js`${left.code} + ${right.code}` : js`${left.code} - ${right.code}`;
  const timeType = time.type as TimeType;
  if (isTime(left.type) && isTime(right.type)) return emitDifference(emitter, left, right, type);
  const move = other.type.kind === 'interval' ? mover(timeType, other.type.unit) : numberMover(timeType);
  const amount = name === 'minus' ? negated(other.code) : other.code;
  return js`${emitter.bind(move, 'move')}(${time.code}, ${amount})`;
}

function emitDifference(emitter: Emitter, left: Operand, right: Operand, type: SqlType): Code {
  if (type.kind !== 'decimal') return js`${left.code} - ${right.code}`;
  const scale = type.scale;
  const factors = [left, right].map(
    (operand) => 10n ** BigInt(scale - (operand.type as SqlType & { kind: 'datetime64' }).precision),
  );
  const subtract = (first: number | bigint, second: number | bigint) =>
    canonicalInteger(BigInt(first) * factors[0]! - BigInt(second) * factors[1]!);
  return js`${emitter.bind(subtract, 'difference')}(${left.code}, ${right.code})`;
}
