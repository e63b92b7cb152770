import { crc32 } from 'node:zlib';
import { Packr } from 'msgpackr';
import {
  alignedTo8,
  assembleBlock,
  type Block,
  type BlockHeader,
  describeBlock,
  layBuffers,
} from '../column/index.ts';

/*
 * A record is a head of 64 bytes, a msgpack header padded to a multiple of 8, and a body (the buffers of a block, each
 * at a multiple of 8). docs/storage-format.md has the table of the head's fields.
 */

const recordMagic = 0x524c5553;
export const recordHeadBytes = 64;
const twoTo32 = 2 ** 32;

export const recordTypes = { block: 1, index: 2 } as const;
export type RecordType = (typeof recordTypes)[keyof typeof recordTypes];

const flagMore = 1;

/** Blocks from this size on live in shared memory, so that worker threads need no copy. */
export const sharedBytesMin = 65_536;

/** A small block that is a slice of buffers above this size is copied, or it would keep all of them alive. */
const retainedBytesMax = 131_072;

/** What is stored with the rows of an append; the position is packed. */
export interface StoredMeta {
  readonly token?: string;
  readonly writer?: string;
  readonly position?: Uint8Array;
}

/** A record that only lacks its place in a file. */
export interface PreparedRecord {
  readonly bytes: Uint8Array;
  readonly type: RecordType;
  readonly headerBytes: number;
  readonly bodyCrc: number;
  readonly rows: number;
  /** The block as readers get it; it shares the record's memory when it is large. */
  readonly block: Block;
}

/** Where a record stands, as read from its head. */
export interface RecordHead {
  readonly type: number;
  /** Whether the record and the next belong together, as blocks of one append. */
  readonly more: boolean;
  readonly offset: number;
  /** Bytes of head, header and body. */
  readonly length: number;
  readonly headerBytes: number;
  readonly bodyBytes: number;
  readonly bodyCrc: number;
  readonly rows: number;
  readonly firstSequence: number;
  /** Everything before this offset of the file was on the disk when the record was written. */
  readonly durable: number;
}

export interface RecordHeader {
  readonly block: BlockHeader;
  readonly meta: StoredMeta;
}

type PackedHeader = readonly [
  rows: number,
  vectors: BlockHeader['vectors'],
  token: string | null,
  writer: string | null,
  position: Uint8Array | null,
];

/** Headers are arrays of numbers and short strings; none of msgpackr's extensions is needed. */
const packr = new Packr({ useRecords: false, copyBuffers: true });

/** A header's values. It is read from a copy: msgpackr holds on to the buffer it read last, which may be of any size. */
export function unpackHeader(bytes: Uint8Array): unknown {
  return packr.unpack(new Uint8Array(bytes));
}

/** Identifies a file, so that a record found in a file is known to have been written for that place. */
export function fileMark(logId: string, fileName: string): number {
  return crc32(`${logId}/${fileName}`);
}

function keepsMoreAlive(block: Block, buffers: readonly Uint8Array[]): boolean {
  for (const vector of block.vectors) {
    if (vector.kind === 'dictionary' && vector.dictionary.size > vector.length) return true;
  }
  for (const buffer of buffers) if (buffer.buffer.byteLength > retainedBytesMax) return true;
  return false;
}

function layRecord(
  header: Uint8Array,
  bodyBytes: number,
  buffers: readonly Uint8Array[],
  bytes: Uint8Array,
): void {
  const bodyStart = recordHeadBytes + alignedTo8(header.length);
  bytes.set(header, recordHeadBytes);
  bytes.fill(0, recordHeadBytes + header.length, bodyStart);
  layBuffers(buffers, bytes.subarray(0, bodyStart + bodyBytes), bodyStart);
}

/** Makes the record of a block and chooses the memory that readers will share. */
export function prepareRecord(block: Block, meta: StoredMeta): PreparedRecord {
  const description = describeBlock(block);
  const { rows, vectors } = description.header;
  const packed: PackedHeader = [
    rows,
    vectors,
    meta.token ?? null,
    meta.writer ?? null,
    meta.position ?? null,
  ];
  const header = packr.pack(packed);
  const bodyStart = recordHeadBytes + alignedTo8(header.length);
  const length = bodyStart + description.byteLength;
  const shared = description.byteLength >= sharedBytesMin;
  const owned = shared || keepsMoreAlive(block, description.buffers);
  let bytes: Uint8Array;
  if (shared) bytes = new Uint8Array(new SharedArrayBuffer(length));
  else bytes = owned ? new Uint8Array(length) : Buffer.allocUnsafe(length);
  layRecord(header, description.byteLength, description.buffers, bytes);
  return {
    bytes,
    type: recordTypes.block,
    headerBytes: header.length,
    bodyCrc: crc32(bytes.subarray(bodyStart)),
    rows,
    block: owned ? assembleBlock(description.header, bytes.buffer, bodyStart) : block,
  };
}

