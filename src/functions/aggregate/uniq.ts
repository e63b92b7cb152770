import { SluiceError } from '../../base/index.ts';
import { setKey } from '../../runtime/index.ts';
import { representation, types } from '../../types/index.ts';
import type { AggregateFunction, Argument, ObjectState } from '../definition.ts';
import { addToRegisters, estimate, mergeRegisters, registerCount } from './hyper-log-log.ts';

type Key = number | string;

/** A function that makes one key of a row's arguments: equal keys for equal values, plain data of any codec. */
function keyMaker(args: readonly Argument[]): (...values: unknown[]) => Key {
  const [only] = args;
  if (args.length > 1) return (...values) => setKey(values) as string;
  switch (representation(only!.type)) {
    case 'number':
    case 'string':
      return (value) => value as Key;
    case 'object':
      return (value) => setKey(value) as string;
    default:
      // Integers beyond the exact range of doubles are told apart by their digits.
      return (value) => (typeof value === 'bigint' ? value.toString(36) : (value as number));
  }
}

interface ExactState {
  readonly values: Set<Key>;
}

function exactState(args: readonly Argument[], most = Number.POSITIVE_INFINITY): ObjectState {
  const key = keyMaker(args);
  const add = (state: ExactState, value: Key): void => {
    if (state.values.size <= most) state.values.add(value);
  };
  return {
    kind: 'object',
    create: (): ExactState => ({ values: new Set() }),
    add: (state: ExactState, ...values: unknown[]) => add(state, key(...values)),
    merge: (into: ExactState, from: ExactState) => {
      for (const value of from.values) add(into, value);
    },
    result: (state: ExactState) => Math.min(state.values.size, most + 1),
    save: (state: ExactState) => [...state.values],
    load: (saved: Key[]): ExactState => ({ values: new Set(saved) }),
  };
}

/** Up to so many different values are counted exactly, more are estimated. */
const exactValuesMax = 65_536;

interface UniqState {
  /** The values, as long as there are few. */
  values: Set<Key> | undefined;
  registers: Uint8Array | undefined;
}

function addKey(state: UniqState, key: Key): void {
  if (state.registers !== undefined) {
    addToRegisters(state.registers, key);
    return;
  }
  const values = state.values!;
  values.add(key);
  if (values.size <= exactValuesMax) return;
  state.registers = new Uint8Array(registerCount);
  for (const value of values) addToRegisters(state.registers, value);
  state.values = undefined;
}

function uniqState(args: readonly Argument[]): ObjectState {
  const key = keyMaker(args);
  return {
    kind: 'object',
    create: (): UniqState => ({ values: new Set(), registers: undefined }),
    add: (state: UniqState, ...values: unknown[]) => addKey(state, key(...values)),
    merge: (into: UniqState, from: UniqState) => {
      if (from.values !== undefined) {
        for (const value of from.values) addKey(into, value);
        return;
      }
      if (into.registers === undefined) {
        const before = into.values!;
        into.registers = new Uint8Array(registerCount);
        into.values = undefined;
        for (const value of before) addToRegisters(into.registers, value);
      }
      mergeRegisters(into.registers, from.registers!);
    },
    result: (state: UniqState) => state.values?.size ?? estimate(state.registers!),
    save: (state: UniqState) => ({ values: state.values && [...state.values], registers: state.registers }),
    load: (saved: { values: Key[] | undefined; registers: Uint8Array | undefined }): UniqState => ({
      values: saved.values && new Set(saved.values),
      registers: saved.registers && Uint8Array.from(saved.registers),
    }),
  };
}

const many = Number.POSITIVE_INFINITY;

const uniqExact: AggregateFunction = {
  kind: 'aggregate',
  name: 'uniq_exact',
  aliases: ['unique_exact', 'count_distinct'],
  category: 'aggregate',
  arity: [1, many],
  nulls: 'count',
  syntax: 'uniq_exact(x, ...)',
  doc: 'Number of different values, or of different tuples of values; rows with a NULL are left out.',
  examples: [
    ['uniq_exact(5)', '1'],
    ['count(DISTINCT 5)', '1'],
  ],
  type: () => types.uint64,
  state: (args) => exactState(args),
};

const uniq: AggregateFunction = {
  kind: 'aggregate',
  name: 'uniq',
  aliases: [
    'unique',
    'uniq_hll12',
    'unique_hll12',
    'uniq_combined',
    'unique_combined',
    'uniq_combined64',
    'unique_combined64',
    'uniq_theta',
    'unique_theta',
    'approx_count_distinct',
    'approx_distinct',
  ],
  category: 'aggregate',
  arity: [1, many],
  parameters: [0, 1],
  nulls: 'count',
  syntax: 'uniq(x, ...)',
  doc: 'Number of different values: exact up to 65,536 of them, beyond that an estimate with a standard error of 0.8 %.',
  examples: [['uniq(5)', '1']],
  type: () => types.uint64,
  state: uniqState,
};

const uniqUpTo: AggregateFunction = {
  kind: 'aggregate',
  name: 'uniq_up_to',
  aliases: ['unique_up_to'],
  category: 'aggregate',
  arity: [1, many],
  parameters: [1, 1],
  nulls: 'count',
  syntax: 'uniq_up_to(n)(x)',
  doc: 'Number of different values if there are at most n, else n + 1.',
  examples: [['uniq_up_to(3)(5)', '1']],
  type: (_, parameters) => {
    const most = Number(parameters[0]);
    if (!(most >= 1 && most <= 255))
      throw new SluiceError(
        'ARGUMENT_OUT_OF_BOUND',
        `The limit of uniq_up_to must be from 1 to 255, not ${most}`,
      );
    return types.uint64;
  },
  state: (args, parameters) => exactState(args, Number(parameters[0])),
};

export const uniqAggregates: readonly AggregateFunction[] = [uniqExact, uniq, uniqUpTo];
