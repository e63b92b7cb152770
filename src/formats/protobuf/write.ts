import protobuf from 'protobufjs';
import { type Settings, SluiceError } from '../../base/index.ts';
import { type ColumnSchema, vectorReader } from '../../column/index.ts';
import {
  bareType,
  fromByteString,
  isNullable,
  type SqlType,
  textFormatter,
  types,
} from '../../types/index.ts';
import type { BlockWriter } from '../block-writer.ts';
import type { FormatSchemas } from '../format-schemas.ts';
import { type Converter, valueConverter } from '../read/convert-value.ts';
import { type ReadOptions, readOptions } from '../read/read-options.ts';
import { noBytes, Output } from '../write/output.ts';
import { type FieldType, type MessageType, messageType } from './schema.ts';
import { enumOf, isTimestamp, messageOf, messageTuple, scalarNamed, timestampType } from './value.ts';
import { wire } from './wire.ts';

/** Writes a value with its tag. */
type FieldWriter = (out: Output, value: unknown) => void;

function writeVarint(out: Output, value: number | bigint): void {
  out.reserve(10);
  if (typeof value === 'number' && value >= 0) {
    let rest = value;
    for (; rest >= 128; rest = Math.floor(rest / 128)) out.bytes[out.at++] = (rest % 128) | 128;
    out.bytes[out.at++] = rest;
    return;
  }
  let rest = BigInt.asUintN(64, BigInt(value));
  for (; rest >= 128n; rest >>= 7n) out.bytes[out.at++] = Number(rest & 127n) | 128;
  out.bytes[out.at++] = Number(rest);
}

function writeZigzag(out: Output, value: number | bigint): void {
  const exact = BigInt(value);
  writeVarint(out, BigInt.asUintN(64, (exact << 1n) ^ (exact >> 63n)));
}

function writeFixed32(out: Output, value: number): void {
  out.reserve(4);
  out.view.setInt32(out.at, value, true);
  out.at += 4;
}

function writeFixed64(out: Output, value: number | bigint): void {
  out.reserve(8);
  out.view.setBigInt64(out.at, BigInt(value), true);
  out.at += 8;
}

function writeText(out: Output, text: string): void {
  writeVarint(out, text.length);
  out.write(text);
}

/** Writers of scalars without their tag, for values that are canonical for the scalar's SQL type. */
function scalarWriter(type: string): FieldWriter {
  switch (type) {
    case 'double':
      return (out, value) => {
        out.reserve(8);
        out.view.setFloat64(out.at, value as number, true);
        out.at += 8;
      };
    case 'float':
      return (out, value) => {
        out.reserve(4);
        out.view.setFloat32(out.at, value as number, true);
        out.at += 4;
      };
    case 'sint32':
    case 'sint64':
      return (out, value) => writeZigzag(out, value as number | bigint);
    case 'fixed32':
    case 'sfixed32':
      return (out, value) => writeFixed32(out, value as number);
    case 'fixed64':
    case 'sfixed64':
      return (out, value) => writeFixed64(out, value as number | bigint);
    case 'string':
    case 'bytes':
      return (out, value) => writeText(out, value as string);
    default:
      return (out, value) => writeVarint(out, value as number | bigint);
  }
}

/** Makes the writers of one message type. */
class FieldWriters {
  readonly #options: ReadOptions;

  constructor(options: ReadOptions) {
    this.#options = options;
  }

  /** A writer of values of a SQL type as a field; what a reader takes for the default is left out where it can be. */
  field(field: FieldType, source: SqlType): FieldWriter {
    if (field.delimited)
      throw new SluiceError('NOT_IMPLEMENTED', `Field '${field.name}' is a group, which is not supported`);
    const bare = bareType(source);
    const write =
      field instanceof protobuf.MapField
        ? this.#map(field, bare)
        : field.repeated
          ? this.#list(field, bare)
          : this.#single(field, bare);
    if (!isNullable(source)) return write;
    return (out, value) => {
      if (value !== null) write(out, value);
      else if (field.required)
        throw new SluiceError(
          'CANNOT_INSERT_NULL_IN_ORDINARY_COLUMN',
          `NULL for the field '${field.name}', which is required`,
        );
    };
  }

