import {
  asType,
  bytes,
  commonType,
  dateOf,
  dateText,
  defaultOf,
  integer,
  integerKind,
  isFloat,
  order,
  type Type,
  text,
  type,
  type Value,
} from './values.ts';

/** A function of the reference: how it is written, its type and its value. */
export interface Fn {
  readonly name: string;
  readonly print: (args: readonly string[]) => string;
  /** Of arguments without nullable, unless `ownNulls`. */
  readonly type: (args: readonly Type[]) => Type;
  /** Whether the function sees NULLs; else any NULL makes the result NULL. */
  readonly ownNulls?: boolean;
  readonly value: (args: readonly Value[], types: readonly Type[], result: Type) => Value;
}

const call = (name: string) => (args: readonly string[]) => `${name}(${args.join(', ')})`;
const infix = (sign: string) => (args: readonly string[]) => `(${args.join(` ${sign} `)})`;

function nextSize(bits: number): number {
  return Math.min(64, bits * 2);
}

/** The type of a sum, difference or product: one size up. */
function widened(args: readonly Type[], signed: boolean): Type {
  const kinds = args.map(integerKind);
  if (kinds.some((kind) => kind === null)) return type('float64');
  const bits = Math.max(...kinds.map((kind) => kind!.bits));
  return integer(signed || kinds.some((kind) => kind!.signed), nextSize(bits));
}

function arithmetic(
  name: string,
  sign: string,
  result: (args: readonly Type[]) => Type,
  integers: (left: bigint, right: bigint) => bigint,
  floats: (left: number, right: number) => number,
): Fn {
  return {
    name,
    print: infix(sign),
    type: result,
    value: ([left, right], _, wanted) =>
      isFloat(wanted)
        ? floats(Number(left), Number(right))
        : asType(integers(left as bigint, right as bigint), wanted),
  };
}

/** NaN equals nothing, not even itself. */
function equal(left: Value, right: Value): boolean {
  return !Number.isNaN(left) && !Number.isNaN(right) && order(left, right) === 0;
}

function comparison(name: string, sign: string, holds: (difference: number) => boolean): Fn {
  return {
    name,
    print: infix(sign),
    type: () => type('bool'),
    value: ([left, right]) =>
      Number.isNaN(left) || Number.isNaN(right) ? sign === '!=' : holds(order(left!, right!)),
  };
}

function ofText(name: string, compute: (text: string) => Value, result: Type = type('string')): Fn {
  return { name, print: call(name), type: () => result, value: ([value]) => compute(value as string) };
}

/** Whether a text is like a pattern, in which % stands for any text and _ for any one character. */
export function isLike(subject: string, pattern: string): boolean {
  if (pattern === '') return subject === '';
  const [first, ...rest] = Array.from(pattern);
  if (first === '%') {
    const characters = Array.from(subject);
    return characters.concat('').some((_, index) => isLike(characters.slice(index).join(''), rest.join('')));
  }
  if (subject === '') return false;
  const [head, ...tail] = Array.from(subject);
  return (first === '_' || first === head) && isLike(tail.join(''), rest.join(''));
}

function likeFn(name: string, sign: string, negated: boolean, folded: boolean): Fn {
  const fold = (value: Value) => (folded ? text(value as string).toLowerCase() : text(value as string));
  return {
    name,
    print: infix(sign),
    type: () => type('bool'),
    value: ([subject, pattern]) => isLike(fold(subject!), fold(pattern!)) !== negated,
  };
}

/** Three-valued logic: `decisive` decides whatever the others are. */
function logic(name: string, sign: string, decisive: boolean): Fn {
  return {
    name,
    print: infix(sign),
    ownNulls: true,
    type: (args) =>
      type(
        'bool',
        args.some(({ nullable }) => nullable),
      ),
    value: (args) => (args.includes(decisive) ? decisive : args.includes(null) ? null : !decisive),
  };
}

function convert(value: Value, wanted: Type): Value {
  return typeof value === 'bigint' || typeof value === 'number' ? asType(value, wanted) : value;
}

