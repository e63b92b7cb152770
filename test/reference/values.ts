/*
 * Values and types of the reference evaluator. Integers are bigints, floats numbers, strings byte strings (one char a byte),
 * dates days since 1970 as bigints, NULL is null.
 */
export type Value = bigint | number | string | boolean | null | readonly Value[];

export interface Type {
  /** `int8`, `float64`, `string`, `bool`, `date`, or `array`. */
  readonly base: string;
  readonly nullable: boolean;
  readonly element?: Type;
}

export function type(base: string, nullable = false): Type {
  return { base, nullable };
}

export function arrayOf(element: Type): Type {
  return { base: 'array', nullable: false, element };
}

export function typeText({ base, nullable, element }: Type): string {
  const bare = element === undefined ? base : `array(${typeText(element)})`;
  return nullable ? `nullable(${bare})` : bare;
}

export function bytes(text: string): string {
  return Buffer.from(text, 'utf8').toString('latin1');
}

export function text(byteString: string): string {
  return Buffer.from(byteString, 'latin1').toString('utf8');
}

interface IntegerKind {
  readonly signed: boolean;
  readonly bits: number;
}

/** What `int16` or `uint64` says; null for other types. */
export function integerKind({ base }: Type): IntegerKind | null {
  const match = /^(u?)int(\d+)$/.exec(base);
  return match === null ? null : { signed: match[1] === '', bits: Number(match[2]) };
}

export function integer(signed: boolean, bits: number): Type {
  return type(`${signed ? '' : 'u'}int${bits}`);
}

export function isFloat({ base }: Type): boolean {
  return base.startsWith('float');
}

/** The value that is left of an integer in two's complement of the type's width. */
export function wrapped(value: bigint, { signed, bits }: IntegerKind): bigint {
  return signed ? BigInt.asIntN(bits, value) : BigInt.asUintN(bits, value);
}

/** A number as a value of an integer or float type. */
export function asType(value: bigint | number, wanted: Type): Value {
  const kind = integerKind(wanted);
  if (kind !== null) return wrapped(typeof value === 'bigint' ? value : BigInt(Math.trunc(value)), kind);
  if (isFloat(wanted)) return wanted.base === 'float32' ? Math.fround(Number(value)) : Number(value);
  return value;
}

/** The value that a type has where there is none: outer rows of a join, aggregates of no rows. */
export function defaultOf({ base, nullable, element }: Type): Value {
  if (nullable) return null;
  if (element !== undefined) return [];
  if (base === 'string') return '';
  if (base === 'bool') return false;
  return base.startsWith('float') ? 0 : 0n;
}

/** Negative, zero or positive; NaN comes after every number, NULL is not compared. */
export function order(left: Value, right: Value): number {
  if (Array.isArray(left) && Array.isArray(right)) {
    for (let index = 0; index < Math.min(left.length, right.length); index++) {
      const difference = order(left[index]!, right[index]!);
      if (difference !== 0) return difference;
    }
    return left.length - right.length;
  }
  const [a, b] = [left as number, right as number];
  if (Number.isNaN(a) || Number.isNaN(b)) return Number(Number.isNaN(a)) - Number(Number.isNaN(b));
  return a < b ? -1 : a > b ? 1 : 0;
}

/** A text that equal values share, and no others. */
export function keyOf(value: Value): string {
  if (value === null) return 'NULL';
  if (Array.isArray(value)) return `[${value.map((item) => keyOf(item as Value)).join(',')}]`;
  if (typeof value === 'string') return JSON.stringify(value);
  return typeof value === 'number' && Number.isInteger(value) ? String(BigInt(value)) : String(value);
}

/** The least type that holds the values of all: what `if` and UNION ALL give. */
export function commonType(types: readonly Type[]): Type {
  const nullable = types.some((one) => one.nullable);
  const [first] = types;
  if (types.every(({ base }) => base === first!.base)) return { ...first!, nullable };
  const kinds = types.map(integerKind).filter((kind) => kind !== null);
  if (kinds.length < types.length) {
    const wide = kinds.some(({ bits }) => bits > 16) || types.some(({ base }) => base === 'float64');
    return type(wide ? 'float64' : 'float32', nullable);
  }
  const widest = (signed: boolean) =>
    Math.max(0, ...kinds.filter((kind) => kind.signed === signed).map(({ bits }) => bits));
  const [signed, unsigned] = [widest(true), widest(false)];
  if (signed === 0) return type(`uint${unsigned}`, nullable);
  return type(`int${Math.max(signed, unsigned * 2)}`, nullable);
}

const dayMilliseconds = 86_400_000;

export function dateOf(days: bigint): Date {
  return new Date(Number(days) * dayMilliseconds);
}

export function dateText(days: bigint): string {
  return dateOf(days).toISOString().slice(0, 10);
}
