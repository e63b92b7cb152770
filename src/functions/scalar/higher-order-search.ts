import { SluiceError } from '../../base/index.ts';
import { compareValues } from '../../runtime/index.ts';
import {
  arrayOf,
  bareType,
  defaultValue,
  isInteger,
  mapOf,
  type SqlType,
  sameType,
  trySupertype,
  typeName,
  types,
} from '../../types/index.ts';
import { illegalType } from '../checks.ts';
import type { Argument, ScalarFunction } from '../definition.ts';
import { nullableElement, sizesDiffer, type Values, valueConverter } from './array-values.ts';
import { expectArrays, expectCondition, lambdaFunction, lambdaShape, overElements } from './lambda-arrays.ts';
import { mapType } from './maps.ts';

interface Search {
  readonly name: string;
  readonly fromEnd: boolean;
  readonly missing: 'default' | 'null';
  readonly example: string;
}

function findPlace(mapped: Values, fromEnd: boolean): number {
  return fromEnd ? mapped.findLastIndex(Boolean) : mapped.findIndex(Boolean);
}

function searchFunction(search: Search): ScalarFunction {
  const which = search.fromEnd ? 'last' : 'first';
  const otherwise = search.missing === 'null' ? 'NULL' : "the type's default";
  return lambdaFunction({
    name: search.name,
    arity: [2, Number.POSITIVE_INFINITY],
    syntax: `${search.name}(x -> condition, array, ...)`,
    doc: `The ${which} element for which the lambda holds, ${otherwise} when there is none.`,
    examples: [[`${search.name}(x -> x > 1, [1, 2, 3])`, search.example]],
    type: (args) => {
      const { element } = lambdaShape(search.name, args, true);
      expectCondition(search.name, args);
      return search.missing === 'null' ? nullableElement(element) : element;
    },
    kernel: (args, type) => {
      const missing = search.missing === 'null' ? null : defaultValue(type);
      return overElements(search.name, args, (mapped, elements) => {
        const place = findPlace(mapped, search.fromEnd);
        return place < 0 ? missing : elements[place];
      });
    },
  });
}

function placeFunction(name: string, fromEnd: boolean, example: string): ScalarFunction {
  return lambdaFunction({
    name,
    arity: [2, Number.POSITIVE_INFINITY],
    syntax: `${name}(x -> condition, array, ...)`,
    doc: `Position, counting from 1, of the ${fromEnd ? 'last' : 'first'} element for which the lambda holds; 0 when there is none.`,
    examples: [[`${name}(x -> x > 1, [1, 2, 3])`, example]],
    type: (args) => {
      lambdaShape(name, args, true);
      expectCondition(name, args);
      return types.uint32;
    },
    kernel: (args) => overElements(name, args, (mapped) => findPlace(mapped, fromEnd) + 1),
  });
}

/** NaN comes after all numbers, NULL after everything, whichever way is sorted. */
function rank(value: unknown): number {
  return value === null ? 2 : Number.isNaN(value) ? 1 : 0;
}

function sortedBy(elements: Values, keys: Values, sign: 1 | -1): unknown[] {
  const order = elements.map((_, index) => index);
  order.sort((left, right) => {
    const [first, second] = [keys[left], keys[right]];
    const byRank = rank(first) - rank(second);
    if (byRank !== 0 || rank(first) > 0) return byRank;
    return compareValues(first, second) * sign;
  });
  return order.map((index) => elements[index]);
}

function sortFunction(name: string, sign: 1 | -1, example: string): ScalarFunction {
  return lambdaFunction({
    name,
    syntax: `${name}([x -> key,] array, ...)`,
    doc: `The elements in ${sign === 1 ? 'ascending' : 'descending'} order, or in that of what the lambda makes of them; NaN, then NULL come last.`,
    examples: [
      [`${name}([2, 3, 1])`, example],
      [`${name}((x, y) -> y, ['a', 'b'], [2, 1])`, sign === 1 ? "['b','a']" : "['a','b']"],
    ],
    type: (args) => arrayOf(lambdaShape(name, args, false).element),
    kernel: (args) => overElements(name, args, (mapped, elements) => sortedBy(elements, mapped, sign)),
  });
}

function partialSort(name: string, sign: 1 | -1, example: string): ScalarFunction {
  const sorted = sortFunction(name, sign, example);
  return {
    ...sorted,
    arity: [2, 2],
    syntax: `${name}(limit, array)`,
    doc: `The array with at least its first elements, up to the limit, in ${sign === 1 ? 'ascending' : 'descending'} order.`,
    examples: [[`${name}(2, [2, 3, 1])`, example]],
    type: (args) => {
      if (!isInteger(args[0]!.type)) throw illegalType(name, 0, args[0]!.type, 'an integer');
      expectArrays(name, args, 1);
      return args[1]!.type;
    },
    kernel: () => (_: unknown, elements: Values) => sortedBy(elements, elements, sign),
  };
}

