import { join } from 'node:path';
import { SluiceError } from '../base/index.ts';
import type { ColumnSchema } from '../column/index.ts';
import { sameType, typeName } from '../types/index.ts';
import { blocksOfRecords, saveDamaged } from './block-reader.ts';
import { DataFile, fileVersion, formatVersion, parseDataFileName } from './data-file.ts';
import { encodeEnvelope } from './envelope.ts';
import { readWhole, replaceFile } from './file-access.ts';
import { reportFor, type StoreCore } from './log-core.ts';
import { type Manifest, type ManifestFile, manifestPath, newManifest, readManifest } from './manifest.ts';
import { rebuildManifest } from './rebuild.ts';
import {
  type RecordHead,
  readRecordHead,
  readRecordHeader,
  recordHeadBytes,
  recordTypes,
  unpackHeader,
} from './record.ts';
import { scanSegment } from './scan.ts';
import { SegmentWriter } from './segment-writer.ts';
import { type BlockSource, blockFromIndex, type StoredBlock, type StoredIndexEntry } from './stored-block.ts';
import { TokenMemory } from './token-memory.ts';

/** What a log is made of when it is opened. */
export interface RecoveredLog {
  readonly manifest: Manifest;
  readonly blocks: readonly StoredBlock[];
  readonly files: Map<string, DataFile>;
  readonly nextNumber: number;
  readonly end: number;
  readonly origins: Map<string, Uint8Array>;
  readonly tokens: TokenMemory;
  /** Segments that had not been sealed, oldest first. */
  readonly unsealed: readonly SegmentWriter[];
}

/** Files whose indexes are read at the same time. */
const concurrentReads = 8;

class Recovery {
  readonly #store: StoreCore;
  readonly #id: string;
  readonly #directory: string;
  readonly #source: BlockSource;
  readonly files = new Map<string, DataFile>();
  readonly origins: Map<string, Uint8Array>;
  readonly tokens: TokenMemory;
  readonly unsealed: SegmentWriter[] = [];
  manifest: Manifest;
  end: number;

  constructor(store: StoreCore, id: string, directory: string, source: BlockSource, manifest: Manifest) {
    this.#store = store;
    this.#id = id;
    this.#directory = directory;
    this.#source = source;
    this.manifest = manifest;
    this.end = manifest.end;
    this.origins = new Map(manifest.origins);
    this.tokens = new TokenMemory(store.limits.tokensMax);
    for (const [token, firstSequence, rows] of manifest.tokens)
      this.tokens.set(token, { firstSequence, rows });
  }

  #file(kind: 'segment' | 'part', number: number): DataFile {
    const file = new DataFile(this.#id, this.#directory, kind, number);
    this.files.set(file.name, file);
    return file;
  }

