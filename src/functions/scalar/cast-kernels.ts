import { SluiceError } from '../../base/index.ts';
import {
  bareType,
  canonicalInteger,
  formatText,
  integerRange,
  isNullable,
  representation,
  type SqlType,
  sameType,
  serverTimeZone,
  type TextOptions,
  textFormatter,
  textParser,
  timeZone,
  typeName,
  withoutLowCardinality,
} from '../../types/index.ts';
import { pow10, rescale, roundToInteger } from './scaled.ts';

/** Converts a canonical value that is not NULL. */
export type Conversion = (value: never) => unknown;

/**
 * How a value that the target cannot hold is treated: `wrap` as a C cast would (CAST between numbers), `null` gives NULL
 * where the value is not represented exactly.
 */
export type CastMode = 'wrap' | 'accurate';

function wrapTo(type: SqlType & { kind: 'int' }): (value: bigint) => number | bigint {
  const { bits, signed } = type;
  const wrap = signed ? BigInt.asIntN : BigInt.asUintN;
  return bits > 64 ? (value) => wrap(bits, value) : (value) => canonicalInteger(wrap(bits, value));
}

function integerFromFloat(
  value: number,
  type: SqlType & { kind: 'int' },
  wrap: (value: bigint) => number | bigint,
  mode: CastMode,
): unknown {
  if (!Number.isFinite(value)) {
    if (mode === 'accurate') return null;
    return type.bits > 64 ? 0n : 0;
  }
  if (mode === 'accurate' && !Number.isInteger(value)) return null;
  return wrap(BigInt(Math.trunc(value)));
}

/** Numbers, and what is counted in numbers, as integers. */
function toInteger(from: SqlType, to: SqlType & { kind: 'int' }, mode: CastMode): Conversion {
  const wrap = wrapTo(to);
  const range = integerRange(to)!;
  const checked = (value: bigint): unknown =>
    mode === 'accurate' && (value < range[0] || value > range[1]) ? null : wrap(value);
  const [least, greatest] = [Number(range[0]), Number(range[1])];
  switch (from.kind) {
    case 'float':
      return (value: number) => {
        const result = integerFromFloat(value, to, wrap, mode);
        return result !== null && mode === 'accurate' && (value < least || value > greatest) ? null : result;
      };
    case 'decimal':
      return (value: number | bigint) => {
        const whole = BigInt(value) / pow10(from.scale);
        if (mode === 'accurate' && whole * pow10(from.scale) !== BigInt(value)) return null;
        return checked(whole);
      };
    case 'datetime64':
      return (value: number | bigint) => checked(floorDivide(BigInt(value), pow10(from.precision)));
    default:
      if (to.bits <= 64) {
        return (value: number | bigint) =>
          typeof value === 'number' && value >= least && value <= greatest ? value : checked(BigInt(value));
      }
      return (value: number | bigint) => checked(BigInt(value));
  }
}

function floorDivide(value: bigint, divisor: bigint): bigint {
  const quotient = value / divisor;
  return value % divisor < 0n ? quotient - 1n : quotient;
}

function toFloat(from: SqlType, bits: 32 | 64): Conversion {
  const round = bits === 32 ? Math.fround : (value: number) => value;
  if (from.kind === 'decimal') return (value: number | bigint) => round(Number(formatText(from, value)));
  if (from.kind === 'datetime64')
    return (value: number | bigint) => round(Number(value) / 10 ** from.precision);
  return (value: number | bigint) => round(Number(value));
}

function decimalOverflow(type: SqlType): SluiceError {
  return new SluiceError('DECIMAL_OVERFLOW', `Decimal overflow: the value does not fit ${typeName(type)}`);
}

function toDecimal(from: SqlType, to: SqlType & { kind: 'decimal' }, mode: CastMode): Conversion {
  const limit = pow10(to.precision);
  const fitted = (value: bigint): unknown => {
    if (value >= limit || value <= -limit) {
      if (mode === 'accurate') return null;
      throw decimalOverflow(to);
    }
    return to.precision <= 18 ? canonicalInteger(value) : value;
  };
  if (from.kind === 'float') {
    return (value: number) => {
      if (!Number.isFinite(value)) throw decimalOverflow(to);
      return fitted(roundToInteger(value, to.scale));
    };
  }
  const scale = from.kind === 'decimal' ? from.scale : from.kind === 'datetime64' ? from.precision : 0;
  return (value: number | bigint) => fitted(rescale(BigInt(value), scale, to.scale));
}

function zoneOffset(type: SqlType, options: TextOptions): (seconds: number) => number {
  const name =
    (type.kind === 'datetime' || type.kind === 'datetime64' ? type.timezone : undefined) ??
    (options.timezone || serverTimeZone);
  const zone = timeZone(name);
  return (seconds) => zone.offsetAt(seconds);
}

