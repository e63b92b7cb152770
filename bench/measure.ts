/** Median of a list of numbers. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((left, right) => left - right);
  return sorted[Math.floor(sorted.length / 2)]!;
}

/** Milliseconds of each of several runs of an action, after two that warm up. */
export async function times(runs: number, action: () => unknown): Promise<number[]> {
  const taken: number[] = [];
  for (let run = -2; run < runs; run++) {
    const start = performance.now();
    await action();
    if (run >= 0) taken.push(performance.now() - start);
  }
  return taken;
}

/** Prints a table of columns padded to their widest cell. */
export function printTable(rows: readonly (readonly string[])[]): void {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  for (const row of rows) console.log(row.map((cell, column) => cell.padEnd(widths[column]!)).join('  '));
}

export function milliseconds(value: number): string {
  return `${value.toFixed(1)} ms`;
}

export function ratio(peer: number, own: number): string {
  return `${(peer / own).toFixed(2)}x`;
}
