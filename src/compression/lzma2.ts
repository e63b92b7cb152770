import { corrupt } from './byte-source.ts';

/*
 * Where the adaptive probabilities of each decision stand in one array, in the order of the LZMA specification; the
 * literals, of which there are as many as the properties ask for, come last.
 */
const isMatch = 0;
const isRepeat = isMatch + (12 << 4);
const isRepeat0 = isRepeat + 12;
const isRepeat1 = isRepeat0 + 12;
const isRepeat2 = isRepeat1 + 12;
const isRepeat0Long = isRepeat2 + 12;
const distanceSlot = isRepeat0Long + (12 << 4);
const distanceSpecial = distanceSlot + 4 * 64;
const distanceAlign = distanceSpecial + 128;
const lengthCoder = distanceAlign + 16;
const lengthCoderSize = 2 + 16 * 8 * 2 + 256;
const repeatLengthCoder = lengthCoder + lengthCoderSize;
const literals = repeatLengthCoder + lengthCoderSize;

/** Bytes beside the dictionary that are decoded before the window is moved. */
const windowSlackMin = 4_194_304;
const chunkBytesMax = 2_097_152;

const damaged = () => corrupt('xz', 'a chunk does not decompress');

/** Decompresses the chunks of an LZMA2 stream one after the other. */
export class Lzma2Decoder {
  readonly #dictionaryBytes: number;
  readonly #capacityMax: number;
  #window = Buffer.allocUnsafeSlow(chunkBytesMax);
  /** Where the next byte goes, and where the bytes begin that may be copied from. */
  #at = 0;
  #start = 0;
  /** Where the window would have the first byte since the dictionary was reset; negative once it was moved out. */
  #origin = 0;
  #probabilities = new Uint16Array(literals);
  #contextBits = 0;
  #literalMask = 0;
  #positionMask = 0;
  #state = 0;
  readonly #distances = new Int32Array(4);
  #needsProperties = true;
  #needsReset = true;
  // The range decoder.
  #input: Buffer = this.#window;
  #inputAt = 0;
  #range = 0;
  #code = 0;

  constructor(dictionaryBytes: number) {
    this.#dictionaryBytes = dictionaryBytes;
    this.#capacityMax = dictionaryBytes + Math.max(windowSlackMin, dictionaryBytes >>> 1);
  }

