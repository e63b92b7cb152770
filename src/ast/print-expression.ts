import type { ColumnTransforms, Expr, FrameBound, Literal, OrderByItem, WindowSpec } from './nodes.ts';
import { printQuery } from './print-query.ts';
import { quoteName, quotePath, quoteString } from './quote.ts';
import { type ExprHandlers, type ExprOf, visitExpr } from './visit.ts';

/** How tightly the outermost operator of an expression binds; `primary` needs no parentheses anywhere. */
const level = {
  alias: 0,
  lambda: 5,
  or: 20,
  and: 30,
  not: 40,
  predicate: 50,
  concat: 55,
  sum: 60,
  product: 70,
  sign: 80,
  postfix: 90,
  primary: 100,
} as const;

interface Infix {
  readonly text: string;
  readonly level: number;
}

const infixes: ReadonlyMap<string, Infix> = new Map([
  ['or', { text: 'OR', level: level.or }],
  ['and', { text: 'AND', level: level.and }],
  ['equals', { text: '=', level: level.predicate }],
  ['not_equals', { text: '!=', level: level.predicate }],
  ['less', { text: '<', level: level.predicate }],
  ['less_or_equals', { text: '<=', level: level.predicate }],
  ['greater', { text: '>', level: level.predicate }],
  ['greater_or_equals', { text: '>=', level: level.predicate }],
  ['is_distinct_from', { text: 'IS DISTINCT FROM', level: level.predicate }],
  ['is_not_distinct_from', { text: 'IS NOT DISTINCT FROM', level: level.predicate }],
  ['like', { text: 'LIKE', level: level.predicate }],
  ['not_like', { text: 'NOT LIKE', level: level.predicate }],
  ['ilike', { text: 'ILIKE', level: level.predicate }],
  ['not_ilike', { text: 'NOT ILIKE', level: level.predicate }],
  ['in', { text: 'IN', level: level.predicate }],
  ['not_in', { text: 'NOT IN', level: level.predicate }],
  ['global_in', { text: 'GLOBAL IN', level: level.predicate }],
  ['global_not_in', { text: 'GLOBAL NOT IN', level: level.predicate }],
  ['concat', { text: '||', level: level.concat }],
  ['plus', { text: '+', level: level.sum }],
  ['minus', { text: '-', level: level.sum }],
  ['multiply', { text: '*', level: level.product }],
  ['divide', { text: '/', level: level.product }],
  ['modulo', { text: '%', level: level.product }],
  ['int_div', { text: 'DIV', level: level.product }],
]);

const suffixes: ReadonlyMap<string, string> = new Map([
  ['is_null', 'IS NULL'],
  ['is_not_null', 'IS NOT NULL'],
]);

/** Operators that hold their whole chain, in which an operand of the same operator stands in parentheses. */
const chained: ReadonlySet<string> = new Set(['and', 'or', 'concat']);

const levels: ExprHandlers<number> = {
  alias: () => level.alias,
  lambda: () => level.lambda,
  between: () => level.predicate,
  cast: (expr) => (expr.style === '::' ? level.postfix : level.primary),
  literal: (expr) => ('text' in expr && expr.text.startsWith('-') ? level.sign : level.primary),
  call: callLevel,
  column: () => level.primary,
  asterisk: () => level.primary,
  columns: () => level.primary,
  case: () => level.primary,
  array: () => level.primary,
  tuple: () => level.primary,
  map: () => level.primary,
  interval: () => level.primary,
  subquery: () => level.primary,
  exists: () => level.primary,
  json_path: () => level.primary,
  parameter: () => level.primary,
};

function levelOf(expr: Expr): number {
  return visitExpr(expr, levels);
}

function callLevel(expr: ExprOf<'call'>): number {
  if (!expr.operator) return level.primary;
  const infix = infixes.get(expr.name);
  if (infix !== undefined) return infix.level;
  if (suffixes.has(expr.name)) return level.predicate;
  if (expr.name === 'not') return level.not;
  return expr.name === 'negate' ? level.sign : level.postfix;
}

/** The expression, in parentheses when it binds less tightly than its surroundings need. */
function within(expr: Expr, needed: number): string {
  const text = printExpr(expr);
  return levelOf(expr) >= needed ? text : `(${text})`;
}

export function printExprs(items: readonly Expr[]): string {
  return items.map(printExpr).join(', ');
}

export function printLiteral(expr: Literal): string {
  if (expr.type === 'string') return quoteString(expr.value);
  if (expr.type === 'null') return 'NULL';
  return expr.type === 'bool' ? String(expr.value) : expr.text;
}

