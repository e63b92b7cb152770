import { type Settings, SluiceError } from '../../base/index.ts';
import { bareType, typeName } from '../../types/index.ts';
import type { BlockReader, ReaderColumn } from '../block-reader.ts';
import { BlockAssembler } from './block-assembler.ts';
import { InputCursor } from './input-cursor.ts';
import { readOptions } from './read-options.ts';
import { RowPump, type RowSource } from './row-pump.ts';
import { StringSink } from './string-sink.ts';

/** The one column that lines go to: the only one, or the only one without a DEFAULT. */
function lineColumn(format: string, columns: readonly ReaderColumn[]): number {
  const wanted = columns.length === 1 ? columns : columns.filter((column) => !column.hasDefault);
  const column = wanted[0];
  if (wanted.length !== 1 || bareType(column!.type).kind !== 'string') {
    const given = columns.map((known) => `${known.name} ${typeName(known.type)}`).join(', ');
    throw new SluiceError(
      'BAD_ARGUMENTS',
      `Format ${format} fills one column of type string, but there are: ${given}`,
    );
  }
  return columns.indexOf(column!);
}

/** Every line a row, without its line end. */
class LineRows implements RowSource {
  readonly mustBeUtf8 = false;
  readonly #assembler: BlockAssembler;
  readonly #column: number;
  readonly #sink: StringSink;
  readonly #others: readonly number[];

  constructor(assembler: BlockAssembler, column: number) {
    const sink = assembler.sinks[column];
    if (!(sink instanceof StringSink)) throw new Error('Assertion failed: lines go to a column of strings');
    this.#assembler = assembler;
    this.#column = column;
    this.#sink = sink;
    this.#others = assembler.columns.flatMap((_, index) => (index === column ? [] : [index]));
  }

  beforeEnd(cursor: InputCursor): void {
    if (cursor.pending > 0 && cursor.bytes[cursor.end - 1] !== 10) cursor.append(Buffer.from('\n'));
  }

  readRows(cursor: InputCursor, rowsMax: number): void {
    const { bytes, view } = cursor;
    const input = bytes.subarray(0, cursor.end);
    const from = cursor.row;
    cursor.column = this.#column;
    while (cursor.row < rowsMax) {
      const newline = input.indexOf(10, cursor.rowStart);
      if (newline < 0) break;
      const end = newline > cursor.rowStart && bytes[newline - 1] === 13 ? newline - 1 : newline;
      this.#sink.nulls.mask[cursor.row] = 0;
      this.#sink.putBytes(bytes, view, cursor.rowStart, end, cursor.row);
      cursor.rowStart = newline + 1;
      cursor.row++;
    }
    for (const column of this.#others) this.#assembler.omitRange(column, from, cursor.row);
  }

  skipRow(): boolean {
    return false;
  }
}

/** RawBLOB and LineAsString: each line is a row of the one string column. */
export function lineReader(
  format: string,
  columns: readonly ReaderColumn[],
  settings: Settings,
): BlockReader {
  const column = lineColumn(format, columns);
  const assembler = new BlockAssembler(columns, readOptions(settings).fillDefaults);
  return new RowPump(new InputCursor(), new LineRows(assembler, column), assembler, 0);
}
