/** Aggregates whose result is the same in whatever order rows come and states are merged, rounding of floats aside. */
const orderFree: ReadonlySet<string> = new Set([
  'count',
  'sum',
  'min',
  'max',
  'avg',
  'uniq',
  'uniq_exact',
  'uniq_up_to',
  'var_pop',
  'var_samp',
  'stddev_pop',
  'stddev_samp',
  'skew_pop',
  'skew_samp',
  'kurt_pop',
  'kurt_samp',
  'covar_pop',
  'covar_samp',
  'corr',
  'simple_linear_regression',
  'avg_weighted',
  'quantile_exact',
  'quantiles_exact',
  'median_exact',
  'quantile_exact_low',
  'quantiles_exact_low',
  'median_exact_low',
  'quantile_exact_high',
  'quantiles_exact_high',
  'median_exact_high',
  'group_bit_and',
  'group_bit_or',
  'group_bit_xor',
  'sum_kahan',
  'sum_with_overflow',
  'sum_count',
  'sum_map',
  'min_map',
  'max_map',
  'retention',
  'entropy',
]);

/** Aggregates that depend on the order of rows, and whose states, merged in order, give what one pass gives. */
const inOrder: ReadonlySet<string> = new Set([
  'any',
  'any_last',
  'arg_min',
  'arg_max',
  'group_array',
  'group_array_last',
  'group_array_sorted',
  'group_uniq_array',
  'group_concat',
  'min_k',
  'max_k',
  'delta_sum',
  'group_array_moving_sum',
  'group_array_moving_avg',
]);

/**
 * What the order of rows means to an aggregate: nothing (`free`), or its states have to be merged in the order of their rows
 * (`kept`). Of others, such as those that keep samples, states do not go from one thread to another (`unknown`).
 */
export function rowOrder(name: string): 'free' | 'kept' | 'unknown' {
  if (orderFree.has(name)) return 'free';
  return inOrder.has(name) ? 'kept' : 'unknown';
}
