import { type Block, columnBuilder, concatBlocks } from '../column/index.ts';
import type { JoinBuild, PhysicalPlan } from '../compile/index.ts';
import type { JoinTable } from '../runtime/index.ts';
import { defaultValue } from '../types/index.ts';
import type { Execution } from './execution.ts';
import { PipelineRun, PipelineSource } from './pipeline-source.ts';
import { scanSource } from './scan.ts';
import { type BlockSource, chainSources, sourceOf } from './source.ts';

/** Makes the source of a scan; streaming executions bring their own. */
export type ScanOpener = (
  scan: Extract<PhysicalPlan, { kind: 'scan' }>['scan'],
  execution: Execution,
) => BlockSource;

/** The blocks of a plan that completes. `given` holds sources for nodes whose blocks are there already. */
export function runPlan(
  plan: PhysicalPlan,
  execution: Execution,
  open: ScanOpener = scanSource,
  given: ReadonlyMap<PhysicalPlan, BlockSource> = new Map(),
): BlockSource {
  const ready = given.get(plan);
  if (ready !== undefined) return ready;
  switch (plan.kind) {
    case 'one':
      return sourceOf([{ rows: 1, vectors: [] }]);
    case 'scan':
      return open(plan.scan, execution);
    case 'union':
      return chainSources(plan.inputs.map((input) => runPlan(input, execution, open, given)));
    case 'pipeline': {
      const run = new PipelineRun(plan.pipeline, execution);
      const input = runPlan(plan.input, execution, open, given);
      const source = new PipelineSource(run, input, execution);
      return plan.joins.length === 0 ? source : new JoinedSource(run, source, plan.joins, execution);
    }
  }
}

/** Builds the right sides of a pipeline's joins before its first block. */
class JoinedSource implements BlockSource {
  readonly #source: PipelineSource;
  #building: Promise<void> | null;

  constructor(run: PipelineRun, source: PipelineSource, joins: readonly JoinBuild[], execution: Execution) {
    this.#source = source;
    this.#building = buildJoins(run, joins, execution);
    // Whoever asks for the first block is told of a failure; until then it is nobody's.
    this.#building.catch(() => {});
  }

  next(): Block | null | Promise<Block | null> {
    if (this.#building === null) return this.#source.next();
    return this.#building.then(() => {
      this.#building = null;
      return this.#source.next();
    });
  }

  close(): void {
    this.#source.close();
  }
}

export async function buildJoins(
  run: PipelineRun,
  joins: readonly JoinBuild[],
  execution: Execution,
): Promise<void> {
  for (const join of joins) {
    const table = await buildTable(join, execution);
    Object.assign(run.state.operators[join.operator] as object, { table });
  }
}

async function buildTable(join: JoinBuild, execution: Execution): Promise<JoinTable> {
  const build = new PipelineRun(join.pipeline, execution);
  const table = build.state.operators[0] as JoinTable;
  const blocks: Block[] = [];
  const input = runPlan(join.input, execution);
  for (let block = await input.next(); block !== null; block = await input.next()) {
    build.push(block);
    blocks.push(block);
  }
  const { types } = join;
  const builders = types.map(columnBuilder);
  for (const [index, type] of types.entries()) builders[index]!.append(defaultValue(type));
  const defaults = { rows: 1, vectors: builders.map((builder) => builder.finish()) };
  table.block = blocks.length === 0 ? defaults : concatBlocks([...blocks, defaults], types);
  return table;
}
