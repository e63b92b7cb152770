import { SluiceError } from '../../base/index.ts';
import { compareValues, setKey } from '../../runtime/index.ts';
import { arrayOf, defaultValue, representation, type SqlType, tupleOf, types } from '../../types/index.ts';
import type { AggregateFunction, Argument, ObjectState } from '../definition.ts';
import { leastState } from './collections.ts';
import { sizeOf } from './parameters.ts';

/** So many different values are counted exactly; beyond that the rarest half of them is forgotten. */
const countedMax = 131_072;

interface Counted {
  readonly value: unknown;
  count: number;
}

interface Counts {
  counts: Map<unknown, Counted>;
}

function keyOf(type: SqlType): (value: unknown) => unknown {
  return representation(type) === 'object' ? setKey : (value) => value;
}

function byCount(left: Counted, right: Counted): number {
  return right.count - left.count;
}

function count(state: Counts, key: unknown, value: unknown, weight: number): void {
  const known = state.counts.get(key);
  if (known !== undefined) {
    known.count += weight;
    return;
  }
  state.counts.set(key, { value, count: weight });
  if (state.counts.size <= countedMax) return;
  const kept = [...state.counts].sort((left, right) => byCount(left[1], right[1])).slice(0, countedMax / 2);
  state.counts = new Map(kept);
}

function countsState(
  key: (value: unknown) => unknown,
  weightOf: ((given: readonly unknown[]) => number) | undefined,
  result: (counted: Iterable<Counted>) => unknown,
): ObjectState {
  return {
    kind: 'object',
    create: (): Counts => ({ counts: new Map() }),
    add: (state: Counts, value: unknown, ...rest: unknown[]) =>
      count(state, key(value), value, weightOf === undefined ? 1 : weightOf(rest)),
    merge: (into: Counts, from: Counts) => {
      for (const [text, { value, count: weight }] of from.counts) count(into, text, value, weight);
    },
    result: (state: Counts) => result(state.counts.values()),
    save: (state: Counts) => [...state.counts.values()].map((each) => [each.value, each.count]),
    load: (saved: readonly (readonly [unknown, number])[]): Counts => ({
      counts: new Map(saved.map(([value, weight]) => [key(value), { value, count: weight }])),
    }),
  };
}

/** Whether the result tells how often each value is there: on request, and as a rule in the form `top_k(x, n)`. */
function withCounts(args: readonly Argument[], parameters: readonly unknown[], position: number): boolean {
  if (parameters.length > 0) return parameters[2] === 'counts';
  const wanted = args[position + 1];
  return args.length > position && (wanted?.constant === undefined || Boolean(wanted.constant.value));
}

function topK(name: string, aliases: readonly string[], weighted: boolean): AggregateFunction {
  const position = weighted ? 2 : 1;
  const column = weighted ? 'x, weight' : 'x';
  return {
    kind: 'aggregate',
    name,
    aliases,
    category: 'aggregate',
    arity: [position, position + 2],
    parameters: [0, 3],
    syntax: `${name}(n)(${column}), ${name}(${column}, n[, with_counts])`,
    doc: `The n most frequent values${weighted ? ', each row counting as often as its weight says' : ''}, the most frequent first; in the second form as tuples of value and count unless with_counts is false. Exact up to 131,072 different values.`,
    examples: [
      [`${name}(2)(${weighted ? '5, 1' : '5'})`, '[5]'],
      [`${name}(${weighted ? '5, 1' : '5'}, 2)`, '[(5,1)]'],
    ],
    type: (args, parameters) => {
      sizeOf(name, args, parameters, position, 10);
      const { type } = args[0]!;
      return arrayOf(withCounts(args, parameters, position) ? tupleOf([type, types.uint64]) : type);
    },
    state: (args, parameters) => {
      const size = sizeOf(name, args, parameters, position, 10);
      const counts = withCounts(args, parameters, position);
      return countsState(
        keyOf(args[0]!.type),
        weighted ? ([weight]) => Number(weight) : undefined,
        (counted) => {
          const top = [...counted].sort(byCount).slice(0, size);
          return top.map((each) => (counts ? [each.value, each.count] : each.value));
        },
      );
    },
  };
}