/** Pairs of condition and value, and the value of none. */
function choice(args: readonly Value[], wanted: Type): Value {
  for (let index = 0; index + 1 < args.length; index += 2)
    if (args[index] === true) return convert(args[index + 1]!, wanted);
  return convert(args.at(-1)!, wanted);
}

function choiceType(args: readonly Type[]): Type {
  return commonType(args.filter((_, index) => index % 2 === 1 || index === args.length - 1));
}

function bits(name: string, compute: (left: bigint, right: bigint) => bigint): Fn {
  return {
    name,
    print: call(name),
    type: (args) => {
      const kinds = args.map((one) => integerKind(one)!);
      return integer(
        kinds.some(({ signed }) => signed),
        Math.max(...kinds.map((kind) => kind.bits)),
      );
    },
    value: ([left, right], _, wanted) => asType(compute(left as bigint, right as bigint), wanted),
  };
}

function datePart(name: string, bitsOf: number, part: (date: Date) => number): Fn {
  return {
    name,
    print: call(name),
    type: () => integer(false, bitsOf),
    value: ([days]) => BigInt(part(dateOf(days as bigint))),
  };
}

/** A text as a whole number of 64 bits; undefined when it is none. */
function parsed(value: Value): bigint | undefined {
  const number = /^-?\d+$/.test(value as string) ? BigInt(value as string) : undefined;
  return number !== undefined && BigInt.asIntN(64, number) === number ? number : undefined;
}

function numberText(value: Value): string {
  if (value === Number.POSITIVE_INFINITY) return 'inf';
  if (value === Number.NEGATIVE_INFINITY) return '-inf';
  return Number.isNaN(value) ? 'nan' : Object.is(value, -0) ? '-0' : String(value);
}

function slice(subject: string, from: number, length: number): string {
  if (from === 0) return '';
  const start = from > 0 ? from - 1 : Math.max(0, subject.length + from);
  // What stands before the beginning counts as part of the length.
  const missing = from < 0 ? Math.max(0, -from - subject.length) : 0;
  return subject.slice(start, start + Math.max(0, length - missing));
}

function cast(name: string, base: string): Fn {
  return {
    name,
    print: ([value]) => `${value}::${name}`,
    type: () => type(base),
    value: ([value], _, wanted) => convert(value!, wanted),
  };
}

