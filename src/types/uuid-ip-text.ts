import { cannotParse } from './text-errors.ts';
import { types } from './type.ts';

const uuidPattern = /^([0-9a-f]{8})-([0-9a-f]{4})-([0-9a-f]{4})-([0-9a-f]{4})-([0-9a-f]{12})$/i;
const bareUuidPattern = /^[0-9a-f]{32}$/i;

/** Reads a UUID, with or without its dashes, as a 128-bit unsigned number. */
export function parseUuid(text: string): bigint {
  const match = uuidPattern.exec(text);
  if (match !== null) return BigInt(`0x${match[1]}${match[2]}${match[3]}${match[4]}${match[5]}`);
  if (bareUuidPattern.test(text)) return BigInt(`0x${text}`);
  throw cannotParse(types.uuid, text, '32 hexadecimal digits in groups of 8-4-4-4-12', 'CANNOT_PARSE_UUID');
}

export function formatUuid(value: bigint): string {
  const hex = BigInt.asUintN(128, value).toString(16).padStart(32, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

const ipv4Pattern = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/;

/** The address as a number, or undefined when the text is none. */
function ipv4Number(text: string): number | undefined {
  const match = ipv4Pattern.exec(text);
  if (match === null) return undefined;
  let value = 0;
  for (let part = 1; part <= 4; part++) {
    const octet = Number(match[part]);
    if (octet > 255) return undefined;
    value = value * 256 + octet;
  }
  return value;
}

/** Reads `192.0.2.1` as an unsigned 32-bit number. */
export function parseIpv4(text: string): number {
  const value = ipv4Number(text);
  if (value === undefined) {
    throw cannotParse(types.ipv4, text, 'four numbers from 0 to 255 with dots between', 'CANNOT_PARSE_IPV4');
  }
  return value;
}

export function formatIpv4(value: number): string {
  return `${value >>> 24}.${(value >>> 16) & 255}.${(value >>> 8) & 255}.${value & 255}`;
}

const mappedPrefix = 0xffff00000000n;

/** The 16-bit groups of one side of `::`, or undefined; only the side that ends the address may end in an IPv4 one. */
function ipv6Groups(text: string, endsAddress: boolean): number[] | undefined {
  if (text === '') return [];
  const groups: number[] = [];
  const parts = text.split(':');
  for (const [index, part] of parts.entries()) {
    if (/^[0-9a-f]{1,4}$/i.test(part)) {
      groups.push(Number.parseInt(part, 16));
    } else {
      const tail = endsAddress && index === parts.length - 1 ? ipv4Number(part) : undefined;
      if (tail === undefined) return undefined;
      groups.push(tail >>> 16, tail & 0xffff);
    }
  }
  return groups;
}

/** Reads an IPv6 address, or an IPv4 one as its mapped form, as a 128-bit unsigned number. */
export function parseIpv6(text: string): bigint {
  const mapped = ipv4Number(text);
  if (mapped !== undefined) return mappedPrefix | BigInt(mapped);
  const sides = text.length > 45 ? [] : text.split('::');
  const head = ipv6Groups(sides[0] ?? '-', sides.length === 1);
  const tail = sides.length === 2 ? ipv6Groups(sides[1]!, true) : [];
  const missing = head === undefined || tail === undefined ? -1 : 8 - head.length - tail.length;
  if (sides.length > 2 || missing < 0 || (sides.length === 1 ? missing !== 0 : missing === 0)) {
    throw cannotParse(types.ipv6, text, 'an IPv6 address', 'CANNOT_PARSE_IPV6');
  }
  let value = 0n;
  for (const group of [...head!, ...new Array<number>(missing).fill(0), ...tail!]) {
    value = (value << 16n) | BigInt(group);
  }
  return value;
}

/** The longest run of at least two zero groups, as [start, end). */
function longestZeros(groups: readonly number[]): readonly [number, number] {
  let best: readonly [number, number] = [0, 0];
  for (let start = 0; start < groups.length; start++) {
    let end = start;
    while (end < groups.length && groups[end] === 0) end++;
    if (end - start > 1 && end - start > best[1] - best[0]) best = [start, end];
    if (end > start) start = end;
  }
  return best;
}

/** Writes an IPv6 address in its shortest form, IPv4-mapped ones as `::ffff:192.0.2.1`. */
export function formatIpv6(value: bigint): string {
  if (value >> 32n === 0xffffn) return `::ffff:${formatIpv4(Number(value & 0xffffffffn))}`;
  const groups: number[] = [];
  for (let shift = 112n; shift >= 0n; shift -= 16n) groups.push(Number((value >> shift) & 0xffffn));
  const [start, end] = longestZeros(groups);
  const hex = (list: readonly number[]) => list.map((group) => group.toString(16)).join(':');
  return end === 0 ? hex(groups) : `${hex(groups.slice(0, start))}::${hex(groups.slice(end))}`;
}
