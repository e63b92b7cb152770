import { limits, type Settings, SluiceError } from '../../base/index.ts';
import type { BlockReader, ReaderColumn, ReaderOptions } from '../block-reader.ts';
import { noSchemas } from '../format-schemas.ts';
import { BlockAssembler } from '../read/block-assembler.ts';
import { InputCursor } from '../read/input-cursor.ts';
import { readOptions } from '../read/read-options.ts';
import { RowPump, type RowSource } from '../read/row-pump.ts';
import { fieldPlans, messageReader, type ReadMessage } from './row-code.ts';
import { type MessageType, messageType } from './schema.ts';
import { MessageCursor } from './wire.ts';

/** Messages that become rows by the names of their fields. */
abstract class MessageRows implements RowSource {
  readonly mustBeUtf8 = false;
  readonly #assembler: BlockAssembler;
  readonly #read: ReadMessage;
  readonly #missing: readonly number[];
  readonly #message = new MessageCursor();

  constructor(assembler: BlockAssembler, read: ReadMessage, missing: readonly number[]) {
    this.#assembler = assembler;
    this.#read = read;
    this.#missing = missing;
  }

  abstract readRows(cursor: InputCursor, rowsMax: number): void;

  /** Reads the message in these bytes into the next row. */
  protected readMessage(cursor: InputCursor, start: number, end: number): void {
    const message = this.#message;
    message.bytes = cursor.bytes;
    message.view = cursor.view;
    message.at = start;
    message.end = end;
    message.column = -1;
    try {
      this.#read(message, this.#assembler, cursor.row);
    } catch (thrown) {
      cursor.column = message.column;
      throw thrown;
    }
    for (const column of this.#missing) this.#assembler.omit(column, cursor.row);
    cursor.row++;
    cursor.rowStart = end;
  }

  skipRow(): boolean {
    return false;
  }
}

/** Messages one after the other, each with its length before it. */
class DelimitedMessages extends MessageRows {
  override readRows(cursor: InputCursor, rowsMax: number): void {
    cursor.column = -1;
    while (cursor.row < rowsMax && cursor.rowStart < cursor.end) {
      let at = cursor.rowStart;
      let length = 0;
      for (let scale = 1; ; scale *= 128) {
        if (at >= cursor.end) cursor.unexpected(at, 'the length of a message');
        const byte = cursor.bytes[at++]!;
        length += (byte & 127) * scale;
        if (byte < 128) break;
        if (scale > 2 ** 35)
          throw new SluiceError('INCORRECT_DATA', 'The length of a message takes too many bytes');
      }
      if (length > limits.cell_bytes_max)
        throw new SluiceError('TOO_LARGE_STRING_SIZE', `A message claims to have ${length} bytes`);
      if (at + length > cursor.end) cursor.unexpected(cursor.end, `the rest of a message of ${length} bytes`);
      this.readMessage(cursor, at, at + length);
    }
  }
}

/** One message that is all of the input; no bytes at all are a message without fields. */
class SingleMessage extends MessageRows {
  #isRead = false;

  override readRows(cursor: InputCursor, rowsMax: number): void {
    cursor.column = -1;
    if (this.#isRead || cursor.row >= rowsMax) return;
    if (!cursor.final) {
      if (cursor.pending > 0) cursor.needMore();
      return;
    }
    this.#isRead = true;
    this.readMessage(cursor, cursor.rowStart, cursor.end);
  }

  restart(): void {
    this.#isRead = false;
  }
}

function plansFor(message: MessageType, columns: readonly ReaderColumn[]) {
  const missing = new Set(columns.keys());
  const plans = fieldPlans(message, columns, missing);
  const lacking = columns.find((column, index) => missing.has(index) && !column.hasDefault);
  if (lacking !== undefined) {
    const known = message.fieldsArray.map((field) => field.name).join(', ');
    throw new SluiceError(
      'THERE_IS_NO_COLUMN',
      `The message ${message.name} has no field for column '${lacking.name}', which has no DEFAULT; its fields are: ${known}`,
    );
  }
  return { plans, missing: [...missing] };
}

/**
 * Protobuf and ProtobufSingle. A message of a broker is read by ProtobufSingle when it is one Protobuf message, by Protobuf when
 * it holds several with their lengths.
 */
export function protobufReader(
  columns: readonly ReaderColumn[],
  settings: Settings,
  { schemas = noSchemas }: ReaderOptions,
  single: boolean,
): BlockReader {
  const options = readOptions(settings);
  const assembler = new BlockAssembler(columns, options.fillDefaults);
  const { plans, missing } = plansFor(messageType(settings, schemas), columns);
  const read = messageReader(plans, assembler, options);
  const rows = single
    ? new SingleMessage(assembler, read, missing)
    : new DelimitedMessages(assembler, read, missing);
  return new RowPump(new InputCursor(), rows, assembler, 0);
}
