import type { SqlType } from '../../types/index.ts';

/** The bytes that ClickHouse holds a value of the type in; undefined for types whose values differ in size. */
export function byteWidth(type: SqlType): number | undefined {
  switch (type.kind) {
    case 'bool':
      return 1;
    case 'int':
    case 'float':
    case 'enum':
      return type.bits / 8;
    case 'date':
      return 2;
    case 'date32':
    case 'datetime':
    case 'ipv4':
      return 4;
    case 'datetime64':
    case 'interval':
      return 8;
    case 'decimal':
      return type.precision <= 9 ? 4 : type.precision <= 18 ? 8 : type.precision <= 38 ? 16 : 32;
    case 'uuid':
    case 'ipv6':
      return 16;
    default:
      return undefined;
  }
}

const scratch = Buffer.alloc(8);

function floatBytes(value: number, bits: 32 | 64): string {
  if (bits === 32) scratch.writeFloatLE(value);
  else scratch.writeDoubleLE(value);
  return scratch.latin1Slice(0, bits / 8);
}

/** The lowest `width` bytes of a number in two's complement, highest first. */
export function bigEndian(value: number | bigint, width: number): string {
  const digits = BigInt.asUintN(width * 8, BigInt(value))
    .toString(16)
    .padStart(width * 2, '0');
  return Buffer.from(digits, 'hex').latin1Slice();
}

function reversed(bytes: string): string {
  let result = '';
  for (let at = bytes.length - 1; at >= 0; at--) result += bytes[at];
  return result;
}

export function littleEndian(value: number | bigint, width: number): string {
  return reversed(bigEndian(value, width));
}

/** A function from canonical values to their bytes as ClickHouse holds them; undefined where they have no fixed size. */
export function bytesOfValue(type: SqlType): ((value: never) => string) | undefined {
  const width = byteWidth(type);
  if (width === undefined) return undefined;
  if (type.kind === 'float') return (value: number) => floatBytes(value, type.bits);
  if (type.kind === 'ipv6') return (value: bigint) => bigEndian(value, width);
  // A UUID is a pair of 64-bit numbers, the higher one first.
  if (type.kind === 'uuid')
    return (value: bigint) => littleEndian(value >> 64n, 8) + littleEndian(value & 0xffff_ffff_ffff_ffffn, 8);
  return (value: number | bigint) => littleEndian(value, width);
}

/** The number that bytes make, highest first. */
export function numberOfBytes(bytes: string): bigint {
  return bytes === '' ? 0n : BigInt(`0x${Buffer.from(bytes, 'latin1').toString('hex')}`);
}
