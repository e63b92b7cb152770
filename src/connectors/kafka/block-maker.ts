import { limits, type Settings, SluiceError, settingsFrom, toSluiceError } from '../../base/index.ts';
import {
  type Block,
  columnBuilder,
  concatBlocks,
  flatFromDoubles,
  gatherVector,
  type Vector,
} from '../../column/index.ts';
import { type BlockReader, createReader, type ReadBlock, type ReaderColumn } from '../../formats/index.ts';
import { isNullable } from '../../types/index.ts';
import type { RecordCursor } from './record-batches.ts';
import type { MessageSchema, ValueFormat } from './schema.ts';

/** Bytes of values after which a block is full. */
const blockBytesMax = 8 * 1024 * 1024;

/** Gathers one column of messages. */
interface MessageColumn {
  add(record: RecordCursor, partition: number): void;
  finish(messages: number): Vector;
}

function nullMask(nulls: readonly number[], rows: number): Uint8Array | null {
  if (nulls.length === 0) return null;
  const mask = new Uint8Array(rows);
  for (const row of nulls) mask[row] = 1;
  return mask;
}

/** Whole values, copied end to end. */
class ValueColumn implements MessageColumn {
  readonly #nullable: boolean;
  #data = Buffer.allocUnsafeSlow(65_536);
  #offsets = new Uint32Array(1025);
  #nulls: number[] = [];
  #rows = 0;

  constructor(isNullable: boolean) {
    this.#nullable = isNullable;
  }

