import type { Settings } from '../../base/index.ts';
import { type Block, type ColumnSchema, vectorReader } from '../../column/index.ts';
import { toByteString, typeName } from '../../types/index.ts';
import type { BlockWriter, WriteSummary } from '../block-writer.ts';
import { jsonStringsStyle, jsonStyle } from './json-style.ts';
import { jsonOptions } from './json-text.ts';
import { bytesOf, noBytes, Output } from './output.ts';
import { jsonLabels } from './row-formats.ts';
import { RowWriter, rowTemplate } from './row-writer.ts';

const contentType = 'application/json; charset=UTF-8';

/** The opening of a document, with the names and types of its columns. */
function metaText(schema: readonly ColumnSchema[], settings: Settings): string {
  const { quote } = jsonOptions(settings);
  const columns = schema.map(
    (column) =>
      `\t\t{\n\t\t\t"name": ${quote(toByteString(column.name))},\n\t\t\t"type": ${quote(toByteString(typeName(column.type)))}\n\t\t}`,
  );
  return `{\n\t"meta":\n\t[\n${columns.join(',\n')}\n\t],\n\n`;
}

/** The counts at the end of a document and its closing brace. */
function tailText(rows: number, summary: WriteSummary): string {
  const limit =
    summary.rowsBeforeLimit === undefined
      ? ''
      : `,\n\n\t"rows_before_limit_at_least": ${summary.rowsBeforeLimit}`;
  const statistics = [
    `\t\t"elapsed": ${summary.elapsedSeconds ?? 0}`,
    `\t\t"rows_read": ${summary.rowsRead ?? 0}`,
    `\t\t"bytes_read": ${summary.bytesRead ?? 0}`,
  ];
  return `\t"rows": ${rows}${limit},\n\n\t"statistics":\n\t{\n${statistics.join(',\n')}\n\t}\n}\n`;
}

interface DocumentKind {
  /** Rows as arrays rather than objects. */
  readonly compact: boolean;
  /** Every value as a string. */
  readonly strings: boolean;
}

function rowTexts(kind: DocumentKind, indent: string, labels: readonly string[], separator: string) {
  return kind.compact
    ? { open: `${indent}[`, between: ', ', close: ']', separator }
    : {
        open: `${indent}{\n${indent}\t`,
        between: `,\n${indent}\t`,
        close: `\n${indent}}`,
        separator,
        labels,
      };
}

/** JSON, JSONCompact, JSONStrings and JSONCompactStrings: one document with meta, data, rows and statistics. */
export function jsonDocumentWriter(
  schema: readonly ColumnSchema[],
  settings: Settings,
  kind: DocumentKind,
): BlockWriter {
  const labels = jsonLabels(schema, settings, ': ');
  const style = kind.strings ? jsonStringsStyle(settings) : jsonStyle(settings);
  const writer = (indent: string) =>
    new RowWriter(schema, style, rowTemplate(schema.length, rowTexts(kind, indent, labels, ',\n')));
  const rows = writer('\t\t');
  const out = new Output();
  let written = 0;
  return {
    contentType,
    streamable: false,
    start: () => bytesOf(`${metaText(schema, settings)}\t"data":\n\t[\n`),
    block(block: Block) {
      rows.write(out, block, written > 0);
      written += block.rows;
      return out.take();
    },
    finish(summary = {}) {
      out.write('\n\t],\n\n');
      if (summary.totals !== undefined && summary.totals.rows > 0) {
        out.write('\t"totals":\n');
        writer('\t').write(out, summary.totals, false);
        out.write(',\n\n');
      }
      out.write(tailText(written, summary));
      return out.take();
    },
  };
}

/** JSONColumns and JSONColumnsWithMetadata: an array for each column. Held back until the result is complete. */
export function jsonColumnsWriter(
  schema: readonly ColumnSchema[],
  settings: Settings,
  withMetadata: boolean,
): BlockWriter {
  const style = jsonStyle(settings);
  const formats = schema.map((column) => style.text(column.type));
  const labels = jsonLabels(schema, settings, ': ');
  const columns: string[][] = schema.map(() => []);
  let rows = 0;
  return {
    contentType,
    streamable: false,
    start: () => noBytes,
    block(block: Block) {
      rows += block.rows;
      for (const [index, vector] of block.vectors.entries()) {
        const read = vectorReader(vector);
        const format = formats[index]!;
        for (let row = 0; row < block.rows; row++) {
          const value = read(row);
          columns[index]!.push(value === null ? 'null' : format(value));
        }
      }
      return noBytes;
    },
    finish(summary = {}) {
      const indent = withMetadata ? '\t\t' : '\t';
      const data = columns
        .map((values, index) => `${indent}${labels[index]}[${values.join(', ')}]`)
        .join(',\n');
      if (!withMetadata) return bytesOf(`{\n${data}\n}\n`);
      return bytesOf(
        `${metaText(schema, settings)}\t"data":\n\t{\n${data}\n\t},\n\n${tailText(rows, summary)}`,
      );
    },
  };
}
