import { formatFloat64 } from '../../types/index.ts';

/*
 * Reads JSON documents where they stand, as byte strings, without building objects. Places are indices into the text; -1
 * says that there is no value. A document is only looked at as far as a question needs.
 */

export type JsonKind = 'object' | 'array' | 'string' | 'number' | 'bool' | 'null' | 'none';

/** The next place that is not white space. */
export function skipBlank(text: string, from: number): number {
  let at = from;
  while (at < text.length && text.charCodeAt(at) <= 32) at++;
  return at;
}

/** The kind of the value that starts at a place. */
export function kindAt(text: string, at: number): JsonKind {
  if (at < 0) return 'none';
  switch (text[at]) {
    case '{':
      return 'object';
    case '[':
      return 'array';
    case '"':
      return 'string';
    case 't':
      return text.startsWith('true', at) ? 'bool' : 'none';
    case 'f':
      return text.startsWith('false', at) ? 'bool' : 'none';
    case 'n':
      return text.startsWith('null', at) ? 'null' : 'none';
    default:
      return numberEnd(text, at) > at ? 'number' : 'none';
  }
}

/** The place after the string whose opening quote stands at `at`, or -1 when it does not end. */
export function stringEnd(text: string, at: number): number {
  let end = text.indexOf('"', at + 1);
  while (end >= 0) {
    let slashes = 0;
    while (text.charCodeAt(end - 1 - slashes) === 92) slashes++;
    if (slashes % 2 === 0) return end + 1;
    end = text.indexOf('"', end + 1);
  }
  return -1;
}

function isNumberByte(code: number): boolean {
  return (
    (code >= 48 && code <= 57) || code === 45 || code === 43 || code === 46 || code === 101 || code === 69
  );
}

function numberEnd(text: string, at: number): number {
  const first = text.charCodeAt(at);
  if (!(first === 45 || (first >= 48 && first <= 57))) return at;
  let end = at + 1;
  while (end < text.length && isNumberByte(text.charCodeAt(end))) end++;
  return end;
}

function compoundEnd(text: string, start: number): number {
  let depth = 0;
  for (let at = start; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 34) {
      at = stringEnd(text, at) - 1;
      if (at < 0) return -1;
    } else if (code === 123 || code === 91) {
      depth++;
    } else if (code === 125 || code === 93) {
      depth--;
      if (depth === 0) return at + 1;
    }
  }
  return -1;
}

/** The place after the value that starts at `at`, or -1. */
export function valueEnd(text: string, at: number): number {
  switch (kindAt(text, at)) {
    case 'object':
    case 'array':
      return compoundEnd(text, at);
    case 'string':
      return stringEnd(text, at);
    case 'number':
      return numberEnd(text, at);
    case 'bool':
      return text[at] === 't' ? at + 4 : at + 5;
    case 'null':
      return at + 4;
    case 'none':
      return -1;
  }
}

/** One entry of an object (the key is a place, too) or an array (its key is -1). */
export interface JsonEntry {
  readonly key: number;
  readonly value: number;
}

/** The entries of the object or array at a place, up to the first thing that is no JSON; none for other values. */
export function* entriesAt(text: string, start: number): Generator<JsonEntry> {
  const kind = kindAt(text, start);
  if (kind !== 'object' && kind !== 'array') return;
  let at = skipBlank(text, start + 1);
  while (at < text.length) {
    let key = -1;
    if (kind === 'object') {
      key = at;
      const colon = text[at] === '"' ? skipBlank(text, stringEnd(text, at)) : -1;
      if (colon < 0 || text[colon] !== ':') return;
      at = skipBlank(text, colon + 1);
    }
    if (kindAt(text, at) === 'none') return;
    yield { key, value: at };
    // Where the value ends is only looked for when the caller wants more.
    const end = valueEnd(text, at);
    const comma = end < 0 ? -1 : skipBlank(text, end);
    if (text[comma] !== ',') return;
    at = skipBlank(text, comma + 1);
  }
}

const shortEscapes: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' };

/** The content of the string whose opening quote stands at a place, as a byte string. */
export function stringAt(text: string, at: number): string {
  const raw = text.slice(at + 1, stringEnd(text, at) - 1);
  if (!raw.includes('\\')) return raw;
  return raw.replace(/(?:\\u[0-9a-fA-F]{4})+|\\(.)/gs, (whole: string, simple: string | undefined) => {
    if (simple !== undefined) return shortEscapes[simple] ?? simple;
    const units = Array.from(whole.matchAll(/\\u(....)/g), (match) => Number.parseInt(match[1]!, 16));
    let characters = '';
    for (const unit of units) characters += String.fromCharCode(unit);
    return Buffer.from(characters, 'utf8').latin1Slice();
  });
}

function isKey(text: string, at: number, key: string): boolean {
  const end = stringEnd(text, at) - 1;
  if (end - at - 1 === key.length && text.startsWith(key, at + 1)) return !key.includes('\\');
  return end - at - 1 > key.length && text.slice(at + 1, end).includes('\\') && stringAt(text, at) === key;
}

/** A step of a path: a key, or a position that counts from 1, or from the end when it is negative. */
export type JsonStep = string | number;

function entryAtPosition(text: string, at: number, position: number): JsonEntry | undefined {
  if (position < 0) return Array.from(entriesAt(text, at)).at(position);
  let left = position;
  for (const entry of entriesAt(text, at)) if (--left === 0) return entry;
  return undefined;
}

/** The entry that one step leads to from the value at a place. Of a key that is there twice the first counts. */
export function entryAtStep(text: string, at: number, step: JsonStep): JsonEntry | undefined {
  if (typeof step !== 'string') return entryAtPosition(text, at, Number(step));
  if (text[at] !== '{') return undefined;
  for (const entry of entriesAt(text, at)) if (isKey(text, entry.key, step)) return entry;
  return undefined;
}

/** The place of the value that a path leads to, or -1. */
export function locate(text: string, path: readonly JsonStep[]): number {
  let at = skipBlank(text, 0);
  for (const step of path) {
    const entry = entryAtStep(text, at, step);
    if (entry === undefined) return -1;
    at = entry.value;
  }
  return at < text.length ? at : -1;
}

const quotedSpecial = /["\\\x00-\x1f]/g;
const quotedEscapes: Readonly<Record<string, string>> = {
  '"': '\\"',
  '\\': '\\\\',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
};

/** A byte string as a JSON string. */
export function quoteJson(content: string): string {
  const escaped = content.replace(
    quotedSpecial,
    (char) => quotedEscapes[char] ?? `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  return `"${escaped}"`;
}

/** A number as it is written in results: integers as they stand, others in their shortest form. */
export function numberText(token: string): string {
  return /^-?\d+$/.test(token) ? token : formatFloat64(Number(token));
}

/** The value at a place in its shortest form, '' when there is none. */
export function compactAt(text: string, at: number): string {
  const end = valueEnd(text, at);
  if (end < 0) return '';
  let result = '';
  let next = at;
  while (next < end) {
    const kind = kindAt(text, next);
    if (kind === 'string') {
      const close = stringEnd(text, next);
      const raw = text.slice(next, close);
      result += raw.includes('\\') ? quoteJson(stringAt(text, next)) : raw;
      next = close;
    } else if (kind === 'number') {
      const close = numberEnd(text, next);
      result += numberText(text.slice(next, close));
      next = close;
    } else {
      if (text.charCodeAt(next) > 32) result += text[next];
      next++;
    }
  }
  return result;
}

/** Whether a text is one JSON document and nothing else. */
export function isValidJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
