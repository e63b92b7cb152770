import { SluiceError } from '../../base/index.ts';
import type { ColumnDefinition } from '../../catalog/index.ts';
import type { ColumnSchema } from '../../column/index.ts';
import { type FormatSchemas, inputFormat, outputFormat } from '../../formats/index.ts';
import {
  bareType,
  datetime64,
  nullable,
  parseType,
  type SqlType,
  typeName,
  types,
} from '../../types/index.ts';
import type { KafkaOptions } from './options.ts';

/** What a column holds of a message. */
export type ColumnRole =
  /** The whole value. */
  | 'value'
  /** A field of the value, by the format. */
  | 'field'
  | 'key'
  | 'headers'
  | 'time'
  | 'partition'
  | 'offset';

/** What can be read of every message, by name, beside the columns of the definition. */
export const virtualColumns: readonly (ColumnSchema & { readonly role: ColumnRole })[] = [
  { name: '_tp_time', type: datetime64(3, 'UTC'), role: 'time' },
  { name: '_tp_message_key', type: nullable(types.string), role: 'key' },
  { name: '_tp_message_headers', type: parseType('map(string, string)'), role: 'headers' },
  { name: '_tp_shard', type: types.int32, role: 'partition' },
  { name: '_tp_sn', type: types.int64, role: 'offset' },
];

/** What the columns of an external stream are of its messages. */
export interface MessageSchema {
  /** The columns of the definition, then the virtual ones that it does not define. */
  readonly all: readonly (ColumnSchema & { readonly role: ColumnRole })[];
  readonly virtual: readonly ColumnSchema[];
  /** The format of fields; null when values are taken as they are. */
  readonly format: ValueFormat | null;
}

export interface ValueFormat {
  /** Its proper name. */
  readonly name: string;
  /** Settings for readers and writers that the stream's own settings make. */
  readonly settings: readonly (readonly [string, string])[];
  readonly schemas: FormatSchemas;
}

function isString(type: SqlType): boolean {
  return bareType(type).kind === 'string';
}

function bad(message: string): SluiceError {
  return new SluiceError('BAD_ARGUMENTS', message);
}

function roleOf({ name, type }: ColumnSchema): ColumnRole | null {
  switch (name) {
    case '_tp_message_key':
      if (isString(type)) return 'key';
      throw bad(`Column '_tp_message_key' must be a string or nullable(string), not ${typeName(type)}`);
    case '_tp_message_headers':
      if (typeName(type) === 'map(string, string)') return 'headers';
      throw bad(`Column '_tp_message_headers' must be a map(string, string), not ${typeName(type)}`);
    case '_tp_shard':
    case '_tp_sn':
      throw bad(`Column '${name}' can be read of every Kafka message and cannot be defined`);
    default:
      return null;
  }
}

/** Finds what each column is; throws BAD_ARGUMENTS or UNKNOWN_FORMAT for columns and a format that do not go together. */
export function messageSchema(
  columns: readonly ColumnDefinition[],
  options: KafkaOptions,
  schemas: FormatSchemas,
): MessageSchema {
  const roles = columns.map(roleOf);
  const payload = columns.filter((_, index) => roles[index] === null);
  const raw = options.format.toLowerCase() === 'rawblob';
  const isPair =
    raw &&
    columns.length === 2 &&
    payload.length === 2 &&
    ['key', 'value'].every((name) => columns.some((column) => column.name === name && isString(column.type)));
  let format: ValueFormat | null = null;
  if (!raw) {
    const name = inputFormat(options.format);
    outputFormat(options.format);
    const { formatSchema } = options;
    format = { name, settings: formatSchema === '' ? [] : [['format_schema', formatSchema]], schemas };
    if (payload.length === 0)
      throw bad(`An external stream with data_format='${name}' needs a column for its fields`);
  } else if (!isPair && (payload.length !== 1 || !isString(payload[0]!.type))) {
    throw bad(
      "An external stream without data_format has one column of type string for the whole message, or two named key and value; for others, set data_format, such as 'JSONEachRow'",
    );
  }
  const own = columns.map(({ name, type }, index) => {
    const role = roles[index] ?? (raw ? (isPair && name === 'key' ? 'key' : 'value') : 'field');
    return { name, type, role };
  });
  const virtual = virtualColumns.filter((each) => !columns.some((column) => column.name === each.name));
  return { all: [...own, ...virtual], virtual, format };
}
