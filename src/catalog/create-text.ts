import { typeName } from '../types/index.ts';
import type { ColumnDefinition } from './objects.ts';

/** A name as SQL, quoted where it has to be. */
export function quotedName(name: string): string {
  return /^[A-Za-z_][A-Za-z0-9_]*$/.test(name)
    ? name
    : `\`${name.replaceAll('\\', '\\\\').replaceAll('`', '\\`')}\``;
}

function quotedText(value: string): string {
  return `'${value.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}

interface DefinedText {
  readonly database: string;
  readonly name: string;
  readonly columns: readonly ColumnDefinition[];
  readonly comment: string;
}

function columnLines(columns: readonly ColumnDefinition[]): string {
  const lines = columns.map((column) => {
    const rest = column.defaultText === null ? '' : ` DEFAULT ${column.defaultText}`;
    const comment = column.comment === '' ? '' : ` COMMENT ${quotedText(column.comment)}`;
    return `  ${quotedName(column.name)} ${typeName(column.type)}${rest}${comment}`;
  });
  return `\n(\n${lines.join(',\n')}\n)`;
}

function commentText(comment: string): string {
  return comment === '' ? '' : `\nCOMMENT ${quotedText(comment)}`;
}

/** The statement that would make a stream. */
export function streamText({ database, name, columns, comment }: DefinedText): string {
  const full = `${quotedName(database)}.${quotedName(name)}`;
  return `CREATE STREAM ${full}${columnLines(columns)}${commentText(comment)}`;
}

/** The statement that would make an external stream or table, with the settings that may be shown. */
export function externalText(
  { database, name, columns, comment, variant }: DefinedText & { readonly variant: 'stream' | 'table' },
  shownSettings: Readonly<Record<string, string>>,
): string {
  const full = `${quotedName(database)}.${quotedName(name)}`;
  const settings = Object.entries(shownSettings).map(([key, value]) => `${key} = ${quotedText(value)}`);
  const what = `CREATE EXTERNAL ${variant.toUpperCase()} ${full}`;
  return `${what}${columnLines(columns)}\nSETTINGS ${settings.join(', ')}${commentText(comment)}`;
}
