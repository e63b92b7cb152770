import { hash as digest } from 'node:crypto';
import { SluiceError } from '../../base/index.ts';
import { canonicalInteger, type SqlType, types } from '../../types/index.ts';
import { illegalType } from '../checks.ts';
import type { ScalarFunction } from '../definition.ts';
import { intHash32, intHash64, u64 } from './hash-bits.ts';
import { cityCombine, cityHash64 } from './hash-city.ts';
import { murmur2, murmur2of64, murmur3, murmur3of128 } from './hash-murmur.ts';
import { sipHash64, sipHash128 } from './hash-sip.ts';
import { hashKernel, hashType, type ValueHash } from './hash-values.ts';
import { xxHash32, xxHash64 } from './hash-xx.ts';
import { xxHash3 } from './hash-xx3.ts';
import { functionsOf } from './simple-function.ts';
import { littleEndian } from './value-bytes.ts';

const define = functionsOf('hash');

function halfMd5(bytes: Buffer): bigint {
  return digest('md5', bytes, 'buffer').readBigUInt64BE(0);
}

/** Combines two hashes by hashing their bytes. */
function byHashing(apply: (bytes: Buffer) => bigint, width: number): (left: bigint, right: bigint) => bigint {
  return (left, right) =>
    apply(Buffer.from(littleEndian(left, width) + littleEndian(right, width), 'latin1'));
}

const byMixing32 = (left: bigint, right: bigint): bigint => BigInt(intHash32(left)) ^ right;
const byMixing64 = (left: bigint, right: bigint): bigint => intHash64(left) ^ right;

interface AnyHash extends ValueHash {
  readonly name: string;
  readonly aliases?: readonly string[];
  readonly what: string;
  /** What it gives for `'abc'`, for hashes of 128 bits in hexadecimal digits. */
  readonly example: string;
}

function murmur3Number(bytes: Buffer): bigint {
  const [low, high] = murmur3of128(bytes);
  return (high << 64n) | low;
}

const anyHashes: readonly AnyHash[] = [
  {
    name: 'city_hash64',
    what: 'CityHash64 1.0.2',
    example: '4220206313085259313',
    bits: 64,
    apply: cityHash64,
    combine: cityCombine,
    mixesNumbers: true,
  },
  {
    name: 'sip_hash64',
    what: 'SipHash-2-4',
    example: '4596069200710135518',
    bits: 64,
    apply: (bytes) => sipHash64(bytes),
    combine: byHashing((bytes) => sipHash64(bytes), 8),
    mixesNumbers: false,
  },
  {
    name: 'sip_hash128',
    what: 'SipHash-2-4 of 128 bits',
    example: 'B6B415A2DA966B6C685A65E54C12A353',
    bits: 128,
    apply: (bytes) => sipHash128(bytes),
    combine: byHashing((bytes) => sipHash128(bytes), 16),
    mixesNumbers: false,
  },
  {
    name: 'half_md5',
    what: 'the first 8 bytes of MD5',
    example: '10376663631224000432',
    bits: 64,
    apply: halfMd5,
    combine: byHashing(halfMd5, 8),
    mixesNumbers: false,
  },
  {
    name: 'xx_hash32',
    what: 'xxHash32',
    example: '852579327',
    bits: 32,
    apply: (bytes) => BigInt(xxHash32(bytes)),
    combine: byMixing32,
    mixesNumbers: false,
  },
  {
    name: 'xx_hash64',
    what: 'xxHash64',
    example: '4952883123889572249',
    bits: 64,
    apply: xxHash64,
    combine: cityCombine,
    mixesNumbers: false,
  },
  {
    name: 'xxh3',
    what: 'XXH3 of 64 bits',
    example: '8696274497037089104',
    bits: 64,
    apply: xxHash3,
    combine: cityCombine,
    mixesNumbers: false,
  },
  {
    name: 'murmur_hash2_32',
    aliases: ['murmurHash2_32'],
    what: 'MurmurHash2 of 32 bits',
    example: '324500635',
    bits: 32,
    apply: (bytes) => BigInt(murmur2(bytes, 0)),
    combine: byMixing32,
    mixesNumbers: false,
  },
  {
    name: 'murmur_hash2_64',
    aliases: ['murmurHash2_64'],
    what: 'MurmurHash2 of 64 bits',
    example: '11297775770902552315',
    bits: 64,
    apply: (bytes) => murmur2of64(bytes, 0n),
    combine: byMixing64,
    mixesNumbers: false,
  },
  {
    name: 'gcc_murmur_hash',
    what: 'MurmurHash2 of 64 bits with the seed of GCC',
    example: '3663726644998027833',
    bits: 64,
    apply: (bytes) => murmur2of64(bytes, 0xc70f6907n),
    combine: byMixing64,
    mixesNumbers: false,
  },
  {
    name: 'kafka_murmur_hash',
    what: 'MurmurHash2 as Kafka assigns partitions by it',
    example: '479470107',
    bits: 32,
    apply: (bytes) => BigInt(murmur2(bytes, 0x9747b28c) & 0x7fff_ffff),
    combine: byMixing32,
    mixesNumbers: false,
  },
  {
    name: 'murmur_hash3_32',
    aliases: ['murmurHash3_32'],
    what: 'MurmurHash3 of 32 bits',
    example: '3017643002',
    bits: 32,
    apply: (bytes) => BigInt(murmur3(bytes)),
    combine: byMixing32,
    mixesNumbers: false,
  },
  {
    name: 'murmur_hash3_64',
    aliases: ['murmurHash3_64'],
    what: 'MurmurHash3 of 128 bits folded to 64',
    example: '10318955651176813877',
    bits: 64,
    apply: (bytes) => {
      const [low, high] = murmur3of128(bytes);
      return low ^ high;
    },
    combine: byMixing64,
    mixesNumbers: false,
  },
  {
    name: 'murmur_hash3_128',
    aliases: ['murmurHash3_128'],
    what: 'MurmurHash3 of 128 bits',
    example: '6778AD3F3F3F96B4522DCA264174A23B',
    bits: 128,
    apply: murmur3Number,
    combine: byHashing(murmur3Number, 16),
    mixesNumbers: false,
  },
];

