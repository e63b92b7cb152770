/** Something whose memory the cache accounts for. */
export interface Evictable {
  readonly memoryBytes: number;
  /** Lets go of the memory; called by the cache only. */
  evict(): void;
}

/** Keeps what was used last within a budget of bytes, for all logs of a store together. */
export class BlockCache {
  readonly bytesMax: number;
  #evictableBytes = 0;
  #pinnedBytes = 0;
  /** Sets iterate in the order of insertion: the least recently used item comes first. */
  readonly #items = new Set<Evictable>();
  readonly #pinned = new Set<Evictable>();

  constructor(bytesMax: number) {
    this.bytesMax = bytesMax;
  }

  /** Bytes held, pinned items included. */
  get bytes(): number {
    return this.#evictableBytes + this.#pinnedBytes;
  }

  /** Accounts for an item that must stay until it is put or removed. */
  pin(item: Evictable): void {
    this.#pinned.add(item);
    this.#pinnedBytes += item.memoryBytes;
  }

  /** Adds an item, or makes a pinned one evictable; evicts the oldest ones beyond the budget. */
  put(item: Evictable): void {
    this.remove(item);
    this.#items.add(item);
    this.#evictableBytes += item.memoryBytes;
    for (const oldest of this.#items) {
      if (this.bytes <= this.bytesMax) break;
      this.remove(oldest);
      oldest.evict();
    }
  }

  /** Marks the item as used just now. */
  touch(item: Evictable): void {
    if (this.#items.delete(item)) this.#items.add(item);
  }

  /** Stops accounting for the item without evicting it. */
  remove(item: Evictable): void {
    if (this.#items.delete(item)) this.#evictableBytes -= item.memoryBytes;
    else if (this.#pinned.delete(item)) this.#pinnedBytes -= item.memoryBytes;
  }
}
