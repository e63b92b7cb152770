import { SluiceError } from '../../base/index.ts';
import { type Code, js } from '../../code/index.ts';
import {
  addSigned,
  addUnsigned,
  multiplySigned,
  multiplyUnsigned,
  subtractSigned,
  wrapSigned,
  wrapUnsigned,
} from '../../runtime/index.ts';
import { type IntegerBits, isNumber, type SqlType, typeName, types } from '../../types/index.ts';
import { type Argument, type Emitter, type Operand, type ScalarFunction, values } from '../definition.ts';
import { decimalArithmetic, decimalResult } from './decimal-arithmetic.ts';
import { asDouble, type Bounds, emitInteger, type IntegerOperation, isPlainNumber } from './integer-code.ts';
import { timeArithmetic, timeResult } from './time-arithmetic.ts';

type IntegerType = SqlType & { kind: 'int' };

function asInteger(type: SqlType): IntegerType {
  return (type.kind === 'bool' ? types.uint8 : type) as IntegerType;
}

/** Twice the bits up to 64; wider types keep theirs. */
function nextBits(bits: IntegerBits): IntegerBits {
  return bits < 64 ? ((bits * 2) as IntegerBits) : bits;
}

function integer(bits: IntegerBits, signed: boolean): IntegerType {
  return { kind: 'int', bits, signed };
}

function requireNumbers(name: string, args: readonly Argument[]): void {
  for (const argument of args) {
    if (!isNumber(argument.type)) {
      throw new SluiceError(
        'ILLEGAL_TYPE_OF_ARGUMENT',
        `Illegal types ${args.map((each) => typeName(each.type)).join(' and ')} of arguments of function ${name}: expected numbers`,
      );
    }
  }
}

function isFloatPair(args: readonly Argument[]): boolean {
  return args.some((argument) => argument.type.kind === 'float');
}

interface ArithmeticRule {
  readonly name: 'plus' | 'minus' | 'multiply';
  readonly signed: (left: IntegerType, right: IntegerType) => boolean;
  readonly operation: IntegerOperation;
}

function arithmeticType(rule: ArithmeticRule, args: readonly Argument[]): SqlType {
  const [left, right] = args as [Argument, Argument];
  const time = timeResult(rule.name, left.type, right.type);
  if (time !== undefined) return time;
  requireNumbers(rule.name, args);
  if (isFloatPair(args)) return types.float64;
  const decimal = decimalResult(rule.name, left.type, right.type);
  if (decimal !== undefined) return decimal;
  const [first, second] = [asInteger(left.type), asInteger(right.type)];
  return integer(nextBits(Math.max(first.bits, second.bits) as IntegerBits), rule.signed(first, second));
}

function emitArithmetic(
  rule: ArithmeticRule,
  emitter: Emitter,
  args: readonly Operand[],
  type: SqlType,
): Operand | Code {
  const [left, right] = args as [Operand, Operand];
  const time = timeArithmetic(rule.name, emitter, left, right, type);
  if (time !== undefined) return time;
  if (type.kind === 'float') return rule.operation.number(asDouble(emitter, left), asDouble(emitter, right));
  if (type.kind === 'decimal') return decimalArithmetic(rule.name, emitter, left, right, type);
  return emitInteger(emitter, rule.operation, [left, right], type as IntegerType);
}

function arithmetic(
  rule: ArithmeticRule,
  documentation: Pick<ScalarFunction, 'doc' | 'syntax' | 'examples' | 'aliases'>,
): ScalarFunction {
  return {
    kind: 'scalar',
    name: rule.name,
    category: 'arithmetic',
    arity: [2, 2],
    ...documentation,
    type: (args) => arithmeticType(rule, args),
    emit: (emitter, args, type) => emitArithmetic(rule, emitter, values(args), type),
  };
}

const plus = arithmetic(
  {
    name: 'plus',
    signed: (left, right) => left.signed || right.signed,
    operation: {
      number: (left, right) => js`${left} + ${right}`,
      big: (left, right) => js`${left} + ${right}`,
      mixed: { signed: addSigned, unsigned: addUnsigned },
      bounds: (left, right) => [left[0] + right[0], left[1] + right[1]],
    },
  },
  {
    syntax: 'a + b',
    doc: 'Sum of two numbers, or a date or time moved by an interval, days or seconds. Integers get the next wider type and wrap at 64 bits.',
    examples: [
      ['1 + 2', '3'],
      ['plus(200, 100)', '300'],
      ["to_date('2024-01-30') + 3", '2024-02-02'],
    ],
  },
);

