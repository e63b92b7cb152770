import type { Expr, Node, Query, SelectQuery, Statement, TableExpr, WindowSpec } from './nodes.ts';

/** The node type of a kind. */
export type ExprOf<K extends Expr['kind']> = Extract<Expr, { readonly kind: K }>;
export type StatementOf<K extends Statement['kind']> = Extract<Statement, { readonly kind: K }>;

/** One handler for every kind of expression; a missing one does not compile. */
export type ExprHandlers<T> = { readonly [K in Expr['kind']]: (expr: ExprOf<K>) => T };
export type StatementHandlers<T> = { readonly [K in Statement['kind']]: (statement: StatementOf<K>) => T };

/** Calls the handler of an expression's kind. */
export function visitExpr<T>(expr: Expr, handlers: ExprHandlers<T>): T {
  return (handlers[expr.kind] as (expr: Expr) => T)(expr);
}

/** Calls the handler of a statement's kind. */
export function visitStatement<T>(statement: Statement, handlers: StatementHandlers<T>): T {
  return (handlers[statement.kind] as (statement: Statement) => T)(statement);
}

type Transform = (expr: Expr) => Expr;

function mapAll(items: readonly Expr[], f: Transform): readonly Expr[] {
  let result: Expr[] | null = null;
  for (const [index, item] of items.entries()) {
    const mapped = f(item);
    if (result === null && mapped !== item) result = items.slice(0, index);
    result?.push(mapped);
  }
  return result ?? items;
}

function mapOptional(expr: Expr | null, f: Transform): Expr | null {
  return expr === null ? null : f(expr);
}

function mapWindow(over: WindowSpec | string | null, f: Transform): WindowSpec | string | null {
  if (over === null || typeof over === 'string') return over;
  const { frame } = over;
  return {
    base: over.base,
    partitionBy: mapAll(over.partitionBy, f),
    orderBy: over.orderBy.map((item) => ({ ...item, expr: f(item.expr) })),
    frame:
      frame === null
        ? null
        : {
            unit: frame.unit,
            start: { ...frame.start, offset: mapOptional(frame.start.offset, f) },
            end: { ...frame.end, offset: mapOptional(frame.end.offset, f) },
          },
  };
}

function mapTransforms<T extends ExprOf<'asterisk'> | ExprOf<'columns'>>(node: T, f: Transform): T {
  const { replace, apply } = node.transforms;
  if (replace.length === 0 && apply.length === 0) return node;
  const transforms = {
    ...node.transforms,
    replace: replace.map((item) => ({ ...item, expr: f(item.expr) })),
    apply: apply.map((item) =>
      item.type === 'function' ? { ...item, params: mapAll(item.params, f) } : item,
    ),
  };
  return { ...node, transforms };
}

function sameExpr(expr: Expr): Expr {
  return expr;
}

const mappers: { readonly [K in Expr['kind']]: (expr: ExprOf<K>, f: Transform) => Expr } = {
  literal: sameExpr,
  column: sameExpr,
  parameter: sameExpr,
  json_path: sameExpr,
  subquery: sameExpr,
  exists: sameExpr,
  asterisk: mapTransforms,
  columns: mapTransforms,
  call: (expr, f) => {
    const args = mapAll(expr.args, f);
    const params = expr.params === null ? null : mapAll(expr.params, f);
    const filter = mapOptional(expr.filter, f);
    const over = mapWindow(expr.over, f);
    const same = args === expr.args && params === expr.params && filter === expr.filter && over === expr.over;
    return same ? expr : { ...expr, args, params, filter, over };
  },
  between: (expr, f) => ({ ...expr, expr: f(expr.expr), low: f(expr.low), high: f(expr.high) }),
  case: (expr, f) => ({
    ...expr,
    operand: mapOptional(expr.operand, f),
    // biome-ignore lint/suspicious/noThenProperty: it holds the expression after THEN, and nobody awaits a node.
    branches: expr.branches.map((branch) => ({ when: f(branch.when), then: f(branch.then) })),
    otherwise: mapOptional(expr.otherwise, f),
  }),
  cast: (expr, f) => ({ ...expr, expr: f(expr.expr) }),
  array: (expr, f) => ({ ...expr, items: mapAll(expr.items, f) }),
  tuple: (expr, f) => ({ ...expr, items: mapAll(expr.items, f) }),
  map: (expr, f) => ({
    ...expr,
    entries: expr.entries.map(({ key, value }) => ({ key: f(key), value: f(value) })),
  }),
  interval: (expr, f) => ({ ...expr, value: f(expr.value) }),
  lambda: (expr, f) => ({ ...expr, body: f(expr.body) }),
  alias: (expr, f) => ({ ...expr, expr: f(expr.expr) }),
};

