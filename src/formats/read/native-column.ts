import { SluiceError, unreachable } from '../../base/index.ts';
import { columnBuilder, flatFromDoubles, type Vector, vectorReader } from '../../column/index.ts';
import { canonicalInteger, type SqlType } from '../../types/index.ts';
import { decimalBytes } from '../decimal-bytes.ts';
import type { NativeBytes } from './native-bytes.ts';

/** Rows that a block may have; those of ClickHouse have far fewer. */
export const blockRowsMax = 16 * 1024 * 1024;

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
  bytes: NativeBytes,
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
function lists(bytes: NativeBytes, rows: number, elements: (count: number) => Vector): Vector {
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
export function readPrefix(bytes: NativeBytes, type: SqlType): void {
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
function lowCardinality(
  bytes: NativeBytes,
  whole: SqlType & { kind: 'low_cardinality' },
  rows: number,
): Vector {
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

function safeCount(bytes: NativeBytes): number {
  const count = Number(bytes.integer(8, false));
  if (count > blockRowsMax) throw new SluiceError('INCORRECT_DATA', `This is no Native block: ${count} keys`);
  return count;
}

/** Reads so many values of a column; `whole` is the type with what is around it. */
export function readColumn(
  bytes: NativeBytes,
  whole: SqlType,
  rows: number,
  nulls: Uint8Array | null = null,
): Vector {
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
