import { limits } from '../base/index.ts';
import { bareType, type SqlType } from '../types/index.ts';
import type { FlatVector, NullMask, NumberArray, NumberArrayKind } from './vector.ts';

/** The typed array of each kind. */
export const arrayConstructors = {
  i8: Int8Array,
  i16: Int16Array,
  i32: Int32Array,
  u8: Uint8Array,
  u16: Uint16Array,
  u32: Uint32Array,
  f32: Float32Array,
  f64: Float64Array,
};

/** A zeroed array of the kind. */
export function numberArray(kind: NumberArrayKind, length: number): NumberArray {
  return new arrayConstructors[kind](length);
}

/** The kind of a typed array. */
export function numberArrayKind(data: NumberArray): NumberArrayKind {
  const found = Object.entries(arrayConstructors).find(([, ArrayClass]) => data instanceof ArrayClass);
  return found![0] as NumberArrayKind;
}

/** The kind that holds every value of the type; float64 for 64-bit integers within the safe range. */
function defaultKind(type: SqlType): NumberArrayKind {
  switch (type.kind) {
    case 'bool':
      return 'u8';
    case 'int':
      if (type.bits === 64) return 'f64';
      return `${type.signed ? 'i' : 'u'}${type.bits}` as NumberArrayKind;
    case 'enum':
      return `i${type.bits}` as NumberArrayKind;
    case 'date':
      return 'u16';
    case 'date32':
      return 'i32';
    case 'datetime':
    case 'ipv4':
      return 'u32';
    case 'float':
      return type.bits === 32 ? 'f32' : 'f64';
    default:
      return 'f64';
  }
}

/** The array kind for values of the type: its default, or the narrowest for integers from `min` to `max`. */
export function flatKind(type: SqlType, min?: number, max?: number): NumberArrayKind {
  const bare = bareType(type);
  const widest = defaultKind(bare);
  if (bare.kind === 'float' || min === undefined || max === undefined) return widest;
  if (min >= 0) {
    if (max <= 0xff) return 'u8';
    if (max <= 0xffff) return 'u16';
    return max <= 0x7fffffff && widest !== 'u32' ? 'i32' : max <= 0xffffffff ? 'u32' : 'f64';
  }
  if (min >= -0x80 && max <= 0x7f) return 'i8';
  if (min >= -0x8000 && max <= 0x7fff) return 'i16';
  return min >= -0x80000000 && max <= 0x7fffffff ? 'i32' : 'f64';
}

/**
 * A flat vector of values given as doubles (which are copied). Blocks of some size get the narrowest array that holds
 * them; small ones keep the type's own, so that many small blocks share one shape of code.
 */
export function flatFromDoubles(
  values: Float64Array,
  type: SqlType,
  nulls: NullMask,
  array?: NumberArrayKind,
): FlatVector {
  let min = Number.POSITIVE_INFINITY;
  let max = Number.NEGATIVE_INFINITY;
  for (let row = 0; row < values.length; row++) {
    const value = values[row]!;
    if (value < min) min = value;
    if (value > max) max = value;
  }
  // A NULL row holds 0, which may widen the bounds but never makes them wrong.
  const known = min <= max;
  const narrow = values.length >= limits.block_narrow_rows_min && known;
  const kind = array ?? (narrow ? flatKind(type, min, max) : flatKind(type));
  const data = numberArray(kind, values.length);
  data.set(values);
  const vector: FlatVector = { kind: 'flat', array: kind, length: values.length, nulls, data };
  return known ? { ...vector, min, max } : vector;
}
