import { compressionsAlgorithmsByBitmask, crc32c } from '@platformatic/kafka';
import { SluiceError } from '../../base/index.ts';

/** Bytes of a batch up to and including its length, and up to its first record. */
const lengthEnd = 12;
const headBytes = 61;
const crcEnd = 21;

const isLogAppendTime = 0b1000;
const isTransactional = 0b1_0000;
const isControl = 0b10_0000;
const isCompressed = 0b111;

/** A transaction whose messages from an offset on are not to be shown. */
export interface AbortedTransaction {
  readonly producerId: bigint;
  readonly firstOffset: bigint;
}

/** The offset after the last whole batch; `from` when there is none. */
export function endOfBatches(bytes: Buffer, from: number): number {
  let next = from;
  for (let at = 0; at + headBytes <= bytes.length; ) {
    const end = at + lengthEnd + bytes.readInt32BE(at + 8);
    if (end > bytes.length) break;
    next = Number(bytes.readBigInt64BE(at)) + bytes.readInt32BE(at + 23) + 1;
    at = end;
  }
  return next;
}

/**
 * The messages of one answer for one partition, one after the other, without an object for each. The fields are those of the
 * message that `next` moved to; key, value and headers stand in `bytes`.
 */
export class RecordCursor {
  bytes: Buffer;
  offset = -1;
  /** Milliseconds since 1970 UTC. */
  timestamp = 0;
  keyStart = 0;
  /** -1 for NULL, also below. */
  keyLength = -1;
  valueStart = 0;
  valueLength = -1;
  headerCount = 0;
  headersStart = 0;
  readonly #batches: Buffer;
  readonly #from: number;
  readonly #aborted: AbortedTransaction[];
  readonly #skipped = new Set<bigint>();
  #nextBatch = 0;
  #recordsLeft = 0;
  #at = 0;
  #baseOffset = 0;
  #baseTimestamp = 0;
  #appendTime = -1;

  /** Messages below `from` are passed over: a batch may begin before what was asked for. */
  constructor(batches: Buffer, from: number, aborted: readonly AbortedTransaction[]) {
    this.bytes = batches;
    this.#batches = batches;
    this.#from = from;
    this.#aborted = [...aborted].sort((left, right) => (left.firstOffset < right.firstOffset ? -1 : 1));
  }

  /** Moves to the next message; false at the end. Throws CORRUPTED_DATA for bytes that are no messages. */
  next(): boolean {
    for (;;) {
      while (this.#recordsLeft === 0) if (!this.#toBatch()) return false;
      this.#recordsLeft--;
      this.#readRecord();
      if (this.offset >= this.#from) return true;
    }
  }

  #toBatch(): boolean {
    const batches = this.#batches;
    const at = this.#nextBatch;
    if (at + headBytes > batches.length) return false;
    const end = at + lengthEnd + batches.readInt32BE(at + 8);
    if (end > batches.length) return false;
    this.#nextBatch = end;
    const first = batches.readBigInt64BE(at);
    const magic = batches[at + 16]!;
    if (magic !== 2)
      throw new SluiceError(
        'CORRUPTED_DATA',
        `The batch of messages at offset ${first} has format ${magic}, and only 2 is read`,
      );
    if (crc32c(batches.subarray(at + crcEnd, end)) !== batches.readUInt32BE(at + 17))
      throw new SluiceError('CORRUPTED_DATA', `The batch of messages at offset ${first} is damaged`);
    const attributes = batches.readInt16BE(at + 21);
    if (this.#isHidden(at, attributes, first)) return true;
    this.#baseOffset = Number(first);
    this.#baseTimestamp = Number(batches.readBigInt64BE(at + 27));
    this.#appendTime = attributes & isLogAppendTime ? Number(batches.readBigInt64BE(at + 35)) : -1;
    this.#recordsLeft = batches.readInt32BE(at + 57);
    const compression = attributes & isCompressed;
    if (compression === 0) {
      this.bytes = batches;
      this.#at = at + headBytes;
      return true;
    }
    const algorithm = compressionsAlgorithmsByBitmask[compression];
    if (algorithm === undefined)
      throw new SluiceError('CORRUPTED_DATA', `Batches compressed by method ${compression} are not read`);
    this.bytes = algorithm.decompressSync(batches.subarray(at + headBytes, end));
    this.#at = 0;
    return true;
  }

  /** Whether a batch holds a mark of the log itself, or messages of a transaction that was given up. */
  #isHidden(at: number, attributes: number, first: bigint): boolean {
    const batches = this.#batches;
    const producer = batches.readBigInt64BE(at + 43);
    const last = first + BigInt(batches.readInt32BE(at + 23));
    while (this.#aborted.length > 0 && this.#aborted[0]!.firstOffset <= last)
      this.#skipped.add(this.#aborted.shift()!.producerId);
    if (attributes & isControl) {
      // The mark that ends a transaction: what its producer sends afterwards is of another one.
      this.#skipped.delete(producer);
      return true;
    }
    return (attributes & isTransactional) !== 0 && this.#skipped.has(producer);
  }

  #varInt(): number {
    const { bytes } = this;
    let value = 0;
    let byte = bytes[this.#at++]!;
    if (byte < 128) return (byte >>> 1) ^ -(byte & 1);
    value = byte & 127;
    for (let shift = 7; shift < 35; shift += 7) {
      byte = bytes[this.#at++]!;
      value |= (byte & 127) << shift;
      if (byte < 128) break;
    }
    return (value >>> 1) ^ -(value & 1);
  }

  /** A 64-bit number that is a safe integer, such as a difference of times. */
  #varLong(): number {
    const { bytes } = this;
    let value = 0;
    let scale = 1;
    for (;;) {
      const byte = bytes[this.#at++]!;
      value += (byte & 127) * scale;
      if (byte < 128 || scale > 2 ** 63) break;
      scale *= 128;
    }
    const half = Math.floor(value / 2);
    return value % 2 === 0 ? half : -half - 1;
  }

  #readRecord(): void {
    const length = this.#varInt();
    const end = this.#at + length;
    if (!(length > 0 && end <= this.bytes.length))
      throw new SluiceError(
        'CORRUPTED_DATA',
        `A message after offset ${this.offset} is longer than its batch`,
      );
    this.#at++;
    const elapsed = this.#varLong();
    this.timestamp = this.#appendTime >= 0 ? this.#appendTime : this.#baseTimestamp + elapsed;
    this.offset = this.#baseOffset + this.#varInt();
    this.keyLength = this.#varInt();
    this.keyStart = this.#at;
    if (this.keyLength > 0) this.#at += this.keyLength;
    this.valueLength = this.#varInt();
    this.valueStart = this.#at;
    if (this.valueLength > 0) this.#at += this.valueLength;
    this.headerCount = this.#varInt();
    this.headersStart = this.#at;
    this.#at = end;
  }

  /** The key as a byte string; null when there is none. */
  get key(): string | null {
    const { keyStart, keyLength } = this;
    return keyLength < 0 ? null : this.bytes.latin1Slice(keyStart, keyStart + keyLength);
  }

  /** Names and values as byte strings; a value that is NULL is empty. */
  get headers(): [string, string][] {
    const after = this.#at;
    this.#at = this.headersStart;
    const text = (): string => {
      const length = this.#varInt();
      const start = this.#at;
      if (length > 0) this.#at += length;
      return this.bytes.latin1Slice(start, this.#at);
    };
    const headers: [string, string][] = [];
    for (let left = this.headerCount; left > 0; left--) headers.push([text(), text()]);
    this.#at = after;
    return headers;
  }
}
