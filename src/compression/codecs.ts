import { Duplex, type Transform } from 'node:stream';
import { promisify } from 'node:util';
import zlib from 'node:zlib';
import { maybeYouMeant, SluiceError } from '../base/index.ts';
import { decompressBzip2 } from './bzip2.ts';
import { decompressLz4, Lz4Compress } from './lz4.ts';
import { decompressXz } from './xz.ts';

export interface Codec {
  /** The name, as COMPRESSION and Content-Encoding have it. */
  readonly name: string;
  readonly aliases: readonly string[];
  /** The endings of files, without the dot. */
  readonly extensions: readonly string[];
  readonly decompress: () => Duplex;
  /** Compresses what is written into it; undefined when the codec is only read. */
  readonly compress: (() => Transform & { flush: (callback?: () => void) => void }) | undefined;
  /** Compresses a whole body, off this thread where the codec can. */
  readonly compressWhole: ((data: Buffer) => Promise<Buffer>) | undefined;
}

const { constants } = zlib;
const [zstdWhole, gzipWhole, brotliWhole, deflateWhole] = [
  promisify(zlib.zstdCompress),
  promisify(zlib.gzip),
  promisify(zlib.brotliCompress),
  promisify(zlib.deflate),
];
const brotli = { flush: constants.BROTLI_OPERATION_PROCESS, params: { [constants.BROTLI_PARAM_QUALITY]: 4 } };

/** A stream over a generator that turns chunks into chunks. */
function generated(
  decompress: (chunks: AsyncIterable<Uint8Array>) => AsyncGenerator<Buffer, void, void>,
): () => Duplex {
  return () => Duplex.from(decompress);
}

async function lz4Whole(data: Buffer): Promise<Buffer> {
  const frame = new Lz4Compress();
  frame.end(data);
  return Buffer.concat(await frame.toArray());
}

/** Every codec, those preferred for responses first. */
export const codecs: readonly Codec[] = [
  {
    name: 'zstd',
    aliases: ['zst'],
    extensions: ['zst', 'zstd'],
    compress: () => zlib.createZstdCompress(),
    compressWhole: (data) => zstdWhole(data),
    decompress: () => zlib.createZstdDecompress(),
  },
  {
    name: 'gzip',
    aliases: ['gz', 'x-gzip'],
    extensions: ['gz', 'gzip'],
    compress: () => zlib.createGzip({ level: 3 }),
    compressWhole: (data) => gzipWhole(data, { level: 3 }),
    decompress: () => zlib.createGunzip(),
  },
  {
    name: 'br',
    aliases: ['brotli'],
    extensions: ['br'],
    compress: () => zlib.createBrotliCompress(brotli),
    compressWhole: (data) => brotliWhole(data, brotli),
    decompress: () => zlib.createBrotliDecompress(),
  },
  {
    name: 'deflate',
    aliases: [],
    extensions: ['deflate'],
    compress: () => zlib.createDeflate({ level: 3 }),
    compressWhole: (data) => deflateWhole(data, { level: 3 }),
    decompress: () => zlib.createInflate(),
  },
  {
    name: 'lz4',
    aliases: [],
    extensions: ['lz4'],
    compress: () => new Lz4Compress(),
    compressWhole: lz4Whole,
    decompress: generated(decompressLz4),
  },
  {
    name: 'xz',
    aliases: ['lzma'],
    extensions: ['xz'],
    compress: undefined,
    compressWhole: undefined,
    decompress: generated(decompressXz),
  },
  {
    name: 'bz2',
    aliases: ['bzip2'],
    extensions: ['bz2'],
    compress: undefined,
    compressWhole: undefined,
    decompress: generated(decompressBzip2),
  },
];

/** The codec of that name or alias, in any case. */
export function codecNamed(name: string): Codec | undefined {
  const folded = name.toLowerCase();
  return codecs.find((codec) => codec.name === folded || codec.aliases.includes(folded));
}

/** The codec that the ending of a file stands for. */
export function codecOfPath(path: string): Codec | undefined {
  const extension = /\.([^./]+)$/.exec(path)?.[1]?.toLowerCase();
  return extension === undefined ? undefined : codecs.find((codec) => codec.extensions.includes(extension));
}

/**
 * The codec that a query asks for by name, where `auto` goes by the ending of the path; null for none. Throws
 * UNKNOWN_COMPRESSION_METHOD.
 */
export function chooseCodec(name: string, path: string): Codec | null {
  const folded = name.toLowerCase();
  if (folded === 'none') return null;
  if (folded === 'auto' || folded === '') return codecOfPath(path) ?? null;
  const codec = codecNamed(folded);
  if (codec !== undefined) return codec;
  const known = [...codecs.map((each) => each.name), 'none', 'auto'];
  throw new SluiceError(
    'UNKNOWN_COMPRESSION_METHOD',
    `Unknown compression '${name}': expected one of ${known.join(', ')}${maybeYouMeant(name, known)}`,
  );
}
