import type { Clock } from '../base/index.ts';
import { limits } from '../base/index.ts';
import type { FileSystem } from './file-system.ts';
import { nodeFileSystem } from './file-system.ts';
import type { Problem } from './problems.ts';

export interface CompactionOptions {
  /** Whether files are compacted in the background; `compactNow` works either way. Default true. */
  readonly background?: boolean;
  /** How many adjacent blocks or files of about one size are merged into one. Default 32 blocks, 8 files. */
  readonly blocksFanout?: number;
  readonly filesFanout?: number;
}

export interface StoreOptions {
  /** Made when it does not exist. */
  readonly directory: string;
  readonly clock: Clock;
  /** Default: the machine's. */
  readonly fileSystem?: FileSystem;
  /** Bytes and appends after which a segment is sealed and a new one begun. Default 64 MiB and 65,536. */
  readonly segmentBytesMax?: number;
  readonly segmentRecordsMax?: number;
  /** Bytes of blocks kept in memory. Default 1 GiB. */
  readonly cacheBytesMax?: number;
  /** Bytes up to which small blocks are merged (rows: 65,536). Default 16 MiB. */
  readonly blockBytesTarget?: number;
  /** Deduplication tokens remembered per log. Default 10,000. */
  readonly tokensMax?: number;
  readonly compaction?: CompactionOptions;
  readonly onProblem?: (problem: Problem) => void;
}

/** The options with every default filled in. */
export interface StoreLimits {
  readonly segmentBytesMax: number;
  readonly segmentRecordsMax: number;
  readonly blockRowsMax: number;
  readonly blockBytesTarget: number;
  readonly tokensMax: number;
  readonly batchBytesMax: number;
  readonly compactInBackground: boolean;
  readonly blocksFanout: number;
  readonly filesFanout: number;
}

const mebibyte = 1_048_576;

export const cacheBytesMaxDefault = 1024 * mebibyte;

export function storeLimits(options: StoreOptions): StoreLimits {
  return {
    segmentBytesMax: options.segmentBytesMax ?? 64 * mebibyte,
    segmentRecordsMax: options.segmentRecordsMax ?? 65_536,
    blockRowsMax: limits.block_rows_max,
    blockBytesTarget: options.blockBytesTarget ?? 16 * mebibyte,
    tokensMax: options.tokensMax ?? 10_000,
    batchBytesMax: 16 * mebibyte,
    compactInBackground: options.compaction?.background ?? true,
    blocksFanout: options.compaction?.blocksFanout ?? 32,
    filesFanout: options.compaction?.filesFanout ?? 8,
  };
}

export function fileSystemOf(options: StoreOptions): FileSystem {
  return options.fileSystem ?? nodeFileSystem;
}
