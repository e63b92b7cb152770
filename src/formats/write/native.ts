import { unreachable } from '../../base/index.ts';
import { type Block, type ColumnSchema, type ValueReader, vectorReader } from '../../column/index.ts';
import { clickHouseTypeName, defaultValue, type SqlType, toByteString } from '../../types/index.ts';
import type { BlockWriter } from '../block-writer.ts';
import { withoutLowCardinalityInside } from '../native-layout.ts';
import { noBytes, Output } from './output.ts';
import { binaryWriter, writeCount, writeString } from './row-binary.ts';

/** Writes the values of rows [0, rows) of a column, one after the other or part by part, as the type has it. */
function writeColumn(out: Output, type: SqlType, read: ValueReader, rows: number): void {
  switch (type.kind) {
    case 'low_cardinality':
      writeColumn(out, type.inner, read, rows);
      return;
    case 'nothing':
      for (let row = 0; row < rows; row++) out.writeByte(0);
      return;
    case 'nullable': {
      const instead = defaultValue(type.inner);
      for (let row = 0; row < rows; row++) out.writeByte(read(row) === null ? 1 : 0);
      writeColumn(out, type.inner, (row) => read(row) ?? instead, rows);
      return;
    }
    case 'array':
      writeLists(out, [type.element], (row) => [read(row) as unknown[]], rows);
      return;
    case 'map':
      writeLists(
        out,
        [type.key, type.value],
        (row) => {
          const pairs = read(row) as [unknown, unknown][];
          return [pairs.map((pair) => pair[0]), pairs.map((pair) => pair[1])];
        },
        rows,
      );
      return;
    case 'tuple':
      for (const [index, element] of type.elements.entries())
        writeColumn(out, element.type, (row) => (read(row) as unknown[])[index], rows);
      return;
    case 'bool':
    case 'int':
    case 'float':
    case 'decimal':
    case 'string':
    case 'fixed_string':
    case 'date':
    case 'date32':
    case 'datetime':
    case 'datetime64':
    case 'uuid':
    case 'ipv4':
    case 'ipv6':
    case 'enum':
    case 'interval': {
      const write = binaryWriter(type);
      for (let row = 0; row < rows; row++) write(out, read(row));
      return;
    }
    default:
      unreachable(type);
  }
}

/** Writes where each row's list ends, then the elements of all lists: one column for each of the types. */
function writeLists(
  out: Output,
  types: readonly SqlType[],
  lists: (row: number) => readonly (readonly unknown[])[],
  rows: number,
): void {
  const elements: unknown[][] = types.map(() => []);
  for (let row = 0; row < rows; row++) {
    for (const [index, list] of lists(row).entries()) for (const value of list) elements[index]!.push(value);
    out.reserve(8);
    out.view.setBigUint64(out.at, BigInt(elements[0]!.length), true);
    out.at += 8;
  }
  for (const [index, type] of types.entries())
    writeColumn(out, type, (row) => elements[index]![row], elements[index]!.length);
}

/** Writes a block: how many columns and rows, then each column with its name and its type. */
function writeBlock(out: Output, schema: readonly ColumnSchema[], block: Block): void {
  writeCount(out, schema.length);
  writeCount(out, block.rows);
  for (const [index, { name, type }] of schema.entries()) {
    writeString(out, toByteString(name));
    writeString(out, toByteString(clickHouseTypeName(withoutLowCardinalityInside(type))));
    writeColumn(out, type, vectorReader(block.vectors[index]!), block.rows);
  }
}

/** Native: blocks column by column, in the layout and with the type names of ClickHouse. */
export function nativeWriter(schema: readonly ColumnSchema[]): BlockWriter {
  const out = new Output();
  return {
    contentType: 'application/octet-stream',
    streamable: true,
    start: () => noBytes,
    block(block) {
      if (block.rows === 0) return noBytes;
      writeBlock(out, schema, block);
      return out.take();
    },
    finish: () => noBytes,
  };
}