const dayMilliseconds = 86_400;

/** Days since 1970 of a date or time. */
function toDays(from: SqlType, options: TextOptions): Conversion {
  if (from.kind === 'datetime' || from.kind === 'datetime64') {
    const offset = zoneOffset(from, options);
    const scale = from.kind === 'datetime64' ? 10 ** from.precision : 1;
    return (value: number | bigint) => {
      const seconds =
        typeof value === 'bigint' ? Number(floorDivide(value, BigInt(scale))) : Math.floor(value / scale);
      return Math.floor((seconds + offset(seconds)) / dayMilliseconds);
    };
  }
  // Numbers are days up to 65535 and seconds above, as ClickHouse reads them.
  return (value: number | bigint) => {
    const number = Math.trunc(Number(value));
    return number > 65_535 ? Math.floor(number / dayMilliseconds) : number;
  };
}

/** Seconds since 1970 UTC of a date, time or number. */
function toSeconds(from: SqlType, to: SqlType, options: TextOptions): Conversion {
  if (from.kind === 'date' || from.kind === 'date32') {
    const name =
      (to.kind === 'datetime' || to.kind === 'datetime64' ? to.timezone : undefined) ??
      (options.timezone || serverTimeZone);
    const zone = timeZone(name);
    return (value: number) => zone.toUtc(value * dayMilliseconds);
  }
  if (from.kind === 'datetime64') {
    const scale = 10n ** BigInt(from.precision);
    return (value: number | bigint) =>
      typeof value === 'bigint' ? Number(floorDivide(value, scale)) : Math.floor(value / Number(scale));
  }
  return (value: number | bigint) => Math.trunc(Number(value));
}

function clampTo(least: number, greatest: number, convert: (value: never) => unknown): Conversion {
  return (value) => Math.min(greatest, Math.max(least, convert(value) as number));
}

function toTicks(from: SqlType, to: SqlType & { kind: 'datetime64' }, options: TextOptions): Conversion {
  if (from.kind === 'datetime64' || from.kind === 'decimal') {
    const scale = from.kind === 'datetime64' ? from.precision : from.scale;
    return (value: number | bigint) => {
      const shift = to.precision - scale;
      return canonicalInteger(
        shift >= 0 ? BigInt(value) * pow10(shift) : floorDivide(BigInt(value), pow10(-shift)),
      );
    };
  }
  if (from.kind === 'float') return (value: number) => canonicalInteger(roundToInteger(value, to.precision));
  const seconds = toSeconds(from, to, options);
  return (value) => canonicalInteger(BigInt(seconds(value) as number) * pow10(to.precision));
}

function enumFrom(from: SqlType, to: SqlType & { kind: 'enum' }): Conversion | undefined {
  if (representation(from) !== 'number' && representation(from) !== 'mixed') return undefined;
  const known = new Set(to.entries.map(([, value]) => value));
  return (value: number) => {
    if (!known.has(value))
      throw new SluiceError('UNKNOWN_ELEMENT_OF_ENUM', `Unknown value ${value} of ${typeName(to)}`);
    return value;
  };
}

function toFixedString(length: number): Conversion {
  return (value: string) => {
    if (value.length > length)
      throw new SluiceError(
        'TOO_LARGE_STRING_SIZE',
        `A text of ${value.length} bytes is too long for fixed_string(${length})`,
      );
    return value.padEnd(length, '\0');
  };
}

function compound(from: SqlType, to: SqlType, mode: CastMode, options: TextOptions): Conversion | undefined {
  if (to.kind === 'array' && from.kind === 'array') {
    const convert = nullableConversion(from.element, to.element, mode, options);
    return (values: unknown[]) => values.map((value) => convert(value as never));
  }
  if (to.kind === 'tuple' && from.kind === 'tuple' && to.elements.length === from.elements.length) {
    const convert = to.elements.map((element, index) =>
      nullableConversion(from.elements[index]!.type, element.type, mode, options),
    );
    return (values: unknown[]) => values.map((value, index) => convert[index]!(value as never));
  }
  if (to.kind === 'map' && from.kind === 'map') {
    const key = nullableConversion(from.key, to.key, mode, options);
    const value = nullableConversion(from.value, to.value, mode, options);
    return (pairs: [never, never][]) => pairs.map((pair) => [key(pair[0]), value(pair[1])]);
  }
  if (to.kind === 'map' && from.kind === 'tuple' && from.elements.length === 2) {
    const keys = from.elements[0]!.type;
    const items = from.elements[1]!.type;
    if (keys.kind !== 'array' || items.kind !== 'array') return undefined;
    const key = nullableConversion(keys.element, to.key, mode, options);
    const value = nullableConversion(items.element, to.value, mode, options);
    return ([first, second]: [never[], never[]]) =>
      first.map((each, index) => [key(each), value(second[index]!)]);
  }
  return undefined;
}

