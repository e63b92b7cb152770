import { SluiceError } from '../../base/index.ts';
import { js } from '../../code/index.ts';
import { representation, type SqlType, supertype, types } from '../../types/index.ts';
import { expectInteger, expectNumber, illegalType } from '../checks.ts';
import { type Argument, type Operand, type ScalarFunction, values } from '../definition.ts';
import { elementType, type Values, valueConverter, wrapInteger } from './array-values.ts';
import { pow10 } from './scaled.ts';

/** How a number between two steps goes to one of them. */
type Rounding = 'half_away' | 'half_even' | 'down' | 'up' | 'towards_zero';

/** The nearest integer, of two as near the even one. */
export function roundHalfEven(x: number): number {
  const floor = Math.floor(x);
  const rest = x - floor;
  if (rest < 0.5) return floor;
  if (rest > 0.5) return floor + 1;
  return floor % 2 === 0 ? floor : floor + 1;
}

const floatRounds: Record<Rounding, (x: number) => number> = {
  half_away: roundHalfEven,
  half_even: roundHalfEven,
  down: Math.floor,
  up: Math.ceil,
  towards_zero: Math.trunc,
};

/** A scaled integer rounded to a multiple of `unit`. */
function roundBig(value: bigint, unit: bigint, rounding: Rounding): bigint {
  const rest = value % unit;
  if (rest === 0n) return value;
  const towardsZero = value - rest;
  const away = value < 0n ? towardsZero - unit : towardsZero + unit;
  const twice = (rest < 0n ? -rest : rest) * 2n;
  switch (rounding) {
    case 'down':
      return value < 0n ? away : towardsZero;
    case 'up':
      return value < 0n ? towardsZero : away;
    case 'towards_zero':
      return towardsZero;
    case 'half_away':
      return twice >= unit ? away : towardsZero;
    case 'half_even':
      if (twice !== unit) return twice > unit ? away : towardsZero;
      return (towardsZero / unit) % 2n === 0n ? towardsZero : away;
  }
}

function floatRounder(
  type: SqlType & { kind: 'float' },
  rounding: Rounding,
): (x: number, digits: number) => number {
  const round = floatRounds[rounding];
  const narrowed = type.bits === 32 ? Math.fround : (x: number) => x;
  return (x, digits) => {
    if (digits === 0 || !Number.isFinite(x)) return round(x);
    if (digits > 0) {
      const scale = 10 ** digits;
      const result = round(narrowed(x * scale)) / scale;
      return Number.isFinite(result) ? narrowed(result) : x;
    }
    const scale = 10 ** -digits;
    return narrowed(round(narrowed(x / scale)) * scale);
  };
}

type Rounder = (value: number | bigint, digits: number) => number | bigint;

function rounderOf(type: SqlType, rounding: Rounding): Rounder {
  if (type.kind === 'float') return floatRounder(type, rounding) as Rounder;
  const scale = type.kind === 'decimal' ? type.scale : 0;
  const wide = representation(type) === 'bigint';
  return (value, digits) => {
    if (digits >= scale) return value;
    const places = scale - digits;
    if (places > 80) return wide ? 0n : 0;
    const rounded = roundBig(BigInt(value), pow10(places), rounding);
    if (type.kind === 'decimal') return wide ? rounded : wrapInteger(rounded, types.int64);
    return wrapInteger(rounded, type);
  };
}

function roundFunction(
  name: string,
  aliases: readonly string[],
  rounding: Rounding,
  doc: string,
  examples: ScalarFunction['examples'],
): ScalarFunction {
  return {
    kind: 'scalar',
    name,
    aliases,
    category: 'math',
    arity: [1, 2],
    syntax: `${name}(x[, digits])`,
    doc: `${doc} Negative digits round to tens, hundreds and so on.`,
    examples,
    type: (args) => {
      expectNumber(name, args, 0);
      expectInteger(name, args, 1);
      return args[0]!.type.kind === 'bool' ? types.uint8 : args[0]!.type;
    },
    emit: (emitter, args, type) => {
      const [operand, digits] = values(args) as [Operand, Operand | undefined];
      if (digits === undefined) {
        if (type.kind === 'int') return { ...operand, type };
        if (type.kind === 'float') return js`${emitter.bind(floatRounds[rounding], name)}(${operand.code})`;
      }
      const rounder = emitter.bind(rounderOf(type, rounding), name);
      return js`${rounder}(${operand.code}, ${digits === undefined ? js`0` : js`Number(${digits.code})`})`;
    },
  };
}

