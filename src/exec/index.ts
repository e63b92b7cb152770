export { cancelled, Execution, type Progress } from './execution.ts';
export type { Cursor } from './live-source.ts';
export { PipelineRun } from './pipeline-source.ts';
export { runPlan } from './run.ts';
export { type BlockSource, sourceOf } from './source.ts';
export { holdingNode, nodesAbove, type PortableState, runStream, type StreamOptions } from './stream-run.ts';
