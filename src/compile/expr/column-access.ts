import { type Code, js } from '../../code/index.ts';
import { type Vector, vectorReader } from '../../column/index.ts';
import { canonicalBigInt } from '../../runtime/index.ts';
import { bareType, type SqlType } from '../../types/index.ts';
import type { RowOperand } from './frame.ts';
import { typeBounds } from './operands.ts';
import type { RowCompiler } from './row-compiler.ts';

/** The bytes of a string column's row, for code that works on them without making a string. */
export interface BytesAccess {
  /** A Uint8Array (a Buffer). */
  readonly data: Code;
  readonly start: Code;
  readonly end: Code;
}

/** A column of the rows that a pipeline runs over, and how generated code reads it. */
export interface ColumnAccess {
  readonly type: SqlType;
  /** The vector's name in the generated code, and the row it is read at. */
  readonly vector: Code;
  readonly row: Code;
  /** A vector of the shape that the code is made for. */
  readonly sample: Vector;
}

const kindBounds: Record<string, readonly [number, number]> = {
  i8: [-128, 127],
  u8: [0, 255],
  i16: [-32768, 32767],
  u16: [0, 65535],
  i32: [-2147483648, 2147483647],
  u32: [0, 4294967295],
};

function flatBounds(sample: Vector & { kind: 'flat' }, type: SqlType): readonly [number, number] | undefined {
  if (bareType(type).kind === 'float') return undefined;
  const narrow = kindBounds[sample.array];
  if (narrow !== undefined) return narrow;
  // The magnitude class is part of the vector's shape, so this holds for every vector that the code runs on.
  const small =
    sample.min !== undefined &&
    sample.max !== undefined &&
    Math.max(Math.abs(sample.min), Math.abs(sample.max)) < 2 ** 36;
  const most = small ? 2 ** 36 - 1 : Number.MAX_SAFE_INTEGER;
  return [-most, most];
}

/** Emits the load of a column's value in the current row. */
export function loadColumn(compiler: RowCompiler, access: ColumnAccess): RowOperand {
  const { sample, vector, row, type } = access;
  const mask = sample.nulls === null ? null : compiler.perBlock(js`${vector}.nulls`, 'nulls');
  const isNull = mask === null ? null : compiler.constant('isNull', js`${mask}[${row}] === 1`);
  switch (sample.kind) {
    case 'flat': {
      const data = compiler.perBlock(js`${vector}.data`, 'data');
      return {
        type,
        isNull,
        code: compiler.constant('x', js`${data}[${row}]`),
        bounds: flatBounds(sample, type) ?? typeBounds(type),
      };
    }
    case 'big': {
      const data = compiler.perBlock(js`${vector}.data`, 'data');
      const canonical = compiler.bind(canonicalBigInt, 'canonical');
      return {
        type,
        isNull,
        code: compiler.constant('x', js`${canonical}(${data}[${row}])`),
        bounds: undefined,
      };
    }
    case 'dictionary': {
      const identity = compiler.perBlock(js`${vector}.dictionary`, 'dictionary');
      const codes = compiler.perBlock(js`${vector}.codes`, 'codes');
      const strings = compiler.perBlock(js`${identity}.strings`, 'strings');
      const code = compiler.constant('code', js`${codes}[${row}]`);
      const dictionary = { code, size: js`${identity}.size`, identity, strings };
      return { type, isNull, code: js`${strings}[${code}]`, bounds: undefined, dictionary };
    }
    case 'bytes': {
      const bytes = bytesOf(compiler, access)!;
      return {
        type,
        isNull,
        code: compiler.constant('text', js`${bytes.data}.latin1Slice(${bytes.start}, ${bytes.end})`),
        bounds: undefined,
      };
    }
    case 'wide':
    case 'array':
    case 'tuple': {
      const read = compiler.perBlock(js`${compiler.bind(vectorReader, 'vectorReader')}(${vector})`, 'read');
      const value = compiler.constant('value', js`${read}(${row})`);
      if (isNull === null) return { type, isNull, code: value, bounds: undefined };
      return {
        type,
        isNull,
        code: compiler.constant('value', js`${isNull} ? ${compiler.defaultCode(type)} : ${value}`),
        bounds: undefined,
      };
    }
  }
}

function asBuffer(data: Uint8Array): Buffer {
  return Buffer.from(data.buffer, data.byteOffset, data.byteLength);
}

/** The bytes of a string column's row; undefined for columns that are not strings. */
export function bytesOf(compiler: RowCompiler, access: ColumnAccess): BytesAccess | undefined {
  const { sample, vector, row } = access;
  const wrap = compiler.bind(asBuffer, 'asBuffer');
  if (sample.kind === 'bytes') {
    const data = compiler.perBlock(js`${wrap}(${vector}.data)`, 'bytes');
    const offsets = compiler.perBlock(js`${vector}.offsets`, 'offsets');
    return { data, start: js`${offsets}[${row}]`, end: js`${offsets}[${row} + 1]` };
  }
  if (sample.kind !== 'dictionary') return undefined;
  const packed = compiler.perBlock(js`${vector}.dictionary.packed`, 'packed');
  const data = compiler.perBlock(js`${wrap}(${packed}.data)`, 'bytes');
  const offsets = compiler.perBlock(js`${packed}.offsets`, 'offsets');
  const codes = compiler.perBlock(js`${vector}.codes`, 'codes');
  return { data, start: js`${offsets}[${codes}[${row}]]`, end: js`${offsets}[${codes}[${row}] + 1]` };
}
