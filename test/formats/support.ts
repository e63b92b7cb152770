import { type Settings, settingsFrom } from '../../src/base/index.ts';
import { type Block, blockRows, type ColumnSchema, columnBuilder } from '../../src/column/index.ts';
import {
  createReader,
  createWriter,
  type ReadBlock,
  type ReaderColumn,
  type ReaderOptions,
} from '../../src/formats/index.ts';
import { bareType, isNullable, parseType, type SqlType } from '../../src/types/index.ts';

/** A small generator of random numbers (mulberry32), so that every run sees the same data. */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

export type Random = () => number;

export function settings(texts: Record<string, string> = {}): Settings {
  return settingsFrom(Object.entries(texts));
}

/** `name type` pairs as a schema. */
export function schemaOf(...columns: readonly (readonly [name: string, type: string])[]): ReaderColumn[] {
  return columns.map(([name, type]) => ({ name, type: parseType(type), hasDefault: false }));
}

/** A block with the given rows of canonical values. */
export function blockOf(schema: readonly ColumnSchema[], rows: readonly (readonly unknown[])[]): Block {
  const vectors = schema.map((column, index) => {
    const builder = columnBuilder(column.type);
    for (const row of rows) builder.append(row[index]);
    return builder.finish();
  });
  return { rows: rows.length, vectors };
}

/** All that a format writes for these rows, in blocks of at most `blockRowsMax`. */
export function written(
  format: string,
  schema: readonly ColumnSchema[],
  rows: readonly (readonly unknown[])[],
  options: Settings = settings(),
  blockRowsMax = 65_536,
): Buffer {
  const writer = createWriter(format, schema, options);
  const chunks = [writer.start()];
  for (let from = 0; from < rows.length; from += blockRowsMax) {
    chunks.push(writer.block(blockOf(schema, rows.slice(from, from + blockRowsMax))));
  }
  chunks.push(writer.finish({ rows: rows.length }));
  return Buffer.concat(chunks);
}

/** What a reader makes of the bytes, given to it in chunks of the size. */
export function readBlocks(
  format: string,
  columns: readonly ReaderColumn[],
  data: Uint8Array | string,
  options: { settings?: Settings; chunk?: number; reader?: ReaderOptions } = {},
): ReadBlock[] {
  const reader = createReader(format, columns, options.settings ?? settings(), options.reader);
  const bytes = typeof data === 'string' ? Buffer.from(data) : data;
  const chunk = options.chunk ?? Math.max(1, bytes.length);
  const blocks: ReadBlock[] = [];
  for (let from = 0; from < bytes.length; from += chunk)
    blocks.push(...reader.push(bytes.slice(from, from + chunk)));
  blocks.push(...reader.finish());
  return blocks;
}

/** The rows that a reader makes of the bytes. */
export function readRows(...input: Parameters<typeof readBlocks>): unknown[][] {
  return readBlocks(...input).flatMap((read) => blockRows(read.block));
}

/** The exception text of what the callback throws. */
export function failure(callback: () => unknown): string {
  try {
    callback();
  } catch (thrown) {
    return (thrown as { exceptionText?: string }).exceptionText ?? String(thrown);
  }
  return 'no failure';
}

function randomInteger(random: Random, least: bigint, most: bigint): bigint {
  const roll = random();
  if (roll < 0.1) return least;
  if (roll < 0.2) return most;
  let value = 0n;
  for (let word = 0; word < 5; word++) value = (value << 53n) | BigInt(Math.floor(random() * 2 ** 53));
  const low = roll < 0.6 && least < -50n ? -50n : least;
  const high = roll < 0.6 && most > 100n ? 100n : most;
  return low + (value % (high - low + 1n));
}

const canonical = (value: bigint): number | bigint =>
  value >= BigInt(Number.MIN_SAFE_INTEGER) && value <= BigInt(Number.MAX_SAFE_INTEGER)
    ? Number(value)
    : value;

const alphabet = [
  'a',
  'b',
  'Z',
  '0',
  ' ',
  '"',
  "'",
  '\\',
  ',',
  '\t',
  '\n',
  '\r',
  '/',
  '\0',
  '{',
  ']',
  ';',
  'é',
  '漢',
  '😀',
  '\u2028',
  '|',
];

function randomString(random: Random): string {
  const length = random() < 0.1 ? Math.floor(random() * 200) : Math.floor(random() * 8);
  let text = '';
  for (let index = 0; index < length; index++) text += alphabet[Math.floor(random() * alphabet.length)];
  return Buffer.from(text).latin1Slice();
}

