import { js } from '../../code/index.ts';
import { types } from '../../types/index.ts';
import type { AggregateFunction, SlotState } from '../definition.ts';
import { doubleCode } from '../scalar/math.ts';
import { aggregateOfNumbers } from './define.ts';

const f64 = (name: string) => ({ name, kind: 'f64', initial: 0 }) as const;

type Moments = readonly [count: number, mean: number, second: number, third: number, fourth: number];

/** Count, mean and sums of powers of the distances from the mean, of two samples made one (Chan, Pébay). */
function mergeMoments(left: Moments, right: Moments): Moments {
  const [leftCount, leftMean, leftSecond, leftThird, leftFourth] = left;
  const [rightCount, rightMean, rightSecond, rightThird, rightFourth] = right;
  if (leftCount === 0) return right;
  if (rightCount === 0) return left;
  const count = leftCount + rightCount;
  const delta = rightMean - leftMean;
  const share = delta / count;
  const product = leftCount * rightCount;
  return [
    count,
    leftMean + share * rightCount,
    leftSecond + rightSecond + delta * share * product,
    leftThird +
      rightThird +
      delta * share * share * product * (leftCount - rightCount) +
      3 * share * (leftCount * rightSecond - rightCount * leftSecond),
    leftFourth +
      rightFourth +
      delta * share ** 3 * product * (leftCount ** 2 - product + rightCount ** 2) +
      6 * share ** 2 * (leftCount ** 2 * rightSecond + rightCount ** 2 * leftSecond) +
      4 * share * (leftCount * rightThird - rightCount * leftThird),
  ];
}

/** Welford's running variance; `finish` makes the result of the count and the sum of squared distances. */
function varianceState(finish: (count: number, squares: number) => number): SlotState {
  return {
    kind: 'slots',
    slots: [f64('count'), f64('mean'), f64('squares')],
    update: (emitter, [count, mean, squares], [value]) => {
      const x = emitter.constant('x', doubleCode(emitter, value!));
      const delta = emitter.constant('delta', js`${x} - ${mean!}`);
      emitter.statement(js`${count!}++;\n${mean!} += ${delta} / ${count!};`);
      emitter.statement(js`${squares!} += ${delta} * (${x} - ${mean!});`);
    },
    merge: (left, right) => {
      const widen = (slots: readonly unknown[]) =>
        [...(slots as readonly number[]), 0, 0] as unknown as Moments;
      return mergeMoments(widen(left), widen(right)).slice(0, 3);
    },
    result: (count: number, _mean: number, squares: number) => finish(count, squares),
  };
}

function varianceFunction(
  name: string,
  aliases: readonly string[],
  doc: string,
  example: string,
  finish: (count: number, squares: number) => number,
): AggregateFunction {
  const examples = [[`${name}(5)`, example]] as const;
  return aggregateOfNumbers(['x'], { name, aliases, doc, examples, state: () => varianceState(finish) });
}

/** The sums of third and fourth powers, too. */
function momentsState(finish: (moments: Moments) => number): SlotState {
  return {
    kind: 'slots',
    slots: [f64('count'), f64('mean'), f64('second'), f64('third'), f64('fourth')],
    update: (emitter, [count, mean, second, third, fourth], [value]) => {
      const delta = emitter.constant('delta', js`${doubleCode(emitter, value!)} - ${mean!}`);
      const before = emitter.constant('before', js`${count!}`);
      const share = emitter.constant('share', js`${delta} / (${before} + 1)`);
      const square = emitter.constant('square', js`${share} * ${share}`);
      const term = emitter.constant('term', js`${delta} * ${share} * ${before}`);
      emitter.statement(js`${count!} = ${before} + 1;\n${mean!} += ${share};`);
      emitter.statement(
        js`${fourth!} += ${term} * ${square} * (${count!} * ${count!} - 3 * ${count!} + 3) + 6 * ${square} * ${second!} - 4 * ${share} * ${third!};`,
      );
      emitter.statement(js`${third!} += ${term} * ${share} * (${count!} - 2) - 3 * ${share} * ${second!};`);
      emitter.statement(js`${second!} += ${term};`);
    },
    merge: (left, right) => [...mergeMoments(left as unknown as Moments, right as unknown as Moments)],
    result: (...moments: number[]) => finish(moments as unknown as Moments),
  };
}

function shapeFunction(name: string, doc: string, finish: (moments: Moments) => number): AggregateFunction {
  const examples = [[`${name}(5)`, 'nan']] as const;
  return aggregateOfNumbers(['x'], { name, doc, examples, state: () => momentsState(finish) });
}

type Pairs = readonly [
  count: number,
  firstMean: number,
  secondMean: number,
  firstSquares: number,
  secondSquares: number,
  products: number,
];

function mergePairs(left: Pairs, right: Pairs): Pairs {
  if (left[0] === 0) return right;
  if (right[0] === 0) return left;
  const count = left[0] + right[0];
  const [first, second] = [right[1] - left[1], right[2] - left[2]];
  const weight = (left[0] * right[0]) / count;
  return [
    count,
    left[1] + (first * right[0]) / count,
    left[2] + (second * right[0]) / count,
    left[3] + right[3] + first * first * weight,
    left[4] + right[4] + second * second * weight,
    left[5] + right[5] + first * second * weight,
  ];
}

