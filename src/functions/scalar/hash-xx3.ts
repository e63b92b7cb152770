/*
 * XXH3 of 64 bits, with seed 0 and the default secret.
 */
import { fetch64, foldedProduct, rotateLeft64, u64 } from './hash-bits.ts';
import { avalanche64 } from './hash-xx.ts';

const secret = Buffer.from(
  [
    'b8fe6c3923a44bbe7c01812cf721ad1cded46de9839097db7240a4a4b7b3671f',
    'cb79e64eccc0e578825ad07dccff7221b8084674f743248ee03590e6813a264c',
    '3c2852bb91c300cb88d0658b1b532ea371644897a20df94e3819ef46a9deacd8',
    'a8fa763fe39c343ff9dcbbc7c70b4f1d8a51e04bcdb45931c89f7ec9d9787364',
    'eac5ac8334d3ebc3c581a0fffa1363eb170ddd51b7f0da49d316552629d4689e',
    '2b16be587d47a1fc8ff8b8d17ad031ce45cb3a8f95160428afd7fbcabb4b407e',
  ].join(''),
  'hex',
);

const prime1 = 0x9e3779b185ebca87n;
const prime32 = { first: 0x9e3779b1n, second: 0x85ebca77n, third: 0xc2b2ae3dn };
const mix1 = 0x165667919e3779f9n;
const mix2 = 0x9fb21c651e98df25n;

function avalanche(value: bigint): bigint {
  const hash = u64((value ^ (value >> 37n)) * mix1);
  return hash ^ (hash >> 32n);
}

function word(at: number): bigint {
  return fetch64(secret, at);
}

function upTo3(bytes: Buffer): bigint {
  const { length } = bytes;
  const combined =
    (bytes[length - 1]! | (length << 8) | (bytes[0]! << 16) | (bytes[length >> 1]! << 24)) >>> 0;
  const key = (secret.readUInt32LE(0) ^ secret.readUInt32LE(4)) >>> 0;
  return avalanche64(BigInt(key) ^ BigInt(combined));
}

function upTo8(bytes: Buffer): bigint {
  const { length } = bytes;
  const first = BigInt(bytes.readUInt32LE(0));
  const last = BigInt(bytes.readUInt32LE(length - 4));
  let value = word(8) ^ word(16) ^ (last | (first << 32n));
  value ^= rotateLeft64(value, 49) ^ rotateLeft64(value, 24);
  value = u64(value * mix2);
  value ^= u64((value >> 35n) + BigInt(length));
  value = u64(value * mix2);
  return value ^ (value >> 28n);
}

function upTo16(bytes: Buffer): bigint {
  const { length } = bytes;
  const low = word(24) ^ word(32) ^ fetch64(bytes, 0);
  const high = word(40) ^ word(48) ^ fetch64(bytes, length - 8);
  const swapped = Buffer.alloc(8);
  swapped.writeBigUInt64LE(low);
  return avalanche(u64(BigInt(length) + swapped.readBigUInt64BE(0) + high + foldedProduct(low, high)));
}

/** Mixes 16 bytes of the input with 16 of the secret. */
function mixStep(bytes: Buffer, at: number, secretAt: number): bigint {
  return foldedProduct(fetch64(bytes, at) ^ word(secretAt), fetch64(bytes, at + 8) ^ word(secretAt + 8));
}

function upTo128(bytes: Buffer): bigint {
  const { length } = bytes;
  let sum = BigInt(length) * prime1;
  for (let round = (length - 1) >> 5; round >= 0; round--) {
    sum += mixStep(bytes, round * 16, round * 32);
    sum += mixStep(bytes, length - round * 16 - 16, round * 32 + 16);
  }
  return avalanche(u64(sum));
}

function upTo240(bytes: Buffer): bigint {
  const { length } = bytes;
  let sum = BigInt(length) * prime1;
  for (let chunk = 0; chunk < 8; chunk++) sum += mixStep(bytes, chunk * 16, chunk * 16);
  sum = avalanche(u64(sum));
  for (let chunk = 8; chunk < length >> 4; chunk++) sum += mixStep(bytes, chunk * 16, (chunk - 8) * 16 + 3);
  return avalanche(u64(sum + mixStep(bytes, length - 16, 119)));
}

function accumulate(lanes: bigint[], bytes: Buffer, at: number, secretAt: number): void {
  for (let lane = 0; lane < 8; lane++) {
    const data = fetch64(bytes, at + lane * 8);
    const value = data ^ word(secretAt + lane * 8);
    lanes[lane ^ 1] = u64(lanes[lane ^ 1]! + data);
    lanes[lane] = u64(lanes[lane]! + (value & 0xffff_ffffn) * (value >> 32n));
  }
}

function scramble(lanes: bigint[]): void {
  for (let lane = 0; lane < 8; lane++) {
    const value = lanes[lane]!;
    lanes[lane] = u64((value ^ (value >> 47n) ^ word(128 + lane * 8)) * prime32.first);
  }
}

const blockBytes = 1_024;

function long(bytes: Buffer): bigint {
  const { length } = bytes;
  const lanes = [
    prime32.third,
    prime1,
    0xc2b2ae3d27d4eb4fn,
    0x165667b19e3779f9n,
    0x85ebca77c2b2ae63n,
    prime32.second,
    0x27d4eb2f165667c5n,
    prime32.first,
  ];
  const lastBlock = Math.floor((length - 1) / blockBytes) * blockBytes;
  for (let block = 0; block < lastBlock; block += blockBytes) {
    for (let stripe = 0; stripe < 16; stripe++) accumulate(lanes, bytes, block + stripe * 64, stripe * 8);
    scramble(lanes);
  }
  const stripes = Math.floor((length - lastBlock - 1) / 64);
  for (let stripe = 0; stripe < stripes; stripe++)
    accumulate(lanes, bytes, lastBlock + stripe * 64, stripe * 8);
  accumulate(lanes, bytes, length - 64, 121);
  let result = BigInt(length) * prime1;
  for (let pair = 0; pair < 4; pair++) {
    result += foldedProduct(
      lanes[pair * 2]! ^ word(11 + pair * 16),
      lanes[pair * 2 + 1]! ^ word(19 + pair * 16),
    );
  }
  return avalanche(u64(result));
}

export function xxHash3(bytes: Buffer): bigint {
  const { length } = bytes;
  if (length === 0) return avalanche64(word(56) ^ word(64));
  if (length <= 3) return upTo3(bytes);
  if (length <= 8) return upTo8(bytes);
  if (length <= 16) return upTo16(bytes);
  if (length <= 128) return upTo128(bytes);
  return length <= 240 ? upTo240(bytes) : long(bytes);
}
