import type { Expr, Span, WindowSpec } from './expression-nodes.ts';

/** `db.name`, or `name` with database null. */
export interface ObjectName {
  readonly database: string | null;
  readonly name: string;
}

/** One `name = value`; a bare word as value becomes a string literal. */
export interface SettingAssignment {
  readonly name: string;
  readonly value: Expr;
}

/** `name AS (SELECT ...)`, with its optional column names. */
export interface QueryCte {
  readonly type: 'query';
  readonly name: string;
  readonly columns: readonly string[];
  readonly query: Query;
}

/** `expr AS name`. */
export interface ExprCte {
  readonly type: 'expr';
  readonly name: string;
  readonly expr: Expr;
}

export type Cte = QueryCte | ExprCte;

export interface WithClause {
  readonly recursive: boolean;
  readonly ctes: readonly Cte[];
}

export interface SampleClause {
  readonly ratio: Expr;
  readonly offset: Expr | null;
}

/** A stream, view or common table expression by name. */
export interface NamedTable {
  readonly kind: 'table';
  readonly database: string | null;
  readonly name: string;
  readonly alias: string | null;
  readonly final: boolean;
  readonly sample: SampleClause | null;
  readonly pos: Span;
}

/** `table(s)`, `tumble(s, 5s)`, `numbers(10)`: names of streams arrive as column references, nested ones as calls. */
export interface TableFunction {
  readonly kind: 'table_function';
  readonly name: string;
  readonly args: readonly Expr[];
  readonly settings: readonly SettingAssignment[];
  readonly alias: string | null;
  readonly final: boolean;
  readonly sample: SampleClause | null;
  readonly pos: Span;
}

export interface TableSubquery {
  readonly kind: 'table_subquery';
  readonly query: Query;
  readonly alias: string | null;
  /** `AS t(a, b)` names the columns anew; empty when absent. */
  readonly columnAliases: readonly string[];
  readonly pos: Span;
}

export type JoinType = 'inner' | 'left' | 'right' | 'full' | 'cross' | 'comma' | 'paste';
export type JoinStrictness = 'all' | 'any' | 'asof' | 'semi' | 'anti' | 'latest';

export interface JoinTable {
  readonly kind: 'join';
  readonly type: JoinType;
  readonly strictness: JoinStrictness | null;
  readonly global: boolean;
  readonly left: TableExpr;
  readonly right: TableExpr;
  readonly on: Expr | null;
  readonly using: readonly string[] | null;
  readonly pos: Span;
}

export type TableExpr = NamedTable | TableFunction | TableSubquery | JoinTable;

export interface ArrayJoinClause {
  readonly left: boolean;
  readonly items: readonly Expr[];
}

/** Without rollup, cube or grouping sets `sets` is empty and `exprs` are the keys. */
export interface GroupByClause {
  readonly exprs: readonly Expr[];
  readonly modifier: 'rollup' | 'cube' | 'grouping_sets' | null;
  readonly sets: readonly (readonly Expr[])[];
  readonly totals: boolean;
  /** `GROUP BY ALL`. */
  readonly all: boolean;
}

export interface NamedWindow {
  readonly name: string;
  readonly spec: WindowSpec;
}

export interface FillClause {
  readonly from: Expr | null;
  readonly to: Expr | null;
  readonly step: Expr | null;
  readonly staleness: Expr | null;
}

export interface OrderByItem {
  readonly expr: Expr;
  readonly direction: 'asc' | 'desc';
  /** Null when not written; ClickHouse then sorts NULLs last in both directions. */
  readonly nulls: 'first' | 'last' | null;
  readonly collate: string | null;
  readonly fill: FillClause | null;
}

/** One column of `INTERPOLATE (...)`; `expr` null means the previous value. */
export interface InterpolateItem {
  readonly name: string;
  readonly expr: Expr | null;
}

/** `items` is empty for `ORDER BY ALL`, whose direction and NULL order are in `all`. */
export interface OrderByClause {
  readonly items: readonly OrderByItem[];
  readonly all: { readonly direction: 'asc' | 'desc'; readonly nulls: 'first' | 'last' | null } | null;
  /** Null when there was no INTERPOLATE, empty when it named no columns. */
  readonly interpolate: readonly InterpolateItem[] | null;
}

export interface LimitByClause {
  readonly limit: Expr;
  readonly offset: Expr | null;
  readonly by: readonly Expr[];
}

/**
 * What makes a streaming query emit. `default` is a bare `EMIT STREAM`, `EMIT CHANGELOG` or `EMIT TIMEOUT x`.
 * All durations are expressions, nearly always interval nodes.
 */
export type EmitPolicy =
  | { readonly type: 'default' }
  | { readonly type: 'after_window_close' }
  | { readonly type: 'periodic'; readonly interval: Expr; readonly repeat: boolean }
  | { readonly type: 'on_update'; readonly batch: Expr | null }
  | { readonly type: 'per_event' }
  | { readonly type: 'last'; readonly interval: Expr; readonly procTime: boolean }
  | {
      /** `AFTER KEY EXPIRE` and `AFTER SESSION CLOSE`, which mean the same. */
      readonly type: 'after_session_close';
      /** Time column, or (time, start, end); empty when `IDENTIFIED BY` is absent. */
      readonly identifiedBy: readonly Expr[];
      readonly maxSpan: Expr | null;
      readonly onlyMaxSpan: boolean;
    };

export interface EmitClause {
  readonly mode: 'stream' | 'changelog' | 'delta' | null;
  readonly policy: EmitPolicy;
  /** `WITH DELAY x`. */
  readonly delay: Expr | null;
  /** `AND TIMEOUT x`. */
  readonly timeout: Expr | null;
  readonly pos: Span;
}

export interface SelectQuery {
  readonly kind: 'select';
  readonly with: WithClause | null;
  readonly distinct: boolean;
  readonly distinctOn: readonly Expr[];
  readonly projection: readonly Expr[];
  readonly from: TableExpr | null;
  readonly arrayJoins: readonly ArrayJoinClause[];
  readonly prewhere: Expr | null;
  readonly where: Expr | null;
  readonly partitionBy: readonly Expr[];
  readonly shuffleBy: readonly Expr[];
  readonly groupBy: GroupByClause | null;
  readonly having: Expr | null;
  readonly windows: readonly NamedWindow[];
  readonly qualify: Expr | null;
  readonly orderBy: OrderByClause | null;
  readonly limitBy: LimitByClause | null;
  readonly limit: Expr | null;
  readonly offset: Expr | null;
  readonly withTies: boolean;
  readonly emit: EmitClause | null;
  readonly settings: readonly SettingAssignment[];
  readonly pos: Span;
}

/**
 * `a UNION ALL b UNION ALL c` is one node of three inputs. `mode` null means that neither ALL nor DISTINCT was written.
 * A WITH clause before the first SELECT is visible to all inputs and is therefore held here.
 */
export interface SetOperation {
  readonly kind: 'set_operation';
  readonly operator: 'union' | 'intersect' | 'except';
  readonly mode: 'all' | 'distinct' | null;
  readonly with: WithClause | null;
  readonly inputs: readonly Query[];
  readonly pos: Span;
}

export type Query = SelectQuery | SetOperation;
