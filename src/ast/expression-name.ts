import type { Expr, WindowSpec } from './nodes.ts';
import { printLiteral, printOrderByItem, printWindow } from './print-expression.ts';
import { type ExprHandlers, visitExpr } from './visit.ts';

function list(items: readonly Expr[]): string {
  return items.map(expressionName).join(', ');
}

function call(name: string, ...args: readonly Expr[]): string {
  return `${name}(${list(args)})`;
}

/** The name of a window shows its expressions as they are named elsewhere. */
function windowName(spec: WindowSpec): string {
  const orderBy = spec.orderBy.map((item) => {
    const shown = printOrderByItem({ ...item, expr: { ...noColumn, pos: item.expr.pos } });
    return `${expressionName(item.expr)}${item.direction === 'asc' ? ' ASC' : ''}${shown.slice(noColumn.parts[0].length)}`;
  });
  const parts: string[] = [];
  if (spec.base !== null) parts.push(spec.base);
  if (spec.partitionBy.length > 0) parts.push(`PARTITION BY ${list(spec.partitionBy)}`);
  if (orderBy.length > 0) parts.push(`ORDER BY ${orderBy.join(', ')}`);
  const frame = printWindow({ base: null, partitionBy: [], orderBy: [], frame: spec.frame }).slice(1, -1);
  if (frame !== '') parts.push(frame);
  return `(${parts.join(' ')})`;
}

const noColumn = { kind: 'column', parts: ['x'] } as const;

const namers: ExprHandlers<string> = {
  literal: printLiteral,
  column: (expr) => expr.parts.join('.'),
  asterisk: (expr) => [...(expr.qualifier ?? []), '*'].join('.'),
  columns: (expr) => `COLUMNS(${expr.pattern === null ? expr.names.join(', ') : expr.pattern})`,
  call: (expr) => {
    const params = expr.params === null ? '' : `(${list(expr.params)})`;
    const [only] = expr.args;
    const counted =
      expr.name.toLowerCase() === 'count' && expr.args.length === 1 && only!.kind === 'asterisk';
    let text = `${expr.name}${params}(${expr.distinct ? 'DISTINCT ' : ''}${counted ? '' : list(expr.args)})`;
    if (expr.nulls !== null) text += ` ${expr.nulls.toUpperCase()} NULLS`;
    if (expr.filter !== null) text += ` FILTER (WHERE ${expressionName(expr.filter)})`;
    if (expr.over !== null)
      text += ` OVER ${typeof expr.over === 'string' ? expr.over : windowName(expr.over)}`;
    return text;
  },
  between: (expr) => {
    const [low, high] = expr.negated ? ['less', 'greater'] : ['greater_or_equals', 'less_or_equals'];
    const bounds = `${call(low!, expr.expr, expr.low)}, ${call(high!, expr.expr, expr.high)}`;
    return `${expr.negated ? 'or' : 'and'}(${bounds})`;
  },
  case: (expr) => {
    const parts = expr.branches.flatMap(({ when, then }) => [when, then]).map(expressionName);
    parts.push(expr.otherwise === null ? 'NULL' : expressionName(expr.otherwise));
    if (expr.operand === null) return `multi_if(${parts.join(', ')})`;
    return `case_with_expression(${[expressionName(expr.operand), ...parts].join(', ')})`;
  },
  cast: (expr) => `cast(${expressionName(expr.expr)}, '${expr.typeText.replaceAll("'", "\\'")}')`,
  array: (expr) => `[${list(expr.items)}]`,
  tuple: (expr) => `(${list(expr.items)})`,
  map: (expr) => call('map', ...expr.entries.flatMap(({ key, value }) => [key, value])),
  interval: (expr) => call(`to_interval_${expr.unit}`, expr.value),
  lambda: (expr) => `lambda((${expr.params.join(', ')}), ${expressionName(expr.body)})`,
  subquery: () => '_subquery',
  exists: () => 'exists(_subquery)',
  json_path: (expr) => {
    const steps = expr.path.map((step) => (step.type === 'key' ? `.${step.key}` : `[${step.index}]`));
    return `${expr.base.parts.join('.')}:${steps.join('').slice(1)}`;
  },
  parameter: (expr) => `{${expr.name}:${expr.typeText}}`,
  alias: (expr) => expr.name,
};

/** The name of the column that a SELECT makes of an expression: its alias, or the expression written as calls. */
export function expressionName(expr: Expr): string {
  return visitExpr(expr, namers);
}
