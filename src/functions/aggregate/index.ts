import type { AggregateFunction } from '../definition.ts';
import { argExtremeAggregates } from './arg-extremes.ts';
import { basicAggregates } from './basic.ts';
import { collectionAggregates } from './collections.ts';
import { quantileAggregates } from './quantiles.ts';
import { sequenceAggregates } from './sequences.ts';
import { statisticsAggregates } from './statistics.ts';
import { sumAggregates } from './sums.ts';
import { topValueAggregates } from './top-values.ts';
import { uniqAggregates } from './uniq.ts';

export const aggregateFunctions: readonly AggregateFunction[] = [
  ...basicAggregates,
  ...argExtremeAggregates,
  ...uniqAggregates,
  ...statisticsAggregates,
  ...quantileAggregates,
  ...collectionAggregates,
  ...topValueAggregates,
  ...sumAggregates,
  ...sequenceAggregates,
];

export { type Accumulator, accumulator } from './accumulator.ts';
