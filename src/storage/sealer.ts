import { deleteFiles, forgetFiles, type LogCore, reportFor } from './log-core.ts';
import type { ManifestFile } from './manifest.ts';
import { type PreparedRecord, prepareIndexRecord, stampRecord } from './record.ts';
import type { SegmentWriter } from './segment-writer.ts';
import { type BlockSource, indexEntry, joinRanges, type StoredBlock } from './stored-block.ts';

/** The manifest's entry of a file with these blocks, whose index record stands at `indexOffset`. */
export function manifestFile(
  file: { readonly kind: 'segment' | 'part'; readonly number: number },
  blocks: readonly StoredBlock[],
  indexOffset: number,
  indexLength: number,
): ManifestFile {
  return {
    kind: file.kind,
    number: file.number,
    firstSequence: blocks[0]!.firstSequence,
    end: blocks.at(-1)!.end,
    rows: blocks.reduce((sum, block) => sum + block.rows, 0),
    bytes: indexOffset + indexLength,
    blocks: blocks.length,
    records: blocks.reduce((sum, block) => sum + block.records, 0),
    indexOffset,
    indexLength,
  };
}

/** The record with the index of a file, stamped for its place. */
export function indexRecord(mark: number, offset: number, blocks: readonly StoredBlock[]): PreparedRecord {
  const record = prepareIndexRecord(blocks.map(indexEntry));
  const firstSequence = blocks.at(-1)!.end;
  stampRecord(record, { mark, offset, durable: offset, firstSequence, more: false });
  return record;
}

/** Seals segments that are no longer written to: each gets an index and its place in the manifest. */
export class Sealer {
  readonly #core: LogCore;
  readonly #source: BlockSource;
  readonly #waiting: SegmentWriter[];
  #last: Promise<void> = Promise.resolve();

  constructor(core: LogCore, source: BlockSource, unsealed: readonly SegmentWriter[]) {
    this.#core = core;
    this.#source = source;
    this.#waiting = [...unsealed];
  }

  /** Bytes of the segments that wait for being sealed. */
  get bytes(): number {
    return this.#waiting.reduce((sum, segment) => sum + segment.end, 0);
  }

  add(segment: SegmentWriter): void {
    this.#waiting.push(segment);
  }

  /** Forgets the waiting segments, whose rows have been truncated. */
  takeAll(): SegmentWriter[] {
    return this.#waiting.splice(0);
  }

  /** Seals all waiting segments, oldest first; one that fails stays, with those after it, for the next time. */
  run(): Promise<void> {
    this.#last = this.#last.then(() => this.#sealAll());
    return this.#last;
  }

  /** Resolves when nothing is being sealed. */
  idle(): Promise<void> {
    return this.#last;
  }

  async #sealAll(): Promise<void> {
    for (let segment = this.#waiting[0]; segment !== undefined; segment = this.#waiting[0]) {
      try {
        await this.#seal(segment);
      } catch (error) {
        const message = `Cannot seal the segment yet: ${String(error)}`;
        reportFor(this.#core, 'background-failure', segment.file.name, message);
        return;
      }
      if (this.#waiting[0] === segment) this.#waiting.shift();
    }
  }

  async #seal(segment: SegmentWriter): Promise<void> {
    const { list, manifest, store } = this.#core;
    const { file } = segment;
    const own = list.blocks.filter((block) => block.file === file);
    const blocks = joinRanges(this.#source, own, store.limits.blockRowsMax);
    let entry: ManifestFile | undefined;
    if (blocks.length > 0) {
      const offset = segment.nextOffset;
      const record = indexRecord(file.mark, offset, blocks);
      await segment.write([record.bytes], 0);
      entry = manifestFile(file, blocks, offset, record.bytes.byteLength);
    }
    await segment.close();
    await manifest.change((current) => {
      if (file.number < current.active) return undefined;
      return {
        ...current,
        active: file.number + 1,
        nextNumber: this.#core.numbers.next,
        files: entry === undefined ? current.files : [...current.files, entry],
        cuts: current.cuts.filter(([number]) => number > file.number),
      };
    });
    if (entry === undefined) {
      forgetFiles(this.#core, [file], []);
      await deleteFiles(this.#core, [file]);
    }
  }
}
