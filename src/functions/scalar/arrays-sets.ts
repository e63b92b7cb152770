import { arrayOf, bareType, type SqlType, types } from '../../types/index.ts';
import type { Argument, ScalarFunction } from '../definition.ts';
import { commonElement, elementConverter, elementType, sizesDiffer, type Values } from './array-values.ts';
import { keyOf } from './arrays.ts';

type ArrayType = SqlType & { kind: 'array' };

function arrayFunction(parts: Omit<ScalarFunction, 'kind' | 'category'>): ScalarFunction {
  return { kind: 'scalar', category: 'array', ...parts };
}

const arrayDistinct = arrayFunction({
  name: 'array_distinct',
  arity: [1, 1],
  syntax: 'array_distinct(array)',
  doc: 'The different values of the array, each once, in the order in which they first appear; NULLs are left out.',
  examples: [['array_distinct([3, 1, 3, 2, 1])', '[3,1,2]']],
  type: (args) => {
    const element = elementType('array_distinct', args, 0);
    return arrayOf(element.kind === 'nullable' ? element.inner : element);
  },
  kernel: (_, type) => {
    const key = keyOf((type as ArrayType).element);
    return (list: Values) => {
      const seen = new Set<unknown>();
      return list.filter((value) => {
        const text = key(value);
        if (value === null || seen.has(text)) return false;
        seen.add(text);
        return true;
      });
    };
  },
});

/** Keys of the tuples that elements at one position of several arrays make. */
function rowKeys(name: string, args: readonly Argument[], lists: readonly Values[]): unknown[] {
  const keys = args.map((_, index) => keyOf(elementType(name, args, index)));
  const [first] = lists as [Values];
  if (lists.some((list) => list.length !== first.length)) throw sizesDiffer(name);
  if (lists.length === 1) return first.map(keys[0]!);
  const whole = keyOf(arrayOf(types.nothing));
  return first.map((_, at) => whole(lists.map((list, index) => keys[index]!(list[at]))));
}

const arrayUniq = arrayFunction({
  name: 'array_uniq',
  arity: [1, Number.POSITIVE_INFINITY],
  syntax: 'array_uniq(array, ...)',
  doc: 'Number of different values in the array, or of different tuples of values in arrays of one size.',
  examples: [['array_uniq([1, 1, 2])', '2']],
  type: (args) => {
    for (const index of args.keys()) elementType('array_uniq', args, index);
    return types.uint32;
  },
  kernel:
    (args) =>
    (...lists: Values[]) =>
      new Set(rowKeys('array_uniq', args, lists)).size,
});

const arrayEnumerate = arrayFunction({
  name: 'array_enumerate',
  arity: [1, 1],
  syntax: 'array_enumerate(array)',
  doc: 'The positions of the array: 1, 2, 3 and so on.',
  examples: [["array_enumerate(['a', 'b'])", '[1,2]']],
  type: (args) => {
    elementType('array_enumerate', args, 0);
    return arrayOf(types.uint32);
  },
  kernel: () => (list: Values) => list.map((_, index) => index + 1),
});

const arrayEnumerateUniq = arrayFunction({
  name: 'array_enumerate_uniq',
  arity: [1, Number.POSITIVE_INFINITY],
  syntax: 'array_enumerate_uniq(array, ...)',
  doc: 'For each element how many times its value has appeared up to there.',
  examples: [['array_enumerate_uniq([10, 20, 10])', '[1,1,2]']],
  type: (args) => {
    for (const index of args.keys()) elementType('array_enumerate_uniq', args, index);
    return arrayOf(types.uint32);
  },
  kernel:
    (args) =>
    (...lists: Values[]) => {
      const counts = new Map<unknown, number>();
      return rowKeys('array_enumerate_uniq', args, lists).map((key) => {
        const count = (counts.get(key) ?? 0) + 1;
        counts.set(key, count);
        return count;
      });
    },
});

