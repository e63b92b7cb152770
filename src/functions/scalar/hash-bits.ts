/*
 * Arithmetic on unsigned 64-bit numbers (bigints) and 32-bit numbers for the hash functions.
 */

export function u64(value: bigint): bigint {
  return BigInt.asUintN(64, value);
}

/** Rotates a 64-bit number to the right. */
export function rotateRight64(value: bigint, bits: number): bigint {
  return bits === 0 ? value : u64((value >> BigInt(bits)) | (value << BigInt(64 - bits)));
}

/** Rotates a 64-bit number to the left. */
export function rotateLeft64(value: bigint, bits: number): bigint {
  return rotateRight64(value, 64 - bits);
}

/** Rotates a 32-bit number to the left. */
export function rotateLeft32(value: number, bits: number): number {
  return (value << bits) | (value >>> (32 - bits));
}

export function fetch64(bytes: Buffer, at: number): bigint {
  return bytes.readBigUInt64LE(at);
}

/** The low and the high half of the 128-bit product, folded together by exclusive or. */
export function foldedProduct(left: bigint, right: bigint): bigint {
  const product = left * right;
  return u64(product) ^ (product >> 64n);
}

/** ClickHouse's intHash64: mixes a 64-bit number. */
export function intHash64(value: bigint): bigint {
  let x = u64(value) ^ 0x4cf2d2baae6da887n;
  x ^= x >> 33n;
  x = u64(x * 0xff51afd7ed558ccdn);
  x ^= x >> 33n;
  x = u64(x * 0xc4ceb9fe1a85ec53n);
  return x ^ (x >> 33n);
}

/** ClickHouse's intHash32: mixes a 64-bit number into 32 bits. */
export function intHash32(value: bigint): number {
  let key = u64(value) ^ 0x75d9543de018bf45n;
  key = u64(~key + (key << 18n));
  key ^= rotateRight64(key, 31);
  key = u64(key * 21n);
  key ^= rotateRight64(key, 11);
  key = u64(key + (key << 6n));
  key ^= rotateRight64(key, 22);
  return Number(key & 0xffff_ffffn);
}
