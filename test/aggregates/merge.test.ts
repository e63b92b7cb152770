import test from 'ava';
import { accumulator } from '../../src/functions/aggregate/index.ts';
import { type AggregateFunction, type Argument, functions } from '../../src/functions/index.ts';
import { arrayOf, decimal, mapOf, type SqlType, types } from '../../src/types/index.ts';
import { randomNumbers } from '../support/random.ts';

interface Signature {
  readonly args: readonly SqlType[];
  readonly parameters?: readonly unknown[];
  /** Constant values of arguments, by their position. */
  readonly constants?: Readonly<Record<number, unknown>>;
  /** What is compared of two results; the results themselves, floats within a tolerance, when absent. */
  readonly compare?: 'nothing' | 'unordered' | 'membership';
}

const { int32, uint8, int64, float64, string } = types;
const integers: readonly Signature[] = [{ args: [int32] }, { args: [int64] }, { args: [uint8] }];
const numbers: readonly Signature[] = [...integers, { args: [float64] }, { args: [decimal(9, 2)] }];
const anything: readonly Signature[] = [...numbers, { args: [string] }, { args: [arrayOf(uint8)] }];

function withParameters(signatures: readonly Signature[], ...parameters: unknown[]): readonly Signature[] {
  return signatures.map((signature) => ({ ...signature, parameters }));
}

const maps: readonly Signature[] = [{ args: [mapOf(uint8, int64)] }];

/** How each aggregate function is tried; every function of the registry must be here. */
const signatures: Readonly<Record<string, readonly Signature[]>> = {
  count: [{ args: [] }, ...integers],
  sum: numbers,
  avg: numbers,
  min: anything,
  max: anything,
  any: anything,
  any_last: anything,
  arg_min: [{ args: [string, int32] }, { args: [int64, float64] }, { args: [float64, string] }],
  arg_max: [{ args: [string, int32] }, { args: [int64, float64] }, { args: [uint8, arrayOf(uint8)] }],
  uniq_exact: [...anything, { args: [int32, string] }],
  uniq: anything,
  uniq_up_to: withParameters(anything, 5),
  var_pop: numbers,
  var_samp: numbers,
  stddev_pop: numbers,
  stddev_samp: numbers,
  skew_pop: numbers,
  skew_samp: numbers,
  kurt_pop: numbers,
  kurt_samp: numbers,
  covar_pop: [{ args: [float64, int32] }],
  covar_samp: [{ args: [float64, int32] }],
  corr: [{ args: [float64, int32] }],
  simple_linear_regression: [{ args: [float64, int32] }],
  avg_weighted: [{ args: [float64, uint8] }],
  quantile: numbers,
  quantiles: withParameters(numbers, 0.1, 0.5, 0.9),
  median: numbers,
  quantile_exact: numbers,
  quantiles_exact: withParameters(numbers, 0.1, 0.9),
  median_exact: numbers,
  quantile_exact_low: numbers,
  quantiles_exact_low: withParameters(numbers, 0.5),
  median_exact_low: numbers,
  quantile_exact_high: numbers,
  quantiles_exact_high: withParameters(numbers, 0.5),
  median_exact_high: numbers,
  p50: numbers,
  p75: numbers,
  p90: numbers,
  p95: numbers,
  p99: numbers,
  group_array: [...anything, ...withParameters(anything, 7)],
  group_array_last: withParameters(anything, 7),
  group_uniq_array: anything,
  group_array_sorted: withParameters(anything, 7),
  group_array_sample: withParameters([{ args: [int32], compare: 'nothing' }], 7),
  group_concat: withParameters(anything, ','),
  top_k: withParameters([{ args: [uint8], compare: 'membership' }], 3),
  top_k_weighted: withParameters([{ args: [string, uint8], compare: 'membership' }], 3),
  entropy: [{ args: [uint8] }, { args: [string] }],
  any_heavy: [{ args: [uint8], compare: 'nothing' }],
  min_k: [
    ...withParameters([{ args: [int32] }, { args: [string] }], 4),
    { args: [int32, uint8, string], constants: { 1: 3 } },
  ],
  max_k: [
    ...withParameters([{ args: [int32] }, { args: [string] }], 4),
    { args: [int32, uint8, string], constants: { 1: 3 } },
  ],
  sum_kahan: [{ args: [float64] }],
  sum_with_overflow: integers,
  sum_count: numbers,
  group_bit_and: integers,
  group_bit_or: integers,
  group_bit_xor: integers,
  delta_sum: numbers,
  sum_map: maps,
  min_map: maps,
  max_map: maps,
  group_array_moving_sum: withParameters(numbers, 4),
  group_array_moving_avg: withParameters(numbers, 4),
  retention: [{ args: [types.bool, types.bool, types.bool] }],
  window_funnel: withParameters([{ args: [types.uint32, types.bool, types.bool] }], 100),
  largest_triangle_three_buckets: withParameters([{ args: [int32, float64] }], 5),
  avg_time_weighted: [{ args: [float64, types.datetime], compare: 'nothing' }],
  median_time_weighted: [{ args: [float64, types.datetime], compare: 'nothing' }],
  xirr: [{ args: [float64, types.date], compare: 'nothing' }],
  histogram: withParameters([{ args: [float64], compare: 'nothing' }], 5),
};

