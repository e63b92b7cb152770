import type { IntervalUnit } from '../types/index.ts';
import type { OrderByItem, Query } from './query-nodes.ts';

/** A range of the SQL text in UTF-16 offsets; `end` is the offset after the last character. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** `1`, `0xFF`, `1_000`, `-5`: `text` is the source text without underscores, `value` is exact. */
export interface IntegerLiteral {
  readonly kind: 'literal';
  readonly type: 'integer';
  readonly value: bigint;
  readonly text: string;
  readonly pos: Span;
}

/** `1.5`, `1e10`, `inf`, `nan`: `text` is kept because decimals are made from it without rounding. */
export interface FloatLiteral {
  readonly kind: 'literal';
  readonly type: 'float';
  readonly value: number;
  readonly text: string;
  readonly pos: Span;
}

/** `'text'` and `$$heredoc$$`, with all escapes resolved. */
export interface StringLiteral {
  readonly kind: 'literal';
  readonly type: 'string';
  readonly value: string;
  readonly pos: Span;
}

export interface BoolLiteral {
  readonly kind: 'literal';
  readonly type: 'bool';
  readonly value: boolean;
  readonly pos: Span;
}

export interface NullLiteral {
  readonly kind: 'literal';
  readonly type: 'null';
  readonly value: null;
  readonly pos: Span;
}

export type Literal = IntegerLiteral | FloatLiteral | StringLiteral | BoolLiteral | NullLiteral;

/** `a`, `t.a`, `db.t.a`, `nested.sub`: which part means what is settled by the analyzer. */
export interface ColumnRef {
  readonly kind: 'column';
  readonly parts: readonly string[];
  /** Whether it is a name in double quotes, which may have been meant as a string. */
  readonly isDoubleQuoted?: true;
  readonly pos: Span;
}

/** One element of `REPLACE(expr AS name, ...)`. */
export interface ColumnReplacement {
  readonly expr: Expr;
  readonly name: string;
}

/** `APPLY(sum)`, `APPLY(quantile(0.9))` or `APPLY(x -> x + 1)`. */
export type ColumnApply =
  | { readonly type: 'function'; readonly name: string; readonly params: readonly Expr[] }
  | { readonly type: 'lambda'; readonly lambda: LambdaExpr };

/** What follows `*` or `COLUMNS(...)`; replacements happen after exclusions, applications last and in order. */
export interface ColumnTransforms {
  readonly except: readonly string[];
  readonly exceptPattern: string | null;
  readonly replace: readonly ColumnReplacement[];
  readonly apply: readonly ColumnApply[];
}

/** `*` (qualifier null) and `t.*`. */
export interface AsteriskExpr {
  readonly kind: 'asterisk';
  readonly qualifier: readonly string[] | null;
  readonly transforms: ColumnTransforms;
  readonly pos: Span;
}

/** `COLUMNS('regexp')` (pattern) or `COLUMNS(a, b)` (names). */
export interface ColumnsMatcher {
  readonly kind: 'columns';
  readonly qualifier: readonly string[] | null;
  readonly pattern: string | null;
  readonly names: readonly string[];
  readonly transforms: ColumnTransforms;
  readonly pos: Span;
}

/** One end of a window frame. `offset` is set for `preceding` and `following` only. */
export interface FrameBound {
  readonly type: 'unbounded_preceding' | 'preceding' | 'current_row' | 'following' | 'unbounded_following';
  readonly offset: Expr | null;
}

export interface WindowFrame {
  readonly unit: 'rows' | 'range' | 'groups';
  readonly start: FrameBound;
  readonly end: FrameBound;
}

/** `(base PARTITION BY ... ORDER BY ... frame)`; `base` names a window of the WINDOW clause. */
export interface WindowSpec {
  readonly base: string | null;
  readonly partitionBy: readonly Expr[];
  readonly orderBy: readonly OrderByItem[];
  readonly frame: WindowFrame | null;
}

/**
 * A function call, and every operator as a call of its canonical function: plus, minus, multiply, divide, modulo,
 * int_div, negate, concat, equals, not_equals, less, greater, less_or_equals, greater_or_equals, and, or, not, like,
 * not_like, ilike, not_ilike, in, not_in, global_in, global_not_in, is_null, is_not_null, is_distinct_from,
 * is_not_distinct_from, array_element, tuple_element; and, or and concat hold their whole chain. `c ? a : b` is the call
 * if(c, a, b), `a REGEXP b` the call match(a, b).
 * `name` of a written call is as written (the function registry folds case and aliases).
 */
