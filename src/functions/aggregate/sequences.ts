import { SluiceError } from '../../base/index.ts';
import {
  arrayOf,
  isDateOrTime,
  isInteger,
  isNumber,
  type SqlType,
  tupleOf,
  typeName,
  types,
} from '../../types/index.ts';
import type { AggregateFunction, Argument, ObjectState } from '../definition.ts';
import { sumOf } from '../scalar/higher-order.ts';
import { sumType } from './basic.ts';
import { requireNumbers } from './define.ts';
import { collectedMax, sizeOf, tooManyValues } from './parameters.ts';

/** A state that keeps every row, in the order in which they are met. */
function rowsState<Row>(
  name: string,
  row: (...values: never[]) => Row,
  result: (rows: readonly Row[]) => unknown,
): ObjectState {
  return {
    kind: 'object',
    create: (): Row[] => [],
    add: (rows: Row[], ...values: never[]) => {
      if (rows.length >= collectedMax) throw tooManyValues(name);
      rows.push(row(...values));
    },
    merge: (into: Row[], from: Row[]) => {
      if (into.length + from.length > collectedMax) throw tooManyValues(name);
      for (const each of from) into.push(each);
    },
    result: (rows: Row[]) => result(rows),
  };
}

function scaleOf(type: SqlType): number {
  return type.kind === 'decimal' ? 10 ** type.scale : 1;
}

/** Sums over a window that ends at each row; the whole way from the first row when no size is given. */
function moving(name: string, aliases: readonly string[], average: boolean): AggregateFunction {
  const what = average ? 'mean' : 'sum';
  return {
    kind: 'aggregate',
    name,
    aliases,
    category: 'aggregate',
    arity: [1, 2],
    parameters: [0, 1],
    syntax: `${name}([window])(x), ${name}(x[, window])`,
    doc: `For each row the ${what} of the values up to it${average ? ', divided by the size of the window' : ''}, or of as many as the window holds, as an array.`,
    examples: [[`${name}(5)`, '[5]']],
    type: (args, parameters) => {
      requireNumbers(name, args.slice(0, 1));
      sizeOf(name, args, parameters, 1, collectedMax);
      return arrayOf(average ? types.float64 : sumType(args[0]!.type));
    },
    state: (args, parameters, type) => {
      const size = sizeOf(name, args, parameters, 1, Number.POSITIVE_INFINITY);
      const { element } = type as SqlType & { kind: 'array' };
      const scale = scaleOf(args[0]!.type);
      return rowsState(
        name,
        (value: number | bigint) => value,
        (rows) => {
          if (average) return movingAverages(rows, size, scale);
          return movingSums(rows, size, element);
        },
      );
    },
  };
}

function movingSums(rows: readonly (number | bigint)[], size: number, type: SqlType): unknown[] {
  if (type.kind === 'float') {
    let sum = 0;
    return rows.map((value, index) => {
      sum += value as number;
      if (index >= size) sum -= rows[index - size] as number;
      return sum;
    });
  }
  let sum = 0n;
  return rows.map((value, index) => {
    sum += BigInt(value);
    if (index >= size) sum -= BigInt(rows[index - size]!);
    return sumOf([sum], type);
  });
}

function movingAverages(rows: readonly (number | bigint)[], size: number, scale: number): number[] {
  const window = Number.isFinite(size) ? size : rows.length;
  let sum = 0;
  return rows.map((value, index) => {
    sum += Number(value) / scale;
    if (index >= window) sum -= Number(rows[index - window]!) / scale;
    return sum / window;
  });
}

const retention: AggregateFunction = {
  kind: 'aggregate',
  name: 'retention',
  category: 'aggregate',
  arity: [1, 32],
  syntax: 'retention(condition, ...)',
  doc: 'An array of 0 and 1: whether the first condition held in some row, and for each further one whether it held, too.',
  examples: [['retention(1 = 1, 1 = 2)', '[1,0]']],
  type: (args) => {
    requireNumbers('retention', args);
    return arrayOf(types.uint8);
  },
  state: (args) => ({
    kind: 'object',
    create: (): number[] => args.map(() => 0),
    add: (marks: number[], ...values: unknown[]) => {
      for (const [index, value] of values.entries()) if (value) marks[index] = 1;
    },
    merge: (into: number[], from: number[]) => {
      for (const [index, mark] of from.entries()) if (mark === 1) into[index] = 1;
    },
    result: (marks: number[]) => marks.map((mark) => (marks[0] === 1 ? mark : 0)),
  }),
};

