import { type BlockRef, BlockTail, type StoredBlock } from './stored-block.ts';

/** The blocks of a log in the order of their rows; quarantined rows are gaps in it. */
export class BlockList {
  #blocks: StoredBlock[] = [];
  #rows = 0;

  get blocks(): readonly StoredBlock[] {
    return this.#blocks;
  }

  get rows(): number {
    return this.#rows;
  }

  push(block: StoredBlock): void {
    this.#blocks.push(block);
    this.#rows += block.rows;
  }

  clear(): readonly StoredBlock[] {
    const blocks = this.#blocks;
    this.#blocks = [];
    this.#rows = 0;
    return blocks;
  }

  /** Index of the first block that ends after the sequence number. */
  indexOf(sequence: number): number {
    let low = 0;
    let high = this.#blocks.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#blocks[middle]!.end <= sequence) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** The blocks with rows from the sequence number on, the first one cut to start there. */
  from(sequence: number): BlockRef[] {
    const refs: BlockRef[] = this.#blocks.slice(sequence <= 0 ? 0 : this.indexOf(sequence));
    const first = refs[0];
    if (first !== undefined && first.firstSequence < sequence) refs[0] = new BlockTail(first, sequence);
    return refs;
  }

  /** The blocks with rows in [first, end). */
  within(first: number, end: number): StoredBlock[] {
    const blocks: StoredBlock[] = [];
    for (let index = this.indexOf(first); index < this.#blocks.length; index++) {
      const block = this.#blocks[index]!;
      if (block.firstSequence >= end) break;
      blocks.push(block);
    }
    return blocks;
  }

  /** Puts blocks in the place of others, which stand next to each other; false when they are not in the list. */
  replace(old: readonly StoredBlock[], replacement: readonly StoredBlock[]): boolean {
    const index = this.indexOf(old[0]!.firstSequence);
    for (let offset = 0; offset < old.length; offset++) {
      if (this.#blocks[index + offset] !== old[offset]) return false;
    }
    this.#blocks.splice(index, old.length, ...replacement);
    for (const block of old) this.#rows -= block.rows;
    for (const block of replacement) this.#rows += block.rows;
    return true;
  }
}
