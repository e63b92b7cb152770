import { SluiceError } from '../../base/index.ts';
import { js } from '../../code/index.ts';
import { compareValues, setKey } from '../../runtime/index.ts';
import {
  arrayOf,
  isInteger,
  isNumber,
  mapOf,
  representation,
  type SqlType,
  tupleOf,
  typeName,
  types,
} from '../../types/index.ts';
import type { AggregateFunction, Argument, ObjectState } from '../definition.ts';
import { wrapInteger } from '../scalar/array-values.ts';
import { doubleCode } from '../scalar/math.ts';
import { sumType } from './basic.ts';
import { aggregateOf, aggregateOfNumbers } from './define.ts';

type Number64 = number | bigint;

const sumKahan = aggregateOfNumbers(['x'], {
  name: 'sum_kahan',
  doc: 'Sum of floats that makes up for rounding errors.',
  examples: [['sum_kahan(5.5)', '5.5']],
  state: () => ({
    kind: 'slots',
    slots: [
      { name: 'sum', kind: 'f64', initial: 0 },
      { name: 'lost', kind: 'f64', initial: 0 },
    ],
    update: (emitter, [sum, lost], [value]) => {
      const x = emitter.constant('x', js`${doubleCode(emitter, value!)} - ${lost!}`);
      const next = emitter.constant('next', js`${sum!} + ${x}`);
      emitter.statement(js`${lost!} = ${next} - ${sum!} - ${x};\n${sum!} = ${next};`);
    },
    merge: (left, right) => {
      const x = (right[0] as number) - (right[1] as number) - (left[1] as number);
      const next = (left[0] as number) + x;
      return [next, next - (left[0] as number) - x];
    },
    result: (sum: number) => sum,
  }),
});

/** The type of the argument; of a bool the integer that stands for it. */
function ownType(argument: SqlType): SqlType {
  return argument.kind === 'bool' ? types.uint8 : argument;
}

interface Total {
  total: Number64;
}

/** A running combination of numbers in the type of the result. */
function foldState(initial: Number64, combine: (left: Number64, right: Number64) => Number64): ObjectState {
  return {
    kind: 'object',
    create: (): Total => ({ total: initial }),
    add: (state: Total, value: Number64) => {
      state.total = combine(state.total, value);
    },
    merge: (into: Total, from: Total) => {
      into.total = combine(into.total, from.total);
    },
    result: (state: Total) => state.total,
  };
}

/** Sums two numbers of a type, integers wrapping. */
function adder(type: SqlType): (left: Number64, right: Number64) => Number64 {
  if (type.kind === 'float')
    return type.bits === 32
      ? (left, right) => Math.fround((left as number) + (right as number))
      : (left, right) => (left as number) + (right as number);
  if (representation(type) === 'bigint' && type.kind === 'decimal')
    return (left, right) => BigInt(left) + BigInt(right);
  return (left, right) => {
    if (typeof left === 'number' && typeof right === 'number' && type.kind === 'int' && type.bits === 64) {
      const sum = left + right;
      if (Number.isSafeInteger(sum) && (type.signed || sum >= 0)) return sum;
    }
    return wrapInteger(BigInt(left) + BigInt(right), type);
  };
}

function zeroOf(type: SqlType): Number64 {
  return representation(type) === 'bigint' ? 0n : 0;
}

const sumWithOverflow = aggregateOfNumbers(['x'], {
  name: 'sum_with_overflow',
  doc: 'Sum in the type of the argument, which wraps when it does not fit.',
  examples: [['sum_with_overflow(to_uint8(5))', '5']],
  type: ownType,
  state: (_, __, type) => foldState(zeroOf(type), adder(type)),
});

interface SumAndCount {
  sum: Number64;
  count: number;
}