interface Cutting {
  readonly name: string;
  readonly doc: string;
  readonly examples: ScalarFunction['examples'];
  readonly nested: boolean;
  readonly cut: (elements: Values, marks: Values) => unknown[];
}

function cuttingFunction(cutting: Cutting): ScalarFunction {
  return lambdaFunction({
    name: cutting.name,
    arity: [2, Number.POSITIVE_INFINITY],
    syntax: `${cutting.name}(x -> condition, array, ...)`,
    doc: cutting.doc,
    examples: cutting.examples,
    type: (args) => {
      const { element } = lambdaShape(cutting.name, args, true);
      expectCondition(cutting.name, args);
      return cutting.nested ? arrayOf(arrayOf(element)) : arrayOf(element);
    },
    kernel: (args) => overElements(cutting.name, args, (mapped, elements) => cutting.cut(elements, mapped)),
  });
}

/** Pieces that begin at (or end after) each marked element. */
function split(elements: Values, marks: Values, after: boolean): unknown[][] {
  const pieces: unknown[][] = [];
  let piece: unknown[] = [];
  for (const [index, element] of elements.entries()) {
    if (!after && marks[index] && index > 0) {
      pieces.push(piece);
      piece = [];
    }
    piece.push(element);
    if (after && marks[index] && index < elements.length - 1) {
      pieces.push(piece);
      piece = [];
    }
  }
  if (elements.length > 0) pieces.push(piece);
  return pieces;
}

function fill(elements: Values, marks: Values): unknown[] {
  const result: unknown[] = [];
  for (const [index, element] of elements.entries())
    result.push(index === 0 || marks[index] ? element : result[index - 1]);
  return result;
}

const cuttings = [
  cuttingFunction({
    name: 'array_split',
    doc: 'The array cut into pieces: a new one begins at each element for which the lambda holds.',
    examples: [['array_split(x -> x = 2, [1, 2, 3])', '[[1],[2,3]]']],
    nested: true,
    cut: (elements, marks) => split(elements, marks, false),
  }),
  cuttingFunction({
    name: 'array_reverse_split',
    doc: 'The array cut into pieces: one ends after each element for which the lambda holds.',
    examples: [['array_reverse_split(x -> x = 2, [1, 2, 3])', '[[1,2],[3]]']],
    nested: true,
    cut: (elements, marks) => split(elements, marks, true),
  }),
  cuttingFunction({
    name: 'array_fill',
    doc: 'The array with each element for which the lambda does not hold replaced by the one before it.',
    examples: [['array_fill(x -> x > 1, [1, 2, 1, 3, 1])', '[1,2,2,3,3]']],
    nested: false,
    cut: fill,
  }),
  cuttingFunction({
    name: 'array_reverse_fill',
    doc: 'The array with each element for which the lambda does not hold replaced by the one after it.',
    examples: [['array_reverse_fill(x -> x > 1, [1, 2, 1, 3, 1])', '[2,2,3,3,1]']],
    nested: false,
    cut: (elements, marks) => fill(elements.toReversed(), marks.toReversed()).reverse(),
  }),
];

const arrayFold: ScalarFunction = lambdaFunction({
  name: 'array_fold',
  arity: [3, Number.POSITIVE_INFINITY],
  syntax: 'array_fold((acc, x, ...) -> ..., array, ..., initial)',
  doc: 'What is left when the lambda has been applied to an accumulator and each element in turn.',
  examples: [['array_fold((acc, x) -> acc + x, [1, 2, 3], to_int64(0))', '6']],
  lambdaParameters: (others) => [
    others.at(-1)!.type,
    ...others.slice(0, -1).map(({ type }) => (type.kind === 'array' ? type.element : types.nothing)),
  ],
  type: (args) => {
    expectArrays('array_fold', args.slice(0, -1), 1);
    const initial = args.at(-1)!.type;
    const body = args[0]!.type;
    const widened = sameType(bareType(body), bareType(initial)) || trySupertype(body, initial) !== undefined;
    if (args[0]!.lambda === undefined || !widened)
      throw new SluiceError(
        'TYPE_MISMATCH',
        `The lambda of array_fold gives ${typeName(body)} and its accumulator is ${typeName(initial)}: cast the initial value`,
      );
    return initial;
  },
  kernel: (args, type) => {
    const convert = valueConverter(args[0]!.type, type);
    return (lambda: (...given: unknown[]) => unknown, ...rest: unknown[]) => {
      const lists = rest.slice(0, -1) as Values[];
      let accumulated = rest.at(-1);
      const size = lists[0]!.length;
      if (lists.some((list) => list.length !== size)) throw sizesDiffer('array_fold');
      for (let index = 0; index < size; index++)
        accumulated = convert(lambda(accumulated, ...lists.map((list) => list[index])));
      return accumulated;
    };
  },
});

