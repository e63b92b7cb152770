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

/** The statement that would make a stream. */
export function streamText(stream: {
  database: string;
  name: string;
  columns: readonly ColumnDefinition[];
  comment: string;
}): string {
  const lines = stream.columns.map((column) => {
    const rest = column.defaultText === null ? '' : ` DEFAULT ${column.defaultText}`;
    const comment = column.comment === '' ? '' : ` COMMENT ${quotedText(column.comment)}`;
    return `  ${quotedName(column.name)} ${typeName(column.type)}${rest}${comment}`;
  });
  const tail = stream.comment === '' ? '' : `\nCOMMENT ${quotedText(stream.comment)}`;
  return `CREATE STREAM ${quotedName(stream.database)}.${quotedName(stream.name)}\n(\n${lines.join(',\n')}\n)${tail}`;
}
