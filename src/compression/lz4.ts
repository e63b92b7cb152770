import { Transform, type TransformCallback } from 'node:stream';
import { ByteSource, corrupt } from './byte-source.ts';
import { compressLz4Block, decompressLz4Block, lz4BlockBytesMax } from './lz4-block.ts';
import { XxHash32, xxHash32 } from './xx-hash32.ts';

const magic = 0x184d2204;
/** Bytes that a block may look back to in the blocks before it. */
const windowBytes = 65_536;

interface FrameHeader {
  readonly linked: boolean;
  readonly blockChecksums: boolean;
  readonly contentChecksum: boolean;
  readonly contentBytes: bigint | null;
  readonly blockBytesMax: number;
}

async function readHeader(source: ByteSource): Promise<FrameHeader> {
  const head = Buffer.from(await source.take(2));
  const flags = head[0]!;
  const blockCode = (head[1]! >>> 4) & 7;
  if (flags >>> 6 !== 1) throw corrupt('lz4', `its version is ${flags >>> 6}, expected 1`);
  if (blockCode < 4) throw corrupt('lz4', 'the header names no size of blocks');
  const hasSize = (flags & 8) !== 0;
  const hasDictionary = (flags & 1) !== 0;
  const rest = Buffer.from(await source.take((hasSize ? 8 : 0) + (hasDictionary ? 4 : 0)));
  const checksum = (await source.take(1))[0];
  if (((xxHash32(Buffer.concat([head, rest])) >>> 8) & 255) !== checksum)
    throw corrupt('lz4', 'the header fails its checksum');
  if (hasDictionary) throw corrupt('lz4', 'it needs a dictionary, which is not supported');
  return {
    linked: (flags & 32) === 0,
    blockChecksums: (flags & 16) !== 0,
    contentChecksum: (flags & 4) !== 0,
    contentBytes: hasSize ? rest.readBigUInt64LE(0) : null,
    blockBytesMax: 1 << (8 + 2 * blockCode),
  };
}

async function* frameBlocks(source: ByteSource, header: FrameHeader): AsyncGenerator<Buffer, void, void> {
  const hash = header.contentChecksum ? new XxHash32() : null;
  let total = 0n;
  // The last 64 KB of output stand before each block, because the blocks of a linked frame copy from them.
  let history = Buffer.alloc(0);
  for (;;) {
    const word = (await source.take(4)).readUInt32LE(0);
    if (word === 0) break;
    const size = word & 0x7fffffff;
    if (size > header.blockBytesMax) throw corrupt('lz4', `a block has ${size} bytes`);
    const block = await source.take(size);
    let output: Buffer;
    if (word >>> 31 === 1) {
      output = Buffer.from(block);
    } else {
      const whole = Buffer.allocUnsafeSlow(history.length + header.blockBytesMax);
      history.copy(whole);
      output = whole.subarray(history.length, decompressLz4Block(block, whole, history.length));
    }
    const expected = header.blockChecksums ? xxHash32(block) : 0;
    if (header.blockChecksums && (await source.take(4)).readUInt32LE(0) !== expected)
      throw corrupt('lz4', 'a block fails its checksum');
    if (header.linked) {
      const kept = output.length >= windowBytes ? output : Buffer.concat([history, output]);
      history = Buffer.from(kept.subarray(Math.max(0, kept.length - windowBytes)));
    }
    hash?.update(output);
    total += BigInt(output.length);
    yield output;
  }
  if (hash !== null && (await source.take(4)).readUInt32LE(0) !== hash.digest())
    throw corrupt('lz4', 'the content fails its checksum');
  if (header.contentBytes !== null && header.contentBytes !== total)
    throw corrupt('lz4', `it has ${total} bytes where its header says ${header.contentBytes}`);
}

/** The content of LZ4 frames that stand one after the other; throws CANNOT_DECOMPRESS when cut or damaged. */
export async function* decompressLz4(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer, void, void> {
  const source = new ByteSource(chunks, 'lz4');
  let isFirst = true;
  while (isFirst || (await source.has(1))) {
    const word = (await source.take(4)).readUInt32LE(0);
    isFirst = false;
    if (word >>> 4 === 0x184d2a5) {
      // A frame that holds something else than content.
      for (let left = (await source.take(4)).readUInt32LE(0); left > 0; left -= windowBytes)
        await source.take(Math.min(left, windowBytes));
      continue;
    }
    if (word !== magic) throw corrupt('lz4', 'a frame does not begin as one');
    yield* frameBlocks(source, await readHeader(source));
  }
}

const blockBytes = 262_144;
/** Version 1, independent blocks, content checksum; blocks of 256 KB. */
const descriptor = Buffer.from([0x64, 0x50]);

function frameHeader(): Buffer {
  const header = Buffer.alloc(7);
  header.writeUInt32LE(magic, 0);
  descriptor.copy(header, 4);
  header[6] = (xxHash32(descriptor) >>> 8) & 255;
  return header;
}

/** Makes one LZ4 frame of what is written into it. */
export class Lz4Compress extends Transform {
  readonly #hash = new XxHash32();
  readonly #pending = Buffer.allocUnsafeSlow(blockBytes);
  #held = 0;
  #isStarted = false;

  override _transform(chunk: Buffer, _: BufferEncoding, done: TransformCallback): void {
    if (chunk.length === 0 && this.#held > 0) this.#emitBlock();
    for (let at = 0; at < chunk.length; ) {
      const copied = chunk.copy(this.#pending, this.#held, at);
      at += copied;
      this.#held += copied;
      if (this.#held === blockBytes) this.#emitBlock();
    }
    done();
  }

  override _flush(done: TransformCallback): void {
    this.#emitBlock();
    const end = Buffer.alloc(8);
    end.writeUInt32LE(this.#hash.digest(), 4);
    this.push(end);
    done();
  }

  /** Hands out what has been written so far; the empty chunk that asks for it takes its turn behind that. */
  flush(callback?: () => void): void {
    if (this.writable) this.write(Buffer.alloc(0), callback);
    else callback?.();
  }

  #emitBlock(): void {
    if (!this.#isStarted) {
      this.#isStarted = true;
      this.push(frameHeader());
    }
    if (this.#held === 0) return;
    const content = this.#pending.subarray(0, this.#held);
    this.#held = 0;
    this.#hash.update(content);
    const target = Buffer.allocUnsafe(4 + lz4BlockBytesMax(content.length));
    const size = compressLz4Block(content, target.subarray(4));
    if (size < content.length) {
      target.writeUInt32LE(size, 0);
      this.push(target.subarray(0, 4 + size));
      return;
    }
    // What does not shrink is kept as it is.
    target.writeUInt32LE((content.length | 0x80000000) >>> 0, 0);
    content.copy(target, 4);
    this.push(target.subarray(0, 4 + content.length));
  }
}
