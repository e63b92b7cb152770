import { setImmediate } from 'node:timers/promises';
import { type Block, concatVectors, type Vector } from '../column/index.ts';
import type { SqlType } from '../types/index.ts';

/** Values that are merged before other work gets its turn: a few milliseconds. */
const valuesPerTurn = 65_536;

/** Counts work and lets the event loop turn whenever there was enough of it. */
export class Pace {
  #done = 0;

  async spend(values: number): Promise<void> {
    this.#done += values;
    if (this.#done < valuesPerTurn) return;
    this.#done = 0;
    await setImmediate();
  }
}

/** One block with the rows of all; other work gets its turn between columns. */
export async function mergeBlocks(
  blocks: readonly Block[],
  types: readonly SqlType[],
  pace: Pace,
): Promise<Block> {
  if (blocks.length === 1) return blocks[0]!;
  const rows = blocks.reduce((sum, block) => sum + block.rows, 0);
  const vectors: Vector[] = [];
  for (let column = 0; column < types.length; column++) {
    const parts = blocks.map((block) => block.vectors[column]!);
    vectors.push(concatVectors(parts, types[column]!));
    await pace.spend(rows + blocks.length * 8);
  }
  return { rows, vectors };
}