function randomFloat(random: Random, single: boolean): number {
  const roll = random();
  const value =
    roll < 0.3
      ? Math.round(random() * 20_000 - 10_000) / 100
      : roll < 0.5
        ? Math.round(random() * 1000)
        : (random() - 0.5) * 10 ** Math.floor(random() * 60 - 30);
  return single ? Math.fround(value) : value;
}

/** A random canonical value of the type. */
export function randomValue(type: SqlType, random: Random): unknown {
  if (isNullable(type) && random() < 0.2) return null;
  const bare = bareType(type);
  const list = (make: () => unknown) => Array.from({ length: Math.floor(random() * 4) }, make);
  switch (bare.kind) {
    case 'nothing':
      return null;
    case 'bool':
      return random() < 0.5 ? 0 : 1;
    case 'int': {
      const least = bare.signed ? -(1n << BigInt(bare.bits - 1)) : 0n;
      const most = bare.signed ? (1n << BigInt(bare.bits - 1)) - 1n : (1n << BigInt(bare.bits)) - 1n;
      const value = randomInteger(random, least, most);
      return bare.bits <= 64 ? canonical(value) : value;
    }
    case 'decimal': {
      const most = 10n ** BigInt(bare.precision) - 1n;
      const value = randomInteger(random, -most, most);
      return bare.precision <= 18 ? canonical(value) : value;
    }
    case 'float':
      return randomFloat(random, bare.bits === 32);
    case 'string':
      return randomString(random);
    case 'fixed_string':
      return randomString(random)
        .slice(0, bare.length)
        .replace(/[\x80-\xff]/g, 'x')
        .padEnd(bare.length, '\0');
    case 'date':
      return Math.floor(random() * 65_536);
    case 'date32':
      return Math.floor(random() * 146_000) - 25_567;
    case 'datetime':
      return Math.floor(random() * 4_294_967_296);
    case 'datetime64': {
      const seconds = BigInt(Math.floor(random() * 4e9) - 1_000_000_000);
      const scale = 10n ** BigInt(bare.precision);
      return canonical(seconds * scale + BigInt(Math.floor(random() * Number(scale))));
    }
    case 'interval':
      return Math.floor(random() * 1000);
    case 'uuid':
    case 'ipv6':
      return randomInteger(random, 0n, (1n << 128n) - 1n);
    case 'ipv4':
      return Math.floor(random() * 4_294_967_296);
    case 'enum':
      return bare.entries[Math.floor(random() * bare.entries.length)]![1];
    case 'array':
      return list(() => randomValue(bare.element, random));
    case 'map':
      return list(() => [randomValue(bare.key, random), randomValue(bare.value, random)]);
    case 'tuple':
      return bare.elements.map((element) => randomValue(element.type, random));
    default:
      throw new Error(`no values of ${bare.kind}`);
  }
}

/** Types that between them use every kind of value and vector. */
export const sampleTypes = [
  'bool',
  'int8',
  'int16',
  'int32',
  'int64',
  'int128',
  'int256',
  'uint8',
  'uint16',
  'uint32',
  'uint64',
  'uint128',
  'uint256',
  'float32',
  'float64',
  'decimal(9, 2)',
  'decimal(18, 6)',
  'decimal(38, 10)',
  'decimal(76, 30)',
  'string',
  'fixed_string(6)',
  'low_cardinality(string)',
  'date',
  'date32',
  'datetime',
  "datetime('Asia/Tokyo')",
  'datetime64(0)',
  'datetime64(3)',
  "datetime64(6, 'UTC')",
  'datetime64(9)',
  'uuid',
  'ipv4',
  'ipv6',
  "enum8('red' = 1, 'it''s' = 2, 'grün' = -3)",
  'nullable(int32)',
  'nullable(int64)',
  'nullable(float64)',
  'nullable(string)',
  'nullable(bool)',
  'nullable(datetime64(3))',
  'nullable(uuid)',
  'low_cardinality(nullable(string))',
  'array(int32)',
  'array(string)',
  'array(nullable(string))',
  'array(array(uint64))',
  'tuple(int32, string)',
  'tuple(id int64, name nullable(string))',
  'map(string, int32)',
  'map(string, array(date))',
  'array(tuple(x float64, y datetime))',
] as const;
