import { isDeepStrictEqual } from 'node:util';
import { type Clock, SluiceError } from '../base/index.ts';
import { viewStateDocument } from '../catalog/index.ts';
import type { ExportedGroups, PhysicalPlan, PipelinePlan } from '../compile/index.ts';
import { holdingNode, nodesAbove, type PortableState } from '../exec/index.ts';
import type { Store } from '../storage/index.ts';
import { hasPortableState, pipelineSignature } from './parallel/candidates.ts';
import type { Positions } from './target.ts';

/** Milliseconds from one note of a state to the next. */
const keepMilliseconds = 10_000;
/** Milliseconds of other work for each that storing a state takes. */
const restPerWork = 500;
/** Values of keys and groups up to which a state is kept: more would hold the thread up for too long. */
const keptValuesMax = 50_000;

/** Part of what a state has to agree with; it changes with the form in which functions hold their states. */
const stateVersion = 1;

/** What is stored: the state, how far the sources had been read for it, and what it is the state of. */
interface StoredState {
  readonly signature: string;
  readonly positions: Positions;
  readonly groups: ExportedGroups;
}

/** Steps that keep nothing from one block to the next. */
const stateless = new Set(['filter', 'array_join', 'join_probe']);

function isStateless({ pipeline }: PipelinePlan): boolean {
  return pipeline.description.operators.every(({ name }) => stateless.has(name));
}

/** The pipelines from the source to a node, the node included; null when something else stands among them. */
function pipelinesTo(node: PipelinePlan): PipelinePlan[] | null {
  const list: PipelinePlan[] = [];
  let plan: PhysicalPlan = node;
  for (; plan.kind === 'pipeline'; plan = plan.input) list.push(plan);
  return plan.kind === 'scan' ? list : null;
}

/** The aggregation of a view whose state can be kept: everything else in its plan has none. */
function keptNode(plan: PhysicalPlan): PipelinePlan | null {
  const node = holdingNode(plan);
  if (node === null || node.holds !== 'aggregate' || !hasPortableState(node)) return null;
  const below = pipelinesTo(node);
  if (below === null || !below.every(isStateless)) return null;
  const above = nodesAbove(plan, node);
  // What holds rows back above is made anew for every result.
  const remade = above.some(({ holds, joins }) => holds !== null || joins.length > 0);
  return remade || above.every((each) => isStateless(each) && each.pipeline.description.sink.name === 'emit')
    ? node
    : null;
}

/**
 * The state of an aggregating view, stored now and then together with the positions of its sources, so that after a restart
 * it goes on from there instead of reading all rows again.
 */
export class ViewState {
  readonly #store: Store;
  readonly #document: string;
  readonly #signature: string;
  readonly #clock: Clock;
  readonly #failed: (thrown: unknown) => void;
  #next = Number.NEGATIVE_INFINITY;
  #kept: Positions | undefined;
  #isWriting = false;

  private constructor(services: ViewStateServices, view: ViewQuery, node: PipelinePlan) {
    this.#store = services.store;
    this.#clock = services.clock;
    this.#failed = services.failed;
    this.#document = viewStateDocument(view.uuid);
    this.#signature = `${stateVersion}\n${view.queryText}\n${pipelineSignature(node)}`;
  }

  /** Null for a view that has no state, or one that cannot be kept. */
  static of(services: ViewStateServices, view: ViewQuery, plan: PhysicalPlan): ViewState | null {
    const node = keptNode(plan);
    return node === null ? null : new ViewState(services, view, node);
  }

  /** The state that was stored last; undefined when there is none, or it is that of another query or is damaged. */
  read(): Pick<StoredState, 'positions' | 'groups'> | undefined {
    try {
      const stored = this.#store.readDocument(this.#document) as StoredState | undefined;
      if (stored?.signature !== this.#signature) return undefined;
      this.#kept = stored.positions;
      return stored;
    } catch (thrown) {
      if (!(thrown instanceof SluiceError)) throw thrown;
      this.#failed(thrown);
      return undefined;
    }
  }

  /** Stores the state when it is time to; all rows before the positions are in it, and no others. */
  note(positions: Positions, state: PortableState): void {
    const now = this.#clock.monotonic();
    if (this.#isWriting || now < this.#next || isDeepStrictEqual(positions, this.#kept)) return;
    this.#next = now + keepMilliseconds;
    if (state.size > keptValuesMax) return;
    const stored: StoredState = { signature: this.#signature, positions, groups: state.export() };
    this.#isWriting = true;
    const written = this.#store.writeDocument(this.#document, stored);
    // What takes long is done rarely, so that it never costs more than a small share of the time.
    const took = this.#clock.monotonic() - now;
    this.#next = now + Math.max(keepMilliseconds, took * restPerWork);
    written
      .then(() => {
        this.#kept = positions;
      }, this.#failed)
      .finally(() => {
        this.#isWriting = false;
      });
  }
}

interface ViewQuery {
  readonly uuid: string;
  readonly queryText: string;
}

interface ViewStateServices {
  readonly store: Store;
  readonly clock: Clock;
  /** Told of a state that cannot be read or written; the view goes on without. */
  readonly failed: (thrown: unknown) => void;
}
