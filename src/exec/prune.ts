import type { ScanCondition, ScanPlan } from '../plan/index.ts';
import type { BlockRef } from '../storage/index.ts';
import type { Execution } from './execution.ts';

/** What is known of the values of a column in a block. */
interface Bounds {
  readonly min?: number | undefined;
  readonly max?: number | undefined;
}

type Bound = number | bigint;

/** Whether no value within the bounds fulfils `value op bound`; NULL and NaN fulfil none of these. */
function excludes({ min, max }: Bounds, op: ScanCondition['op'], bound: Bound): boolean {
  if (min === undefined || max === undefined) return false;
  switch (op) {
    case '=':
      return bound < min || bound > max;
    case '<':
      return min >= bound;
    case '<=':
      return min > bound;
    case '>':
      return max <= bound;
    case '>=':
      return max < bound;
    case '!=':
      // NaN is not equal to anything, and is not within the bounds.
      return false;
  }
}

/**
 * Tells of stored blocks that none of their rows can pass the filter right above the scan, going by the bounds that are kept
 * of each column; null when the filter says nothing about bounds. Such blocks need not even be loaded.
 */
export function blockPruner(
  scan: ScanPlan & { source: { kind: 'stream' } },
  execution: Execution,
): ((ref: BlockRef) => boolean) | null {
  const sequence = scan.source.stream.columns.length;
  const conditions = (scan.wishes?.conditions ?? []).flatMap(({ column, op, value }) => {
    const bound = execution.valueOf(value);
    return typeof bound === 'number' || typeof bound === 'bigint' ? [{ column, op, bound }] : [];
  });
  if (conditions.length === 0) return null;
  return (ref) =>
    conditions.some(({ column, op, bound }) => {
      const bounds =
        column === sequence
          ? { min: ref.firstSequence, max: ref.firstSequence + ref.rows - 1 }
          : ref.column(column);
      return bounds !== undefined && excludes(bounds, op, bound);
    });
}
