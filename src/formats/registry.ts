import { maybeYouMeant, type Settings, SluiceError } from '../base/index.ts';
import type { ColumnSchema } from '../column/index.ts';
import { codecOfPath } from '../compression/index.ts';
import { avroReader } from './avro/read.ts';
import { avroWriter } from './avro/write.ts';
import type { BlockReader, ReaderColumn, ReaderOptions } from './block-reader.ts';
import type { BlockWriter } from './block-writer.ts';
import { type FormatSchemas, noSchemas } from './format-schemas.ts';
import { protobufReader } from './protobuf/read.ts';
import { protobufWriter } from './protobuf/write.ts';
import { csvReader, type HeaderLines, tsvReader } from './read/delimited-rows.ts';
import { jsonDocumentReader } from './read/json-document.ts';
import { jsonCompactEachRowReader, jsonEachRowReader } from './read/json-each-row.ts';
import { lineReader } from './read/line-rows.ts';
import { nativeReader } from './read/native.ts';
import { rowBinaryReader } from './read/row-binary.ts';
import { trimSemicolon } from './read/semicolon.ts';
import { valuesReader } from './read/values-rows.ts';
import { jsonColumnsWriter, jsonDocumentWriter } from './write/json-document.ts';
import { nativeWriter } from './write/native.ts';
import {
  markdownWriter,
  nullWriter,
  type PrettyFrame,
  prettyWriter,
  verticalWriter,
} from './write/pretty.ts';
import { rowBinaryWriter } from './write/row-binary.ts';
import {
  csvWriter,
  jsonCompactEachRowWriter,
  jsonEachRowWithProgressWriter,
  jsonEachRowWriter,
  jsonObjectEachRowWriter,
  rawWriter,
  tsvWriter,
  valuesWriter,
} from './write/row-formats.ts';

type MakeWriter = (
  schema: readonly ColumnSchema[],
  settings: Settings,
  schemas: FormatSchemas,
) => BlockWriter;
type MakeReader = (
  columns: readonly ReaderColumn[],
  settings: Settings,
  options: ReaderOptions,
) => BlockReader;

interface Format {
  readonly name: string;
  readonly aliases: readonly string[];
  /** Endings of files, without the dot, beside the name itself. */
  readonly extensions?: readonly string[];
  /** Whether every byte is data, so that a semicolon at the end of inline data does not end the statement. */
  readonly isRaw?: boolean;
  readonly writer?: MakeWriter;
  readonly reader?: MakeReader;
}

const headers: readonly { readonly suffix: string; readonly header: HeaderLines }[] = [
  { suffix: '', header: 'none' },
  { suffix: 'WithNames', header: 'names' },
  { suffix: 'WithNamesAndTypes', header: 'types' },
];

/** A family of formats with and without lines for the names and types of the columns. */
function withHeaders(
  name: string,
  aliases: readonly string[],
  make: (header: HeaderLines) => Pick<Format, 'isRaw' | 'writer' | 'reader'>,
): Format[] {
  return headers.map(({ suffix, header }) => ({
    name: name + suffix,
    aliases: aliases.map((alias) => alias + suffix),
    ...make(header),
  }));
}

const frames: readonly { readonly name: string; readonly frame: PrettyFrame }[] = [
  { name: 'Pretty', frame: 'full' },
  { name: 'PrettyCompact', frame: 'compact' },
  { name: 'PrettySpace', frame: 'space' },
];

/** The pretty formats; without colours, the NoEscapes ones are the same, and every block is a table of its own. */
const prettyFormats: Format[] = frames.map(({ name, frame }) => ({
  name,
  aliases: [`${name}NoEscapes`, `${name}MonoBlock`, `${name}NoEscapesMonoBlock`],
  writer: (schema, settings) => prettyWriter(schema, settings, frame),
}));

