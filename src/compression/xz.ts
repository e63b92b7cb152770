import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { ByteSource, corrupt, cutOff } from './byte-source.ts';
import { Crc64 } from './crc64.ts';
import { Lzma2Decoder } from './lzma2.ts';

const headerMagic = Buffer.from([0xfd, 0x37, 0x7a, 0x58, 0x5a, 0]);
const lzma2Filter = 0x21;
/** The largest dictionary that is decoded: that of `xz -9`. */
const dictionaryBytesMax = 64 * 1_048_576;

interface Check {
  update(bytes: Buffer): void;
  digest(): Buffer;
}

function crc32Check(): Check {
  let value = 0;
  return {
    update: (bytes) => {
      value = crc32(bytes, value);
    },
    digest: () => uint32(value),
  };
}

function sha256Check(): Check {
  const hash = createHash('sha256');
  return { update: (bytes) => void hash.update(bytes), digest: () => hash.digest() };
}

const noCheck: Check = { update: () => {}, digest: () => Buffer.alloc(0) };

function makeCheck(id: number): Check {
  switch (id) {
    case 0:
      return noCheck;
    case 1:
      return crc32Check();
    case 4:
      return new Crc64();
    case 10:
      return sha256Check();
    default:
      throw corrupt('xz', `its kind of checksum (${id}) is not supported`);
  }
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value >>> 0);
  return bytes;
}

/** Reads an integer of seven bits a byte; gives it and where it ends. */
function variableInteger(bytes: Buffer, from: number): [value: number, end: number] {
  let value = 0;
  for (let at = from, scale = 1; at < from + 8; at++, scale *= 128) {
    const byte = bytes[at];
    if (byte === undefined) break;
    value += (byte & 127) * scale;
    if (byte < 128) return [value, at + 1];
  }
  throw corrupt('xz', 'a number in a header is not finished');
}

interface BlockHeader {
  readonly bytes: number;
  readonly dictionaryBytes: number;
  readonly contentBytes: number | null;
}

function parseBlockHeader(header: Buffer): BlockHeader {
  const end = header.length - 4;
  if (crc32(header.subarray(0, end)) !== header.readUInt32LE(end))
    throw corrupt('xz', 'the header of a block fails its checksum');
  const flags = header[1]!;
  let at = 2;
  let contentBytes: number | null = null;
  if ((flags & 0x40) !== 0) [, at] = variableInteger(header, at);
  if ((flags & 0x80) !== 0) [contentBytes, at] = variableInteger(header, at);
  const [filter, afterFilter] = variableInteger(header, at);
  if ((flags & 3) !== 0 || filter !== lzma2Filter)
    throw corrupt('xz', 'it uses filters other than LZMA2, which are not supported');
  const [propertyBytes, propertyAt] = variableInteger(header, afterFilter);
  const code = header[propertyAt]!;
  if (propertyBytes !== 1 || code > 40) throw corrupt('xz', 'the properties of a block are wrong');
  const dictionaryBytes = code === 40 ? 2 ** 32 - 1 : (2 | (code & 1)) * 2 ** ((code >>> 1) + 11);
  if (dictionaryBytes > dictionaryBytesMax) {
    throw corrupt(
      'xz',
      `it needs a dictionary of ${dictionaryBytes} bytes, and ${dictionaryBytesMax} is the most that is allowed`,
    );
  }
  return { bytes: header.length, dictionaryBytes, contentBytes };
}

/** What the index at the end has to say about a block. */
interface BlockSizes {
  readonly unpadded: number;
  readonly content: number;
}

