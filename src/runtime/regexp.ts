import { RE2JS } from 're2js';
import { limits, SluiceError } from '../base/index.ts';
import { fromByteString, isAscii, toByteString } from '../types/index.ts';

/** One match: the byte strings of the whole and of its groups, undefined for a group that took no part. */
export type Match = readonly (string | undefined)[];

/** What stands between the groups that a replacement refers to, and their numbers. */
export type Replacement = readonly (string | number)[];

interface Subject {
  readonly text: string;
  readonly encode: (piece: string) => string;
}

const same = (piece: string): string => piece;

/** The characters of a byte string; where it is not UTF-8 each byte counts as a character. */
function subjectOf(bytes: string): Subject {
  if (isAscii(bytes)) return { text: bytes, encode: same };
  const text = fromByteString(bytes);
  if (text.includes('\ufffd') && toByteString(text) !== bytes) return { text: bytes, encode: same };
  return { text, encode: toByteString };
}

/** A range of the subject. */
interface Found {
  readonly start: number;
  readonly end: number;
}

/** A pattern of RE2, which takes time linear in the text, over byte strings. */
export class Regexp {
  readonly #pattern: RE2JS;
  /** Set for a pattern without anything special in it. */
  readonly #literal: string | undefined;
  readonly groupCount: number;

  constructor(pattern: string, caseInsensitive: boolean) {
    const flags = RE2JS.DOTALL | (caseInsensitive ? RE2JS.CASE_INSENSITIVE : 0);
    try {
      this.#pattern = RE2JS.compile(fromByteString(pattern), flags);
    } catch (thrown) {
      throw new SluiceError(
        'CANNOT_COMPILE_REGEXP',
        `Cannot compile the regular expression '${fromByteString(pattern)}': ${(thrown as Error).message}`,
        { cause: thrown },
      );
    }
    this.#literal = caseInsensitive || /[\\^$.|?*+()[\]{}]/.test(pattern) ? undefined : pattern;
    this.groupCount = this.#pattern.groupCount();
  }

  test(bytes: string): boolean {
    if (this.#literal !== undefined) return bytes.includes(this.#literal);
    return this.#pattern.test(subjectOf(bytes).text);
  }

  /** The first match. */
  first(bytes: string): Match | undefined {
    const subject = subjectOf(bytes);
    const matcher = this.#pattern.matcher(subject.text);
    return matcher.find() ? this.#match(matcher, subject) : undefined;
  }

  /** All matches from left to right up to the first empty one; at most `limit`. */
  all(bytes: string, limit: number): Match[] {
    const subject = subjectOf(bytes);
    const matcher = this.#pattern.matcher(subject.text);
    const matches: Match[] = [];
    while (matches.length < limit && matcher.find() && matcher.end() > matcher.start()) {
      matches.push(this.#match(matcher, subject));
    }
    return matches;
  }

  /** The number of matches that are not empty. */
  count(bytes: string): number {
    const { text } = subjectOf(bytes);
    let count = 0;
    for (const { start, end } of this.#ranges(text)) if (end > start) count++;
    return count;
  }

  /** The pieces between the matches that are not empty; those past `limit` are left out. */
  split(bytes: string, limit: number): string[] {
    const subject = subjectOf(bytes);
    const pieces: string[] = [];
    let from = 0;
    for (const { start, end } of this.#ranges(subject.text)) {
      if (pieces.length >= limit || end === start) break;
      pieces.push(subject.encode(subject.text.slice(from, start)));
      from = end;
    }
    if (pieces.length < limit) pieces.push(subject.encode(subject.text.slice(from)));
    return pieces;
  }

  /**
   * The text with its first match, or all of them, replaced. Groups that took no part are replaced by nothing. Throws
   * TOO_LARGE_STRING_SIZE when the result grows above `bytesMax`.
   */
  replace(bytes: string, replacement: Replacement, all: boolean, bytesMax: number): string {
    const subject = subjectOf(bytes);
    const { text } = subject;
    const matcher = this.#pattern.matcher(text);
    let result = '';
    let from = 0;
    let found = matcher.find();
    if (!found) return bytes;
    while (found) {
      const [start, end] = [matcher.start(), matcher.end()];
      result += subject.encode(text.slice(from, start));
      for (const part of replacement)
        result += typeof part === 'string' ? part : subject.encode(matcher.group(part) ?? '');
      from = end;
      if (result.length > bytesMax) {
        throw new SluiceError(
          'TOO_LARGE_STRING_SIZE',
          `A text grows above ${bytesMax} bytes by replacements`,
        );
      }
      if (!all || start >= text.length) break;
      found = matcher.find();
    }
    return result + subject.encode(text.slice(from));
  }

  *#ranges(text: string): Generator<Found> {
    const matcher = this.#pattern.matcher(text);
    while (matcher.find()) yield { start: matcher.start(), end: matcher.end() };
  }

  #match(matcher: ReturnType<RE2JS['matcher']>, subject: Subject): Match {
    const groups: (string | undefined)[] = [];
    for (let group = 0; group <= this.groupCount; group++) {
      const text = matcher.group(group);
      groups.push(text === null || text === undefined ? undefined : subject.encode(text));
    }
    return groups;
  }
}

const compiled = new Map<string, Regexp>();

/** The compiled pattern (a byte string); the latest ones are kept. Throws CANNOT_COMPILE_REGEXP. */
export function regexp(pattern: string, caseInsensitive = false): Regexp {
  const key = `${caseInsensitive ? 'i' : 'c'}${pattern}`;
  const known = compiled.get(key);
  if (known !== undefined) {
    compiled.delete(key);
    compiled.set(key, known);
    return known;
  }
  const made = new Regexp(pattern, caseInsensitive);
  if (compiled.size >= limits.regexp_cache_entries_max) compiled.delete(compiled.keys().next().value!);
  compiled.set(key, made);
  return made;
}

/** The parts of a replacement in which `\0` to `\9` stand for groups and `\\` for a backslash; a byte string. */
export function parseReplacement(text: string, groupCount: number): Replacement {
  const parts: (string | number)[] = [];
  let literal = '';
  for (let at = 0; at < text.length; at++) {
    const char = text[at]!;
    const next = text[at + 1];
    if (char !== '\\' || next === undefined) {
      literal += char;
    } else if (next >= '0' && next <= '9') {
      if (Number(next) > groupCount) {
        throw new SluiceError(
          'BAD_ARGUMENTS',
          `The replacement refers to group ${next}, and the pattern has ${groupCount}`,
        );
      }
      parts.push(literal, Number(next));
      literal = '';
      at++;
    } else if (next === '\\') {
      literal += '\\';
      at++;
    } else {
      throw new SluiceError(
        'BAD_ARGUMENTS',
        `In a replacement a backslash must be followed by a digit or another backslash`,
      );
    }
  }
  if (literal !== '') parts.push(literal);
  return parts;
}
