import { type Expr, quoted, type Row } from './model.ts';
import { dateText, type Type, text, typeText, type Value } from './values.ts';

/** The text of a literal that has the very type. */
function constantSql(value: Value, of: Type): string {
  const name = typeText(of);
  if (value === null) return `NULL::${name}`;
  if (Array.isArray(value)) return `[${value.join(', ')}]::${name}`;
  if (typeof value === 'string') return of.nullable ? `${quoted(text(value))}::${name}` : quoted(text(value));
  if (of.base === 'date') return `'${dateText(value as bigint)}'::${name}`;
  if (typeof value === 'boolean') return String(value);
  return `'${String(value).replace('Infinity', 'inf').toLowerCase()}'::${name}`;
}

/** The expression with the columns that `chosen` picks replaced by the values that they have in a row. */
export function withConstants(expr: Expr, row: Row, chosen: (name: string) => boolean): Expr {
  switch (expr.kind) {
    case 'column': {
      if (!chosen(expr.name)) return expr;
      const value = row[expr.name]!;
      return { kind: 'literal', sql: constantSql(value, expr.type), value, type: expr.type };
    }
    case 'call':
      return { ...expr, args: expr.args.map((argument) => withConstants(argument, row, chosen)) };
    case 'in':
      return { ...expr, value: withConstants(expr.value, row, chosen) };
    default:
      return expr;
  }
}
