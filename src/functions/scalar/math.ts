import { SluiceError } from '../../base/index.ts';
import { type Code, js } from '../../code/index.ts';
import {
  canonicalInteger,
  formatText,
  type IntegerBits,
  type SqlType,
  supertype,
  types,
} from '../../types/index.ts';
import { expectInteger, expectNumber, illegalType } from '../checks.ts';
import { type Argument, type Emitter, type Operand, type ScalarFunction, values } from '../definition.ts';
import { wrapInteger } from './array-values.ts';
import { convertOperand } from './convert-operand.ts';
import { asDouble, isPlainNumber } from './integer-code.ts';
import { erf, erfc, gamma, logGamma } from './math-special.ts';

type Parts = Omit<ScalarFunction, 'kind' | 'category'>;

function mathFunction(parts: Parts): ScalarFunction {
  return { kind: 'scalar', category: 'math', ...parts };
}

/** The operand's number as a double, decimals with their scale. */
export function doubleCode(emitter: Emitter, operand: Operand): Code {
  const { type } = operand;
  if (type.kind !== 'decimal') return asDouble(emitter, operand);
  const convert = (value: number | bigint) => Number(formatText(type, value));
  return js`${emitter.bind(convert, 'toDouble')}(${operand.code})`;
}

interface FloatFunction {
  readonly name: string;
  readonly aliases?: readonly string[];
  readonly doc: string;
  readonly example: readonly [args: string, result: string];
  readonly compute: (...numbers: number[]) => number;
  readonly arity?: number;
}

/** A function of doubles that gives a double. */
function floatFunction(rule: FloatFunction): ScalarFunction {
  const arity = rule.arity ?? 1;
  const names = ['x', 'y'].slice(0, arity).join(', ');
  return mathFunction({
    name: rule.name,
    aliases: rule.aliases ?? [],
    arity: [arity, arity],
    syntax: `${rule.name}(${names})`,
    doc: rule.doc,
    examples: [[`${rule.name}(${rule.example[0]})`, rule.example[1]]],
    type: (args) => {
      expectNumber(rule.name, args, 0, 1);
      return types.float64;
    },
    emit: (emitter, args) => {
      let list = js``;
      for (const [index, operand] of values(args).entries()) {
        const code = doubleCode(emitter, operand);
        list = index === 0 ? code : js`${list}, ${code}`;
      }
      return js`${emitter.bind(rule.compute, rule.name)}(${list})`;
    },
  });
}

function exp10(x: number): number {
  return 10 ** x;
}

function power(x: number, y: number): number {
  // C's pow gives 1 for a base of 1, whatever the exponent.
  return x === 1 ? 1 : x ** y;
}

