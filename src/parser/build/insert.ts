import type { InsertColumnsContext, InsertStatementContext } from '../../../generated/SluiceParser.ts';
import type { InsertColumns, InsertStatement } from '../../ast/index.ts';
import { identifierText, objectName, optionalString, spanOf, stringValue } from './common.ts';
import { columnName } from './definitions.ts';
import { optionalExpression } from './expressions.ts';
import { query, settingsOf } from './queries.ts';
import { tableFunction } from './tables.ts';

/** The head of an INSERT; whoever cut the text at its data adds where that begins. */
export function insertStatement(ctx: InsertStatementContext): InsertStatement {
  const target = ctx.objectName();
  const source = ctx.query();
  const format = ctx._format;
  return {
    kind: 'insert',
    target: target === null ? tableFunction(ctx.tableFunction()!) : objectName(target),
    columns: insertColumns(ctx.insertColumns()),
    partitionBy: optionalExpression(ctx._partition),
    infile: ctx._path
      ? { path: stringValue(ctx._path), compression: optionalString(ctx._compression) }
      : null,
    settings: [...settingsOf(ctx._before), ...settingsOf(ctx._after)],
    format: format !== undefined ? identifierText(format) : ctx.VALUES() === null ? null : 'Values',
    query: source === null ? null : query(source),
    data: null,
    pos: spanOf(ctx),
  };
}

function insertColumns(ctx: InsertColumnsContext | null): InsertColumns | null {
  if (ctx === null) return null;
  return { asterisk: ctx.STAR() !== null, names: ctx.columnName().map(columnName) };
}