const minus = arithmetic(
  {
    name: 'minus',
    signed: () => true,
    operation: {
      number: (left, right) => js`${left} - ${right}`,
      big: (left, right) => js`${left} - ${right}`,
      mixed: { signed: subtractSigned, unsigned: subtractSigned },
      bounds: (left, right) => [left[0] - right[1], left[1] - right[0]],
    },
  },
  {
    syntax: 'a - b',
    doc: 'Difference of two numbers, or of a date or time and an interval. The result is signed.',
    examples: [
      ['1 - 2', '-1'],
      ['5.5 - 2', '3.5'],
    ],
  },
);

function productBounds(left: Bounds, right: Bounds): Bounds {
  const corners = [left[0] * right[0], left[0] * right[1], left[1] * right[0], left[1] * right[1]];
  return [Math.min(...corners), Math.max(...corners)];
}

const multiply = arithmetic(
  {
    name: 'multiply',
    signed: (left, right) => left.signed || right.signed,
    operation: {
      // An integer product of zero and a negative number would be -0.
      number: (left, right) => js`${left} * ${right}`,
      big: (left, right) => js`${left} * ${right}`,
      mixed: { signed: multiplySigned, unsigned: multiplyUnsigned },
      bounds: productBounds,
    },
  },
  {
    syntax: 'a * b',
    doc: 'Product of two numbers. Integers get the next wider type and wrap at 64 bits.',
    examples: [
      ['6 * 7', '42'],
      ['1.5 * 2', '3'],
    ],
  },
);

const divide: ScalarFunction = {
  kind: 'scalar',
  name: 'divide',
  category: 'arithmetic',
  arity: [2, 2],
  syntax: 'a / b',
  doc: 'Quotient as a float; division by zero gives inf or nan. A decimal divided by a decimal or integer stays decimal.',
  examples: [
    ['7 / 2', '3.5'],
    ['1 / 0', 'inf'],
    ['0 / 0', 'nan'],
  ],
  type: (args) => {
    requireNumbers('divide', args);
    const decimal = isFloatPair(args) ? undefined : decimalResult('divide', args[0]!.type, args[1]!.type);
    return decimal ?? types.float64;
  },
  emit: (emitter, args, type) => {
    const [left, right] = values(args) as [Operand, Operand];
    if (type.kind === 'decimal') return decimalArithmetic('divide', emitter, left, right, type);
    return js`${asDouble(emitter, left)} / ${asDouble(emitter, right)}`;
  },
};

function divisionByZero(): SluiceError {
  return new SluiceError('ILLEGAL_DIVISION', 'Division by zero');
}

/** Integer division towards zero of values of any representation. */
function integerQuotient(left: number | bigint, right: number | bigint, type: IntegerType): number | bigint {
  if (typeof left === 'number' && !Number.isInteger(left))
    return integerQuotient(Math.trunc(left), right, type);
  if (typeof right === 'number' && !Number.isInteger(right))
    return integerQuotient(left, Math.trunc(right), type);
  if (right === 0 || right === 0n) throw divisionByZero();
  const quotient = BigInt(left) / BigInt(right);
  if (type.bits > 64)
    return type.signed ? BigInt.asIntN(type.bits, quotient) : BigInt.asUintN(type.bits, quotient);
  const wrapped = type.signed ? BigInt.asIntN(type.bits, quotient) : BigInt.asUintN(type.bits, quotient);
  return type.signed ? wrapSigned(wrapped) : wrapUnsigned(wrapped);
}

function quotientOfNumbers(left: number, right: number): number {
  if (right === 0) throw divisionByZero();
  return Math.trunc(left / right) + 0;
}

/** Whether both operands are integers small enough that a double's quotient truncates to the right integer. */
function smallIntegers(left: Operand, right: Operand): boolean {
  const small = (operand: Operand) =>
    isPlainNumber(operand) &&
    operand.type.kind !== 'float' &&
    operand.type.kind !== 'decimal' &&
    operand.bounds !== undefined;
  return small(left) && small(right);
}

function intDivType(args: readonly Argument[]): SqlType {
  requireNumbers('int_div', args);
  const [left, right] = args.map((argument) => argument.type) as [SqlType, SqlType];
  const signed = [left, right].some(
    (type) => type.kind === 'float' || type.kind === 'decimal' || (type.kind === 'int' && type.signed),
  );
  const bits = left.kind === 'int' ? left.bits : left.kind === 'bool' ? 8 : 64;
  return integer(bits, signed);
}