const sumCount = aggregateOfNumbers(['x'], {
  name: 'sum_count',
  doc: 'A tuple of the sum and the number of the values.',
  examples: [['sum_count(5)', '(5,1)']],
  type: (argument) => tupleOf([sumType(argument), types.uint64]),
  state: (args) => {
    const type = sumType(args[0]!.type);
    const add = adder(type);
    return {
      kind: 'object',
      create: (): SumAndCount => ({ sum: zeroOf(type), count: 0 }),
      add: (state: SumAndCount, value: Number64) => {
        state.sum = add(state.sum, value);
        state.count++;
      },
      merge: (into: SumAndCount, from: SumAndCount) => {
        into.sum = add(into.sum, from.sum);
        into.count += from.count;
      },
      result: (state: SumAndCount) => [state.sum, state.count],
    };
  },
});

function bitAggregate(
  name: string,
  doc: string,
  allOnes: boolean,
  narrow: (left: number, right: number) => number,
  wide: (left: bigint, right: bigint) => bigint,
): AggregateFunction {
  return aggregateOf(['x'], {
    name,
    doc,
    examples: [[`${name}(5)`, '5']],
    type: (args) => {
      const { type } = args[0]!;
      if (!isInteger(type))
        throw new SluiceError(
          'ILLEGAL_TYPE_OF_ARGUMENT',
          `Illegal type ${typeName(type)} of argument for aggregate function ${name}: expected an integer`,
        );
      return ownType(type);
    },
    state: (_, __, type) => {
      const initial = wrapInteger(allOnes ? -1n : 0n, type);
      if (type.kind === 'int' && type.bits <= 32)
        return foldState(initial, (left, right) => {
          const bits = narrow(left as number, right as number);
          return type.signed ? bits : bits >>> 0;
        });
      return foldState(initial, (left, right) => wrapInteger(wide(BigInt(left), BigInt(right)), type));
    },
  });
}

interface Delta {
  first: Number64 | undefined;
  last: Number64 | undefined;
  sum: Number64;
}

const deltaSum = aggregateOfNumbers(['x'], {
  name: 'delta_sum',
  doc: 'Sum of the differences of consecutive rows, those below 0 left out: how far a counter that is reset at times has come.',
  examples: [['delta_sum(5)', '0']],
  type: ownType,
  state: (_, __, type) => {
    const add = adder(type);
    const step = (state: Delta, to: Number64): void => {
      const from = state.last;
      if (from === undefined || !(to > from)) return;
      const difference =
        type.kind === 'float' ? (to as number) - (from as number) : BigInt(to) - BigInt(from);
      state.sum = add(state.sum, difference);
    };
    return {
      kind: 'object',
      create: (): Delta => ({ first: undefined, last: undefined, sum: zeroOf(type) }),
      add: (state: Delta, value: Number64) => {
        step(state, value);
        state.first ??= value;
        state.last = value;
      },
      merge: (into: Delta, from: Delta) => {
        if (from.first === undefined) return;
        step(into, from.first);
        into.first ??= from.first;
        into.last = from.last;
        into.sum = add(into.sum, from.sum);
      },
      result: (state: Delta) => state.sum,
    };
  },
});

interface MapTotals {
  readonly totals: Map<unknown, [key: unknown, value: Number64]>;
}

interface MapRule {
  readonly name: 'sum_map' | 'min_map' | 'max_map';
  readonly doc: string;
  readonly valueType: (type: SqlType) => SqlType;
  readonly combine: (type: SqlType) => (left: Number64, right: Number64) => Number64;
}

/** The types of keys and values of `f(map)` or `f(keys, values)`. */
function mapParts(name: string, args: readonly Argument[]): readonly [key: SqlType, value: SqlType] {
  const [first, second] = args;
  if (args.length === 1 && first!.type.kind === 'map') return [first!.type.key, first!.type.value];
  if (args.length === 2 && first!.type.kind === 'array' && second!.type.kind === 'array')
    return [first!.type.element, second!.type.element];
  throw new SluiceError(
    'ILLEGAL_TYPE_OF_ARGUMENT',
    `Aggregate function ${name} takes a map, or an array of keys and one of values`,
  );
}

