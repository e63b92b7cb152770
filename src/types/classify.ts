import { bareType, type SqlType } from './type.ts';

export function isInteger(type: SqlType): boolean {
  const { kind } = bareType(type);
  return kind === 'int' || kind === 'bool';
}

export function isFloat(type: SqlType): boolean {
  return bareType(type).kind === 'float';
}

export function isNumber(type: SqlType): boolean {
  const { kind } = bareType(type);
  return kind === 'int' || kind === 'bool' || kind === 'float' || kind === 'decimal';
}

export function isString(type: SqlType): boolean {
  const { kind } = bareType(type);
  return kind === 'string' || kind === 'fixed_string';
}

export function isDateOrTime(type: SqlType): boolean {
  const { kind } = bareType(type);
  return kind === 'date' || kind === 'date32' || kind === 'datetime' || kind === 'datetime64';
}

/**
 * How generated code holds a value of the type: `number` (always a JS number), `mixed` (number or bigint, see SqlType),
 * `bigint`, `string` (byte string) or `object` (arrays, tuples, maps).
 */
export type Representation = 'number' | 'mixed' | 'bigint' | 'string' | 'object';

export function representation(type: SqlType): Representation {
  switch (type.kind) {
    case 'nullable':
    case 'low_cardinality':
      return representation(type.inner);
    case 'int':
      return type.bits <= 32 ? 'number' : type.bits === 64 ? 'mixed' : 'bigint';
    case 'decimal':
      return type.precision <= 18 ? 'mixed' : 'bigint';
    case 'datetime64':
    case 'interval':
      return 'mixed';
    case 'uuid':
    case 'ipv6':
      return 'bigint';
    case 'string':
    case 'fixed_string':
      return 'string';
    case 'array':
    case 'tuple':
    case 'map':
      return 'object';
    case 'nothing':
    case 'bool':
    case 'float':
    case 'date':
    case 'date32':
    case 'datetime':
    case 'ipv4':
    case 'enum':
      return 'number';
  }
}

/** The value that a column holds where nothing was given: 0, '', [] and so on; null for nullable types. */
export function defaultValue(type: SqlType): unknown {
  switch (type.kind) {
    case 'nullable':
    case 'nothing':
      return null;
    case 'low_cardinality':
      return defaultValue(type.inner);
    case 'fixed_string':
      return '\0'.repeat(type.length);
    case 'tuple':
      return type.elements.map((element) => defaultValue(element.type));
    case 'array':
    case 'map':
      return [];
    case 'enum':
      return type.entries[0]![1];
    default: {
      const held = representation(type);
      return held === 'bigint' ? 0n : held === 'string' ? '' : 0;
    }
  }
}

/** Least and most value of an integer-like type, inclusive; undefined for types that are not bounded integers. */
export function integerRange(type: SqlType): readonly [bigint, bigint] | undefined {
  switch (type.kind) {
    case 'bool':
      return [0n, 1n];
    case 'int':
      return type.signed
        ? [-(1n << BigInt(type.bits - 1)), (1n << BigInt(type.bits - 1)) - 1n]
        : [0n, (1n << BigInt(type.bits)) - 1n];
    case 'decimal':
      return [-(10n ** BigInt(type.precision)) + 1n, 10n ** BigInt(type.precision) - 1n];
    case 'date':
      return [0n, 65_535n];
    case 'date32':
      return [-25_567n, 120_529n];
    case 'datetime':
    case 'ipv4':
      return [0n, 4_294_967_295n];
    case 'enum':
      return [-(1n << BigInt(type.bits - 1)), (1n << BigInt(type.bits - 1)) - 1n];
    case 'datetime64':
    case 'interval':
      return [-(1n << 63n), (1n << 63n) - 1n];
    default:
      return undefined;
  }
}

/** The canonical form of a 64-bit integer: a number when it is exact as one, else a bigint. */
export function canonicalInteger(value: bigint): number | bigint {
  return value >= -9007199254740991n && value <= 9007199254740991n ? Number(value) : value;
}
