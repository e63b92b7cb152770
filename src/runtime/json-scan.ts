/*
 * Finds the values of several paths in a JSON document in one pass over its bytes, without building anything. Of a key that
 * an object has twice the first counts, and the pass ends as soon as every path is found.
 */

import type { StringCache } from './string-cache.ts';

/** A path: keys as byte strings, array positions counting from 1. */
export type JsonPath = readonly (string | number)[];

/**
 * Looks the paths up in data[start, end). For path number p, found[3p] becomes the kind of its value, and found[3p + 1],
 * found[3p + 2] the range of its bytes (of a string without the quotes).
 */
export type JsonScanner = (data: Uint8Array, start: number, end: number, found: Int32Array) => void;

/** `escapedString` follows `string`: scanners add 1 for escapes. */
export const jsonKinds = {
  missing: 0,
  string: 1,
  escapedString: 2,
  literal: 3,
  compound: 4,
  null: 5,
} as const;

interface PathNode {
  readonly keys: Buffer[];
  readonly keyNodes: PathNode[];
  readonly positions: number[];
  readonly positionNodes: PathNode[];
  /** Numbers of the paths that end here. */
  readonly slots: number[];
}

function newNode(): PathNode {
  return { keys: [], keyNodes: [], positions: [], positionNodes: [], slots: [] };
}

function addPath(root: PathNode, path: JsonPath, slot: number): void {
  let node = root;
  for (const step of path) {
    if (typeof step === 'number') {
      let index = node.positions.indexOf(step);
      if (index < 0) {
        index = node.positions.push(step) - 1;
        node.positionNodes.push(newNode());
      }
      node = node.positionNodes[index]!;
    } else {
      const key = Buffer.from(step, 'latin1');
      let index = node.keys.findIndex((known) => known.equals(key));
      if (index < 0) {
        index = node.keys.push(key) - 1;
        node.keyNodes.push(newNode());
      }
      node = node.keyNodes[index]!;
    }
  }
  node.slots.push(slot);
}

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const colon = 0x3a;
const openBrace = 0x7b;
const closeBrace = 0x7d;
const openBracket = 0x5b;
const closeBracket = 0x5d;

/** Thrown inside a scan where the document is no JSON: what was found before stays found. */
const malformed = Symbol('malformed');

class DocumentScan {
  #data: Uint8Array = new Uint8Array(0);
  #at = 0;
  #end = 0;
  #escaped = false;
  #found: Int32Array = new Int32Array(0);
  #wanted = 0;
  readonly #root: PathNode;
  readonly #paths: number;

  constructor(paths: readonly JsonPath[]) {
    this.#root = newNode();
    this.#paths = paths.length;
    for (const [slot, path] of paths.entries()) addPath(this.#root, path, slot);
  }

  run(data: Uint8Array, start: number, end: number, found: Int32Array): void {
    this.#data = data;
    this.#at = start;
    this.#end = end;
    this.#found = found;
    this.#wanted = this.#paths;
    for (let slot = 0; slot < this.#paths; slot++) found[slot * 3] = jsonKinds.missing;
    try {
      this.#skipSpace();
      this.#value(this.#root);
    } catch (thrown) {
      if (thrown !== malformed) throw thrown;
    }
  }

  #skipSpace(): void {
    const data = this.#data;
    let at = this.#at;
    while (at < this.#end && data[at]! <= 0x20) at++;
    this.#at = at;
  }

  /** Steps over a string whose opening quote is at the current place; leaves the place after its closing quote. */
  #string(): void {
    const data = this.#data;
    const end = this.#end;
    let at = this.#at + 1;
    this.#escaped = false;
    while (at < end) {
      const byte = data[at]!;
      if (byte === quote) {
        this.#at = at + 1;
        return;
      }
      if (byte === backslash) {
        this.#escaped = true;
        at++;
      }
      at++;
    }
    throw malformed;
  }

  #note(node: PathNode, kind: number, start: number, end: number): void {
    const found = this.#found;
    for (const slot of node.slots) {
      const place = slot * 3;
      if (found[place] !== jsonKinds.missing) continue;
      found[place] = kind;
      found[place + 1] = start;
      found[place + 2] = end;
      this.#wanted--;
    }
  }

  /** A value that some path leads into or ends at. */
  #value(node: PathNode): void {
    const start = this.#at;
    if (start >= this.#end) throw malformed;
    const first = this.#data[start]!;
    if (first === openBrace && node.keys.length > 0) {
      this.#object(node);
    } else if (first === openBracket && node.positions.length > 0) {
      this.#array(node);
    } else if (first === quote) {
      this.#string();
      const kind = this.#escaped ? jsonKinds.escapedString : jsonKinds.string;
      this.#note(node, kind, start + 1, this.#at - 1);
      return;
    } else {
      this.#skipValue();
    }
    if (node.slots.length === 0) return;
    if (first === openBrace || first === openBracket) this.#note(node, jsonKinds.compound, start, this.#at);
    else this.#note(node, first === 0x6e ? jsonKinds.null : jsonKinds.literal, start, this.#at);
  }

