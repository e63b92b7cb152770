import { randomBytes } from 'node:crypto';
import { SluiceError } from '../../base/index.ts';
import {
  datetime64,
  fixedString,
  formatText,
  parseText,
  type SqlType,
  serverTimeZone,
  types,
} from '../../types/index.ts';
import { constantOf, illegalType } from '../checks.ts';
import type { Argument, QueryContext, ScalarFunction } from '../definition.ts';
import { functionsOf } from './simple-function.ts';
import { bigEndian, numberOfBytes } from './value-bytes.ts';

const define = functionsOf('uuid_and_ip');

/** Random bytes are fetched for many values at a time. */
const pool = { bytes: Buffer.alloc(0), at: 0 };

function randomBits(bytes: number): bigint {
  if (pool.at + bytes > pool.bytes.length) {
    pool.bytes = randomBytes(4_096);
    pool.at = 0;
  }
  const hex = pool.bytes.toString('hex', pool.at, pool.at + bytes);
  pool.at += bytes;
  return BigInt(`0x${hex}`);
}

function withVersion(bits: bigint, version: bigint): bigint {
  const versioned = (bits & ~(0xfn << 76n)) | (version << 76n);
  return (versioned & ~(3n << 62n)) | (2n << 62n);
}

function uuidV7(milliseconds: number, low: bigint): bigint {
  return withVersion((BigInt(Math.floor(milliseconds)) << 80n) | low, 7n);
}

/** The last UUID v7 made, so that those of one millisecond rise. */
const last = { milliseconds: -1, low: 0n };

function risingV7(context: QueryContext): bigint {
  const now = context.clock.now();
  if (now > last.milliseconds) {
    last.milliseconds = now;
    // The highest bit starts as 0, so that there is room to count up.
    last.low = randomBits(10) & ((1n << 73n) - 1n);
  } else {
    last.low = (last.low + 1n + (randomBits(4) & 0xffffn)) & ((1n << 80n) - 1n);
  }
  // The counter is kept out of the bits that version and variant take.
  const counter = ((last.low >> 62n) << 64n) | (last.low & ((1n << 62n) - 1n));
  return uuidV7(last.milliseconds, counter);
}

const crockford = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

function base32(value: bigint, length: number): string {
  let text = '';
  for (let rest = value, at = 0; at < length; at++, rest >>= 5n) text = crockford[Number(rest & 31n)] + text;
  return text;
}

function ulidMilliseconds(ulid: string): number {
  let value = 0;
  if (ulid.length !== 26) throw new SluiceError('BAD_ARGUMENTS', 'A ULID has 26 characters');
  for (const char of ulid.slice(0, 10).toUpperCase()) {
    const digit = crockford.indexOf(char);
    if (digit < 0) throw new SluiceError('BAD_ARGUMENTS', `'${char}' is no character of a ULID`);
    value = value * 32 + digit;
  }
  return value;
}

function zoned(name: string, args: readonly Argument[]): SqlType {
  return datetime64(3, args[1] === undefined ? serverTimeZone : String(constantOf(name, args, 1)));
}

function generator(
  name: string,
  aliases: readonly string[],
  doc: string,
  make: (context: QueryContext) => bigint,
): ScalarFunction {
  return define({
    name,
    aliases,
    syntax: `${name}()`,
    doc,
    examples: [
      [`length(to_string(${name}()))`, '36'],
      [`to_type_name(${name}())`, 'uuid'],
    ],
    takes: ['any?'],
    returns: types.uuid,
    evaluation: 'per_row',
    contextual: true,
    kernel: () => make,
  });
}

/** A UUID of a UUID column, or of its 36 characters. */
function uuidReader(name: string, type: SqlType): (value: never) => bigint {
  if (type.kind === 'uuid') return (value: bigint) => value;
  if (type.kind === 'string' || type.kind === 'fixed_string')
    return (value: string) => parseText(types.uuid, value) as bigint;
  throw illegalType(name, 0, type, 'a uuid or its text');
}

