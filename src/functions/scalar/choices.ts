import { SluiceError } from '../../base/index.ts';
import { type Code, js } from '../../code/index.ts';
import { compareValues } from '../../runtime/index.ts';
import {
  bareType,
  isNullable,
  representation,
  type SqlType,
  supertype,
  trySupertype,
} from '../../types/index.ts';
import { type Argument, type ScalarFunction, values } from '../definition.ts';
import { elementMatcher, elementType, type Values, valueConverter } from './array-values.ts';
import { elementCode, keyOf } from './arrays.ts';
import { convertOperand } from './convert-operand.ts';

/** The greatest or least of values that may be NULL; NULL when all are. */
function pick(list: Values, sign: 1 | -1): unknown {
  let best: unknown = null;
  for (const value of list) {
    if (value === null) continue;
    if (best === null || compareValues(value, best) * sign > 0) best = value;
  }
  return best;
}

function extremeOf(name: string, sign: 1 | -1, examples: ScalarFunction['examples']): ScalarFunction {
  return {
    kind: 'scalar',
    name,
    category: 'conditional',
    arity: [1, Number.POSITIVE_INFINITY],
    nulls: 'handled',
    syntax: `${name}(a, b, ...)`,
    doc: `The ${name} of the values, NULLs left out.`,
    examples,
    type: (args) =>
      supertype(
        args.map((argument) => argument.type),
        name,
      ),
    emit: (emitter, args, type) => {
      const operands = values(args);
      if (isNullable(type) || representation(type) === 'object') {
        let list: Code = js``;
        for (const [index, operand] of operands.entries()) {
          const code = elementCode(emitter, operand, type);
          list = index === 0 ? code : js`${list}, ${code}`;
        }
        const choose = emitter.bind((given: Values) => pick(given, sign), name);
        const chosen = emitter.constant(name, js`${choose}([${list}])`);
        if (!isNullable(type)) return { type, code: chosen, isNull: null, bounds: undefined };
        const isNull = emitter.constant('isNull', js`${chosen} === null`);
        const code = emitter.constant('x', js`${isNull} ? ${emitter.defaultCode(type)} : ${chosen}`);
        return { type, code, isNull, bounds: undefined };
      }
      let best = convertOperand(emitter, operands[0]!, type);
      for (const operand of operands.slice(1)) {
        const next = convertOperand(emitter, operand, type);
        const better = sign === 1 ? js`${next} > ${best}` : js`${next} < ${best}`;
        best = emitter.constant(name, js`${better} ? ${next} : ${best}`);
      }
      const known = operands.every((operand) => operand.bounds !== undefined);
      const all = operands.flatMap((operand) => operand.bounds ?? []);
      const same = type.kind === 'int' && type.bits <= 64;
      return {
        type,
        code: best,
        isNull: null,
        bounds: known && same ? [Math.min(...all), Math.max(...all)] : undefined,
      };
    },
  };
}

function transformType(args: readonly Argument[]): SqlType {
  const from = elementType('transform', args, 1);
  const to = elementType('transform', args, 2);
  elementMatcher('transform', from, args[0]!.type);
  const otherwise = (args[3] ?? args[0]!).type;
  return supertype([to, otherwise], 'transform');
}

/** Finds the place of a value in an array; by a table that is made once when the array is known. */
function placeFinder(args: readonly Argument[]): (value: unknown, from: Values) => number {
  const element = elementType('transform', args, 1);
  const { type } = args[0]!;
  const known = args[1]!.constant?.value as Values | undefined;
  const common = trySupertype(bareType(element), bareType(type));
  if (known === undefined || common === undefined) {
    const matches = elementMatcher('transform', element, type);
    return (value, from) => from.findIndex((each) => matches(each, value));
  }
  const key = keyOf(common);
  const [ofElement, ofValue] = [valueConverter(element, common), valueConverter(type, common)];
  const places = new Map<unknown, number>();
  for (const [index, each] of known.entries()) {
    const text = key(ofElement(each));
    if (!places.has(text)) places.set(text, index);
  }
  return (value) => places.get(key(ofValue(value))) ?? -1;
}

const transform: ScalarFunction = {
  kind: 'scalar',
  name: 'transform',
  category: 'conditional',
  arity: [3, 4],
  nulls: 'handled',
  syntax: 'transform(x, from, to[, default])',
  doc: 'The element of the second array at the place where the first has the value; the default, or the value itself, where it has not.',
  examples: [
    ["transform(2, [1, 2], ['one', 'two'], 'many')", 'two'],
    ["transform(3, [1, 2], ['one', 'two'], 'many')", 'many'],
    ['transform(3, [1, 2], [10, 20])', '3'],
  ],
  type: transformType,
  kernel: (args, type) => {
    const find = placeFinder(args);
    const result = valueConverter(elementType('transform', args, 2), type);
    const otherwise = valueConverter((args[3] ?? args[0]!).type, type);
    return (value: unknown, from: Values, to: Values, last?: unknown) => {
      const place = find(value, from);
      if (place >= to.length)
        throw new SluiceError('BAD_ARGUMENTS', 'The arrays given to transform must be of one size');
      return place >= 0 ? result(to[place]) : otherwise(args.length === 4 ? last : value);
    };
  },
};

const caseWithExpression: ScalarFunction = {
  kind: 'scalar',
  name: 'case_with_expression',
  aliases: ['case_with_expr'],
  category: 'conditional',
  arity: [4, Number.POSITIVE_INFINITY],
  nulls: 'handled',
  syntax: 'case_with_expression(x, value, result, ..., else)',
  doc: 'The result after the first value that equals x, else the last argument: what CASE x WHEN is made of.',
  examples: [["case_with_expression(2, 1, 'a', 2, 'b', 'c')", 'b']],
  type: (args) => {
    if (args.length % 2 !== 0)
      throw new SluiceError(
        'NUMBER_OF_ARGUMENTS_DOESNT_MATCH',
        'case_with_expression takes an even number of arguments: x, values with results, and a last result',
      );
    const results = args.filter((_, index) => index > 0 && (index % 2 === 0 || index === args.length - 1));
    return supertype(
      results.map((argument) => argument.type),
      'the branches of case_with_expression',
    );
  },
  kernel: (args, type) => {
    const isValue = (index: number) => index % 2 === 1 && index < args.length - 1;
    const matchers = args.map((argument, index) =>
      isValue(index) ? elementMatcher('case_with_expression', argument.type, args[0]!.type) : undefined,
    );
    const converters = args.map((argument) => valueConverter(argument.type, type));
    return (...given: unknown[]) => {
      const [value] = given;
      for (let index = 1; index < given.length - 1; index += 2)
        if (value !== null && matchers[index]!(given[index], value))
          return converters[index + 1]!(given[index + 1]);
      return converters.at(-1)!(given.at(-1));
    };
  },
};

export const choiceFunctions: readonly ScalarFunction[] = [
  extremeOf('greatest', 1, [
    ['greatest(1, 3, 2)', '3'],
    ["greatest('a', 'b')", 'b'],
  ]),
  extremeOf('least', -1, [
    ['least(1, 3, 2)', '1'],
    ['least(5, NULL)', '5'],
  ]),
  transform,
  caseWithExpression,
];
