import { SluiceError } from '../../base/index.ts';
import {
  arrayOf,
  bareType,
  canonicalInteger,
  defaultValue,
  isInteger,
  type SqlType,
  types,
} from '../../types/index.ts';
import { illegalType } from '../checks.ts';
import type { Argument, ScalarFunction } from '../definition.ts';
import {
  assertArraySize,
  commonElement,
  elementConverter,
  elementType,
  nullableElement,
  type Values,
  valueConverter,
} from './array-values.ts';

type Parts = Omit<ScalarFunction, 'kind' | 'category'>;

function arrayFunction(parts: Parts): ScalarFunction {
  return { kind: 'scalar', category: 'array', ...parts };
}

function expectIntegers(name: string, args: readonly Argument[], from: number): void {
  for (let position = from; position < args.length; position++) {
    const { type } = args[position]!;
    if (bareType(type).kind !== 'nothing' && !isInteger(type))
      throw illegalType(name, position, type, 'an integer');
  }
}

const arrayConcat = arrayFunction({
  name: 'array_concat',
  arity: [1, Number.POSITIVE_INFINITY],
  syntax: 'array_concat(array, ...)',
  doc: 'The elements of all arrays, one array after the other.',
  examples: [['array_concat([1, 2], [3])', '[1,2,3]']],
  type: (args) =>
    arrayOf(
      commonElement(
        'array_concat',
        args.map((_, index) => elementType('array_concat', args, index)),
      ),
    ),
  kernel: (args, type) => {
    const converters = args.map((argument) =>
      elementConverter((argument.type as ArrayType).element, (type as ArrayType).element),
    );
    return (...lists: Values[]) => lists.flatMap((list, index) => converters[index]!(list) as unknown[]);
  },
});

type ArrayType = SqlType & { kind: 'array' };

/** Elements from a position (from 1, or from -1 at the end); a negative length leaves so many off the end. */
export function sliceOf<T extends { slice(start: number, end: number): T; readonly length: number }>(
  list: T,
  offset: number,
  length: number | undefined,
): T {
  if (offset === 0) return list.slice(0, 0);
  const start = offset > 0 ? offset - 1 : list.length + offset;
  const end = length === undefined ? list.length : length >= 0 ? start + length : list.length + length;
  return list.slice(Math.max(0, start), Math.max(0, end));
}

const arraySlice = arrayFunction({
  name: 'array_slice',
  arity: [2, 3],
  nulls: 'handled',
  syntax: 'array_slice(array, offset[, length])',
  doc: 'A part of the array from a position that counts from 1, or from -1 at the end. A negative length leaves so many elements off the end.',
  examples: [
    ['array_slice([1, 2, 3, 4], 2, 2)', '[2,3]'],
    ['array_slice([1, 2, 3, 4], -3, -1)', '[2,3]'],
  ],
  type: (args) => {
    elementType('array_slice', args, 0);
    expectIntegers('array_slice', args, 1);
    return args[0]!.type;
  },
  kernel: () => (list: unknown[], offset: number | null, length?: number | null) =>
    sliceOf(list, Number(offset ?? 1), length === undefined || length === null ? undefined : Number(length)),
});

function pushFunction(name: string, doc: string, example: string, atEnd: boolean): ScalarFunction {
  return arrayFunction({
    name,
    arity: [2, 2],
    nulls: 'handled',
    syntax: `${name}(array, value)`,
    doc,
    examples: [[`${name}([1, 2], 3)`, example]],
    type: (args) => arrayOf(commonElement(name, [elementType(name, args, 0), args[1]!.type])),
    kernel: (args, type) => {
      const to = (type as ArrayType).element;
      const all = elementConverter(elementType(name, args, 0), to);
      const one = valueConverter(args[1]!.type, to);
      return atEnd
        ? (list: Values, value: unknown) => [...all(list), one(value)]
        : (list: Values, value: unknown) => [one(value), ...all(list)];
    },
  });
}

function popFunction(name: string, doc: string, example: string, atEnd: boolean): ScalarFunction {
  return arrayFunction({
    name,
    arity: [1, 1],
    syntax: `${name}(array)`,
    doc,
    examples: [[`${name}([1, 2, 3])`, example]],
    type: (args) => arrayOf(elementType(name, args, 0)),
    kernel: () => (atEnd ? (list: unknown[]) => list.slice(0, -1) : (list: unknown[]) => list.slice(1)),
  });
}

