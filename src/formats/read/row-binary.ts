import { limits, type Settings, SluiceError, unreachable } from '../../base/index.ts';
import { canonicalInteger, parseType, type SqlType } from '../../types/index.ts';
import type { BlockReader, ReaderColumn } from '../block-reader.ts';
import { decimalBytes } from '../decimal-bytes.ts';
import { BlockAssembler } from './block-assembler.ts';
import { checkTypes, columnsByName, type HeaderLines } from './delimited-rows.ts';
import { InputCursor } from './input-cursor.ts';
import { type ReadOptions, readOptions } from './read-options.ts';
import { RowPump, type RowSource } from './row-pump.ts';

type BinaryReader = (cursor: InputCursor) => unknown;

/** Moves past so many bytes that must be there, and gives where they start. */
function take(cursor: InputCursor, bytes: number): number {
  const start = cursor.at;
  if (start + bytes > cursor.end) cursor.unexpected(cursor.end, `${bytes} bytes of a value`);
  cursor.at = start + bytes;
  return start;
}

/** A count of seven bits a byte, the least significant first. */
function readCount(cursor: InputCursor): number {
  let count = 0;
  for (let scale = 1; ; scale *= 128) {
    const byte = cursor.bytes[take(cursor, 1)]!;
    count += (byte & 127) * scale;
    if (byte < 128) break;
    if (scale > 2 ** 35) throw new SluiceError('INCORRECT_DATA', 'A length takes more than six bytes');
  }
  if (count > limits.cell_bytes_max) {
    throw new SluiceError('TOO_LARGE_STRING_SIZE', `A value of ${count} bytes or elements is too large`);
  }
  return count;
}

function readString(cursor: InputCursor): string {
  const length = readCount(cursor);
  const start = take(cursor, length);
  return cursor.slice(start, start + length);
}

function smallIntegerReader(bytes: number, signed: boolean): BinaryReader {
  return (cursor) => {
    const start = take(cursor, bytes);
    return signed ? cursor.bytes.readIntLE(start, bytes) : cursor.bytes.readUIntLE(start, bytes);
  };
}

function bigIntegerReader(bytes: number, signed: boolean): (cursor: InputCursor) => bigint {
  return (cursor) => {
    const start = take(cursor, bytes);
    let value = 0n;
    for (let word = bytes - 8; word >= 0; word -= 8)
      value = (value << 64n) | cursor.view.getBigUint64(start + word, true);
    return signed ? BigInt.asIntN(bytes * 8, value) : value;
  };
}

/** Integers in the canonical form for so many bytes. */
function integerReader(bytes: number, signed: boolean): BinaryReader {
  if (bytes <= 4) return smallIntegerReader(bytes, signed);
  const read = bigIntegerReader(bytes, signed);
  return bytes === 8 ? (cursor) => canonicalInteger(read(cursor)) : read;
}

function sixteenBytes(littleEndian: boolean): BinaryReader {
  return (cursor) => {
    const start = take(cursor, 16);
    const { view } = cursor;
    return (view.getBigUint64(start, littleEndian) << 64n) | view.getBigUint64(start + 8, littleEndian);
  };
}

/** So many values in a row. */
function readList(cursor: InputCursor, read: BinaryReader): unknown[] {
  const length = readCount(cursor);
  const values: unknown[] = [];
  for (let index = 0; index < length; index++) values.push(read(cursor));
  return values;
}

function compoundReader(type: SqlType & { kind: 'nullable' | 'array' | 'map' | 'tuple' }): BinaryReader {
  switch (type.kind) {
    case 'nullable': {
      const inner = binaryReader(type.inner);
      return (cursor) => (cursor.bytes[take(cursor, 1)] === 0 ? inner(cursor) : null);
    }
    case 'array': {
      const element = binaryReader(type.element);
      return (cursor) => readList(cursor, element);
    }
    case 'map': {
      const key = binaryReader(type.key);
      const value = binaryReader(type.value);
      return (cursor) => readList(cursor, (inner) => [key(inner), value(inner)]);
    }
    case 'tuple': {
      const elements = type.elements.map((element) => binaryReader(element.type));
      return (cursor) => elements.map((read) => read(cursor));
    }
  }
}

