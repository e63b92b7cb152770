import type { Column, ScanPlan } from '../plan/index.ts';
import type { SqlType } from '../types/index.ts';
import type { Pipeline } from './pipeline.ts';

/** A join of a pipeline: its built side, and the place of its probe among the pipeline's operators. */
export interface JoinBuild {
  readonly operator: number;
  readonly input: PhysicalPlan;
  readonly pipeline: Pipeline;
  /** Types of the built columns as they are seen after the join: nullable where rows without a match get NULL. */
  readonly types: readonly SqlType[];
}

/** Runs a pipeline over the blocks of its input. */
export interface PipelinePlan {
  readonly kind: 'pipeline';
  readonly input: PhysicalPlan;
  readonly pipeline: Pipeline;
  readonly joins: readonly JoinBuild[];
  /** Whether rows come out only when all have gone in (aggregation, sorting). */
  readonly holds: 'aggregate' | 'sort' | null;
  readonly columns: readonly Column[];
}

export interface UnionPhysicalPlan {
  readonly kind: 'union';
  readonly inputs: readonly PhysicalPlan[];
  readonly columns: readonly Column[];
}

export interface OnePhysicalPlan {
  readonly kind: 'one';
  readonly columns: readonly Column[];
}

export interface ScanPhysicalPlan {
  readonly kind: 'scan';
  readonly scan: ScanPlan;
  readonly columns: readonly Column[];
}

/** What is executed: sources of blocks, and pipelines over them. */
export type PhysicalPlan = PipelinePlan | UnionPhysicalPlan | OnePhysicalPlan | ScanPhysicalPlan;

/** Whether the plan reads a stream that goes on. */
export function isStreaming(plan: PhysicalPlan): boolean {
  switch (plan.kind) {
    case 'one':
      return false;
    case 'scan':
      return 'streaming' in plan.scan.source && plan.scan.source.streaming;
    case 'union':
      return plan.inputs.some(isStreaming);
    case 'pipeline':
      return isStreaming(plan.input);
  }
}

/** Whether the plan keeps an aggregation's state over a stream that goes on. */
export function holdsState(plan: PhysicalPlan): boolean {
  if (!isStreaming(plan)) return false;
  if (plan.kind === 'union') return plan.inputs.some(holdsState);
  return plan.kind === 'pipeline' && (plan.holds !== null || holdsState(plan.input));
}

/** Every pipeline of a plan, those that run first coming first. */
export function pipelinesOf(plan: PhysicalPlan): Pipeline[] {
  switch (plan.kind) {
    case 'one':
    case 'scan':
      return [];
    case 'union':
      return plan.inputs.flatMap(pipelinesOf);
    case 'pipeline':
      return [
        ...plan.joins.flatMap((join) => [...pipelinesOf(join.input), join.pipeline]),
        ...pipelinesOf(plan.input),
        plan.pipeline,
      ];
  }
}
