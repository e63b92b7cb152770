import { corrupt } from './byte-source.ts';

const damaged = () => corrupt('lz4', 'a block does not decompress');

/**
 * Decompresses an LZ4 block into `target` from `start` on; copies may reach back to `target[0]`. Gives where the output
 * ends; throws CANNOT_DECOMPRESS when the block is damaged or does not fit.
 */
export function decompressLz4Block(block: Uint8Array, target: Uint8Array, start: number): number {
  const { length } = block;
  const room = target.length;
  let to = start;
  for (let at = 0; at < length; ) {
    const token = block[at++]!;
    let literals = token >>> 4;
    if (literals === 15) {
      let more = 255;
      while (more === 255 && at < length) literals += more = block[at++]!;
    }
    if (at + literals > length || to + literals > room) throw damaged();
    if (literals > 32) {
      target.set(block.subarray(at, at + literals), to);
      at += literals;
      to += literals;
    } else {
      for (const end = at + literals; at < end; ) target[to++] = block[at++]!;
    }
    if (at === length) return to;
    if (at + 2 > length) throw damaged();
    const distance = block[at]! | (block[at + 1]! << 8);
    at += 2;
    let matched = (token & 15) + 4;
    if (matched === 19) {
      let more = 255;
      while (more === 255 && at < length) matched += more = block[at++]!;
    }
    let from = to - distance;
    if (distance === 0 || from < 0 || to + matched > room) throw damaged();
    if (matched > 32 && distance >= matched) {
      target.copyWithin(to, from, from + matched);
      to += matched;
    } else {
      for (const end = to + matched; to < end; ) target[to++] = target[from++]!;
    }
  }
  // A block ends with literals.
  throw damaged();
}

/** The most bytes that a block of so many bytes can become. */
export function lz4BlockBytesMax(bytes: number): number {
  return bytes + Math.ceil(bytes / 255) + 16;
}

const hashBits = 14;

function writeLength(target: Buffer, to: number, length: number): number {
  let at = to;
  let rest = length;
  for (; rest >= 255; rest -= 255) target[at++] = 255;
  target[at++] = rest;
  return at;
}

/** Compresses into `target`, which has room for lz4BlockBytesMax; gives the bytes written. */
export function compressLz4Block(source: Buffer, target: Buffer): number {
  const view = new DataView(source.buffer, source.byteOffset, source.byteLength);
  const places = new Int32Array(1 << hashBits).fill(-1);
  // The format wants the last five bytes as literals, and no match that starts in the last twelve.
  const matchEnd = source.length - 5;
  const searchEnd = source.length - 12;
  let anchor = 0;
  let to = 0;
  let misses = 0;
  for (let at = 0; at < searchEnd; ) {
    const word = view.getInt32(at, true);
    const slot = Math.imul(word, -1640531535) >>> (32 - hashBits);
    const from = places[slot]!;
    places[slot] = at;
    if (from < 0 || at - from > 65_535 || view.getInt32(from, true) !== word) {
      // Where little repeats, ever larger steps are taken.
      at += 1 + (misses++ >>> 6);
      continue;
    }
    misses = 0;
    let end = at + 4;
    while (end < matchEnd && source[end] === source[from + end - at]) end++;
    const literals = at - anchor;
    const matched = end - at - 4;
    target[to++] = (Math.min(literals, 15) << 4) | Math.min(matched, 15);
    if (literals >= 15) to = writeLength(target, to, literals - 15);
    to += source.copy(target, to, anchor, at);
    const distance = at - from;
    target[to++] = distance & 255;
    target[to++] = distance >>> 8;
    if (matched >= 15) to = writeLength(target, to, matched - 15);
    at = end;
    anchor = end;
  }
  const literals = source.length - anchor;
  target[to++] = Math.min(literals, 15) << 4;
  if (literals >= 15) to = writeLength(target, to, literals - 15);
  return to + source.copy(target, to, anchor);
}