export interface CallExpr {
  readonly kind: 'call';
  readonly name: string;
  readonly args: readonly Expr[];
  /** Parameters of a parametric aggregate, `quantile(0.9)(x)`; null when there were no second parentheses. */
  readonly params: readonly Expr[] | null;
  readonly distinct: boolean;
  readonly filter: Expr | null;
  readonly over: WindowSpec | string | null;
  readonly nulls: 'respect' | 'ignore' | null;
  /** Whether the source used operator syntax; only the printer looks at it. */
  readonly operator: boolean;
  readonly pos: Span;
}

export interface BetweenExpr {
  readonly kind: 'between';
  readonly negated: boolean;
  readonly expr: Expr;
  readonly low: Expr;
  readonly high: Expr;
  readonly pos: Span;
}

export interface CaseBranch {
  readonly when: Expr;
  readonly then: Expr;
}

export interface CaseExpr {
  readonly kind: 'case';
  readonly operand: Expr | null;
  readonly branches: readonly CaseBranch[];
  readonly otherwise: Expr | null;
  readonly pos: Span;
}

/** `x::T`, `CAST(x AS T)` and `cast(x, 'T')`. `typeText` is the type's source text with normalised spaces. */
export interface CastExpr {
  readonly kind: 'cast';
  readonly expr: Expr;
  readonly typeText: string;
  readonly style: '::' | 'cast_as' | 'function';
  readonly pos: Span;
}

export interface ArrayExpr {
  readonly kind: 'array';
  readonly items: readonly Expr[];
  readonly pos: Span;
}

export interface TupleExpr {
  readonly kind: 'tuple';
  readonly items: readonly Expr[];
  readonly pos: Span;
}

export interface MapEntry {
  readonly key: Expr;
  readonly value: Expr;
}

export interface MapExpr {
  readonly kind: 'map';
  readonly entries: readonly MapEntry[];
  readonly pos: Span;
}

/** `INTERVAL 5 SECOND`, `INTERVAL '5 second'` and `5s`. */
export interface IntervalExpr {
  readonly kind: 'interval';
  readonly value: Expr;
  readonly unit: IntervalUnit;
  readonly pos: Span;
}

export interface LambdaExpr {
  readonly kind: 'lambda';
  readonly params: readonly string[];
  readonly body: Expr;
  readonly pos: Span;
}

/** `(SELECT ...)` as a scalar or as the right side of IN, or as a whole argument of a table function. */
export interface SubqueryExpr {
  readonly kind: 'subquery';
  readonly query: Query;
  readonly pos: Span;
}

export interface ExistsExpr {
  readonly kind: 'exists';
  readonly query: Query;
  readonly pos: Span;
}

/** One step into a JSON document; array elements count from 1. */
export type JsonPathStep =
  | { readonly type: 'key'; readonly key: string }
  | { readonly type: 'index'; readonly index: number };

/** `raw:a.b[1]`. */
export interface JsonPathExpr {
  readonly kind: 'json_path';
  readonly base: ColumnRef;
  readonly path: readonly JsonPathStep[];
  readonly pos: Span;
}

/** `{name:type}`, filled by `param_<name>`. */
export interface ParameterExpr {
  readonly kind: 'parameter';
  readonly name: string;
  readonly typeText: string;
  readonly pos: Span;
}

/** `expr AS name`, allowed anywhere in an expression. */
export interface AliasExpr {
  readonly kind: 'alias';
  readonly expr: Expr;
  readonly name: string;
  readonly pos: Span;
}

export type Expr =
  | Literal
  | ColumnRef
  | AsteriskExpr
  | ColumnsMatcher
  | CallExpr
  | BetweenExpr
  | CaseExpr
  | CastExpr
  | ArrayExpr
  | TupleExpr
  | MapExpr
  | IntervalExpr
  | LambdaExpr
  | SubqueryExpr
  | ExistsExpr
  | JsonPathExpr
  | ParameterExpr
  | AliasExpr;
