/*
 * SipHash-2-4 with 64 and, as ClickHouse has it, 128 bits of result.
 */
import { fetch64, rotateLeft64 as rotate, u64 } from './hash-bits.ts';

/** The state after all bytes and the final rounds. */
function run(bytes: Buffer, key0: bigint, key1: bigint): readonly [bigint, bigint, bigint, bigint] {
  let v0 = 0x736f6d6570736575n ^ key0;
  let v1 = 0x646f72616e646f6dn ^ key1;
  let v2 = 0x6c7967656e657261n ^ key0;
  let v3 = 0x7465646279746573n ^ key1;
  const rounds = (count: number): void => {
    for (let round = 0; round < count; round++) {
      v0 = u64(v0 + v1);
      v1 = rotate(v1, 13) ^ v0;
      v0 = rotate(v0, 32);
      v2 = u64(v2 + v3);
      v3 = rotate(v3, 16) ^ v2;
      v0 = u64(v0 + v3);
      v3 = rotate(v3, 21) ^ v0;
      v2 = u64(v2 + v1);
      v1 = rotate(v1, 17) ^ v2;
      v2 = rotate(v2, 32);
    }
  };
  const absorb = (word: bigint): void => {
    v3 ^= word;
    rounds(2);
    v0 ^= word;
  };
  const whole = bytes.length - (bytes.length % 8);
  for (let at = 0; at < whole; at += 8) absorb(fetch64(bytes, at));
  let last = BigInt(bytes.length & 255) << 56n;
  for (let at = whole; at < bytes.length; at++) last |= BigInt(bytes[at]!) << BigInt((at - whole) * 8);
  absorb(last);
  v2 ^= 0xffn;
  rounds(4);
  return [v0, v1, v2, v3];
}

export function sipHash64(bytes: Buffer, key0 = 0n, key1 = 0n): bigint {
  const [v0, v1, v2, v3] = run(bytes, key0, key1);
  return v0 ^ v1 ^ v2 ^ v3;
}

/** As a 128-bit number whose low half comes first in memory. */
export function sipHash128(bytes: Buffer, key0 = 0n, key1 = 0n): bigint {
  const [v0, v1, v2, v3] = run(bytes, key0, key1);
  return ((v2 ^ v3) << 64n) | (v0 ^ v1);
}