interface FunnelEvent {
  readonly time: number;
  /** The conditions that hold, numbered from 0. */
  readonly steps: readonly number[];
}

/** The most steps in a row, each later than (or at the time of) the one before and within the window of the first. */
function funnelDepth(events: readonly FunnelEvent[], window: number, steps: number): number {
  // For each step the latest possible start of a chain that has come so far.
  const starts: (number | undefined)[] = new Array(steps).fill(undefined);
  let deepest = 0;
  for (const event of events.toSorted((left, right) => left.time - right.time)) {
    for (const step of event.steps.toReversed()) {
      const start = step === 0 ? event.time : starts[step - 1];
      if (start === undefined || event.time > start + window) continue;
      starts[step] = start;
      deepest = Math.max(deepest, step + 1);
    }
  }
  return deepest;
}

const windowFunnel: AggregateFunction = {
  kind: 'aggregate',
  name: 'window_funnel',
  category: 'aggregate',
  arity: [2, 33],
  parameters: [1, 1],
  syntax: 'window_funnel(window)(time, condition, ...)',
  doc: 'How many of the conditions held one after the other, in their order, within a window of time after the first.',
  examples: [['window_funnel(10)(to_uint32(5), 1 = 1, 1 = 2)', '1']],
  type: (args, parameters) => {
    const { type } = args[0]!;
    if (!isInteger(type) && !isDateOrTime(type))
      throw new SluiceError(
        'ILLEGAL_TYPE_OF_ARGUMENT',
        `The time given to window_funnel is ${typeName(type)}`,
      );
    requireNumbers('window_funnel', args.slice(1));
    if (!(Number(parameters[0]) >= 0))
      throw new SluiceError('BAD_ARGUMENTS', 'The window of window_funnel must be a number of 0 or more');
    return types.uint8;
  },
  state: (args, parameters) =>
    rowsState(
      'window_funnel',
      (time: number | bigint, ...conditions: unknown[]): FunnelEvent => ({
        time: Number(time),
        steps: conditions.flatMap((holds, index) => (holds ? [index] : [])),
      }),
      (events) => funnelDepth(events, Number(parameters[0]), args.length - 1),
    ),
};

type Point = readonly [x: number, y: number];

/** Largest Triangle Three Buckets: the points that shape a curve most. */
function thinned(points: readonly Point[], size: number): readonly Point[] {
  const sorted = points.toSorted((left, right) => left[0] - right[0]);
  if (sorted.length <= size) return sorted;
  if (size === 1) return [sorted[0]!];
  if (size === 2) return [sorted[0]!, sorted.at(-1)!];
  const step = (sorted.length - 2) / (size - 2);
  const kept: Point[] = [sorted[0]!];
  let last = sorted[0]!;
  for (let bucket = 0; bucket < size - 2; bucket++) {
    const [start, end] = [Math.floor(bucket * step) + 1, Math.floor((bucket + 1) * step) + 1];
    const next = sorted.slice(end, Math.min(sorted.length, Math.floor((bucket + 2) * step) + 1));
    const following = next.length === 0 ? [sorted.at(-1)!] : next;
    const meanX = following.reduce((sum, point) => sum + point[0], 0) / following.length;
    const meanY = following.reduce((sum, point) => sum + point[1], 0) / following.length;
    let best = sorted[start]!;
    let bestArea = -1;
    for (const point of sorted.slice(start, end)) {
      const area = Math.abs(
        (last[0] - meanX) * (point[1] - last[1]) - (last[0] - point[0]) * (meanY - last[1]),
      );
      if (area > bestArea) [best, bestArea] = [point, area];
    }
    kept.push(best);
    last = best;
  }
  return [...kept, sorted.at(-1)!];
}

