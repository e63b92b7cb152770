import { type Settings, settingsFrom } from '../../base/index.ts';
import {
  type Block,
  type ColumnSchema,
  sliceBlock,
  type ValueReader,
  vectorReader,
} from '../../column/index.ts';
import { createWriter } from '../../formats/index.ts';
import type { Message } from './batch-writer.ts';
import type { MessageSchema, ValueFormat } from './schema.ts';

const newline = 10;

/** The texts of rows, end to end: row i is bytes[ends[i - 1], ends[i]). */
interface RowTexts {
  readonly bytes: Uint8Array;
  readonly ends: readonly number[];
}

/** Formats that write every row as one line. */
const lineFormats: ReadonlySet<string> = new Set(['JSONEachRow', 'TabSeparated', 'JSONCompactEachRow']);
/** Formats whose rows may stand one behind the other as they are. */
const plainFormats: ReadonlySet<string> = new Set([...lineFormats, 'TabSeparatedRaw', 'CSV', 'Protobuf']);

/** Some rows of a block as an input of their own. */
function written(
  { name, schemas }: ValueFormat,
  columns: readonly ColumnSchema[],
  settings: Settings,
  block: Block,
): Uint8Array {
  const writer = createWriter(name, columns, settings, schemas);
  return Buffer.concat([writer.start(), writer.block(block), writer.finish({ rows: block.rows })]);
}

/** Writes each row by a format. */
function rowTexts(
  format: ValueFormat,
  columns: readonly ColumnSchema[],
  settings: Settings,
  block: Block,
): RowTexts {
  if (lineFormats.has(format.name)) {
    const bytes = written(format, columns, settings, block);
    const ends: number[] = [];
    for (let at = bytes.indexOf(newline); at >= 0; at = bytes.indexOf(newline, at + 1)) ends.push(at + 1);
    if (ends.length === block.rows) return { bytes, ends };
  }
  const parts: Uint8Array[] = [];
  const ends: number[] = [];
  let end = 0;
  for (let row = 0; row < block.rows; row++) {
    const part = written(format, columns, settings, sliceBlock(block, row, row + 1));
    parts.push(part);
    end += part.length;
    ends.push(end);
  }
  return { bytes: Buffer.concat(parts), ends };
}

/** The value of a message, and the first of its rows. */
interface MessageValue {
  readonly first: number;
  readonly bytes: Uint8Array;
}

const emptyMap: readonly never[] = [];

/** Makes messages of rows. */
export class MessageMaker {
  readonly #format: ValueFormat | null;
  readonly #fields: readonly ColumnSchema[];
  readonly #fieldPlaces: readonly number[];
  readonly #valuePlace: number;
  readonly #keyPlace: number;
  readonly #headersPlace: number;
  readonly #settings: Settings;
  /** Rows of one message: 1, or as many as fit into so many bytes. */
  readonly #bytesMax: number;

  /** `bytesMax` is 0 for one message a row. */
  constructor(schema: MessageSchema, settings: Settings, bytesMax: number) {
    const { all, virtual } = schema;
    const own = all.slice(0, all.length - virtual.length);
    const place = (role: string) => own.findIndex((column) => column.role === role);
    this.#format = schema.format;
    this.#fields = own.filter((column) => column.role === 'field');
    this.#fieldPlaces = own.flatMap((column, index) => (column.role === 'field' ? [index] : []));
    this.#valuePlace = place('value');
    this.#keyPlace = place('key');
    this.#headersPlace = place('headers');
    this.#settings = settingsFrom(schema.format?.settings ?? [], settings);
    this.#bytesMax = bytesMax;
  }

  /** The messages of a block, in the order of its rows. */
  *messages(block: Block): Iterable<Message> {
    const reader = (place: number): ValueReader | null =>
      place < 0 ? null : vectorReader(block.vectors[place]!);
    const [key, headers] = [reader(this.#keyPlace), reader(this.#headersPlace)];
    const keyOf = (row: number) => (key === null ? null : (key(row) as string | null));
    const headersOf = (row: number) =>
      headers === null ? emptyMap : ((headers(row) ?? emptyMap) as [string, string][]);
    if (this.#format === null) {
      const value = reader(this.#valuePlace)!;
      for (let row = 0; row < block.rows; row++) {
        const text = value(row) as string | null;
        const bytes = text === null ? null : Buffer.from(text, 'latin1');
        yield { key: keyOf(row), value: bytes, headers: headersOf(row) };
      }
      return;
    }
    const fields = { rows: block.rows, vectors: this.#fieldPlaces.map((place) => block.vectors[place]!) };
    // Rows with keys or headers of their own are messages of their own.
    const alone = this.#bytesMax === 0 || key !== null || headers !== null;
    for (const { first, bytes } of this.#values(this.#format, fields, alone))
      yield { key: keyOf(first), value: bytes, headers: headersOf(first) };
  }

  /** The values of messages, each with its first row. */
  *#values(format: ValueFormat, block: Block, alone: boolean): Iterable<MessageValue> {
    if (!plainFormats.has(format.name)) {
      if (!alone && format.name !== 'ProtobufSingle') yield* this.#halved(format, block, 0, block.rows);
      else for (let row = 0; row < block.rows; row++) yield* this.#halved(format, block, row, row + 1);
      return;
    }
    const { bytes, ends } = rowTexts(format, this.#fields, this.#settings, block);
    const isText = format.name !== 'Protobuf';
    for (let row = 0; row < block.rows; ) {
      const from = row === 0 ? 0 : ends[row - 1]!;
      const first = row++;
      if (!alone) while (row < block.rows && ends[row]! - from <= this.#bytesMax) row++;
      const to = ends[row - 1]!;
      const end = isText && bytes[to - 1] === newline ? to - 1 : to;
      yield { first, bytes: bytes.subarray(from, end) };
    }
  }

  /** Rows as a value of their own when it is small enough, else as those of either half. */
  *#halved(format: ValueFormat, block: Block, from: number, to: number): Iterable<MessageValue> {
    const bytes = written(format, this.#fields, this.#settings, sliceBlock(block, from, to));
    if (to - from === 1 || bytes.length <= this.#bytesMax) {
      yield { first: from, bytes };
      return;
    }
    const middle = (from + to) >>> 1;
    yield* this.#halved(format, block, from, middle);
    yield* this.#halved(format, block, middle, to);
  }
}