const arrayEnumerateDense = arrayFunction({
  name: 'array_enumerate_dense',
  arity: [1, Number.POSITIVE_INFINITY],
  syntax: 'array_enumerate_dense(array, ...)',
  doc: 'For each element the number of its value, values being numbered from 1 as they first appear.',
  examples: [['array_enumerate_dense([10, 20, 10])', '[1,2,1]']],
  type: (args) => {
    for (const index of args.keys()) elementType('array_enumerate_dense', args, index);
    return arrayOf(types.uint32);
  },
  kernel:
    (args) =>
    (...lists: Values[]) => {
      const numbers = new Map<unknown, number>();
      return rowKeys('array_enumerate_dense', args, lists).map((key) => {
        if (!numbers.has(key)) numbers.set(key, numbers.size + 1);
        return numbers.get(key);
      });
    },
});

const arrayCompact = arrayFunction({
  name: 'array_compact',
  arity: [1, 1],
  syntax: 'array_compact(array)',
  doc: 'The array with each run of equal neighbours made one element.',
  examples: [['array_compact([1, 1, 2, 2, 1])', '[1,2,1]']],
  type: (args) => arrayOf(elementType('array_compact', args, 0)),
  kernel: (args) => {
    const key = keyOf(elementType('array_compact', args, 0));
    return (list: Values) =>
      list.filter((value, index) => index === 0 || !Object.is(key(value), key(list[index - 1])));
  },
});

function innermost(type: SqlType): SqlType {
  return type.kind === 'array' ? innermost(type.element) : type;
}

function depthOf(type: SqlType): number {
  return type.kind === 'array' ? 1 + depthOf(type.element) : 0;
}

const arrayFlatten = arrayFunction({
  name: 'array_flatten',
  aliases: ['flatten'],
  arity: [1, 1],
  syntax: 'array_flatten(array)',
  doc: 'The elements of arrays of arrays, of any depth, in one array.',
  examples: [['array_flatten([[[1]], [[2], [3]]])', '[1,2,3]']],
  type: (args) => arrayOf(innermost(elementType('array_flatten', args, 0))),
  kernel: (args) => {
    const depth = depthOf(args[0]!.type) - 1;
    return (list: unknown[]) => list.flat(depth);
  },
});

type SetRule = (
  keyed: readonly { readonly list: Values; readonly keys: Set<unknown> }[],
  key: (value: unknown) => unknown,
) => unknown[];

function setFunction(name: string, doc: string, example: string, rule: SetRule): ScalarFunction {
  return arrayFunction({
    name,
    arity: [1, Number.POSITIVE_INFINITY],
    syntax: `${name}(array, ...)`,
    doc,
    examples: [[`array_sort(${name}([1, 2, 2, 3], [3, 2, 4]))`, example]],
    type: (args) =>
      arrayOf(
        commonElement(
          name,
          args.map((_, index) => elementType(name, args, index)),
        ),
      ),
    kernel: (args, type) => {
      const to = (type as ArrayType).element;
      const converters = args.map((_, index) => elementConverter(elementType(name, args, index), to));
      const key = keyOf(bareType(to));
      return (...lists: Values[]) =>
        rule(
          lists.map((each, index) => {
            const list = converters[index]!(each);
            return { list, keys: new Set(list.map(key)) };
          }),
          key,
        );
    },
  });
}

/** The first value of each key for which `keep` holds. */
function once(list: Values, key: (value: unknown) => unknown, keep: (key: unknown) => boolean): unknown[] {
  const seen = new Set<unknown>();
  return list.filter((value) => {
    const text = key(value);
    if (seen.has(text) || !keep(text)) return false;
    seen.add(text);
    return true;
  });
}

export const arraySetFunctions: readonly ScalarFunction[] = [
  arrayDistinct,
  arrayUniq,
  arrayEnumerate,
  arrayEnumerateUniq,
  arrayEnumerateDense,
  arrayCompact,
  arrayFlatten,
  setFunction('array_intersect', 'The different values that are in every array.', '[2,3]', (arrays, key) =>
    once(arrays[0]!.list, key, (text) => arrays.every((other) => other.keys.has(text))),
  ),
  setFunction(
    'array_union',
    'The different values that are in any of the arrays.',
    '[1,2,3,4]',
    (arrays, key) =>
      once(
        arrays.flatMap((each) => each.list as unknown[]),
        key,
        () => true,
      ),
  ),
  setFunction(
    'array_symmetric_difference',
    'The different values that are in some of the arrays, not in all.',
    '[1,4]',
    (arrays, key) =>
      once(
        arrays.flatMap((each) => each.list as unknown[]),
        key,
        (text) => !arrays.every((other) => other.keys.has(text)),
      ),
  ),
];
