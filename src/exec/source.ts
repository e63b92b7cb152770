import type { Block } from '../column/index.ts';

/** Gives blocks one after the other, at once where it can; null when there are no more. */
export interface BlockSource {
  next(): Block | null | Promise<Block | null>;
  /** Frees what the source holds; `next` may not be called afterwards. */
  close(): void;
}

/** A source over blocks that are there already or can be made at once. */
export function sourceOf(blocks: Iterable<Block>): BlockSource {
  const iterator = blocks[Symbol.iterator]();
  return {
    next: () => {
      const step = iterator.next();
      return step.done === true ? null : step.value;
    },
    close: () => {
      iterator.return?.();
    },
  };
}

/** The sources' blocks, one source after the other. */
export function chainSources(sources: readonly BlockSource[]): BlockSource {
  let current = 0;
  const advance = (): Block | null | Promise<Block | null> => {
    while (current < sources.length) {
      const block = sources[current]!.next();
      if (block instanceof Promise) return block.then((value) => value ?? skip());
      if (block !== null) return block;
      current++;
    }
    return null;
  };
  const skip = (): Block | null | Promise<Block | null> => {
    current++;
    return advance();
  };
  return {
    next: advance,
    close: () => {
      for (const source of sources) source.close();
    },
  };
}
