import type { OutputClause } from '../ast/index.ts';
import type { Settings } from '../base/index.ts';
import { type ColumnSchema, columnBuilder } from '../column/index.ts';
import { sourceOf } from '../exec/index.ts';
import { toByteString, types } from '../types/index.ts';
import type { Outcome } from './result.ts';

/** The outcome of a statement whose rows, canonical values, are at hand. */
export function rowsOutcome(
  columns: readonly ColumnSchema[],
  rows: Iterable<readonly unknown[]>,
  output: OutputClause,
  settings: Settings,
): Outcome {
  const builders = columns.map((column) => columnBuilder(column.type));
  let count = 0;
  for (const row of rows) {
    for (const [index, builder] of builders.entries()) builder.append(row[index]);
    count++;
  }
  const block = { rows: count, vectors: builders.map((builder) => builder.finish()) };
  return {
    columns,
    hasRows: true,
    streaming: false,
    format: output.format,
    settings,
    source: sourceOf(count === 0 ? [] : [block]),
  };
}

/** Columns of strings. */
export function textColumns(...names: readonly string[]): ColumnSchema[] {
  return names.map((name) => ({ name, type: types.string }));
}

/** Rows of ordinary text as rows of byte strings. */
export function textRows(rows: Iterable<readonly string[]>): (readonly string[])[] {
  return Array.from(rows, (row) => row.map(toByteString));
}
