import { type Settings, SluiceError } from '../base/index.ts';
import type { ColumnSchema } from '../column/index.ts';
import { blockRows } from '../column/index.ts';
import { nullable, parseType, type SqlType, types } from '../types/index.ts';
import { readHeader } from './avro/container.ts';
import { naturalType } from './avro/schema.ts';
import type { FormatSchemas } from './format-schemas.ts';
import { messageType } from './protobuf/schema.ts';
import { fieldSqlType } from './protobuf/value.ts';
import { InputCursor } from './read/input-cursor.ts';
import { createReader } from './registry.ts';

/** Rows of a text format that are looked at. */
const sampleRows = 1_000;

function cannot(format: string, why: string): SluiceError {
  return new SluiceError(
    'CANNOT_EXTRACT_TABLE_STRUCTURE',
    `The columns cannot be told from the data in format ${format}: ${why}; give the structure, such as 'id int64, name string'`,
  );
}

function avroColumns(sample: Uint8Array): ColumnSchema[] {
  const cursor = new InputCursor();
  cursor.append(sample);
  cursor.final = true;
  const { schema } = readHeader(cursor);
  if (schema.kind !== 'record') throw cannot('Avro', `the file holds values of type ${schema.kind}`);
  return schema.fields.map(({ name, type }) => ({ name, type: columnType(naturalType(type)) }));
}

/** A column needs a type that can be stored. */
function columnType(type: SqlType): SqlType {
  return type.kind === 'nothing' ? nullable(types.string) : type;
}

/** The lines of a sample, without the last one when the data goes on behind it. */
function wholeLines(sample: Uint8Array, isWhole: boolean): Buffer {
  const bytes = Buffer.from(sample.buffer, sample.byteOffset, sample.byteLength);
  return isWhole ? bytes : bytes.subarray(0, bytes.lastIndexOf(10) + 1);
}

const isInteger = /^[+-]?\d{1,18}$/;
const isNumber = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,3})?$/;

/** The type that all of these texts have; text where they differ. */
function textsType(texts: readonly string[]): SqlType {
  const given = texts.filter((text) => text !== '' && text !== '\\N');
  const all = (test: RegExp) => given.length > 0 && given.every((text) => test.test(text));
  let type: SqlType;
  if (all(isInteger)) type = types.int64;
  else if (all(isNumber)) type = types.float64;
  else if (all(/^(?:true|false)$/)) type = types.bool;
  else if (all(/^\d{4}-\d\d-\d\d$/)) type = types.date32;
  else if (all(/^\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d(?:\.\d+)?$/)) type = { kind: 'datetime64', precision: 3 };
  else return types.string;
  return given.length === texts.length ? type : nullable(type);
}

/** Fields of one line, as texts. */
function lineFields(format: string, line: string, settings: Settings): string[] {
  if (format.startsWith('JSON')) return (JSON.parse(line) as unknown[]).map(String);
  if (format.startsWith('Tab')) return line.split('\t');
  const delimiter = settings.format_csv_delimiter;
  const fields: string[] = [];
  const field = /\s*(?:"((?:[^"]|"")*)"|([\s\S]*?))\s*$/;
  let quoted = false;
  let part = '';
  for (const char of `${line}${delimiter}`) {
    if (char === '"') quoted = !quoted;
    if (char === delimiter && !quoted) {
      const match = field.exec(part);
      fields.push(match?.[1]?.replaceAll('""', '"') ?? match?.[2] ?? '');
      part = '';
    } else part += char;
  }
  return fields;
}

function headerColumns(
  format: string,
  sample: Uint8Array,
  isWhole: boolean,
  settings: Settings,
): ColumnSchema[] {
  const lines = wholeLines(sample, isWhole);
  const [first = '', second = ''] = lines
    .toString()
    .split('\n', 2)
    .map((line) => line.replace(/\r$/, ''));
  if (first === '') throw cannot(format, 'there is no line of names');
  const names = lineFields(format, first.replace(/^\ufeff/, ''), settings);
  if (format.endsWith('WithNamesAndTypes')) {
    const written = lineFields(format, second, settings);
    if (written.length !== names.length) throw cannot(format, 'the line of types does not fit that of names');
    return names.map((name, index) => ({ name, type: parseType(written[index]!) }));
  }
  const columns = names.map((name) => ({ name, type: types.string, hasDefault: false }));
  const reader = createReader(format, columns, settings);
  const rows = [...reader.push(lines), ...reader.finish()]
    .flatMap(({ block }) => blockRows(block))
    .slice(0, sampleRows);
  return names.map((name, index) => ({ name, type: textsType(rows.map((row) => row[index] as string)) }));
}

