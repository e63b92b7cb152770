/** Entries of a cache of short strings, a power of two; and the longest string that is worth a look-up. */
const entries = 1024;
const longest = 32;

/**
 * Gives byte strings of slices of bytes, the same string again for bytes met lately: making a string costs more than
 * finding it, and strings that repeat have their hash computed already.
 */
export class StringCache {
  readonly #strings: string[] = new Array<string>(entries).fill('');

  slice(data: Buffer, start: number, end: number): string {
    const length = end - start;
    if (length === 0) return '';
    if (length > longest) return data.latin1Slice(start, end);
    let hash = length;
    for (let at = start; at < end; at++) hash = (Math.imul(hash, 31) + data[at]!) | 0;
    const place = (hash ^ (hash >>> 15)) & (entries - 1);
    const known = this.#strings[place]!;
    if (known.length === length) {
      let at = 0;
      while (at < length && known.charCodeAt(at) === data[start + at]) at++;
      if (at === length) return known;
    }
    const made = data.latin1Slice(start, end);
    this.#strings[place] = made;
    return made;
  }
}