  /** A chunk that was stored as it is. */
  stored(bytes: Buffer, resetsDictionary: boolean): Buffer {
    if (resetsDictionary) this.#resetDictionary();
    else if (this.#needsReset) throw damaged();
    this.#reserve(bytes.length);
    bytes.copy(this.#window, this.#at);
    this.#at += bytes.length;
    return Buffer.from(bytes);
  }

  /**
   * A compressed chunk, with what its control byte asks to reset first: 0 nothing, 1 the state, 2 also the properties, 3 also
   * the dictionary. `properties` is their byte, or -1.
   */
  compressed(bytes: Buffer, outputBytes: number, reset: number, properties: number): Buffer {
    if (reset === 3) this.#resetDictionary();
    else if (this.#needsReset) throw damaged();
    if (properties >= 0) this.#setProperties(properties);
    else if (this.#needsProperties) throw damaged();
    if (reset > 0) this.#resetState();
    this.#reserve(outputBytes);
    const start = this.#at;
    this.#input = bytes;
    this.#inputAt = 5;
    this.#range = -1;
    this.#code = bytes.length < 5 ? 0 : bytes.readInt32BE(1);
    if (bytes.length < 5 || bytes[0] !== 0) throw damaged();
    this.#decode(start + outputBytes);
    if (this.#inputAt !== bytes.length || this.#code !== 0) throw damaged();
    return Buffer.from(this.#window.subarray(start, this.#at));
  }

  #resetDictionary(): void {
    this.#start = this.#at;
    this.#origin = this.#at;
    this.#needsReset = false;
  }

  #setProperties(properties: number): void {
    const contextBits = properties % 9;
    const rest = Math.floor(properties / 9);
    const literalBits = rest % 5;
    const positionBits = Math.floor(rest / 5);
    if (properties > 224 || contextBits + literalBits > 4) throw damaged();
    this.#contextBits = contextBits;
    this.#literalMask = (1 << literalBits) - 1;
    this.#positionMask = (1 << positionBits) - 1;
    this.#probabilities = new Uint16Array(literals + (0x300 << (contextBits + literalBits)));
    this.#needsProperties = false;
  }

  #resetState(): void {
    this.#probabilities.fill(1024);
    this.#state = 0;
    this.#distances.fill(0);
  }

  /** Makes room for so many bytes; what lies further back than the dictionary reaches is dropped. */
  #reserve(bytes: number): void {
    const needed = this.#at + bytes;
    if (needed <= this.#window.length) return;
    if (needed <= this.#capacityMax || this.#window.length < this.#capacityMax) {
      const larger = Buffer.allocUnsafeSlow(
        Math.min(this.#capacityMax, Math.max(needed, this.#window.length * 2)),
      );
      this.#window.copy(larger, 0, 0, this.#at);
      this.#window = larger;
      if (needed <= larger.length) return;
    }
    const from = Math.max(this.#start, this.#at - this.#dictionaryBytes);
    this.#window.copyWithin(0, from, this.#at);
    this.#at -= from;
    this.#origin -= from;
    this.#start = 0;
  }

  #bit(index: number): number {
    if (this.#range >>> 24 === 0) this.#shift();
    const probability = this.#probabilities[index]!;
    const bound = Math.imul(this.#range >>> 11, probability);
    if (this.#code >>> 0 < bound >>> 0) {
      this.#range = bound;
      this.#probabilities[index] = probability + ((2048 - probability) >>> 5);
      return 0;
    }
    this.#range = (this.#range - bound) | 0;
    this.#code = (this.#code - bound) | 0;
    this.#probabilities[index] = probability - (probability >>> 5);
    return 1;
  }

  #shift(): void {
    if (this.#inputAt >= this.#input.length) throw damaged();
    this.#range <<= 8;
    this.#code = (this.#code << 8) | this.#input[this.#inputAt++]!;
  }

  #tree(base: number, bits: number): number {
    let symbol = 1;
    for (let bit = 0; bit < bits; bit++) symbol = (symbol << 1) | this.#bit(base + symbol);
    return symbol - (1 << bits);
  }

  #reverseTree(base: number, bits: number): number {
    let symbol = 1;
    let value = 0;
    for (let bit = 0; bit < bits; bit++) {
      const one = this.#bit(base + symbol);
      symbol = (symbol << 1) | one;
      value |= one << bit;
    }
    return value;
  }

  /** Bits that are as likely 0 as 1. */
  #directBits(count: number): number {
    let value = 0;
    for (let left = count; left > 0; left--) {
      if (this.#range >>> 24 === 0) this.#shift();
      this.#range >>>= 1;
      const one = this.#code >>> 0 >= this.#range >>> 0 ? 1 : 0;
      if (one === 1) this.#code = (this.#code - this.#range) | 0;
      value = (value << 1) | one;
    }
    return value;
  }

  #length(base: number, positionState: number): number {
    if (this.#bit(base) === 0) return 2 + this.#tree(base + 2 + (positionState << 3), 3);
    if (this.#bit(base + 1) === 0) return 10 + this.#tree(base + 130 + (positionState << 3), 3);
    return 18 + this.#tree(base + 258, 8);
  }

  #distance(length: number): number {
    const slot = this.#tree(distanceSlot + (Math.min(length - 2, 3) << 6), 6);
    if (slot < 4) return slot;
    const bits = (slot >>> 1) - 1;
    const base = (2 | (slot & 1)) << bits;
    if (slot < 14) return base + this.#reverseTree(distanceSpecial + base - slot, bits);
    return (base + (this.#directBits(bits - 4) << 4) + this.#reverseTree(distanceAlign, 4)) | 0;
  }

  #literal(position: number): void {
    const window = this.#window;
    const at = this.#at;
    const previous = at > this.#start ? window[at - 1]! : 0;
    const context =
      ((position & this.#literalMask) << this.#contextBits) + (previous >>> (8 - this.#contextBits));
    const base = literals + 0x300 * context;
    let symbol = 1;
    if (this.#state >= 7) {
      // After a copy the byte at its distance says what is likely.
      let expected = window[at - this.#distances[0]! - 1]!;
      while (symbol < 256) {
        const likely = (expected >>> 7) & 1;
        expected <<= 1;
        const one = this.#bit(base + ((1 + likely) << 8) + symbol);
        symbol = (symbol << 1) | one;
        if (one !== likely) break;
      }
    }
    while (symbol < 256) symbol = (symbol << 1) | this.#bit(base + symbol);
    window[at] = symbol;
    this.#at = at + 1;
    this.#state = this.#state < 4 ? 0 : this.#state < 10 ? this.#state - 3 : this.#state - 6;
  }

  /** Reads which earlier distance is used again, and gives the length of the copy. */
  #repeat(positionState: number): number {
    const distances = this.#distances;
    const state = this.#state;
    if (this.#bit(isRepeat0 + state) === 0) {
      if (this.#bit(isRepeat0Long + (state << 4) + positionState) === 0) {
        this.#state = state < 7 ? 9 : 11;
        return 1;
      }
    } else {
      const which = this.#bit(isRepeat1 + state) === 0 ? 1 : 2 + this.#bit(isRepeat2 + state);
      const distance = distances[which]!;
      for (let index = which; index > 0; index--) distances[index] = distances[index - 1]!;
      distances[0] = distance;
    }
    this.#state = state < 7 ? 8 : 11;
    return this.#length(repeatLengthCoder, positionState);
  }

  #decode(end: number): void {
    const distances = this.#distances;
    while (this.#at < end) {
      const position = this.#at - this.#origin;
      const positionState = position & this.#positionMask;
      const state = this.#state;
      if (this.#bit(isMatch + (state << 4) + positionState) === 0) {
        this.#literal(position);
        continue;
      }
      let length: number;
      if (this.#bit(isRepeat + state) === 1) {
        length = this.#repeat(positionState);
      } else {
        distances.copyWithin(1, 0, 3);
        length = this.#length(lengthCoder, positionState);
        distances[0] = this.#distance(length);
        this.#state = state < 7 ? 7 : 10;
      }
      this.#copy(distances[0]! >>> 0, length, end);
    }
    if (this.#range >>> 24 === 0) this.#shift();
  }

  #copy(distance: number, length: number, end: number): void {
    const window = this.#window;
    let to = this.#at;
    if (distance >= to - this.#start || distance >= this.#dictionaryBytes || to + length > end)
      throw damaged();
    let from = to - distance - 1;
    for (const until = to + length; to < until; ) window[to++] = window[from++]!;
    this.#at = to;
  }
}
