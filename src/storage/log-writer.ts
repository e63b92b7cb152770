import { SluiceError } from '../base/index.ts';
import type { DataFile } from './data-file.ts';
import { writeError } from './file-access.ts';
import { type PreparedRecord, type StoredMeta, sharedBytesMin, stampRecord } from './record.ts';
import type { SegmentWriter } from './segment-writer.ts';

/** An append that waits for its turn; its records are written together or not at all. */
export interface QueuedAppend {
  readonly records: readonly PreparedRecord[];
  readonly rows: number;
  readonly bytes: number;
  readonly meta: StoredMeta;
  resolve(firstSequence: number): void;
  reject(error: SluiceError): void;
}

/** What the writer asks of its log. */
export interface WriterHost {
  readonly id: string;
  readonly limits: {
    readonly segmentBytesMax: number;
    readonly segmentRecordsMax: number;
    readonly batchBytesMax: number;
  };
  newSegment(): SegmentWriter;
  /** The append is on the disk, its first record at `offset` of the file; makes it visible. */
  publish(append: QueuedAppend, firstSequence: number, file: DataFile, offset: number): void;
  /** The segment is full; the writer has let go of it. */
  retire(segment: SegmentWriter): void;
  /**
   * A failed write could not be undone: notes elsewhere how much of the segment counts. Resolves to whether that
   * succeeded; nothing may be written to the segment any more then.
   */
  noteCut(segment: SegmentWriter): Promise<boolean>;
}

interface Task {
  readonly run: () => Promise<void>;
}

/** Bytes of the records as few buffers: neighbouring small ones are copied together, large ones stay as they are. */
function gatherBuffers(appends: readonly QueuedAppend[]): Uint8Array[] {
  const buffers: Uint8Array[] = [];
  let small: Uint8Array[] = [];
  const flush = (): void => {
    if (small.length > 0) buffers.push(small.length === 1 ? small[0]! : Buffer.concat(small));
    small = [];
  };
  for (const append of appends) {
    for (const { bytes } of append.records) {
      if (bytes.byteLength < sharedBytesMin) {
        small.push(bytes);
      } else {
        flush();
        buffers.push(bytes);
      }
    }
  }
  flush();
  return buffers;
}

/**
 * Writes the appends of one log in order. While one write is being synced, what arrives is queued and goes out
 * together with the next: callers that append concurrently share the wait for the disk.
 */
export class LogWriter {
  readonly #host: WriterHost;
  #queue: (QueuedAppend | Task)[] = [];
  #running = false;
  #segment: SegmentWriter | undefined;
  #nextSequence: number;

  constructor(host: WriterHost, nextSequence: number) {
    this.#host = host;
    this.#nextSequence = nextSequence;
  }

  /** The sequence number of the next row, which is the number after the last durable one. */
  get nextSequence(): number {
    return this.#nextSequence;
  }

  /** Bytes of the segment that is written to. */
  get segmentBytes(): number {
    return this.#segment?.end ?? 0;
  }

  append(append: QueuedAppend): void {
    this.#queue.push(append);
    this.#wake();
  }

  /** Runs the task when all that was appended before is written; what is appended later waits for it. */
  exclusive(task: () => Promise<void>): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#queue.push({ run: () => task().then(resolve, reject) });
      this.#wake();
    });
  }

  /** Lets go of the segment that is written to; to be called from an exclusive task. */
  takeSegment(): SegmentWriter | undefined {
    const segment = this.#segment;
    this.#segment = undefined;
    return segment;
  }

  #wake(): void {
    if (this.#running) return;
    this.#running = true;
    // Everything that is appended in this turn of the event loop's microtasks goes into the first batch.
    queueMicrotask(() => this.#run());
  }

  async #run(): Promise<void> {
    while (this.#queue.length > 0) {
      const first = this.#queue[0]!;
      if ('run' in first) {
        this.#queue.shift();
        await first.run();
      } else {
        await this.#writeBatch(this.#takeBatch());
      }
    }
    this.#running = false;
  }

  #takeBatch(): QueuedAppend[] {
    const { batchBytesMax, segmentRecordsMax } = this.#host.limits;
    const batch: QueuedAppend[] = [];
    let bytes = 0;
    let records = 0;
    for (const item of this.#queue) {
      if ('run' in item) break;
      bytes += item.bytes;
      records += item.records.length;
      if (batch.length > 0 && (bytes > batchBytesMax || records > segmentRecordsMax)) break;
      batch.push(item);
    }
    this.#queue = this.#queue.slice(batch.length);
    return batch;
  }

  async #writeBatch(batch: readonly QueuedAppend[]): Promise<void> {
    let segment: SegmentWriter | undefined;
    let start = 0;
    try {
      segment = await this.#usableSegment();
      start = segment.nextOffset;
      const records = this.#stamp(batch, segment.file, start);
      await segment.write(gatherBuffers(batch), records);
    } catch (error) {
      if (segment?.isDirty && (await this.#host.noteCut(segment))) this.#retire(segment);
      const failure = writeError(error, `rows of log ${this.#host.id}`);
      for (const append of batch) append.reject(failure);
      return;
    }
    let offset = start;
    for (const append of batch) {
      const firstSequence = this.#nextSequence;
      this.#nextSequence += append.rows;
      this.#host.publish(append, firstSequence, segment.file, offset);
      offset += append.bytes;
      append.resolve(firstSequence);
    }
    const { segmentBytesMax, segmentRecordsMax } = this.#host.limits;
    if (segment.end >= segmentBytesMax || segment.records >= segmentRecordsMax) {
      this.#retire(segment);
    }
  }

  /**
   * The segment to write to. One with an unfinished business is never written to again: it is either cut back now, or
   * the manifest says where it ends; while neither can be done, nothing more is taken.
   */
  async #usableSegment(): Promise<SegmentWriter> {
    const segment = this.#segment;
    if (segment?.isDirty) {
      try {
        await segment.repair();
      } catch (error) {
        if (!(await this.#host.noteCut(segment))) {
          throw new SluiceError(
            'CANNOT_WRITE_TO_FILE',
            `Log ${this.#host.id} takes no more rows: an earlier write failed and cannot be undone: ${String(error)}`,
            { cause: error },
          );
        }
      }
      this.#retire(segment);
    }
    this.#segment ??= this.#host.newSegment();
    return this.#segment;
  }

  #retire(segment: SegmentWriter): void {
    this.#segment = undefined;
    this.#host.retire(segment);
  }

  /** Gives every record its place; returns how many there are. */
  #stamp(batch: readonly QueuedAppend[], file: DataFile, start: number): number {
    let offset = start;
    let firstSequence = this.#nextSequence;
    let count = 0;
    for (const { records } of batch) {
      for (let index = 0; index < records.length; index++) {
        const record = records[index]!;
        const more = index < records.length - 1;
        stampRecord(record, { mark: file.mark, offset, durable: start, firstSequence, more });
        offset += record.bytes.byteLength;
        firstSequence += record.rows;
        count++;
      }
    }
    return count;
  }
}

/** The refusal of appends to a log that is no longer open. */
export function closedError(id: string, reason: 'closed' | 'dropped'): SluiceError {
  return reason === 'dropped'
    ? new SluiceError('UNKNOWN_TABLE', `Log ${id} has been dropped`)
    : new SluiceError('CANNOT_WRITE_TO_FILE', `Log ${id} is closed: the server is shutting down`);
}