const floatFunctions = (
  [
    { name: 'sqrt', doc: 'Square root.', example: ['16', '4'], compute: Math.sqrt },
    { name: 'cbrt', doc: 'Cube root.', example: ['27', '3'], compute: Math.cbrt },
    {
      name: 'exp',
      doc: 'Power of e, the base of natural logarithms, to x.',
      example: ['0', '1'],
      compute: Math.exp,
    },
    { name: 'exp2', doc: '2 to the power of x.', example: ['3', '8'], compute: (x: number) => 2 ** x },
    { name: 'exp10', doc: '10 to the power of x.', example: ['2', '100'], compute: exp10 },
    {
      name: 'expm1',
      doc: 'Power of e to x, less 1, exact for small x.',
      example: ['0', '0'],
      compute: Math.expm1,
    },
    { name: 'log', aliases: ['ln'], doc: 'Natural logarithm.', example: ['1', '0'], compute: Math.log },
    { name: 'log2', doc: 'Logarithm to the base of 2.', example: ['8', '3'], compute: Math.log2 },
    { name: 'log10', doc: 'Logarithm to the base of 10.', example: ['1000', '3'], compute: Math.log10 },
    {
      name: 'log1p',
      doc: 'Natural logarithm of 1 + x, exact for small x.',
      example: ['0', '0'],
      compute: Math.log1p,
    },
    {
      name: 'pow',
      aliases: ['power'],
      doc: 'Power of x to y.',
      example: ['2, 10', '1024'],
      compute: power,
      arity: 2,
    },
    { name: 'sin', doc: 'Sine of an angle in radians.', example: ['0', '0'], compute: Math.sin },
    { name: 'cos', doc: 'Cosine of an angle in radians.', example: ['0', '1'], compute: Math.cos },
    { name: 'tan', doc: 'Tangent of an angle in radians.', example: ['0', '0'], compute: Math.tan },
    { name: 'asin', doc: 'Arc sine, in radians.', example: ['0', '0'], compute: Math.asin },
    { name: 'acos', doc: 'Arc cosine, in radians.', example: ['1', '0'], compute: Math.acos },
    { name: 'atan', doc: 'Arc tangent, in radians.', example: ['0', '0'], compute: Math.atan },
    {
      name: 'atan2',
      doc: 'Angle in radians between the x axis and the point (second, first argument).',
      example: ['0, 1', '0'],
      compute: Math.atan2,
      arity: 2,
    },
    { name: 'sinh', doc: 'Hyperbolic sine.', example: ['0', '0'], compute: Math.sinh },
    { name: 'cosh', doc: 'Hyperbolic cosine.', example: ['0', '1'], compute: Math.cosh },
    { name: 'tanh', doc: 'Hyperbolic tangent.', example: ['0', '0'], compute: Math.tanh },
    { name: 'asinh', doc: 'Inverse hyperbolic sine.', example: ['0', '0'], compute: Math.asinh },
    { name: 'acosh', doc: 'Inverse hyperbolic cosine.', example: ['1', '0'], compute: Math.acosh },
    { name: 'atanh', doc: 'Inverse hyperbolic tangent.', example: ['0', '0'], compute: Math.atanh },
    {
      name: 'hypot',
      doc: 'Length of the hypotenuse of a right triangle.',
      example: ['3, 4', '5'],
      compute: Math.hypot,
      arity: 2,
    },
    { name: 'erf', doc: 'Error function.', example: ['0', '0'], compute: erf },
    {
      name: 'erfc',
      doc: '1 less the error function, exact for large x.',
      example: ['0', '1'],
      compute: erfc,
    },
    {
      name: 'lgamma',
      doc: 'Logarithm of the absolute value of the gamma function.',
      example: ['1', '0'],
      compute: logGamma,
    },
    { name: 'tgamma', aliases: ['gamma'], doc: 'Gamma function.', example: ['5', '24'], compute: gamma },
    {
      name: 'degrees',
      doc: 'An angle in radians as degrees.',
      example: ['pi()', '180'],
      compute: (x: number) => x * (180 / Math.PI),
    },
    {
      name: 'radians',
      doc: 'An angle in degrees as radians.',
      example: ['0', '0'],
      compute: (x: number) => x * (Math.PI / 180),
    },
    {
      name: 'sigmoid',
      doc: '1 / (1 + e^-x).',
      example: ['0', '0.5'],
      compute: (x: number) => 1 / (1 + Math.exp(-x)),
    },
    {
      name: 'max2',
      doc: 'The greater of two numbers, as a float.',
      example: ['1, 2', '2'],
      compute: Math.max,
      arity: 2,
    },
    {
      name: 'min2',
      doc: 'The lesser of two numbers, as a float.',
      example: ['1, 2', '1'],
      compute: Math.min,
      arity: 2,
    },
  ] satisfies readonly FloatFunction[]
).map(floatFunction);

function constantFunction(name: string, value: number, doc: string): ScalarFunction {
  return mathFunction({
    name,
    arity: [0, 0],
    syntax: `${name}()`,
    doc,
    examples: [[`round(${name}(), 4)`, String(Math.round(value * 10_000) / 10_000)]],
    type: () => types.float64,
    emit: () => js`${value}`,
  });
}

function floatTest(
  name: string,
  doc: string,
  example: readonly [string, string],
  test: (code: Code) => Code,
): ScalarFunction {
  return mathFunction({
    name,
    arity: [1, 1],
    syntax: `${name}(x)`,
    doc,
    examples: [[`${name}(${example[0]})`, example[1]]],
    type: (args) => {
      expectNumber(name, args, 0);
      return types.bool;
    },
    emit: (emitter, args) => {
      const [operand] = values(args) as [Operand];
      const code = js`(${test(doubleCode(emitter, operand))} ? 1 : 0)`;
      return { type: types.bool, code, isNull: null, bounds: [0, 1] };
    },
  });
}

const ifNotFinite = mathFunction({
  name: 'if_not_finite',
  arity: [2, 2],
  syntax: 'if_not_finite(x, y)',
  doc: 'The first number, or the second where the first is infinite or nan.',
  examples: [['if_not_finite(1 / 0, 42)', '42']],
  type: (args) => {
    expectNumber('if_not_finite', args, 0, 1);
    return supertype(
      args.map((argument) => argument.type),
      'if_not_finite',
    );
  },
  emit: (emitter, args, type) => {
    const [first, second] = values(args) as [Operand, Operand];
    const [left, right] = [convertOperand(emitter, first, type), convertOperand(emitter, second, type)];
    return js`Number.isFinite(Number(${left})) ? ${left} : ${right}`;
  },
});

