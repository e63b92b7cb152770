import type { AggregateFunction } from '../definition.ts';
import { basicAggregates } from './basic.ts';

export const aggregateFunctions: readonly AggregateFunction[] = [...basicAggregates];
