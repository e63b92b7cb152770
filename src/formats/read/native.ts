import { limits, type Settings, SluiceError, unreachable } from '../../base/index.ts';
import {
  type Block,
  columnBuilder,
  constantVector,
  flatFromDoubles,
  sliceBlock,
  type Vector,
  vectorReader,
} from '../../column/index.ts';
import {
  canonicalInteger,
  defaultValue,
  fromByteString,
  parseType,
  type SqlType,
  typeName,
} from '../../types/index.ts';
import type { BlockReader, ReadBlock, ReaderColumn } from '../block-reader.ts';
import { decimalBytes } from '../decimal-bytes.ts';
import { sameLayout } from '../native-layout.ts';
import { columnsByName } from './delimited-rows.ts';
import { type ReadOptions, readOptions } from './read-options.ts';

/** Thrown and caught here: the bytes end before the block does. */
class Incomplete extends Error {}
const incomplete = new Incomplete();

/** Rows that a block may have; those of ClickHouse have far fewer. */
const blockRowsMax = 16 * 1024 * 1024;
const columnsMax = 10_000;

/** Bytes that are read from front to back. */
class Bytes {
  readonly #bytes: Buffer;
  readonly #view: DataView;
  at: number;

  constructor(bytes: Buffer, at: number) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.at = at;
  }

  get left(): number {
    return this.#bytes.length - this.at;
  }

  /** Moves past so many bytes and gives where they start. */
  take(count: number): number {
    const start = this.at;
    if (start + count > this.#bytes.length) throw incomplete;
    this.at = start + count;
    return start;
  }

  count(most: number, what: string): number {
    let count = 0;
    for (let scale = 1; ; scale *= 128) {
      const byte = this.#bytes[this.take(1)]!;
      count += (byte & 127) * scale;
      if (byte < 128) break;
      if (scale > 2 ** 42) throw new SluiceError('INCORRECT_DATA', 'A number takes more than seven bytes');
    }
    if (count > most)
      throw new SluiceError(
        'INCORRECT_DATA',
        `This is no Native block: ${count} ${what}, expected at most ${most}`,
      );
    return count;
  }

  text(): string {
    const length = this.count(limits.cell_bytes_max, 'bytes of a text');
    const start = this.take(length);
    return this.#bytes.latin1Slice(start, start + length);
  }

  slice(length: number): string {
    const start = this.take(length);
    return this.#bytes.latin1Slice(start, start + length);
  }

  mask(rows: number): Uint8Array {
    const start = this.take(rows);
    return Uint8Array.from(this.#bytes.subarray(start, start + rows), (byte) => (byte === 0 ? 0 : 1));
  }

  /** Little-endian numbers of a width and kind, as doubles. */
  doubles(rows: number, bytes: 1 | 2 | 4 | 8, kind: 'signed' | 'unsigned' | 'float'): Float64Array {
    const start = this.take(rows * bytes);
    const values = new Float64Array(rows);
    const view = this.#view;
    for (let row = 0, at = start; row < rows; row++, at += bytes) {
      if (kind === 'float') values[row] = bytes === 4 ? view.getFloat32(at, true) : view.getFloat64(at, true);
      else if (kind === 'signed')
        values[row] =
          bytes === 1 ? view.getInt8(at) : bytes === 2 ? view.getInt16(at, true) : view.getInt32(at, true);
      else
        values[row] =
          bytes === 1 ? view.getUint8(at) : bytes === 2 ? view.getUint16(at, true) : view.getUint32(at, true);
    }
    return values;
  }

  /** 64-bit integers as doubles; null (and nothing is read) when one of them is no safe integer. */
  safeIntegers(rows: number, signed: boolean): Float64Array | null {
    const start = this.take(rows * 8);
    const values = new Float64Array(rows);
    for (let row = 0, at = start; row < rows; row++, at += 8) {
      const high = signed ? this.#view.getInt32(at + 4, true) : this.#view.getUint32(at + 4, true);
      const value = high * 4_294_967_296 + this.#view.getUint32(at, true);
      if (!Number.isSafeInteger(value)) {
        this.at = start;
        return null;
      }
      values[row] = value;
    }
    return values;
  }

  /** An integer of 8, 16 or 32 bytes. */
  integer(bytes: number, signed: boolean): bigint {
    const start = this.take(bytes);
    let value = 0n;
    for (let word = bytes - 8; word >= 0; word -= 8)
      value = (value << 64n) | this.#view.getBigUint64(start + word, true);
    return signed ? BigInt.asIntN(bytes * 8, value) : value;
  }

  /** 16 bytes as two words, the upper first. */
  pair(littleEndian: boolean): bigint {
    const start = this.take(16);
    return (
      (this.#view.getBigUint64(start, littleEndian) << 64n) | this.#view.getBigUint64(start + 8, littleEndian)
    );
  }
}

/** A column of values that are read one by one. */
function built(
  type: SqlType,
  nulls: Uint8Array | null,
  rows: number,
  read: (row: number) => unknown,
): Vector {
  const builder = columnBuilder(type);
  for (let row = 0; row < rows; row++) {
    const value = read(row);
    builder.append(nulls?.[row] === 1 ? null : value);
  }
  return builder.finish();
}

/** A column of numbers; `type` with its nullability, as vectors know it. */
function numbers(type: SqlType, nulls: Uint8Array | null, values: Float64Array): Vector {
  // Behind a NULL stands 0, whatever was sent.
  if (nulls !== null) for (let row = 0; row < values.length; row++) if (nulls[row] === 1) values[row] = 0;
  return flatFromDoubles(values, type, nulls);
}

function integers(
  bytes: Bytes,
  type: SqlType,
  nulls: Uint8Array | null,
  rows: number,
  width: number,
  signed: boolean,
): Vector {
  if (width <= 4)
    return numbers(type, nulls, bytes.doubles(rows, width as 1 | 2 | 4, signed ? 'signed' : 'unsigned'));
  if (width > 8) return built(type, nulls, rows, () => bytes.integer(width, signed));
  const values = bytes.safeIntegers(rows, signed);
  if (values !== null) return numbers(type, nulls, values);
  return built(type, nulls, rows, () => canonicalInteger(bytes.integer(8, signed)));
}

/** The list of each row, as its elements' columns with where each list ends before them. */
function lists(bytes: Bytes, rows: number, elements: (count: number) => Vector): Vector {
  const ends = bytes.safeIntegers(rows, false);
  const offsets = new Uint32Array(rows + 1);
  for (let row = 0; row < rows; row++) {
    const end = ends?.[row] ?? Number.NaN;
    if (!(end >= offsets[row]! && end <= 0xffff_ffff))
      throw new SluiceError(
        'INCORRECT_DATA',
        'This is no Native block: the ends of arrays go back or are too large',
      );
    offsets[row + 1] = end;
  }
  return { kind: 'array', length: rows, nulls: null, offsets, child: elements(offsets[rows]!) };
}

/** The only layout of low cardinality there is, and the flags of what stands in a block of it. */
const lowCardinalityVersion = 1n;
const ownKeys = 0x200n;
const sharedKeys = 0x100n;

/** Reads what stands before a column, and so before the ends of lists: a version for each low cardinality in it. */
function readPrefix(bytes: Bytes, type: SqlType): void {
  switch (type.kind) {
    case 'low_cardinality': {
      const version = bytes.integer(8, false);
      if (version !== lowCardinalityVersion)
        throw new SluiceError('INCORRECT_DATA', `Low cardinality of version ${version} is not known`);
      return;
    }
    case 'array':
      readPrefix(bytes, type.element);
      return;
    case 'map':
      readPrefix(bytes, type.key);
      readPrefix(bytes, type.value);
      return;
    case 'tuple':
      for (const element of type.elements) readPrefix(bytes, element.type);
      return;
    default:
  }
}

/** A column of numbers of keys, after the keys themselves; of a nullable type the first key is NULL. */
function lowCardinality(bytes: Bytes, whole: SqlType & { kind: 'low_cardinality' }, rows: number): Vector {
  if (rows === 0) return built(whole, null, 0, () => null);
  const flags = bytes.integer(8, false);
  if ((flags & sharedKeys) !== 0n || (flags & ownKeys) === 0n)
    throw new SluiceError('NOT_IMPLEMENTED', 'Native blocks that share a dictionary are not supported');
  const count = safeCount(bytes);
  const isNullable = whole.inner.kind === 'nullable';
  const keyType = whole.inner.kind === 'nullable' ? whole.inner.inner : whole.inner;
  const read = vectorReader(readColumn(bytes, keyType, count));
  const keys = Array.from({ length: count }, (_, key) => (isNullable && key === 0 ? null : read(key)));
  if (safeCount(bytes) !== rows)
    throw new SluiceError('INCORRECT_DATA', 'This is no Native block: rows are missing');
  const width = [1, 2, 4, 8][Number(flags & 0xffn)] as 1 | 2 | 4 | 8 | undefined;
  const codes = width === undefined || width === 8 ? null : bytes.doubles(rows, width, 'unsigned');
  return built(whole, null, rows, (row) => {
    const code = codes?.[row] ?? Number.NaN;
    if (!(code < count))
      throw new SluiceError('INCORRECT_DATA', 'This is no Native block: there is no such key');
    return keys[code];
  });
}

function safeCount(bytes: Bytes): number {
  const count = Number(bytes.integer(8, false));
  if (count > blockRowsMax) throw new SluiceError('INCORRECT_DATA', `This is no Native block: ${count} keys`);
  return count;
}

/** Reads so many values of a column; `whole` is the type with what is around it. */
function readColumn(bytes: Bytes, whole: SqlType, rows: number, nulls: Uint8Array | null = null): Vector {
  const type = whole.kind === 'nullable' && nulls !== null ? whole.inner : whole;
  const sized = (width: number, signed: boolean) => integers(bytes, whole, nulls, rows, width, signed);
  switch (type.kind) {
    case 'nullable':
      return readColumn(bytes, type, rows, bytes.mask(rows));
    case 'low_cardinality':
      return lowCardinality(bytes, type, rows);
    case 'nothing':
      bytes.take(rows);
      return built(whole, null, rows, () => null);
    case 'array':
      return lists(bytes, rows, (count) => readColumn(bytes, type.element, count));
    case 'map':
      return lists(bytes, rows, (count) => ({
        kind: 'tuple',
        length: count,
        nulls: null,
        children: [readColumn(bytes, type.key, count), readColumn(bytes, type.value, count)],
      }));
    case 'tuple': {
      const children = type.elements.map((element) => readColumn(bytes, element.type, rows));
      return { kind: 'tuple', length: rows, nulls: null, children };
    }
    case 'bool':
      return numbers(whole, nulls, Float64Array.from(bytes.mask(rows)));
    case 'int':
      return sized(type.bits / 8, type.signed);
    case 'enum':
      return sized(type.bits / 8, true);
    case 'float':
      return numbers(whole, nulls, bytes.doubles(rows, (type.bits / 8) as 4 | 8, 'float'));
    case 'date':
      return sized(2, false);
    case 'date32':
      return sized(4, true);
    case 'datetime':
    case 'ipv4':
      return sized(4, false);
    case 'datetime64':
    case 'interval':
      return sized(8, true);
    case 'decimal': {
      const width = decimalBytes(type.precision);
      return sized(width, true);
    }
    case 'string':
      return built(whole, nulls, rows, () => bytes.text());
    case 'fixed_string':
      return built(whole, nulls, rows, () => bytes.slice(type.length));
    case 'uuid':
      return built(whole, nulls, rows, () => bytes.pair(true));
    case 'ipv6':
      return built(whole, nulls, rows, () => bytes.pair(false));
    default:
      return unreachable(type);
  }
}

/** A column of defaults, for one that a block does not have. */
function defaults(column: ReaderColumn, rows: number): Vector {
  return constantVector(column.type, defaultValue(column.type), rows);
}

/** A type by its name in a block. */
function typeNamed(text: string): SqlType {
  try {
    return parseType(fromByteString(text));
  } catch (thrown) {
    if (thrown instanceof SluiceError) throw thrown.within('in a Native block');
    throw thrown;
  }
}

function checkLayout(column: ReaderColumn, type: SqlType): void {
  if (sameLayout(type, column.type)) return;
  throw new SluiceError(
    'INCORRECT_DATA',
    `A Native block gives column '${column.name}' the type ${typeName(type)}, but it is ${typeName(column.type)}`,
  );
}

/**
 * Blocks of columns. How long a block is shows only when it has been read, so it is tried whenever twice as many bytes are
 * there as the last time it was not whole.
 */
class NativeReader implements BlockReader {
  readonly #columns: readonly ReaderColumn[];
  readonly #options: ReadOptions;
  #parts: Buffer[] = [];
  #size = 0;
  #tryAt = 0;

  constructor(columns: readonly ReaderColumn[], options: ReadOptions) {
    this.#columns = columns;
    this.#options = options;
  }

  push(chunk: Uint8Array): ReadBlock[] {
    // The chunk may be reused by whoever gave it.
    this.#parts.push(Buffer.from(chunk));
    this.#size += chunk.length;
    return this.#size < this.#tryAt ? [] : this.#read();
  }

  finish(): ReadBlock[] {
    const blocks = this.#read();
    if (this.#size > 0)
      throw new SluiceError('CANNOT_READ_ALL_DATA', 'The data ends in the middle of a Native block');
    return blocks;
  }

  #read(): ReadBlock[] {
    const whole = this.#parts.length === 1 ? this.#parts[0]! : Buffer.concat(this.#parts);
    const bytes = new Bytes(whole, 0);
    const blocks: ReadBlock[] = [];
    let end = 0;
    try {
      while (bytes.left > 0) {
        blocks.push(...this.#block(bytes));
        end = bytes.at;
      }
    } catch (thrown) {
      if (thrown !== incomplete) throw thrown;
    }
    const rest = whole.subarray(end);
    this.#parts = rest.length === 0 ? [] : [Buffer.from(rest)];
    this.#size = rest.length;
    this.#tryAt = end === 0 ? rest.length * 2 : rest.length + 1;
    return blocks;
  }

  #block(bytes: Bytes): ReadBlock[] {
    const width = bytes.count(columnsMax, 'columns');
    const rows = bytes.count(blockRowsMax, 'rows');
    const names: string[] = [];
    const columnTypes: SqlType[] = [];
    const vectors: Vector[] = [];
    for (let index = 0; index < width; index++) {
      names.push(bytes.text());
      const type = typeNamed(bytes.text());
      columnTypes.push(type);
      if (rows === 0) continue;
      readPrefix(bytes, type);
      vectors.push(readColumn(bytes, type, rows));
    }
    if (rows === 0) return [];
    const fields = columnsByName(names, this.#columns, this.#options);
    for (const [index, field] of fields.entries())
      if (field >= 0) checkLayout(this.#columns[field]!, columnTypes[index]!);
    const given = this.#columns.map((column, index) => {
      const field = fields.indexOf(index);
      return field < 0 ? defaults(column, rows) : vectors[field]!;
    });
    const omitted = this.#columns.map(
      (column, index) => this.#options.fillDefaults && column.hasDefault && !fields.includes(index),
    );
    return slices({ rows, vectors: given }, omitted);
  }
}

/** A block in parts of as many rows as one may have. */
function slices(block: Block, omitted: readonly boolean[]): ReadBlock[] {
  const parts: ReadBlock[] = [];
  for (let from = 0; from < block.rows; from += limits.insert_block_rows) {
    const to = Math.min(block.rows, from + limits.insert_block_rows);
    const part = to - from === block.rows ? block : sliceBlock(block, from, to);
    parts.push({
      block: part,
      omitted: omitted.map((each) => (each ? new Uint8Array(part.rows).fill(1) : null)),
    });
  }
  return parts;
}

/** Native: blocks column by column, as ClickHouse writes them to clients that name no protocol version. */
export function nativeReader(columns: readonly ReaderColumn[], settings: Settings): BlockReader {
  return new NativeReader(columns, readOptions(settings));
}
