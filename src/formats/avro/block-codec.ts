import zlib, { crc32 } from 'node:zlib';
import snappy from 'snappyjs';
import { type Settings, SluiceError } from '../../base/index.ts';

/** How the blocks of a container file are compressed. */
export interface BlockCodec {
  /** The name in the header of the file. */
  readonly name: string;
  readonly compress: (block: Buffer) => Buffer;
  /** Decompresses a block of at most blockBytesMax bytes; throws what its library throws. */
  readonly decompress: (block: Buffer) => Buffer;
}

/** Bytes that one block may have, compressed or not. */
export const blockBytesMax = 268_435_456;

const limit = { maxOutputLength: blockBytesMax };

/** Snappy has the checksum of the content behind the compressed bytes, the highest byte first. */
function snappyDecompress(block: Buffer): Buffer {
  if (block.length < 4) throw new Error('it is too short');
  const content = snappy.uncompress(block.subarray(0, -4), blockBytesMax);
  if (crc32(content) !== block.readUInt32BE(block.length - 4)) throw new Error('it fails its checksum');
  return content;
}

function snappyCompress(block: Buffer): Buffer {
  const checksum = Buffer.alloc(4);
  checksum.writeUInt32BE(crc32(block));
  return Buffer.concat([snappy.compress(block), checksum]);
}

const codecs: readonly BlockCodec[] = [
  { name: 'null', compress: (block) => block, decompress: (block) => block },
  {
    name: 'deflate',
    compress: (block) => zlib.deflateRawSync(block, { level: 6 }),
    decompress: (block) => zlib.inflateRawSync(block, limit),
  },
  { name: 'snappy', compress: snappyCompress, decompress: snappyDecompress },
  {
    name: 'zstandard',
    compress: (block) => zlib.zstdCompressSync(block),
    decompress: (block) => zlib.zstdDecompressSync(block, limit),
  },
];

/** The codec that a file names; throws UNKNOWN_COMPRESSION_METHOD. */
export function fileCodec(name: string): BlockCodec {
  const codec = codecs.find((each) => each.name === name);
  if (codec !== undefined) return codec;
  throw new SluiceError(
    'UNKNOWN_COMPRESSION_METHOD',
    `The blocks of the Avro file are compressed with '${name}': known are ${codecs.map((each) => each.name).join(', ')}`,
  );
}

/** The codec that the settings ask for. */
export function settingsCodec(settings: Settings): BlockCodec {
  const name = settings.output_format_avro_codec;
  return fileCodec(name === 'zstd' ? 'zstandard' : name);
}
