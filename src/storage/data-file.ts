import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { fileMark } from './record.ts';

/** A segment is what appends were written to; a part was made from other files by compaction. */
export type DataFileKind = 'segment' | 'part';

/** Bytes before the first record of a file. */
export const fileHeadBytes = 32;

const fileMagic = Buffer.from('SLUICEDB', 'latin1');
export const formatVersion = 1;

/** A file of records of one log. */
export class DataFile {
  readonly kind: DataFileKind;
  readonly number: number;
  /** Name within the log's directory. */
  readonly name: string;
  readonly path: string;
  readonly mark: number;
  /** Set once the log no longer holds the file; its rows may then live in another one. */
  removed = false;

  constructor(logId: string, directory: string, kind: DataFileKind, number: number) {
    this.kind = kind;
    this.number = number;
    this.name = dataFileName(kind, number);
    this.path = join(directory, this.name);
    this.mark = fileMark(logId, this.name);
  }

  /** The bytes that a file of this name begins with: magic, version, kind, number, mark, CRC-32 of those. */
  head(): Uint8Array {
    const bytes = new Uint8Array(fileHeadBytes);
    bytes.set(fileMagic);
    const view = new DataView(bytes.buffer);
    view.setUint32(8, formatVersion, true);
    view.setUint32(12, this.kind === 'segment' ? 1 : 2, true);
    view.setUint32(16, this.number, true);
    view.setUint32(20, this.mark, true);
    view.setUint32(24, crc32(bytes.subarray(0, 24)), true);
    return bytes;
  }
}

export function dataFileName(kind: DataFileKind, number: number): string {
  return `${String(number).padStart(10, '0')}.${kind}`;
}

/** The kind and number in a data file's name; undefined for other files. */
export function parseDataFileName(
  name: string,
): { readonly kind: DataFileKind; readonly number: number } | undefined {
  const match = /^(\d{10,})\.(segment|part)$/.exec(name);
  if (match === null) return undefined;
  return { kind: match[2] as DataFileKind, number: Number(match[1]) };
}

/** The format version in a file's head; undefined when the head is not whole. */
export function fileVersion(bytes: Uint8Array): number | undefined {
  if (bytes.length < fileHeadBytes) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset, fileHeadBytes);
  if (crc32(bytes.subarray(0, 24)) !== view.getUint32(24, true)) return undefined;
  return view.getUint32(8, true);
}
