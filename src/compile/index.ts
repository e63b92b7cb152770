export { describeExpr, printPlan, sampleModules } from './explain.ts';
export { constantValue } from './expr/constant.ts';
export { lower } from './lower.ts';
export type { AggregationState } from './operators/aggregation-state.ts';
export type { ExportedGroups } from './operators/exported-groups.ts';
export type { PipelineState } from './operators/operator.ts';
export {
  holdsState,
  isStreaming,
  type JoinBuild,
  type PhysicalPlan,
  type PipelinePlan,
  pipelinesOf,
} from './physical.ts';
export { Pipeline, type PipelineDescription, type PushBlock } from './pipeline.ts';
