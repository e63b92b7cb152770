/*
 * The other end of a worker thread: compiles the query that it is told, works on blocks until there are no more, and gives
 * its groups back. Loaded by the pool, by its file name.
 */
import { SluiceError, systemClock } from '../../base/index.ts';
import type { AggregationState } from '../../compile/index.ts';
import { Execution, PipelineRun } from '../../exec/index.ts';
import type { QueryContext } from '../../functions/index.ts';
import { parseQuery, parseStatement } from '../../parser/index.ts';
import { plan } from '../planner.ts';
import { prepareQuery } from '../prepared-query.ts';
import { shapeOf } from '../query-cache.ts';
import { type Candidate, candidatesOf, signatureOf } from './candidates.ts';
import { type Recipe, recipeCatalog, type SentContext } from './recipe.ts';
import { receivedBlock } from './shared-vectors.ts';
import { Shares } from './shares.ts';
import type { ShareResult, ShareTask } from './task.ts';

const compiledMax = 100;
/** Values that may be copied to the main thread, which is held up by it some 10 milliseconds. */
const copiedValuesMax = 100_000;
/** Candidates of the queries compiled last, by the key of their recipe. */
const compiled = new Map<number, readonly Candidate[]>();

function contextOf(context: SentContext): QueryContext {
  return { ...context, clock: systemClock };
}

function compile(recipe: Recipe): readonly Candidate[] {
  const { text, shaped, parameters } = recipe;
  const maxBytes = recipe.context.settings.max_query_size;
  const statement = shaped ? parseStatement(text, { maxBytes }) : null;
  const query = statement?.kind === 'query' ? statement.query : parseQuery(text);
  const planned = plan(
    {
      catalog: recipeCatalog(recipe),
      context: contextOf(recipe.context),
      parameters,
      ...(shaped ? { literals: shapeOf(text).tokens } : {}),
    },
    query,
  );
  return [...candidatesOf(prepareQuery(planned.plan, planned.values).plan).values()];
}

function compiledCandidates(recipe: Recipe): readonly Candidate[] {
  let candidates = compiled.get(recipe.key);
  compiled.delete(recipe.key);
  candidates ??= compile(recipe);
  compiled.set(recipe.key, candidates);
  if (compiled.size > compiledMax) compiled.delete(compiled.keys().next().value!);
  return candidates;
}

function work(task: ShareTask, candidate: Candidate, shares: Shares): ShareResult {
  const { pipeline } = candidate.plan;
  const execution = new Execution(contextOf(task.context), task.parameters, new AbortController().signal);
  const run = new PipelineRun(pipeline, execution);
  const state = run.state.operators[pipeline.description.operators.length] as AggregationState;
  const range = shares.rangeOf(task.participant);
  const next = () => shares.next(range, task.participant);
  for (let block = next(); block >= 0; block = next()) {
    run.push(receivedBlock(task.blocks[block]!));
    if (state.copiedValues > copiedValuesMax) return { kind: 'unwieldy' };
  }
  return { kind: 'groups', groups: state.exportGroups() };
}

export default function share(task: ShareTask): ShareResult {
  const candidate = compiledCandidates(task.recipe)[task.candidate];
  if (candidate === undefined || signatureOf(candidate) !== task.signature)
    throw new Error('Assertion failed: a query compiled on a worker thread differs from the original');
  const shares = new Shares(task.shares);
  if (!shares.begin(task.participant)) return { kind: 'late' };
  try {
    return work(task, candidate, shares);
  } catch (thrown) {
    if (!(thrown instanceof SluiceError)) throw thrown;
    return { kind: 'failed', errorName: thrown.errorName, message: thrown.message };
  }
}