type Random = () => number;

/** A random canonical value of a type. */
function randomValue(type: SqlType, random: Random): unknown {
  switch (type.kind) {
    case 'bool':
      return random() < 0.3 ? 1 : 0;
    case 'int': {
      const spread = type.bits === 8 ? 20 : type.bits === 32 ? 2_000 : 2 ** 50;
      return Math.floor(random() * spread) - (type.signed ? spread / 2 : 0);
    }
    case 'float':
      return (random() - 0.5) * 100;
    case 'decimal':
      return Math.floor((random() - 0.5) * 100_000);
    case 'string':
      return `text ${Math.floor(random() * 30)}`;
    case 'date':
    case 'datetime':
      return 1_700_000_000 + Math.floor(random() * 10_000);
    case 'array':
      return Array.from({ length: Math.floor(random() * 4) }, () => randomValue(type.element, random));
    case 'map':
      return Array.from({ length: 3 }, (_, index) => [
        index + Math.floor(random() * 3),
        randomValue(type.value, random),
      ]);
    default:
      throw new Error(`no random values of ${type.kind}`);
  }
}

function alike(left: unknown, right: unknown): boolean {
  if (typeof left === 'number' && typeof right === 'number' && left !== right) {
    if (Number.isNaN(left) && Number.isNaN(right)) return true;
    return Math.abs(left - right) <= 1e-9 * Math.max(1, Math.abs(left), Math.abs(right));
  }
  if (Array.isArray(left) && Array.isArray(right))
    return left.length === right.length && left.every((value, index) => alike(value, right[index]));
  return left === right;
}

function argumentsOf(signature: Signature): readonly Argument[] {
  return signature.args.map((type, index) => ({
    type,
    constant: signature.constants?.[index] === undefined ? undefined : { value: signature.constants[index] },
    lambda: undefined,
  }));
}

function agree(signature: Signature, whole: unknown, merged: unknown): boolean {
  switch (signature.compare) {
    case 'nothing':
      return true;
    case 'membership':
      return (whole as unknown[]).length === (merged as unknown[]).length;
    default:
      return alike(whole, merged);
  }
}

/** The result in one pass, and of the rows cut into parts that are merged, states being carried over as data. */
function check(
  definition: AggregateFunction,
  signature: Signature,
  random: Random,
): readonly [unknown, unknown] {
  const args = argumentsOf(signature);
  const parameters = signature.parameters ?? [];
  const run = accumulator(definition, args, parameters);
  const type = definition.type(args, parameters);
  const described = definition.state(args, parameters, type);
  const rows = Array.from({ length: Math.floor(random() * 200) }, () =>
    signature.args.map((argument, index) => signature.constants?.[index] ?? randomValue(argument, random)),
  );
  const whole = run.create();
  for (const row of rows) run.add(whole, row);
  const merged = run.create();
  for (let start = 0; start < rows.length; ) {
    const end = start + Math.floor(random() * 60);
    let part = run.create();
    for (const row of rows.slice(start, end)) run.add(part, row);
    if (described.kind === 'object') {
      const saved = described.save === undefined ? part : described.save(part as never);
      const copy = structuredClone(saved);
      part = described.load === undefined ? copy : described.load(copy as never);
    }
    run.merge(merged, part);
    start = end;
  }
  return [run.result(whole), run.result(merged)];
}

const aggregates = functions.definitions.filter((definition) => definition.kind === 'aggregate');

for (const definition of aggregates) {
  test(`${definition.name}: states that are merged give what one pass gives`, (t) => {
    const list = signatures[definition.name];
    if (list === undefined) {
      t.fail(`${definition.name} is not tried: add it to the signatures`);
      return;
    }
    for (const [index, signature] of list.entries()) {
      const random = randomNumbers(index + 1);
      for (let round = 0; round < 5; round++) {
        const [whole, merged] = check(definition, signature, random);
        t.true(
          agree(signature, whole, merged),
          `${JSON.stringify(signature.args)}: ${show(whole)} and ${show(merged)}`,
        );
      }
    }
  });
}

function show(value: unknown): string {
  return JSON.stringify(value, (_, inner) => (typeof inner === 'bigint' ? `${inner}n` : inner));
}
