import { describeExpr, type PhysicalPlan, type PipelinePlan } from '../../compile/index.ts';
import { rowOrder } from '../../functions/index.ts';
import { typeName } from '../../types/index.ts';

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
    ({ call: { distinct, definition } }) => !distinct && rowOrder(definition.name) !== 'unknown',
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
  return { plan: { ...plan, input }, ordered: names.some((name) => rowOrder(name) === 'kept') };
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