const arrayResize = arrayFunction({
  name: 'array_resize',
  arity: [2, 3],
  nulls: 'handled',
  syntax: 'array_resize(array, size[, filler])',
  doc: 'The array cut or filled up to a size; a negative size cuts and fills at the front. It is filled with the default of the type when no filler is given.',
  examples: [
    ['array_resize([1], 3)', '[1,0,0]'],
    ['array_resize([1, 2, 3], -2)', '[2,3]'],
    ['array_resize([1], 3, 9)', '[1,9,9]'],
  ],
  type: (args) => {
    expectIntegers('array_resize', args.slice(0, 2), 1);
    const element = elementType('array_resize', args, 0);
    return arrayOf(args.length < 3 ? element : commonElement('array_resize', [element, args[2]!.type]));
  },
  kernel: (args, type) => {
    const to = (type as ArrayType).element;
    const all = elementConverter(elementType('array_resize', args, 0), to);
    const one = args.length < 3 ? undefined : valueConverter(args[2]!.type, to);
    return (list: Values, size: number | null, filler?: unknown) => {
      const wanted = Number(size ?? 0);
      assertArraySize('array_resize', Math.abs(wanted));
      const given = all(list);
      const fill = one === undefined ? defaultValue(to) : one(filler);
      const missing = Math.max(0, Math.abs(wanted) - given.length);
      const padding: unknown[] = new Array(missing).fill(fill);
      return wanted >= 0
        ? [...given.slice(0, wanted), ...padding]
        : [...padding, ...given.slice(Math.max(0, given.length + wanted))];
    };
  },
});

const arrayReverse = arrayFunction({
  name: 'array_reverse',
  arity: [1, 1],
  syntax: 'array_reverse(array)',
  doc: 'The elements in opposite order.',
  examples: [['array_reverse([1, 2, 3])', '[3,2,1]']],
  type: (args) => arrayOf(elementType('array_reverse', args, 0)),
  kernel: () => (list: Values) => list.toReversed(),
});

const arrayWithConstant = arrayFunction({
  name: 'array_with_constant',
  arity: [2, 2],
  nulls: 'handled',
  syntax: 'array_with_constant(size, value)',
  doc: 'An array of so many equal elements.',
  examples: [["array_with_constant(3, 'a')", "['a','a','a']"]],
  type: (args) => {
    expectIntegers('array_with_constant', args.slice(0, 1), 0);
    return arrayOf(args[1]!.type);
  },
  kernel: () => (size: number | null, value: unknown) => {
    const wanted = Number(size ?? 0);
    assertArraySize('array_with_constant', wanted);
    if (wanted < 0) throw new SluiceError('TOO_LARGE_ARRAY_SIZE', `An array cannot have ${wanted} elements`);
    return new Array(wanted).fill(value);
  },
});

/** The type of a range: that of the arguments, signed and with room where one of them is signed. */
function rangeType(args: readonly Argument[]): SqlType {
  for (const [position, argument] of args.entries()) {
    if (bareType(argument.type).kind !== 'int')
      throw illegalType('range', position, argument.type, 'an integer');
  }
  return arrayOf(
    commonElement(
      'range',
      args.map((argument) => argument.type),
    ),
  );
}

const range = arrayFunction({
  name: 'range',
  arity: [1, 3],
  syntax: 'range([start, ]end[, step])',
  doc: 'The integers from a start (0 when not given) up to an end that is left out.',
  examples: [
    ['range(5)', '[0,1,2,3,4]'],
    ['range(1, 10, 3)', '[1,4,7]'],
    ['range(5, 1, -2)', '[5,3]'],
  ],
  type: rangeType,
  kernel:
    () =>
    (...given: (number | bigint)[]) => {
      const [start, end] =
        given.length === 1 ? [0n, BigInt(given[0]!)] : [BigInt(given[0]!), BigInt(given[1]!)];
      const step = BigInt(given[2] ?? 1);
      if (step === 0n) throw new SluiceError('ARGUMENT_OUT_OF_BOUND', 'The step of a range must not be 0');
      const distance = step > 0n ? end - start : start - end;
      const pace = step > 0n ? step : -step;
      const size = distance <= 0n ? 0 : Number((distance + pace - 1n) / pace);
      assertArraySize('range', size);
      if (Number.isSafeInteger(Number(start)) && Number.isSafeInteger(Number(end))) {
        const [first, by] = [Number(start), Number(step)];
        return Array.from({ length: size }, (_, index) => first + index * by);
      }
      return Array.from({ length: size }, (_, index) => canonicalInteger(start + BigInt(index) * step));
    },
});

