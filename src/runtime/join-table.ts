import type { Block } from '../column/index.ts';
import { type Interner, PairInterner } from './interner.ts';

/** The built side of a hash join: rows by key, chained in the order they came. */
export class JoinTable {
  readonly keys: readonly Interner[];
  readonly pairs: readonly PairInterner[];
  /** First row of each key, by the key's number; -1 for none. */
  head: Int32Array = new Int32Array(64).fill(-1);
  /** The next row with the same key, by row; -1 at the end. */
  next: Int32Array = new Int32Array(0);
  /** All rows, and after them one row of default values for rows of the left side that find nothing. */
  block: Block = { rows: 0, vectors: [] };
  #tail: Int32Array = new Int32Array(64).fill(-1);
  #rows = 0;

  constructor(keys: readonly Interner[]) {
    this.keys = keys;
    this.pairs = keys.slice(1).map(() => new PairInterner());
  }

  /** Links the next row of the built side to key number `id`; rows with a NULL key have id -1 and match nothing. */
  link(id: number): void {
    const row = this.#rows++;
    if (row >= this.next.length) this.next = grow(this.next, row + 1);
    this.next[row] = -1;
    if (id < 0) return;
    if (id >= this.head.length) {
      this.head = grow(this.head, id + 1);
      this.#tail = grow(this.#tail, id + 1);
    }
    const last = this.#tail[id]!;
    if (last < 0) this.head[id] = row;
    else this.next[last] = row;
    this.#tail[id] = row;
  }

  get rows(): number {
    return this.#rows;
  }

  /** First row of key number `id`. */
  first(id: number): number {
    return id < 0 || id >= this.head.length ? -1 : this.head[id]!;
  }
}

function grow(array: Int32Array, length: number): Int32Array {
  const larger = new Int32Array(Math.max(length, array.length * 2, 64)).fill(-1);
  larger.set(array);
  return larger as Int32Array;
}
