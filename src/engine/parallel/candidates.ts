import { describeExpr, type PhysicalPlan, type PipelinePlan } from '../../compile/index.ts';
import { typeName } from '../../types/index.ts';

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

/**
 * Aggregates that depend on the order of rows, and whose states, merged in order, give what one pass gives. What is in
 * neither set, such as samples, is not split.
 */
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

/** An aggregation over a stored stream whose blocks may be worked on by several threads. */
export interface Candidate {
  readonly plan: PipelinePlan & { readonly input: Extract<PhysicalPlan, { kind: 'scan' }> };
  /** Whether each thread has to have consecutive blocks. */
  readonly ordered: boolean;
}

/** Whether the state of an aggregation can leave its place, to be merged or gone on with elsewhere. */
export function hasPortableState({ pipeline }: PipelinePlan): boolean {
  const { aggregates } = pipeline.description.sink;
  if (aggregates === undefined) return false;
  return aggregates.every(
    ({ call: { distinct, definition } }) =>
      !distinct && (orderFree.has(definition.name) || inOrder.has(definition.name)),
  );
}

function candidateOf(plan: PipelinePlan): Candidate | null {
  const { input, joins, holds, pipeline } = plan;
  if (holds !== 'aggregate' || joins.length > 0 || input.kind !== 'scan') return null;
  const { source } = input.scan;
  if (source.kind !== 'stream' || source.streaming) return null;
  const { operators, sink } = pipeline.description;
  // Other steps have a state that all rows go through, such as a limit's count.
  if (operators.some(({ name }) => name !== 'filter' && name !== 'array_join')) return null;
  if (!hasPortableState(plan)) return null;
  const names = sink.aggregates!.map(({ call }) => call.definition.name);
  return { plan: { ...plan, input }, ordered: names.some((name) => inOrder.has(name)) };
}

/** The nodes of a plan that may be split, with what they are; equal plans give equal lists. */
export function candidatesOf(plan: PhysicalPlan): Map<PhysicalPlan, Candidate> {
  const found = new Map<PhysicalPlan, Candidate>();
  const visit = (node: PhysicalPlan): void => {
    if (node.kind === 'union') for (const input of node.inputs) visit(input);
    if (node.kind !== 'pipeline') return;
    const candidate = candidateOf(node);
    if (candidate === null) visit(node.input);
    else found.set(node, candidate);
  };
  visit(plan);
  return found;
}

/** A text that tells whether two threads have made the same pipeline of the same query. */
export function signatureOf({ plan }: Candidate): string {
  return pipelineSignature(plan);
}

/** A text that is the same for pipelines that do the same with the same columns. */
export function pipelineSignature(plan: PipelinePlan): string {
  const { columns, operators, sink } = plan.pipeline.description;
  const types = (list: typeof columns) => list.map(({ name, type }) => `${name} ${typeName(type)}`);
  return JSON.stringify([
    types(columns),
    operators.map(({ name, expressions }) => [name, expressions.map(describeExpr)]),
    sink.expressions.map(describeExpr),
    sink.aggregates?.map(({ call }) => call.definition.name),
    types(plan.columns),
  ]);
}
