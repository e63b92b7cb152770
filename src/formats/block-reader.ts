import type { Block, ColumnSchema } from '../column/index.ts';
import type { FormatSchemas } from './format-schemas.ts';

/** A column that rows are read into. */
export interface ReaderColumn extends ColumnSchema {
  /** Whether the engine computes a value where the input gives none. */
  readonly hasDefault: boolean;
}

/** Rows as they were read. */
export interface ReadBlock {
  /** At most limits.insert_block_rows rows; a value that was not given is the type's own default. */
  readonly block: Block;
  /**
   * For each column one byte per row, 1 where the DEFAULT expression is to be computed because the input gave no value;
   * null when every row has one, and always null for columns without `hasDefault`.
   */
  readonly omitted: readonly (Uint8Array | null)[];
}

/** Turns the bytes of a format into blocks; the chunks may end anywhere, also inside a character. */
export interface BlockReader {
  /** Takes bytes (which may be reused afterwards) and gives the blocks that they filled. */
  push(chunk: Uint8Array): ReadBlock[];
  /** Ends the input: the last row may lack its newline. Gives what is left, if anything. */
  finish(): ReadBlock[];
  /**
   * Reads an input of its own, such as a message of a broker, and gives how many rows it has; when it throws, none of them
   * counts. The blocks come from `finish`, which ends the messages so far; more may follow. Readers without it are made anew
   * for each input. Not to be mixed with `push`.
   */
  message?(bytes: Uint8Array): number;
}

/** What a reader needs beside the settings. */
export interface ReaderOptions {
  /** Where the schema stands that the setting `format_schema` names. */
  readonly schemas?: FormatSchemas;
  /** Whether the data stands in the text of a statement, so that a semicolon may follow it. */
  readonly isInline?: boolean;
  /** Computes an expression that stands as a value in the Values format; without it such a row is an error. */
  readonly evaluateExpression?: (text: string, column: ReaderColumn) => unknown;
}
