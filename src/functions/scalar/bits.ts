import { type Code, js } from '../../code/index.ts';
import { arrayOf, type IntegerBits, type SqlType, types } from '../../types/index.ts';
import { expectInteger } from '../checks.ts';
import { type Argument, type Operand, type ScalarFunction, values } from '../definition.ts';
import { wrapInteger } from './array-values.ts';
import { wrappedCode } from './integer-code.ts';

type IntegerType = SqlType & { kind: 'int' };
type Integer = number | bigint;

function bitFunction(parts: Omit<ScalarFunction, 'kind' | 'category'>): ScalarFunction {
  return { kind: 'scalar', category: 'bit', ...parts };
}

function integerOf(name: string, args: readonly Argument[], position: number): IntegerType {
  expectInteger(name, args, position);
  const { type } = args[position]!;
  return type.kind === 'int' ? type : (types.uint8 as IntegerType);
}

/** The type of a bitwise combination: as wide as the wider, signed where one is. */
function combined(name: string, args: readonly Argument[]): IntegerType {
  const [left, right] = [integerOf(name, args, 0), integerOf(name, args, 1)];
  return {
    kind: 'int',
    bits: Math.max(left.bits, right.bits) as IntegerBits,
    signed: left.signed || right.signed,
  };
}

/** The bits of a value as a non-negative bigint. */
function bitsOf(value: Integer, bits: number): bigint {
  return BigInt.asUintN(bits, BigInt(value));
}

function narrowInteger(type: SqlType): boolean {
  return type.kind === 'bool' || (type.kind === 'int' && type.bits <= 32);
}

interface Combination {
  readonly name: string;
  readonly doc: string;
  readonly example: readonly [string, string];
  readonly narrow: (left: Code, right: Code) => Code;
  readonly wide: (left: bigint, right: bigint) => bigint;
}

function combination(rule: Combination): ScalarFunction {
  return bitFunction({
    name: rule.name,
    arity: [2, 2],
    syntax: `${rule.name}(a, b)`,
    doc: rule.doc,
    examples: [[`${rule.name}(${rule.example[0]})`, rule.example[1]]],
    type: (args) => combined(rule.name, args),
    emit: (emitter, args, type) => {
      const [left, right] = values(args) as [Operand, Operand];
      const target = type as IntegerType;
      if (narrowInteger(left.type) && narrowInteger(right.type))
        return wrappedCode(rule.narrow(left.code, right.code), target);
      const combine = (one: Integer, other: Integer) =>
        wrapInteger(rule.wide(BigInt(one), BigInt(other)), target);
      return js`${emitter.bind(combine, rule.name)}(${left.code}, ${right.code})`;
    },
  });
}

const bitNot = bitFunction({
  name: 'bit_not',
  arity: [1, 1],
  syntax: 'bit_not(a)',
  doc: 'Every bit turned over.',
  examples: [['bit_not(1)', '254']],
  type: (args) => integerOf('bit_not', args, 0),
  kernel: (_, type) => (value: Integer) => wrapInteger(~BigInt(value), type as IntegerType),
});

interface Shift {
  readonly name: string;
  readonly doc: string;
  readonly example: readonly [string, string];
  readonly compute: (value: Integer, by: number, type: IntegerType) => bigint;
}

function rotated(value: Integer, by: number, type: IntegerType): bigint {
  const shift = BigInt(((by % type.bits) + type.bits) % type.bits);
  const bits = bitsOf(value, type.bits);
  return (bits << shift) | (bits >> (BigInt(type.bits) - shift));
}

function shiftFunction(shift: Shift): ScalarFunction {
  return bitFunction({
    name: shift.name,
    arity: [2, 2],
    syntax: `${shift.name}(a, n)`,
    doc: shift.doc,
    examples: [[`${shift.name}(${shift.example[0]})`, shift.example[1]]],
    type: (args) => {
      integerOf(shift.name, args, 1);
      return integerOf(shift.name, args, 0);
    },
    kernel: (_, type) => (value: Integer, by: Integer) =>
      wrapInteger(shift.compute(value, Number(by), type as IntegerType), type as IntegerType),
  });
}

const shifts = [
  shiftFunction({
    name: 'bit_shift_left',
    doc: 'The bits moved n places up; those that leave the type are lost.',
    example: ['1, 3', '8'],
    compute: (value, by, type) => (by < 0 || by >= type.bits ? 0n : BigInt(value) << BigInt(by)),
  }),
  shiftFunction({
    name: 'bit_shift_right',
    doc: 'The bits moved n places down, the sign kept.',
    example: ['8, 2', '2'],
    compute: (value, by, type) => (by < 0 || by >= type.bits ? 0n : BigInt(value) >> BigInt(by)),
  }),
  shiftFunction({
    name: 'bit_rotate_left',
    doc: 'The bits moved n places up, those that leave the type coming back below.',
    example: ['to_uint8(129), 1', '3'],
    compute: rotated,
  }),
  shiftFunction({
    name: 'bit_rotate_right',
    doc: 'The bits moved n places down, those that leave coming back above.',
    example: ['to_uint8(3), 1', '129'],
    compute: (value, by, type) => rotated(value, -by, type),
  }),
];

