import type { ErrorName } from '../../base/index.ts';
import type { ExportedGroups } from '../../compile/index.ts';
import type { Recipe, SentContext } from './recipe.ts';
import type { SentBlock } from './shared-vectors.ts';
import type { SharesData } from './shares.ts';

/** A thread's part in a round of an aggregation. */
export interface ShareTask {
  readonly recipe: Recipe;
  /** Which of the plan's candidates it is, and how it looks on the main thread. */
  readonly candidate: number;
  readonly signature: string;
  readonly parameters: readonly unknown[];
  readonly context: SentContext;
  readonly participant: number;
  readonly shares: SharesData;
  readonly blocks: readonly SentBlock[];
}

/** What became of it: nothing when the others were done before it began. */
export type ShareResult =
  | { readonly kind: 'late' }
  | { readonly kind: 'groups'; readonly groups: ExportedGroups }
  /** There are more groups than can be handed over without holding the main thread up; the work is lost. */
  | { readonly kind: 'unwieldy' }
  /** The query failed with an error of its own. */
  | { readonly kind: 'failed'; readonly errorName: ErrorName; readonly message: string };
