export type { ColumnStats } from './column-stats.ts';
export { type FileSystem, nodeFileSystem, type OpenFile, type OpenMode } from './file-system.ts';
export type { CompactionOptions, StoreOptions } from './options.ts';
export type { Problem, ProblemKind } from './problems.ts';
export { openStore, type Store } from './store.ts';
export type { BlockRef } from './stored-block.ts';
export type { AppendMeta, AppendResult, Snapshot, StreamLog } from './stream-log.ts';