  #object(node: PathNode): void {
    const data = this.#data;
    this.#at++;
    while (true) {
      this.#skipSpace();
      const byte = data[this.#at];
      if (byte === closeBrace) break;
      if (byte === comma) {
        this.#at++;
        continue;
      }
      if (byte !== quote) throw malformed;
      const keyStart = this.#at + 1;
      this.#string();
      const child = this.#escaped
        ? this.#escapedKey(node, keyStart)
        : this.#key(node, keyStart, this.#at - 1);
      this.#skipSpace();
      if (data[this.#at] !== colon) throw malformed;
      this.#at++;
      this.#skipSpace();
      if (child === null) this.#skipValue();
      else {
        this.#value(child);
        // Whatever comes after cannot change what was found, unless this object itself is wanted as a whole.
        if (this.#wanted === 0) return;
      }
    }
    this.#at++;
  }

  #key(node: PathNode, start: number, end: number): PathNode | null {
    const data = this.#data;
    const length = end - start;
    candidates: for (let index = 0; index < node.keys.length; index++) {
      const key = node.keys[index]!;
      if (key.length !== length) continue;
      for (let offset = 0; offset < length; offset++)
        if (data[start + offset] !== key[offset]) continue candidates;
      return node.keyNodes[index]!;
    }
    return null;
  }

  #escapedKey(node: PathNode, start: number): PathNode | null {
    const text = unescapeJson(this.#data, start, this.#at - 1);
    const index = node.keys.findIndex((key) => key.latin1Slice() === text);
    return index < 0 ? null : node.keyNodes[index]!;
  }

  #array(node: PathNode): void {
    const data = this.#data;
    this.#at++;
    let position = 0;
    while (true) {
      this.#skipSpace();
      const byte = data[this.#at];
      if (byte === undefined || this.#at >= this.#end) throw malformed;
      if (byte === closeBracket) break;
      if (byte === comma) {
        this.#at++;
        continue;
      }
      position++;
      const index = node.positions.indexOf(position);
      if (index < 0) this.#skipValue();
      else {
        this.#value(node.positionNodes[index]!);
        if (this.#wanted === 0) return;
      }
    }
    this.#at++;
  }

  #skipValue(): void {
    const data = this.#data;
    const first = data[this.#at]!;
    if (first === quote) {
      this.#string();
      return;
    }
    if (first === openBrace || first === openBracket) {
      this.#skipCompound();
      return;
    }
    let at = this.#at;
    const end = this.#end;
    const start = at;
    while (at < end) {
      const byte = data[at]!;
      if (byte === comma || byte === closeBrace || byte === closeBracket || byte <= 0x20) break;
      at++;
    }
    if (at === start) throw malformed;
    this.#at = at;
  }

  #skipCompound(): void {
    const data = this.#data;
    const end = this.#end;
    let depth = 0;
    let at = this.#at;
    while (at < end) {
      const byte = data[at]!;
      if (byte === quote) {
        this.#at = at;
        this.#string();
        at = this.#at;
        continue;
      }
      at++;
      if (byte === openBrace || byte === openBracket) depth++;
      else if ((byte === closeBrace || byte === closeBracket) && --depth === 0) {
        this.#at = at;
        return;
      }
    }
    throw malformed;
  }
}

const shortEscapes: Record<string, string> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' };

/** The byte string of a JSON string's content with its escapes resolved. */
export function unescapeJson(data: Uint8Array, start: number, end: number): string {
  const buffer = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
  const raw = buffer.latin1Slice(start, end);
  return raw.replace(/(?:\\u[0-9a-fA-F]{4})+|\\(.)/gs, (whole: string, simple: string | undefined) => {
    if (simple !== undefined) return shortEscapes[simple] ?? simple;
    const units = whole
      .slice(2)
      .split('\\u')
      .map((digits) => Number.parseInt(digits, 16));
    return Buffer.from(String.fromCharCode(...units), 'utf8').latin1Slice();
  });
}

/** A scanner that is written by hand, and takes any paths and any document. */
export function slowJsonScanner(paths: readonly JsonPath[]): JsonScanner {
  const scan = new DocumentScan(paths);
  return (data, start, end, found) => scan.run(data, start, end, found);
}

/** The text of a found value: of a string its content, of anything else its bytes; '' for a missing one and for null. */
export function jsonFieldText(data: Buffer, found: Int32Array, slot: number, strings: StringCache): string {
  const kind = found[slot];
  if (kind === jsonKinds.missing || kind === jsonKinds.null) return '';
  const start = found[slot + 1]!;
  const end = found[slot + 2]!;
  return kind === jsonKinds.escapedString ? unescapeJson(data, start, end) : strings.slice(data, start, end);
}

const exactPowers = Float64Array.from({ length: 23 }, (_, exponent) => 10 ** exponent);

/** The value as a double; NaN where it is missing or no plain number. */
export function jsonFieldNumber(data: Buffer, found: Int32Array, slot: number): number {
  const kind = found[slot];
  if (kind !== jsonKinds.literal && kind !== jsonKinds.string) return Number.NaN;
  const end = found[slot + 2]!;
  let at = found[slot + 1]!;
  const start = at;
  const negative = data[at] === 0x2d;
  if (negative) at++;
  let mantissa = 0;
  let fraction = 0;
  let digits = 0;
  let seenPoint = false;
  for (; at < end; at++) {
    const byte = data[at]!;
    if (byte >= 0x30 && byte <= 0x39) {
      mantissa = mantissa * 10 + (byte - 0x30);
      digits++;
      if (seenPoint) fraction++;
    } else if (byte === 0x2e && !seenPoint) seenPoint = true;
    else break;
  }
  // Up to 15 digits and 22 decimal places both parts are exact doubles, and one division rounds correctly.
  if (at < end || digits === 0 || digits > 15 || fraction > 22) {
    const text = data.latin1Slice(start, end);
    return text.trim() === '' ? Number.NaN : Number(text);
  }
  const value = mantissa / exactPowers[fraction]!;
  return negative ? -value : value;
}
