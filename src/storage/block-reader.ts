import { join } from 'node:path';
import { SluiceError } from '../base/index.ts';
import { type Block, shareBlock, sliceBlock } from '../column/index.ts';
import { statsOfHeader } from './column-stats.ts';
import type { DataFile } from './data-file.ts';
import { replaceFile, systemErrorCode } from './file-access.ts';
import type { OpenFile } from './file-system.ts';
import { type LogCore, relativeName, reportFor } from './log-core.ts';
import type { Manifest } from './manifest.ts';
import { mergeBlocks, Pace } from './merge-blocks.ts';
import { type RecordHead, readRecordBlock, readRecordHeader, recordTypes, sharedBytesMin } from './record.ts';
import { type FileSpan, scanRecords } from './scan.ts';
import {
  type BlockSource,
  indexEntry,
  joinRanges,
  StoredBlock as Stored,
  type StoredBlock,
} from './stored-block.ts';

/** The blocks of whole records found in a file, small neighbours joined. */
export function blocksOfRecords(
  source: BlockSource,
  file: DataFile,
  bytes: Uint8Array,
  base: number,
  records: readonly RecordHead[],
  rowsMax: number,
): StoredBlock[] {
  const blocks: StoredBlock[] = [];
  for (const head of records) {
    if (head.type !== recordTypes.block || head.rows === 0) continue;
    const { block } = readRecordHeader(bytes, head.offset - base, head);
    const place = { file, offset: head.offset, length: head.length, records: 1 };
    blocks.push(new Stored(source, place, head.firstSequence, head.rows, undefined, statsOfHeader(block)));
  }
  return joinRanges(source, blocks, rowsMax);
}

/** Keeps the damaged bytes of a file for whoever wants to look into them; best effort. */
export async function saveDamaged(
  core: { readonly store: LogCore['store']; readonly id: string },
  fileName: string,
  bytes: Uint8Array,
  base: number,
  spans: readonly FileSpan[],
): Promise<void> {
  const { fileSystem, directory } = core.store;
  for (const { start, end } of spans) {
    const name = `${core.id}-${fileName}-${start}`;
    try {
      await replaceFile(
        fileSystem,
        join(directory, 'quarantine', name),
        bytes.subarray(start - base, end - base),
      );
    } catch (error) {
      reportFor(core, 'background-failure', fileName, `Cannot save damaged bytes: ${String(error)}`);
    }
  }
}

/** Reads blocks from disk, and takes those out that turn out to be damaged. */
export class BlockReader implements BlockSource {
  readonly timeColumn: number;
  readonly #core: LogCore;

  constructor(core: LogCore) {
    this.#core = core;
    this.timeColumn = core.schema.findIndex((column) => column.name === '_tp_time');
  }

  touch(block: StoredBlock): void {
    this.#core.store.cache.touch(block);
  }

  async fetch(block: StoredBlock): Promise<Block> {
    const loaded = await this.read(block);
    if (!block.file.removed && block.resident === undefined) {
      block.keep(loaded);
      this.#core.store.cache.put(block);
    }
    return loaded;
  }

  /** The rows of a block, without having them cached. */
  async read(block: StoredBlock): Promise<Block> {
    if (block.resident !== undefined) return block.resident;
    if (block.file.removed) return this.#readElsewhere(block);
    let bytes: Uint8Array | undefined;
    try {
      bytes = await this.#readBytes(block);
    } catch (error) {
      // Compaction may have deleted the file between the look-up and the read.
      if (block.file.removed) return this.#readElsewhere(block);
      throw this.#readError(block, error);
    }
    const records = this.#wholeRecords(block, bytes);
    if (records === undefined) return this.#quarantine(block, bytes);
    if (records.length === 1) return readRecordBlock(bytes, records[0]!.offset - block.offset, records[0]!);
    const pace = new Pace();
    const blocks = records.map((head) => readRecordBlock(bytes, head.offset - block.offset, head));
    const merged = await mergeBlocks(blocks, this.#core.types, pace);
    return block.length >= sharedBytesMin ? shareBlock(merged) : merged;
  }

  async #readBytes(block: StoredBlock): Promise<Uint8Array> {
    const shared = block.length >= sharedBytesMin && block.records === 1;
    const bytes = new Uint8Array(
      shared ? new SharedArrayBuffer(block.length) : new ArrayBuffer(block.length),
    );
    const file: OpenFile = await this.#core.store.fileSystem.open(block.file.path, 'read');
    try {
      await file.read(bytes, block.offset);
    } finally {
      await file.close();
    }
    return bytes;
  }

