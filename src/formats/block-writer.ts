import type { Block } from '../column/index.ts';

/** What a writer is told at the end of a result. */
export interface WriteSummary {
  /** Rows of the result. */
  readonly rows?: number;
  /** Rows there would have been without LIMIT, when known. */
  readonly rowsBeforeLimit?: number;
  readonly elapsedSeconds?: number;
  readonly rowsRead?: number;
  readonly bytesRead?: number;
  /** One row of totals, with the columns of the result. */
  readonly totals?: Block;
}

/** Turns the blocks of one result into the bytes of a format. Every chunk handed out belongs to the caller. */
export interface BlockWriter {
  readonly contentType: string;
  /** Whether what was written so far can be read before the result has ended. */
  readonly streamable: boolean;
  /** A writer for another result with the same columns and settings, which costs less than a new one. */
  again?(): BlockWriter;
  /** The bytes before the first row. */
  start(): Uint8Array;
  /** The bytes of all rows of the block. */
  block(block: Block): Uint8Array;
  /** The bytes after the last row. */
  finish(summary?: WriteSummary): Uint8Array;
}
