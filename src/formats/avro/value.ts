import { SluiceError } from '../../base/index.ts';
import { canonicalInteger, defaultValue, representation, textParser, types } from '../../types/index.ts';
import { valueConverter } from '../read/convert-value.ts';
import type { InputCursor } from '../read/input-cursor.ts';
import type { ReadOptions } from '../read/read-options.ts';
import { type AvroType, type Logical, naturalType } from './schema.ts';

/** Reads a value at the cursor as a canonical value of its type's natural SQL type. */
export type AvroReader = (cursor: InputCursor) => unknown;

/** Items without a single byte that a list may claim to have. */
const emptyItemsMax = 1_000_000;

/** Moves past so many bytes that must be there, and gives where they start. */
export function take(cursor: InputCursor, bytes: number): number {
  const start = cursor.at;
  if (!(bytes >= 0)) throw new SluiceError('INCORRECT_DATA', `A value has the length ${bytes}`);
  if (start + bytes > cursor.end) cursor.unexpected(cursor.end, `${bytes} bytes of a value`);
  cursor.at = start + bytes;
  return start;
}

/** A zigzag integer of up to 64 bits, in canonical form. */
export function readLong(cursor: InputCursor): number | bigint {
  let value = 0;
  let scale = 1;
  const start = cursor.at;
  for (;;) {
    const byte = cursor.bytes[take(cursor, 1)]!;
    if (cursor.at - start > 7) {
      cursor.at = start;
      return readBigLong(cursor);
    }
    value += (byte & 127) * scale;
    if (byte < 128) break;
    scale *= 128;
  }
  return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
}

function readBigLong(cursor: InputCursor): number | bigint {
  let value = 0n;
  for (let shift = 0n; ; shift += 7n) {
    if (shift > 63n) throw new SluiceError('INCORRECT_DATA', 'An integer takes more than ten bytes');
    const byte = cursor.bytes[take(cursor, 1)]!;
    value |= BigInt(byte & 127) << shift;
    if (byte < 128) break;
  }
  value = BigInt.asUintN(64, value);
  return canonicalInteger((value >> 1n) ^ -(value & 1n));
}

/** A length or count. */
export function readSize(cursor: InputCursor): number {
  return Number(readLong(cursor));
}

function readText(cursor: InputCursor): string {
  const length = readSize(cursor);
  const start = take(cursor, length);
  return cursor.slice(start, start + length);
}

/** Calls back for every item of an array or map, which come in blocks. */
function readItems(cursor: InputCursor, item: () => void): void {
  for (;;) {
    let count = readSize(cursor);
    if (count === 0) return;
    if (count < 0) {
      count = -count;
      readLong(cursor);
    }
    const start = cursor.at;
    if (count > cursor.end - start && count > emptyItemsMax)
      throw new SluiceError('INCORRECT_DATA', `A list claims to have ${count} items`);
    for (let index = 0; index < count; index++) item();
  }
}

function bigEndian(cursor: InputCursor, start: number, length: number): bigint {
  let value = 0n;
  for (let at = start; at < start + length; at++) value = (value << 8n) | BigInt(cursor.bytes[at]!);
  return value;
}

function decimalReader(
  logical: Logical & { kind: 'decimal' },
  size: (cursor: InputCursor) => number,
): AvroReader {
  const isWide = logical.precision > 18;
  return (cursor) => {
    const length = size(cursor);
    const start = take(cursor, length);
    const value = BigInt.asIntN(length * 8, bigEndian(cursor, start, length));
    return isWide ? value : canonicalInteger(value);
  };
}

const readUuidText = (
  (parse) => (cursor: InputCursor) =>
    parse(readText(cursor))
)(textParser(types.uuid));

/** Makes the readers of one schema. */
export class AvroReaders {
  readonly #options: ReadOptions;
  /** Readers of records inside themselves, and what passes over a type. */
  readonly #recursive = new Map<AvroType, AvroReader>();
  readonly #skippers = new Map<AvroType, (cursor: InputCursor) => void>();

  constructor(options: ReadOptions) {
    this.#options = options;
  }