const jsonFormats: Format[] = [
  {
    name: 'JSON',
    aliases: [],
    writer: (schema, settings) => jsonDocumentWriter(schema, settings, { compact: false, strings: false }),
    reader: jsonDocumentReader,
  },
  {
    name: 'JSONCompact',
    aliases: [],
    writer: (schema, settings) => jsonDocumentWriter(schema, settings, { compact: true, strings: false }),
    reader: jsonDocumentReader,
  },
  {
    name: 'JSONStrings',
    aliases: [],
    writer: (schema, settings) => jsonDocumentWriter(schema, settings, { compact: false, strings: true }),
    reader: jsonDocumentReader,
  },
  {
    name: 'JSONCompactStrings',
    aliases: [],
    writer: (schema, settings) => jsonDocumentWriter(schema, settings, { compact: true, strings: true }),
    reader: jsonDocumentReader,
  },
  {
    name: 'JSONColumnsWithMetadata',
    aliases: [],
    writer: (schema, settings) => jsonColumnsWriter(schema, settings, true),
  },
  {
    name: 'JSONColumns',
    aliases: [],
    writer: (schema, settings) => jsonColumnsWriter(schema, settings, false),
  },
  {
    name: 'JSONEachRow',
    aliases: ['NDJSON', 'JSONLines'],
    extensions: ['json', 'jsonl', 'ndjson'],
    writer: (schema, settings) => jsonEachRowWriter(schema, settings, false),
    reader: jsonEachRowReader,
  },
  {
    name: 'JSONStringsEachRow',
    aliases: [],
    writer: (schema, settings) => jsonEachRowWriter(schema, settings, true),
    reader: jsonEachRowReader,
  },
  {
    name: 'JSONEachRowWithProgress',
    aliases: [],
    writer: (schema, settings) => jsonEachRowWithProgressWriter(schema, settings, false),
  },
  {
    name: 'JSONStringsEachRowWithProgress',
    aliases: [],
    writer: (schema, settings) => jsonEachRowWithProgressWriter(schema, settings, true),
  },
  { name: 'JSONObjectEachRow', aliases: [], writer: jsonObjectEachRowWriter },
  ...withHeaders('JSONCompactEachRow', [], (header) => ({
    writer: (schema, settings) => jsonCompactEachRowWriter(schema, settings, false, header),
    reader: (columns, settings) => jsonCompactEachRowReader(columns, settings, header),
  })),
  ...withHeaders('JSONCompactStringsEachRow', [], (header) => ({
    writer: (schema, settings) => jsonCompactEachRowWriter(schema, settings, true, header),
    reader: (columns, settings) => jsonCompactEachRowReader(columns, settings, header),
  })),
];

const textFormats: Format[] = [
  ...withHeaders('CSV', [], (header) => ({
    writer: (schema, settings) => csvWriter(schema, settings, header),
    reader: (columns, settings) => csvReader(columns, settings, header),
  })),
  ...withHeaders('TabSeparated', ['TSV'], (header) => ({
    writer: (schema, settings) => tsvWriter(schema, settings, header, false),
    reader: (columns, settings) => tsvReader(columns, settings, header, false),
  })),
  ...withHeaders('TabSeparatedRaw', ['TSVRaw'], (header) => ({
    writer: (schema, settings) => tsvWriter(schema, settings, header, true),
    reader: (columns, settings) => tsvReader(columns, settings, header, true),
  })),
  { name: 'Values', aliases: [], writer: valuesWriter, reader: valuesReader },
  { name: 'Vertical', aliases: [], writer: verticalWriter },
  { name: 'Markdown', aliases: ['MD'], writer: markdownWriter },
  {
    name: 'RawBLOB',
    aliases: [],
    isRaw: true,
    writer: (schema, settings) => rawWriter(schema, settings, ''),
    reader: (columns, settings) => lineReader('RawBLOB', columns, settings),
  },
  {
    name: 'LineAsString',
    aliases: [],
    isRaw: true,
    writer: (schema, settings) => rawWriter(schema, settings, '\n'),
    reader: (columns, settings) => lineReader('LineAsString', columns, settings),
  },
];