const noBlock: Block = { rows: 0, vectors: [] };

/** A record without a body: the index of a file. */
export function prepareIndexRecord(index: unknown): PreparedRecord {
  const header = packr.pack(index);
  const bytes = new Uint8Array(recordHeadBytes + alignedTo8(header.length));
  bytes.set(header, recordHeadBytes);
  return { bytes, type: recordTypes.index, headerBytes: header.length, bodyCrc: 0, rows: 0, block: noBlock };
}

/** Fills in the head of a prepared record for its place in a file. */
export function stampRecord(
  record: PreparedRecord,
  place: {
    readonly mark: number;
    readonly offset: number;
    readonly durable: number;
    readonly firstSequence: number;
    readonly more: boolean;
  },
): void {
  const { bytes, headerBytes } = record;
  const view = new DataView(bytes.buffer, bytes.byteOffset, recordHeadBytes);
  const bodyBytes = bytes.length - recordHeadBytes - alignedTo8(headerBytes);
  view.setUint32(0, recordMagic, true);
  view.setUint32(8, record.bodyCrc, true);
  view.setUint32(12, headerBytes, true);
  view.setUint32(16, place.mark, true);
  view.setUint32(20, record.rows, true);
  setUint64(view, 24, bodyBytes);
  setUint64(view, 32, place.offset);
  setUint64(view, 40, place.durable);
  setUint64(view, 48, place.firstSequence);
  view.setUint32(56, record.type, true);
  view.setUint32(60, place.more ? flagMore : 0, true);
  view.setUint32(4, crc32(bytes.subarray(8, recordHeadBytes + headerBytes)), true);
}

function setUint64(view: DataView, at: number, value: number): void {
  view.setUint32(at, value % twoTo32, true);
  view.setUint32(at + 4, Math.floor(value / twoTo32), true);
}

function getUint64(view: DataView, at: number): number {
  return view.getUint32(at, true) + view.getUint32(at + 4, true) * twoTo32;
}

/**
 * Reads and checks the head and header of the record at `at` of bytes that were read from `base` of a file; undefined
 * when there is no whole record there. The body is not looked at.
 */
export function readRecordHead(
  bytes: Uint8Array,
  at: number,
  base: number,
  mark: number,
): RecordHead | undefined {
  // Most places that a scan of damaged bytes looks at fail here, before anything is allocated.
  if (at + recordHeadBytes > bytes.length || bytes[at] !== (recordMagic & 0xff)) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset + at, recordHeadBytes);
  if (view.getUint32(0, true) !== recordMagic || view.getUint32(16, true) !== mark) return undefined;
  const headerBytes = view.getUint32(12, true);
  const headerEnd = at + recordHeadBytes + headerBytes;
  if (headerEnd > bytes.length || getUint64(view, 32) !== base + at) return undefined;
  if (crc32(bytes.subarray(at + 8, headerEnd)) !== view.getUint32(4, true)) return undefined;
  const bodyBytes = getUint64(view, 24);
  return {
    type: view.getUint32(56, true),
    more: (view.getUint32(60, true) & flagMore) !== 0,
    offset: base + at,
    length: recordHeadBytes + alignedTo8(headerBytes) + bodyBytes,
    headerBytes,
    bodyBytes,
    bodyCrc: view.getUint32(8, true),
    rows: view.getUint32(20, true),
    firstSequence: getUint64(view, 48),
    durable: getUint64(view, 40),
  };
}

/** Whether the body of the record at `at` is all there and unharmed. */
export function isBodyWhole(bytes: Uint8Array, at: number, head: RecordHead): boolean {
  if (at + head.length > bytes.length) return false;
  const start = at + head.length - head.bodyBytes;
  return crc32(bytes.subarray(start, start + head.bodyBytes)) === head.bodyCrc;
}

export function readRecordHeader(bytes: Uint8Array, at: number, head: RecordHead): RecordHeader {
  const start = at + recordHeadBytes;
  const [rows, vectors, token, writer, position] = unpackHeader(
    bytes.subarray(start, start + head.headerBytes),
  ) as PackedHeader;
  const meta: StoredMeta = {
    ...(token !== null && { token }),
    ...(writer !== null && { writer }),
    ...(position !== null && { position }),
  };
  return { block: { rows, vectors }, meta };
}

/** The block of the record at `at`, as views of `bytes`, which must start at a multiple of 8 of its buffer. */
export function readRecordBlock(bytes: Uint8Array, at: number, head: RecordHead): Block {
  const { block } = readRecordHeader(bytes, at, head);
  return assembleBlock(block, bytes.buffer, bytes.byteOffset + at + head.length - head.bodyBytes);
}
