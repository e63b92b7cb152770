import { createWriter } from '../../src/formats/index.ts';
import { blockOf, schemaOf, settings } from '../formats/support.ts';

/** Formats that hold rows of several columns. */
export const matrixFormats = [
  'Avro',
  'CSV',
  'CSVWithNames',
  'CSVWithNamesAndTypes',
  'JSON',
  'JSONCompact',
  'JSONCompactEachRow',
  'JSONCompactEachRowWithNames',
  'JSONCompactEachRowWithNamesAndTypes',
  'JSONCompactStrings',
  'JSONCompactStringsEachRow',
  'JSONCompactStringsEachRowWithNames',
  'JSONCompactStringsEachRowWithNamesAndTypes',
  'JSONEachRow',
  'JSONStrings',
  'JSONStringsEachRow',
  'Native',
  'Protobuf',
  'ProtobufSingle',
  'RowBinary',
  'RowBinaryWithNames',
  'RowBinaryWithNamesAndTypes',
  'TabSeparated',
  'TabSeparatedRaw',
  'TabSeparatedRawWithNames',
  'TabSeparatedRawWithNamesAndTypes',
  'TabSeparatedWithNames',
  'TabSeparatedWithNamesAndTypes',
  'Values',
] as const;

const schema = schemaOf(
  ['id', 'int32'],
  ['name', 'string'],
  ['at', "datetime64(3, 'UTC')"],
  ['n', 'nullable(int64)'],
);

const proto =
  'syntax = "proto3"; message Row { int32 id = 1; string name = 2; int64 at = 3; optional int64 n = 4; }';

/** Fifty rows in a format; one in ProtobufSingle. */
export function rowsIn(format: string): Buffer {
  const rows = Array.from({ length: format === 'ProtobufSingle' ? 1 : 50 }, (_, index) => [
    index + 1,
    `name ${(index * 7919) % 1000}`,
    1_700_000_000_000 + index * 1001,
    index % 3 === 0 ? null : (index - 25) * 1_000_000_007,
  ]);
  const schemas = { text: () => proto, names: () => [] };
  const writer = createWriter(format, schema, settings({ format_schema: 'rows:Row' }), schemas);
  return Buffer.concat([
    writer.start(),
    writer.block(blockOf(schema, rows)),
    writer.finish({ rows: rows.length }),
  ]);
}
