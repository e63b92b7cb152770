import test from 'ava';
import { randomFrom, randomValue, readRows, sampleTypes, schemaOf, written } from './support.ts';

const seed = 20_240_102;
const rowsPerType = 150;

const roundTripFormats = [
  'JSON',
  'JSONCompact',
  'JSONStrings',
  'JSONCompactStrings',
  'JSONEachRow',
  'JSONStringsEachRow',
  'JSONCompactEachRow',
  'JSONCompactEachRowWithNames',
  'JSONCompactEachRowWithNamesAndTypes',
  'JSONCompactStringsEachRow',
  'CSV',
  'CSVWithNames',
  'CSVWithNamesAndTypes',
  'TabSeparated',
  'TSVWithNames',
  'TSVWithNamesAndTypes',
  'Values',
  'RowBinary',
  'RowBinaryWithNames',
  'RowBinaryWithNamesAndTypes',
];

for (const format of roundTripFormats) {
  test(`${format}: what is written reads back, type by type`, (t) => {
    for (const [index, type] of sampleTypes.entries()) {
      const random = randomFrom(seed + index);
      const schema = schemaOf(['n', 'int32'], ['value', type], ['tail', 'string']);
      const rows = Array.from({ length: rowsPerType }, (_, row) => [
        row,
        randomValue(schema[1]!.type, random),
        `t${row % 7}`,
      ]);
      const bytes = written(format, schema, rows);
      t.deepEqual(readRows(format, schema, bytes), rows, `${type} in ${format}`);
      // Few rows are written and read without compiled code, and must look the same.
      t.deepEqual(
        written(format, schema, rows, undefined, 10).toString(),
        bytes.toString(),
        `${type}, small blocks`,
      );
    }
  });

  test(`${format}: all types beside each other, in chunks of any size`, (t) => {
    const random = randomFrom(seed);
    const schema = schemaOf(...sampleTypes.map((type, index) => [`c${index} "${type}"`, type] as const));
    const rows = Array.from({ length: 12 }, () => schema.map((column) => randomValue(column.type, random)));
    const bytes = written(format, schema, rows);
    for (const chunk of [1, 7, 64, 1_000]) {
      t.deepEqual(readRows(format, schema, bytes, { chunk }), rows, `chunks of ${chunk} bytes`);
    }
  });
}
