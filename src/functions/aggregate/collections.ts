import { SluiceError } from '../../base/index.ts';
import { compareValues, setKey } from '../../runtime/index.ts';
import { arrayOf, representation, type SqlType, textFormatter, types } from '../../types/index.ts';
import type { AggregateFunction, Argument, ObjectState } from '../definition.ts';
import { collectedMax, sizeOf, tooManyValues } from './parameters.ts';

type List = unknown[];

function arrayAggregate(
  parts: Pick<AggregateFunction, 'name' | 'aliases' | 'syntax' | 'doc' | 'examples'>,
  state: (size: number, args: readonly Argument[]) => ObjectState,
): AggregateFunction {
  return {
    kind: 'aggregate',
    category: 'aggregate',
    arity: [1, 2],
    parameters: [0, 1],
    ...parts,
    type: (args, parameters) => {
      sizeOf(parts.name, args, parameters, 1, collectedMax);
      return arrayOf(args[0]!.type);
    },
    state: (args, parameters) =>
      state(sizeOf(parts.name, args, parameters, 1, Number.POSITIVE_INFINITY), args),
  };
}

function pushWithin(name: string, list: List, value: unknown, size: number): void {
  if (list.length >= size) return;
  if (list.length >= collectedMax) throw tooManyValues(name);
  list.push(value);
}

const groupArray = arrayAggregate(
  {
    name: 'group_array',
    aliases: ['array_agg'],
    syntax: 'group_array([size])(x), group_array(x[, size])',
    doc: 'The values as an array, in the order in which they are met; of more than the size, when one is given, the first ones.',
    examples: [['group_array(5)', '[5]']],
  },
  (size) => ({
    kind: 'object',
    create: (): List => [],
    add: (list: List, value: unknown) => pushWithin('group_array', list, value, size),
    merge: (into: List, from: List) => {
      for (const value of from) pushWithin('group_array', into, value, size);
    },
    result: (list: List) => list.slice(),
  }),
);

/** Keeps the last values in a list that is cut whenever it has grown to twice its size. */
function pushLast(list: List, value: unknown, size: number): void {
  list.push(value);
  if (list.length >= size * 2) list.splice(0, list.length - size);
}

const groupArrayLast = arrayAggregate(
  {
    name: 'group_array_last',
    aliases: [],
    syntax: 'group_array_last(size)(x), group_array_last(x[, size])',
    doc: 'The last values as an array, in the order in which they are met.',
    examples: [['group_array_last(2)(5)', '[5]']],
  },
  (size) => ({
    kind: 'object',
    create: (): List => [],
    add: (list: List, value: unknown) => {
      if (list.length >= collectedMax && size > collectedMax) throw tooManyValues('group_array_last');
      pushLast(list, value, size);
    },
    merge: (into: List, from: List) => {
      for (const value of from) pushLast(into, value, size);
    },
    result: (list: List) => list.slice(Math.max(0, list.length - size)),
  }),
);

interface UniqueValues {
  readonly values: Map<unknown, unknown>;
}

/** A key that any codec can carry. */
function keyOf(type: SqlType): (value: unknown) => unknown {
  return representation(type) === 'object' ? setKey : (value) => value;
}

const groupUniqArray = arrayAggregate(
  {
    name: 'group_uniq_array',
    aliases: ['group_unique_array'],
    syntax: 'group_uniq_array([size])(x), group_uniq_array(x[, size])',
    doc: 'The different values as an array, in the order in which they are first met.',
    examples: [['group_uniq_array(5)', '[5]']],
  },
  (size, args) => {
    const key = keyOf(args[0]!.type);
    const add = (state: UniqueValues, value: unknown): void => {
      const text = key(value);
      if (state.values.size >= size || state.values.has(text)) return;
      if (state.values.size >= collectedMax) throw tooManyValues('group_uniq_array');
      state.values.set(text, value);
    };
    return {
      kind: 'object',
      create: (): UniqueValues => ({ values: new Map() }),
      add,
      merge: (into: UniqueValues, from: UniqueValues) => {
        for (const value of from.values.values()) add(into, value);
      },
      result: (state: UniqueValues) => [...state.values.values()],
      save: (state: UniqueValues) => [...state.values.values()],
      load: (saved: unknown[]): UniqueValues => ({
        values: new Map(saved.map((value) => [key(value), value])),
      }),
    };
  },
);

/** Sorts and cuts a list that has grown to twice the size that is kept. */
function keepLeast(list: List, size: number, order: (left: unknown, right: unknown) => number): void {
  list.sort(order);
  if (list.length > size) list.length = size;
}

