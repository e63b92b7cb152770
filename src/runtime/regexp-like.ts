import { SluiceError } from '../base/index.ts';
import { fromByteString, isAscii, toByteString } from '../types/index.ts';

/** Tells whether a byte string matches. */
export type Matcher = (text: string) => boolean;

/** A stretch of a pattern without `%`: byte strings, and null for `_`, which stands for one UTF-8 character. */
type Segment = readonly (string | null)[];

/** The stretches between the `%` signs of a LIKE pattern. */
function parseLike(pattern: string): Segment[] {
  const segments: (string | null)[][] = [[]];
  let literal = '';
  const flush = (): void => {
    if (literal !== '') segments.at(-1)!.push(literal);
    literal = '';
  };
  for (let at = 0; at < pattern.length; at++) {
    const char = pattern[at]!;
    if (char === '%') {
      flush();
      segments.push([]);
    } else if (char === '_') {
      flush();
      segments.at(-1)!.push(null);
    } else if (char === '\\') {
      const next = pattern[++at];
      if (next === undefined)
        throw new SluiceError('BAD_ARGUMENTS', 'A LIKE pattern must not end with a backslash');
      literal += next === '%' || next === '_' || next === '\\' ? next : `\\${next}`;
    } else {
      literal += char;
    }
  }
  flush();
  return segments;
}

function isContinuation(text: string, at: number): boolean {
  return (text.charCodeAt(at) & 0xc0) === 0x80;
}

/** The end of the segment when it stands at a place of the text, else -1. */
function endOfSegment(segment: Segment, text: string, start: number): number {
  let at = start;
  for (const part of segment) {
    if (part !== null) {
      if (!text.startsWith(part, at)) return -1;
      at += part.length;
    } else {
      if (at >= text.length) return -1;
      at++;
      while (at < text.length && isContinuation(text, at)) at++;
    }
  }
  return at;
}

/** The start of the segment when it ends the text, else -1. */
function startOfLastSegment(segment: Segment, text: string): number {
  let at = text.length;
  for (let index = segment.length - 1; index >= 0; index--) {
    const part = segment[index]!;
    if (part !== null) {
      if (at < part.length || !text.startsWith(part, at - part.length)) return -1;
      at -= part.length;
    } else {
      if (at === 0) return -1;
      at--;
      while (at > 0 && isContinuation(text, at)) at--;
    }
  }
  return at;
}

/** The end of the first place at or after `from` where the segment stands, else -1. */
function findSegment(segment: Segment, text: string, from: number): number {
  const first = segment[0];
  if (first === undefined) return from;
  if (segment.length === 1 && first !== null) {
    const found = text.indexOf(first, from);
    return found < 0 ? -1 : found + first.length;
  }
  for (let at = from; at < text.length; at++) {
    if (first !== null) {
      at = text.indexOf(first, at);
      if (at < 0) return -1;
    } else if (isContinuation(text, at)) {
      continue;
    }
    const end = endOfSegment(segment, text, at);
    if (end >= 0) return end;
  }
  return -1;
}

/** The cases that are one search for a plain text. */
function plainMatcher(segments: readonly Segment[]): Matcher | undefined {
  if (segments.some((segment) => segment.includes(null))) return undefined;
  const texts = segments.map((segment) => segment.join(''));
  const [first, second, third] = texts as [string, string, string];
  if (texts.length === 1) return (text) => text === first;
  if (texts.every((text) => text === '')) return () => true;
  if (texts.length === 2 && second === '') return (text) => text.startsWith(first);
  if (texts.length === 2 && first === '') return (text) => text.endsWith(second);
  if (texts.length === 3 && first === '' && third === '') return (text) => text.includes(second);
  return undefined;
}

/** A matcher of a LIKE pattern, both sides byte strings. Throws BAD_ARGUMENTS for a pattern that ends in a backslash. */
export function likeMatcher(pattern: string): Matcher {
  const segments = parseLike(pattern);
  const plain = plainMatcher(segments);
  if (plain !== undefined) return plain;
  const head = segments[0]!;
  if (segments.length === 1) return (text) => endOfSegment(head, text, 0) === text.length;
  const tail = segments.at(-1)!;
  const middle = segments.slice(1, -1).filter((segment) => segment.length > 0);
  return (text) => {
    let at = endOfSegment(head, text, 0);
    if (at < 0) return false;
    const limit = startOfLastSegment(tail, text);
    if (limit < at) return false;
    for (const segment of middle) {
      at = findSegment(segment, text, at);
      if (at < 0 || at > limit) return false;
    }
    return true;
  };
}

/** A byte string in lower case, by the rules of Unicode. */
export function foldCase(text: string): string {
  return isAscii(text) ? text.toLowerCase() : toByteString(fromByteString(text).toLowerCase());
}

/** As likeMatcher, without regard to case. */
export function ilikeMatcher(pattern: string): Matcher {
  const match = likeMatcher(foldCase(pattern));
  return (text) => match(foldCase(text));
}
