import bzip2 from 'unbzip2-stream/lib/bzip2.js';
import { toSluiceError } from '../base/index.ts';
import { ByteSource, corrupt, cutOff } from './byte-source.ts';

const blockUnit = 100_000;

/** The most bytes that a block of so many units, or the header or trailer of a stream, takes. */
function blockBytesMax(units: number): number {
  return Math.ceil(units * blockUnit * 1.02) + 40_000;
}

/** Takes bits, the most significant first, out of bytes. */
class BitReader {
  #bytes: Buffer;
  #at = 0;
  #held = 0;
  #count = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  readonly bits = (count: number | null): number => {
    if (count === null) {
      this.#count &= ~7;
      return 0;
    }
    if (count > 16) return (this.bits(count - 16) << 16) | this.bits(16);
    while (this.#count < count) {
      if (this.#at >= this.#bytes.length) throw cutOff('bz2');
      this.#held = (this.#held << 8) | this.#bytes[this.#at++]!;
      this.#count += 8;
    }
    this.#count -= count;
    return (this.#held >>> this.#count) & ((1 << count) - 1);
  };

  /** Goes over to bytes that begin with the first one whose bits are not all taken; gives how many are behind it. */
  advance(): number {
    const done = this.#at - Math.ceil(this.#count / 8);
    this.#at = 0;
    return done;
  }

  /** Begins with these bytes, of whose first one the bits that were taken are passed over. */
  restart(bytes: Buffer): void {
    const taken = (8 - (this.#count & 7)) & 7;
    this.#bytes = bytes;
    this.#at = 0;
    this.#count = 0;
    if (taken > 0) this.bits(taken);
  }
}

/** The bytes of one block as they come. */
class Output {
  #bytes = Buffer.allocUnsafeSlow(1_048_576);
  #length = 0;

  readonly put = (byte: number): void => {
    if (this.#length === this.#bytes.length) {
      const larger = Buffer.allocUnsafeSlow(this.#length * 2);
      this.#bytes.copy(larger);
      this.#bytes = larger;
    }
    this.#bytes[this.#length++] = byte;
  };

  take(): Buffer {
    const taken = Buffer.from(this.#bytes.subarray(0, this.#length));
    this.#length = 0;
    return taken;
  }
}

/** The content of bzip2 streams that stand one after the other; throws CANNOT_DECOMPRESS when cut or damaged. */
export async function* decompressBzip2(
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<Buffer, void, void> {
  const source = new ByteSource(chunks, 'bz2');
  const reader = new BitReader(Buffer.alloc(0));
  const output = new Output();
  let units = 0;
  let work = new Int32Array(0);
  let checksum: number | null = 0;
  if (!(await source.has(1))) throw cutOff('bz2');
  // Between two streams nothing need follow; inside one a block or the end must.
  while (units > 0 || (await source.has(1))) {
    reader.restart(await source.peek(blockBytesMax(units)));
    try {
      if (units === 0) {
        units = bzip2.header(reader.bits);
        checksum = 0;
        if (work.length !== units * blockUnit) work = new Int32Array(units * blockUnit);
      } else {
        checksum = bzip2.decompress(reader.bits, output.put, work, work.length, checksum!);
        if (checksum === null) units = 0;
      }
    } catch (thrown) {
      // The library's own messages are jokes.
      throw toSluiceError(thrown).errorName === 'CANNOT_DECOMPRESS'
        ? thrown
        : corrupt('bz2', 'a block does not decompress');
    }
    source.skip(reader.advance());
    const content = output.take();
    if (content.length > 0) yield content;
  }
}
