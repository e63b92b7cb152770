import protobuf from 'protobufjs';
import { SluiceError } from '../../base/index.ts';
import {
  bareType,
  canonicalInteger,
  defaultValue,
  fromByteString,
  type SqlType,
  toByteString,
  types,
} from '../../types/index.ts';
import { type Converter, valueConverter } from '../read/convert-value.ts';
import type { ReadOptions } from '../read/read-options.ts';
import type { FieldType, MessageType } from './schema.ts';
import {
  type MessageCursor,
  readBool,
  readDouble,
  readFixed32,
  readFixed64,
  readFloat,
  readInt32,
  readInt64,
  readLength,
  readSfixed32,
  readSfixed64,
  readSint32,
  readSint64,
  readString,
  readUint32,
  readUint64,
  skipField,
  wire,
} from './wire.ts';

/** How the values of a scalar type are written, and the SQL type that holds them all. */
export interface Scalar {
  readonly wire: 0 | 1 | 2 | 5;
  readonly type: SqlType;
  readonly read: (cursor: MessageCursor) => unknown;
}

const scalars: Readonly<Record<string, Scalar>> = {
  double: { wire: wire.fixed64, type: types.float64, read: readDouble },
  float: { wire: wire.fixed32, type: types.float32, read: readFloat },
  int32: { wire: wire.varint, type: types.int32, read: readInt32 },
  int64: { wire: wire.varint, type: types.int64, read: readInt64 },
  uint32: { wire: wire.varint, type: types.uint32, read: readUint32 },
  uint64: { wire: wire.varint, type: types.uint64, read: readUint64 },
  sint32: { wire: wire.varint, type: types.int32, read: readSint32 },
  sint64: { wire: wire.varint, type: types.int64, read: readSint64 },
  fixed32: { wire: wire.fixed32, type: types.uint32, read: readFixed32 },
  fixed64: { wire: wire.fixed64, type: types.uint64, read: readFixed64 },
  sfixed32: { wire: wire.fixed32, type: types.int32, read: readSfixed32 },
  sfixed64: { wire: wire.fixed64, type: types.int64, read: readSfixed64 },
  bool: { wire: wire.varint, type: types.bool, read: readBool },
  string: { wire: wire.delimited, type: types.string, read: readString },
  bytes: { wire: wire.delimited, type: types.string, read: readString },
};

export function scalarNamed(name: string): Scalar | undefined {
  return Object.hasOwn(scalars, name) ? scalars[name] : undefined;
}

/** A moment of nanoseconds, which is what Google's Timestamp message is. */
export const timestampType: SqlType = { kind: 'datetime64', precision: 9, timezone: 'UTC' };

export function isTimestamp(type: MessageType): boolean {
  return type.fullName === '.google.protobuf.Timestamp';
}

/** The message type of a field; undefined for scalars and enums. */
export function messageOf(field: FieldType): MessageType | undefined {
  return field.resolvedType instanceof protobuf.Type ? field.resolvedType : undefined;
}

export function enumOf(field: FieldType): protobuf.Enum | undefined {
  return field.resolvedType instanceof protobuf.Enum ? field.resolvedType : undefined;
}

/** The SQL type of one value of a field; messages inside themselves are JSON. */
export function elementType(field: FieldType, outer: readonly MessageType[]): SqlType {
  const message = messageOf(field);
  if (message === undefined) return scalarNamed(field.type)?.type ?? types.string;
  if (isTimestamp(message)) return timestampType;
  if (outer.includes(message) || message.fieldsArray.length === 0) return types.string;
  return messageTuple(message, outer);
}

/** A message as a tuple of its fields. */
export function messageTuple(message: MessageType, outer: readonly MessageType[]): SqlType {
  const inside = [...outer, message];
  return {
    kind: 'tuple',
    elements: message.fieldsArray.map((field) => ({ name: field.name, type: fieldSqlType(field, inside) })),
  };
}

/** The SQL type of a whole field: an array when it is repeated, a map when it is one. */
export function fieldSqlType(field: FieldType, outer: readonly MessageType[]): SqlType {
  const element = elementType(field, outer);
  if (field instanceof protobuf.MapField)
    return { kind: 'map', key: scalarNamed(field.keyType)!.type, value: element };
  return field.repeated ? { kind: 'array', element } : element;
}