const integerLike = new Set([
  'bool',
  'int',
  'date',
  'date32',
  'datetime',
  'datetime64',
  'enum',
  'float',
  'decimal',
  'interval',
  'ipv4',
]);

function numericConversion(
  from: SqlType,
  to: SqlType,
  mode: CastMode,
  options: TextOptions,
): Conversion | undefined {
  if (!integerLike.has(from.kind)) return undefined;
  switch (to.kind) {
    case 'bool':
      return (value: number | bigint) => (value ? 1 : 0);
    case 'int':
      return toInteger(from, to, mode);
    case 'float':
      return toFloat(from, to.bits);
    case 'decimal':
      return toDecimal(from, to, mode);
    case 'date':
      return clampTo(0, 65_535, toDays(from, options));
    case 'date32':
      return clampTo(
        -25_567,
        120_529,
        from.kind === 'int' ? (value: number | bigint) => Number(value) : toDays(from, options),
      );
    case 'datetime':
      return clampTo(0, 4_294_967_295, toSeconds(from, to, options));
    case 'datetime64':
      return toTicks(from, to, options);
    case 'enum':
      return enumFrom(from, to);
    case 'ipv4':
      return from.kind === 'int'
        ? (value: number | bigint) => Number(BigInt.asUintN(32, BigInt(value)))
        : undefined;
    case 'interval':
      return from.kind === 'int' || from.kind === 'interval' ? (value: number | bigint) => value : undefined;
    default:
      return undefined;
  }
}

function addressConversion(from: SqlType, to: SqlType): Conversion | undefined {
  if (from.kind === 'ipv4' && to.kind === 'ipv6') return (value: number) => 0xffff00000000n | BigInt(value);
  if ((from.kind === 'uuid' || from.kind === 'ipv6') && to.kind === 'int' && to.bits === 128)
    return (value: bigint) => (to.signed ? BigInt.asIntN(128, value) : value);
  if ((to.kind === 'uuid' || to.kind === 'ipv6') && from.kind === 'int' && from.bits === 128)
    return (value: bigint) => BigInt.asUintN(128, value);
  return undefined;
}

/** The conversion of values of one type, without nullable, to another; undefined when there is none. */
export function findConversion(
  from: SqlType,
  to: SqlType,
  mode: CastMode,
  options: TextOptions,
): Conversion | undefined {
  if (sameType(from, to)) return (value) => value;
  if (to.kind === 'string') {
    if (from.kind === 'fixed_string') return (value: string) => value.replace(/\0+$/, '');
    return textFormatter(from, options) as Conversion;
  }
  if (from.kind === 'string' || from.kind === 'fixed_string') {
    if (to.kind === 'fixed_string') return toFixedString(to.length);
    const parse = textParser(to, options);
    if (from.kind === 'fixed_string') return (value: string) => parse(value.replace(/\0+$/, ''));
    return parse as Conversion;
  }
  if (from.kind === 'datetime' && to.kind === 'datetime') return (value) => value;
  return (
    numericConversion(from, to, mode, options) ??
    compound(from, to, mode, options) ??
    addressConversion(from, to)
  );
}

function nullableConversion(from: SqlType, to: SqlType, mode: CastMode, options: TextOptions): Conversion {
  const [plainFrom, plainTo] = [withoutLowCardinality(from), withoutLowCardinality(to)];
  if (plainFrom.kind === 'nothing') return () => null;
  const convert = conversion(bareType(plainFrom), bareType(plainTo), mode, options);
  if (!isNullable(plainFrom)) return convert;
  return (value) => {
    if (value !== null) return convert(value);
    if (isNullable(plainTo)) return null;
    throw new SluiceError(
      'CANNOT_INSERT_NULL_IN_ORDINARY_COLUMN',
      `Cannot convert NULL to ${typeName(plainTo)}`,
    );
  };
}

/** The conversion of values that are not NULL; throws TYPE_MISMATCH when there is none. */
export function conversion(
  from: SqlType,
  to: SqlType,
  mode: CastMode,
  options: TextOptions = {},
): Conversion {
  const found = findConversion(from, to, mode, options);
  if (found === undefined)
    throw new SluiceError(
      'TYPE_MISMATCH',
      `Conversion from ${typeName(from)} to ${typeName(to)} is not supported`,
    );
  return found;
}
