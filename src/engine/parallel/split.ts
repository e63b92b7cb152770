import { type PhysicalPlan, pipelinesOf } from '../../compile/index.ts';
import type { BlockSource, Execution } from '../../exec/index.ts';
import type { PreparedQuery } from '../prepared-query.ts';
import { candidatesOf } from './candidates.ts';
import { Experience, ParallelSource } from './parallel-source.ts';
import { type Recipe, type RecipeParts, recipeOf, threadsFor } from './recipe.ts';
import type { WorkerPool } from './worker-pool.ts';

/** How a prepared query is split; made when it is compiled, filled in when it is first wanted. */
class SplitQuery {
  readonly candidates: ReturnType<typeof candidatesOf>;
  readonly #parts: RecipeParts;
  readonly experience = new Experience();
  #recipe: Recipe | null = null;

  constructor(candidates: ReturnType<typeof candidatesOf>, parts: RecipeParts) {
    this.candidates = candidates;
    this.#parts = parts;
  }

  get recipe(): Recipe {
    this.#recipe ??= recipeOf(this.#parts);
    return this.#recipe;
  }
}

const splits = new WeakMap<PreparedQuery, SplitQuery>();

/** Notes what other threads need to take part in a query, when it has something to split and gives the same each time. */
export function noteSplit(prepared: PreparedQuery, parts: () => RecipeParts): void {
  if (prepared.logs === null || prepared.logs.length === 0) return;
  if (!pipelinesOf(prepared.plan).some(({ description }) => description.sink.name === 'aggregate')) return;
  const candidates = candidatesOf(prepared.plan);
  if (candidates.size > 0) splits.set(prepared, new SplitQuery(candidates, parts()));
}

const nothing: ReadonlyMap<PhysicalPlan, BlockSource> = new Map();

/** Sources for the nodes of the plan that several threads work on in this execution. */
export function parallelSources(
  pool: WorkerPool,
  prepared: PreparedQuery,
  execution: Execution,
): ReadonlyMap<PhysicalPlan, BlockSource> {
  const split = splits.get(prepared);
  if (split === undefined || split.experience.unprofitable) return nothing;
  const threads = threadsFor(execution.context.settings, pool.size);
  if (threads <= 1) return nothing;
  const sources = new Map<PhysicalPlan, BlockSource>();
  for (const [number, [node, candidate]] of [...split.candidates].entries()) {
    const { source } = candidate.plan.input.scan;
    if (source.kind !== 'stream' || source.stream.log.rows < pool.splitRowsMin) continue;
    const { recipe, experience } = split;
    sources.set(
      node,
      new ParallelSource({ pool, recipe, candidate, number, threads, execution, experience }),
    );
  }
  return sources;
}
