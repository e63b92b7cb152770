import type { Output } from './output.ts';

/** Which bytes of a string are not written as they are, and what stands for them. */
export interface EscapeTable {
  /** By byte: 0 when it is written as it is, else 1 more than the number of its text. */
  readonly special: Uint8Array;
  readonly texts: readonly Uint8Array[];
  /** Bytes that one escaped byte takes at most. */
  readonly expansion: number;
}

/** The table for the given escapes, each a byte string by the character that it stands for. */
export function escapeTable(escapes: Readonly<Record<string, string>>): EscapeTable {
  const special = new Uint8Array(256);
  const texts: Uint8Array[] = [];
  let expansion = 1;
  for (const [char, text] of Object.entries(escapes)) {
    texts.push(Buffer.from(text, 'latin1'));
    special[char.charCodeAt(0)] = texts.length;
    expansion = Math.max(expansion, text.length);
  }
  return { special, texts, expansion };
}

/** Writes bytes [start, end) with escapes, between quotes when `quote` is not 0; tells whether all were ASCII. */
export function writeEscaped(
  out: Output,
  bytes: Uint8Array,
  start: number,
  end: number,
  table: EscapeTable,
  quote: number,
): boolean {
  const { special } = table;
  out.reserve((end - start) * table.expansion + 2);
  const target = out.bytes;
  let to = out.at;
  let seen = 0;
  if (quote !== 0) target[to++] = quote;
  for (let at = start; at < end; at++) {
    const byte = bytes[at]!;
    const code = special[byte]!;
    seen |= byte;
    if (code === 0) {
      target[to++] = byte;
    } else {
      const text = table.texts[code - 1]!;
      for (let index = 0; index < text.length; index++) target[to++] = text[index]!;
    }
  }
  if (quote !== 0) target[to++] = quote;
  out.at = to;
  return seen < 128;
}
