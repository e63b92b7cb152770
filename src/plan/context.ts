import type { Query } from '../ast/index.ts';
import type { Settings } from '../base/index.ts';
import type { CatalogObject, ExternalTable, SystemTable } from '../catalog/index.ts';
import type { SqlType } from '../types/index.ts';
import type { BoundExpr, Column } from './bound.ts';
import type { LogicalPlan } from './logical.ts';

/** What the analyzer asks of the catalog; it throws UNKNOWN_TABLE or UNKNOWN_DATABASE. */
export interface CatalogView {
  /** `implied` tells that a query reads it because of something it names, whose right is enough. */
  findTable(database: string | null, name: string, implied?: boolean): CatalogObject | SystemTable;
}

/** An argument of a table function: its canonical value and its type. */
export interface TableArgument {
  readonly value: unknown;
  readonly type: SqlType;
}

/** Table functions whose rows come from outside, such as files. */
export interface TableFunctions {
  /** In lower case. */
  readonly names: readonly string[];
  /** `name` is one of `names`; throws for arguments that do not suit. The table outlives the call, and is never closed. */
  call(name: string, args: readonly TableArgument[]): ExternalTable;
}

/** A value that each execution is given as a parameter of the compiled plan, in the order of the list. */
export type PreparedValue =
  /** A literal of the text that the plan does not depend on; all tokens have the same value. */
  | { readonly kind: 'literal'; readonly tokens: number[]; readonly value: unknown; readonly type: SqlType }
  | { readonly kind: 'constant'; readonly value: unknown }
  /** The single row of a subquery, as value or tuple; NULL when it gives no row. */
  | { readonly kind: 'scalar'; readonly plan: LogicalPlan; readonly type: SqlType }
  /** The set of a subquery's rows; NULLs are no members. */
  | { readonly kind: 'set'; readonly plan: LogicalPlan };

/** Everything that the analysis of one statement shares. */
export interface PlanContext {
  readonly settings: Settings;
  readonly catalog: CatalogView;
  readonly tableFunctions: TableFunctions;
  /** Values of `{name:type}` placeholders, as text. */
  readonly queryParameters: ReadonlyMap<string, string>;
  /** Gives the canonical value of an expression without columns. */
  readonly evaluate: (expr: BoundExpr) => unknown;
  /** Reads SQL text of the catalog: the queries of views. */
  readonly parseQuery: (sql: string) => Query;
  /** Grows as the analysis meets values to prepare; a parameter's index is its place here. */
  readonly parameters: PreparedValue[];
  /** Numbers of the text's literals by where they start; empty when the plan is for this very text. */
  readonly literalTokens: ReadonlyMap<number, number>;
  /** Literals that something beside a value is made of, such as the name of a column. */
  readonly pinnedTokens: Set<number>;
  readonly nextColumn: (name: string, type: SqlType) => Column;
}