/** Adds the value at the cursor to what a field has so far; `tag` says how it is written. */
export type FieldReader = (cursor: MessageCursor, tag: number, before: unknown) => unknown;

function wrongWire(field: FieldType, tag: number): SluiceError {
  return new SluiceError(
    'INCORRECT_DATA',
    `Field '${field.name}' has the wire type ${tag & 7}, which is not that of ${field.type}: the message has another schema`,
  );
}

/** Runs a function inside a message that stands at the cursor with its length. */
export function within<Result>(cursor: MessageCursor, read: () => Result): Result {
  const length = readLength(cursor);
  const outer = cursor.end;
  const end = cursor.at + length;
  cursor.end = end;
  const result = read();
  if (cursor.at !== end) cursor.fail();
  cursor.end = outer;
  return result;
}

function readTimestamp(cursor: MessageCursor): number | bigint {
  return within(cursor, () => {
    let seconds = 0n;
    let nanos = 0n;
    while (cursor.at < cursor.end) {
      const tag = readUint32(cursor);
      if (tag === 8) seconds = BigInt(readInt64(cursor));
      else if (tag === 16) nanos = BigInt(readInt32(cursor));
      else skipField(cursor, tag);
    }
    return canonicalInteger(seconds * 1_000_000_000n + nanos);
  });
}

/** Makes the readers of one schema; their values are canonical for fieldSqlType. */
export class FieldReaders {
  readonly #options: ReadOptions;
  readonly #recursive = new Map<MessageType, (cursor: MessageCursor) => string>();

  constructor(options: ReadOptions) {
    this.#options = options;
  }

  field(field: FieldType, outer: readonly MessageType[]): FieldReader {
    if (field.delimited) {
      return () => {
        throw new SluiceError('NOT_IMPLEMENTED', `Field '${field.name}' is a group, which is not supported`);
      };
    }
    if (field instanceof protobuf.MapField) return this.#map(field, outer);
    const { wireType, read } = this.#element(field, outer);
    if (!field.repeated) {
      return (cursor, tag, before) => {
        if ((tag & 7) !== wireType) throw wrongWire(field, tag);
        return read(cursor, before);
      };
    }
    return (cursor, tag, before) => {
      const values = (before ?? []) as unknown[];
      if ((tag & 7) === wireType) values.push(read(cursor, undefined));
      else if ((tag & 7) === wire.delimited) {
        within(cursor, () => {
          while (cursor.at < cursor.end) values.push(read(cursor, undefined));
        });
      } else throw wrongWire(field, tag);
      return values;
    };
  }

