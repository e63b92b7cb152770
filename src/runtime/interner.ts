/*
 * Interners give each distinct key of a grouping a small number, in order of first appearance. Groups by several keys are
 * interned as pairs of numbers.
 */

const denseRangeMax = 1 << 22;
const emptyDense = new Int32Array(0);
/** Distinct keys one interner may hold: pairs of their numbers then fit in the exact range of a double. */
export const internedKeysMax = 1 << 26;

function hashOf(key: number): number {
  const low = key | 0;
  // Keys beyond 32 bits and fractions: fold in what the truncation lost.
  const rest =
    low === key ? 0 : (Math.floor(key / 4294967296) | 0) ^ (((key - Math.floor(key)) * 4294967296) | 0);
  let hash = Math.imul(low ^ Math.imul(rest, 0x85ebca6b), 0x9e3779b1);
  hash ^= hash >>> 15;
  hash = Math.imul(hash, 0x2c1b3c6d);
  return hash ^ (hash >>> 13);
}

/** Numbers (integers and floats; NaN is one key, -0 is 0), bigints and NULL. */
export class NumberInterner {
  /** Numbers by key - base, -1 where a key is new; empty when keys are hashed. */
  dense: Int32Array = emptyDense;
  base = 0;
  size = 0;
  values: Float64Array = new Float64Array(64);
  #slots: Int32Array = new Int32Array(0);
  #mask = -1;
  #nanId = -1;
  #nullId = -1;
  #bigs: Map<bigint, number> | null = null;
  #bigValues: Map<number, bigint> | null = null;

  /** Announces that integer keys from `min` to `max` may come, so that they can be looked up without hashing. */
  expect(min: number, max: number): void {
    const hashed = this.#mask >= 0;
    if (hashed || !(max - min < denseRangeMax)) return;
    const { dense } = this;
    if (dense.length > 0 && min >= this.base && max < this.base + dense.length) return;
    const least = dense.length === 0 ? min : Math.min(min, this.base);
    const greatest = dense.length === 0 ? max : Math.max(max, this.base + dense.length - 1);
    if (greatest - least >= denseRangeMax) return;
    const larger = new Int32Array(Math.max(16, greatest - least + 1)).fill(-1);
    if (dense.length > 0) larger.set(dense, this.base - least);
    this.dense = larger;
    this.base = least;
  }