const lttb: AggregateFunction = {
  kind: 'aggregate',
  name: 'largest_triangle_three_buckets',
  aliases: ['lttb'],
  category: 'aggregate',
  arity: [2, 3],
  parameters: [0, 1],
  syntax: 'largest_triangle_three_buckets(n)(x, y)',
  doc: 'The n points that show the shape of a curve best, as tuples in ascending order of x.',
  examples: [['largest_triangle_three_buckets(3)(1, 2)', '[(1,2)]']],
  type: (args, parameters) => {
    sizeOf('largest_triangle_three_buckets', args, parameters, 2, 1_000);
    return arrayOf(tupleOf(args.slice(0, 2).map((argument) => pointType(argument))));
  },
  state: (args, parameters) => {
    const size = sizeOf('largest_triangle_three_buckets', args, parameters, 2, 1_000);
    return rowsState(
      'largest_triangle_three_buckets',
      (x: number | bigint, y: number | bigint): Point => [Number(x), Number(y)],
      (points) => thinned(points, size).map((point) => [...point]),
    );
  },
};

function pointType({ type }: Argument): SqlType {
  if (isDateOrTime(type)) return type;
  if (!isNumber(type) || type.kind === 'decimal')
    throw new SluiceError(
      'ILLEGAL_TYPE_OF_ARGUMENT',
      `Illegal type ${typeName(type)} of a coordinate: expected a number, a date or a time`,
    );
  return types.float64;
}

/** Mean or median of values, each weighing as much as the time until the next one. */
function timeWeighted(name: string, median: boolean): AggregateFunction {
  return {
    kind: 'aggregate',
    name,
    category: 'aggregate',
    arity: [2, 2],
    syntax: `${name}(x, time)`,
    doc: `The ${median ? 'median' : 'mean'} of values that each hold from their time until that of the next row; the last row only ends the time before it.`,
    examples: [[`${name}(5, to_datetime('2024-01-01 00:00:00'))`, '5']],
    type: (args) => {
      requireNumbers(name, args.slice(0, 1));
      if (!isDateOrTime(args[1]!.type) && !isNumber(args[1]!.type))
        throw new SluiceError(
          'ILLEGAL_TYPE_OF_ARGUMENT',
          `The time given to ${name} is ${typeName(args[1]!.type)}`,
        );
      return types.float64;
    },
    state: (args) => {
      const scale = scaleOf(args[0]!.type);
      return rowsState(
        name,
        (value: number | bigint, time: number | bigint): Point => [Number(time), Number(value) / scale],
        (rows) =>
          weighted(
            rows.toSorted((left, right) => left[0] - right[0]),
            median,
          ),
      );
    },
  };
}

function weighted(rows: readonly Point[], median: boolean): number {
  const spans = rows
    .slice(0, -1)
    .map((row, index) => ({ value: row[1], weight: rows[index + 1]![0] - row[0] }));
  const total = spans.reduce((sum, span) => sum + span.weight, 0);
  if (total === 0) return rows.at(-1)?.[1] ?? Number.NaN;
  if (!median) return spans.reduce((sum, span) => sum + span.value * span.weight, 0) / total;
  let passed = 0;
  for (const span of spans.toSorted((left, right) => left.value - right.value)) {
    passed += span.weight;
    if (passed >= total / 2) return span.value;
  }
  return Number.NaN;
}

interface Bin {
  mean: number;
  weight: number;
}

/** Joins the two nearest bins until there are few enough. */
function compress(bins: Bin[], most: number): void {
  bins.sort((left, right) => left.mean - right.mean);
  while (bins.length > most) {
    let nearest = 0;
    for (let index = 1; index + 1 < bins.length; index++)
      if (bins[index + 1]!.mean - bins[index]!.mean < bins[nearest + 1]!.mean - bins[nearest]!.mean)
        nearest = index;
    const [left, right] = [bins[nearest]!, bins[nearest + 1]!];
    const weight = left.weight + right.weight;
    bins.splice(nearest, 2, { mean: (left.mean * left.weight + right.mean * right.weight) / weight, weight });
  }
}

interface Bins {
  readonly bins: Bin[];
  least: number;
  most: number;
}