  #element(
    field: FieldType,
    outer: readonly MessageType[],
  ): { wireType: number; read: (cursor: MessageCursor, before: unknown) => unknown } {
    const message = messageOf(field);
    if (message !== undefined) return { wireType: wire.delimited, read: this.#message(message, outer) };
    const known = enumOf(field);
    if (known !== undefined) {
      const { valuesById } = known;
      // Numbers that the schema does not know are kept as they are.
      return {
        wireType: wire.varint,
        read: (cursor) => {
          const number = readInt32(cursor);
          return toByteString(valuesById[number] ?? String(number));
        },
      };
    }
    const scalar = scalarNamed(field.type)!;
    return { wireType: scalar.wire, read: scalar.read };
  }

  #message(
    message: MessageType,
    outer: readonly MessageType[],
  ): (cursor: MessageCursor, before: unknown) => unknown {
    if (isTimestamp(message)) return readTimestamp;
    if (message.fieldsArray.length === 0) {
      return (cursor) => {
        cursor.take(readLength(cursor));
        return '{}';
      };
    }
    if (!outer.includes(message)) return this.#tuple(message, outer);
    return (cursor) => {
      let read = this.#recursive.get(message);
      if (read === undefined) {
        const values = this.#tuple(message, []);
        const format = valueConverter(messageTuple(message, []), types.string, this.#options);
        read = (inner) => format(values(inner, undefined)) as string;
        this.#recursive.set(message, read);
      }
      return read(cursor);
    };
  }

  #tuple(
    message: MessageType,
    outer: readonly MessageType[],
  ): (cursor: MessageCursor, before: unknown) => unknown {
    const inside = [...outer, message];
    const fields = message.fieldsArray;
    const places = new Map(fields.map((field, place) => [field.id, place]));
    const readers = fields.map((field) => this.field(field, inside));
    const empty = fields.map((field) => emptyValue(field, inside));
    return (cursor, before) => {
      // A message that comes in parts is put together.
      const values = (before as unknown[] | undefined) ?? empty.map(() => undefined);
      within(cursor, () => {
        while (cursor.at < cursor.end) {
          const tag = readUint32(cursor);
          const place = places.get(tag >>> 3);
          if (place === undefined) skipField(cursor, tag);
          else values[place] = readers[place]!(cursor, tag, values[place]);
        }
      });
      return values.map((value, place) => (value === undefined ? empty[place] : value));
    };
  }

  #map(field: FieldType & protobuf.MapField, outer: readonly MessageType[]): FieldReader {
    const key = scalarNamed(field.keyType)!;
    const { wireType, read } = this.#element(field, outer);
    const emptyKey = defaultValue(key.type);
    const emptyItem = emptyElement(field, outer);
    return (cursor, tag, before) => {
      if ((tag & 7) !== wire.delimited) throw wrongWire(field, tag);
      const pairs = (before ?? []) as [unknown, unknown][];
      const places = placesOf(pairs);
      const pair: [unknown, unknown] = [emptyKey, emptyItem];
      within(cursor, () => {
        while (cursor.at < cursor.end) {
          const inner = readUint32(cursor);
          if (inner >>> 3 === 1 && (inner & 7) === key.wire) pair[0] = key.read(cursor);
          else if (inner >>> 3 === 2 && (inner & 7) === wireType) pair[1] = read(cursor, undefined);
          else skipField(cursor, inner);
        }
      });
      const known = places.get(pair[0]);
      if (known === undefined) places.set(pair[0], pairs.push(pair) - 1);
      else pairs[known] = pair;
      return pairs;
    };
  }
}

/** Where each key stands in a map that is being read: the last value of a key counts. */
const keyPlaces = new WeakMap<readonly unknown[], Map<unknown, number>>();

function placesOf(pairs: readonly unknown[]): Map<unknown, number> {
  let places = keyPlaces.get(pairs);
  if (places === undefined) {
    places = new Map();
    keyPlaces.set(pairs, places);
  }
  return places;
}

/** What a message that leaves out a field says about it. */
function emptyElement(field: FieldType, outer: readonly MessageType[]): unknown {
  const known = enumOf(field);
  if (known !== undefined) return toByteString(known.valuesById[0] ?? Object.keys(known.values)[0]!);
  return defaultValue(elementType(field, outer));
}

function emptyValue(field: FieldType, outer: readonly MessageType[]): unknown {
  if (field.repeated || field.map) return [];
  return emptyElement(field, outer);
}

/** The name of an enum's first value goes into a column that is left out; null for other fields. */
export function emptyEnum(field: FieldType): string | null {
  return enumOf(field) === undefined || field.repeated || field.map || field.hasPresence
    ? null
    : (emptyElement(field, []) as string);
}

/** A converter of a field's values into a column. Enums are matched by name, and by number where the name is not known. */
export function columnConverter(field: FieldType, target: SqlType, options: ReadOptions): Converter {
  const source = fieldSqlType(field, []);
  const known = enumOf(field);
  const bare = bareType(target);
  if (known === undefined || source.kind !== 'string') return valueConverter(source, target, options);
  if (bare.kind === 'string' || bare.kind === 'fixed_string') return valueConverter(source, target, options);
  const convertNumber = valueConverter(types.int32, target, options);
  const numberOf = (name: string): unknown =>
    convertNumber(known.values[fromByteString(name)] ?? Number(name));
  if (bare.kind !== 'enum') return (value) => numberOf(value as string);
  const byName = new Map(bare.entries.map(([name, number]) => [toByteString(name), number]));
  return (value) => byName.get(value as string) ?? numberOf(value as string);
}