function isSet(value: Integer, place: Integer, bits: number): boolean {
  const at = Number(place);
  return at >= 0 && at < bits && ((bitsOf(value, bits) >> BigInt(at)) & 1n) === 1n;
}

function testFunction(
  name: string,
  doc: string,
  most: number,
  test: (marks: readonly boolean[]) => boolean,
): ScalarFunction {
  return bitFunction({
    name,
    arity: [2, most],
    syntax: most === 2 ? `${name}(a, place)` : `${name}(a, place, ...)`,
    doc,
    examples: [[`${name}(5, 2)`, '1']],
    type: (args) => {
      for (const position of args.keys()) integerOf(name, args, position);
      return types.uint8;
    },
    kernel: (args) => {
      const { bits } = integerOf(name, args, 0);
      return (value: Integer, ...places: Integer[]) =>
        test(places.map((place) => isSet(value, place, bits))) ? 1 : 0;
    },
  });
}

function countBits(bits: bigint): number {
  let count = 0;
  for (let rest = bits; rest > 0n; rest >>= 32n) {
    let part = Number(rest & 0xffffffffn);
    while (part !== 0) {
      part &= part - 1;
      count++;
    }
  }
  return count;
}

const bitCount = bitFunction({
  name: 'bit_count',
  arity: [1, 1],
  syntax: 'bit_count(a)',
  doc: 'Number of bits that are 1.',
  examples: [['bit_count(7)', '3']],
  type: (args) => {
    integerOf('bit_count', args, 0);
    return types.uint8;
  },
  kernel: (args) => {
    const { bits } = integerOf('bit_count', args, 0);
    return (value: Integer) => countBits(bitsOf(value, bits));
  },
});

const bitHammingDistance = bitFunction({
  name: 'bit_hamming_distance',
  arity: [2, 2],
  syntax: 'bit_hamming_distance(a, b)',
  doc: 'Number of bits in which two integers differ.',
  examples: [['bit_hamming_distance(5, 6)', '2']],
  type: (args) => {
    combined('bit_hamming_distance', args);
    return types.uint8;
  },
  kernel: (args) => {
    const { bits } = combined('bit_hamming_distance', args);
    return (left: Integer, right: Integer) => countBits(bitsOf(left, bits) ^ bitsOf(right, bits));
  },
});

function places(value: Integer, bits: number): number[] {
  const all = bitsOf(value, bits);
  const result: number[] = [];
  for (let place = 0; place < bits; place++) if (((all >> BigInt(place)) & 1n) === 1n) result.push(place);
  return result;
}

const bitmaskToArray = bitFunction({
  name: 'bitmask_to_array',
  arity: [1, 1],
  syntax: 'bitmask_to_array(a)',
  doc: 'The powers of two that the integer is the sum of.',
  examples: [['bitmask_to_array(50)', '[2,16,32]']],
  type: (args) => arrayOf(integerOf('bitmask_to_array', args, 0)),
  kernel: (args) => {
    const type = integerOf('bitmask_to_array', args, 0);
    return (value: Integer) =>
      places(value, type.bits).map((place) => wrapInteger(1n << BigInt(place), type));
  },
});

const bitPositionsToArray = bitFunction({
  name: 'bit_positions_to_array',
  arity: [1, 1],
  syntax: 'bit_positions_to_array(a)',
  doc: 'The places, counted from 0, of the bits that are 1.',
  examples: [['bit_positions_to_array(50)', '[1,4,5]']],
  type: (args) => {
    integerOf('bit_positions_to_array', args, 0);
    return arrayOf(types.uint64);
  },
  kernel: (args) => {
    const { bits } = integerOf('bit_positions_to_array', args, 0);
    return (value: Integer) => places(value, bits);
  },
});

export const bitFunctions: readonly ScalarFunction[] = [
  combination({
    name: 'bit_and',
    doc: 'The bits that are 1 in both integers.',
    example: ['12, 10', '8'],
    narrow: (left, right) => js`${left} & ${right}`,
    wide: (left, right) => left & right,
  }),
  combination({
    name: 'bit_or',
    doc: 'The bits that are 1 in one integer at least.',
    example: ['12, 10', '14'],
    narrow: (left, right) => js`${left} | ${right}`,
    wide: (left, right) => left | right,
  }),
  combination({
    name: 'bit_xor',
    doc: 'The bits that are 1 in exactly one of two integers.',
    example: ['12, 10', '6'],
    narrow: (left, right) => js`${left} ^ ${right}`,
    wide: (left, right) => left ^ right,
  }),
  bitNot,
  ...shifts,
  testFunction('bit_test', 'The bit at a place, counted from 0 at the lowest one.', 2, (marks) => marks[0]!),
  testFunction(
    'bit_test_all',
    'Whether the bits at all the places are 1.',
    Number.POSITIVE_INFINITY,
    (marks) => marks.every(Boolean),
  ),
  testFunction(
    'bit_test_any',
    'Whether a bit at one of the places is 1.',
    Number.POSITIVE_INFINITY,
    (marks) => marks.some(Boolean),
  ),
  bitCount,
  bitHammingDistance,
  bitmaskToArray,
  bitPositionsToArray,
];
