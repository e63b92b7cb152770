import { assert, toSluiceError } from '../base/index.ts';
import type { Block, ColumnSchema } from '../column/index.ts';
import { BlockList } from './block-list.ts';
import { BlockReader } from './block-reader.ts';
import { Compactor } from './compactor.ts';
import type { DataFile } from './data-file.ts';
import { packValue, unpackValue } from './envelope.ts';
import { writeError } from './file-access.ts';
import {
  deleteFiles,
  FileNumbers,
  forgetFiles,
  type LogCore,
  newDataFile,
  reportFor,
  type StoreCore,
} from './log-core.ts';
import { closedError, LogWriter, type QueuedAppend, type WriterHost } from './log-writer.ts';
import { ManifestKeeper } from './manifest.ts';
import { prepareRecord, type StoredMeta } from './record.ts';
import { type RecoveredLog, recoverLog } from './recovery.ts';
import { Sealer } from './sealer.ts';
import { SegmentWriter } from './segment-writer.ts';
import { type BlockRef, type BlockSource, StoredBlock } from './stored-block.ts';
import { TailMerger } from './tail-merger.ts';
import type { TokenMemory } from './token-memory.ts';

export interface AppendMeta {
  /** A name for the rows: rows whose token has been written before are not written again. */
  readonly token?: string;
  /** Who writes, and how far in its input it is with these rows; the position may be anything msgpack can hold. */
  readonly origin?: { readonly writer: string; readonly position: unknown };
}

export interface AppendResult {
  /** Sequence number of the first row; the others follow without gaps. */
  readonly firstSequence: number;
  readonly rows: number;
  /** Whether the rows had been written before, under the same token, at the sequence numbers given here. */
  readonly duplicate: boolean;
}

/** What a log holds at one moment. */
export interface Snapshot {
  /** Blocks in the order of their rows. Rows that were quarantined are missing between them. */
  readonly blocks: readonly BlockRef[];
  /** The sequence number after the last row: where to go on reading. */
  readonly end: number;
}

/** An append-only sequence of rows on disk; rows are numbered from 0. Made by `Store.openLog`. */
export interface StreamLog {
  readonly id: string;
  readonly schema: readonly ColumnSchema[];
  /** The sequence number that the next row gets. */
  readonly end: number;
  /** Rows that can be read. */
  readonly rows: number;
  /** Bytes on disk. */
  readonly bytes: number;
  /**
   * Writes the rows of a block, or of several blocks all or nothing; resolves when they are on the disk and visible to
   * readers. The block must not be changed afterwards.
   *
   * @throws SluiceError NOT_ENOUGH_SPACE or CANNOT_WRITE_TO_FILE: nothing was written then, and nothing of it will
   * ever be seen; UNKNOWN_TABLE when the log was dropped
   */
  append(blocks: Block | readonly Block[], meta?: AppendMeta): Promise<AppendResult>;
  /** The position that the writer gave with its last append. */
  originPosition(writer: string): unknown | undefined;
  /** The rows from a sequence number on. */
  snapshot(fromSequence?: number): Snapshot;
  /**
   * Calls back for every block as it becomes durable, in order, before its append resolves and in the same turn.
   * Returns the function that ends the subscription.
   */
  subscribe(listener: (ref: BlockRef) => void): () => void;
  /** Removes all rows, and the tokens with them; sequence numbers and positions of writers go on. */
  truncate(): Promise<void>;
  /** Seals what has been written and compacts as far as possible. */
  compactNow(): Promise<void>;
}

export class DiskLog implements StreamLog, WriterHost {
  readonly id: string;
  readonly schema: readonly ColumnSchema[];
  readonly limits: StoreCore['limits'];
  readonly #core: LogCore;
  readonly #writer: LogWriter;
  readonly #reader: BlockReader;
  readonly #merger: TailMerger;
  readonly #sealer: Sealer;
  readonly #compactor: Compactor;
  readonly #tokens: TokenMemory;
  readonly #origins: Map<string, Uint8Array>;
  readonly #tokensInFlight = new Map<string, Promise<AppendResult>>();
  #listeners: readonly ((ref: BlockRef) => void)[] = [];
  #ended: 'closed' | 'dropped' | undefined;

  private constructor(core: LogCore, reader: BlockReader, recovered: RecoveredLog) {
    this.id = core.id;
    this.schema = core.schema;
    this.limits = core.store.limits;
    this.#core = core;
    this.#reader = reader;
    this.#tokens = recovered.tokens;
    this.#origins = recovered.origins;
    this.#writer = new LogWriter(this, recovered.end);
    this.#merger = new TailMerger(core, reader);
    this.#sealer = new Sealer(core, reader, recovered.unsealed);
    this.#compactor = new Compactor(core, reader);
    for (const block of recovered.blocks) core.list.push(block);
  }

