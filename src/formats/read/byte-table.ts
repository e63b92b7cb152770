import { Dictionary } from '../../column/index.ts';

/** Slots looked at before the strings count as made to collide. */
const probesMax = 64;

/**
 * A set of byte strings that numbers them in order of appearance: open addressing over a hash of the bytes, four bytes
 * at a time. Strings never leave it.
 */
export class ByteTable {
  size = 0;
  bytes = Buffer.alloc(256);
  view = new DataView(this.bytes.buffer, this.bytes.byteOffset, this.bytes.byteLength);
  #offsets = new Uint32Array(17);
  #hashes = new Int32Array(16);
  /** Number of the entry + 1; 0 in an empty slot. */
  #slots = new Int32Array(64);

  /** Where an entry starts in `bytes`; it ends where the next one starts. */
  start(code: number): number {
    return this.#offsets[code]!;
  }

  get byteLength(): number {
    return this.#offsets[this.size]!;
  }

  /** The number of the bytes [start, end), new or old; -1 when too many others have the same hash. */
  codeOf(bytes: Uint8Array, view: DataView, start: number, end: number): number {
    const length = end - start;
    const hash = hashOf(bytes, view, start, end);
    const slots = this.#slots;
    const mask = slots.length - 1;
    let slot = hash & mask;
    for (let probes = 0; probes < probesMax; probes++) {
      const code = slots[slot]! - 1;
      if (code < 0) return this.#add(bytes, start, end, hash, slot);
      const entry = this.#offsets[code]!;
      if (
        this.#hashes[code] === hash &&
        this.#offsets[code + 1]! - entry === length &&
        this.#equal(bytes, view, start, end, entry)
      ) {
        return code;
      }
      slot = (slot + 1) & mask;
    }
    return -1;
  }

  #equal(bytes: Uint8Array, view: DataView, start: number, end: number, entry: number): boolean {
    const own = this.view;
    let at = start;
    let to = entry;
    for (; at + 4 <= end; at += 4, to += 4) {
      if (view.getInt32(at, true) !== own.getInt32(to, true)) return false;
    }
    for (; at < end; at++, to++) if (bytes[at] !== this.bytes[to]) return false;
    return true;
  }

  #add(bytes: Uint8Array, start: number, end: number, hash: number, slot: number): number {
    const code = this.size++;
    const from = this.#offsets[code]!;
    const to = from + end - start;
    if (to + 4 > this.bytes.length) {
      const larger = Buffer.alloc(Math.max(to + 4, this.bytes.length * 2));
      larger.set(this.bytes);
      this.bytes = larger;
      this.view = new DataView(larger.buffer, larger.byteOffset, larger.byteLength);
    }
    this.bytes.set(bytes.subarray(start, end), from);
    if (code + 1 >= this.#hashes.length) this.#growEntries();
    this.#offsets[code + 1] = to;
    this.#hashes[code] = hash;
    this.#slots[slot] = code + 1;
    if (this.size * 2 > this.#slots.length) this.#growSlots();
    return code;
  }

  #growEntries(): void {
    const offsets = new Uint32Array(this.#hashes.length * 2 + 1);
    offsets.set(this.#offsets);
    this.#offsets = offsets;
    const hashes = new Int32Array(this.#hashes.length * 2);
    hashes.set(this.#hashes);
    this.#hashes = hashes;
  }

  #growSlots(): void {
    const slots = new Int32Array(this.#slots.length * 4);
    const mask = slots.length - 1;
    for (let code = 0; code < this.size; code++) {
      let slot = this.#hashes[code]! & mask;
      while (slots[slot] !== 0) slot = (slot + 1) & mask;
      slots[slot] = code + 1;
    }
    this.#slots = slots;
  }

  /** The strings so far, copied. */
  dictionary(): Dictionary {
    const offsets = this.#offsets.slice(0, this.size + 1);
    return Dictionary.fromBytes(offsets, new Uint8Array(this.bytes.subarray(0, offsets[this.size]!)));
  }
}

function hashOf(bytes: Uint8Array, view: DataView, start: number, end: number): number {
  let hash = end - start;
  let at = start;
  for (; at + 4 <= end; at += 4) {
    hash = Math.imul(hash ^ view.getInt32(at, true), 0x9e3779b1);
    hash ^= hash >>> 15;
  }
  for (; at < end; at++) hash = Math.imul(hash ^ bytes[at]!, 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  return hash ^ (hash >>> 13);
}