  /** A reader that gives values of naturalType(type, outer). */
  reader(type: AvroType, outer: readonly AvroType[] = []): AvroReader {
    const inside = [...outer, type];
    switch (type.kind) {
      case 'null':
        return () => null;
      case 'boolean':
        return (cursor) => {
          const byte = cursor.bytes[take(cursor, 1)]!;
          if (byte > 1) throw new SluiceError('INCORRECT_DATA', `A boolean has the value ${byte}`);
          return byte;
        };
      case 'int':
        return (cursor) => {
          const value = readLong(cursor);
          if (value === (Number(value) | 0)) return value;
          throw new SluiceError('INCORRECT_DATA', `An int has the value ${value}`);
        };
      case 'long':
        return readLong;
      case 'float':
        return (cursor) => cursor.view.getFloat32(take(cursor, 4), true);
      case 'double':
        return (cursor) => cursor.view.getFloat64(take(cursor, 8), true);
      case 'bytes':
      case 'string':
        if (type.logical?.kind === 'decimal') return decimalReader(type.logical, readSize);
        return type.logical?.kind === 'uuid' ? readUuidText : readText;
      case 'fixed':
        return fixedReader(type);
      case 'enum': {
        const { symbols } = type;
        return (cursor) => {
          const index = readSize(cursor);
          const symbol = symbols[index];
          if (symbol === undefined) throw new SluiceError('INCORRECT_DATA', `An enum has no symbol ${index}`);
          return symbol;
        };
      }
      case 'array': {
        const read = this.reader(type.items, inside);
        return (cursor) => {
          const values: unknown[] = [];
          readItems(cursor, () => values.push(read(cursor)));
          return values;
        };
      }
      case 'map': {
        const read = this.reader(type.values, inside);
        return (cursor) => {
          const pairs: unknown[] = [];
          readItems(cursor, () => pairs.push([readText(cursor), read(cursor)]));
          return pairs;
        };
      }
      case 'record':
        return this.#recordReader(type, outer, inside);
      case 'union':
        return this.#unionReader(type, outer, inside);
    }
  }

  #recordReader(
    type: AvroType & { kind: 'record' },
    outer: readonly AvroType[],
    inside: readonly AvroType[],
  ): AvroReader {
    if (type.fields.length === 0) return () => '{}';
    if (!outer.includes(type)) {
      const readers = type.fields.map((field) => this.reader(field.type, inside));
      return (cursor) => readers.map((read) => read(cursor));
    }
    // Inside itself a record is the JSON of its natural type, whose reader is only made once it is met.
    return (cursor) => {
      let read = this.#recursive.get(type);
      if (read === undefined) {
        const values = this.reader(type);
        const format = valueConverter(naturalType(type), types.string, this.#options);
        read = (inner) => format(values(inner));
        this.#recursive.set(type, read);
      }
      return read(cursor);
    };
  }

  #unionReader(
    type: AvroType & { kind: 'union' },
    outer: readonly AvroType[],
    inside: readonly AvroType[],
  ): AvroReader {
    const natural = naturalType(type, outer);
    const branches = type.branches.map((branch): AvroReader => {
      if (branch.kind === 'null') {
        const value = defaultValue(natural);
        return () => value;
      }
      const read = this.reader(branch, inside);
      const convert = valueConverter(naturalType(branch, inside), natural, this.#options);
      return (cursor) => convert(read(cursor));
    });
    return (cursor) => branchOf(branches, readSize(cursor))(cursor);
  }

  /** A function that passes over a value. */
  skipper(type: AvroType): (cursor: InputCursor) => void {
    const known = this.#skippers.get(type);
    if (known !== undefined) return known;
    // Found by the records inside this one, which may be the same.
    this.#skippers.set(type, (cursor) => skip(cursor));
    const skip = this.#makeSkipper(type);
    this.#skippers.set(type, skip);
    return skip;
  }

  #makeSkipper(type: AvroType): (cursor: InputCursor) => void {
    switch (type.kind) {
      case 'null':
        return () => {};
      case 'boolean':
        return (cursor) => void take(cursor, 1);
      case 'int':
      case 'long':
      case 'enum':
        return (cursor) => void readLong(cursor);
      case 'float':
        return (cursor) => void take(cursor, 4);
      case 'double':
        return (cursor) => void take(cursor, 8);
      case 'bytes':
      case 'string':
        return (cursor) => void take(cursor, readSize(cursor));
      case 'fixed': {
        const { size } = type;
        return (cursor) => void take(cursor, size);
      }
      case 'array': {
        const skip = this.skipper(type.items);
        return (cursor) => readItems(cursor, () => skip(cursor));
      }
      case 'map': {
        const skip = this.skipper(type.values);
        return (cursor) =>
          readItems(cursor, () => {
            take(cursor, readSize(cursor));
            skip(cursor);
          });
      }
      case 'record': {
        const skips = type.fields.map((field) => this.skipper(field.type));
        return (cursor) => {
          for (const skip of skips) skip(cursor);
        };
      }
      case 'union': {
        const skips = type.branches.map((branch) => this.skipper(branch));
        return (cursor) => branchOf(skips, readSize(cursor))(cursor);
      }
    }
  }
}

function branchOf<Branch>(branches: readonly Branch[], index: number): Branch {
  const branch = branches[index];
  if (branch === undefined) throw new SluiceError('INCORRECT_DATA', `A union has no branch ${index}`);
  return branch;
}

function fixedReader(type: AvroType & { kind: 'fixed' }): AvroReader {
  const { size, logical } = type;
  if (logical?.kind === 'decimal') return decimalReader(logical, () => size);
  if (logical?.kind === 'uuid') return (cursor) => bigEndian(cursor, take(cursor, 16), 16);
  return (cursor) => {
    const start = take(cursor, size);
    return cursor.slice(start, start + size);
  };
}

/** Whether a number column can hold the values of a type as they are written. */
export function isPlainNumber(type: AvroType): boolean {
  const held = representation(naturalType(type));
  return (type.kind === 'int' || type.kind === 'long') && (held === 'number' || held === 'mixed');
}