const abs = mathFunction({
  name: 'abs',
  arity: [1, 1],
  syntax: 'abs(x)',
  doc: 'Absolute value; of a signed integer the unsigned type of as many bits.',
  examples: [
    ['abs(-5)', '5'],
    ['abs(-2.5)', '2.5'],
  ],
  type: (args) => {
    expectNumber('abs', args, 0);
    const { type } = args[0]!;
    if (type.kind === 'bool') return types.uint8;
    return type.kind === 'int' ? { ...type, signed: false } : type;
  },
  emit: (_, args, type) => {
    const [operand] = values(args) as [Operand];
    const { code, bounds } = operand;
    if (isPlainNumber(operand)) {
      const most = bounds === undefined ? undefined : Math.max(Math.abs(bounds[0]), Math.abs(bounds[1]));
      const known = type.kind === 'int' && most !== undefined;
      return { type, code: js`Math.abs(${code})`, isNull: null, bounds: known ? [0, most] : undefined };
    }
    return { type, code: js`(${code} < 0 ? -${code} : ${code})`, isNull: null, bounds: undefined };
  },
});

const sign = mathFunction({
  name: 'sign',
  arity: [1, 1],
  syntax: 'sign(x)',
  doc: 'Sign of the number: -1, 0 or 1 as it is negative, zero or positive.',
  examples: [
    ['sign(-2.5)', '-1'],
    ['sign(0)', '0'],
  ],
  type: (args) => {
    expectNumber('sign', args, 0);
    return types.int8;
  },
  emit: (_, args) => {
    const { code } = args[0] as Operand;
    const result = js`(${code} > 0 ? 1 : ${code} < 0 ? -1 : 0)`;
    return { type: types.int8, code: result, isNull: null, bounds: [-1, 1] };
  },
});

const factorials = Array.from({ length: 21 }, () => 1n);
for (let n = 2; n < factorials.length; n++) factorials[n] = factorials[n - 1]! * BigInt(n);

const factorial = mathFunction({
  name: 'factorial',
  arity: [1, 1],
  syntax: 'factorial(n)',
  doc: 'Factorial of an integer up to 20.',
  examples: [['factorial(10)', '3628800']],
  type: (args) => {
    expectInteger('factorial', args, 0);
    return types.uint64;
  },
  kernel: () => (n: number | bigint) => {
    if (n > 20)
      throw new SluiceError('BAD_ARGUMENTS', `The factorial of ${n} does not fit 64 bits: the most is 20`);
    return n < 0 ? 1 : canonicalInteger(factorials[Number(n)]!);
  },
});

type IntegerType = SqlType & { kind: 'int' };

function wider(name: string, args: readonly Argument[]): IntegerType {
  expectInteger(name, args, 0, 1);
  const [left, right] = args.map(({ type }) =>
    type.kind === 'int' ? type : (types.uint8 as IntegerType),
  ) as [IntegerType, IntegerType];
  const bits = Math.max(left.bits, right.bits);
  return {
    kind: 'int',
    bits: (bits < 64 ? bits * 2 : bits) as IntegerBits,
    signed: left.signed || right.signed,
  };
}

function gcdOf(left: bigint, right: bigint): bigint {
  let [a, b] = [left < 0n ? -left : left, right < 0n ? -right : right];
  while (b !== 0n) [a, b] = [b, a % b];
  return a;
}

function integerPair(
  name: string,
  doc: string,
  result: string,
  compute: (left: bigint, right: bigint) => bigint,
): ScalarFunction {
  return mathFunction({
    name,
    arity: [2, 2],
    syntax: `${name}(a, b)`,
    doc,
    examples: [[`${name}(4, 6)`, result]],
    type: (args) => wider(name, args),
    kernel: (_, type) => (left: number | bigint, right: number | bigint) =>
      wrapInteger(compute(BigInt(left), BigInt(right)), type),
  });
}