  idOf(key: number): number {
    const offset = key - this.base;
    if (offset >= 0 && offset < this.dense.length && Number.isInteger(offset)) {
      const id = this.dense[offset]!;
      if (id >= 0) return id;
      return (this.dense[offset] = this.#add(key));
    }
    if (Number.isNaN(key)) return this.#nanId < 0 ? (this.#nanId = this.#add(key)) : this.#nanId;
    return this.#hashedId(key + 0);
  }

  /** A key in mixed representation. */
  idOfMixed(key: number | bigint): number {
    if (typeof key === 'number') return this.idOf(key);
    this.#bigs ??= new Map();
    let id = this.#bigs.get(key);
    if (id === undefined) {
      id = this.#add(0);
      this.#bigs.set(key, id);
      this.#bigValues ??= new Map();
      this.#bigValues.set(id, key);
    }
    return id;
  }

  idOfNull(): number {
    return this.#nullId < 0 ? (this.#nullId = this.#add(0)) : this.#nullId;
  }

  /** The number of a key, or -1 when it is new; nothing is added. */
  find(key: number | bigint): number {
    if (typeof key === 'bigint') return this.#bigs?.get(key) ?? -1;
    const offset = key - this.base;
    if (offset >= 0 && offset < this.dense.length && Number.isInteger(offset)) return this.dense[offset]!;
    if (Number.isNaN(key)) return this.#nanId;
    if (this.#mask < 0) return -1;
    let slot = hashOf(key + 0) & this.#mask;
    for (let id = this.#slots[slot]!; id >= 0; id = this.#slots[slot]!) {
      if (this.values[id] === key) return id;
      slot = (slot + 1) & this.#mask;
    }
    return -1;
  }

  valueOf(id: number): number | bigint | null {
    if (id === this.#nullId) return null;
    return this.#bigValues?.get(id) ?? this.values[id]!;
  }

  /** Whether every key is a plain number, so that `values` alone tells them all. */
  get plain(): boolean {
    return this.#nullId < 0 && this.#bigValues === null;
  }

  #add(key: number): number {
    const id = this.size++;
    if (id >= this.values.length) {
      const larger = new Float64Array(this.values.length * 2);
      larger.set(this.values);
      this.values = larger;
    }
    this.values[id] = key;
    return id;
  }

  #hashedId(key: number): number {
    if ((this.size + 1) * 2 > this.#slots.length) this.#rehash();
    const mask = this.#mask;
    const slots = this.#slots;
    let slot = hashOf(key) & mask;
    for (let id = slots[slot]!; id >= 0; id = slots[slot]!) {
      if (this.values[id] === key) return id;
      slot = (slot + 1) & mask;
    }
    return (slots[slot] = this.#add(key));
  }

  #rehash(): void {
    let length = Math.max(64, this.#slots.length * 2);
    // Keys that were looked up without hashing so far are many when the first one is hashed.
    while (length < (this.size + 1) * 2) length *= 2;
    const slots = new Int32Array(length).fill(-1);
    const mask = length - 1;
    for (let id = 0; id < this.size; id++) {
      const special = id === this.#nullId || id === this.#nanId || this.#bigValues?.has(id);
      if (special) continue;
      let slot = hashOf(this.values[id]!) & mask;
      while (slots[slot]! >= 0) slot = (slot + 1) & mask;
      slots[slot] = id;
    }
    this.#slots = slots;
    this.#mask = mask;
  }
}

/** Strings, other values by a text that stands for them, and NULL. */
export class StringInterner {
  readonly values: (string | null)[] = [];
  readonly #ids = new Map<string, number>();
  #nullId = -1;

  get size(): number {
    return this.values.length;
  }

  idOf(key: string): number {
    let id = this.#ids.get(key);
    if (id === undefined) {
      id = this.values.length;
      this.values.push(key);
      this.#ids.set(key, id);
    }
    return id;
  }

  idOfNull(): number {
    if (this.#nullId < 0) {
      this.#nullId = this.values.length;
      this.values.push(null);
    }
    return this.#nullId;
  }

  find(key: string): number {
    return this.#ids.get(key) ?? -1;
  }

  valueOf(id: number): string | null {
    return this.values[id]!;
  }
}

/** Arrays, tuples, maps and wide integers, told apart by their JSON text. */
export class ObjectInterner {
  readonly #texts = new StringInterner();
  readonly values: unknown[] = [];

  get size(): number {
    return this.#texts.size;
  }

  idOf(key: unknown): number {
    const id = this.#texts.idOf(objectKey(key));
    if (id === this.values.length) this.values.push(key);
    return id;
  }

  idOfNull(): number {
    const id = this.#texts.idOfNull();
    if (id === this.values.length) this.values.push(null);
    return id;
  }

  find(key: unknown): number {
    return this.#texts.find(objectKey(key));
  }

  valueOf(id: number): unknown {
    return this.values[id];
  }
}

/** A text that is equal for equal values: what compound values are told apart by in groups, sets and joins. */
export function objectKey(value: unknown): string {
  return JSON.stringify(value, (_, inner) =>
    typeof inner === 'bigint'
      ? `${inner}n`
      : typeof inner === 'number' && !Number.isFinite(inner)
        ? `f${inner}`
        : inner,
  );
}

/** The key under which a value is in a JS Set or Map. */
export function setKey(value: unknown): unknown {
  return typeof value === 'object' && value !== null ? objectKey(value) : value;
}

export type Interner = NumberInterner | StringInterner | ObjectInterner;

/** Pairs of interned numbers. */
export class PairInterner {
  readonly #table = new NumberInterner();

  get size(): number {
    return this.#table.size;
  }

  idOf(left: number, right: number): number {
    return this.#table.idOf(left * internedKeysMax + right);
  }

  find(left: number, right: number): number {
    return left < 0 || right < 0 ? -1 : this.#table.find(left * internedKeysMax + right);
  }

  leftOf(id: number): number {
    return Math.floor(this.#table.values[id]! / internedKeysMax);
  }

  rightOf(id: number): number {
    return this.#table.values[id]! % internedKeysMax;
  }
}
