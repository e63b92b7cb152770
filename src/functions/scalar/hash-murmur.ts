/*
 * MurmurHash2 and 3 in the variants that ClickHouse has.
 */
import { fetch64, rotateLeft32, rotateLeft64, u64 } from './hash-bits.ts';

/** The bytes [at, at + count) as a number, lowest first. */
function tail32(bytes: Buffer, at: number, count: number): number {
  let value = 0;
  for (let index = 0; index < count; index++) value |= bytes[at + index]! << (index * 8);
  return value;
}

function tail64(bytes: Buffer, at: number, count: number): bigint {
  let value = 0n;
  for (let index = 0; index < count; index++) value |= BigInt(bytes[at + index]!) << BigInt(index * 8);
  return value;
}

export function murmur2(bytes: Buffer, seed: number): number {
  const multiplier = 0x5bd1e995;
  let hash = seed ^ bytes.length;
  const whole = bytes.length & ~3;
  for (let at = 0; at < whole; at += 4) {
    let word = Math.imul(bytes.readInt32LE(at), multiplier);
    word ^= word >>> 24;
    hash = Math.imul(hash, multiplier) ^ Math.imul(word, multiplier);
  }
  if (whole < bytes.length) hash = Math.imul(hash ^ tail32(bytes, whole, bytes.length - whole), multiplier);
  hash = Math.imul(hash ^ (hash >>> 13), multiplier);
  return (hash ^ (hash >>> 15)) >>> 0;
}

export function murmur2of64(bytes: Buffer, seed: bigint): bigint {
  const multiplier = 0xc6a4a7935bd1e995n;
  let hash = seed ^ u64(BigInt(bytes.length) * multiplier);
  const whole = bytes.length & ~7;
  for (let at = 0; at < whole; at += 8) {
    let word = u64(fetch64(bytes, at) * multiplier);
    word ^= word >> 47n;
    hash = u64((hash ^ u64(word * multiplier)) * multiplier);
  }
  if (whole < bytes.length) hash = u64((hash ^ tail64(bytes, whole, bytes.length - whole)) * multiplier);
  hash = u64((hash ^ (hash >> 47n)) * multiplier);
  return hash ^ (hash >> 47n);
}

function mixWord32(word: number): number {
  return Math.imul(rotateLeft32(Math.imul(word, 0xcc9e2d51), 15), 0x1b873593);
}

export function murmur3(bytes: Buffer): number {
  let hash = 0;
  const whole = bytes.length & ~3;
  for (let at = 0; at < whole; at += 4) {
    hash = rotateLeft32(hash ^ mixWord32(bytes.readInt32LE(at)), 13);
    hash = (Math.imul(hash, 5) + 0xe6546b64) | 0;
  }
  hash ^= mixWord32(tail32(bytes, whole, bytes.length - whole)) ^ bytes.length;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

const c1 = 0x87c37b91114253d5n;
const c2 = 0x4cf5ad432745937fn;

function finish64(value: bigint): bigint {
  let k = value ^ (value >> 33n);
  k = u64(k * 0xff51afd7ed558ccdn);
  k ^= k >> 33n;
  k = u64(k * 0xc4ceb9fe1a85ec53n);
  return k ^ (k >> 33n);
}

/** The two halves of the 128-bit variant for 64-bit machines, the low one first. */
export function murmur3of128(bytes: Buffer): readonly [bigint, bigint] {
  const first = (word: bigint): bigint => u64(rotateLeft64(u64(word * c1), 31) * c2);
  const second = (word: bigint): bigint => u64(rotateLeft64(u64(word * c2), 33) * c1);
  let h1 = 0n;
  let h2 = 0n;
  const { length } = bytes;
  const whole = length & ~15;
  for (let at = 0; at < whole; at += 16) {
    h1 = u64(rotateLeft64(h1 ^ first(fetch64(bytes, at)), 27) + h2);
    h1 = u64(h1 * 5n + 0x52dce729n);
    h2 = u64(rotateLeft64(h2 ^ second(fetch64(bytes, at + 8)), 31) + h1);
    h2 = u64(h2 * 5n + 0x38495ab5n);
  }
  const rest = length - whole;
  if (rest > 8) h2 ^= second(tail64(bytes, whole + 8, rest - 8));
  if (rest > 0) h1 ^= first(tail64(bytes, whole, Math.min(8, rest)));
  h1 ^= BigInt(length);
  h2 ^= BigInt(length);
  h1 = u64(h1 + h2);
  h2 = u64(h2 + h1);
  h1 = finish64(h1);
  h2 = finish64(h2);
  h1 = u64(h1 + h2);
  return [h1, u64(h2 + h1)];
}
