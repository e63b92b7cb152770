import type { Expr } from './expression-nodes.ts';
import type { Query, TableExpr } from './query-nodes.ts';
import type { Statement } from './statement-nodes.ts';

export type * from './definition-nodes.ts';
export type * from './expression-nodes.ts';
export type * from './query-nodes.ts';
export type * from './statement-nodes.ts';

/** Everything that has a `kind` and a position. */
export type Node = Expr | TableExpr | Query | Statement;
