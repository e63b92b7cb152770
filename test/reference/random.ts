import { randomNumbers } from '../support/random.ts';

/** Choices that are the same for the same seed. */
export class Random {
  readonly #next: () => number;

  constructor(seed: number) {
    this.#next = randomNumbers(seed);
  }

  /** A whole number from 0 to below `count`. */
  below(count: number): number {
    return Math.floor(this.#next() * count);
  }

  /** True once in `count` times. */
  oneIn(count: number): boolean {
    return this.below(count) === 0;
  }

  pick<Item>(items: readonly Item[]): Item {
    return items[this.below(items.length)]!;
  }

  list<Item>(length: number, make: (index: number) => Item): Item[] {
    return Array.from({ length }, (_, index) => make(index));
  }
}
