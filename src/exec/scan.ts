import { limits, SluiceError } from '../base/index.ts';
import {
  type Block,
  blockBytes,
  columnBuilder,
  constantVector,
  flatFromDoubles,
  type Vector,
} from '../column/index.ts';
import type { ScanPlan } from '../plan/index.ts';
import { types } from '../types/index.ts';
import type { Execution } from './execution.ts';
import { OutsideSource } from './outside-source.ts';
import { blockPruner } from './prune.ts';
import { type BlockSource, sourceOf } from './source.ts';

/** Counts what a source gives against the query's limits. */
function counted(source: BlockSource, execution: Execution): BlockSource {
  const count = (block: Block | null): Block | null => {
    if (block !== null) execution.countRead(block, blockBytes(block));
    return block;
  };
  return {
    next: () => {
      const block = source.next();
      return block instanceof Promise ? block.then(count) : count(block);
    },
    close: () => source.close(),
  };
}

function wholeNumber(value: unknown, what: string): number {
  const number = Number(value);
  if (!Number.isSafeInteger(number) || number < 0) {
    throw new SluiceError('BAD_ARGUMENTS', `${what} must be a whole number from 0, not ${String(value)}`);
  }
  return number;
}

function* numbers(scan: ScanPlan & { source: { kind: 'numbers' } }, execution: Execution): Iterable<Block> {
  const start = wholeNumber(execution.valueOf(scan.source.start), 'The start of numbers(...)');
  const given = scan.source.count === null ? null : execution.valueOf(scan.source.count);
  const count = given === null ? Number.POSITIVE_INFINITY : wholeNumber(given, 'The count of numbers(...)');
  const step = wholeNumber(execution.valueOf(scan.source.step), 'The step of numbers(...)');
  const values = new Float64Array(Math.min(count, limits.block_rows_max));
  for (let done = 0; done < count; done += values.length) {
    const rows = Math.min(values.length, count - done);
    for (let row = 0; row < rows; row++) values[row] = start + (done + row) * step;
    const vectors = scan.columns.map((entry) =>
      entry.source === 0
        ? flatFromDoubles(values.subarray(0, rows), types.uint64, null)
        : constantVector(types.uint8, 0, rows),
    );
    yield { rows, vectors };
  }
}

function* rowBlocks(scan: ScanPlan, rows: Iterable<readonly unknown[]>): Iterable<Block> {
  const builders = scan.columns.map((entry) => columnBuilder(entry.column.type));
  let count = 0;
  const flush = (): Block => {
    const block = { rows: count, vectors: builders.map((builder) => builder.finish()) };
    count = 0;
    return block;
  };
  for (const row of rows) {
    for (const [index, entry] of scan.columns.entries()) builders[index]!.append(row[entry.source]);
    if (++count === limits.block_rows_max) yield flush();
  }
  if (count > 0) yield flush();
}

/** The columns that a scan wants of a stored block; the sequence numbers are made. */
export function pickColumns(scan: ScanPlan, block: Block, firstSequence: number): Block {
  const vectors = scan.columns.map(
    (entry): Vector => block.vectors[entry.source] ?? sequenceVector(firstSequence, block.rows),
  );
  return { rows: block.rows, vectors };
}

function sequenceVector(first: number, rows: number): Vector {
  return flatFromDoubles(
    Float64Array.from({ length: rows }, (_, row) => first + row),
    types.int64,
    null,
  );
}

/** What a stream holds when the query starts, without the blocks that cannot hold rows that are wanted. */
function storedBlocks(scan: ScanPlan & { source: { kind: 'stream' } }, execution: Execution): BlockSource {
  const { blocks } = scan.source.stream.log.snapshot();
  const isPruned = blockPruner(scan, execution);
  let next = 0;
  return {
    next: () => {
      let ref = blocks[next++];
      if (isPruned !== null) while (ref !== undefined && isPruned(ref)) ref = blocks[next++];
      if (ref === undefined) return null;
      const block = ref.load();
      if (block instanceof Promise)
        return block.then((loaded) => pickColumns(scan, loaded, ref.firstSequence));
      return pickColumns(scan, block, ref.firstSequence);
    },
    close: () => {
      next = blocks.length;
    },
  };
}

/** The blocks of a scan that completes. */
export function scanSource(scan: ScanPlan, execution: Execution): BlockSource {
  const { source } = scan;
  switch (source.kind) {
    case 'numbers':
      return counted(sourceOf(numbers({ ...scan, source }, execution)), execution);
    case 'system':
      return counted(sourceOf(rowBlocks(scan, source.table.rows())), execution);
    case 'values':
      return sourceOf(rowBlocks(scan, source.rows));
    case 'stream':
      return counted(storedBlocks({ ...scan, source }, execution), execution);
    case 'external':
      return new OutsideSource({ ...scan, source }, { kind: 'earliest' }, execution);
  }
}