/** The type of a value of JSON; null when it says nothing. */
function jsonType(value: unknown): SqlType | null {
  if (value === null) return null;
  if (typeof value === 'boolean') return types.bool;
  if (typeof value === 'number') return Number.isSafeInteger(value) ? types.int64 : types.float64;
  if (typeof value === 'string') {
    const type = textsType([value]);
    return type.kind === 'date32' || type.kind === 'datetime64' ? type : types.string;
  }
  if (!Array.isArray(value)) return types.string;
  const element = value.map(jsonType).reduce<SqlType | null>((left, right) => commonType(left, right), null);
  const isPlain = element === null || element.kind !== 'array';
  return { kind: 'array', element: isPlain ? nullable(element ?? types.string) : element };
}

function commonType(left: SqlType | null, right: SqlType | null): SqlType | null {
  if (left === null || right === null) return left ?? right;
  if (JSON.stringify(left) === JSON.stringify(right)) return left;
  const isNumeric = (type: SqlType) => type.kind === 'int' || type.kind === 'float';
  return isNumeric(left) && isNumeric(right) ? types.float64 : types.string;
}

function jsonColumns(format: string, sample: Uint8Array, isWhole: boolean): ColumnSchema[] {
  const found = new Map<string, SqlType | null>();
  const text = wholeLines(sample, isWhole).toString();
  let objects: unknown[];
  try {
    if (text.trimStart().startsWith('[') && isWhole) objects = JSON.parse(text) as unknown[];
    else {
      const lines = text
        .replace(/^\s*\[/, '')
        .split('\n')
        .slice(0, sampleRows);
      objects = lines
        .map((line) => line.trim().replace(/[,\]]$/, ''))
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line) as unknown);
    }
  } catch (thrown) {
    throw cannot(
      format,
      `it is looked at line by line, and a line is no JSON (${(thrown as Error).message})`,
    );
  }
  for (const object of objects) {
    if (typeof object !== 'object' || object === null || Array.isArray(object))
      throw cannot(format, 'a row is no object');
    for (const [name, value] of Object.entries(object))
      found.set(name, commonType(found.get(name) ?? null, jsonType(value)));
  }
  if (found.size === 0) throw cannot(format, 'there are no rows');
  return [...found].map(([name, type]) => {
    const known = type ?? types.string;
    return { name, type: known.kind === 'array' ? known : nullable(known) };
  });
}

/** What the columns of data are told from. */
export interface InferInput {
  /** The proper name of the format. */
  readonly format: string;
  /** The beginning of the data; null when a schema says it all. */
  readonly sample: Uint8Array | null;
  /** Whether the sample is all of the data. */
  readonly isWhole: boolean;
  readonly settings: Settings;
  readonly schemas: FormatSchemas;
}

/** Whether the columns of a format stand in a schema beside the data. */
export function hasOuterSchema(format: string): boolean {
  return format === 'Protobuf' || format === 'ProtobufSingle';
}

/** The columns of data; throws CANNOT_EXTRACT_TABLE_STRUCTURE where they cannot be told. */
export function inferColumns(input: InferInput): ColumnSchema[] {
  const { format, isWhole, settings } = input;
  const sample = input.sample ?? new Uint8Array(0);
  if (hasOuterSchema(format)) {
    const message = messageType(settings, input.schemas);
    return message.fieldsArray.map((field) => ({ name: field.name, type: fieldSqlType(field, [message]) }));
  }
  if (format === 'Avro') return avroColumns(sample);
  if (/^(?:CSV|TabSeparated|TabSeparatedRaw|JSONCompactEachRow)WithNames(?:AndTypes)?$/.test(format))
    return headerColumns(format, sample, isWhole, settings);
  if (format === 'JSONEachRow') return jsonColumns(format, sample, isWhole);
  if (format === 'LineAsString' || format === 'RawBLOB')
    return [{ name: format === 'RawBLOB' ? 'raw_blob' : 'line', type: types.string }];
  throw cannot(format, 'it has no names of columns');
}