const printers: ExprHandlers<string> = {
  literal: printLiteral,
  column: (expr) => quotePath(expr.parts),
  asterisk: (expr) => `${qualifier(expr.qualifier)}*${printTransforms(expr.transforms)}`,
  columns: (expr) => {
    const inner = expr.pattern === null ? expr.names.map(quoteName).join(', ') : quoteString(expr.pattern);
    return `${qualifier(expr.qualifier)}COLUMNS(${inner})${printTransforms(expr.transforms)}`;
  },
  call: (expr) => (expr.operator ? printOperator(expr) : printCall(expr)),
  between: (expr) => {
    const operands = [expr.low, expr.high].map((bound) => within(bound, level.predicate + 1));
    const word = expr.negated ? 'NOT BETWEEN' : 'BETWEEN';
    return `${within(expr.expr, level.predicate)} ${word} ${operands.join(' AND ')}`;
  },
  case: printCase,
  cast: (expr) => {
    if (expr.style === 'cast_as') return `CAST(${within(expr.expr, level.lambda)} AS ${expr.typeText})`;
    if (expr.style === 'function')
      return `cast(${within(expr.expr, level.lambda)}, ${quoteString(expr.typeText)})`;
    // A signed literal is the operand of `::` as it stands.
    const bare = expr.expr.kind === 'literal' || levelOf(expr.expr) >= level.postfix;
    return `${bare ? printExpr(expr.expr) : `(${printExpr(expr.expr)})`}::${expr.typeText}`;
  },
  array: (expr) => `[${printExprs(expr.items)}]`,
  tuple: (expr) => `(${printExprs(expr.items)}${expr.items.length === 1 ? ',' : ''})`,
  map: (expr) =>
    `{${expr.entries.map(({ key, value }) => `${printExpr(key)}: ${printExpr(value)}`).join(', ')}}`,
  interval: (expr) => {
    const { value } = expr;
    const isNumber = value.kind === 'literal' && 'text' in value;
    const bare = isNumber || value.kind === 'column' || value.kind === 'parameter';
    return `INTERVAL ${bare ? printExpr(value) : `(${printExpr(value)})`} ${expr.unit.toUpperCase()}`;
  },
  lambda: (expr) => `${printParams(expr.params)} -> ${within(expr.body, level.lambda)}`,
  subquery: (expr) => `(${printQuery(expr.query)})`,
  exists: (expr) => `EXISTS(${printQuery(expr.query)})`,
  json_path: (expr) => {
    const steps = expr.path.map((step) =>
      step.type === 'key' ? `.${quoteName(step.key)}` : `[${step.index}]`,
    );
    return `${quotePath(expr.base.parts)}:${steps.join('').slice(1)}`;
  },
  parameter: (expr) => `{${quoteName(expr.name)}:${expr.typeText}}`,
  alias: (expr) => `${within(expr.expr, level.lambda)} AS ${quoteName(expr.name)}`,
};

/** An expression as SQL that parses to an equal node. */
export function printExpr(expr: Expr): string {
  return visitExpr(expr, printers);
}

function qualifier(parts: readonly string[] | null): string {
  return parts === null ? '' : `${quotePath(parts)}.`;
}

export function printParams(params: readonly string[]): string {
  const names = params.map(quoteName).join(', ');
  return params.length === 1 ? names : `(${names})`;
}

function printOperator(expr: ExprOf<'call'>): string {
  const { name, args } = expr;
  const [first, second] = args;
  const infix = infixes.get(name);
  if (infix !== undefined) {
    const firstLevel = chained.has(name) ? infix.level + 1 : infix.level;
    const operands = args.map((arg, index) => within(arg, index === 0 ? firstLevel : infix.level + 1));
    return operands.join(` ${infix.text} `);
  }
  const suffix = suffixes.get(name);
  if (suffix !== undefined) return `${within(first!, level.predicate)} ${suffix}`;
  if (name === 'not') return `NOT ${within(first!, level.not)}`;
  if (name === 'negate') return `-${printSigned(first!)}`;
  if (name === 'array_element') return `${printBase(first!)}[${within(second!, level.lambda)}]`;
  const key = second!;
  if (key.kind !== 'literal' || key.type !== 'string') return `${printBase(first!)}.${printExpr(key)}`;
  // A name behind the dot would join a bare column.
  const base = first!.kind === 'column' ? `(${printExpr(first!)})` : printBase(first!);
  return `${base}.${quoteName(key.value)}`;
}

/** Behind a minus, what could be taken for a part of a signed literal stands in parentheses. */
function printSigned(expr: Expr): string {
  const bare =
    expr.kind === 'column' || expr.kind === 'json_path' || (expr.kind === 'call' && !expr.operator);
  return bare ? printExpr(expr) : `(${printExpr(expr)})`;
}