  #readError(block: StoredBlock, error: unknown): SluiceError {
    const name = relativeName(this.#core.id, block.file.name);
    const reason = error instanceof Error ? error.message : String(error);
    if (systemErrorCode(error) === 'ENOENT') {
      const { firstSequence, rows } = block;
      reportFor(this.#core, 'missing-file', block.file.name, 'The file is gone', { firstSequence, rows });
    }
    return new SluiceError('CANNOT_READ_FROM_FILE', `Cannot read rows from ${name}: ${reason}`, {
      cause: error,
    });
  }

  /** The records with the rows of the block, undefined unless all of them are there. */
  #wholeRecords(block: StoredBlock, bytes: Uint8Array): RecordHead[] | undefined {
    const { records } = scanRecords(bytes, block.offset, block.file.mark);
    const filled = records.filter((head) => head.type === recordTypes.block && head.rows > 0);
    let sequence = block.firstSequence;
    for (const head of filled) {
      if (head.firstSequence !== sequence) return undefined;
      sequence += head.rows;
    }
    return sequence === block.end ? filled : undefined;
  }

  /** Reads rows whose file was replaced by another since the block was looked up. */
  async #readElsewhere(block: StoredBlock): Promise<Block> {
    const parts: Block[] = [];
    let rows = 0;
    for (const other of this.#core.list.within(block.firstSequence, block.end)) {
      const start = Math.max(block.firstSequence, other.firstSequence) - other.firstSequence;
      const end = Math.min(block.end, other.end) - other.firstSequence;
      parts.push(sliceBlock(await other.load(), start, end));
      rows += end - start;
    }
    if (rows === block.rows) return mergeBlocks(parts, this.#core.types, new Pace());
    throw new SluiceError(
      'CANNOT_READ_ALL_DATA',
      `Rows ${block.firstSequence} to ${block.end - 1} were truncated or dropped while they were being read`,
    );
  }

  /** Takes what is damaged of a block out of the log, keeps the rest, and fails the read that found it. */
  async #quarantine(block: StoredBlock, bytes: Uint8Array): Promise<never> {
    const core = this.#core;
    const { firstSequence } = block;
    const { records, damaged } = scanRecords(bytes, block.offset, block.file.mark);
    const rowsMax = core.store.limits.blockRowsMax;
    const rest = blocksOfRecords(this, block.file, bytes, block.offset, records, rowsMax);
    const rows = block.rows - rest.reduce((sum, part) => sum + part.rows, 0);
    const name = relativeName(core.id, block.file.name);
    const message = `${rows} rows among ${firstSequence} to ${block.end - 1} fail their checksum in ${name} and were set aside`;
    if (core.list.replace([block], rest)) {
      core.store.cache.remove(block);
      reportFor(core, 'damaged-rows', block.file.name, message, { firstSequence, rows });
      await saveDamaged(core, block.file.name, bytes, block.offset, damaged);
      await this.#noteDamage(block.file, message, firstSequence, rows);
    }
    throw new SluiceError('CORRUPTED_DATA', message);
  }

  async #noteDamage(file: DataFile, message: string, firstSequence: number, rows: number): Promise<void> {
    const note = (manifest: Manifest): Manifest => {
      const index = manifest.files.findIndex(
        ({ number, kind }) => number === file.number && kind === file.kind,
      );
      const damaged = [...manifest.damaged, { file: file.name, message, firstSequence, rows }];
      if (index < 0) return { ...manifest, damaged };
      const entry = manifest.files[index]!;
      const left = this.#core.list
        .within(entry.firstSequence, entry.end)
        .filter((block) => block.file === file);
      const changed = {
        ...entry,
        rows: left.reduce((sum, block) => sum + block.rows, 0),
        index: left.map(indexEntry),
      };
      return { ...manifest, files: manifest.files.with(index, changed), damaged };
    };
    try {
      await this.#core.manifest.change(note);
    } catch (error) {
      reportFor(this.#core, 'background-failure', 'manifest', `Cannot note the damage: ${String(error)}`);
    }
  }
}
