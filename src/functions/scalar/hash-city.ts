/*
 * CityHash64 of version 1.0.2, the one that ClickHouse uses; later versions give other results.
 */
import { fetch64, rotateRight64 as rotate, u64 } from './hash-bits.ts';

const k0 = 0xc3a5c85c97cb3127n;
const k1 = 0xb492b66fbe98f273n;
const k2 = 0x9ae16a3b2f90404fn;
const k3 = 0xc949d7c7509e6557n;
const multiplier = 0x9ddfea08eb382d69n;

function shiftMix(value: bigint): bigint {
  return value ^ (value >> 47n);
}

/** Two 64-bit numbers mixed into one. */
export function cityCombine(low: bigint, high: bigint): bigint {
  const a = shiftMix(u64((low ^ high) * multiplier));
  const b = shiftMix(u64((high ^ a) * multiplier));
  return u64(b * multiplier);
}

function hashTo16(bytes: Buffer): bigint {
  const { length } = bytes;
  const size = BigInt(length);
  if (length > 8) {
    const a = fetch64(bytes, 0);
    const b = fetch64(bytes, length - 8);
    return cityCombine(a, rotate(u64(b + size), length)) ^ b;
  }
  if (length >= 4) {
    const a = BigInt(bytes.readUInt32LE(0));
    return cityCombine(size + (a << 3n), BigInt(bytes.readUInt32LE(length - 4)));
  }
  if (length === 0) return k2;
  const y = BigInt(bytes[0]! + bytes[length >> 1]! * 256);
  const z = BigInt(length + bytes[length - 1]! * 4);
  return u64(shiftMix(u64(y * k2) ^ u64(z * k3)) * k2);
}

function hashTo32(bytes: Buffer): bigint {
  const { length } = bytes;
  const a = u64(fetch64(bytes, 0) * k1);
  const b = fetch64(bytes, 8);
  const c = u64(fetch64(bytes, length - 8) * k2);
  const d = u64(fetch64(bytes, length - 16) * k0);
  return cityCombine(
    u64(rotate(u64(a - b), 43) + rotate(c, 30) + d),
    u64(a + rotate(b ^ k3, 20) - c + BigInt(length)),
  );
}

type Pair = readonly [bigint, bigint];

/** Mixes four words, the middle two of which come last, into a pair. */
function mixHalf(start: bigint, second: bigint, third: bigint, last: bigint): Pair {
  let a = start;
  const b = rotate(u64(a + last), 52);
  let c = rotate(a, 37);
  a = u64(a + second);
  c += rotate(a, 7);
  a = u64(a + third);
  return [u64(a + last), u64(b + rotate(a, 31) + c)];
}

function hashTo64(bytes: Buffer): bigint {
  const { length } = bytes;
  const first = u64(fetch64(bytes, 0) + (BigInt(length) + fetch64(bytes, length - 16)) * k0);
  const v = mixHalf(first, fetch64(bytes, 8), fetch64(bytes, 16), fetch64(bytes, 24));
  const second = u64(fetch64(bytes, 16) + fetch64(bytes, length - 32));
  const w = mixHalf(
    second,
    fetch64(bytes, length - 24),
    fetch64(bytes, length - 16),
    fetch64(bytes, length - 8),
  );
  const r = shiftMix(u64((v[0] + w[1]) * k2 + (w[0] + v[1]) * k0));
  return u64(shiftMix(u64(r * k0 + v[1])) * k2);
}

/** Mixes 32 bytes and two seeds into a pair. */
function weakHash(bytes: Buffer, at: number, seedA: bigint, seedB: bigint): Pair {
  const last = fetch64(bytes, at + 24);
  let a = u64(seedA + fetch64(bytes, at));
  let b = rotate(u64(seedB + a + last), 21);
  const c = a;
  a = u64(a + fetch64(bytes, at + 8) + fetch64(bytes, at + 16));
  b += rotate(a, 44);
  return [u64(a + last), u64(b + c)];
}

function hashLong(bytes: Buffer): bigint {
  const { length } = bytes;
  let x = fetch64(bytes, 0);
  let y = fetch64(bytes, length - 16) ^ k1;
  let z = fetch64(bytes, length - 56) ^ k0;
  let v = weakHash(bytes, length - 64, BigInt(length), y);
  let w = weakHash(bytes, length - 32, BigInt(length) * k1, k0);
  z += shiftMix(v[1]) * k1;
  x = u64(rotate(u64(z + x), 39) * k1);
  y = u64(rotate(y, 33) * k1);
  const end = Math.floor((length - 1) / 64) * 64;
  for (let at = 0; at < end; at += 64) {
    x = u64(rotate(u64(x + y + v[0] + fetch64(bytes, at + 16)), 37) * k1);
    y = u64(rotate(u64(y + v[1] + fetch64(bytes, at + 48)), 42) * k1);
    x ^= w[1];
    y ^= v[0];
    const turned = rotate(u64(z) ^ w[0], 33);
    v = weakHash(bytes, at, v[1] * k1, x + w[0]);
    w = weakHash(bytes, at + 32, turned + w[1], y);
    z = x;
    x = turned;
  }
  return cityCombine(u64(cityCombine(v[0], w[0]) + shiftMix(y) * k1 + z), u64(cityCombine(v[1], w[1]) + x));
}

export function cityHash64(bytes: Buffer): bigint {
  if (bytes.length <= 16) return hashTo16(bytes);
  if (bytes.length <= 32) return hashTo32(bytes);
  return bytes.length <= 64 ? hashTo64(bytes) : hashLong(bytes);
}
