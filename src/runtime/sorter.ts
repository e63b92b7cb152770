import {
  type Block,
  concatBlocks,
  gatherBlock,
  type NumberArray,
  type Vector,
  vectorReader,
} from '../column/index.ts';
import type { SqlType } from '../types/index.ts';
import { compareValues } from './compare.ts';

/** One key of an ordering: a column of the sorted blocks. */
export interface SorterKey {
  readonly column: number;
  readonly type: SqlType;
  readonly descending: boolean;
  readonly nullsFirst: boolean;
}

type RowComparison = (left: number, right: number) => number;

/** Plain numbers in a typed array; NaN, where there can be one, as the key wants NULLs. */
function numberComparison(data: NumberArray, key: SorterKey): RowComparison {
  const lowest = key.nullsFirst ? -1 : 1;
  const sign = key.descending ? -1 : 1;
  return (left, right) => {
    const first = data[left]!;
    const second = data[right]!;
    if (first < second) return -sign;
    if (first > second) return sign;
    if (first === second) return 0;
    const firstOdd = Number.isNaN(first);
    return firstOdd && Number.isNaN(second) ? 0 : firstOdd ? lowest : -lowest;
  };
}

function oddness(value: unknown): number {
  return value === null ? 2 : Number.isNaN(value) ? 1 : 0;
}

function valueComparison(key: SorterKey, vector: Vector): RowComparison {
  const sign = key.descending ? -1 : 1;
  if (vector.kind === 'flat' && vector.nulls === null) return numberComparison(vector.data, key);
  const read = vectorReader(vector);
  // NaN comes after every number and NULL after NaN, or both before, NULL first, when NULLS FIRST is asked for.
  const lowest = key.nullsFirst ? -1 : 1;
  return (left, right) => {
    const first = read(left);
    const second = read(right);
    const [firstRank, secondRank] = [oddness(first), oddness(second)];
    if (firstRank + secondRank > 0) return lowest * (firstRank - secondRank);
    return sign * compareValues(first, second);
  };
}

/**
 * The first `limit` of `count` rows, unordered: a heap of the best so far, its worst on top. Rows that compare equal keep
 * the one that came first.
 */
function selectFirst(count: number, limit: number, compare: RowComparison): Uint32Array {
  const heap = new Uint32Array(limit);
  const worse = (left: number, right: number) => {
    const order = compare(left, right);
    return order === 0 ? left > right : order > 0;
  };
  const sink = (from: number, size: number) => {
    let at = from;
    while (true) {
      let child = at * 2 + 1;
      if (child >= size) return;
      if (child + 1 < size && worse(heap[child + 1]!, heap[child]!)) child++;
      if (!worse(heap[child]!, heap[at]!)) return;
      const row = heap[at]!;
      heap[at] = heap[child]!;
      heap[child] = row;
      at = child;
    }
  };
  for (let row = 0; row < limit; row++) heap[row] = row;
  for (let at = (limit >> 1) - 1; at >= 0; at--) sink(at, limit);
  for (let row = limit; row < count; row++) {
    if (!worse(heap[0]!, row)) continue;
    heap[0] = row;
    sink(0, limit);
  }
  return heap;
}

/** Rows from which a sorter under a limit looks what the worst one is that it has to keep. */
const trimmedRowsMin = 64;

/** Gathers blocks and gives their rows in order, all or the first `limit`. */
export class Sorter {
  readonly #keys: readonly SorterKey[];
  readonly #types: readonly SqlType[];
  readonly #limit: number;
  #blocks: Block[] = [];
  #rows = 0;
  #trimAt: number;
  /**
   * Of a single numeric key under a limit: rows whose key comes after this one cannot be among the first; read by
   * generated code.
   */
  threshold: number;

  constructor(keys: readonly SorterKey[], types: readonly SqlType[], limit: number) {
    this.#keys = keys;
    this.#types = types;
    this.#limit = limit;
    this.#trimAt = Math.max(limit * 2, trimmedRowsMin);
    this.threshold = keys[0]?.descending ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
  }

  get rows(): number {
    return this.#rows;
  }

  add(block: Block): void {
    if (block.rows === 0) return;
    this.#blocks.push(block);
    this.#rows += block.rows;
    if (this.#rows >= this.#trimAt) this.#trim();
  }

  #trim(): void {
    const block = this.#sorted();
    this.#blocks = [block];
    this.#rows = block.rows;
    const [key] = this.#keys;
    if (block.rows < this.#limit || this.#limit === 0 || key === undefined) return;
    const last = vectorReader(block.vectors[key.column]!)(block.rows - 1);
    if (typeof last === 'number' && !Number.isNaN(last)) this.threshold = last;
  }

  #sorted(): Block {
    const whole = concatBlocks(this.#blocks, this.#types);
    const comparisons = this.#keys.map((key) => valueComparison(key, whole.vectors[key.column]!));
    const compare: RowComparison =
      comparisons.length === 1 ? comparisons[0]! : (left, right) => compareRows(comparisons, left, right);
    if (this.#limit === 0) return gatherBlock(whole, new Uint32Array(0));
    const rows =
      this.#limit * 4 < whole.rows
        ? selectFirst(whole.rows, this.#limit, compare).sort()
        : Uint32Array.from({ length: whole.rows }, (_, row) => row);
    // Typed arrays sort in a stable way, so rows that compare equal keep the order they came in.
    rows.sort(compare);
    return gatherBlock(whole, this.#limit < whole.rows ? rows.subarray(0, this.#limit) : rows);
  }

  /** All rows in order, as one block; the sorter is empty afterwards. */
  finish(): Block | null {
    if (this.#rows === 0) return null;
    const block = this.#sorted();
    this.#blocks = [];
    this.#rows = 0;
    return block;
  }
}

function compareRows(comparisons: readonly RowComparison[], left: number, right: number): number {
  for (const compare of comparisons) {
    const order = compare(left, right);
    if (order !== 0) return order;
  }
  return 0;
}