const entropy: AggregateFunction = {
  kind: 'aggregate',
  name: 'entropy',
  category: 'aggregate',
  arity: [1, 1],
  syntax: 'entropy(x)',
  doc: "Shannon's entropy of the values in bits.",
  examples: [['entropy(5)', '0']],
  type: () => types.float64,
  state: (args) =>
    countsState(keyOf(args[0]!.type), undefined, (counted) => {
      const counts = Array.from(counted, (each) => each.count);
      const total = counts.reduce((sum, each) => sum + each, 0);
      let bits = 0;
      for (const each of counts) bits -= (each / total) * Math.log2(each / total);
      return bits + 0;
    }),
};

interface Majority {
  value: unknown;
  votes: number;
}

function vote(state: Majority, value: unknown, votes: number): void {
  if (state.votes > 0 && compareValues(state.value, value) === 0) state.votes += votes;
  else if (state.votes >= votes) state.votes -= votes;
  else {
    state.votes = votes - state.votes;
    state.value = value;
  }
}

const anyHeavy: AggregateFunction = {
  kind: 'aggregate',
  name: 'any_heavy',
  category: 'aggregate',
  arity: [1, 1],
  syntax: 'any_heavy(x)',
  doc: 'The value that more than half of the rows have; any one where there is no such value.',
  examples: [['any_heavy(5)', '5']],
  type: (args) => args[0]!.type,
  state: (args) => ({
    kind: 'object',
    create: (): Majority => ({ value: undefined, votes: 0 }),
    add: (state: Majority, value: unknown) => vote(state, value, 1),
    merge: (into: Majority, from: Majority) => {
      if (from.votes > 0) vote(into, from.value, from.votes);
    },
    result: (state: Majority) => state.value ?? defaultValue(args[0]!.type),
  }),
};

/** `min_k(x, n)` and `max_k(x, n)`, with further columns of the same rows when they are given. */
function extremes(name: 'min_k' | 'max_k', sign: 1 | -1): AggregateFunction {
  const which = sign === 1 ? 'least' : 'greatest';
  const order = (left: unknown, right: unknown) => compareValues(left, right) * sign;
  const hasContext = (args: readonly Argument[], parameters: readonly unknown[]) =>
    args.length > (parameters.length > 0 ? 1 : 2);
  const columns = (args: readonly Argument[], parameters: readonly unknown[]) =>
    parameters.length > 0 ? args : args.filter((_, index) => index !== 1);
  return {
    kind: 'aggregate',
    name,
    category: 'aggregate',
    arity: [1, Number.POSITIVE_INFINITY],
    parameters: [0, 1],
    syntax: `${name}(x, n[, column, ...]), ${name}(n)(x)`,
    doc: `The n ${which} values in order; with further columns tuples of the value and what these hold in its row.`,
    examples: [
      [`${name}(5, 2)`, '[5]'],
      [`${name}(5, 2, 'a')`, "[(5,'a')]"],
    ],
    type: (args, parameters) => {
      sizeOf(name, args, parameters, 1, 10);
      if (args.length < 2 && parameters.length === 0)
        throw new SluiceError(
          'NUMBER_OF_ARGUMENTS_DOESNT_MATCH',
          `${name} needs a column and a number of values`,
        );
      const given = columns(args, parameters).map((argument) => argument.type);
      return arrayOf(hasContext(args, parameters) ? tupleOf(given) : args[0]!.type);
    },
    state: (args, parameters) => {
      const size = sizeOf(name, args, parameters, 1, 10);
      if (!hasContext(args, parameters)) {
        const state = leastState(size, order);
        const add = state.add as (list: unknown, value: unknown) => void;
        return { ...state, add: (list: unknown, value: unknown) => add(list, value) };
      }
      // Only the value decides: rows with equal values stay in the order in which they are met.
      const state = leastState(size, (left, right) => order((left as unknown[])[0], (right as unknown[])[0]));
      const add = state.add as (list: unknown, value: unknown) => void;
      const skip = parameters.length > 0 ? -1 : 1;
      return {
        ...state,
        add: (list: unknown, ...given: unknown[]) =>
          add(
            list,
            given.filter((_, index) => index !== skip),
          ),
      };
    },
  };
}

export const topValueAggregates: readonly AggregateFunction[] = [
  topK('top_k', ['top_k_exact', 'approx_top_k'], false),
  topK('top_k_weighted', ['top_k_exact_weighted'], true),
  entropy,
  anyHeavy,
  extremes('min_k', 1),
  extremes('max_k', -1),
];
