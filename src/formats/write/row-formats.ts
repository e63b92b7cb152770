import type { Settings } from '../../base/index.ts';
import type { Block, ColumnSchema } from '../../column/index.ts';
import { toByteString, typeName } from '../../types/index.ts';
import type { BlockWriter } from '../block-writer.ts';
import { csvQuote, csvStyle, literalStyle, rawStyle, tsvEscape, tsvStyle } from './delimited-style.ts';
import { jsonStringsStyle, jsonStyle } from './json-style.ts';
import { jsonOptions } from './json-text.ts';
import { bytesOf, noBytes, Output } from './output.ts';
import type { RowTemplate } from './row-code.ts';
import { RowWriter, rowTemplate } from './row-writer.ts';
import type { ValueStyle } from './value-style.ts';

/** Which rows of names stand before the data. */
export type Header = 'none' | 'names' | 'types';

interface RowFormat {
  readonly contentType: string;
  readonly style: ValueStyle;
  readonly template: RowTemplate;
  readonly start: string;
  readonly finish: string;
}

/** A writer of formats whose rows stand one after the other. */
function rowFormatWriter(schema: readonly ColumnSchema[], format: RowFormat): BlockWriter {
  return freshWriter(new RowWriter(schema, format.style, format.template), format);
}

function freshWriter(rows: RowWriter, format: RowFormat): BlockWriter {
  const out = new Output();
  let written = 0;
  return {
    contentType: format.contentType,
    streamable: true,
    again: () => freshWriter(rows, format),
    start: () => (format.start === '' ? noBytes : bytesOf(format.start)),
    block(block: Block) {
      rows.write(out, block, written > 0);
      written += block.rows;
      return out.take();
    },
    finish: () => (format.finish === '' ? noBytes : bytesOf(format.finish)),
  };
}

const ndjson = 'application/x-ndjson; charset=UTF-8';

/** The column names as JSON keys with their colon. */
export function jsonLabels(schema: readonly ColumnSchema[], settings: Settings, colon = ':'): string[] {
  const { quote } = jsonOptions(settings);
  return schema.map((column) => quote(toByteString(column.name)) + colon);
}

/** JSONEachRow and JSONStringsEachRow: an object for each row. */
export function jsonEachRowWriter(
  schema: readonly ColumnSchema[],
  settings: Settings,
  strings: boolean,
): BlockWriter {
  const labels = jsonLabels(schema, settings);
  return rowFormatWriter(schema, {
    contentType: ndjson,
    style: strings ? jsonStringsStyle(settings) : jsonStyle(settings),
    template: rowTemplate(schema.length, { open: '{', between: ',', close: '}\n', labels }),
    start: '',
    finish: '',
  });
}

/** JSONEachRowWithProgress: each row in an object of its own under `row`, and the progress at the end. */
export function jsonEachRowWithProgressWriter(
  schema: readonly ColumnSchema[],
  settings: Settings,
  strings: boolean,
): BlockWriter {
  const labels = jsonLabels(schema, settings);
  const writer = rowFormatWriter(schema, {
    contentType: ndjson,
    style: strings ? jsonStringsStyle(settings) : jsonStyle(settings),
    template: rowTemplate(schema.length, { open: '{"row":{', between: ',', close: '}}\n', labels }),
    start: '',
    finish: '',
  });
  return {
    ...writer,
    finish: (summary = {}) =>
      bytesOf(
        `{"progress":{"read_rows":"${summary.rowsRead ?? 0}","read_bytes":"${summary.bytesRead ?? 0}","written_rows":"0","written_bytes":"0","total_rows_to_read":"${summary.rowsRead ?? 0}","result_rows":"${summary.rows ?? 0}","elapsed_ns":"${Math.round((summary.elapsedSeconds ?? 0) * 1e9)}"}}\n`,
      ),
  };
}

