import { dirname } from 'node:path';
import type { Block } from '../column/index.ts';
import { chooseRun, tierOf } from './choose-run.ts';
import { type DataFile, dataFileName } from './data-file.ts';
import { writeAll } from './file-access.ts';
import type { OpenFile } from './file-system.ts';
import { deleteFiles, forgetFiles, type LogCore, newDataFile, reportFor } from './log-core.ts';
import type { ManifestFile } from './manifest.ts';
import { mergeBlocks, Pace } from './merge-blocks.ts';
import { prepareRecord, stampRecord } from './record.ts';
import { indexRecord, manifestFile } from './sealer.ts';
import { type BlockSource, StoredBlock } from './stored-block.ts';

/** A part takes the rows of files with up to so many times the bytes of a segment. */
const partSegmentsMax = 4;

/** Files below so many bytes are all of one size class. */
const smallestFileBytes = 65_536;

/** Reads blocks for compaction. */
export interface CompactionSource extends BlockSource {
  read(block: StoredBlock): Promise<Block>;
}

/** Thrown inside when the log is being closed or truncated under a running compaction. */
class Abandoned extends Error {}

/** Replaces sealed files with many small blocks, and runs of small files, by parts of large blocks. */
export class Compactor {
  readonly #core: LogCore;
  readonly #source: CompactionSource;
  #last: Promise<void> = Promise.resolve();
  #awake = false;
  #stopped = false;

  constructor(core: LogCore, source: CompactionSource) {
    this.#core = core;
    this.#source = source;
  }

  /** Starts compaction in the background where there is something to do. */
  wake(): void {
    if (this.#stopped || this.#awake || this.#choose() === undefined) return;
    this.#awake = true;
    const run = this.#enqueue(() => {
      this.#awake = false;
      return this.#runAll(() => this.#choose());
    });
    run.catch((error) => {
      reportFor(this.#core, 'background-failure', 'compaction', `Cannot compact: ${String(error)}`);
    });
  }