const emptyKinds = {
  uint8: types.uint8,
  uint16: types.uint16,
  uint32: types.uint32,
  uint64: types.uint64,
  int8: types.int8,
  int16: types.int16,
  int32: types.int32,
  int64: types.int64,
  float32: types.float32,
  float64: types.float64,
  date: types.date,
  datetime: types.datetime,
  string: types.string,
};

const emptyArrays = Object.entries(emptyKinds).map(([name, type]) =>
  arrayFunction({
    name: `empty_array_${name}`,
    arity: [0, 0],
    syntax: `empty_array_${name}()`,
    doc: `An empty array of ${name}.`,
    examples: [[`empty_array_${name}()`, '[]']],
    type: () => arrayOf(type),
    kernel: () => () => [],
  }),
);

function rotate(list: Values, by: number): Values {
  if (list.length === 0) return list;
  const shift = ((by % list.length) + list.length) % list.length;
  return [...list.slice(shift), ...list.slice(0, shift)];
}

function rotateFunction(name: string, direction: 1 | -1, example: string): ScalarFunction {
  return arrayFunction({
    name,
    arity: [2, 2],
    syntax: `${name}(array, n)`,
    doc: `The array with its elements moved n places to the ${direction === 1 ? 'left' : 'right'}, those that fall out coming back at the other end.`,
    examples: [[`${name}([1, 2, 3], 1)`, example]],
    type: (args) => {
      expectIntegers(name, args, 1);
      return arrayOf(elementType(name, args, 0));
    },
    kernel: () => (list: Values, by: number | bigint) => rotate(list, Number(by) * direction),
  });
}

const emptyArrayToSingle = arrayFunction({
  name: 'empty_array_to_single',
  arity: [1, 1],
  syntax: 'empty_array_to_single(array)',
  doc: 'The array, or one with a single default value where it is empty.',
  examples: [['empty_array_to_single(empty_array_uint8())', '[0]']],
  type: (args) => arrayOf(elementType('empty_array_to_single', args, 0)),
  kernel: (_, type) => {
    const single = [defaultValue((type as ArrayType).element)];
    return (list: Values) => (list.length === 0 ? single : list);
  },
});

const arrayZip = arrayFunction({
  name: 'array_zip',
  arity: [1, Number.POSITIVE_INFINITY],
  syntax: 'array_zip(array, ...)',
  doc: 'An array of tuples: the first elements of all arrays, the second ones, and so on. The arrays must be of one size.',
  examples: [["array_zip([1, 2], ['a', 'b'])", "[(1,'a'),(2,'b')]"]],
  type: (args) =>
    arrayOf({
      kind: 'tuple',
      elements: args.map((_, index) => ({ name: '', type: elementType('array_zip', args, index) })),
    }),
  kernel: () => zip(true),
});

const arrayZipUnaligned = arrayFunction({
  name: 'array_zip_unaligned',
  arity: [1, Number.POSITIVE_INFINITY],
  syntax: 'array_zip_unaligned(array, ...)',
  doc: 'Like array_zip, with NULL where an array has no more elements.',
  examples: [["array_zip_unaligned([1], ['a', 'b'])", "[(1,'a'),(NULL,'b')]"]],
  type: (args) =>
    arrayOf({
      kind: 'tuple',
      elements: args.map((_, index) => ({
        name: '',
        type: nullableElement(elementType('array_zip_unaligned', args, index)),
      })),
    }),
  kernel: () => zip(false),
});

function zip(aligned: boolean): (...lists: Values[]) => unknown[] {
  return (...lists) => {
    const size = Math.max(...lists.map((list) => list.length));
    if (aligned && lists.some((list) => list.length !== size))
      throw new SluiceError('SIZES_OF_ARRAYS_DONT_MATCH', 'The arrays given to array_zip differ in size');
    return Array.from({ length: size }, (_, index) => lists.map((list) => list[index] ?? null));
  };
}

export const arrayEditFunctions: readonly ScalarFunction[] = [
  arrayConcat,
  arraySlice,
  pushFunction('array_push_back', 'The array with a value added at the end.', '[1,2,3]', true),
  pushFunction('array_push_front', 'The array with a value added at the front.', '[3,1,2]', false),
  popFunction('array_pop_back', 'The array without its last element.', '[1,2]', true),
  popFunction('array_pop_front', 'The array without its first element.', '[2,3]', false),
  arrayResize,
  arrayReverse,
  arrayWithConstant,
  range,
  ...emptyArrays,
  emptyArrayToSingle,
  rotateFunction('array_rotate_left', 1, '[2,3,1]'),
  rotateFunction('array_rotate_right', -1, '[3,1,2]'),
  arrayZip,
  arrayZipUnaligned,
];