function mapAggregate(rule: MapRule): AggregateFunction {
  return {
    kind: 'aggregate',
    name: rule.name,
    aliases: rule.name === 'sum_map' ? ['sum_mapped_arrays'] : [],
    category: 'aggregate',
    arity: [1, 2],
    syntax: `${rule.name}(map), ${rule.name}(keys, values)`,
    doc: rule.doc,
    examples: [[`${rule.name}(map('a', 5))`, "{'a':5}"]],
    type: (args) => {
      const [key, value] = mapParts(rule.name, args);
      if (!isNumber(value) || value.kind === 'nullable')
        throw new SluiceError('ILLEGAL_TYPE_OF_ARGUMENT', `The values given to ${rule.name} must be numbers`);
      const result = rule.valueType(value);
      return args.length === 1 ? mapOf(key, result) : tupleOf([arrayOf(key), arrayOf(result)]);
    },
    state: (args) => {
      const [, value] = mapParts(rule.name, args);
      const combine = rule.combine(rule.valueType(value));
      const add = (state: MapTotals, key: unknown, number: Number64): void => {
        const text = setKey(key);
        const known = state.totals.get(text);
        if (known === undefined) state.totals.set(text, [key, number]);
        else known[1] = combine(known[1], number);
      };
      const asArrays = args.length === 2;
      return {
        kind: 'object',
        create: (): MapTotals => ({ totals: new Map() }),
        add: (state: MapTotals, first: readonly unknown[], second?: readonly Number64[]) => {
          if (second === undefined) {
            for (const pair of first as readonly (readonly [unknown, Number64])[])
              add(state, pair[0], pair[1]);
            return;
          }
          if (first.length !== second.length)
            throw new SluiceError(
              'SIZES_OF_ARRAYS_DONT_MATCH',
              `The arrays given to ${rule.name} differ in size`,
            );
          for (const [index, key] of first.entries()) add(state, key, second[index]!);
        },
        merge: (into: MapTotals, from: MapTotals) => {
          for (const [key, number] of from.totals.values()) add(into, key, number);
        },
        result: (state: MapTotals) => {
          const pairs = [...state.totals.values()].sort((left, right) => compareValues(left[0], right[0]));
          if (!asArrays) return pairs.map((pair) => [...pair]);
          // ClickHouse leaves keys whose sum is 0 out of this form.
          const kept =
            rule.name === 'sum_map' ? pairs.filter((pair) => pair[1] !== 0 && pair[1] !== 0n) : pairs;
          return [kept.map((pair) => pair[0]), kept.map((pair) => pair[1])];
        },
        save: (state: MapTotals) => [...state.totals.values()],
        load: (saved: [unknown, Number64][]): MapTotals => ({
          totals: new Map(saved.map((pair) => [setKey(pair[0]), pair])),
        }),
      };
    },
  };
}

export const sumAggregates: readonly AggregateFunction[] = [
  sumKahan,
  sumWithOverflow,
  sumCount,
  bitAggregate(
    'group_bit_and',
    'The bits that are 1 in every integer.',
    true,
    (left, right) => left & right,
    (left, right) => left & right,
  ),
  bitAggregate(
    'group_bit_or',
    'The bits that are 1 in some integer.',
    false,
    (left, right) => left | right,
    (left, right) => left | right,
  ),
  bitAggregate(
    'group_bit_xor',
    'The bits that are 1 in an odd number of integers.',
    false,
    (left, right) => left ^ right,
    (left, right) => left ^ right,
  ),
  deltaSum,
  mapAggregate({
    name: 'sum_map',
    doc: 'The sums of the values of each key.',
    valueType: sumType,
    combine: adder,
  }),
  mapAggregate({
    name: 'min_map',
    doc: 'The least value of each key.',
    valueType: (type) => type,
    combine: () => (left, right) => (compareValues(right, left) < 0 ? right : left),
  }),
  mapAggregate({
    name: 'max_map',
    doc: 'The greatest value of each key.',
    valueType: (type) => type,
    combine: () => (left, right) => (compareValues(right, left) > 0 ? right : left),
  }),
];