  #report(
    kind: Parameters<typeof reportFor>[1],
    file: string,
    message: string,
    rows?: { readonly firstSequence: number; readonly rows: number },
  ): void {
    reportFor({ store: this.#store, id: this.#id }, kind, file, message, rows);
  }

  /** The blocks of all sealed files, in order. */
  async sealedBlocks(): Promise<StoredBlock[]> {
    const entries = this.manifest.files;
    const found = new Array<readonly StoredBlock[] | undefined>(entries.length);
    let next = 0;
    const work = async (): Promise<void> => {
      for (let index = next++; index < entries.length; index = next++) {
        found[index] = await this.#blocksOfFile(entries[index]!);
      }
    };
    await Promise.all(Array.from({ length: concurrentReads }, work));
    if (found.includes(undefined)) this.#forgetMissing(entries, found);
    return found.flatMap((blocks) => blocks ?? []);
  }

  #forgetMissing(
    entries: readonly ManifestFile[],
    found: readonly (readonly StoredBlock[] | undefined)[],
  ): void {
    const damaged = [...this.manifest.damaged];
    for (const [index, { kind, number, firstSequence, rows }] of entries.entries()) {
      if (found[index] !== undefined) continue;
      const { name } = this.#file(kind, number);
      this.files.delete(name);
      damaged.push({ file: name, message: 'The file is missing', firstSequence, rows });
      this.#report('missing-file', name, 'The file is missing', { firstSequence, rows });
    }
    const files = entries.filter((_, index) => found[index] !== undefined);
    this.manifest = { ...this.manifest, files, damaged };
  }

  /** The blocks of a sealed file from its index; undefined when there is no such file. */
  async #blocksOfFile(entry: ManifestFile): Promise<readonly StoredBlock[] | undefined> {
    const file = this.#file(entry.kind, entry.number);
    const bytes = await this.#readIndex(file, entry);
    if (bytes === undefined) return undefined;
    if (entry.index !== undefined)
      return entry.index.map((block) => blockFromIndex(this.#source, file, block));
    const head = readRecordHead(bytes, 0, entry.indexOffset, file.mark);
    if (head?.type === recordTypes.index) {
      const packed = bytes.subarray(recordHeadBytes, recordHeadBytes + head.headerBytes);
      const index = unpackHeader(packed) as readonly StoredIndexEntry[];
      return index.map((block) => blockFromIndex(this.#source, file, block));
    }
    return this.#scanSealed(file, entry);
  }

  async #readIndex(file: DataFile, entry: ManifestFile): Promise<Uint8Array | undefined> {
    let handle: Awaited<ReturnType<StoreCore['fileSystem']['open']>>;
    try {
      handle = await this.#store.fileSystem.open(file.path, 'read');
    } catch {
      return undefined;
    }
    try {
      const bytes = new Uint8Array(entry.indexLength);
      await handle.read(bytes, entry.indexOffset);
      return bytes;
    } finally {
      await handle.close();
    }
  }

  /** Makes the index of a sealed file anew. */
  async #scanSealed(file: DataFile, entry: ManifestFile): Promise<readonly StoredBlock[]> {
    this.#report('damaged-index', file.name, 'The index failed its checksum and was made anew');
    const whole = await readWhole(this.#store.fileSystem, file.path);
    const bytes = (whole ?? new Uint8Array()).subarray(0, entry.indexOffset);
    const scan = scanSegment(bytes, file.mark, true);
    const blocks = this.#blocks(file, bytes, scan.records);
    const rows = entry.rows - blocks.reduce((sum, block) => sum + block.rows, 0);
    if (rows > 0) {
      const { firstSequence } = entry;
      const message = `${rows} rows among ${firstSequence} to ${entry.end - 1} fail their checksum and were set aside`;
      this.#report('damaged-rows', file.name, message, { firstSequence, rows });
      await saveDamaged({ store: this.#store, id: this.#id }, file.name, bytes, 0, scan.damaged);
    }
    return blocks;
  }

  #blocks(file: DataFile, bytes: Uint8Array, records: readonly RecordHead[]): StoredBlock[] {
    return blocksOfRecords(this.#source, file, bytes, 0, records, this.#store.limits.blockRowsMax);
  }

  /** The blocks of a segment that had not been sealed; its torn end, if any, is cut off. */
  async unsealedBlocks(number: number, isLast: boolean): Promise<readonly StoredBlock[]> {
    const file = this.#file('segment', number);
    const whole = (await readWhole(this.#store.fileSystem, file.path)) ?? new Uint8Array();
    const cut = this.manifest.cuts.find(([cutNumber]) => cutNumber === number)?.[1];
    const bytes = whole.subarray(0, cut);
    assertVersion(file.path, fileVersion(bytes));
    const scan = scanSegment(bytes, file.mark, !isLast);
    if (scan.records.length === 0 && scan.damaged.length === 0) {
      this.files.delete(file.name);
      await this.#store.fileSystem.remove(file.path);
      return [];
    }
    if (scan.end < bytes.length) {
      const message = `${bytes.length - scan.end} bytes at ${scan.end} were never acknowledged and were cut off`;
      this.#report('torn-tail', file.name, message);
    }
    if (scan.damaged.length > 0) await this.#setAside(file, bytes, scan);
    this.#learn(bytes, scan.records);
    this.unsealed.push(new SegmentWriter(this.#store.fileSystem, file, scan.end));
    return this.#blocks(file, bytes, scan.records);
  }

  async #setAside(file: DataFile, bytes: Uint8Array, scan: ReturnType<typeof scanSegment>): Promise<void> {
    for (const span of scan.damaged) {
      const before = scan.records.findLast((record) => record.offset < span.start);
      const after = scan.records.find((record) => record.offset > span.start);
      const firstSequence = before === undefined ? this.end : before.firstSequence + before.rows;
      const rows = (after?.firstSequence ?? firstSequence) - firstSequence;
      const known = this.manifest.damaged.some(
        (rows) => rows.file === file.name && rows.firstSequence === firstSequence,
      );
      if (known) continue;
      const message = `Bytes ${span.start} to ${span.end - 1}, ${rows} rows from ${firstSequence} on, fail their checksum and were set aside`;
      this.#report('damaged-rows', file.name, message, { firstSequence, rows });
      const damaged = { file: file.name, message, firstSequence, rows };
      this.manifest = { ...this.manifest, damaged: [...this.manifest.damaged, damaged] };
    }
    await saveDamaged({ store: this.#store, id: this.#id }, file.name, bytes, 0, scan.damaged);
  }

  /** Takes tokens, positions and the end of the log from the records. */
  #learn(bytes: Uint8Array, records: readonly RecordHead[]): void {
    let groupStart: number | undefined;
    for (const head of records) {
      if (head.type !== recordTypes.block) continue;
      groupStart ??= head.firstSequence;
      this.end = Math.max(this.end, head.firstSequence + head.rows);
      const { token, writer, position } = readRecordHeader(bytes, head.offset, head).meta;
      if (token !== undefined) {
        const rows = head.firstSequence + head.rows - groupStart;
        this.tokens.set(token, { firstSequence: groupStart, rows });
      }
      if (writer !== undefined && position !== undefined) this.origins.set(writer, position);
      if (!head.more) groupStart = undefined;
    }
  }

  /** Deletes what compaction, truncation or a crash left over. */
  async deleteLeftovers(names: readonly string[]): Promise<void> {
    for (const name of names) {
      const leftover =
        name.endsWith('.tmp') || (parseDataFileName(name) !== undefined && !this.files.has(name));
      if (leftover) await this.#store.fileSystem.remove(join(this.#directory, name));
    }
  }
}

function assertVersion(path: string, version: number | undefined): void {
  if (version === undefined || version <= formatVersion) return;
  throw new SluiceError(
    'CANNOT_READ_FROM_FILE',
    `${path} has format version ${version}; this server reads versions up to ${formatVersion}`,
  );
}

/** Column names may change, types may not: the blocks on disk are read by them. */
function assertSameTypes(id: string, stored: readonly ColumnSchema[], wanted: readonly ColumnSchema[]): void {
  const describe = (schema: readonly ColumnSchema[]): string =>
    schema.map(({ name, type }) => `${name} ${typeName(type)}`).join(', ');
  const same =
    stored.length === wanted.length && stored.every(({ type }, index) => sameType(type, wanted[index]!.type));
  if (same) return;
  throw new SluiceError(
    'TYPE_MISMATCH',
    `Log ${id} holds the columns (${describe(stored)}) but is opened with (${describe(wanted)})`,
  );
}

async function manifestOf(
  store: StoreCore,
  id: string,
  directory: string,
  schema: readonly ColumnSchema[],
  names: readonly string[],
): Promise<Manifest> {
  const found = await readManifest(store.fileSystem, directory);
  if (found !== undefined && found !== 'damaged') {
    assertVersion(manifestPath(directory), found.version);
    assertSameTypes(id, found.schema, schema);
    return { ...found, schema };
  }
  const hasData = names.some((name) => parseDataFileName(name) !== undefined);
  const manifest = hasData
    ? await rebuildManifest(store, id, directory, schema, names)
    : newManifest(id, schema);
  if (found === 'damaged' && !hasData)
    reportFor(
      { store, id },
      'damaged-manifest',
      'manifest',
      'The manifest failed its checksum; there are no data files',
    );
  await replaceFile(store.fileSystem, manifestPath(directory), encodeEnvelope(manifest));
  return manifest;
}

/** Opens what is on disk of a log, or begins one. */
export async function recoverLog(
  store: StoreCore,
  id: string,
  directory: string,
  schema: readonly ColumnSchema[],
  source: BlockSource,
): Promise<RecoveredLog> {
  await store.fileSystem.makeDirectory(directory);
  await store.fileSystem.syncDirectory(join(directory, '..'));
  const names = await store.fileSystem.list(directory);
  const manifest = await manifestOf(store, id, directory, schema, names);
  for (const { file, message, firstSequence, rows } of manifest.damaged)
    reportFor({ store, id }, 'damaged-rows', file, message, { firstSequence, rows });
  const recovery = new Recovery(store, id, directory, source, manifest);
  const blocks = await recovery.sealedBlocks();
  const files = names.map(parseDataFileName).filter((file) => file !== undefined);
  const unsealed = files
    .filter(({ kind, number }) => kind === 'segment' && number >= manifest.active)
    .map(({ number }) => number)
    .sort((left, right) => left - right);
  for (const number of unsealed) {
    blocks.push(...(await recovery.unsealedBlocks(number, number === unsealed.at(-1))));
  }
  await recovery.deleteLeftovers(names);
  const nextNumber = Math.max(manifest.nextNumber, ...files.map(({ number }) => number + 1));
  const { end, origins, tokens } = recovery;
  return {
    manifest: recovery.manifest,
    blocks,
    files: recovery.files,
    nextNumber,
    end,
    origins,
    tokens,
    unsealed: recovery.unsealed,
  };
}
