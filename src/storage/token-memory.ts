/** The rows that were written under a token. */
export interface TokenRange {
  readonly firstSequence: number;
  readonly rows: number;
}

/** Remembers the last so many deduplication tokens of a log, in the order in which they were written. */
export class TokenMemory {
  readonly #tokensMax: number;
  readonly #ranges = new Map<string, TokenRange>();

  constructor(tokensMax: number) {
    this.#tokensMax = tokensMax;
  }

  get(token: string): TokenRange | undefined {
    return this.#ranges.get(token);
  }

  set(token: string, range: TokenRange): void {
    this.#ranges.delete(token);
    this.#ranges.set(token, range);
    if (this.#ranges.size <= this.#tokensMax) return;
    for (const oldest of this.#ranges.keys()) {
      this.#ranges.delete(oldest);
      break;
    }
  }

  clear(): void {
    this.#ranges.clear();
  }

  entries(): (readonly [string, number, number])[] {
    return Array.from(this.#ranges, ([token, range]) => [token, range.firstSequence, range.rows] as const);
  }
}
