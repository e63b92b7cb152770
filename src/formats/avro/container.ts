import { SluiceError } from '../../base/index.ts';
import type { InputCursor } from '../read/input-cursor.ts';
import { type BlockCodec, blockBytesMax, fileCodec } from './block-codec.ts';
import { type AvroType, parseAvroSchema } from './schema.ts';
import { readSize, take } from './value.ts';

export const magic = Buffer.from([0x4f, 0x62, 0x6a, 1]);
export const syncBytes = 16;

/** The header of an object container file. */
export interface ContainerHeader {
  /** The text that the schema was made of. */
  readonly schemaText: string;
  readonly schema: AvroType;
  readonly codec: BlockCodec;
  readonly sync: Buffer;
}

function readBytes(cursor: InputCursor, length: number): Buffer {
  const start = take(cursor, length);
  return Buffer.from(cursor.bytes.subarray(start, start + length));
}

/** Reads the header at the cursor; throws INCORRECT_DATA. */
export function readHeader(cursor: InputCursor): ContainerHeader {
  const start = readBytes(cursor, magic.length);
  if (!start.equals(magic))
    throw new SluiceError(
      'INCORRECT_DATA',
      "The input is no Avro container file: it does not begin with 'Obj' and 1",
    );
  const entries = new Map<string, Buffer>();
  for (;;) {
    let count = readSize(cursor);
    if (count === 0) break;
    if (count < 0) {
      count = -count;
      readSize(cursor);
    }
    for (let index = 0; index < count; index++) {
      const key = readBytes(cursor, readSize(cursor)).toString();
      entries.set(key, readBytes(cursor, readSize(cursor)));
    }
  }
  const sync = readBytes(cursor, syncBytes);
  const schema = entries.get('avro.schema');
  if (schema === undefined)
    throw new SluiceError('INCORRECT_DATA', 'The header of the Avro file has no schema');
  const schemaText = schema.toString();
  return {
    schemaText,
    schema: parseAvroSchema(schemaText),
    codec: fileCodec(entries.get('avro.codec')?.toString() ?? 'null'),
    sync,
  };
}

/** Reads a block at the cursor: how many records it has, and their bytes. Throws INCORRECT_DATA or CANNOT_DECOMPRESS. */
export function readBlock(
  cursor: InputCursor,
  header: ContainerHeader,
): { records: number; content: Buffer } {
  const records = readSize(cursor);
  const length = readSize(cursor);
  if (!(records >= 0 && length >= 0))
    throw new SluiceError('INCORRECT_DATA', 'The head of an Avro block is wrong');
  if (length > blockBytesMax)
    throw new SluiceError(
      'INCORRECT_DATA',
      `An Avro block has ${length} bytes, and ${blockBytesMax} is the most`,
    );
  const start = take(cursor, length);
  const mark = take(cursor, syncBytes);
  if (!cursor.bytes.subarray(mark, mark + syncBytes).equals(header.sync)) {
    throw new SluiceError(
      'INCORRECT_DATA',
      'An Avro block does not end with the sync marker of its file: the file is damaged',
    );
  }
  const block = cursor.bytes.subarray(start, start + length);
  try {
    return { records, content: header.codec.decompress(block) };
  } catch (thrown) {
    throw new SluiceError(
      'CANNOT_DECOMPRESS',
      `An Avro block cannot be decompressed (${header.codec.name}): ${(thrown as Error).message}`,
      { cause: thrown },
    );
  }
}
