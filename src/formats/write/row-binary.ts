import { unreachable } from '../../base/index.ts';
import { type ColumnSchema, vectorReader } from '../../column/index.ts';
import { type SqlType, toByteString, typeName } from '../../types/index.ts';
import type { BlockWriter } from '../block-writer.ts';
import { decimalBytes } from '../decimal-bytes.ts';
import { noBytes, Output } from './output.ts';
import type { Header } from './row-formats.ts';

type BinaryWriter = (out: Output, value: unknown) => void;

/** Writes a count as ClickHouse does: seven bits a byte, the least significant first. */
export function writeCount(out: Output, count: number): void {
  let rest = count;
  while (rest >= 128) {
    out.writeByte((rest % 128) | 128);
    rest = Math.floor(rest / 128);
  }
  out.writeByte(rest);
}

/** Writes an integer of so many bytes in two's complement, least significant first. */
function integerWriter(size: number): BinaryWriter {
  return (out, value) => {
    out.reserve(size);
    if (size <= 4) {
      let rest = value as number;
      for (let index = 0; index < size; index++, rest = Math.floor(rest / 256))
        out.bytes[out.at++] = rest & 255;
      return;
    }
    let rest = BigInt(value as number | bigint);
    for (let index = 0; index < size; index += 8, rest >>= 64n) {
      out.view.setBigUint64(out.at, BigInt.asUintN(64, rest), true);
      out.at += 8;
    }
  };
}

export function writeString(out: Output, value: unknown): void {
  writeCount(out, (value as string).length);
  out.write(value as string);
}

function writeFloat32(out: Output, value: unknown): void {
  out.reserve(4);
  out.view.setFloat32(out.at, value as number, true);
  out.at += 4;
}

function writeFloat64(out: Output, value: unknown): void {
  out.reserve(8);
  out.view.setFloat64(out.at, value as number, true);
  out.at += 8;
}

/** The two halves of a UUID are written each least significant byte first, the upper half before the lower. */
function writeUuid(out: Output, value: unknown): void {
  out.reserve(16);
  out.view.setBigUint64(out.at, (value as bigint) >> 64n, true);
  out.view.setBigUint64(out.at + 8, BigInt.asUintN(64, value as bigint), true);
  out.at += 16;
}

/** Addresses are written in network order. */
function writeIpv6(out: Output, value: unknown): void {
  out.reserve(16);
  out.view.setBigUint64(out.at, (value as bigint) >> 64n, false);
  out.view.setBigUint64(out.at + 8, BigInt.asUintN(64, value as bigint), false);
  out.at += 16;
}

function compoundWriter(type: SqlType & { kind: 'array' | 'tuple' | 'map' | 'nullable' }): BinaryWriter {
  switch (type.kind) {
    case 'nullable': {
      const inner = binaryWriter(type.inner);
      return (out, value) => {
        out.writeByte(value === null ? 1 : 0);
        if (value !== null) inner(out, value);
      };
    }
    case 'array': {
      const element = binaryWriter(type.element);
      return (out, value) => {
        writeCount(out, (value as unknown[]).length);
        for (const item of value as unknown[]) element(out, item);
      };
    }
    case 'map': {
      const key = binaryWriter(type.key);
      const item = binaryWriter(type.value);
      return (out, value) => {
        writeCount(out, (value as unknown[]).length);
        for (const pair of value as [unknown, unknown][]) {
          key(out, pair[0]);
          item(out, pair[1]);
        }
      };
    }
    case 'tuple': {
      const elements = type.elements.map((element) => binaryWriter(element.type));
      return (out, value) => {
        for (const [index, write] of elements.entries()) write(out, (value as unknown[])[index]);
      };
    }
  }
}

/** A writer of single values of a type. */
export function binaryWriter(type: SqlType): BinaryWriter {
  switch (type.kind) {
    case 'nothing':
      return () => {};
    case 'low_cardinality':
      return binaryWriter(type.inner);
    case 'nullable':
    case 'array':
    case 'tuple':
    case 'map':
      return compoundWriter(type);
    case 'bool':
      return integerWriter(1);
    case 'int':
    case 'enum':
      return integerWriter(type.bits / 8);
    case 'date':
      return integerWriter(2);
    case 'date32':
    case 'datetime':
    case 'ipv4':
      return integerWriter(4);
    case 'datetime64':
    case 'interval':
      return integerWriter(8);
    case 'decimal':
      return integerWriter(decimalBytes(type.precision));
    case 'float':
      return type.bits === 32 ? writeFloat32 : writeFloat64;
    case 'string':
      return writeString;
    case 'fixed_string':
      return (out, value) => out.write(value as string);
    case 'uuid':
      return writeUuid;
    case 'ipv6':
      return writeIpv6;
    default:
      return unreachable(type);
  }
}

/** RowBinary and its variants: values row by row in the layout ClickHouse uses on the wire. */
export function rowBinaryWriter(schema: readonly ColumnSchema[], header: Header): BlockWriter {
  const writers = schema.map((column) => binaryWriter(column.type));
  const out = new Output();
  return {
    contentType: 'application/octet-stream',
    streamable: true,
    start() {
      if (header === 'none') return noBytes;
      writeCount(out, schema.length);
      for (const column of schema) writeString(out, toByteString(column.name));
      if (header === 'types')
        for (const column of schema) writeString(out, toByteString(typeName(column.type)));
      return out.take();
    },
    block(block) {
      const readers = block.vectors.map(vectorReader);
      for (let row = 0; row < block.rows; row++) {
        for (const [column, write] of writers.entries()) write(out, readers[column]!(row));
      }
      return out.take();
    },
    finish: () => noBytes,
  };
}
