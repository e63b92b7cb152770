import type { Block, BlockHeader, VectorHeader } from '../column/index.ts';

/** What is known of a column's values in a block without reading them. */
export interface ColumnStats {
  /** Bounds of the values that are not NULL (NaN left out), not necessarily tight; undefined when not known. */
  readonly min?: number;
  readonly max?: number;
  /** Whether any row may be NULL. */
  readonly nulls: boolean;
}

/** One entry per column; undefined where the vector is not flat. */
export type BlockStats = readonly (ColumnStats | undefined)[];

/** Statistics as they are stored: 0, or least value, greatest value and whether there are NULLs. */
export type StoredStats = readonly (0 | readonly [min: number | null, max: number | null, nulls: 0 | 1])[];

export function statsOfBlock(block: Block): BlockStats {
  return block.vectors.map((vector) =>
    vector.kind === 'flat' ? { min: vector.min, max: vector.max, nulls: vector.nulls !== null } : undefined,
  );
}

function statsOfVectorHeader(header: VectorHeader): ColumnStats | undefined {
  if (header[0] !== 'f') return undefined;
  return { min: header[4] ?? undefined, max: header[5] ?? undefined, nulls: header[2] === 1 };
}

export function statsOfHeader(header: BlockHeader): BlockStats {
  return header.vectors.map(statsOfVectorHeader);
}

/** Statistics of the rows of both. */
export function mergeStats(left: BlockStats, right: BlockStats): BlockStats {
  return left.map((a, column) => {
    const b = right[column];
    if (a === undefined || b === undefined) return undefined;
    const known = a.min !== undefined && a.max !== undefined && b.min !== undefined && b.max !== undefined;
    return {
      min: known ? Math.min(a.min!, b.min!) : undefined,
      max: known ? Math.max(a.max!, b.max!) : undefined,
      nulls: a.nulls || b.nulls,
    };
  });
}

export function storedStats(stats: BlockStats): StoredStats {
  return stats.map((column) =>
    column === undefined ? 0 : [column.min ?? null, column.max ?? null, column.nulls ? 1 : 0],
  );
}

export function restoredStats(stored: StoredStats): BlockStats {
  return stored.map((column) =>
    column === 0
      ? undefined
      : { min: column[0] ?? undefined, max: column[1] ?? undefined, nulls: column[2] === 1 },
  );
}