const histogram: AggregateFunction = {
  kind: 'aggregate',
  name: 'histogram',
  category: 'aggregate',
  arity: [1, 2],
  parameters: [0, 1],
  syntax: 'histogram(bins)(x), histogram(x, bins)',
  doc: 'An adaptive histogram: tuples of lower border, upper border and number of values.',
  examples: [['histogram(2)(5)', '[(5,5,1)]']],
  type: (args, parameters) => {
    requireNumbers('histogram', args.slice(0, 1));
    if (sizeOf('histogram', args, parameters, 1, 10) > 250)
      throw new SluiceError('ARGUMENT_OUT_OF_BOUND', 'A histogram has at most 250 bins');
    return arrayOf(tupleOf([types.float64, types.float64, types.float64]));
  },
  state: (args, parameters) => {
    const size = sizeOf('histogram', args, parameters, 1, 10);
    const scale = scaleOf(args[0]!.type);
    const widen = (state: Bins, least: number, most: number): void => {
      state.least = Math.min(state.least, least);
      state.most = Math.max(state.most, most);
      if (state.bins.length >= size * 4) compress(state.bins, size * 2);
    };
    return {
      kind: 'object',
      create: (): Bins => ({ bins: [], least: Number.POSITIVE_INFINITY, most: Number.NEGATIVE_INFINITY }),
      add: (state: Bins, value: number | bigint) => {
        const mean = Number(value) / scale;
        if (Number.isNaN(mean)) return;
        state.bins.push({ mean, weight: 1 });
        widen(state, mean, mean);
      },
      merge: (into: Bins, from: Bins) => {
        for (const bin of from.bins) into.bins.push({ ...bin });
        widen(into, from.least, from.most);
      },
      result: (state: Bins) => {
        const bins = state.bins.map((bin) => ({ ...bin }));
        compress(bins, size);
        return bins.map((bin, index) => [
          index === 0 ? state.least : (bins[index - 1]!.mean + bin.mean) / 2,
          index === bins.length - 1 ? state.most : (bin.mean + bins[index + 1]!.mean) / 2,
          bin.weight,
        ]);
      },
    };
  },
};

/** The yearly rate at which payments on given days are worth nothing together; nan where none is found. */
function internalRate(rows: readonly Point[]): number {
  const start = rows[0]?.[0] ?? 0;
  const worth = (rate: number): number =>
    rows.reduce((sum, [day, payment]) => sum + payment / (1 + rate) ** ((day - start) / 365), 0);
  let [low, high] = [-0.999_999, 1];
  while (worth(low) * worth(high) > 0 && high < 1e6) high *= 2;
  if (!(worth(low) * worth(high) <= 0)) return Number.NaN;
  for (let step = 0; step < 200; step++) {
    const middle = (low + high) / 2;
    if (worth(low) * worth(middle) <= 0) high = middle;
    else low = middle;
  }
  return (low + high) / 2;
}

const xirr: AggregateFunction = {
  kind: 'aggregate',
  name: 'xirr',
  category: 'aggregate',
  arity: [2, 2],
  syntax: 'xirr(payment, date)',
  doc: 'Internal rate of return of payments on given days; the first row sets the day that the others are discounted to.',
  examples: [["xirr(5, to_date('2024-01-01'))", 'nan']],
  type: (args) => {
    requireNumbers('xirr', args.slice(0, 1));
    const { kind } = args[1]!.type;
    if (kind !== 'date' && kind !== 'date32')
      throw new SluiceError(
        'ILLEGAL_TYPE_OF_ARGUMENT',
        `The second argument of xirr is ${typeName(args[1]!.type)}: expected a date`,
      );
    return types.float64;
  },
  state: (args) => {
    const scale = scaleOf(args[0]!.type);
    return rowsState(
      'xirr',
      (payment: number | bigint, day: number): Point => [day, Number(payment) / scale],
      internalRate,
    );
  },
};

export const sequenceAggregates: readonly AggregateFunction[] = [
  moving('group_array_moving_sum', ['moving_sum'], false),
  moving('group_array_moving_avg', ['moving_avg'], true),
  retention,
  windowFunnel,
  lttb,
  timeWeighted('avg_time_weighted', false),
  timeWeighted('median_time_weighted', true),
  histogram,
  xirr,
];