const formats: readonly Format[] = [
  ...jsonFormats,
  ...textFormats,
  ...prettyFormats,
  ...withHeaders('RowBinary', [], (header) => ({
    isRaw: true,
    writer: (schema) => rowBinaryWriter(schema, header),
    reader: (columns, settings) => rowBinaryReader(columns, settings, header),
  })),
  { name: 'Avro', aliases: [], isRaw: true, writer: avroWriter, reader: avroReader },
  {
    name: 'Protobuf',
    aliases: [],
    extensions: ['pb', 'protobuf'],
    isRaw: true,
    writer: (schema, settings, schemas) => protobufWriter(schema, settings, schemas, false),
    reader: (columns, settings, options) => protobufReader(columns, settings, options, false),
  },
  {
    name: 'ProtobufSingle',
    aliases: [],
    isRaw: true,
    writer: (schema, settings, schemas) => protobufWriter(schema, settings, schemas, true),
    reader: (columns, settings, options) => protobufReader(columns, settings, options, true),
  },
  { name: 'Native', aliases: [], isRaw: true, writer: nativeWriter, reader: nativeReader },
  { name: 'Null', aliases: [], writer: nullWriter },
];

const byName = new Map<string, Format>();
for (const format of formats) {
  for (const name of [format.name, ...format.aliases]) {
    const folded = name.toLowerCase();
    if (byName.has(folded)) throw new Error(`Assertion failed: the format name ${name} is there twice`);
    byName.set(folded, format);
  }
}

function findFormat(name: string, direction: 'input' | 'output'): Format {
  const format = byName.get(name.toLowerCase());
  if (format !== undefined && (direction === 'input' ? format.reader : format.writer) !== undefined)
    return format;
  if (format !== undefined) {
    throw new SluiceError('UNKNOWN_FORMAT', `Format ${format.name} is not an ${direction} format`);
  }
  const hint = maybeYouMeant(
    name,
    formats.flatMap((known) => [known.name, ...known.aliases]),
  );
  throw new SluiceError('UNKNOWN_FORMAT', `Unknown format '${name}'${hint}`);
}

/** The proper name of an output format, given in any case or as an alias; throws UNKNOWN_FORMAT. */
export function outputFormat(name: string): string {
  return findFormat(name, 'output').name;
}

/** The format that the ending of a file stands for, with that of its compression taken away; undefined when none does. */
export function formatOfPath(path: string): string | undefined {
  const plain = codecOfPath(path) === undefined ? path : path.slice(0, path.lastIndexOf('.'));
  const extension = /\.([^./]+)$/.exec(plain)?.[1]?.toLowerCase();
  if (extension === undefined) return undefined;
  const known = formats.find((format) => format.extensions?.includes(extension) === true);
  return (known ?? byName.get(extension))?.name;
}

/** The proper name of an input format, given in any case or as an alias; throws UNKNOWN_FORMAT. */
export function inputFormat(name: string): string {
  return findFormat(name, 'input').name;
}

export interface FormatName {
  readonly name: string;
  readonly isInput: boolean;
  readonly isOutput: boolean;
}

/** All formats and their aliases, by name. */
export function formatNames(): FormatName[] {
  return formats
    .flatMap((format) =>
      [format.name, ...format.aliases].map((name) => ({
        name,
        isInput: format.reader !== undefined,
        isOutput: format.writer !== undefined,
      })),
    )
    .sort((left, right) => (left.name < right.name ? -1 : 1));
}

/** A writer of results with these columns; throws UNKNOWN_FORMAT. */
export function createWriter(
  formatName: string,
  schema: readonly ColumnSchema[],
  settings: Settings,
  schemas: FormatSchemas = noSchemas,
): BlockWriter {
  const known = writers.get(schema);
  const entry =
    known?.settings === settings && known.format === formatName ? known.writer.again?.() : undefined;
  if (entry !== undefined) return entry;
  const writer = findFormat(formatName, 'output').writer!(schema, settings, schemas);
  if (writer.again !== undefined) writers.set(schema, { format: formatName, settings, writer });
  return writer;
}

/** The last writer made for a schema: results of one compiled query share their schema. */
const writers = new WeakMap<
  readonly ColumnSchema[],
  { format: string; settings: Settings; writer: BlockWriter }
>();

/** A reader of rows into these columns; throws UNKNOWN_FORMAT, or BAD_ARGUMENTS when the columns do not suit it. */
export function createReader(
  formatName: string,
  columns: readonly ReaderColumn[],
  settings: Settings,
  options: ReaderOptions = {},
): BlockReader {
  const format = findFormat(formatName, 'input');
  const reader = format.reader!(columns, settings, options);
  return options.isInline && !format.isRaw ? trimSemicolon(reader) : reader;
}
