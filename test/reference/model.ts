import type { Aggregate } from './aggregates.ts';
import { aggregate } from './aggregates.ts';
import { type Fn, fn } from './functions.ts';
import { bytes, type Type, type, type Value } from './values.ts';

/** A row by the names that a query knows its columns by. */
export type Row = Readonly<Record<string, Value>>;

export interface Column {
  readonly name: string;
  readonly type: Type;
}

export interface Table {
  readonly name: string;
  readonly columns: readonly Column[];
  readonly rows: readonly Row[];
}

export type Expr =
  | { readonly kind: 'column'; readonly name: string; readonly type: Type }
  | { readonly kind: 'literal'; readonly sql: string; readonly value: Value; readonly type: Type }
  | { readonly kind: 'call'; readonly fn: Fn; readonly args: readonly Expr[]; readonly type: Type }
  | {
      readonly kind: 'path';
      readonly document: Expr;
      readonly path: readonly (string | number)[];
      readonly type: Type;
    }
  | {
      readonly kind: 'in';
      readonly value: Expr;
      readonly items: readonly Expr[] | Query;
      readonly negated: boolean;
      readonly type: Type;
    }
  | { readonly kind: 'scalar'; readonly query: Query; readonly type: Type }
  | {
      readonly kind: 'aggregate';
      readonly aggregate: Aggregate;
      readonly args: readonly Expr[];
      readonly condition: Expr | null;
      readonly distinct: boolean;
      readonly type: Type;
    };

export interface Output {
  readonly name: string;
  readonly expr: Expr;
}

export type From =
  | { readonly kind: 'table'; readonly table: Table }
  | { readonly kind: 'query'; readonly query: Query }
  | {
      readonly kind: 'join';
      readonly join: 'inner' | 'left' | 'cross';
      /** At most one match for each row on the left. */
      readonly any: boolean;
      readonly left: Table;
      readonly right: Table;
      readonly keys: readonly (readonly [left: Expr, right: Expr])[];
    }
  | {
      readonly kind: 'array_join';
      readonly table: Table;
      readonly array: string;
      readonly name: string;
      readonly left: boolean;
    };

export interface Order {
  readonly expr: Expr;
  readonly descending: boolean;
  /** Null when the query leaves it open: NULLs and NaN then come last. */
  readonly nullsFirst: boolean | null;
}

export interface Select {
  readonly kind: 'select';
  readonly from: From;
  readonly where: Expr | null;
  /** Null when nothing is grouped; empty for one group of all rows. */
  readonly keys: readonly Output[] | null;
  readonly outputs: readonly Output[];
  readonly having: Expr | null;
  readonly distinct: boolean;
  readonly order: readonly Order[];
  readonly limitBy: { readonly limit: number; readonly by: readonly Expr[] } | null;
  readonly limit: number | null;
  readonly offset: number;
}

/** A SELECT with no clause but those that every one has. */
export const bareSelect: Omit<Select, 'from' | 'outputs'> = {
  kind: 'select',
  where: null,
  keys: null,
  having: null,
  distinct: false,
  order: [],
  limitBy: null,
  limit: null,
  offset: 0,
};

export type Query = Select | { readonly kind: 'union'; readonly inputs: readonly Query[] };

export function column(name: string, of: Type): Expr {
  return { kind: 'column', name, type: of };
}