  #mismatch(field: FieldType, expected: string): SluiceError {
    return new SluiceError('TYPE_MISMATCH', `Field '${field.name}' is ${expected}, and its column is not`);
  }

  #single(field: FieldType, source: SqlType): FieldWriter {
    const { convert, write, isEmpty, wireType } = this.#element(field, source);
    const tag = field.id * 8 + wireType;
    // Of fields that exclude each other, only one that says something is written.
    const leavesOut = !field.hasPresence || (field.partOf?.fieldsArray.length ?? 0) > 1;
    return (out, value) => {
      const converted = convert(value);
      if (leavesOut && isEmpty(converted)) return;
      writeVarint(out, tag);
      write(out, converted);
    };
  }

  #list(field: FieldType, source: SqlType): FieldWriter {
    if (source.kind !== 'array') throw this.#mismatch(field, 'repeated, so that it takes an array');
    const { convert, write, wireType } = this.#element(field, source.element);
    if (field.packed && wireType !== wire.delimited) {
      const packed = new Output();
      return (out, value) => {
        const values = value as readonly unknown[];
        if (values.length === 0) return;
        for (const each of values) write(packed, convert(each));
        writeVarint(out, field.id * 8 + wire.delimited);
        writePart(out, packed);
      };
    }
    return (out, value) => {
      for (const each of value as readonly unknown[]) {
        writeVarint(out, field.id * 8 + wireType);
        write(out, convert(each));
      }
    };
  }

  #map(field: FieldType & protobuf.MapField, source: SqlType): FieldWriter {
    if (source.kind !== 'map') throw this.#mismatch(field, 'a map');
    const keyScalar = scalarNamed(field.keyType)!;
    const keyConvert = valueConverter(source.key, keyScalar.type, this.#options);
    const writeKey = scalarWriter(field.keyType);
    const { convert, write, wireType } = this.#element(field, source.value);
    const entry = new Output();
    return (out, value) => {
      for (const pair of value as readonly (readonly [unknown, unknown])[]) {
        writeVarint(entry, 8 + keyScalar.wire);
        writeKey(entry, keyConvert(pair[0]));
        writeVarint(entry, 16 + wireType);
        write(entry, convert(pair[1]));
        writeVarint(out, field.id * 8 + wire.delimited);
        writePart(out, entry);
      }
    };
  }

  /** How one value of a field is converted and written. */
  #element(
    field: FieldType,
    source: SqlType,
  ): { convert: Converter; write: FieldWriter; isEmpty: (value: unknown) => boolean; wireType: number } {
    const message = messageOf(field);
    if (message !== undefined)
      return { ...this.#message(message, source), isEmpty: () => false, wireType: wire.delimited };
    const known = enumOf(field);
    if (known !== undefined) {
      return {
        convert: enumConverter(field, known, source, this.#options),
        write: scalarWriter('int32'),
        isEmpty: (value) => value === 0,
        wireType: wire.varint,
      };
    }
    const scalar = scalarNamed(field.type)!;
    return {
      convert: valueConverter(source, scalar.type, this.#options),
      write: scalarWriter(field.type),
      isEmpty: (value) => value === '' || Object.is(value, 0) || value === 0n,
      wireType: scalar.wire,
    };
  }

  #message(message: MessageType, source: SqlType): { convert: Converter; write: FieldWriter } {
    const part = new Output();
    if (isTimestamp(message)) {
      return {
        convert: valueConverter(source, timestampType, this.#options),
        write: (out, value) => {
          const ticks = BigInt(value as number | bigint);
          const nanos = ((ticks % 1_000_000_000n) + 1_000_000_000n) % 1_000_000_000n;
          writeVarint(part, 8);
          writeVarint(part, (ticks - nanos) / 1_000_000_000n);
          writeVarint(part, 16);
          writeVarint(part, nanos);
          writePart(out, part);
        },
      };
    }
    const target = messageTuple(message, []);
    const bare = bareType(source);
    if (bare.kind !== 'tuple' || target.kind !== 'tuple')
      throw new SluiceError(
        'TYPE_MISMATCH',
        `The message ${message.name} is written from a tuple with the names of its fields`,
      );
    const isNamed = bare.elements.every((element) => element.name !== '');
    const writers = bare.elements.map((element, index) => {
      const field = isNamed ? message.fields[element.name] : message.fieldsArray[index];
      if (field === undefined)
        throw new SluiceError(
          'THERE_IS_NO_COLUMN',
          `The message ${message.name} has no field '${element.name}'`,
        );
      return this.field(field, element.type);
    });
    return {
      convert: (value) => value,
      write: (out, value) => {
        for (const [index, write] of writers.entries()) write(part, (value as unknown[])[index]);
        writePart(out, part);
      },
    };
  }
}

/** Writes what another output holds, with its length before it. */
function writePart(out: Output, part: Output): void {
  const bytes = part.take();
  writeVarint(out, bytes.length);
  out.writeBytes(bytes, 0, bytes.length);
}

/** Enums are matched by name, numbers are taken as they are. */
function enumConverter(
  field: FieldType,
  known: protobuf.Enum,
  source: SqlType,
  options: ReadOptions,
): Converter {
  const bare = bareType(source);
  if (bare.kind === 'int' || bare.kind === 'bool') return valueConverter(source, types.int32, options);
  const name = textFormatter(bare, options.text);
  return (value) => {
    const number = known.values[fromByteString(name(value))];
    if (number !== undefined) return number;
    const names = Object.keys(known.values).join(', ');
    throw new SluiceError(
      'UNKNOWN_ELEMENT_OF_ENUM',
      `The enum of field '${field.name}' has no value '${fromByteString(name(value))}': it has ${names}`,
    );
  };
}

interface ColumnWriter {
  readonly column: number;
  readonly write: FieldWriter;
}

/** A message made of columns: those of its own fields, and messages inside it with columns named `message.field` or `message_field`. */
interface MessagePlan {
  readonly columns: ColumnWriter[];
  readonly messages: { readonly tag: number; readonly plan: MessagePlan; readonly part: Output }[];
}

function messagePlan(
  message: MessageType,
  schema: readonly ColumnSchema[],
  left: Set<number>,
  writers: FieldWriters,
  prefixes: readonly string[] = [''],
  outer: readonly MessageType[] = [],
): MessagePlan {
  const plan: MessagePlan = { columns: [], messages: [] };
  for (const field of message.fieldsArray) {
    const names = prefixes.map((prefix) => prefix + field.name);
    const column = schema.findIndex((each, index) => left.has(index) && names.includes(each.name));
    if (column >= 0) {
      left.delete(column);
      plan.columns.push({ column, write: writers.field(field, schema[column]!.type) });
      continue;
    }
    const inner = messageOf(field);
    if (inner !== undefined && !field.repeated && !field.map && !outer.includes(inner)) {
      const paths = names.flatMap((name) => [`${name}.`, `${name}_`]);
      const below = messagePlan(inner, schema, left, writers, paths, [...outer, message]);
      if (below.columns.length + below.messages.length > 0) {
        plan.messages.push({ tag: field.id * 8 + wire.delimited, plan: below, part: new Output() });
        continue;
      }
    }
    if (field.required)
      throw new SluiceError(
        'THERE_IS_NO_COLUMN',
        `There is no column for the field '${names[0]}', which is required`,
      );
  }
  return plan;
}

function writeMessage(out: Output, plan: MessagePlan, values: readonly unknown[]): void {
  for (const { column, write } of plan.columns) write(out, values[column]);
  for (const { tag, plan: below, part } of plan.messages) {
    writeMessage(part, below, values);
    writeVarint(out, tag);
    writePart(out, part);
  }
}

/** Protobuf, each message with its length before it, and ProtobufSingle, a single message without. */
export function protobufWriter(
  schema: readonly ColumnSchema[],
  settings: Settings,
  schemas: FormatSchemas,
  single: boolean,
): BlockWriter {
  const message = messageType(settings, schemas);
  const left = new Set(schema.keys());
  const plan = messagePlan(message, schema, left, new FieldWriters(readOptions(settings)));
  const [lacking] = left;
  if (lacking !== undefined) {
    const known = message.fieldsArray.map((field) => field.name).join(', ');
    throw new SluiceError(
      'THERE_IS_NO_COLUMN',
      `The message ${message.name} has no field for the column '${schema[lacking]!.name}': its fields are ${known}`,
    );
  }
  const out = new Output();
  const part = new Output();
  let written = 0;
  return {
    contentType: 'application/octet-stream',
    streamable: !single,
    start: () => noBytes,
    block(block) {
      const readers = block.vectors.map(vectorReader);
      for (let row = 0; row < block.rows; row++) {
        if (single && ++written > 1)
          throw new SluiceError(
            'BAD_ARGUMENTS',
            'ProtobufSingle holds one message, and the result has more rows: use Protobuf',
          );
        const values = readers.map((read) => read(row));
        if (single) {
          writeMessage(out, plan, values);
          continue;
        }
        writeMessage(part, plan, values);
        writePart(out, part);
      }
      return out.take();
    },
    finish: () => noBytes,
  };
}