const positiveModulo = mathFunction({
  name: 'positive_modulo',
  aliases: ['pmod'],
  arity: [2, 2],
  syntax: 'positive_modulo(a, b)',
  doc: 'Remainder of a division that is never negative.',
  examples: [
    ['positive_modulo(-5, 3)', '1'],
    ['positive_modulo(-5.5, 3)', '0.5'],
  ],
  type: (args) => {
    expectNumber('positive_modulo', args, 0, 1);
    const [left, right] = args.map(({ type }) => type) as [SqlType, SqlType];
    if (left.kind === 'float' || right.kind === 'float') return types.float64;
    if (left.kind === 'decimal' || right.kind === 'decimal')
      throw illegalType('positive_modulo', 0, left, 'integers or floats');
    return right.kind === 'int' ? { ...right, signed: false } : types.uint8;
  },
  kernel: (_, type) => {
    if (type.kind === 'float')
      return (left: number | bigint, right: number | bigint) => {
        const rest = Number(left) % Number(right);
        return rest < 0 ? rest + Math.abs(Number(right)) : rest;
      };
    return (left: number | bigint, right: number | bigint) => {
      if (right === 0 || right === 0n) throw new SluiceError('ILLEGAL_DIVISION', 'Division by zero');
      const rest = BigInt(left) % BigInt(right);
      const size = BigInt(right) < 0n ? -BigInt(right) : BigInt(right);
      return wrapInteger(rest < 0n ? rest + size : rest, type);
    };
  },
});

function integerPower(name: string, base: bigint, most: number, example: string): ScalarFunction {
  return mathFunction({
    name,
    arity: [1, 1],
    syntax: `${name}(n)`,
    doc: `${base} to the power of n as a 64-bit integer: 0 below 0, the greatest integer beyond 64 bits.`,
    examples: [[`${name}(3)`, example]],
    type: (args) => {
      expectNumber(name, args, 0);
      return types.uint64;
    },
    kernel: () => (n: number | bigint) => {
      const exponent = Math.trunc(Number(n));
      if (exponent < 0) return 0;
      return canonicalInteger(exponent > most ? 2n ** 64n - 1n : base ** BigInt(exponent));
    },
  });
}

const widthBucket = mathFunction({
  name: 'width_bucket',
  arity: [4, 4],
  syntax: 'width_bucket(x, low, high, count)',
  doc: 'Number of the bucket, from 1, that x falls into when a range is cut into so many equal ones; 0 below and count + 1 above.',
  examples: [
    ['width_bucket(5, 0, 10, 5)', '3'],
    ['width_bucket(11, 0, 10, 5)', '6'],
  ],
  type: (args) => {
    expectNumber('width_bucket', args, 0, 1, 2, 3);
    const { type } = args[3]!;
    if (type.kind !== 'int') throw illegalType('width_bucket', 3, type, 'an unsigned integer');
    return { kind: 'int', bits: (type.bits < 64 ? type.bits * 2 : 64) as IntegerBits, signed: false };
  },
  kernel: () => (x: number | bigint, low: number | bigint, high: number | bigint, count: number | bigint) => {
    const [value, least, most, buckets] = [Number(x), Number(low), Number(high), Number(count)];
    if (value < least) return 0;
    if (value >= most) return buckets + 1;
    return Math.floor(((value - least) * buckets) / (most - least)) + 1;
  },
});

export const mathFunctions: readonly ScalarFunction[] = [
  ...floatFunctions,
  constantFunction('pi', Math.PI, 'Ratio of the circumference of a circle to its diameter.'),
  constantFunction('e', Math.E, "Euler's number, base of the natural logarithm."),
  floatTest(
    'is_finite',
    'Whether the number is neither infinite nor nan.',
    ['1 / 0', 'false'],
    (code) => js`Number.isFinite(${code})`,
  ),
  floatTest(
    'is_infinite',
    'Whether the number is infinite.',
    ['1 / 0', 'true'],
    (code) => js`Math.abs(${code}) === Infinity`,
  ),
  floatTest('is_nan', 'Whether the number is nan.', ['0 / 0', 'true'], (code) => js`Number.isNaN(${code})`),
  ifNotFinite,
  abs,
  sign,
  factorial,
  integerPair('gcd', 'Greatest common divisor of two integers.', '2', gcdOf),
  integerPair('lcm', 'Least common multiple of two integers.', '12', (left, right) => {
    if (left === 0n || right === 0n) return 0n;
    const product = (left * right) / gcdOf(left, right);
    return product < 0n ? -product : product;
  }),
  positiveModulo,
  integerPower('int_exp2', 2n, 63, '8'),
  integerPower('int_exp10', 10n, 19, '1000'),
  widthBucket,
];
