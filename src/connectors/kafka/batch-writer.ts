import { compressionsAlgorithms, crc32c } from '@platformatic/kafka';
import type { KafkaOptions } from './options.ts';

const headBytes = 61;
const crcEnd = 21;
const isTransactional = 0b1_0000;

/** A message to be written; texts are byte strings. */
export interface Message {
  readonly key: string | null;
  readonly value: Uint8Array | null;
  readonly headers: readonly (readonly [string, string])[];
}

/** Who writes, for brokers that drop what they have had already. */
export interface Producer {
  readonly id: bigint;
  readonly epoch: number;
  readonly isTransactional: boolean;
}

/** Bytes that a number takes in the varying length it is written in. */
function varIntBytes(value: number): number {
  const folded = ((value << 1) ^ (value >> 31)) >>> 0;
  return folded < 128 ? 1 : folded < 16_384 ? 2 : folded < 2_097_152 ? 3 : folded < 268_435_456 ? 4 : 5;
}

function textBytes(length: number): number {
  return varIntBytes(length) + length;
}

/** Messages for one partition, packed end to end as a batch has them. */
export class BatchWriter {
  #bytes = Buffer.allocUnsafeSlow(16_384);
  #end = headBytes;
  #count = 0;
  #firstTime = 0;

  get count(): number {
    return this.#count;
  }

  /** Bytes so far, before they are compressed. */
  get length(): number {
    return this.#end;
  }

  /** At most the bytes that a message takes in a batch. */
  static sizeOf(message: Message): number {
    return BatchWriter.#contentBytes(message) + 16;
  }

  /** Bytes of key, value and headers with their lengths. */
  static #contentBytes({ key, value, headers }: Message): number {
    let bytes = key === null ? 1 : textBytes(key.length);
    bytes += value === null ? 1 : textBytes(value.length);
    bytes += varIntBytes(headers.length);
    for (const [name, text] of headers) bytes += textBytes(name.length) + textBytes(text.length);
    return bytes;
  }

  #reserve(more: number): void {
    const needed = this.#end + more;
    if (needed <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(needed, this.#bytes.length * 2));
    this.#bytes.copy(larger, 0, 0, this.#end);
    this.#bytes = larger;
  }

  #varInt(value: number): void {
    let rest = ((value << 1) ^ (value >> 31)) >>> 0;
    while (rest > 127) {
      this.#bytes[this.#end++] = (rest & 127) | 128;
      rest >>>= 7;
    }
    this.#bytes[this.#end++] = rest;
  }

  #text(text: string | null): void {
    if (text === null) {
      this.#varInt(-1);
      return;
    }
    this.#varInt(text.length);
    this.#bytes.latin1Write(text, this.#end);
    this.#end += text.length;
  }

  add(message: Message, milliseconds: number): void {
    const { key, value, headers } = message;
    if (this.#count === 0) this.#firstTime = milliseconds;
    const elapsed = milliseconds - this.#firstTime;
    const content = BatchWriter.#contentBytes(message);
    const length = 1 + varIntBytes(elapsed) + varIntBytes(this.#count) + content;
    this.#reserve(length + 5);
    this.#varInt(length);
    this.#bytes[this.#end++] = 0;
    this.#varInt(elapsed);
    this.#varInt(this.#count);
    this.#text(key);
    if (value === null) this.#varInt(-1);
    else {
      this.#varInt(value.length);
      this.#bytes.set(value, this.#end);
      this.#end += value.length;
    }
    this.#varInt(headers.length);
    for (const [name, text] of headers) {
      this.#text(name);
      this.#text(text);
    }
    this.#count++;
  }

  /** The batch with its head; the writer is then empty. */
  finish(options: KafkaOptions, producer: Producer, firstSequence: number, lastTime: number): Buffer {
    const algorithm = compressionsAlgorithms[options.properties['compression.type']];
    let batch: Buffer = this.#bytes.subarray(0, this.#end);
    if (algorithm.bitmask !== 0) {
      const packed = algorithm.compressSync(this.#bytes.subarray(headBytes, this.#end));
      batch = Buffer.concat([this.#bytes.subarray(0, headBytes), packed]);
    }
    batch.writeBigInt64BE(0n, 0);
    batch.writeInt32BE(batch.length - 12, 8);
    batch.writeInt32BE(-1, 12);
    batch[16] = 2;
    batch.writeInt16BE(algorithm.bitmask | (producer.isTransactional ? isTransactional : 0), 21);
    batch.writeInt32BE(this.#count - 1, 23);
    batch.writeBigInt64BE(BigInt(this.#firstTime), 27);
    batch.writeBigInt64BE(BigInt(Math.max(this.#firstTime, lastTime)), 35);
    batch.writeBigInt64BE(producer.id, 43);
    batch.writeInt16BE(producer.epoch, 51);
    batch.writeInt32BE(firstSequence, 53);
    batch.writeInt32BE(this.#count, 57);
    batch.writeUInt32BE(crc32c(batch.subarray(crcEnd)), 17);
    this.#bytes = Buffer.allocUnsafeSlow(Math.max(16_384, this.#end));
    this.#end = headBytes;
    this.#count = 0;
    return batch;
  }
}
