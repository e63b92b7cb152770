import type { Settings } from '../../base/index.ts';
import { type Block, type ColumnSchema, vectorReader } from '../../column/index.ts';
import {
  bareType,
  type SqlType,
  type TextFormatter,
  textFormatter,
  toByteString,
} from '../../types/index.ts';
import type { BlockWriter } from '../block-writer.ts';
import { textOptions } from '../text-settings.ts';
import { displayWidth } from './display-width.ts';
import { bytesOf, noBytes } from './output.ts';

export type PrettyFrame = 'full' | 'compact' | 'space';

/** The lines of a table, as text. */
const marks = {
  full: {
    top: ['┏━', '━┳━', '━┓', '━'],
    head: ['┃ ', ' ┃ ', ' ┃'],
    under: ['┡━', '━╇━', '━┩', '━'],
    row: ['│ ', ' │ ', ' │'],
    between: ['├─', '─┼─', '─┤', '─'],
    bottom: ['└─', '─┴─', '─┘', '─'],
  },
  compact: { head: ['┌─', '─┬─', '─┐', '─'], row: ['│ ', ' │ ', ' │'], bottom: ['└─', '─┴─', '─┘', '─'] },
} as const;

const nullMark = toByteString('ᴺᵁᴸᴸ');

function isRightAligned(type: SqlType): boolean {
  const { kind } = bareType(type);
  return kind === 'int' || kind === 'float' || kind === 'decimal' || kind === 'interval';
}

interface Table {
  readonly names: readonly string[];
  readonly cells: readonly (readonly string[])[];
  readonly widths: readonly number[];
  readonly right: readonly boolean[];
}

function padded(text: string, width: number, right: boolean, fill = ' '): string {
  const padding = fill.repeat(Math.max(0, width - displayWidth(text)));
  return right ? padding + text : text + padding;
}

/** One line: the parts of every column between the marks. */
function line(parts: readonly string[], [open, between, close]: readonly string[]): string {
  return toByteString(open!) + parts.join(toByteString(between!)) + `${toByteString(close!)}\n`;
}

function ruleLine(table: Table, rule: readonly string[]): string {
  const fill = toByteString(rule[3]!);
  return line(
    table.widths.map((width) => fill.repeat(width)),
    rule,
  );
}

function rowLine(table: Table, row: readonly string[], sides: readonly string[]): string {
  return line(
    row.map((cell, column) => padded(cell, table.widths[column]!, table.right[column]!)),
    sides,
  );
}

function fullTable(table: Table): string {
  const { full } = marks;
  const head = line(
    table.names.map((name, column) => padded(name, table.widths[column]!, table.right[column]!)),
    full.head,
  );
  const rows = table.cells.map((row) => rowLine(table, row, full.row));
  return (
    ruleLine(table, full.top) +
    head +
    ruleLine(table, full.under) +
    rows.join(ruleLine(table, full.between)) +
    ruleLine(table, full.bottom)
  );
}

function compactTable(table: Table): string {
  const { compact } = marks;
  const fill = toByteString(compact.head[3]);
  const head = line(
    table.names.map((name, column) => padded(name, table.widths[column]!, table.right[column]!, fill)),
    compact.head,
  );
  return (
    head +
    table.cells.map((row) => rowLine(table, row, compact.row)).join('') +
    ruleLine(table, compact.bottom)
  );
}

function spaceTable(table: Table): string {
  const sides = [' ', '   ', ''];
  return `${rowLine(table, table.names, sides)}\n${table.cells.map((row) => rowLine(table, row, sides)).join('')}`;
}

const layouts = { full: fullTable, compact: compactTable, space: spaceTable };

