import { SluiceError } from '../base/index.ts';

/** Patterns that one pattern may stand for, by its braces. */
const alternativesMax = 1_000;

/** Where the brace that opens at `from` closes; -1 when it does not. */
function closingBrace(pattern: string, from: number): number {
  let depth = 0;
  for (let at = from; at < pattern.length; at++) {
    if (pattern[at] === '{') depth++;
    else if (pattern[at] === '}' && --depth === 0) return at;
  }
  return -1;
}

/** Splits at the commas that stand in no inner brace. */
function alternatives(inner: string): string[] {
  const parts: string[] = [''];
  let depth = 0;
  for (const char of inner) {
    if (char === '{') depth++;
    else if (char === '}') depth--;
    if (char === ',' && depth === 0) parts.push('');
    else parts[parts.length - 1] += char;
  }
  return parts;
}

/** The numbers of `{1..3}`, with as many digits as the bound that begins with a zero; undefined for anything else. */
function numbers(inner: string): string[] | undefined {
  const match = /^(\d{1,15})\.\.(\d{1,15})$/.exec(inner);
  if (match === null) return undefined;
  const [from, to] = [match[1]!, match[2]!];
  const digits = from.startsWith('0') || to.startsWith('0') ? Math.max(from.length, to.length) : 0;
  const [first, last] = [Number(from), Number(to)];
  const count = Math.abs(last - first) + 1;
  if (count > alternativesMax) throw tooMany(`{${inner}}`);
  const step = last >= first ? 1 : -1;
  return Array.from({ length: count }, (_, index) => String(first + index * step).padStart(digits, '0'));
}

function tooMany(pattern: string): SluiceError {
  return new SluiceError('BAD_ARGUMENTS', `'${pattern}' stands for more than ${alternativesMax} names`);
}

/** The patterns without braces that `{a,b}` and `{1..3}` stand for, in order; throws BAD_ARGUMENTS above a thousand. */
export function expandBraces(pattern: string): string[] {
  let open = pattern.indexOf('{');
  for (; open >= 0; open = pattern.indexOf('{', open + 1)) {
    const close = closingBrace(pattern, open);
    if (close < 0) break;
    const inner = pattern.slice(open + 1, close);
    const choices = numbers(inner) ?? alternatives(inner);
    // Braces around a single name are part of it.
    if (choices.length === 1 && !/^\d+\.\.\d+$/.test(inner)) continue;
    const heads = choices.map((choice) => pattern.slice(0, open) + choice);
    const tails = expandBraces(pattern.slice(close + 1));
    const all = heads
      .flatMap((head) => expandBraces(head))
      .flatMap((head) => tails.map((tail) => head + tail));
    if (all.length > alternativesMax) throw tooMany(pattern);
    return all;
  }
  return [pattern];
}

/** Whether a pattern without braces stands for more than one name. */
export function hasWildcard(pattern: string): boolean {
  return /[*?]/.test(pattern);
}

/**
 * Whether a name matches a pattern in which `*` stands for any characters but '/', `**` for any, `?` for one. Takes time
 * proportional to the product of their lengths at most.
 */
export function matchesPattern(name: string, pattern: string): boolean {
  // For each place in the pattern whether the name so far leads there.
  let reached = new Uint8Array(pattern.length + 1);
  const close = (places: Uint8Array) => {
    for (let at = 0; at < pattern.length; at++)
      if (places[at] === 1 && pattern[at] === '*') places[at + 1] = 1;
    return places;
  };
  reached[0] = 1;
  reached = close(reached) as Uint8Array<ArrayBuffer>;
  for (const char of name) {
    const next = new Uint8Array(pattern.length + 1);
    for (let at = 0; at < pattern.length; at++) {
      if (reached[at] === 0) continue;
      const part = pattern[at]!;
      if (part === '*') {
        const crosses = pattern[at - 1] === '*' || pattern[at + 1] === '*';
        if (char !== '/' || crosses) next[at] = 1;
      } else if (part === '?' ? char !== '/' : part === char) {
        next[at + 1] = 1;
      }
    }
    reached = close(next) as Uint8Array<ArrayBuffer>;
  }
  return reached[pattern.length] === 1;
}