const sample = '61f0c404-5cb3-11e7-907b-a6006ad3dba0';

export const uuidFunctions: readonly ScalarFunction[] = [
  generator('generate_uuidv4', ['uuid'], 'A random UUID (version 4), another one for each row.', () =>
    withVersion(randomBits(16), 4n),
  ),
  generator(
    'generate_uuidv7',
    ['uuid7', 'generate_uuidv7_thread_monotonic'],
    'A UUID that starts with the time (version 7); each is above the one before.',
    risingV7,
  ),
  generator(
    'generate_uuidv7_non_monotonic',
    [],
    'A UUID that starts with the time (version 7), random within a millisecond.',
    (context) => uuidV7(context.clock.now(), randomBits(10)),
  ),
  define({
    name: 'uuid_string_to_num',
    aliases: ['uuid_to_num'],
    syntax: 'uuid_string_to_num(text)',
    doc: 'The 16 bytes of a UUID.',
    examples: [[`hex(uuid_string_to_num('${sample}'))`, '61F0C4045CB311E7907BA6006AD3DBA0']],
    takes: ['any'],
    returns: (args) => {
      uuidReader('uuid_string_to_num', args[0]!.type);
      return fixedString(16);
    },
    kernel: (args) => {
      const read = uuidReader('uuid_string_to_num', args[0]!.type);
      return (value: never) => bigEndian(read(value), 16);
    },
  }),
  define({
    name: 'uuid_num_to_string',
    syntax: 'uuid_num_to_string(bytes)',
    doc: 'The text of a UUID given by its 16 bytes.',
    examples: [[`uuid_num_to_string(uuid_string_to_num('${sample}'))`, sample]],
    takes: ['string'],
    returns: types.string,
    kernel: () => (bytes: string) => {
      if (bytes.length !== 16)
        throw new SluiceError('BAD_ARGUMENTS', `A UUID has 16 bytes, not ${bytes.length}`);
      return formatText(types.uuid, numberOfBytes(bytes));
    },
  }),
  define({
    name: 'uuidv7_to_datetime',
    syntax: 'uuidv7_to_datetime(uuid[, timezone])',
    doc: 'The time in a UUID of version 7; 1970-01-01 for other versions.',
    examples: [
      ["uuidv7_to_datetime(to_uuid('018f05c9-4ab8-7b86-b64e-c9f03fbd45d1'))", '2024-04-22 12:30:29.048'],
    ],
    takes: ['any', 'string?'],
    returns: (args) => {
      uuidReader('uuidv7_to_datetime', args[0]!.type);
      return zoned('uuidv7_to_datetime', args);
    },
    kernel: (args) => {
      const read = uuidReader('uuidv7_to_datetime', args[0]!.type);
      return (value: never) => {
        const bits = read(value);
        return ((bits >> 76n) & 0xfn) === 7n ? Number(bits >> 80n) : 0;
      };
    },
  }),
  define({
    name: 'generate_ulid',
    syntax: 'generate_ulid()',
    doc: 'A ULID: 26 characters that start with the time, another one for each row.',
    examples: [['length(generate_ulid())', '26']],
    takes: ['any?'],
    returns: types.string,
    evaluation: 'per_row',
    contextual: true,
    kernel: () => (context: QueryContext) =>
      base32(BigInt(Math.floor(context.clock.now())), 10) + base32(randomBits(10), 16),
  }),
  define({
    name: 'ulid_string_to_datetime',
    aliases: ['ulid_string_to_date_time'],
    syntax: 'ulid_string_to_datetime(ulid[, timezone])',
    doc: 'The time in a ULID.',
    examples: [["ulid_string_to_datetime('01GNB2S2FGN2P93QPXDNB4EN2R')", '2022-12-28 00:40:37.616']],
    takes: ['string', 'string?'],
    returns: (args) => zoned('ulid_string_to_datetime', args),
    kernel: () => ulidMilliseconds,
  }),
];
