import type { Expr, Span } from './expression-nodes.ts';
import type { SelectQuery, TableExpr } from './query-nodes.ts';

/** `SELECT projection FROM from WHERE where` without any other clause. */
export function selectFrom(
  projection: readonly Expr[],
  from: TableExpr | null,
  pos: Span,
  where: Expr | null = null,
): SelectQuery {
  return {
    kind: 'select',
    with: null,
    distinct: false,
    distinctOn: [],
    projection,
    from,
    arrayJoins: [],
    prewhere: null,
    where,
    partitionBy: [],
    shuffleBy: [],
    groupBy: null,
    having: null,
    windows: [],
    qualify: null,
    orderBy: null,
    limitBy: null,
    limit: null,
    offset: null,
    withTies: false,
    emit: null,
    settings: [],
    pos,
  };
}

/** `*`, or `* EXCEPT (names)`. */
export function allColumns(pos: Span, except: readonly string[] = []): Expr {
  return {
    kind: 'asterisk',
    qualifier: null,
    transforms: { except, exceptPattern: null, replace: [], apply: [] },
    pos,
  };
}