  static async open(
    store: StoreCore,
    id: string,
    directory: string,
    schema: readonly ColumnSchema[],
  ): Promise<DiskLog> {
    // Blocks are made before the log that reads them is; the source stands in for it until then.
    let reader: BlockReader | undefined;
    const source: BlockSource = {
      timeColumn: schema.findIndex((column) => column.name === '_tp_time'),
      touch: (block) => reader!.touch(block),
      fetch: (block) => reader!.fetch(block),
    };
    const recovered = await recoverLog(store, id, directory, schema, source);
    let log: DiskLog | undefined;
    const facts = () => ({
      end: log!.end,
      origins: log!.#origins,
      tokens: log!.#tokens.entries(),
    });
    const core: LogCore = {
      store,
      id,
      directory,
      schema,
      types: schema.map(({ type }) => type),
      list: new BlockList(),
      files: recovered.files,
      manifest: new ManifestKeeper(store.fileSystem, directory, recovered.manifest, facts),
      numbers: new FileNumbers(recovered.nextNumber),
    };
    reader = new BlockReader(core);
    log = new DiskLog(core, reader, recovered);
    await log.#sealer.run();
    log.#compactInBackground();
    return log;
  }

  get end(): number {
    return this.#writer.nextSequence;
  }

  get rows(): number {
    return this.#core.list.rows;
  }

  get bytes(): number {
    const sealed = this.#core.manifest.current.files.reduce((sum, file) => sum + file.bytes, 0);
    return sealed + this.#sealer.bytes + this.#writer.segmentBytes;
  }

