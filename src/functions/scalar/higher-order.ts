import { type Code, js } from '../../code/index.ts';
import { compareValues } from '../../runtime/index.ts';
import {
  arrayOf,
  bareType,
  defaultValue,
  isNumber,
  nullable,
  type SqlType,
  types,
} from '../../types/index.ts';
import { sumType } from '../aggregate/basic.ts';
import { illegalType } from '../checks.ts';
import type { Argument, Emitter, LambdaOperand, Operand, ScalarFunction } from '../definition.ts';
import { type Values, wrapInteger } from './array-values.ts';
import {
  asArguments,
  callOnBoxed,
  emitLoop,
  emitOrCall,
  expectCondition,
  lambdaFunction,
  lambdaShape,
  overElements,
} from './lambda-arrays.ts';

/** Whether a mapped operand holds as a condition: not NULL and not zero. */
function holds(operand: Operand): Code {
  return operand.isNull === null ? operand.code : js`!(${operand.isNull}) && ${operand.code}`;
}

function plainOperand(type: SqlType, code: Code): Operand {
  return { type, code, isNull: null, bounds: undefined };
}

const arrayMap: ScalarFunction = lambdaFunction({
  name: 'array_map',
  arity: [2, Number.POSITIVE_INFINITY],
  syntax: 'array_map(x -> ..., array, ...)',
  doc: 'What the lambda makes of each element, or of the elements at one place of several arrays.',
  examples: [
    ['array_map(x -> x * 2, [1, 2, 3])', '[2,4,6]'],
    ['array_map((x, y) -> x + y, [1, 2], [10, 20])', '[11,22]'],
  ],
  type: (args) => {
    const { result } = lambdaShape('array_map', args, true);
    return arrayOf(result.kind === 'nothing' ? nullable(result) : result);
  },
  emit: emitOrCall(
    (emitter, lambda, list, type) => {
      const result = emitter.constant('mapped', js`[]`);
      emitLoop(emitter, lambda, list, (value) =>
        emitter.statement(js`${result}.push(${emitter.boxed(value)});`),
      );
      return plainOperand(type, result);
    },
    (emitter, args, type) => {
      const kernel = overElements('array_map', asArguments(args), (mapped) => mapped);
      return plainOperand(type, callOnBoxed(emitter, 'mapped', kernel, args));
    },
  ),
});

const arrayFilter: ScalarFunction = lambdaFunction({
  name: 'array_filter',
  arity: [2, Number.POSITIVE_INFINITY],
  syntax: 'array_filter(x -> condition, array, ...)',
  doc: 'The elements (of the first array) for which the lambda holds.',
  examples: [['array_filter(x -> x % 2 = 1, [1, 2, 3])', '[1,3]']],
  type: (args) => {
    const { element } = lambdaShape('array_filter', args, true);
    expectCondition('array_filter', args);
    return arrayOf(element);
  },
  emit: emitOrCall(
    (emitter, lambda, list, type) => {
      const result = emitter.constant('kept', js`[]`);
      emitLoop(emitter, lambda, list, (value, element) =>
        emitter.statement(js`if (${holds(value)}) ${result}.push(${element});`),
      );
      return plainOperand(type, result);
    },
    (emitter, args, type) => {
      const kernel = overElements('array_filter', asArguments(args), (mapped, elements) =>
        elements.filter((_, index) => mapped[index]),
      );
      return plainOperand(type, callOnBoxed(emitter, 'kept', kernel, args));
    },
  ),
});

interface Test {
  readonly name: string;
  readonly doc: string;
  readonly examples: ScalarFunction['examples'];
  readonly initial: 0 | 1;
  /** The statement for an element, given whether the condition holds and the variable of the result. */
  readonly step: (condition: Code, result: Code) => Code;
  readonly compute: (mapped: Values) => number;
  readonly type: SqlType;
}

/** A function that reduces conditions to a number, with an optional lambda. */
function testFunction(test: Test): ScalarFunction {
  const bounds: readonly [number, number] = test.type.kind === 'bool' ? [0, 1] : [0, 4_294_967_295];
  const operand = (code: Code): Operand => ({ type: test.type, code, isNull: null, bounds });
  return lambdaFunction({
    name: test.name,
    syntax: `${test.name}([x -> condition,] array, ...)`,
    doc: test.doc,
    examples: test.examples,
    type: (args) => {
      lambdaShape(test.name, args, false);
      expectCondition(test.name, args);
      return test.type;
    },
    emit: emitOrCall(
      (emitter, lambda, list) => {
        const result = emitter.variable('result', js`${test.initial}`);
        emitLoop(emitter, lambda, list, (value) => emitter.statement(test.step(holds(value), result)));
        return operand(result);
      },
      (emitter, args) => {
        const kernel = overElements(test.name, asArguments(args), (mapped) => test.compute(mapped));
        return operand(callOnBoxed(emitter, 'result', kernel, args));
      },
    ),
  });
}

