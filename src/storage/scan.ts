import { fileHeadBytes } from './data-file.ts';
import { isBodyWhole, type RecordHead, readRecordHead } from './record.ts';

/** Bytes [start, end) of a file. */
export interface FileSpan {
  readonly start: number;
  readonly end: number;
}

export interface ScanResult {
  /** The whole records, in order. */
  readonly records: readonly RecordHead[];
  /** What is not part of a whole record, the end of the bytes included. */
  readonly damaged: readonly FileSpan[];
}

/**
 * Finds the whole records in bytes that were read from `base` of a file. After damage the search goes on at the next
 * place where a whole record stands; a record carries the mark of its file and its own offset, so that no stored value
 * that looks like a record is taken for one.
 */
export function scanRecords(bytes: Uint8Array, base: number, mark: number): ScanResult {
  const records: RecordHead[] = [];
  const damaged: FileSpan[] = [];
  let at = 0;
  let damageStart = -1;
  while (at < bytes.length) {
    const head = readRecordHead(bytes, at, base, mark);
    if (head !== undefined && isBodyWhole(bytes, at, head)) {
      if (damageStart >= 0) damaged.push({ start: base + damageStart, end: base + at });
      damageStart = -1;
      records.push(head);
      at += head.length;
    } else {
      if (damageStart < 0) damageStart = at;
      at += 8;
    }
  }
  if (damageStart >= 0) damaged.push({ start: base + damageStart, end: base + bytes.length });
  return { records, damaged };
}

export interface SegmentScan {
  readonly records: readonly RecordHead[];
  /** Damage to what had been acknowledged. */
  readonly damaged: readonly FileSpan[];
  /** Where the segment ends; what follows was never acknowledged. */
  readonly end: number;
}

/** Index of the first record of an append whose later records are missing; the number of records when none is. */
function completeRecords(records: readonly RecordHead[]): number {
  let count = records.length;
  while (count > 0 && records[count - 1]!.more) count--;
  return count;
}

/**
 * Finds what of a segment counts. Each record says up to where the file was on the disk when it was written; damage
 * before the greatest such offset happened to acknowledged rows. Damage after it is the torn end of a write that was
 * never acknowledged: the segment is cut there, whole records that follow included, since a disk may write the pages
 * of one write in any order.
 *
 * @param bytes the whole file
 * @param complete whether a later segment exists, so that nothing in this one can be torn
 */
export function scanSegment(bytes: Uint8Array, mark: number, complete: boolean): SegmentScan {
  if (bytes.length <= fileHeadBytes) return { records: [], damaged: [], end: 0 };
  const { records, damaged } = scanRecords(bytes.subarray(fileHeadBytes), fileHeadBytes, mark);
  let durable = complete ? bytes.length : fileHeadBytes;
  for (const record of records) durable = Math.max(durable, record.durable);
  const torn = damaged.find((span) => span.start >= durable);
  const limit = torn?.start ?? bytes.length;
  const before = records.filter((record) => record.offset < limit);
  const kept = complete ? before : before.slice(0, completeRecords(before));
  return {
    records: kept,
    damaged: damaged.filter((span) => span.start < durable),
    end: before.length > kept.length ? before[kept.length]!.offset : limit,
  };
}