/** JSONCompactEachRow and its variants: an array for each row. */
export function jsonCompactEachRowWriter(
  schema: readonly ColumnSchema[],
  settings: Settings,
  strings: boolean,
  header: Header,
): BlockWriter {
  const { quote } = jsonOptions(settings);
  const line = (texts: readonly string[]) =>
    `[${texts.map((text) => quote(toByteString(text))).join(', ')}]\n`;
  const names = header === 'none' ? '' : line(schema.map((column) => column.name));
  const types = header === 'types' ? line(schema.map((column) => typeName(column.type))) : '';
  return rowFormatWriter(schema, {
    contentType: ndjson,
    style: strings ? jsonStringsStyle(settings) : jsonStyle(settings),
    template: rowTemplate(schema.length, { open: '[', between: ', ', close: ']\n' }),
    start: names + types,
    finish: '',
  });
}

/** JSONObjectEachRow: one object whose values are the rows, under the names row_1, row_2 and so on. */
export function jsonObjectEachRowWriter(schema: readonly ColumnSchema[], settings: Settings): BlockWriter {
  const labels = jsonLabels(schema, settings);
  const template = rowTemplate(schema.length, { open: '', between: ',', close: '}', labels });
  const rows = new RowWriter(schema, jsonStyle(settings), template);
  const out = new Output();
  let written = 0;
  return {
    contentType: 'application/json; charset=UTF-8',
    streamable: true,
    start: () => bytesOf('{\n'),
    block(block) {
      // The names count up, so the rows go one by one; this format is for people and small results.
      for (let row = 0; row < block.rows; row++) {
        out.write(`${written === 0 ? '' : ',\n'}\t"row_${++written}": {`);
        rows.writeRow(out, block, row);
      }
      return out.take();
    },
    finish: () => bytesOf(written === 0 ? '}\n' : '\n}\n'),
  };
}

/** CSV and its variants. */
export function csvWriter(schema: readonly ColumnSchema[], settings: Settings, header: Header): BlockWriter {
  const delimiter = toByteString(settings.format_csv_delimiter || ',');
  const line = (texts: readonly string[]) =>
    `${texts.map((text) => csvQuote(toByteString(text))).join(delimiter)}\n`;
  const names = header === 'none' ? '' : line(schema.map((column) => column.name));
  const types = header === 'types' ? line(schema.map((column) => typeName(column.type))) : '';
  return rowFormatWriter(schema, {
    contentType: `text/csv; charset=UTF-8; header=${header === 'none' ? 'absent' : 'present'}`,
    style: csvStyle(settings),
    template: rowTemplate(schema.length, { open: '', between: delimiter, close: '\n' }),
    start: names + types,
    finish: '',
  });
}

/** TabSeparated and its variants. */
export function tsvWriter(
  schema: readonly ColumnSchema[],
  settings: Settings,
  header: Header,
  raw: boolean,
): BlockWriter {
  const encode = raw ? (text: string) => text : tsvEscape;
  const line = (texts: readonly string[]) =>
    `${texts.map((text) => encode(toByteString(text))).join('\t')}\n`;
  const names = header === 'none' ? '' : line(schema.map((column) => column.name));
  const types = header === 'types' ? line(schema.map((column) => typeName(column.type))) : '';
  return rowFormatWriter(schema, {
    contentType: 'text/tab-separated-values; charset=UTF-8',
    style: raw ? rawStyle(settings) : tsvStyle(settings),
    template: rowTemplate(schema.length, { open: '', between: '\t', close: '\n' }),
    start: names + types,
    finish: '',
  });
}

/** RawBLOB and LineAsString: the bytes of the values, with or without a line end behind each row. */
export function rawWriter(schema: readonly ColumnSchema[], settings: Settings, lineEnd: string): BlockWriter {
  return rowFormatWriter(schema, {
    contentType: lineEnd === '' ? 'application/octet-stream' : 'text/plain; charset=UTF-8',
    style: rawStyle(settings),
    template: rowTemplate(schema.length, { open: '', between: '', close: lineEnd }),
    start: '',
    finish: '',
  });
}

/** Values: rows as the VALUES clause of an INSERT has them. */
export function valuesWriter(schema: readonly ColumnSchema[], settings: Settings): BlockWriter {
  return rowFormatWriter(schema, {
    contentType: 'text/plain; charset=UTF-8',
    style: literalStyle(settings),
    template: rowTemplate(schema.length, { open: '(', between: ',', close: ')', separator: ',' }),
    start: '',
    finish: '',
  });
}
