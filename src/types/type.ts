/** The bits of an integer type. */
export type IntegerBits = 8 | 16 | 32 | 64 | 128 | 256;

export type IntervalUnit =
  | 'nanosecond'
  | 'microsecond'
  | 'millisecond'
  | 'second'
  | 'minute'
  | 'hour'
  | 'day'
  | 'week'
  | 'month'
  | 'quarter'
  | 'year';

export const intervalUnits: readonly IntervalUnit[] = [
  'nanosecond',
  'microsecond',
  'millisecond',
  'second',
  'minute',
  'hour',
  'day',
  'week',
  'month',
  'quarter',
  'year',
];

export interface TupleElement {
  /** Empty when the element has no name. */
  readonly name: string;
  readonly type: SqlType;
}

/**
 * A SQL type. How a value of each kind is held in JavaScript (its canonical value) is part of the contract between all
 * layers:
 *
 * | kind | canonical value |
 * |---|---|
 * | bool | 0 or 1 |
 * | int of 8 to 32 bits, float, date, date32 (days), datetime (seconds), enum, ipv4 | number |
 * | int of 64 bits, datetime64 (ticks), decimal to 18 digits (scaled), interval | number when within ±(2^53-1), else bigint |
 * | int of 128 and 256 bits, decimal above 18 digits (scaled), uuid, ipv6 | bigint |
 * | string, fixed_string | byte string: one char per byte, codes 0 to 255 |
 * | array | JS array of values |
 * | tuple | JS array, one value per element |
 * | map | JS array of [key, value] pairs |
 * | nullable | null or the inner value |
 * | nothing | null |
 *
 * The number-or-bigint form of 64-bit integers is canonical: one integer has exactly one form, so `===` compares.
 */
export type SqlType =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'bool' }
  | { readonly kind: 'int'; readonly bits: IntegerBits; readonly signed: boolean }
  | { readonly kind: 'float'; readonly bits: 32 | 64 }
  | { readonly kind: 'decimal'; readonly precision: number; readonly scale: number }
  | { readonly kind: 'string' }
  | { readonly kind: 'fixed_string'; readonly length: number }
  | { readonly kind: 'date' }
  | { readonly kind: 'date32' }
  | { readonly kind: 'datetime'; readonly timezone?: string }
  | { readonly kind: 'datetime64'; readonly precision: number; readonly timezone?: string }
  | { readonly kind: 'uuid' }
  | { readonly kind: 'ipv4' }
  | { readonly kind: 'ipv6' }
  | { readonly kind: 'enum'; readonly bits: 8 | 16; readonly entries: readonly (readonly [string, number])[] }
  | { readonly kind: 'interval'; readonly unit: IntervalUnit }
  | { readonly kind: 'nullable'; readonly inner: SqlType }
  | { readonly kind: 'low_cardinality'; readonly inner: SqlType }
  | { readonly kind: 'array'; readonly element: SqlType }
  | { readonly kind: 'tuple'; readonly elements: readonly TupleElement[] }
  | { readonly kind: 'map'; readonly key: SqlType; readonly value: SqlType };

export type TypeKind = SqlType['kind'];

const integer = (bits: IntegerBits, signed: boolean): SqlType => ({ kind: 'int', bits, signed });

/** The types that need no parameters, ready made. */
export const types = {
  nothing: { kind: 'nothing' } as SqlType,
  bool: { kind: 'bool' } as SqlType,
  int8: integer(8, true),
  int16: integer(16, true),
  int32: integer(32, true),
  int64: integer(64, true),
  int128: integer(128, true),
  int256: integer(256, true),
  uint8: integer(8, false),
  uint16: integer(16, false),
  uint32: integer(32, false),
  uint64: integer(64, false),
  uint128: integer(128, false),
  uint256: integer(256, false),
  float32: { kind: 'float', bits: 32 } as SqlType,
  float64: { kind: 'float', bits: 64 } as SqlType,
  string: { kind: 'string' } as SqlType,
  date: { kind: 'date' } as SqlType,
  date32: { kind: 'date32' } as SqlType,
  datetime: { kind: 'datetime' } as SqlType,
  uuid: { kind: 'uuid' } as SqlType,
  ipv4: { kind: 'ipv4' } as SqlType,
  ipv6: { kind: 'ipv6' } as SqlType,
};

export function nullable(inner: SqlType): SqlType {
  return inner.kind === 'nullable' || inner.kind === 'nothing' ? inner : { kind: 'nullable', inner };
}

export function arrayOf(element: SqlType): SqlType {
  return { kind: 'array', element };
}

export function tupleOf(elementTypes: readonly SqlType[], names: readonly string[] = []): SqlType {
  return { kind: 'tuple', elements: elementTypes.map((type, index) => ({ name: names[index] ?? '', type })) };
}

export function mapOf(key: SqlType, value: SqlType): SqlType {
  return { kind: 'map', key, value };
}

export function datetime64(precision: number, timezone?: string): SqlType {
  return timezone === undefined
    ? { kind: 'datetime64', precision }
    : { kind: 'datetime64', precision, timezone };
}

export function decimal(precision: number, scale: number): SqlType {
  return { kind: 'decimal', precision, scale };
}

export function fixedString(length: number): SqlType {
  return { kind: 'fixed_string', length };
}

export function interval(unit: IntervalUnit): SqlType {
  return { kind: 'interval', unit };
}

/** The type without low_cardinality and nullable around it: what decides how its values are computed with. */
export function bareType(type: SqlType): SqlType {
  if (type.kind === 'nullable' || type.kind === 'low_cardinality') return bareType(type.inner);
  return type;
}

export function isNullable(type: SqlType): boolean {
  if (type.kind === 'low_cardinality') return isNullable(type.inner);
  return type.kind === 'nullable' || type.kind === 'nothing';
}

/** The type without low_cardinality, at the top and inside nullable; low_cardinality only says how to store. */
export function withoutLowCardinality(type: SqlType): SqlType {
  return type.kind === 'low_cardinality' ? type.inner : type;
}

export function sameType(left: SqlType, right: SqlType): boolean {
  return left === right || JSON.stringify(left) === JSON.stringify(right);
}