const anyHashFunctions = anyHashes.map((hash) => {
  const { name, aliases, what, example, bits } = hash;
  const call = `${name}('abc')`;
  const finish =
    bits === 32 ? Number : bits === 64 ? canonicalInteger : (value: bigint) => littleEndian(value, 16);
  return define({
    name,
    aliases: aliases ?? [],
    syntax: `${name}(value, ...)`,
    doc: `A hash of the arguments: ${what}.`,
    examples: [[bits === 128 ? `hex(${call})` : call, example]],
    takes: ['any*'],
    returns: hashType(hash),
    kernel: (args) => hashKernel(hash, args, finish),
  });
});

function javaHash(text: string): number {
  let hash = 0;
  for (let at = 0; at < text.length; at++)
    hash = (Math.imul(hash, 31) + ((text.charCodeAt(at) << 24) >> 24)) | 0;
  return hash;
}

function isHashedByJava(type: SqlType): boolean {
  return (
    type.kind === 'string' ||
    type.kind === 'fixed_string' ||
    (type.kind === 'int' && type.signed && type.bits <= 64)
  );
}

/** The bucket of a key such that few keys move when a bucket is added. */
function jumpHash(key: bigint, buckets: number): number {
  let state = key;
  let bucket = -1;
  let next = 0;
  while (next < buckets) {
    bucket = next;
    state = u64(state * 2862933555777941757n + 1n);
    next = Math.floor((bucket + 1) * (2 ** 31 / Number((state >> 33n) + 1n)));
  }
  return bucket;
}

const bucketsMax = 32_768;

function bucketsOf(name: string, buckets: number | bigint): number {
  const count = Number(buckets);
  if (count >= 1 && count <= bucketsMax) return count;
  throw new SluiceError('BAD_ARGUMENTS', `The number of buckets of ${name} must be from 1 to ${bucketsMax}`);
}

export const hashFunctions: readonly ScalarFunction[] = [
  ...anyHashFunctions,
  define({
    name: 'int_hash32',
    syntax: 'int_hash32(number)',
    doc: 'A number mixed into 32 bits.',
    examples: [['int_hash32(1)', '1343103100']],
    takes: ['any'],
    returns: types.uint32,
    kernel: (args) => {
      assertWhole('int_hash32', args[0]!.type);
      return (value: number | bigint) => intHash32(BigInt(value));
    },
  }),
  define({
    name: 'int_hash64',
    syntax: 'int_hash64(number)',
    doc: 'A number mixed into 64 bits.',
    examples: [['int_hash64(1)', '10577349846663553072']],
    takes: ['any'],
    returns: types.uint64,
    kernel: (args) => {
      assertWhole('int_hash64', args[0]!.type);
      return (value: number | bigint) => canonicalInteger(intHash64(BigInt(value)));
    },
  }),
  define({
    name: 'java_hash',
    syntax: 'java_hash(value)',
    doc: 'The hash code that Java gives a string or a signed integer.',
    examples: [["java_hash('abc')", '96354']],
    takes: ['any'],
    returns: (args) => {
      if (!isHashedByJava(args[0]!.type))
        throw illegalType('java_hash', 0, args[0]!.type, 'a string or a signed integer');
      return types.int32;
    },
    kernel: (args) => {
      const { type } = args[0]!;
      if (type.kind !== 'int') return javaHash;
      if (type.bits < 64) return (value: number) => value;
      return (value: number | bigint) => {
        const bits = u64(BigInt(value));
        return Number(BigInt.asIntN(32, bits ^ (bits >> 32n)));
      };
    },
  }),
  define({
    name: 'hive_hash',
    syntax: 'hive_hash(text)',
    doc: 'The hash code of a string as Hive had it before version 3: that of Java without its sign.',
    examples: [["hive_hash('abc')", '96354']],
    takes: ['string'],
    returns: types.int32,
    kernel: () => (text: string) => javaHash(text) & 0x7fff_ffff,
  }),
  define({
    name: 'jump_consistent_hash',
    syntax: 'jump_consistent_hash(key, buckets)',
    doc: 'A bucket from 0 for a key, such that few keys move when a bucket is added.',
    examples: [['jump_consistent_hash(256, 10)', '3']],
    takes: ['integer', 'integer'],
    returns: types.int32,
    kernel: () => (key: number | bigint, buckets: number | bigint) =>
      jumpHash(u64(BigInt(key)), bucketsOf('jump_consistent_hash', buckets)),
  }),
];

function assertWhole(name: string, type: SqlType): void {
  const whole = ['bool', 'int', 'date', 'date32', 'datetime', 'ipv4', 'enum', 'datetime64', 'decimal'];
  if (!whole.includes(type.kind) || (type.kind === 'int' && type.bits > 64))
    throw illegalType(name, 0, type, 'a whole number of at most 64 bits');
}
