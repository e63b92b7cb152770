import { type Settings, SluiceError } from '../../base/index.ts';
import type { BlockReader, ReaderColumn } from '../block-reader.ts';
import { BlockAssembler } from '../read/block-assembler.ts';
import { InputCursor } from '../read/input-cursor.ts';
import { type ReadOptions, readOptions } from '../read/read-options.ts';
import { RowPump, type RowSource } from '../read/row-pump.ts';
import { type ContainerHeader, readBlock, readHeader } from './container.ts';
import { fieldPlans, type RecordRows, recordRows } from './row-code.ts';

/** Records without a single byte that a block may claim to have. */
const emptyRecordsMax = 1_000_000;

/** The blocks of an object container file, whose records become rows by the names of their fields. */
class AvroRows implements RowSource {
  readonly mustBeUtf8 = false;
  readonly #assembler: BlockAssembler;
  readonly #options: ReadOptions;
  #header: ContainerHeader | null = null;
  #read: RecordRows | null = null;
  /** The schema that the code in `#read` is for: files and messages of one kind share it. */
  #schemaText = '';
  #missing: readonly number[] = [];
  /** The block being read, and how many of its records are left. */
  readonly #block = new InputCursor();
  #records = 0;

  constructor(assembler: BlockAssembler, options: ReadOptions) {
    this.#assembler = assembler;
    this.#options = options;
    this.#block.final = true;
  }

  readRows(cursor: InputCursor, rowsMax: number): void {
    cursor.column = -1;
    while (cursor.row < rowsMax) {
      if (this.#records > 0) {
        this.#readRecords(cursor, rowsMax);
        continue;
      }
      if (this.#block.at < this.#block.end)
        throw new SluiceError('INCORRECT_DATA', 'An Avro block has bytes behind its last record');
      if (cursor.pending === 0) return;
      cursor.at = cursor.rowStart;
      if (this.#header === null) this.#begin(cursor);
      else this.#openBlock(cursor, this.#header);
      cursor.rowStart = cursor.at;
    }
  }

  #begin(cursor: InputCursor): void {
    const header = readHeader(cursor);
    this.#header = header;
    if (header.schemaText !== this.#schemaText) this.#compile(header);
  }

  #compile({ schema, schemaText }: ContainerHeader): void {
    const { columns } = this.#assembler;
    if (schema.kind !== 'record')
      throw new SluiceError(
        'INCORRECT_DATA',
        `The Avro file holds values of type ${schema.kind}, not records`,
      );
    const missing = new Set(columns.keys());
    const plans = fieldPlans(schema.fields, columns, missing, [''], [schema]);
    const allowed = this.#options.settings.input_format_avro_allow_missing_fields;
    const lacking = columns.find((column, index) => missing.has(index) && !column.hasDefault && !allowed);
    if (lacking !== undefined) {
      const known = schema.fields.map((field) => field.name).join(', ');
      throw new SluiceError(
        'THERE_IS_NO_COLUMN',
        `The Avro file has no field for column '${lacking.name}', which has no DEFAULT; its fields are: ${known}. input_format_avro_allow_missing_fields=1 fills such columns`,
      );
    }
    this.#read = recordRows(plans, this.#assembler, this.#options);
    this.#missing = [...missing];
    this.#schemaText = schemaText;
  }

  #openBlock(cursor: InputCursor, header: ContainerHeader): void {
    const { records, content } = readBlock(cursor, header);
    if (records > content.length && records > emptyRecordsMax)
      throw new SluiceError(
        'INCORRECT_DATA',
        `An Avro block of ${content.length} bytes claims to have ${records} records`,
      );
    this.#block.rowStart = this.#block.end;
    this.#block.append(content);
    this.#records = records;
  }

  #readRecords(cursor: InputCursor, rowsMax: number): void {
    const block = this.#block;
    const from = cursor.row;
    const to = Math.min(rowsMax, from + this.#records);
    try {
      this.#read!(block, this.#assembler, from, to);
    } catch (thrown) {
      cursor.row = block.row;
      cursor.column = block.column;
      throw thrown;
    }
    for (const column of this.#missing) this.#assembler.omitRange(column, from, to);
    this.#records -= to - from;
    cursor.row = to;
  }

  skipRow(): boolean {
    return false;
  }

  restart(): void {
    this.#header = null;
    this.#records = 0;
    this.#block.at = this.#block.end;
  }

  end(cursor: InputCursor): void {
    cursor.column = -1;
    if (this.#header === null)
      throw new SluiceError(
        'CANNOT_READ_ALL_DATA',
        'The input is empty where an Avro container file was expected',
      );
  }
}

/** Avro: object container files. A message that is such a file is read the same way, by a reader of its own. */
export function avroReader(columns: readonly ReaderColumn[], settings: Settings): BlockReader {
  const options = readOptions(settings);
  const assembler = new BlockAssembler(columns, options.fillDefaults);
  return new RowPump(new InputCursor(), new AvroRows(assembler, options), assembler, 0);
}
