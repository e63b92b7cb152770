import type { Settings } from '../base/index.ts';
import type { Block, ColumnSchema } from '../column/index.ts';
import type { BlockSource, Progress } from '../exec/index.ts';
import type { KeptResult } from './result-cache.ts';

/** What a statement gives: columns and blocks, which are computed as they are asked for. */
export interface QueryResult {
  readonly queryId: string;
  readonly columns: readonly ColumnSchema[];
  /** Whether the statement gives rows at all; one that does not has no blocks. */
  readonly hasRows: boolean;
  readonly streaming: boolean;
  /** The name after FORMAT; null when the statement has none. */
  readonly format: string | null;
  /** Set when the result was there already: what has been sent of it can be sent again. */
  readonly kept: KeptResult | undefined;
  /** The settings the statement ran with, its own SETTINGS included. */
  readonly settings: Settings;
  readonly progress: Progress;
  /** Aborted when the statement is told to stop. */
  readonly signal: AbortSignal;
  /** The next block, null after the last; throws SluiceError. */
  next(): Block | null | Promise<Block | null>;
  /** Ends the statement, whether it has come to its end or not. */
  close(): void;
}

/** What a statement's handler gives; the engine adds the rest. */
export interface Outcome {
  readonly columns: readonly ColumnSchema[];
  readonly hasRows: boolean;
  readonly streaming: boolean;
  readonly format: string | null;
  readonly settings: Settings;
  readonly source: BlockSource;
  /** Set when the result was there already. */
  readonly kept?: KeptResult;
}

const nothing: BlockSource = { next: () => null, close: () => {} };

/** The outcome of a statement that does something and gives no rows. */
export function done(settings: Settings): Outcome {
  return { columns: [], hasRows: false, streaming: false, format: null, settings, source: nothing };
}
