/** The size class of something: 0 below `fanout` times the unit, 1 below its square times the unit, and so on. */
export function tierOf(size: number, unit: number, fanout: number): number {
  let tier = 0;
  for (let bound = unit * fanout; size >= bound; bound *= fanout) tier++;
  return tier;
}

/**
 * Chooses neighbours to merge: the first `fanout` or more in a row, none of which is above the lowest class for which
 * there are so many. Every item is then merged into something a class larger, so that each row is rewritten no more
 * often than there are classes. An infinite class is never merged.
 *
 * @returns start and end of the run among the items, undefined when there is none
 */
export function chooseRun(
  tiers: readonly number[],
  fanout: number,
): { readonly start: number; readonly end: number } | undefined {
  const classes = [...new Set(tiers)].filter((tier) => tier < Number.POSITIVE_INFINITY).sort((a, b) => a - b);
  for (const tier of classes) {
    let start = 0;
    for (let index = 0; index <= tiers.length; index++) {
      if (index < tiers.length && tiers[index]! <= tier) continue;
      if (index - start >= fanout) return { start, end: index };
      start = index + 1;
    }
  }
  return undefined;
}
