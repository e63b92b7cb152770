import type { AggregateFunction, ScalarFunction } from '../functions/index.ts';
import { type SqlType, typeName } from '../types/index.ts';

/** A column that some node of a plan produces. Identity is the object; ids are unique within a plan. */
export interface Column {
  readonly id: number;
  readonly name: string;
  readonly type: SqlType;
}

export interface BoundColumn {
  readonly kind: 'column';
  readonly column: Column;
  readonly type: SqlType;
}

/** A value known before the query runs, as canonical value. */
export interface BoundLiteral {
  readonly kind: 'literal';
  readonly value: unknown;
  readonly type: SqlType;
  /** The number of the literal in the query's text that this is. */
  readonly token?: number;
}

/** A value given anew for each execution: a literal of the text that the plan does not depend on, or a subquery's result. */
export interface BoundParameter {
  readonly kind: 'parameter';
  readonly index: number;
  readonly type: SqlType;
}

export interface BoundLambda {
  readonly kind: 'lambda';
  readonly parameters: readonly Column[];
  readonly body: BoundExpr;
}

export interface BoundCall {
  readonly kind: 'call';
  readonly definition: ScalarFunction;
  readonly args: readonly (BoundExpr | BoundLambda)[];
  readonly type: SqlType;
}

export type JsonStep = string | number;

/** A path into the JSON text of a string expression; the value is its text, empty where the path is missing. */
export interface BoundJsonPath {
  readonly kind: 'json_path';
  readonly base: BoundExpr;
  /** Keys as byte strings, array positions counting from 1. */
  readonly path: readonly JsonStep[];
  readonly type: SqlType;
}

/** Whether a value is in a set that is made before the rows are read: a list of constants or a subquery's result. */
export interface BoundInSet {
  readonly kind: 'in_set';
  readonly negated: boolean;
  readonly value: BoundExpr;
  /** The index of the parameter that holds the set. */
  readonly parameter: number;
  readonly type: SqlType;
}

/** A call of an aggregate function, before the aggregation node has been made of it. */
export interface BoundAggregate {
  readonly kind: 'aggregate';
  readonly call: AggregateCall;
  readonly type: SqlType;
}

export type BoundExpr =
  | BoundColumn
  | BoundLiteral
  | BoundParameter
  | BoundCall
  | BoundJsonPath
  | BoundInSet
  | BoundAggregate;

export interface AggregateCall {
  readonly definition: AggregateFunction;
  readonly args: readonly BoundExpr[];
  readonly parameters: readonly unknown[];
  /** Only rows for which this holds are aggregated (FILTER, the _if combinator); null for all. */
  readonly condition: BoundExpr | null;
  readonly distinct: boolean;
  readonly type: SqlType;
}

function literalKey(value: unknown): string {
  return (
    JSON.stringify(value, (_, inner) => (typeof inner === 'bigint' ? `${inner}n` : inner)) ?? String(value)
  );
}

/** Equal for expressions that are the same computation on the same columns. */
export function exprKey(expr: BoundExpr | BoundLambda): string {
  switch (expr.kind) {
    case 'column':
      return `#${expr.column.id}`;
    case 'literal':
      return `${literalKey(expr.value)}:${typeName(expr.type)}`;
    case 'parameter':
      return `?${expr.index}`;
    case 'lambda':
      return `(${expr.parameters.map((column) => column.id).join(',')})->${exprKey(expr.body)}`;
    case 'call':
      return `${expr.definition.name}(${expr.args.map(exprKey).join(',')}):${typeName(expr.type)}`;
    case 'json_path':
      return `${exprKey(expr.base)}:${JSON.stringify(expr.path)}`;
    case 'in_set':
      return `${expr.negated ? '!' : ''}in(${exprKey(expr.value)},?${expr.parameter})`;
    case 'aggregate':
      return aggregateKey(expr.call);
  }
}

export function aggregateKey(call: AggregateCall): string {
  const condition = call.condition === null ? '' : ` if ${exprKey(call.condition)}`;
  const distinct = call.distinct ? 'distinct ' : '';
  const parameters = call.parameters.map(literalKey).join(',');
  return `${call.definition.name}[${parameters}](${distinct}${call.args.map(exprKey).join(',')})${condition}`;
}

/** The expressions directly inside one; bodies of lambdas count. */
export function boundChildren(expr: BoundExpr): readonly BoundExpr[] {
  switch (expr.kind) {
    case 'column':
    case 'literal':
    case 'parameter':
      return [];
    case 'call':
      return expr.args.map((argument) => (argument.kind === 'lambda' ? argument.body : argument));
    case 'json_path':
      return [expr.base];
    case 'in_set':
      return [expr.value];
    case 'aggregate':
      return expr.call.condition === null ? expr.call.args : [...expr.call.args, expr.call.condition];
  }
}

/** The expression with each direct child replaced; the same object when nothing changes. */
export function mapChildren(expr: BoundExpr, replace: (child: BoundExpr) => BoundExpr): BoundExpr {
  switch (expr.kind) {
    case 'column':
    case 'literal':
    case 'parameter':
      return expr;
    case 'call':
      return {
        ...expr,
        args: expr.args.map((argument) =>
          argument.kind === 'lambda' ? { ...argument, body: replace(argument.body) } : replace(argument),
        ),
      };
    case 'json_path':
      return { ...expr, base: replace(expr.base) };
    case 'in_set':
      return { ...expr, value: replace(expr.value) };
    case 'aggregate': {
      const { call } = expr;
      const condition = call.condition === null ? null : replace(call.condition);
      return { ...expr, call: { ...call, args: call.args.map(replace), condition } };
    }
  }
}

/** Calls `visit` for the expression and everything in it, outermost first. */
export function visitBound(expr: BoundExpr, visit: (expr: BoundExpr) => void): void {
  visit(expr);
  for (const child of boundChildren(expr)) visitBound(child, visit);
}

/** The ids of the columns that an expression reads, lambda parameters left out. */
export function columnsOf(expr: BoundExpr, into: Set<number> = new Set()): Set<number> {
  if (expr.kind === 'column') into.add(expr.column.id);
  if (expr.kind === 'call') {
    for (const argument of expr.args) {
      if (argument.kind !== 'lambda') {
        columnsOf(argument, into);
        continue;
      }
      const own = new Set(argument.parameters.map((parameter) => parameter.id));
      for (const id of columnsOf(argument.body)) if (!own.has(id)) into.add(id);
    }
    return into;
  }
  for (const child of boundChildren(expr)) columnsOf(child, into);
  return into;
}

/** Whether the expression gives the same value for every row of an execution. */
export function isConstant(expr: BoundExpr): boolean {
  let constant = columnsOf(expr).size === 0;
  visitBound(expr, (inner) => {
    if (inner.kind === 'aggregate') constant = false;
    if (inner.kind === 'call' && inner.definition.evaluation === 'per_row') constant = false;
  });
  return constant;
}

/** Whether the value can be had before any execution: a constant that needs no parameter, set or time of day. */
export function isKnown(expr: BoundExpr): boolean {
  let known = isConstant(expr);
  visitBound(expr, (inner) => {
    if (inner.kind === 'parameter' || inner.kind === 'in_set') known = false;
    if (inner.kind === 'call' && inner.definition.evaluation === 'per_query') known = false;
  });
  return known;
}
