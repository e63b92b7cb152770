/*
 * xxHash of 32 and 64 bits, with seed 0.
 */
import { fetch64, rotateLeft32, rotateLeft64, u64 } from './hash-bits.ts';

const small1 = 0x9e3779b1;
const small2 = 0x85ebca77;
const small3 = 0xc2b2ae3d;
const small4 = 0x27d4eb2f;
const small5 = 0x165667b1;

function round32(lane: number, word: number): number {
  return Math.imul(rotateLeft32((lane + Math.imul(word, small2)) | 0, 13), small1);
}

export function xxHash32(bytes: Buffer): number {
  const { length } = bytes;
  let at = 0;
  let hash: number;
  if (length >= 16) {
    const lanes = [(small1 + small2) | 0, small2 | 0, 0, -small1 | 0];
    for (; at + 16 <= length; at += 16) {
      for (let lane = 0; lane < 4; lane++)
        lanes[lane] = round32(lanes[lane]!, bytes.readInt32LE(at + lane * 4));
    }
    hash =
      rotateLeft32(lanes[0]!, 1) +
      rotateLeft32(lanes[1]!, 7) +
      rotateLeft32(lanes[2]!, 12) +
      rotateLeft32(lanes[3]!, 18);
  } else {
    hash = small5;
  }
  hash = (hash + length) | 0;
  for (; at + 4 <= length; at += 4) {
    hash = (hash + Math.imul(bytes.readInt32LE(at), small3)) | 0;
    hash = Math.imul(rotateLeft32(hash, 17), small4);
  }
  for (; at < length; at++) {
    hash = (hash + Math.imul(bytes[at]!, small5)) | 0;
    hash = Math.imul(rotateLeft32(hash, 11), small1);
  }
  hash = Math.imul(hash ^ (hash >>> 15), small2);
  hash = Math.imul(hash ^ (hash >>> 13), small3);
  return (hash ^ (hash >>> 16)) >>> 0;
}

const big1 = 0x9e3779b185ebca87n;
const big2 = 0xc2b2ae3d27d4eb4fn;
const big3 = 0x165667b19e3779f9n;
const big4 = 0x85ebca77c2b2ae63n;
const big5 = 0x27d4eb2f165667c5n;

function round64(lane: bigint, word: bigint): bigint {
  return u64(rotateLeft64(u64(lane + word * big2), 31) * big1);
}

/** The last step of the 64-bit variants: spreads every bit over all. */
export function avalanche64(value: bigint): bigint {
  let hash = u64((value ^ (value >> 33n)) * big2);
  hash = u64((hash ^ (hash >> 29n)) * big3);
  return hash ^ (hash >> 32n);
}

function lanes64(bytes: Buffer, end: number): bigint {
  const lanes = [u64(big1 + big2), big2, 0n, u64(-big1)];
  for (let at = 0; at < end; at += 32) {
    for (let lane = 0; lane < 4; lane++) lanes[lane] = round64(lanes[lane]!, fetch64(bytes, at + lane * 8));
  }
  const [first, second, third, fourth] = lanes as [bigint, bigint, bigint, bigint];
  let hash = u64(
    rotateLeft64(first, 1) + rotateLeft64(second, 7) + rotateLeft64(third, 12) + rotateLeft64(fourth, 18),
  );
  for (const lane of lanes) hash = u64((hash ^ round64(0n, lane)) * big1 + big4);
  return hash;
}

export function xxHash64(bytes: Buffer): bigint {
  const { length } = bytes;
  let at = length >= 32 ? length - (length % 32) : 0;
  let hash = u64((length >= 32 ? lanes64(bytes, at) : big5) + BigInt(length));
  for (; at + 8 <= length; at += 8) {
    hash = u64(rotateLeft64(hash ^ round64(0n, fetch64(bytes, at)), 27) * big1 + big4);
  }
  if (at + 4 <= length) {
    hash = u64(rotateLeft64(hash ^ u64(BigInt(bytes.readUInt32LE(at)) * big1), 23) * big2 + big3);
    at += 4;
  }
  for (; at < length; at++) hash = u64(rotateLeft64(hash ^ u64(BigInt(bytes[at]!) * big5), 11) * big1);
  return avalanche64(hash);
}