/** Pretty, PrettyCompact and PrettySpace: a table for people, one for each block. */
export function prettyWriter(
  schema: readonly ColumnSchema[],
  settings: Settings,
  frame: PrettyFrame,
): BlockWriter {
  const formats = schema.map((column) => cellFormatter(column.type, settings));
  const names = schema.map((column) => toByteString(column.name));
  const right = schema.map((column) => isRightAligned(column.type));
  const rowsMax = settings.output_format_pretty_max_rows;
  let total = 0;
  const draw = (block: Block, rows: number): string => {
    const readers = block.vectors.map(vectorReader);
    const cells = Array.from({ length: rows }, (_, row) =>
      readers.map((read, column) => formats[column]!(read(row))),
    );
    const widths = names.map((name, column) =>
      cells.reduce((width, row) => Math.max(width, displayWidth(row[column]!)), displayWidth(name)),
    );
    return layouts[frame]({ names, cells, widths, right });
  };
  return {
    contentType: 'text/plain; charset=UTF-8',
    streamable: true,
    start: () => noBytes,
    block(block) {
      const rows = Math.min(block.rows, Math.max(0, rowsMax - total));
      total += block.rows;
      return rows === 0 || schema.length === 0 ? noBytes : bytesOf(draw(block, rows));
    },
    finish(summary = {}) {
      let text = total > rowsMax ? `  Showed first ${rowsMax}.\n` : '';
      if (summary.totals !== undefined && summary.totals.rows > 0) {
        text += `\nTotals:\n${draw(summary.totals, summary.totals.rows)}`;
      }
      return text === '' ? noBytes : bytesOf(text);
    },
  };
}

/** Values in tables keep to their line: line ends and tabs are shown as escapes. */
function cellFormatter(type: SqlType, settings: Settings): TextFormatter {
  const format = textFormatter(type, textOptions(settings));
  return (value) =>
    value === null
      ? nullMark
      : format(value).replace(
          /[\n\r\t\0]/g,
          (char) => ({ '\n': '\\n', '\r': '\\r', '\t': '\\t' })[char] ?? '\\0',
        );
}

/** Vertical: every value on a line of its own, the rows numbered. */
export function verticalWriter(schema: readonly ColumnSchema[], settings: Settings): BlockWriter {
  const formats = schema.map((column) => textFormatter(column.type, textOptions(settings)));
  const names = schema.map((column) => `${toByteString(column.name)}:`);
  const width = names.reduce((most, name) => Math.max(most, displayWidth(name)), 0) + 1;
  const labels = names.map((name) => padded(name, width, false));
  let rows = 0;
  return {
    contentType: 'text/plain; charset=UTF-8',
    streamable: true,
    start: () => noBytes,
    block(block) {
      const readers = block.vectors.map(vectorReader);
      let text = '';
      for (let row = 0; row < block.rows; row++) {
        const title = `Row ${++rows}:`;
        text += `${rows === 1 ? '' : '\n'}${title}\n${toByteString('─').repeat(title.length)}\n`;
        for (const [column, read] of readers.entries()) {
          const value = read(row);
          text += `${labels[column]}${value === null ? nullMark : formats[column]!(value)}\n`;
        }
      }
      return bytesOf(text);
    },
    finish: () => noBytes,
  };
}

/** Markdown: a table in the notation of GitHub. */
export function markdownWriter(schema: readonly ColumnSchema[], settings: Settings): BlockWriter {
  const shield = (text: string) => text.replaceAll('|', '\\|').replace(/\r?\n/g, '<br/>');
  const formats = schema.map((column) => textFormatter(column.type, textOptions(settings)));
  const names = schema.map((column) => shield(toByteString(column.name)));
  const rules = schema.map((column) => (isRightAligned(column.type) ? '-:' : ':-'));
  return {
    contentType: 'text/markdown; charset=UTF-8',
    streamable: true,
    start: () => bytesOf(`| ${names.join(' | ')} |\n|${rules.join('|')}|\n`),
    block(block) {
      const readers = block.vectors.map(vectorReader);
      let text = '';
      for (let row = 0; row < block.rows; row++) {
        const cells = readers.map((read, column) => {
          const value = read(row);
          return value === null ? nullMark : shield(formats[column]!(value));
        });
        text += `| ${cells.join(' | ')} |\n`;
      }
      return bytesOf(text);
    },
    finish: () => noBytes,
  };
}

/** Null: nothing at all. */
export function nullWriter(): BlockWriter {
  return {
    contentType: 'text/plain; charset=UTF-8',
    streamable: true,
    start: () => noBytes,
    block: () => noBytes,
    finish: () => noBytes,
  };
}
