import { SluiceError } from '../../base/index.ts';
import { equalValues } from '../../runtime/index.ts';
import {
  arrayOf,
  bareType,
  canonicalInteger,
  isNumber,
  nullable,
  type SqlType,
  sameType,
  trySupertype,
  typeName,
  types,
} from '../../types/index.ts';
import { illegalType } from '../checks.ts';
import type { Argument } from '../definition.ts';
import { conversion } from './cast-kernels.ts';

/** The most elements that a function may put into an array of its own accord. */
export const arrayElementsMax = 1_000_000;

export type Values = readonly unknown[];

/** The type of the elements of an array argument; ILLEGAL_TYPE_OF_ARGUMENT for anything else. */
export function elementType(name: string, args: readonly Argument[], position: number): SqlType {
  const { type } = args[position]!;
  if (type.kind !== 'array') throw illegalType(name, position, type, 'an array');
  return type.element;
}

export function assertArraySize(name: string, size: number): void {
  if (!(size <= arrayElementsMax))
    throw new SluiceError(
      'TOO_LARGE_ARRAY_SIZE',
      `Function ${name} would make an array of ${size} elements: the limit is ${arrayElementsMax}`,
    );
}

export function sizesDiffer(name: string): SluiceError {
  return new SluiceError(
    'SIZES_OF_ARRAYS_DONT_MATCH',
    `The arrays given to function ${name} must all have the same size`,
  );
}

/** The type that elements of several arrays, or an array and a value, are brought to. */
export function commonElement(name: string, list: readonly SqlType[]): SqlType {
  let result: SqlType = types.nothing;
  for (const [index, type] of list.entries()) {
    const wider = index === 0 ? type : trySupertype(result, type);
    if (wider === undefined)
      throw new SluiceError(
        'ILLEGAL_TYPE_OF_ARGUMENT',
        `Function ${name} cannot bring ${typeName(result)} and ${typeName(type)} together in one array`,
      );
    result = wider;
  }
  return result;
}

/** Converts whole arrays to another element type; the identity where nothing changes. */
export function elementConverter(from: SqlType, to: SqlType): (values: Values) => Values {
  if (from.kind === 'nothing' || sameType(bareType(from), bareType(to))) return (values) => values;
  const convert = conversion(arrayOf(from), arrayOf(to), 'wrap');
  return (values) => convert(values as never) as Values;
}

/** Converts one value, NULL allowed, to another type. */
export function valueConverter(from: SqlType, to: SqlType): (value: unknown) => unknown {
  if (from.kind === 'nothing' || sameType(bareType(from), bareType(to))) return (value) => value;
  const convert = conversion(bareType(from), bareType(to), 'wrap');
  return (value) => (value === null ? null : convert(value as never));
}

function plainNumber(type: SqlType): boolean {
  return isNumber(type) && type.kind !== 'decimal';
}

function equalNumbers(left: unknown, right: unknown): boolean {
  if (left === right) return true;
  if (left === null || right === null) return false;
  return (left as number) >= (right as number) && (left as number) <= (right as number);
}

/** Whether an element of an array equals a value that may be of another type; NULLs equal each other. */
export function elementMatcher(
  name: string,
  element: SqlType,
  needle: SqlType,
): (element: unknown, needle: unknown) => boolean {
  const [left, right] = [bareType(element), bareType(needle)];
  if (left.kind === 'nothing' || right.kind === 'nothing') return (one, other) => one === other;
  if (plainNumber(left) && plainNumber(right)) return equalNumbers;
  const common = trySupertype(left, right);
  const isText = (type: SqlType) => type.kind === 'string' || type.kind === 'fixed_string';
  if (common === undefined || isText(left) !== isText(right))
    throw new SluiceError(
      'ILLEGAL_TYPE_OF_ARGUMENT',
      `Function ${name} cannot compare ${typeName(element)} with ${typeName(needle)}`,
    );
  const [first, second] = [valueConverter(left, common), valueConverter(right, common)];
  return (one, other) => equalValues(first(one), second(other));
}

/** A wide integer brought into 64 bits, as ClickHouse wraps. */
export function wrapInteger(value: bigint, type: SqlType): number | bigint {
  if (type.kind !== 'int') return canonicalInteger(value);
  const wrapped = type.signed ? BigInt.asIntN(type.bits, value) : BigInt.asUintN(type.bits, value);
  return type.bits > 64 ? wrapped : canonicalInteger(wrapped);
}

/** The type made nullable where a type can be; arrays, maps and tuples stay as they are. */
export function nullableElement(type: SqlType): SqlType {
  const { kind } = bareType(type);
  return kind === 'array' || kind === 'map' || kind === 'tuple' ? type : nullable(type);
}
