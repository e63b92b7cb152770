import { SluiceError } from '../../base/index.ts';
import { arrayOf, isDateOrTime, isNumber, type SqlType, typeName, types } from '../../types/index.ts';
import type { AggregateFunction, Argument, ObjectState } from '../definition.ts';

/** So many values are kept; of more, a random sample that is the same each time. */
const samplesMax = 8_192;

interface Reservoir {
  samples: number[];
  total: number;
  seed: number;
}

/** The next number of a linear congruential sequence, from 0 to below 1. */
function random(state: Reservoir): number {
  state.seed = (Math.imul(state.seed, 1_664_525) + 1_013_904_223) >>> 0;
  return state.seed / 4_294_967_296;
}

function sample(state: Reservoir, value: number): void {
  state.total++;
  if (state.samples.length < samplesMax) {
    state.samples.push(value);
    return;
  }
  const place = Math.floor(random(state) * state.total);
  if (place < samplesMax) state.samples[place] = value;
}

/** Two samples made one: each value stands for as many as its reservoir has seen for each that it kept. */
function mergeReservoirs(into: Reservoir, from: Reservoir): void {
  if (into.samples.length + from.samples.length <= samplesMax) {
    into.samples.push(...from.samples);
    into.total += from.total;
    return;
  }
  const [left, right] = [[...into.samples], [...from.samples]];
  const total = into.total + from.total;
  const take = (list: number[]): number => {
    const place = Math.floor(random(into) * list.length);
    const value = list[place]!;
    list[place] = list.at(-1)!;
    list.pop();
    return value;
  };
  const wanted = Math.min(samplesMax, Math.round((samplesMax * into.total) / total));
  const fromLeft = Math.min(left.length, Math.max(wanted, samplesMax - right.length));
  into.samples = [];
  while (into.samples.length < fromLeft) into.samples.push(take(left));
  while (into.samples.length < samplesMax && right.length > 0) into.samples.push(take(right));
  into.total = total;
}

function interpolated(sorted: readonly number[], level: number): number {
  if (sorted.length === 0) return Number.NaN;
  const place = Math.max(0, Math.min(sorted.length - 1, level * (sorted.length - 1)));
  const left = Math.floor(place);
  if (left + 1 >= sorted.length) return sorted[left]!;
  return sorted[left]! * (left + 1 - place) + sorted[left + 1]! * (place - left);
}

function ascending(values: Iterable<number>): number[] {
  return [...Float64Array.from(values).sort()];
}

/** Decimals and times are interpolated as the integers they are held as. */
function quantileType(name: string, args: readonly Argument[]): SqlType {
  const { type } = args[0]!;
  if (isDateOrTime(type) || type.kind === 'decimal') return type;
  if (!isNumber(type))
    throw new SluiceError(
      'ILLEGAL_TYPE_OF_ARGUMENT',
      `Illegal type ${typeName(type)} of argument for aggregate function ${name}: expected a number, a date or a time`,
    );
  return types.float64;
}

/** A quantile as a value of the result type. */
function finisher(type: SqlType): (value: number) => unknown {
  if (type.kind === 'float') return (value) => value;
  const wide = type.kind === 'decimal' && type.precision > 18;
  return (value) => {
    const whole = Number.isNaN(value) ? 0 : Math.trunc(value);
    return wide ? BigInt(whole) : whole;
  };
}

function reservoirState(type: SqlType, levels: readonly number[], many: boolean): ObjectState {
  const element = type.kind === 'array' ? type.element : type;
  const finish = finisher(element);
  return {
    kind: 'object',
    create: (): Reservoir => ({ samples: [], total: 0, seed: 123_456_789 }),
    add: (state: Reservoir, value: number | bigint) => {
      const number = Number(value);
      if (!Number.isNaN(number)) sample(state, number);
    },
    merge: mergeReservoirs,
    result: (state: Reservoir) => {
      const sorted = ascending(state.samples);
      const results = levels.map((level) => finish(interpolated(sorted, level)));
      return many ? results : results[0];
    },
  };
}

type Value = number | bigint;

interface AllValues {
  readonly values: Value[];
}

/** Which of the sorted values a level stands for. */
type Picker = (size: number, level: number) => number;

const pickers = {
  exact: (size, level) => (level < 1 ? Math.floor(level * size) : size - 1),
  low: (size, level) => {
    if (level !== 0.5) return level < 1 ? Math.floor(level * size) : size - 1;
    return size % 2 === 1 ? Math.floor(size / 2) : size / 2 - 1;
  },
  high: (size, level) => (level < 1 ? Math.floor(level * size) : size - 1),
} as const satisfies Record<string, Picker>;

