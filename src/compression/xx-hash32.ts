const primes = [0x9e3779b1, 0x85ebca77, 0xc2b2ae3d, 0x27d4eb2f, 0x165667b1] as const;

function rotated(value: number, bits: number): number {
  return (value << bits) | (value >>> (32 - bits));
}

function round(lane: number, word: number): number {
  return Math.imul(rotated((lane + Math.imul(word, primes[1])) | 0, 13), primes[0]);
}

/** XXH32 with seed 0 over data that comes in pieces: the checksum of LZ4 frames. */
export class XxHash32 {
  readonly #lanes = new Int32Array([primes[0] + primes[1], primes[1], 0, -primes[0]]);
  readonly #pending = Buffer.alloc(16);
  #held = 0;
  #length = 0;

  update(bytes: Buffer): void {
    let at = 0;
    this.#length += bytes.length;
    if (this.#held > 0) {
      at = bytes.copy(this.#pending, this.#held, 0, 16 - this.#held);
      this.#held += at;
      if (this.#held < 16) return;
      this.#blocks(this.#pending, 0, 16);
      this.#held = 0;
    }
    const end = at + ((bytes.length - at) & ~15);
    this.#blocks(bytes, at, end);
    this.#held = bytes.copy(this.#pending, 0, end);
  }

  #blocks(bytes: Buffer, from: number, to: number): void {
    const lanes = this.#lanes;
    let [a, b, c, d] = lanes as unknown as [number, number, number, number];
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    for (let at = from; at < to; at += 16) {
      a = round(a, view.getInt32(at, true));
      b = round(b, view.getInt32(at + 4, true));
      c = round(c, view.getInt32(at + 8, true));
      d = round(d, view.getInt32(at + 12, true));
    }
    lanes.set([a, b, c, d]);
  }

  /** The hash of everything so far, as an unsigned number. */
  digest(): number {
    const [a, b, c, d] = this.#lanes as unknown as [number, number, number, number];
    let hash =
      this.#length >= 16 ? rotated(a, 1) + rotated(b, 7) + rotated(c, 12) + rotated(d, 18) : primes[4];
    hash = (hash + this.#length) | 0;
    let at = 0;
    for (; at + 4 <= this.#held; at += 4) {
      hash = (hash + Math.imul(this.#pending.readInt32LE(at), primes[2])) | 0;
      hash = Math.imul(rotated(hash, 17), primes[3]);
    }
    for (; at < this.#held; at++) {
      hash = (hash + Math.imul(this.#pending[at]!, primes[4])) | 0;
      hash = Math.imul(rotated(hash, 11), primes[0]);
    }
    hash = Math.imul(hash ^ (hash >>> 15), primes[1]);
    hash = Math.imul(hash ^ (hash >>> 13), primes[2]);
    return (hash ^ (hash >>> 16)) >>> 0;
  }
}

/** XXH32 with seed 0 of bytes at hand. */
export function xxHash32(bytes: Buffer): number {
  const hash = new XxHash32();
  hash.update(bytes);
  return hash.digest();
}