const tests = [
  testFunction({
    name: 'array_exists',
    doc: 'Whether the lambda holds for an element, or an element is not zero.',
    examples: [
      ['array_exists(x -> x > 2, [1, 2, 3])', 'true'],
      ['array_exists([0, 0])', 'false'],
    ],
    initial: 0,
    step: (condition, result) => js`if (${condition}) {\n${result} = 1;\nbreak;\n}`,
    compute: (mapped) => (mapped.some(Boolean) ? 1 : 0),
    type: types.bool,
  }),
  testFunction({
    name: 'array_all',
    doc: 'Whether the lambda holds for every element, or no element is zero.',
    examples: [
      ['array_all(x -> x > 2, [1, 2, 3])', 'false'],
      ['array_all([1, 1])', 'true'],
    ],
    initial: 1,
    step: (condition, result) => js`if (!(${condition})) {\n${result} = 0;\nbreak;\n}`,
    compute: (mapped) => (mapped.every(Boolean) ? 1 : 0),
    type: types.bool,
  }),
  testFunction({
    name: 'array_count',
    doc: 'Number of elements for which the lambda holds, or that are not zero.',
    examples: [
      ['array_count(x -> x > 1, [1, 2, 3])', '2'],
      ['array_count([0, 1, 1])', '2'],
    ],
    initial: 0,
    step: (condition, result) => js`if (${condition}) ${result}++;`,
    compute: (mapped) => mapped.filter(Boolean).length,
    type: types.uint32,
  }),
];

function numberShape(name: string, args: readonly Argument[]): SqlType {
  const { result } = lambdaShape(name, args, false);
  const bare = bareType(result);
  if (!isNumber(bare))
    throw illegalType(name, 0, result, 'an array of numbers, or a lambda that gives numbers');
  return bare;
}

/** Sums numbers into the type that the aggregate function `sum` would give; NULLs count for nothing. */
export function sumOf(values: Values, type: SqlType): number | bigint {
  if (type.kind === 'float') {
    let sum = 0;
    for (const value of values) if (value !== null) sum += value as number;
    return sum;
  }
  let exact = 0n;
  let part = 0;
  for (const value of values) {
    if (value === null) continue;
    if (typeof value === 'number' && Number.isSafeInteger(part + value)) part += value;
    else exact += BigInt(value as number);
  }
  const wide = (type.kind === 'int' && type.bits > 64) || (type.kind === 'decimal' && type.precision > 18);
  if (exact === 0n && !wide && (part >= 0 || type.kind !== 'int' || type.signed)) return part;
  return type.kind === 'int' || !wide ? wrapInteger(exact + BigInt(part), type) : exact + BigInt(part);
}

/** Whether elements or results of a type are summed in a plain loop of doubles. */
function isSimpleFloat(operand: Operand): boolean {
  return operand.type.kind === 'float' && operand.isNull === null;
}

function sumInline(emitter: Emitter, lambda: LambdaOperand, list: Operand, type: SqlType): Operand {
  if (type.kind === 'float' && isSimpleFloat({ ...list, type: lambda.bodyType })) {
    const sum = emitter.variable('sum', js`0`);
    emitLoop(emitter, lambda, list, (value) => emitter.statement(js`${sum} += ${value.code};`));
    return plainOperand(type, sum);
  }
  const values = emitter.constant('values', js`[]`);
  emitLoop(emitter, lambda, list, (value) => emitter.statement(js`${values}.push(${emitter.boxed(value)});`));
  const add = emitter.bind((given: Values) => sumOf(given, type), 'sum');
  return plainOperand(type, emitter.constant('sum', js`${add}(${values})`));
}

const arraySum: ScalarFunction = lambdaFunction({
  name: 'array_sum',
  syntax: 'array_sum([x -> ...,] array, ...)',
  doc: 'Sum of the elements, or of what the lambda makes of them.',
  examples: [
    ['array_sum([1, 2, 3])', '6'],
    ['array_sum(x -> x * x, [1, 2, 3])', '14'],
  ],
  type: (args) => sumType(numberShape('array_sum', args)),
  emit: emitOrCall(sumInline, (emitter, args, type) => {
    const kernel = overElements('array_sum', asArguments(args), (mapped) => sumOf(mapped, type));
    return plainOperand(type, callOnBoxed(emitter, 'sum', kernel, args));
  }),
});

function asDouble(type: SqlType): (value: unknown) => number {
  const scale = type.kind === 'decimal' ? 10 ** type.scale : 1;
  return (value) => Number(value) / scale;
}

const arrayAvg: ScalarFunction = lambdaFunction({
  name: 'array_avg',
  syntax: 'array_avg([x -> ...,] array, ...)',
  doc: 'Mean of the elements, or of what the lambda makes of them; 0 for an empty array.',
  examples: [
    ['array_avg([1, 2, 6])', '3'],
    ['array_avg(x -> x * 10, [1, 2])', '15'],
  ],
  type: (args) => {
    numberShape('array_avg', args);
    return types.float64;
  },
  kernel: (args) => {
    const toDouble = asDouble(numberShape('array_avg', args));
    return overElements('array_avg', args, (mapped) => {
      const known = mapped.filter((value) => value !== null);
      if (known.length === 0) return 0;
      let sum = 0;
      for (const value of known) sum += toDouble(value);
      return sum / known.length;
    });
  },
});