async function* blockContent(
  source: ByteSource,
  header: BlockHeader,
  checkId: number,
  sizes: BlockSizes[],
): AsyncGenerator<Buffer, void, void> {
  const decoder = new Lzma2Decoder(header.dictionaryBytes);
  const check = makeCheck(checkId);
  let packed = 1;
  let content = 0;
  for (;;) {
    const control = (await source.take(1))[0]!;
    if (control === 0) break;
    let output: Buffer;
    if (control < 0x80) {
      if (control > 2) throw corrupt('xz', 'a chunk begins with an unknown byte');
      const size = (await source.take(2)).readUInt16BE(0) + 1;
      output = decoder.stored(await source.take(size), control === 1);
      packed += 3 + size;
    } else {
      const reset = (control >>> 5) & 3;
      const head = await source.take(reset >= 2 ? 5 : 4);
      const outputBytes = (((control & 31) << 16) | head.readUInt16BE(0)) + 1;
      const size = head.readUInt16BE(2) + 1;
      packed += 1 + head.length + size;
      const properties = reset >= 2 ? head[4]! : -1;
      output = decoder.compressed(await source.take(size), outputBytes, reset, properties);
    }
    check.update(output);
    content += output.length;
    yield output;
  }
  const padding = await source.take((4 - (packed & 3)) & 3);
  if (padding.some((byte) => byte !== 0)) throw corrupt('xz', 'the padding of a block is not zero');
  const digest = check.digest();
  if (!digest.equals(await source.take(digest.length)))
    throw corrupt('xz', 'the content of a block fails its checksum');
  if (header.contentBytes !== null && header.contentBytes !== content)
    throw corrupt('xz', 'a block has another size than its header says');
  sizes.push({ unpadded: header.bytes + packed + digest.length, content });
}

/** Reads the index behind the blocks, whose first byte was read, and compares it with them; gives its size in bytes. */
async function checkIndex(source: ByteSource, sizes: readonly BlockSizes[]): Promise<number> {
  let read = Buffer.alloc(1);
  const next = async (): Promise<number> => {
    const from = read.length;
    for (;;) {
      read = Buffer.concat([read, await source.take(1)]);
      if (read[read.length - 1]! < 128 || read.length - from > 8) return variableInteger(read, from)[0];
    }
  };
  const wrong = () => corrupt('xz', 'the index does not agree with the blocks');
  if ((await next()) !== sizes.length) throw wrong();
  let hash = crc32(read);
  let total = read.length;
  for (const { unpadded, content } of sizes) {
    read = Buffer.alloc(0);
    if ((await next()) !== unpadded || (await next()) !== content) throw wrong();
    hash = crc32(read, hash);
    total += read.length;
  }
  const padding = await source.take((4 - (total & 3)) & 3);
  hash = crc32(padding, hash);
  total += padding.length;
  if ((await source.take(4)).readUInt32LE(0) !== hash) throw corrupt('xz', 'the index fails its checksum');
  return total + 4;
}

async function checkFooter(source: ByteSource, flags: Buffer, indexBytes: number): Promise<void> {
  const footer = await source.take(12);
  const expected = Buffer.concat([uint32(indexBytes / 4 - 1), flags, Buffer.from('YZ')]);
  if (!footer.subarray(4).equals(expected) || footer.readUInt32LE(0) !== crc32(footer.subarray(4, 10)))
    throw corrupt('xz', 'the end of the stream is wrong');
}

async function* streamContent(source: ByteSource): AsyncGenerator<Buffer, void, void> {
  const header = Buffer.from(await source.take(12));
  if (!header.subarray(0, 6).equals(headerMagic)) throw corrupt('xz', 'it does not begin as an xz stream');
  const flags = header.subarray(6, 8);
  if (crc32(flags) !== header.readUInt32LE(8) || flags[0] !== 0 || flags[1]! > 15)
    throw corrupt('xz', 'the header of the stream is wrong');
  const sizes: BlockSizes[] = [];
  for (;;) {
    const code = (await source.take(1))[0]!;
    if (code === 0) break;
    const rest = await source.take(code * 4 + 3);
    const block = parseBlockHeader(Buffer.concat([Buffer.from([code]), rest]));
    yield* blockContent(source, block, flags[1]!, sizes);
  }
  await checkFooter(source, flags, await checkIndex(source, sizes));
}

/** The content of xz streams that stand one after the other; throws CANNOT_DECOMPRESS when cut or damaged. */
export async function* decompressXz(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer, void, void> {
  const source = new ByteSource(chunks, 'xz');
  if (!(await source.has(1))) throw cutOff('xz');
  while (await source.has(1)) {
    yield* streamContent(source);
    // Streams may be padded with zeros, four at a time.
    while (await source.has(4)) {
      const ahead = await source.peek(4);
      if (ahead.readUInt32LE(0) !== 0) break;
      source.skip(4);
    }
  }
}