type Pairs = readonly (readonly [unknown, unknown])[];
type PairLambda = (key: unknown, value: unknown) => unknown;

function mapParameters(others: readonly Argument[]): readonly SqlType[] {
  const type = others[0]?.type;
  return type?.kind === 'map' ? [type.key, type.value] : [types.nothing, types.nothing];
}

function mapLambda(
  parts: Pick<ScalarFunction, 'name' | 'syntax' | 'doc' | 'examples' | 'type' | 'kernel'>,
): ScalarFunction {
  return lambdaFunction({ ...parts, arity: [2, 2], category: 'map', lambdaParameters: mapParameters });
}

const mapFilter = mapLambda({
  name: 'map_filter',
  syntax: 'map_filter((k, v) -> condition, map)',
  doc: 'The pairs for which the lambda holds.',
  examples: [["map_filter((k, v) -> v > 1, map('a', 1, 'b', 2))", "{'b':2}"]],
  type: (args) => mapType('map_filter', args, 1),
  kernel: () => (lambda: PairLambda, pairs: Pairs) => pairs.filter((pair) => lambda(pair[0], pair[1])),
});

const mapApply = mapLambda({
  name: 'map_apply',
  syntax: 'map_apply((k, v) -> (key, value), map)',
  doc: 'The map of the pairs that the lambda makes.',
  examples: [["map_apply((k, v) -> (k, v * 2), map('a', 1))", "{'a':2}"]],
  type: (args) => {
    mapType('map_apply', args, 1);
    const { type } = args[0]!;
    if (type.kind !== 'tuple' || type.elements.length !== 2)
      throw illegalType('map_apply', 0, type, 'a lambda that gives a tuple of a key and a value');
    return mapOf(type.elements[0]!.type, type.elements[1]!.type);
  },
  kernel: () => (lambda: PairLambda, pairs: Pairs) => pairs.map((pair) => lambda(pair[0], pair[1])),
});

function mapTest(
  name: string,
  doc: string,
  result: string,
  test: (marks: Values) => boolean,
): ScalarFunction {
  return mapLambda({
    name,
    syntax: `${name}((k, v) -> condition, map)`,
    doc,
    examples: [[`${name}((k, v) -> v > 1, map('a', 1, 'b', 2))`, result]],
    type: (args) => {
      mapType(name, args, 1);
      return types.bool;
    },
    kernel: () => (lambda: PairLambda, pairs: Pairs) =>
      test(pairs.map((pair) => lambda(pair[0], pair[1]))) ? 1 : 0,
  });
}

function mapSort(name: string, sign: 1 | -1, example: string): ScalarFunction {
  return lambdaFunction({
    name,
    category: 'map',
    arity: [1, 2],
    lambdaParameters: mapParameters,
    syntax: `${name}([(k, v) -> sort key,] map)`,
    doc: `The pairs in ${sign === 1 ? 'ascending' : 'descending'} order of their keys, or of what the lambda makes of them.`,
    examples: [[`${name}(map('b', 1, 'a', 2))`, example]],
    type: (args) => mapType(name, args, args.length - 1),
    kernel: (args) => {
      if (args.length === 1)
        return (pairs: Pairs) =>
          sortedBy(
            pairs,
            pairs.map((pair) => pair[0]),
            sign,
          );
      return (lambda: PairLambda, pairs: Pairs) =>
        sortedBy(
          pairs,
          pairs.map((pair) => lambda(pair[0], pair[1])),
          sign,
        );
    },
  });
}

export const higherOrderSearchFunctions: readonly ScalarFunction[] = [
  searchFunction({ name: 'array_first', fromEnd: false, missing: 'default', example: '2' }),
  searchFunction({ name: 'array_first_or_null', fromEnd: false, missing: 'null', example: '2' }),
  searchFunction({ name: 'array_last', fromEnd: true, missing: 'default', example: '3' }),
  searchFunction({ name: 'array_last_or_null', fromEnd: true, missing: 'null', example: '3' }),
  placeFunction('array_first_index', false, '2'),
  placeFunction('array_last_index', true, '3'),
  sortFunction('array_sort', 1, '[1,2,3]'),
  sortFunction('array_reverse_sort', -1, '[3,2,1]'),
  partialSort('array_partial_sort', 1, '[1,2,3]'),
  partialSort('array_partial_reverse_sort', -1, '[3,2,1]'),
  ...cuttings,
  arrayFold,
  mapFilter,
  mapApply,
  mapTest('map_exists', 'Whether the lambda holds for a pair.', 'true', (marks) => marks.some(Boolean)),
  mapTest('map_all', 'Whether the lambda holds for every pair.', 'false', (marks) => marks.every(Boolean)),
  mapSort('map_sort', 1, "{'a':2,'b':1}"),
  mapSort('map_reverse_sort', -1, "{'b':1,'a':2}"),
];