function pairState(finish: (pairs: Pairs) => unknown): SlotState {
  return {
    kind: 'slots',
    slots: [
      f64('count'),
      f64('firstMean'),
      f64('secondMean'),
      f64('firstSquares'),
      f64('secondSquares'),
      f64('products'),
    ],
    update: (emitter, slots, [first, second]) => {
      const [count, firstMean, secondMean, firstSquares, secondSquares, products] = slots;
      const x = emitter.constant('x', doubleCode(emitter, first!));
      const y = emitter.constant('y', doubleCode(emitter, second!));
      const dx = emitter.constant('delta', js`${x} - ${firstMean!}`);
      const dy = emitter.constant('delta', js`${y} - ${secondMean!}`);
      emitter.statement(
        js`${count!}++;\n${firstMean!} += ${dx} / ${count!};\n${secondMean!} += ${dy} / ${count!};`,
      );
      emitter.statement(js`${firstSquares!} += ${dx} * (${x} - ${firstMean!});`);
      emitter.statement(js`${secondSquares!} += ${dy} * (${y} - ${secondMean!});`);
      emitter.statement(js`${products!} += ${dx} * (${y} - ${secondMean!});`);
    },
    merge: (left, right) => [...mergePairs(left as unknown as Pairs, right as unknown as Pairs)],
    result: (...slots: number[]) => finish(slots as unknown as Pairs),
  };
}

function pairFunction(
  name: string,
  aliases: readonly string[],
  doc: string,
  example: string,
  finish: (pairs: Pairs) => number,
): AggregateFunction {
  const examples = [[`${name}(5, 6)`, example]] as const;
  return aggregateOfNumbers(['x', 'y'], { name, aliases, doc, examples, state: () => pairState(finish) });
}

const linearRegression = aggregateOfNumbers(['x', 'y'], {
  name: 'simple_linear_regression',
  doc: 'The line y = k * x + b that is nearest to the points, as a tuple of k and b.',
  examples: [['simple_linear_regression(5, 6)', '(nan,nan)']],
  type: () => ({
    kind: 'tuple',
    elements: [
      { name: 'k', type: types.float64 },
      { name: 'b', type: types.float64 },
    ],
  }),
  state: () =>
    pairState(([, firstMean, secondMean, firstSquares, , products]) => {
      const slope = products / firstSquares;
      return [slope, secondMean - slope * firstMean];
    }),
});

const avgWeighted = aggregateOfNumbers(['x', 'weight'], {
  name: 'avg_weighted',
  doc: 'Mean in which each number counts as much as its weight says.',
  examples: [['avg_weighted(5, 2)', '5']],
  state: () => ({
    kind: 'slots',
    slots: [f64('sum'), f64('weights')],
    update: (emitter, [sum, weights], [value, weight]) => {
      const w = emitter.constant('weight', doubleCode(emitter, weight!));
      emitter.statement(js`${sum!} += ${doubleCode(emitter, value!)} * ${w};\n${weights!} += ${w};`);
    },
    merge: (left, right) => [
      (left[0] as number) + (right[0] as number),
      (left[1] as number) + (right[1] as number),
    ],
    result: (sum: number, weights: number) => sum / weights,
  }),
});

/** nan where there are too few values. */
function over(squares: number, count: number): number {
  return count > 0 ? squares / count : Number.NaN;
}

export const statisticsAggregates: readonly AggregateFunction[] = [
  varianceFunction('var_pop', [], 'Variance of a whole population.', '0', (count, squares) =>
    over(squares, count),
  ),
  varianceFunction(
    'var_samp',
    ['variance'],
    'Variance estimated from a sample; nan of fewer than two values.',
    'nan',
    (count, squares) => over(squares, count - 1),
  ),
  varianceFunction('stddev_pop', [], 'Standard deviation of a whole population.', '0', (count, squares) =>
    Math.sqrt(over(squares, count)),
  ),
  varianceFunction(
    'stddev_samp',
    ['stddev'],
    'Standard deviation estimated from a sample; nan of fewer than two values.',
    'nan',
    (count, squares) => Math.sqrt(over(squares, count - 1)),
  ),
  shapeFunction(
    'skew_pop',
    'Skewness of a whole population.',
    ([count, , second, third]) => third / count / (second / count) ** 1.5,
  ),
  shapeFunction(
    'skew_samp',
    'Skewness estimated from a sample.',
    ([count, , second, third]) => third / count / over(second, count - 1) ** 1.5,
  ),
  shapeFunction(
    'kurt_pop',
    'Kurtosis of a whole population.',
    ([count, , second, , fourth]) => fourth / count / (second / count) ** 2,
  ),
  shapeFunction(
    'kurt_samp',
    'Kurtosis estimated from a sample.',
    ([count, , second, , fourth]) => fourth / count / over(second, count - 1) ** 2,
  ),
  pairFunction('covar_pop', [], 'Covariance of a whole population.', '0', (pairs) =>
    over(pairs[5], pairs[0]),
  ),
  pairFunction('covar_samp', [], 'Covariance estimated from a sample.', 'nan', (pairs) =>
    over(pairs[5], pairs[0] - 1),
  ),
  pairFunction(
    'corr',
    [],
    "Pearson's correlation of two columns.",
    'nan',
    (pairs) => pairs[5] / Math.sqrt(pairs[3] * pairs[4]),
  ),
  linearRegression,
  avgWeighted,
];