function extremeFunction(name: string, doc: string, result: string, sign: 1 | -1): ScalarFunction {
  return lambdaFunction({
    name,
    syntax: `${name}([x -> ...,] array, ...)`,
    doc,
    examples: [[`${name}([2, 1, 3])`, result]],
    type: (args) => bareType(lambdaShape(name, args, false).result),
    kernel: (args, type) =>
      overElements(name, args, (mapped) => {
        let best: unknown;
        for (const value of mapped) {
          // NULL and NaN are no candidates.
          if (value === null || Number.isNaN(value)) continue;
          if (best === undefined || compareValues(value, best) * sign > 0) best = value;
        }
        return (
          best ??
          (mapped.length > 0 && type.kind === 'float' && mapped.some(Number.isNaN)
            ? Number.NaN
            : defaultValue(type))
        );
      }),
  });
}

const arrayProduct: ScalarFunction = lambdaFunction({
  name: 'array_product',
  syntax: 'array_product([x -> ...,] array, ...)',
  doc: 'Product of the elements, or of what the lambda makes of them, as a float.',
  examples: [['array_product([2, 3, 4])', '24']],
  type: (args) => {
    numberShape('array_product', args);
    return types.float64;
  },
  kernel: (args) => {
    const toDouble = asDouble(numberShape('array_product', args));
    return overElements('array_product', args, (mapped) => {
      let product = 1;
      for (const value of mapped) if (value !== null) product *= toDouble(value);
      return product;
    });
  },
});

/** Running sums; `floor` is what they are kept above, NaN for nothing. */
function cumulative(
  name: string,
  doc: string,
  example: readonly [string, string],
  nonNegative: boolean,
): ScalarFunction {
  return lambdaFunction({
    name,
    syntax: `${name}([x -> ...,] array, ...)`,
    doc,
    examples: [example],
    type: (args) => {
      const type = sumType(numberShape(name, args));
      return arrayOf(type);
    },
    kernel: (_, type) => {
      const { element } = type as SqlType & { kind: 'array' };
      const zero = defaultValue(element) as number | bigint;
      return overElements(name, _, (mapped) => {
        let sum = zero;
        return mapped.map((value) => {
          sum = sumOf([sum, value], element);
          if (nonNegative && sum < 0) sum = zero;
          return sum;
        });
      });
    },
  });
}

const arrayDifference: ScalarFunction = lambdaFunction({
  name: 'array_difference',
  syntax: 'array_difference([x -> ...,] array, ...)',
  doc: 'The differences of neighbours: 0 for the first element.',
  examples: [['array_difference([1, 3, 6])', '[0,2,3]']],
  type: (args) => {
    const { result } = lambdaShape('array_difference', args, false);
    const bare = bareType(result);
    if (bare.kind === 'float') return arrayOf(types.float64);
    if (bare.kind === 'decimal') return arrayOf(bare);
    if (bare.kind === 'date' || bare.kind === 'date32' || bare.kind === 'datetime')
      return arrayOf(types.int32);
    if (bare.kind === 'bool') return arrayOf(types.int16);
    if (bare.kind !== 'int') throw illegalType('array_difference', 0, result, 'an array of numbers or dates');
    const bits = bare.bits < 64 ? ((bare.bits * 2) as 16 | 32 | 64) : bare.bits;
    return arrayOf({ kind: 'int', bits, signed: true });
  },
  kernel: (args, type) => {
    const { element } = type as SqlType & { kind: 'array' };
    const subtract = (left: unknown, right: unknown): unknown => {
      if (element.kind === 'float') return (left as number) - (right as number);
      return wrapInteger(BigInt(left as number) - BigInt(right as number), element);
    };
    return overElements('array_difference', args, (mapped) =>
      mapped.map((value, index) => subtract(value ?? 0, mapped[Math.max(0, index - 1)] ?? 0)),
    );
  },
});

export const higherOrderFunctions: readonly ScalarFunction[] = [
  arrayMap,
  arrayFilter,
  ...tests,
  arraySum,
  arrayAvg,
  extremeFunction('array_min', 'Least element, or least of what the lambda makes of them.', '1', -1),
  extremeFunction('array_max', 'Greatest element, or greatest of what the lambda makes of them.', '3', 1),
  arrayProduct,
  cumulative(
    'array_cum_sum',
    'The sums of the elements up to each place.',
    ['array_cum_sum([1, 2, 3])', '[1,3,6]'],
    false,
  ),
  cumulative(
    'array_cum_sum_non_negative',
    'The sums of the elements up to each place, starting again from 0 wherever they would fall below it.',
    ['array_cum_sum_non_negative([1, -5, 3])', '[1,0,3]'],
    true,
  ),
  arrayDifference,
];
