import { pipeline, Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { SluiceError } from '../base/index.ts';
import type { Codec } from './codecs.ts';

/** Counts the bytes on their way. */
async function* counted(
  chunks: AsyncIterable<Uint8Array>,
  count: { bytes: number },
): AsyncGenerator<Uint8Array, void, void> {
  for await (const chunk of chunks) {
    count.bytes += chunk.byteLength;
    yield chunk;
  }
}

/** An error that the source of compressed data, not the data, is to blame for. */
function isForeign(thrown: unknown): boolean {
  const { code } = thrown as NodeJS.ErrnoException;
  return thrown instanceof SluiceError || !/^(Z_|ERR_|ZSTD_|BROTLI)/.test(code ?? '');
}

/**
 * What compressed chunks hold, with no more in memory than a few chunks; a codec of null hands them on as they are. Throws
 * CANNOT_DECOMPRESS when the data is cut off or damaged, or when something follows it.
 */
export async function* decompressed(
  chunks: AsyncIterable<Uint8Array>,
  codec: Codec | null,
): AsyncGenerator<Uint8Array, void, void> {
  if (codec === null) {
    yield* chunks;
    return;
  }
  const count = { bytes: 0 };
  const stream = codec.decompress();
  // The error of a pipeline is the error of the stream that is read below.
  pipeline(Readable.from(counted(chunks, count)), stream, () => {});
  try {
    yield* stream as AsyncIterable<Buffer>;
  } catch (thrown) {
    if (isForeign(thrown)) throw thrown;
    throw new SluiceError(
      'CANNOT_DECOMPRESS',
      `The ${codec.name} data cannot be decompressed: ${(thrown as Error).message}`,
      { cause: thrown },
    );
  }
  const { bytesWritten } = stream as { bytesWritten?: number };
  if (bytesWritten !== undefined && bytesWritten < count.bytes) {
    throw new SluiceError(
      'CANNOT_DECOMPRESS',
      `The ${codec.name} data ends after ${bytesWritten} bytes, but ${count.bytes} were given`,
    );
  }
}

/** Compresses chunks as they are written; the parts of the output come back from `write` and `end`. */
export class Compressor {
  readonly #stream: ReturnType<NonNullable<Codec['compress']>>;
  readonly #ended: Promise<void>;
  #parts: Buffer[] = [];

  /** Throws NOT_IMPLEMENTED for a codec that is only read. */
  constructor(codec: Codec) {
    if (codec.compress === undefined)
      throw new SluiceError('NOT_IMPLEMENTED', `Compression ${codec.name} can be read, but not written`);
    this.#stream = codec.compress();
    this.#stream.on('data', (part: Buffer) => this.#parts.push(part));
    this.#ended = finished(this.#stream);
    this.#ended.catch(() => {});
  }

  #taken(): Buffer[] {
    const parts = this.#parts;
    this.#parts = [];
    return parts;
  }

  /** Takes bytes, and gives what has become of those so far. */
  async write(bytes: Uint8Array): Promise<Buffer[]> {
    await new Promise<void>((resolve, reject) => {
      this.#stream.write(bytes, (error) => (error ? reject(error) : resolve()));
    });
    return this.#taken();
  }

  /** Ends the data, and gives the rest. */
  async end(): Promise<Buffer[]> {
    this.#stream.end();
    await this.#ended;
    return this.#taken();
  }

  close(): void {
    this.#stream.destroy();
  }
}
