import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ExecutionContext } from 'ava';
import { VirtualClock } from '../../src/base/index.ts';
import { type Block, blockRows, type ColumnSchema, columnBuilder } from '../../src/column/index.ts';
import {
  openStore,
  type Problem,
  type Snapshot,
  type Store,
  type StoreOptions,
} from '../../src/storage/index.ts';
import { arrayOf, datetime64, mapOf, nullable, tupleOf, types } from '../../src/types/index.ts';

export const logId = '5f0c4a5e-0000-4000-8000-000000000001';

/** A column of every kind of vector. */
export const schema: readonly ColumnSchema[] = [
  { name: 'number', type: types.int32 },
  { name: 'big', type: types.int64 },
  { name: 'wide', type: types.uint128 },
  { name: 'word', type: types.string },
  { name: 'text', type: nullable(types.string) },
  { name: 'list', type: arrayOf(types.uint16) },
  { name: 'map', type: mapOf(types.string, nullable(types.float64)) },
  { name: 'pair', type: tupleOf([types.string, types.uint8]) },
  { name: '_tp_time', type: datetime64(3, 'UTC') },
];

/** The row that a number stands for; distinct numbers give distinct rows. */
export function rowOf(number: number): unknown[] {
  return [
    number,
    number % 5 === 0 ? 2n ** 62n + BigInt(number) : number,
    BigInt(number) << 70n,
    `word ${number % 7}`,
    number % 3 === 0 ? null : `text ${number}`,
    [number % 100, 7],
    [[`key ${number % 4}`, number % 2 === 0 ? null : number / 4]],
    [`left ${number}`, number % 256],
    1_700_000_000_000 + number,
  ];
}

export function blockOf(numbers: readonly number[]): Block {
  const builders = schema.map(({ type }) => columnBuilder(type));
  for (const number of numbers) {
    const row = rowOf(number);
    for (const [column, builder] of builders.entries()) builder.append(row[column]);
  }
  return { rows: numbers.length, vectors: builders.map((builder) => builder.finish()) };
}

export function range(start: number, end: number): number[] {
  return Array.from({ length: end - start }, (_, index) => start + index);
}

/** The rows of a snapshot, checking that the blocks say the truth about them. */
export async function rowsOf(t: ExecutionContext, snapshot: Snapshot): Promise<unknown[][]> {
  const rows: unknown[][] = [];
  let before = 0;
  for (const ref of snapshot.blocks) {
    t.true(ref.firstSequence >= before);
    before = ref.firstSequence + ref.rows;
    const block = await ref.load();
    t.is(block.rows, ref.rows);
    const part = blockRows(block);
    t.is(part.length, ref.rows);
    for (const row of part) {
      t.true(
        (ref.column(0)?.min ?? 0) <= (row[0] as number) && (row[0] as number) <= (ref.column(0)?.max ?? 0),
      );
      t.true((ref.firstTime ?? 0) <= (row[8] as number) && (row[8] as number) <= (ref.lastTime ?? 0));
    }
    rows.push(...part);
  }
  t.true(before <= snapshot.end);
  return rows;
}

/** The first column, which identifies the rows. */
export async function numbersOf(t: ExecutionContext, snapshot: Snapshot): Promise<number[]> {
  return (await rowsOf(t, snapshot)).map((row) => row[0] as number);
}

export function temporaryDirectory(t: ExecutionContext): string {
  const directory = mkdtempSync(join(tmpdir(), 'sluice-storage-'));
  t.teardown(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

/** The store in the directory; closed when the test ends. */
export async function openAt(
  t: ExecutionContext,
  directory: string,
  options: Partial<StoreOptions> = {},
): Promise<Store> {
  const store = await openStore({ directory, clock: new VirtualClock(), ...options });
  t.teardown(() => store.close());
  return store;
}

/** A copy of the files as they are now: what a process that is killed at this moment leaves behind. */
export function copyOfFiles(t: ExecutionContext, directory: string): string {
  const copy = temporaryDirectory(t);
  cpSync(directory, copy, { recursive: true });
  return copy;
}

export function filesOfLog(directory: string, extension: string): string[] {
  const folder = join(directory, 'logs', logId);
  return readdirSync(folder)
    .filter((name) => name.endsWith(extension))
    .sort()
    .map((name) => join(folder, name));
}

export function kindsOf(problems: readonly Problem[]): string[] {
  return problems.map(({ kind }) => kind);
}

/** Numbers from 0 up to 1 that are the same for the same seed. */
export function randomOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
