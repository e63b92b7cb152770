import { limits, type Settings, SluiceError } from '../../base/index.ts';
import { type Block, constantVector, sliceBlock, type Vector } from '../../column/index.ts';
import { defaultValue, fromByteString, parseType, type SqlType, typeName } from '../../types/index.ts';
import type { BlockReader, ReadBlock, ReaderColumn } from '../block-reader.ts';
import { sameLayout } from '../native-layout.ts';
import { columnsByName } from './delimited-rows.ts';
import { incomplete, NativeBytes } from './native-bytes.ts';
import { blockRowsMax, readColumn, readPrefix } from './native-column.ts';
import { type ReadOptions, readOptions } from './read-options.ts';

const columnsMax = 10_000;

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
    const bytes = new NativeBytes(whole, 0);
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

  #block(bytes: NativeBytes): ReadBlock[] {
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