/** Before `[` and `.`, a path stands in parentheses, because the suffix would otherwise join it. */
function printBase(expr: Expr): string {
  const closed = expr.kind === 'array' || expr.kind === 'tuple' || expr.kind === 'column';
  const bare = closed || (expr.kind === 'call' && levelOf(expr) >= level.postfix);
  return bare ? printExpr(expr) : `(${printExpr(expr)})`;
}

function printCall(expr: ExprOf<'call'>): string {
  const name = /^(?:and|or|in|like|ilike)$/i.test(expr.name) ? expr.name : quoteName(expr.name);
  const params = expr.params === null ? '' : `(${printExprs(expr.params)})`;
  const [only] = expr.args;
  const query = expr.args.length === 1 && only!.kind === 'subquery' ? `(${printExpr(only!)})` : null;
  let text = `${name}${params}${query ?? `(${expr.distinct ? 'DISTINCT ' : ''}${printExprs(expr.args)})`}`;
  if (expr.nulls !== null) text += ` ${expr.nulls.toUpperCase()} NULLS`;
  if (expr.filter !== null) text += ` FILTER (WHERE ${within(expr.filter, level.lambda)})`;
  if (expr.over !== null)
    text += ` OVER ${typeof expr.over === 'string' ? quoteName(expr.over) : printWindow(expr.over)}`;
  return text;
}

function printCase(expr: ExprOf<'case'>): string {
  const operand = expr.operand === null ? '' : ` ${within(expr.operand, level.lambda)}`;
  const branches = expr.branches.map(({ when, then }) => {
    return ` WHEN ${within(when, level.lambda)} THEN ${within(then, level.lambda)}`;
  });
  const otherwise = expr.otherwise === null ? '' : ` ELSE ${within(expr.otherwise, level.lambda)}`;
  return `CASE${operand}${branches.join('')}${otherwise} END`;
}

function printTransforms(transforms: ColumnTransforms): string {
  let text = '';
  if (transforms.exceptPattern !== null) text += ` EXCEPT(${quoteString(transforms.exceptPattern)})`;
  if (transforms.except.length > 0) text += ` EXCEPT(${transforms.except.map(quoteName).join(', ')})`;
  if (transforms.replace.length > 0) {
    const items = transforms.replace.map(
      ({ expr, name }) => `${within(expr, level.lambda)} AS ${quoteName(name)}`,
    );
    text += ` REPLACE(${items.join(', ')})`;
  }
  for (const item of transforms.apply) {
    if (item.type === 'lambda') text += ` APPLY(${printExpr(item.lambda)})`;
    else
      text += ` APPLY(${quoteName(item.name)}${item.params.length === 0 ? '' : `(${printExprs(item.params)})`})`;
  }
  return text;
}

export function printWindow(spec: WindowSpec): string {
  const parts: string[] = [];
  if (spec.base !== null) parts.push(quoteName(spec.base));
  if (spec.partitionBy.length > 0) parts.push(`PARTITION BY ${printExprs(spec.partitionBy)}`);
  if (spec.orderBy.length > 0) parts.push(`ORDER BY ${spec.orderBy.map(printOrderByItem).join(', ')}`);
  const { frame } = spec;
  if (frame !== null) {
    parts.push(`${frame.unit.toUpperCase()} BETWEEN ${printBound(frame.start)} AND ${printBound(frame.end)}`);
  }
  return `(${parts.join(' ')})`;
}

function printBound(bound: FrameBound): string {
  const words = bound.type.replace('_', ' ').toUpperCase();
  return bound.offset === null ? words : `${within(bound.offset, level.concat)} ${words}`;
}

/** An expression as an operand, where a predicate, AND, OR or alias would need parentheses. */
export function printOperand(expr: Expr): string {
  return within(expr, level.concat);
}

/** An expression without an alias of its own outside of parentheses. */
export function printUnaliased(expr: Expr): string {
  return within(expr, level.lambda);
}

export function printOrderByItem(item: OrderByItem): string {
  let text = printExpr(item.expr);
  text += item.direction === 'desc' ? ' DESC' : '';
  if (item.nulls !== null) text += ` NULLS ${item.nulls.toUpperCase()}`;
  if (item.collate !== null) text += ` COLLATE ${quoteString(item.collate)}`;
  if (item.fill !== null) {
    text += ' WITH FILL';
    if (item.fill.from !== null) text += ` FROM ${printOperand(item.fill.from)}`;
    if (item.fill.to !== null) text += ` TO ${printOperand(item.fill.to)}`;
    if (item.fill.step !== null) text += ` STEP ${printOperand(item.fill.step)}`;
    if (item.fill.staleness !== null) text += ` STALENESS ${printOperand(item.fill.staleness)}`;
  }
  return text;
}
