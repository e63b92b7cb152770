import { hash as digest } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { fixedString, types } from '../../types/index.ts';
import type { ScalarFunction } from '../definition.ts';
import { functionsOf } from './simple-function.ts';

const define = functionsOf('hash');

function digestFunction(
  name: string,
  aliases: readonly string[],
  algorithm: string,
  bytes: number,
  example: string,
): ScalarFunction {
  return define({
    name,
    aliases,
    syntax: `${name}(text)`,
    doc: `The ${bytes} bytes of the ${algorithm.toUpperCase()} digest of a text.`,
    examples: [[`lower(hex(substring(${name}('abc'), 1, 4)))`, example]],
    takes: ['string'],
    returns: fixedString(bytes),
    kernel: () => (text: string) => digest(algorithm, Buffer.from(text, 'latin1'), 'latin1'),
  });
}

/** The remainder table of a reflected CRC of 64 bits. */
function crc64Table(): BigUint64Array {
  const polynomial = 0xc96c5795d7870f42n;
  return BigUint64Array.from({ length: 256 }, (_, byte) => {
    let value = BigInt(byte);
    for (let bit = 0; bit < 8; bit++) value = (value & 1n) === 1n ? (value >> 1n) ^ polynomial : value >> 1n;
    return value;
  });
}

function crc64(table: BigUint64Array, text: string): bigint {
  let crc = 0n;
  for (let at = 0; at < text.length; at++)
    crc = table[Number(crc & 255n) ^ text.charCodeAt(at)]! ^ (crc >> 8n);
  return crc;
}

/** CRC-32 with the polynomial of IEEE, without the inversions before and after. */
function crc32Ieee(text: string): number {
  let crc = 0;
  for (let at = 0; at < text.length; at++) {
    crc ^= text.charCodeAt(at);
    for (let bit = 0; bit < 8; bit++) crc = (crc & 1) === 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
  }
  return crc >>> 0;
}

export const digestFunctions: readonly ScalarFunction[] = [
  digestFunction('md5', [], 'md5', 16, '90015098'),
  digestFunction('sha1', [], 'sha1', 20, 'a9993e36'),
  digestFunction('sha224', [], 'sha224', 28, '23097d22'),
  digestFunction('sha256', [], 'sha256', 32, 'ba7816bf'),
  digestFunction('sha384', [], 'sha384', 48, 'cb00753f'),
  digestFunction('sha512', [], 'sha512', 64, 'ddaf35a1'),
  digestFunction('sha512_256', ['SHA512_256'], 'sha512-256', 32, '53048e26'),
  digestFunction('ripemd160', [], 'ripemd160', 20, '8eb208f7'),
  define({
    name: 'crc32',
    syntax: 'crc32(text)',
    doc: 'The CRC-32 checksum of a text, as zlib computes it.',
    examples: [["crc32('abc')", '891568578']],
    takes: ['string'],
    returns: types.uint32,
    kernel: () => (text: string) => crc32(Buffer.from(text, 'latin1')),
  }),
  define({
    name: 'crc32_ieee',
    syntax: 'crc32_ieee(text)',
    doc: 'The CRC-32 checksum of a text with the polynomial of IEEE 802.3 and an initial value of 0.',
    examples: [["crc32_ieee('a')", '984961486']],
    takes: ['string'],
    returns: types.uint32,
    kernel: () => crc32Ieee,
  }),
  define({
    name: 'crc64',
    syntax: 'crc64(text)',
    doc: 'The CRC-64 checksum of a text with the polynomial of ECMA and an initial value of 0.',
    examples: [["crc64('a')", '3219832958944941148']],
    takes: ['string'],
    returns: types.uint64,
    kernel: () => {
      const table = crc64Table();
      return (text: string) => {
        const value = crc64(table, text);
        return value <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(value) : value;
      };
    },
  }),
];
