/** Lines shown around a difference. */
const context = 3;

/** What differs between two texts, with a few lines around it; null when nothing does. */
export function drift(expected: string, found: string): string | null {
  if (expected === found) return null;
  const [before, after] = [expected.split('\n'), found.split('\n')];
  const shortest = Math.min(before.length, after.length);
  let head = 0;
  while (head < shortest && before[head] === after[head]) head++;
  let tail = 0;
  while (tail < shortest - head && before.at(-1 - tail) === after.at(-1 - tail)) tail++;
  const mark = (sign: string, lines: readonly string[]) => lines.map((line) => `${sign} ${line}`);
  return [
    `line ${head + 1}:`,
    ...mark(' ', before.slice(Math.max(0, head - context), head)),
    ...mark('-', before.slice(head, before.length - tail)),
    ...mark('+', after.slice(head, after.length - tail)),
    ...mark(' ', after.slice(after.length - tail, after.length - tail + context)),
  ].join('\n');
}