/** A state of the `size` values that come first in an order. */
export function leastState(size: number, order: (left: unknown, right: unknown) => number): ObjectState {
  const bound = Math.max(64, size * 2);
  return {
    kind: 'object',
    create: (): List => [],
    add: (list: List, value: unknown) => {
      list.push(value);
      if (list.length >= bound) keepLeast(list, size, order);
    },
    merge: (into: List, from: List) => {
      for (const value of from) into.push(value);
      keepLeast(into, size, order);
    },
    result: (list: List) => list.toSorted(order).slice(0, size),
  };
}

const groupArraySorted = arrayAggregate(
  {
    name: 'group_array_sorted',
    aliases: [],
    syntax: 'group_array_sorted(size)(x), group_array_sorted(x[, size])',
    doc: 'The least values as an array in ascending order, all of them when no size is given.',
    examples: [['group_array_sorted(2)(5)', '[5]']],
  },
  (size) => leastState(Math.min(size, collectedMax), compareValues),
);

const groupArraySample = arrayAggregate(
  {
    name: 'group_array_sample',
    aliases: [],
    syntax: 'group_array_sample(size)(x), group_array_sample(x, size)',
    doc: 'A random sample of the values as an array; the same one each time.',
    examples: [['group_array_sample(2)(5)', '[5]']],
  },
  (size) => sampleState(Math.min(size, collectedMax)),
);

interface Sample {
  readonly values: unknown[];
  total: number;
  seed: number;
}

function sampleState(size: number): ObjectState {
  const next = (state: Sample): number => {
    state.seed = (Math.imul(state.seed, 1_664_525) + 1_013_904_223) >>> 0;
    return state.seed / 4_294_967_296;
  };
  const add = (state: Sample, value: unknown): void => {
    state.total++;
    if (state.values.length < size) state.values.push(value);
    else {
      const place = Math.floor(next(state) * state.total);
      if (place < size) state.values[place] = value;
    }
  };
  return {
    kind: 'object',
    create: (): Sample => ({ values: [], total: 0, seed: 123_456_789 }),
    add,
    merge: (into: Sample, from: Sample) => {
      const seen = from.total;
      for (const value of from.values) add(into, value);
      into.total += seen - from.values.length;
    },
    result: (state: Sample) => state.values.slice(),
  };
}

interface Concatenation {
  readonly parts: string[];
  /** Bytes of all parts. */
  size: number;
}

const concatenatedBytesMax = 1 << 28;

function textParameter(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

const groupConcat: AggregateFunction = {
  kind: 'aggregate',
  name: 'group_concat',
  aliases: ['string_agg'],
  category: 'aggregate',
  arity: [1, 2],
  parameters: [0, 2],
  syntax: 'group_concat([delimiter[, limit]])(x), string_agg(x, delimiter)',
  doc: 'The texts of the values one after the other, with a delimiter between them.',
  examples: [
    ["group_concat(',')('a')", 'a'],
    ["string_agg('a', ',')", 'a'],
  ],
  type: (args, parameters) => {
    const second = args[1];
    if (parameters.length > 0 && typeof parameters[0] !== 'string')
      throw new SluiceError('BAD_ARGUMENTS', 'The delimiter of group_concat must be a string');
    if (second !== undefined && (second.type.kind !== 'string' || second.constant === undefined))
      throw new SluiceError('BAD_ARGUMENTS', 'The delimiter of group_concat must be a constant string');
    return types.string;
  },
  state: (args, parameters) => {
    const { type } = args[0]!;
    const format = type.kind === 'string' ? (value: unknown) => value as string : textFormatter(type);
    const delimiter = textParameter(parameters[0] ?? args[1]?.constant?.value);
    const limit = parameters[1] === undefined ? Number.POSITIVE_INFINITY : Number(parameters[1]);
    const add = (state: Concatenation, part: string): void => {
      if (state.parts.length >= limit) return;
      state.size += part.length + delimiter.length;
      if (state.size > concatenatedBytesMax)
        throw new SluiceError(
          'TOO_LARGE_STRING_SIZE',
          `group_concat makes at most ${concatenatedBytesMax} bytes`,
        );
      state.parts.push(part);
    };
    return {
      kind: 'object',
      create: (): Concatenation => ({ parts: [], size: 0 }),
      add: (state: Concatenation, value: unknown) => add(state, format(value as never)),
      merge: (into: Concatenation, from: Concatenation) => {
        for (const part of from.parts) add(into, part);
      },
      result: (state: Concatenation) => state.parts.join(delimiter),
    };
  },
};

export const collectionAggregates: readonly AggregateFunction[] = [
  groupArray,
  groupArrayLast,
  groupUniqArray,
  groupArraySorted,
  groupArraySample,
  groupConcat,
];