const roundDown: ScalarFunction = {
  kind: 'scalar',
  name: 'round_down',
  category: 'math',
  arity: [2, 2],
  syntax: 'round_down(x, array)',
  doc: 'The greatest element of a sorted array that is not above x, the first where all are.',
  examples: [['round_down(5, [3, 4, 6])', '4']],
  type: (args) => {
    expectNumber('round_down', args, 0);
    return supertype([args[0]!.type, elementType('round_down', args, 1)], 'round_down');
  },
  kernel: (args, type) => {
    const one = valueConverter(args[0]!.type, type);
    const each = valueConverter(elementType('round_down', args, 1), type);
    return (x: unknown, list: Values) => {
      if (list.length === 0) throw new SluiceError('BAD_ARGUMENTS', 'The array given to round_down is empty');
      const value = one(x) as number;
      let best = each(list[0]) as number;
      for (const element of list) {
        const candidate = each(element) as number;
        if (candidate <= value && candidate > best) best = candidate;
      }
      return best;
    };
  },
};

const roundToExp2: ScalarFunction = {
  kind: 'scalar',
  name: 'round_to_exp2',
  category: 'math',
  arity: [1, 1],
  syntax: 'round_to_exp2(x)',
  doc: 'The greatest power of 2 that is not above x, 0 where x is below 1 and an integer.',
  examples: [
    ['round_to_exp2(100)', '64'],
    ['round_to_exp2(0.3)', '0.25'],
  ],
  type: (args: readonly Argument[]) => {
    const { type } = args[0]!;
    if (type.kind !== 'int' && type.kind !== 'float')
      throw illegalType('round_to_exp2', 0, type, 'an integer or a float');
    return type;
  },
  kernel: (_, type) => {
    if (type.kind === 'float')
      return (x: number) =>
        x === 0 || !Number.isFinite(x) ? x : Math.sign(x) * 2 ** Math.floor(Math.log2(Math.abs(x)));
    return (x: number | bigint) =>
      x < 1 ? wrapInteger(0n, type) : wrapInteger(1n << BigInt(BigInt(x).toString(2).length - 1), type);
  },
};

/** A function that gives a step of a ladder of bounds, as ClickHouse has some for statistics. */
function ladder(
  name: string,
  doc: string,
  steps: readonly number[],
  example: readonly [string, string],
): ScalarFunction {
  return {
    kind: 'scalar',
    name,
    category: 'math',
    arity: [1, 1],
    syntax: `${name}(x)`,
    doc,
    examples: [example],
    type: (args) => {
      expectNumber(name, args, 0);
      return types.uint16;
    },
    kernel: () => (x: number | bigint) => {
      let result = 0;
      for (const step of steps) if (Number(x) >= step) result = step;
      return result;
    },
  };
}

export const roundingFunctions: readonly ScalarFunction[] = [
  roundFunction(
    'round',
    [],
    'half_away',
    'The number rounded to the nearest one with so many digits. Half goes to the even neighbour for floats and away from zero for decimals and integers.',
    [
      ['round(2.5)', '2'],
      ['round(3.14159, 2)', '3.14'],
      ['round(1250, -2)', '1300'],
    ],
  ),
  roundFunction(
    'round_bankers',
    [],
    'half_even',
    'The number rounded to the nearest one with so many digits, half going to the even neighbour.',
    [
      ['round_bankers(2.5)', '2'],
      ['round_bankers(25, -1)', '20'],
    ],
  ),
  roundFunction('floor', [], 'down', 'The greatest number with so many digits that is not above x.', [
    ['floor(-2.5)', '-3'],
    ['floor(2.57, 1)', '2.5'],
  ]),
  roundFunction('ceil', ['ceiling'], 'up', 'The least number with so many digits that is not below x.', [
    ['ceil(-2.5)', '-2'],
    ['ceil(2.51, 1)', '2.6'],
  ]),
  roundFunction('trunc', ['truncate'], 'towards_zero', 'The number with the digits after so many cut off.', [
    ['trunc(-2.57, 1)', '-2.5'],
    ['trunc(2.9)', '2'],
  ]),
  roundDown,
  roundToExp2,
  ladder(
    'round_duration',
    'The duration group of seconds: the least duration in it.',
    [1, 10, 30, 60, 120, 180, 240, 300, 600, 1_200, 1_800, 3_600, 7_200, 18_000, 36_000],
    ['round_duration(100)', '60'],
  ),
];