const intDiv: ScalarFunction = {
  kind: 'scalar',
  name: 'int_div',
  category: 'arithmetic',
  arity: [2, 2],
  syntax: 'int_div(a, b)',
  doc: 'Quotient of two integers, rounded towards zero. Division by zero is an error.',
  examples: [
    ['int_div(7, 2)', '3'],
    ['int_div(-7, 2)', '-3'],
  ],
  type: intDivType,
  emit: (emitter, args, type) => {
    const [left, right] = values(args) as [Operand, Operand];
    if (smallIntegers(left, right))
      return js`${emitter.bind(quotientOfNumbers, 'quotient')}(${left.code}, ${right.code})`;
    return js`${emitter.bind(integerQuotient, 'quotient')}(${left.code}, ${right.code}, ${emitter.bind(type, 'type')})`;
  },
};

const intDivOrZero: ScalarFunction = {
  kind: 'scalar',
  name: 'int_div_or_zero',
  category: 'arithmetic',
  arity: [2, 2],
  syntax: 'int_div_or_zero(a, b)',
  doc: 'Like int_div, but 0 where the divisor is zero.',
  examples: [
    ['int_div_or_zero(7, 0)', '0'],
    ['int_div_or_zero(7, 2)', '3'],
  ],
  type: intDivType,
  kernel: (_, type) => (left: number | bigint, right: number | bigint) => {
    if (right === 0 || right === 0n) return (type as IntegerType).bits > 64 ? 0n : 0;
    return integerQuotient(left, right, type as IntegerType);
  },
};

function moduloType(args: readonly Argument[]): SqlType {
  requireNumbers('modulo', args);
  const [left, right] = args.map((argument) => argument.type) as [SqlType, SqlType];
  if (left.kind === 'float' || right.kind === 'float' || left.kind === 'decimal' || right.kind === 'decimal')
    return types.float64;
  const [first, second] = [asInteger(left), asInteger(right)];
  return integer(first.signed ? nextBits(second.bits) : second.bits, first.signed);
}

function remainder(left: number | bigint, right: number | bigint, wide: boolean): number | bigint {
  if (right === 0 || right === 0n) throw divisionByZero();
  const result = BigInt(left) % BigInt(right);
  return wide ? result : wrapSigned(result);
}

function remainderOfNumbers(left: number, right: number): number {
  if (right === 0) throw divisionByZero();
  return (left % right) + 0;
}

const modulo: ScalarFunction = {
  kind: 'scalar',
  name: 'modulo',
  aliases: ['mod'],
  category: 'arithmetic',
  arity: [2, 2],
  syntax: 'a % b',
  doc: 'Remainder of a division, with the sign of the dividend. Division by zero is an error for integers.',
  examples: [
    ['7 % 3', '1'],
    ['-7 % 3', '-1'],
  ],
  type: moduloType,
  emit: (emitter, args, type) => {
    const [left, right] = values(args) as [Operand, Operand];
    if (type.kind === 'float') return js`${asDouble(emitter, left)} % ${asDouble(emitter, right)}`;
    if (smallIntegers(left, right)) {
      if (right.bounds![0] > 0) return js`${left.code} % ${right.code} + 0`;
      return js`${emitter.bind(remainderOfNumbers, 'remainder')}(${left.code}, ${right.code})`;
    }
    return js`${emitter.bind(remainder, 'remainder')}(${left.code}, ${right.code}, ${(type as IntegerType).bits > 64})`;
  },
};

const negate: ScalarFunction = {
  kind: 'scalar',
  name: 'negate',
  category: 'arithmetic',
  arity: [1, 1],
  syntax: '-a',
  doc: 'The number with its sign changed; unsigned integers get the next wider signed type.',
  examples: [
    ['negate(5)', '-5'],
    ['-(2 + 3)', '-5'],
  ],
  type: (args) => {
    requireNumbers('negate', args);
    const { type } = args[0]!;
    if (type.kind === 'float' || type.kind === 'decimal') return type;
    const own = asInteger(type);
    return integer(own.signed ? own.bits : nextBits(own.bits), true);
  },
  emit: (emitter, args, type) => {
    const [value] = values(args) as [Operand];
    if (type.kind === 'float') return js`-${value.code}`;
    if (type.kind === 'decimal')
      return decimalArithmetic('minus', emitter, { ...value, code: js`0`, bounds: [0, 0] }, value, type);
    const zero: Operand = { type: types.uint8, code: js`0`, isNull: null, bounds: [0, 0] };
    const operation: IntegerOperation = {
      number: (_, right) => js`0 - ${right}`,
      big: (_, right) => js`-${right}`,
      mixed: { signed: subtractSigned, unsigned: subtractSigned },
      bounds: (_, right) => [-right[1], -right[0]],
    };
    return emitInteger(emitter, operation, [zero, value], type as IntegerType);
  },
};

export const arithmeticFunctions: readonly ScalarFunction[] = [
  plus,
  minus,
  multiply,
  divide,
  intDiv,
  intDivOrZero,
  modulo,
  negate,
];