const list: readonly Fn[] = [
  arithmetic(
    'plus',
    '+',
    (args) => widened(args, false),
    (a, b) => a + b,
    (a, b) => a + b,
  ),
  arithmetic(
    'minus',
    '-',
    (args) => widened(args, true),
    (a, b) => a - b,
    (a, b) => a - b,
  ),
  arithmetic(
    'multiply',
    '*',
    (args) => widened(args, false),
    (a, b) => a * b,
    (a, b) => a * b,
  ),
  arithmetic(
    'divide',
    '/',
    () => type('float64'),
    (a, b) => a / b,
    (a, b) => a / b,
  ),
  {
    name: 'modulo',
    print: infix('%'),
    type: ([left, right]) => {
      const { signed } = integerKind(left!)!;
      const { bits: size } = integerKind(right!)!;
      return integer(signed, signed ? nextSize(size) : size);
    },
    value: ([left, right], _, wanted) => asType((left as bigint) % (right as bigint), wanted),
  },
  {
    name: 'int_div',
    print: call('int_div'),
    type: ([left, right]) => {
      const [dividend, divisor] = [integerKind(left!)!, integerKind(right!)!];
      return integer(dividend.signed || divisor.signed, dividend.bits);
    },
    value: ([left, right], _, wanted) => asType((left as bigint) / (right as bigint), wanted),
  },
  {
    name: 'negate',
    print: ([value]) => `(-(${value!}))`,
    type: ([value]) => {
      const kind = integerKind(value!);
      if (kind === null) return value!;
      return integer(true, kind.signed ? kind.bits : nextSize(kind.bits));
    },
    value: ([value], _, wanted) => asType(-(value as bigint), wanted),
  },
  {
    name: 'abs',
    print: call('abs'),
    type: ([value]) => {
      const kind = integerKind(value!);
      return kind === null ? value! : integer(false, kind.bits);
    },
    value: ([value], _, wanted) =>
      typeof value === 'bigint' ? asType(value < 0n ? -value : value, wanted) : Math.abs(value as number),
  },
  bits('bit_and', (a, b) => a & b),
  bits('bit_or', (a, b) => a | b),
  bits('bit_xor', (a, b) => a ^ b),
  comparison('equals', '=', (difference) => difference === 0),
  comparison('not_equals', '!=', (difference) => difference !== 0),
  comparison('less', '<', (difference) => difference < 0),
  comparison('less_or_equals', '<=', (difference) => difference <= 0),
  comparison('greater', '>', (difference) => difference > 0),
  comparison('greater_or_equals', '>=', (difference) => difference >= 0),
  {
    name: 'between',
    print: ([value, low, high]) => `(${value} BETWEEN ${low} AND ${high})`,
    ownNulls: true,
    type: (args) =>
      type(
        'bool',
        args.some(({ nullable }) => nullable),
      ),
    value: ([value, low, high]) => {
      const above = value === null || low === null ? null : order(value!, low!) >= 0;
      const below = value === null || high === null ? null : order(value!, high!) <= 0;
      return above === false || below === false ? false : above === null || below === null ? null : true;
    },
  },
  logic('and', 'AND', false),
  logic('or', 'OR', true),
  { name: 'not', print: ([value]) => `(NOT ${value})`, type: () => type('bool'), value: ([value]) => !value },
  {
    name: 'is_null',
    print: ([value]) => `(${value} IS NULL)`,
    ownNulls: true,
    type: () => type('bool'),
    value: ([value]) => value === null,
  },
  {
    name: 'is_not_null',
    print: ([value]) => `(${value} IS NOT NULL)`,
    ownNulls: true,
    type: () => type('bool'),
    value: ([value]) => value !== null,
  },
  {
    name: 'coalesce',
    print: call('coalesce'),
    ownNulls: true,
    type: (args) => ({ ...commonType(args), nullable: args.every(({ nullable }) => nullable) }),
    value: (args, _, wanted) => convert(args.find((value) => value !== null) ?? null, wanted),
  },
  {
    name: 'if_null',
    print: call('if_null'),
    ownNulls: true,
    type: (args) => ({ ...commonType(args), nullable: args.every(({ nullable }) => nullable) }),
    value: ([first, second], _, wanted) => convert(first === null ? second! : first!, wanted),
  },
  {
    name: 'null_if',
    print: call('null_if'),
    ownNulls: true,
    type: ([first]) => ({ ...first!, nullable: true }),
    value: ([first, second]) => (first !== null && second !== null && equal(first!, second!) ? null : first!),
  },
  {
    name: 'if',
    print: call('if'),
    ownNulls: true,
    type: choiceType,
    value: (args, _, wanted) => choice(args, wanted),
  },
  {
    name: 'multi_if',
    print: call('multi_if'),
    ownNulls: true,
    type: choiceType,
    value: (args, _, wanted) => choice(args, wanted),
  },
  {
    name: 'case',
    print: ([first, then, second, other, last]) =>
      `CASE WHEN ${first} THEN ${then} WHEN ${second} THEN ${other} ELSE ${last} END`,
    ownNulls: true,
    type: choiceType,
    value: (args, _, wanted) => choice(args, wanted),
  },
  ofText('upper', (value) => value.replace(/[a-z]/g, (letter) => letter.toUpperCase())),
  ofText('lower', (value) => value.replace(/[A-Z]/g, (letter) => letter.toLowerCase())),
  ofText('reverse', (value) => Array.from({ length: value.length }, (_, at) => value.at(-1 - at)).join('')),
  ofText('length', (value) => BigInt(value.length), type('uint64')),
  ofText('empty', (value) => value === '', type('bool')),
  ofText('to_int64_or_zero', (value) => parsed(value) ?? 0n, type('int64')),
  ofText('to_int64_or_null', (value) => parsed(value) ?? null, type('int64', true)),
  {
    name: 'concat',
    print: call('concat'),
    type: () => type('string'),
    value: (args) => args.join(''),
  },
  {
    name: 'substring',
    print: call('substring'),
    type: () => type('string'),
    value: ([subject, from, length]) => slice(subject as string, Number(from), Number(length)),
  },
  {
    name: 'position',
    print: call('position'),
    type: () => type('uint64'),
    value: ([subject, needle]) => BigInt((subject as string).indexOf(needle as string) + 1),
  },
  {
    name: 'starts_with',
    print: call('starts_with'),
    type: () => type('bool'),
    value: ([subject, prefix]) => (subject as string).startsWith(prefix as string),
  },
  {
    name: 'replace',
    print: call('replace'),
    type: () => type('string'),
    value: ([subject, from, to]) => (subject as string).split(from as string).join(to as string),
  },
  likeFn('like', 'LIKE', false, false),
  likeFn('not_like', 'NOT LIKE', true, false),
  likeFn('ilike', 'ILIKE', false, true),
  {
    name: 'to_string',
    print: call('to_string'),
    type: () => type('string'),
    value: ([value], [given]) =>
      given!.base === 'date'
        ? dateText(value as bigint)
        : typeof value === 'string'
          ? value
          : numberText(value!),
  },
  ...['int8', 'int16', 'int32', 'int64', 'uint8', 'uint32', 'uint64', 'float64'].flatMap((name) => [
    cast(name, name),
    cast(`nullable(${name})`, name),
  ]),
  {
    name: 'is_nan',
    print: call('is_nan'),
    type: () => type('bool'),
    value: ([value]) => Number.isNaN(value),
  },
  datePart('to_year', 16, (date) => date.getUTCFullYear()),
  datePart('to_month', 8, (date) => date.getUTCMonth() + 1),
  datePart('to_day_of_month', 8, (date) => date.getUTCDate()),
  datePart('to_day_of_week', 8, (date) => date.getUTCDay() || 7),
  {
    name: 'add_days',
    print: ([date, days]) => `(${date} + ${days})`,
    type: () => type('date'),
    value: ([date, days]) => (date as bigint) + (days as bigint),
  },
  {
    name: 'days_between',
    print: ([later, earlier]) => `(${later} - ${earlier})`,
    type: () => type('int32'),
    value: ([later, earlier]) => (later as bigint) - (earlier as bigint),
  },
  {
    name: 'element',
    print: ([array, index]) => `${array}[${index}]`,
    type: ([array]) => array!.element!,
    value: ([array, index], [given]) => (array as Value[])[Number(index) - 1] ?? defaultOf(given!.element!),
  },
  {
    name: 'array_length',
    print: call('length'),
    type: () => type('uint64'),
    value: ([array]) => BigInt((array as Value[]).length),
  },
  {
    name: 'has',
    print: call('has'),
    type: () => type('bool'),
    value: ([array, wanted]) => (array as Value[]).includes(wanted!),
  },
];

const byName = new Map(list.map((fn) => [fn.name, fn]));

export function fn(name: string): Fn {
  const found = byName.get(name);
  if (found === undefined) throw new Error(`the reference has no function ${name}`);
  return found;
}

/** The raw text of a JSON value: strings as they are, the rest as it is written without blanks; nothing for null. */
export function jsonText(document: string, path: readonly (string | number)[]): string {
  let value: unknown;
  try {
    value = JSON.parse(text(document));
  } catch {
    return '';
  }
  for (const step of path) {
    if (typeof step === 'number') value = Array.isArray(value) ? value[step - 1] : undefined;
    else
      value =
        typeof value === 'object' && value !== null && !Array.isArray(value)
          ? (value as Record<string, unknown>)[step]
          : undefined;
  }
  if (value === undefined || value === null) return '';
  return bytes(typeof value === 'string' ? value : JSON.stringify(value));
}