export function quoted(value: string): string {
  return `'${value.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}

/** A literal: whole numbers have the narrowest type that holds them. */
export function literal(value: bigint | number | string | null): Expr {
  if (value === null) return { kind: 'literal', sql: 'NULL', value, type: type('nothing', true) };
  if (typeof value === 'string')
    return { kind: 'literal', sql: quoted(value), value: bytes(value), type: type('string') };
  if (typeof value === 'number') {
    return { kind: 'literal', sql: numberSql(value, value.toFixed(2)), value, type: type('float64') };
  }
  const bits = [8, 16, 32, 64].find((size) =>
    value < 0n ? BigInt.asIntN(size, value) === value : BigInt.asUintN(size, value) === value,
  )!;
  const sql = numberSql(value, String(value));
  return { kind: 'literal', sql, value, type: type(`${value < 0n ? '' : 'u'}int${bits}`) };
}

/** In brackets when it begins with a sign, which another sign before it would make a remark. */
function numberSql(value: bigint | number, sql: string): string {
  return value < 0 ? `(${sql})` : sql;
}

/** The value as another type; NULL stays NULL. */
export function cast(name: string, value: Expr): Expr {
  return call(value.type.nullable ? `nullable(${name})` : name, value);
}

export function call(name: string, ...args: readonly Expr[]): Expr {
  const found = fn(name);
  if (found.ownNulls === true)
    return { kind: 'call', fn: found, args, type: found.type(args.map((argument) => argument.type)) };
  const bare = args.map((argument) => ({ ...argument.type, nullable: false }));
  const result = found.type(bare);
  const nullable = result.nullable || args.some((argument) => argument.type.nullable);
  return { kind: 'call', fn: found, args, type: { ...result, nullable } };
}

export function aggregated(
  name: string,
  args: readonly Expr[],
  options: { readonly condition?: Expr; readonly distinct?: boolean } = {},
): Expr {
  const found = aggregate(name);
  const result = found.type(args.map((argument) => ({ ...argument.type, nullable: false })));
  const nullable = found.nullOfNone && args.some((argument) => argument.type.nullable);
  return {
    kind: 'aggregate',
    aggregate: found,
    args,
    condition: options.condition ?? null,
    distinct: options.distinct ?? false,
    type: { ...result, nullable },
  };
}

export function inList(value: Expr, items: readonly Expr[] | Query, negated: boolean): Expr {
  return { kind: 'in', value, items, negated, type: type('bool', value.type.nullable) };
}

export function printExpr(expr: Expr): string {
  switch (expr.kind) {
    case 'column':
      return expr.name;
    case 'literal':
      return expr.sql;
    case 'call':
      return expr.fn.print(expr.args.map(printExpr));
    case 'path': {
      const steps = expr.path.map((step, index) =>
        typeof step === 'number' ? `[${step}]` : `${index === 0 ? '' : '.'}${step}`,
      );
      return `${printExpr(expr.document)}:${steps.join('')}`;
    }
    case 'in': {
      const items = 'kind' in expr.items ? printQuery(expr.items) : expr.items.map(printExpr).join(', ');
      return `(${printExpr(expr.value)} ${expr.negated ? 'NOT IN' : 'IN'} (${items}))`;
    }
    case 'scalar':
      return `(${printQuery(expr.query)})`;
    case 'aggregate': {
      const args = [...expr.args, ...(expr.condition === null ? [] : [expr.condition])].map(printExpr);
      const name = `${expr.aggregate.name}${expr.condition === null ? '' : '_if'}`;
      return `${name}(${expr.distinct ? 'DISTINCT ' : ''}${args.join(', ')})`;
    }
  }
}

function printFrom(from: From): string {
  switch (from.kind) {
    case 'table':
      return `table(${from.table.name})`;
    case 'query':
      return `(${printQuery(from.query)})`;
    case 'join': {
      const on = from.keys.map(([left, right]) => `${printExpr(left)} = ${printExpr(right)}`).join(' AND ');
      const word = `${from.join.toUpperCase()} ${from.any ? 'ANY ' : ''}JOIN`;
      const condition = from.join === 'cross' ? '' : ` ON ${on}`;
      return `table(${from.left.name}) AS l ${word} table(${from.right.name}) AS r${condition}`;
    }
    case 'array_join':
      return `table(${from.table.name}) ${from.left ? 'LEFT ' : ''}ARRAY JOIN ${from.array} AS ${from.name}`;
  }
}

function printOutputs(outputs: readonly Output[]): string {
  return outputs.map(({ name, expr }) => `${printExpr(expr)} AS ${name}`).join(', ');
}

function printOrder({ expr, descending, nullsFirst }: Order): string {
  const nulls = nullsFirst === null ? '' : nullsFirst ? ' NULLS FIRST' : ' NULLS LAST';
  return `${printExpr(expr)}${descending ? ' DESC' : ''}${nulls}`;
}

export function printQuery(query: Query): string {
  if (query.kind === 'union') return query.inputs.map(printQuery).join(' UNION ALL ');
  const clauses = [
    `SELECT ${query.distinct ? 'DISTINCT ' : ''}${printOutputs(query.outputs)}`,
    `FROM ${printFrom(query.from)}`,
  ];
  if (query.where !== null) clauses.push(`WHERE ${printExpr(query.where)}`);
  if (query.keys !== null && query.keys.length > 0)
    clauses.push(
      `GROUP BY ${query.keys
        .map((key) => (query.outputs.some(({ name }) => name === key.name) ? key.name : printExpr(key.expr)))
        .join(', ')}`,
    );
  if (query.having !== null) clauses.push(`HAVING ${printExpr(query.having)}`);
  if (query.order.length > 0) clauses.push(`ORDER BY ${query.order.map(printOrder).join(', ')}`);
  if (query.limitBy !== null)
    clauses.push(`LIMIT ${query.limitBy.limit} BY ${query.limitBy.by.map(printExpr).join(', ')}`);
  if (query.limit !== null) clauses.push(`LIMIT ${query.limit}`);
  if (query.offset > 0) clauses.push(`OFFSET ${query.offset}`);
  return clauses.join(' ');
}
