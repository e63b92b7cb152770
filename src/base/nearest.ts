/** Edit distance, in which two neighbours that changed places are one edit; stops caring past `limit`. */
function editDistance(left: string, right: string, limit: number): number {
  if (Math.abs(left.length - right.length) > limit) return limit + 1;
  let beforePrevious: number[] = [];
  let previous = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (let row = 1; row <= left.length; row++) {
    const current = [row];
    for (let column = 1; column <= right.length; column++) {
      const cost = left[row - 1] === right[column - 1] ? 0 : 1;
      current[column] = Math.min(
        previous[column]! + 1,
        current[column - 1]! + 1,
        previous[column - 1]! + cost,
      );
      if (left[row - 1] === right[column - 2] && left[row - 2] === right[column - 1] && row > 1 && column > 1)
        current[column] = Math.min(current[column]!, beforePrevious[column - 2]! + 1);
    }
    beforePrevious = previous;
    previous = current;
  }
  return previous[right.length]!;
}

/** The known name closest to a misspelt one, when it is close enough to be what was meant. */
export function nearestName(wanted: string, known: Iterable<string>): string | undefined {
  const limit = Math.max(1, Math.floor(wanted.length / 3));
  const folded = wanted.toLowerCase();
  let best: string | undefined;
  let bestDistance = limit + 1;
  for (const name of known) {
    const distance = editDistance(folded, name.toLowerCase(), limit);
    if (distance < bestDistance) {
      best = name;
      bestDistance = distance;
    }
  }
  return best;
}

/** `. Maybe you meant 'x'`, or nothing: the tail of a message about an unknown name. */
export function maybeYouMeant(wanted: string, known: Iterable<string>): string {
  const nearest = nearestName(wanted, known);
  return nearest === undefined ? '' : `. Maybe you meant '${nearest}'`;
}
