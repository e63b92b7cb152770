import { join } from 'node:path';
import type { ColumnSchema } from '../column/index.ts';
import { type ColumnStats, statsOfHeader, storedStats } from './column-stats.ts';
import { DataFile, fileHeadBytes, parseDataFileName } from './data-file.ts';
import { readWhole } from './file-access.ts';
import { reportFor, type StoreCore } from './log-core.ts';
import { type LogFacts, type Manifest, type ManifestFile, newManifest } from './manifest.ts';
import { readRecordHeader, recordTypes } from './record.ts';
import { scanSegment } from './scan.ts';
import type { StoredIndexEntry } from './stored-block.ts';

interface FoundFile {
  readonly file: DataFile;
  readonly index: readonly StoredIndexEntry[];
  readonly firstSequence: number;
  readonly end: number;
  readonly bytes: number;
  readonly origins: ReadonlyMap<string, Uint8Array>;
  readonly tokens: LogFacts['tokens'];
}

function manifestEntry({ file, index, firstSequence, end, bytes }: FoundFile): ManifestFile {
  return {
    kind: file.kind,
    number: file.number,
    firstSequence,
    end,
    rows: index.reduce((sum, [, rows]) => sum + rows, 0),
    bytes,
    blocks: index.length,
    records: index.length,
    indexOffset: fileHeadBytes,
    indexLength: 0,
    index,
  };
}

async function examine(store: StoreCore, file: DataFile, isLastSegment: boolean): Promise<FoundFile> {
  const bytes = (await readWhole(store.fileSystem, file.path)) ?? new Uint8Array();
  const { records } = scanSegment(bytes, file.mark, !isLastSegment);
  const index: StoredIndexEntry[] = [];
  const origins = new Map<string, Uint8Array>();
  const tokens: (readonly [string, number, number])[] = [];
  let groupStart: number | undefined;
  for (const head of records) {
    if (head.type !== recordTypes.block) continue;
    groupStart ??= head.firstSequence;
    const { block, meta } = readRecordHeader(bytes, head.offset, head);
    const stats: readonly (ColumnStats | undefined)[] = statsOfHeader(block);
    if (head.rows > 0)
      index.push([head.firstSequence, head.rows, head.offset, head.length, 1, storedStats(stats)]);
    if (meta.token !== undefined)
      tokens.push([meta.token, groupStart, head.firstSequence + head.rows - groupStart]);
    if (meta.writer !== undefined && meta.position !== undefined) origins.set(meta.writer, meta.position);
    if (!head.more) groupStart = undefined;
  }
  const first = index[0]?.[0] ?? 0;
  const last = index.at(-1);
  const end = last === undefined ? first : last[0] + last[1];
  return { file, index, firstSequence: first, end, bytes: bytes.length, origins, tokens };
}

/**
 * Makes a manifest from the data files alone, when the manifest is damaged or gone. Where files hold the same rows, a
 * part comes before the segments it was made from, and a newer part before an older one; what is not needed is moved to
 * the quarantine directory. What only the manifest knew, such as deduplication tokens of compacted rows, is lost.
 */
export async function rebuildManifest(
  store: StoreCore,
  id: string,
  directory: string,
  schema: readonly ColumnSchema[],
  names: readonly string[],
): Promise<Manifest> {
  const files = names
    .map(parseDataFileName)
    .filter((parsed) => parsed !== undefined)
    .map(({ kind, number }) => new DataFile(id, directory, kind, number));
  const nextNumber = Math.max(0, ...files.map(({ number }) => number)) + 1;
  const segments = files.filter(({ kind }) => kind === 'segment').map(({ number }) => number);
  const lastSegment = Math.max(0, ...segments);
  files.sort(
    (left, right) =>
      Number(left.kind === 'segment') - Number(right.kind === 'segment') || right.number - left.number,
  );
  const kept: FoundFile[] = [];
  const facts: FoundFile[] = [];
  for (const file of files) {
    const found = await examine(store, file, file.kind === 'segment' && file.number === lastSegment);
    facts.push(found);
    const needed =
      found.index.length > 0 &&
      !kept.some((other) => other.firstSequence < found.end && found.firstSequence < other.end);
    if (needed) kept.push(found);
    else await store.fileSystem.rename(file.path, join(store.directory, 'quarantine', `${id}-${file.name}`));
  }
  kept.sort((left, right) => left.firstSequence - right.firstSequence);
  facts.sort((left, right) => left.file.number - right.file.number);
  const message = `The manifest was made anew from ${files.length} data files; deduplication tokens and positions of compacted rows are lost`;
  reportFor({ store, id }, 'damaged-manifest', 'manifest', message);
  return {
    ...newManifest(id, schema),
    files: kept.map(manifestEntry),
    active: nextNumber,
    nextNumber,
    end: Math.max(0, ...facts.map(({ end }) => end)),
    origins: new Map(facts.flatMap(({ origins }) => [...origins])),
    tokens: facts.flatMap(({ tokens }) => tokens),
  };
}
