import { type Expr, type SelectQuery, walkExpr } from '../../ast/index.ts';
import type { ProjectionItem } from './projection.ts';
import type { Scope } from './scope.ts';

/** Makes every alias of a SELECT known before anything is bound: each may be used in any clause. */
export function collectAliases(query: SelectQuery, items: readonly ProjectionItem[], scope: Scope): void {
  const collect = (root: Expr | null): void => {
    if (root === null) return;
    walkExpr(root, (expr) => {
      if (expr.kind === 'alias') scope.addAlias(expr);
      return true;
    });
  };
  for (const item of items) collect(item.expr);
  collect(query.prewhere);
  collect(query.where);
  for (const expr of query.groupBy?.exprs ?? []) collect(expr);
  collect(query.having);
  for (const item of query.orderBy?.items ?? []) collect(item.expr);
}