function exactState(type: SqlType, levels: readonly number[], many: boolean, pick: Picker): ObjectState {
  const element = type.kind === 'array' ? type.element : type;
  const empty = element.kind === 'float' ? Number.NaN : 0;
  return {
    kind: 'object',
    create: (): AllValues => ({ values: [] }),
    add: (state: AllValues, value: Value) => {
      if (!Number.isNaN(value)) state.values.push(value);
    },
    merge: (into: AllValues, from: AllValues) => {
      for (const value of from.values) into.values.push(value);
    },
    result: (state: AllValues) => {
      const sorted = state.values.toSorted((left, right) => (left < right ? -1 : left > right ? 1 : 0));
      const results = levels.map((level) =>
        sorted.length === 0 ? empty : sorted[pick(sorted.length, level)]!,
      );
      return many ? results : results[0];
    },
  };
}

function checkedLevel(name: string, level: unknown): number {
  const number = Number(level);
  if (!(number >= 0 && number <= 1))
    throw new SluiceError(
      'ARGUMENT_OUT_OF_BOUND',
      `The level of ${name} must be from 0 to 1, not ${String(level)}`,
    );
  return number;
}

/** The levels: parameters, or the constant after the column, or the usual one. */
function levelsOf(
  name: string,
  args: readonly Argument[],
  parameters: readonly unknown[],
  usual: number,
): number[] {
  if (parameters.length > 0) return parameters.map((level) => checkedLevel(name, level));
  if (args.length < 2) return [usual];
  const constant = args[1]!.constant;
  if (constant === undefined)
    throw new SluiceError('BAD_ARGUMENTS', `The level of ${name} must be a constant from 0 to 1`);
  return [checkedLevel(name, constant.value)];
}

interface QuantileKind {
  readonly suffix: string;
  readonly aliases: (stem: string) => readonly string[];
  readonly doc: string;
  readonly exact: Picker | undefined;
}

const kinds: readonly QuantileKind[] = [
  {
    suffix: '',
    aliases: (stem) => [`${stem}_t_digest`, `${stem}_timing`, `${stem}_b_float16`, `${stem}_gk`],
    doc: 'interpolated between the nearest values; exact up to 8,192 values, beyond that from a sample of as many',
    exact: undefined,
  },
  {
    suffix: '_exact',
    aliases: () => [],
    doc: 'as one of the values, from all of them',
    exact: pickers.exact,
  },
  {
    suffix: '_exact_low',
    aliases: () => [],
    doc: 'as one of the values, from all of them; of two in the middle the lower',
    exact: pickers.low,
  },
  {
    suffix: '_exact_high',
    aliases: () => [],
    doc: 'as one of the values, from all of them; of two in the middle the higher',
    exact: pickers.high,
  },
];

function exactType(name: string, args: readonly Argument[]): SqlType {
  quantileType(name, args);
  return args[0]!.type;
}

function quantileFamily(kind: QuantileKind): readonly AggregateFunction[] {
  const make = (stem: string, many: boolean, usual: number, what: string): AggregateFunction => {
    const name = `${stem}${kind.suffix}`;
    const element = (args: readonly Argument[]) =>
      kind.exact === undefined ? quantileType(name, args) : exactType(name, args);
    return {
      kind: 'aggregate',
      name,
      aliases: kind.aliases(stem),
      category: 'aggregate',
      arity: [1, many ? 1 : 2],
      parameters: [0, many ? Number.POSITIVE_INFINITY : 1],
      syntax: many ? `${name}(level, ...)(x)` : `${name}(level)(x), ${name}(x, level)`,
      doc: `${what}, ${kind.doc}.`,
      examples: [many ? [`${name}(0.5, 0.9)(5)`, '[5,5]'] : [`${name}(0.9)(5)`, '5']],
      type: (args, parameters) => {
        levelsOf(name, args, parameters, usual);
        return many ? arrayOf(element(args)) : element(args);
      },
      state: (args, parameters, type) => {
        const levels = levelsOf(name, args, parameters, usual);
        return kind.exact === undefined
          ? reservoirState(type, levels, many)
          : exactState(type, levels, many, kind.exact);
      },
    };
  };
  return [
    make(
      'quantile',
      false,
      0.5,
      'The value that a share (the level, 0.5 when not given) of the values lies below',
    ),
    make('quantiles', true, 0.5, 'The quantiles of several levels as an array'),
    make('median', false, 0.5, 'The value in the middle'),
  ];
}

function percentile(percent: number): AggregateFunction {
  const name = `p${percent}`;
  return {
    kind: 'aggregate',
    name,
    category: 'aggregate',
    arity: [1, 1],
    syntax: `${name}(x)`,
    doc: `The value that ${percent} % of the values lie below, as quantile(${percent / 100}) gives it.`,
    examples: [[`${name}(5)`, '5']],
    type: (args) => quantileType(name, args),
    state: (_, __, type) => reservoirState(type, [percent / 100], false),
  };
}

export const quantileAggregates: readonly AggregateFunction[] = [
  ...kinds.flatMap(quantileFamily),
  ...[50, 75, 90, 95, 99].map(percentile),
];
