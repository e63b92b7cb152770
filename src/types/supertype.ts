import { SluiceError } from '../base/index.ts';
import {
  bareType,
  datetime64,
  decimal,
  type IntegerBits,
  isNullable,
  nullable,
  type SqlType,
  sameType,
  types,
  withoutLowCardinality,
} from './type.ts';
import { typeName } from './type-name.ts';

/** Digits needed for every value of an integer type of these bits. */
const digitsOfBits: Record<IntegerBits, number> = { 8: 3, 16: 5, 32: 10, 64: 20, 128: 39, 256: 78 };

function integerSupertype(
  left: SqlType & { kind: 'int' },
  right: SqlType & { kind: 'int' },
): SqlType | undefined {
  if (left.signed === right.signed) return left.bits >= right.bits ? left : right;
  const signed = left.signed ? left : right;
  const unsigned = left.signed ? right : left;
  const bits = Math.max(signed.bits, unsigned.bits * 2) as IntegerBits;
  return bits > 256 ? undefined : { kind: 'int', bits, signed: true };
}

function numberSupertype(left: SqlType, right: SqlType): SqlType | undefined {
  const first = left.kind === 'bool' ? types.uint8 : left;
  const second = right.kind === 'bool' ? types.uint8 : right;
  if (first.kind === 'int' && second.kind === 'int') return integerSupertype(first, second);
  if (first.kind === 'float' || second.kind === 'float') {
    const narrow = (type: SqlType) =>
      type.kind === 'float' ? type.bits === 32 : type.kind === 'int' && type.bits <= 16;
    return narrow(first) && narrow(second) ? types.float32 : types.float64;
  }
  const digits = (type: SqlType) =>
    type.kind === 'decimal' ? type.precision - type.scale : type.kind === 'int' ? digitsOfBits[type.bits] : 0;
  const scale = Math.max(
    first.kind === 'decimal' ? first.scale : 0,
    second.kind === 'decimal' ? second.scale : 0,
  );
  const whole = Math.max(digits(first), digits(second));
  const width = [9, 18, 38, 76].find((most) => most >= whole + scale) ?? 76;
  return decimal(width, scale);
}

function timeSupertype(left: SqlType, right: SqlType): SqlType | undefined {
  const order: string[] = ['date', 'date32', 'datetime', 'datetime64'];
  const [low, high] = order.indexOf(left.kind) <= order.indexOf(right.kind) ? [left, right] : [right, left];
  if (high.kind === 'datetime64') {
    const lowPrecision = low.kind === 'datetime64' ? low.precision : 0;
    return datetime64(
      Math.max(high.precision, lowPrecision),
      high.timezone ?? (low.kind === 'datetime64' ? low.timezone : undefined),
    );
  }
  if (high.kind === 'datetime' && low.kind === 'date32') return datetime64(0, high.timezone);
  return high;
}

const numberKinds = new Set<string>(['bool', 'int', 'float', 'decimal']);
const timeKinds = new Set<string>(['date', 'date32', 'datetime', 'datetime64']);
const stringKinds = new Set<string>(['string', 'fixed_string', 'enum']);

function compoundSupertype(left: SqlType, right: SqlType): SqlType | undefined {
  if (left.kind === 'array' && right.kind === 'array') {
    const element = trySupertype(left.element, right.element);
    return element && { kind: 'array', element };
  }
  if (left.kind === 'map' && right.kind === 'map') {
    const key = trySupertype(left.key, right.key);
    const value = trySupertype(left.value, right.value);
    return key && value && { kind: 'map', key, value };
  }
  if (left.kind === 'tuple' && right.kind === 'tuple' && left.elements.length === right.elements.length) {
    const elements: { name: string; type: SqlType }[] = [];
    for (const [index, element] of left.elements.entries()) {
      const other = right.elements[index]!;
      const type = trySupertype(element.type, other.type);
      if (type === undefined) return undefined;
      elements.push({ name: element.name === other.name ? element.name : '', type });
    }
    return { kind: 'tuple', elements };
  }
  return undefined;
}

/** The narrowest type that holds every value of both, by ClickHouse's rules; undefined when there is none. */
export function trySupertype(left: SqlType, right: SqlType): SqlType | undefined {
  if (sameType(left, right)) return left;
  if (left.kind === 'nothing') return canBeNullable(right) ? nullable(withoutLowCardinality(right)) : right;
  if (right.kind === 'nothing') return canBeNullable(left) ? nullable(withoutLowCardinality(left)) : left;
  const wrap = isNullable(left) || isNullable(right);
  const [first, second] = [bareType(left), bareType(right)];
  let result: SqlType | undefined;
  if (sameType(first, second)) result = first;
  else if (numberKinds.has(first.kind) && numberKinds.has(second.kind))
    result = numberSupertype(first, second);
  else if (timeKinds.has(first.kind) && timeKinds.has(second.kind)) result = timeSupertype(first, second);
  else if (stringKinds.has(first.kind) && stringKinds.has(second.kind)) result = types.string;
  else result = compoundSupertype(first, second);
  return result !== undefined && wrap && canBeNullable(result) ? nullable(result) : result;
}

function canBeNullable(type: SqlType): boolean {
  const { kind } = bareType(type);
  return kind !== 'array' && kind !== 'map' && kind !== 'tuple';
}

/** The supertype of a list of types; throws TYPE_MISMATCH naming the first two that have none. */
export function supertype(list: readonly SqlType[], what: string): SqlType {
  let result: SqlType = list[0] ?? types.nothing;
  for (const type of list.slice(1)) {
    const wider = trySupertype(result, type);
    if (wider === undefined) {
      throw new SluiceError(
        'TYPE_MISMATCH',
        `There is no common type of ${typeName(result)} and ${typeName(type)} in ${what}`,
      );
    }
    result = wider;
  }
  return result;
}
