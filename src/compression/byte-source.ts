import { SluiceError } from '../base/index.ts';

const empty = Buffer.alloc(0);

/** The failure of compressed data that ends too early. */
export function cutOff(codec: string): SluiceError {
  return new SluiceError('CANNOT_DECOMPRESS', `The ${codec} data ends before its end: it was cut off`);
}

/** The failure of compressed data that is not what it should be. */
export function corrupt(codec: string, what: string): SluiceError {
  return new SluiceError('CANNOT_DECOMPRESS', `The ${codec} data is damaged: ${what}`);
}

/** Bytes asked for by count from chunks of any size. */
export class ByteSource {
  readonly #chunks: AsyncIterator<Uint8Array>;
  readonly #codec: string;
  #bytes: Buffer = empty;
  #at = 0;
  #ended = false;

  constructor(chunks: AsyncIterable<Uint8Array>, codec: string) {
    this.#chunks = chunks[Symbol.asyncIterator]();
    this.#codec = codec;
  }

  /** Reads ahead until there are so many bytes; false when the data ends before. */
  async has(count: number): Promise<boolean> {
    if (this.#bytes.length - this.#at >= count) return true;
    const parts: Buffer[] = [this.#bytes.subarray(this.#at)];
    let size = parts[0]!.length;
    while (size < count && !this.#ended) {
      const step = await this.#chunks.next();
      if (step.done === true) {
        this.#ended = true;
        break;
      }
      const { value } = step;
      parts.push(Buffer.from(value.buffer, value.byteOffset, value.byteLength));
      size += value.byteLength;
    }
    this.#bytes = parts.length === 1 ? parts[0]! : Buffer.concat(parts);
    this.#at = 0;
    return size >= count;
  }

  /** The next bytes, which stay as they are until the next call; throws CANNOT_DECOMPRESS when there are fewer. */
  async take(count: number): Promise<Buffer> {
    if (!(await this.has(count))) throw cutOff(this.#codec);
    const taken = this.#bytes.subarray(this.#at, this.#at + count);
    this.#at += count;
    return taken;
  }

  /** What has been read ahead, at least `count` bytes unless the data ends before; nothing is taken. */
  async peek(count: number): Promise<Buffer> {
    await this.has(count);
    return this.#bytes.subarray(this.#at);
  }

  /** Goes past bytes that were peeked at. */
  skip(count: number): void {
    this.#at += count;
  }
}