/**
 * The expression with each direct sub-expression replaced by `f` of it. Queries inside are another scope and are left as
 * they are; so is the column that a JSON path begins with.
 */
export function mapChildren(expr: Expr, f: (child: Expr) => Expr): Expr {
  return (mappers[expr.kind] as (expr: Expr, f: Transform) => Expr)(expr, f);
}

/** The direct sub-expressions of an expression, in source order, not those of queries inside. */
export function childrenOf(expr: Expr): Expr[] {
  const children: Expr[] = [];
  mapChildren(expr, (child) => {
    children.push(child);
    return child;
  });
  return children;
}

/** The query that an expression holds directly. */
export function queryOf(expr: Expr): Query | null {
  return expr.kind === 'subquery' || expr.kind === 'exists' ? expr.query : null;
}

/** Visits an expression and everything in it, parents first; where `enter` gives false, nothing below is visited. */
export function walkExpr(root: Expr, enter: (expr: Expr) => boolean | undefined): void {
  const stack = [root];
  for (let expr = stack.pop(); expr !== undefined; expr = stack.pop()) {
    if (enter(expr) !== false) stack.push(...childrenOf(expr).reverse());
  }
}

/** The tables that a FROM clause reads, from left to right. */
export function leavesOf(table: TableExpr): Exclude<TableExpr, { readonly kind: 'join' }>[] {
  const leaves: Exclude<TableExpr, { readonly kind: 'join' }>[] = [];
  const stack = [table];
  for (let at = stack.pop(); at !== undefined; at = stack.pop()) {
    if (at.kind === 'join') stack.push(at.right, at.left);
    else leaves.push(at);
  }
  return leaves;
}

/** The SELECTs of a query, from left to right, not those of subqueries. */
export function selectsOf(query: Query): SelectQuery[] {
  const selects: SelectQuery[] = [];
  const stack = [query];
  for (let at = stack.pop(); at !== undefined; at = stack.pop()) {
    if (at.kind === 'select') selects.push(at);
    else stack.push(...at.inputs.toReversed());
  }
  return selects;
}

/** What says how a node was written, not what it means. */
const asWritten: ReadonlySet<string> = new Set(['pos', 'isDoubleQuoted']);

/** Whether two nodes mean the same, wherever they stand and however their names are quoted. */
export function equalNodes(left: Node, right: Node): boolean {
  return equalValues(left, right);
}

function equalValues(left: unknown, right: unknown): boolean {
  if (Object.is(left, right)) return true;
  if (typeof left !== 'object' || typeof right !== 'object' || left === null || right === null) return false;
  if (Array.isArray(left) !== Array.isArray(right)) return false;
  const leftEntries = Object.entries(left).filter(([key]) => !asWritten.has(key));
  const rightMap = new Map(Object.entries(right).filter(([key]) => !asWritten.has(key)));
  if (leftEntries.length !== rightMap.size) return false;
  return leftEntries.every(([key, value]) => rightMap.has(key) && equalValues(value, rightMap.get(key)));
}