  add(record: RecordCursor): void {
    const row = this.#rows++;
    const from = this.#offsets[row]!;
    if (row + 2 > this.#offsets.length) {
      const larger = new Uint32Array(this.#offsets.length * 2);
      larger.set(this.#offsets);
      this.#offsets = larger;
    }
    const { bytes, valueStart, valueLength } = record;
    if (valueLength < 0 && this.#nullable) this.#nulls.push(row);
    const to = from + Math.max(0, valueLength);
    if (to > this.#data.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(to, this.#data.length * 2));
      this.#data.copy(larger, 0, 0, from);
      this.#data = larger;
    }
    if (valueLength > 0) bytes.copy(this.#data, from, valueStart, valueStart + valueLength);
    this.#offsets[row + 1] = to;
  }

  finish(rows: number): Vector {
    const offsets = this.#offsets.slice(0, rows + 1);
    const data = new Uint8Array(this.#data.buffer, 0, offsets[rows]!);
    const vector = {
      kind: 'bytes' as const,
      length: rows,
      nulls: nullMask(this.#nulls, rows),
      offsets,
      data,
    };
    // The bytes belong to the block now; the next one is likely to be as large.
    this.#data = Buffer.allocUnsafeSlow(Math.max(65_536, offsets[rows]!));
    this.#nulls = [];
    this.#rows = 0;
    return vector;
  }
}

/** Numbers that every message has. */
class NumberColumn implements MessageColumn {
  readonly #type: Parameters<typeof flatFromDoubles>[1];
  readonly #value: (record: RecordCursor, partition: number) => number;
  #data = new Float64Array(1024);
  #rows = 0;

  constructor(
    type: Parameters<typeof flatFromDoubles>[1],
    value: (record: RecordCursor, partition: number) => number,
  ) {
    this.#type = type;
    this.#value = value;
  }

  add(record: RecordCursor, partition: number): void {
    if (this.#rows === this.#data.length) {
      const larger = new Float64Array(this.#rows * 2);
      larger.set(this.#data);
      this.#data = larger;
    }
    this.#data[this.#rows++] = this.#value(record, partition);
  }

  finish(rows: number): Vector {
    this.#rows = 0;
    return flatFromDoubles(this.#data.subarray(0, rows), this.#type, null);
  }
}

function builtColumn(
  type: Parameters<typeof columnBuilder>[0],
  value: (record: RecordCursor) => unknown,
): MessageColumn {
  const builder = columnBuilder(type);
  return { add: (record) => builder.append(value(record)), finish: () => builder.finish() };
}

function messageColumn(column: MessageSchema['all'][number]): MessageColumn | null {
  const { type, role } = column;
  switch (role) {
    case 'value':
      return new ValueColumn(isNullable(type));
    case 'field':
      return null;
    case 'key':
      return builtColumn(type, isNullable(type) ? (record) => record.key : (record) => record.key ?? '');
    case 'headers':
      return builtColumn(type, (record) => record.headers);
    case 'time':
      return new NumberColumn(type, (record) => record.timestamp);
    case 'partition':
      return new NumberColumn(type, (_, partition) => partition);
    case 'offset':
      return new NumberColumn(type, (record) => record.offset);
  }
}

/** Reads values by a format, message by message. */
class FieldReader {
  readonly #make: () => BlockReader;
  readonly #columns: readonly ReaderColumn[];
  #reader: BlockReader;
  #blocks: ReadBlock[] = [];

  constructor({ name, schemas }: ValueFormat, columns: readonly ReaderColumn[], settings: Settings) {
    this.#columns = columns;
    this.#make = () => createReader(name, columns, settings, { schemas });
    this.#reader = this.#make();
  }

  /** The number of rows in a value. */
  message(bytes: Uint8Array): number {
    if (this.#reader.message !== undefined) return this.#reader.message(bytes);
    const reader = this.#make();
    const blocks = [...reader.push(bytes), ...reader.finish()];
    this.#blocks.push(...blocks);
    return blocks.reduce((rows, { block }) => rows + block.rows, 0);
  }

  finish(): Vector[] {
    const blocks = this.#reader.message === undefined ? this.#blocks : this.#reader.finish();
    this.#blocks = [];
    const types = this.#columns.map(({ type }) => type);
    if (blocks.length === 1) return [...blocks[0]!.block.vectors];
    if (blocks.length === 0) return types.map((type) => columnBuilder(type).finish());
    return [
      ...concatBlocks(
        blocks.map(({ block }) => block),
        types,
      ).vectors,
    ];
  }
}

/** Formats whose fields are found by name, so that a reader needs only the wanted ones. */
const namedFields: ReadonlySet<string> = new Set(['JSONEachRow', 'Avro', 'Protobuf', 'ProtobufSingle']);

/** Makes blocks of messages. A message that cannot be read leaves nothing in them. */
export class BlockMaker {
  readonly #wanted: readonly (MessageColumn | null)[];
  /** For each wanted column, the place of its field in what the format reads; -1 for others. */
  readonly #fieldPlaces: readonly number[];
  readonly #fields: FieldReader | null = null;
  /** For each row, the message that it is of, when some message had not exactly one. */
  #messageOf: number[] | null = null;
  #messages = 0;
  #rows = 0;
  #bytes = 0;

  /** `columns` are places in `schema.all`. */
  constructor(schema: MessageSchema, columns: readonly number[], settings: Settings) {
    const wanted = columns.map((place) => schema.all[place]!);
    this.#wanted = wanted.map(messageColumn);
    const { format } = schema;
    const defined = schema.all.filter((column) => column.role === 'field');
    let fields = defined;
    if (format !== null && namedFields.has(format.name)) {
      fields = defined.filter((column) => wanted.includes(column));
      // The number of rows is known only when something of them is read.
      if (fields.length === 0) fields = defined.slice(0, 1);
    }
    this.#fieldPlaces = wanted.map((column) => fields.indexOf(column));
    if (format === null) return;
    const own = settingsFrom(
      // Messages are made by others, who add fields; and those that cannot be read are dealt with here.
      [['input_format_skip_unknown_fields', '1'], ['input_format_allow_errors_num', '0'], ...format.settings],
      settings,
    );
    const readerColumns = fields.map(({ name, type }) => ({ name, type, hasDefault: false }));
    this.#fields = new FieldReader(format, readerColumns, own);
  }

  get rows(): number {
    return this.#rows;
  }

  get isFull(): boolean {
    return (
      this.#rows >= limits.block_rows_max / 2 ||
      this.#messages >= limits.block_rows_max ||
      this.#bytes >= blockBytesMax
    );
  }

  /** Takes the message that the cursor stands at. Throws SluiceError when its value cannot be read. */
  add(record: RecordCursor, partition: number): void {
    let rows = 1;
    if (this.#fields !== null) {
      const { bytes, valueStart, valueLength } = record;
      // A message without a value takes back what an earlier one of its key said: it has no rows.
      rows = valueLength < 0 ? 0 : this.#fields.message(bytes.subarray(valueStart, valueStart + valueLength));
      if (rows !== 1) this.#messageOf ??= Array.from({ length: this.#rows }, (_, row) => row);
    }
    if (this.#messageOf !== null) for (let row = 0; row < rows; row++) this.#messageOf.push(this.#messages);
    for (const column of this.#wanted) column?.add(record, partition);
    this.#messages++;
    this.#rows += rows;
    this.#bytes += Math.max(0, record.valueLength);
  }

  /** The rows so far, in blocks of at most 65,536. */
  finish(): Block {
    const [rows, messages, messageOf] = [this.#rows, this.#messages, this.#messageOf];
    const fields = this.#fields?.finish() ?? [];
    const vectors = this.#wanted.map((column, index) => {
      if (column === null) return fields[this.#fieldPlaces[index]!]!;
      const vector = column.finish(messages);
      return messageOf === null ? vector : gatherVector(vector, messageOf);
    });
    this.#messageOf = null;
    this.#messages = 0;
    this.#rows = 0;
    this.#bytes = 0;
    return { rows, vectors };
  }
}

/** The error of a message that cannot be read, with its place. */
export function unreadable(thrown: unknown, topic: string, partition: number, offset: number): SluiceError {
  const error = toSluiceError(thrown);
  return new SluiceError(
    error.errorName,
    `Kafka topic '${topic}', partition ${partition}, offset ${offset}: ${error.message}`,
    { cause: thrown },
  );
}
