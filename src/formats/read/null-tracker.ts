import type { NullMask } from '../../column/index.ts';

/** The mask of the NULL rows of a block in the making. */
export class NullTracker {
  #mask: Uint8Array;
  #any = false;

  constructor(capacity: number) {
    this.#mask = new Uint8Array(capacity);
  }

  /** One byte per row. Whoever writes a 1 into it calls `found`. */
  get mask(): Uint8Array {
    return this.#mask;
  }

  found(): void {
    this.#any = true;
  }

  set(row: number, isNull: boolean): void {
    this.#mask[row] = isNull ? 1 : 0;
    if (isNull) this.#any = true;
  }

  fill(from: number, to: number, isNull: boolean): void {
    this.#mask.fill(isNull ? 1 : 0, from, to);
    if (isNull) this.#any = true;
  }

  grow(capacity: number): void {
    const larger = new Uint8Array(capacity);
    larger.set(this.#mask);
    this.#mask = larger;
  }

  finish(rows: number): NullMask {
    if (!this.#any) return null;
    this.#any = false;
    const mask = this.#mask.slice(0, rows);
    this.#mask.fill(0);
    return mask.includes(1) ? mask : null;
  }
}