  append(blocks: Block | readonly Block[], meta: AppendMeta = {}): Promise<AppendResult> {
    if (this.#ended !== undefined) return Promise.reject(closedError(this.id, this.#ended));
    const { token } = meta;
    if (token === undefined) return this.#write(blocks, meta);
    const written = this.#tokens.get(token);
    if (written !== undefined) return Promise.resolve({ ...written, duplicate: true });
    const inFlight = this.#tokensInFlight.get(token);
    if (inFlight !== undefined) return inFlight.then((result) => ({ ...result, duplicate: true }));
    const result = this.#write(blocks, meta).finally(() => this.#tokensInFlight.delete(token));
    this.#tokensInFlight.set(token, result);
    return result;
  }

  #write(given: Block | readonly Block[], { token, origin }: AppendMeta): Promise<AppendResult> {
    const filled = (isBlockArray(given) ? given : [given]).filter((block) => block.rows > 0);
    if (filled.length === 0 && token === undefined && origin === undefined) {
      return Promise.resolve({ firstSequence: this.end, rows: 0, duplicate: false });
    }
    for (const { vectors } of filled)
      assert(vectors.length === this.schema.length, `a block of log ${this.id} has all of its columns`);
    return new Promise((resolve, reject) => {
      const meta: StoredMeta =
        origin === undefined
          ? { token }
          : { token, writer: origin.writer, position: packValue(origin.position) };
      // The last record of an append carries what is known of it: it is there only when all of them are.
      const blocks = filled.length === 0 ? [{ rows: 0, vectors: [] }] : filled;
      const last = blocks.length - 1;
      const records = blocks.map((block, index) => prepareRecord(block, index === last ? meta : {}));
      const rows = records.reduce((sum, record) => sum + record.rows, 0);
      this.#writer.append({
        records,
        rows,
        bytes: records.reduce((sum, record) => sum + record.bytes.byteLength, 0),
        meta,
        resolve: (firstSequence) => resolve({ firstSequence, rows, duplicate: false }),
        reject,
      });
    });
  }

  publish(append: QueuedAppend, firstSequence: number, file: DataFile, start: number): void {
    const { token, writer, position } = append.meta;
    if (token !== undefined) this.#tokens.set(token, { firstSequence, rows: append.rows });
    if (writer !== undefined && position !== undefined) this.#origins.set(writer, position);
    const added: StoredBlock[] = [];
    let offset = start;
    let sequence = firstSequence;
    for (const { bytes, rows, block } of append.records) {
      const length = bytes.byteLength;
      if (rows > 0) {
        const place = { file, offset, length, records: 1 };
        const stored = new StoredBlock(this.#reader, place, sequence, rows, block, undefined);
        this.#core.list.push(stored);
        this.#merger.add(stored);
        added.push(stored);
      }
      offset += length;
      sequence += rows;
    }
    for (const stored of added) this.#tell(stored);
  }

  #tell(block: StoredBlock): void {
    for (const listener of this.#listeners) {
      try {
        listener(block);
      } catch (error) {
        const message = `A subscriber failed at row ${block.firstSequence}: ${toSluiceError(error).message}`;
        reportFor(this.#core, 'listener-failure', block.file.name, message);
      }
    }
  }

  newSegment(): SegmentWriter {
    return new SegmentWriter(this.#core.store.fileSystem, newDataFile(this.#core, 'segment'));
  }

  retire(segment: SegmentWriter): void {
    this.#merger.settle();
    this.#sealer.add(segment);
    void this.#sealer.run().then(() => this.#compactInBackground());
  }

  async noteCut(segment: SegmentWriter): Promise<boolean> {
    const { number } = segment.file;
    try {
      await this.#core.manifest.change((manifest) => ({
        ...manifest,
        nextNumber: this.#core.numbers.next,
        cuts: [...manifest.cuts.filter((cut) => cut[0] !== number), [number, segment.end]],
      }));
      return true;
    } catch {
      return false;
    }
  }

  originPosition(writer: string): unknown | undefined {
    const packed = this.#origins.get(writer);
    return packed === undefined ? undefined : unpackValue(packed);
  }

  snapshot(fromSequence = 0): Snapshot {
    return { blocks: this.#core.list.from(fromSequence), end: this.end };
  }

  subscribe(listener: (ref: BlockRef) => void): () => void {
    const own = (ref: BlockRef): void => listener(ref);
    this.#listeners = [...this.#listeners, own];
    return () => {
      this.#listeners = this.#listeners.filter((other) => other !== own);
    };
  }

  truncate(): Promise<void> {
    if (this.#ended !== undefined) return Promise.reject(closedError(this.id, this.#ended));
    return this.#writer.exclusive(() => this.#truncate());
  }

  async #truncate(): Promise<void> {
    const core = this.#core;
    // Segments to come have higher numbers, so that their rows stay even when this change fails half-way.
    const active = core.numbers.take();
    const tokens = this.#tokens.entries();
    const current = this.#writer.takeSegment();
    let files: DataFile[] = [];
    this.#tokens.clear();
    try {
      await core.manifest.change(
        (manifest) => ({
          ...manifest,
          files: [],
          active,
          nextNumber: core.numbers.next,
          damaged: [],
          cuts: [],
        }),
        () => {
          this.#merger.settle();
          files = [...core.files.values()];
          forgetFiles(core, files, core.list.clear());
        },
      );
    } catch (error) {
      for (const [token, firstSequence, rows] of tokens) this.#tokens.set(token, { firstSequence, rows });
      if (current !== undefined) this.retire(current);
      throw writeError(error, `the truncation of log ${this.id}`);
    }
    const segments = [...this.#sealer.takeAll(), ...(current === undefined ? [] : [current])];
    for (const segment of segments) await segment.close().catch(() => undefined);
    await deleteFiles(core, files);
  }

  #compactInBackground(): void {
    if (this.limits.compactInBackground && this.#ended === undefined) this.#compactor.wake();
  }

  async compactNow(): Promise<void> {
    await this.#seal();
    await this.#compactor.runNow();
  }

  /** Resolves when every block that is due has been merged in memory and every compaction that is due is done. */
  async idle(): Promise<void> {
    await this.#merger.idle();
    await this.#sealer.idle();
    await this.#compactor.idle();
  }

  async #seal(): Promise<void> {
    await this.#writer.exclusive(async () => {
      const segment = this.#writer.takeSegment();
      this.#merger.settle();
      if (segment !== undefined) this.#sealer.add(segment);
    });
    await this.#sealer.run();
  }

  /** Finishes what has been appended, seals it and lets go of all files. */
  async close(): Promise<void> {
    this.#ended ??= 'closed';
    await this.#compactor.stop();
    await this.#seal();
    await this.#letGo();
  }

  /** Stops all work on the files, which are about to be deleted. */
  async drop(): Promise<void> {
    this.#ended = 'dropped';
    await this.#compactor.stop();
    await this.#writer.exclusive(async () => {
      const segment = this.#writer.takeSegment();
      if (segment !== undefined) this.#sealer.add(segment);
    });
    await this.#sealer.idle();
    await this.#letGo();
  }

  async #letGo(): Promise<void> {
    await this.#merger.stop();
    for (const segment of this.#sealer.takeAll()) await segment.close().catch(() => undefined);
    const { list, files } = this.#core;
    forgetFiles(this.#core, [...files.values()], list.clear());
    this.#listeners = [];
  }
}

function isBlockArray(blocks: Block | readonly Block[]): blocks is readonly Block[] {
  return Array.isArray(blocks);
}