function binaryReader(type: SqlType): BinaryReader {
  switch (type.kind) {
    case 'nothing':
      return () => null;
    case 'low_cardinality':
      return binaryReader(type.inner);
    case 'nullable':
    case 'array':
    case 'map':
    case 'tuple':
      return compoundReader(type);
    case 'bool':
      return (cursor) => (cursor.bytes[take(cursor, 1)] === 0 ? 0 : 1);
    case 'int':
      return integerReader(type.bits / 8, type.signed);
    case 'enum':
      return integerReader(type.bits / 8, true);
    case 'float':
      return type.bits === 32
        ? (cursor) => cursor.view.getFloat32(take(cursor, 4), true)
        : (cursor) => cursor.view.getFloat64(take(cursor, 8), true);
    case 'date':
      return integerReader(2, false);
    case 'date32':
      return integerReader(4, true);
    case 'datetime':
    case 'ipv4':
      return integerReader(4, false);
    case 'datetime64':
    case 'interval':
      return integerReader(8, true);
    case 'decimal': {
      const bytes = decimalBytes(type.precision);
      return integerReader(bytes, true);
    }
    case 'string':
      return readString;
    case 'fixed_string':
      return (cursor) => {
        const start = take(cursor, type.length);
        return cursor.slice(start, start + type.length);
      };
    case 'uuid':
      return sixteenBytes(true);
    case 'ipv6':
      return sixteenBytes(false);
    default:
      return unreachable(type);
  }
}

class BinaryRows implements RowSource {
  readonly mustBeUtf8 = false;
  readonly #assembler: BlockAssembler;
  readonly #options: ReadOptions;
  readonly #header: HeaderLines;
  #isStarted = false;
  /** Each value's reader, and its column or -1. */
  #fields: readonly { readonly column: number; readonly read: BinaryReader }[];
  #missing: readonly number[] = [];

  constructor(assembler: BlockAssembler, options: ReadOptions, header: HeaderLines) {
    this.#assembler = assembler;
    this.#options = options;
    this.#header = header;
    this.#isStarted = header === 'none';
    this.#fields = assembler.columns.map((column, index) => ({
      column: index,
      read: binaryReader(column.type),
    }));
  }

  readRows(cursor: InputCursor, rowsMax: number): void {
    cursor.at = cursor.rowStart;
    if (!this.#isStarted) {
      if (cursor.pending === 0) return;
      this.#readHeader(cursor);
      cursor.rowStart = cursor.at;
    }
    while (cursor.row < rowsMax && cursor.rowStart < cursor.end) {
      for (const { column, read } of this.#fields) {
        cursor.column = column;
        const value = read(cursor);
        if (column >= 0) this.#assembler.sinks[column]!.put(cursor.row, value);
      }
      cursor.column = -1;
      for (const column of this.#missing) this.#assembler.omit(column, cursor.row);
      cursor.row++;
      cursor.rowStart = cursor.at;
    }
  }

  #readHeader(cursor: InputCursor): void {
    const { columns } = this.#assembler;
    const count = readCount(cursor);
    const names = Array.from({ length: count }, () => readString(cursor));
    const types =
      this.#header === 'types' ? Array.from({ length: count }, () => readString(cursor)) : undefined;
    // Without its type an unknown column cannot be passed over.
    const fields = columnsByName(names, columns, {
      ...this.#options,
      skipUnknownFields: types !== undefined && this.#options.skipUnknownFields,
    });
    if (types !== undefined) checkTypes(types, fields, columns);
    this.#fields = fields.map((column, index) => ({
      column,
      read: binaryReader(columns[column]?.type ?? parseType(types![index]!)),
    }));
    this.#missing = columns.flatMap((_, column) => (fields.includes(column) ? [] : [column]));
    this.#isStarted = true;
  }

  skipRow(): boolean {
    return false;
  }
}

/** RowBinary and its variants. */
export function rowBinaryReader(
  columns: readonly ReaderColumn[],
  settings: Settings,
  header: HeaderLines,
): BlockReader {
  const options = readOptions(settings);
  const assembler = new BlockAssembler(columns, options.fillDefaults);
  return new RowPump(new InputCursor(), new BinaryRows(assembler, options, header), assembler, 0);
}