  /** Compacts everything sealed as far as it goes. */
  runNow(): Promise<void> {
    return this.#enqueue(() => {
      const runs = this.#allRuns();
      return this.#runAll(() => runs.shift());
    });
  }

  /** Resolves when no compaction is under way. */
  idle(): Promise<void> {
    return this.#last;
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#last;
  }

  #enqueue(work: () => Promise<void>): Promise<void> {
    const run = this.#last.then(work);
    this.#last = run.catch(() => undefined);
    return run;
  }

  async #runAll(next: () => readonly ManifestFile[] | undefined): Promise<void> {
    for (let files = next(); files !== undefined && !this.#stopped; files = next()) {
      try {
        await this.#compact(files);
      } catch (error) {
        if (error instanceof Abandoned) return;
        throw error;
      }
    }
  }

  /** How many blocks the file would have if they were as large as they may be. */
  #idealBlocks(file: ManifestFile): number {
    const { blockRowsMax, blockBytesTarget } = this.#core.store.limits;
    return Math.max(Math.ceil(file.rows / blockRowsMax), Math.ceil(file.bytes / blockBytesTarget));
  }

  #isFragmented(file: ManifestFile): boolean {
    return file.kind === 'segment' && file.records >= 2 * this.#idealBlocks(file) + 8;
  }

  /** The files from `start` up to `end` as far as one part may hold them. */
  #asOnePart(files: readonly ManifestFile[], start: number, end: number): readonly ManifestFile[] {
    const bytesMax = partSegmentsMax * this.#core.store.limits.segmentBytesMax;
    let bytes = 0;
    let index = start;
    for (; index < end; index++) {
      bytes += files[index]!.bytes;
      if (index > start && bytes > bytesMax) break;
    }
    return files.slice(start, index);
  }

  #choose(): readonly ManifestFile[] | undefined {
    const { files } = this.#core.manifest.current;
    const { segmentBytesMax, filesFanout } = this.#core.store.limits;
    const fragmented = files.findIndex((file) => this.#isFragmented(file));
    if (fragmented >= 0) {
      let end = fragmented + 1;
      while (end < files.length && this.#isFragmented(files[end]!)) end++;
      return this.#asOnePart(files, fragmented, end);
    }
    const tiers = files.map(({ bytes }) =>
      bytes >= segmentBytesMax ? Number.POSITIVE_INFINITY : tierOf(bytes, smallestFileBytes, filesFanout),
    );
    const run = chooseRun(tiers, filesFanout);
    return run && this.#asOnePart(files, run.start, run.end);
  }

  #allRuns(): (readonly ManifestFile[])[] {
    const { files } = this.#core.manifest.current;
    const runs: (readonly ManifestFile[])[] = [];
    for (let start = 0; start < files.length; ) {
      const run = this.#asOnePart(files, start, files.length);
      if (run.length > 1 || run[0]!.records > this.#idealBlocks(run[0]!)) runs.push(run);
      start += run.length;
    }
    return runs;
  }

  /** Neighbouring blocks that become one; a block never spans rows that are missing. */
  #groups(blocks: readonly StoredBlock[]): StoredBlock[][] {
    const { blockRowsMax, blockBytesTarget } = this.#core.store.limits;
    const groups: StoredBlock[][] = [];
    let rows = 0;
    let bytes = 0;
    let end = -1;
    for (const block of blocks) {
      rows += block.rows;
      bytes += block.payloadBytes;
      if (block.firstSequence !== end || rows > blockRowsMax || bytes > blockBytesTarget) {
        groups.push([]);
        rows = block.rows;
        bytes = block.payloadBytes;
      }
      groups.at(-1)!.push(block);
      end = block.end;
    }
    return groups;
  }

  async #compact(entries: readonly ManifestFile[]): Promise<void> {
    const { fileSystem } = this.#core.store;
    const first = entries[0]!.firstSequence;
    const { end } = entries.at(-1)!;
    const groups = this.#groups(this.#core.list.within(first, end));
    if (groups.length === 0) {
      await this.#replace(entries, undefined, []);
      return;
    }
    const part = newDataFile(this.#core, 'part');
    const temporary = `${part.path}.tmp`;
    let wanted = false;
    try {
      const { entry, blocks } = await this.#writePart(temporary, part, groups);
      await fileSystem.rename(temporary, part.path);
      await fileSystem.syncDirectory(dirname(part.path));
      // When the change fails half-way, the manifest on disk may name the part already: it must stay then.
      wanted = true;
      wanted = await this.#replace(entries, entry, blocks);
    } finally {
      if (!wanted) {
        forgetFiles(this.#core, [part], []);
        await fileSystem.remove(temporary).catch(() => undefined);
        await fileSystem.remove(part.path).catch(() => undefined);
      }
    }
    if (!wanted) throw new Abandoned();
  }

  async #writePart(
    path: string,
    part: DataFile,
    groups: readonly (readonly StoredBlock[])[],
  ): Promise<{ readonly entry: ManifestFile; readonly blocks: readonly StoredBlock[] }> {
    const file = await this.#core.store.fileSystem.open(path, 'replace');
    try {
      const blocks = await this.#writeBlocks(file, part, groups);
      const offset = blocks.at(-1)!.offset + blocks.at(-1)!.length;
      const record = indexRecord(part.mark, offset, blocks);
      await writeAll(file, [record.bytes], offset);
      await file.sync();
      return { entry: manifestFile(part, blocks, offset, record.bytes.byteLength), blocks };
    } finally {
      await file.close();
    }
  }

  async #writeBlocks(
    file: OpenFile,
    part: DataFile,
    groups: readonly (readonly StoredBlock[])[],
  ): Promise<StoredBlock[]> {
    const pace = new Pace();
    const written: StoredBlock[] = [];
    let offset = await writeAll(file, [part.head()], 0);
    for (const group of groups) {
      if (this.#stopped || group[0]!.file.removed) throw new Abandoned();
      const recent = group.every((block) => block.resident !== undefined);
      const sources: Block[] = [];
      for (const block of group) sources.push(await this.#source.read(block));
      const merged = await mergeBlocks(sources, this.#core.types, pace);
      const record = prepareRecord(merged, {});
      const { firstSequence } = group[0]!;
      stampRecord(record, { mark: part.mark, offset, durable: offset, firstSequence, more: false });
      const length = await writeAll(file, [record.bytes], offset);
      const place = { file: part, offset, length, records: 1 };
      const block = new StoredBlock(this.#source, place, firstSequence, merged.rows, record.block, undefined);
      // What was in memory stays there in its new form; what was not, is let go at once.
      if (!recent) block.evict();
      written.push(block);
      offset += length;
      await pace.spend(merged.rows);
    }
    return written;
  }

  /** Puts the part, if any, in the place of the files; false when they have been truncated meanwhile. */
  async #replace(
    entries: readonly ManifestFile[],
    entry: ManifestFile | undefined,
    blocks: readonly StoredBlock[],
  ): Promise<boolean> {
    const core = this.#core;
    const names = entries.map(({ kind, number }) => dataFileName(kind, number));
    const old = names.map((name) => core.files.get(name)).filter((file) => file !== undefined);
    const changed = await core.manifest.change(
      (current) => {
        const start = current.files.findIndex(
          ({ kind, number }) => kind === entries[0]!.kind && number === entries[0]!.number,
        );
        if (start < 0) return undefined;
        const replacement = entry === undefined ? [] : [entry];
        const files = current.files.toSpliced(start, entries.length, ...replacement);
        return { ...current, files, nextNumber: core.numbers.next };
      },
      () => {
        const replaced = core.list.within(entries[0]!.firstSequence, entries.at(-1)!.end);
        if (replaced.length > 0) core.list.replace(replaced, blocks);
        forgetFiles(core, old, replaced);
        for (const block of blocks) if (block.resident !== undefined) core.store.cache.put(block);
      },
    );
    if (changed) await deleteFiles(core, old);
    return changed;
  }
}
