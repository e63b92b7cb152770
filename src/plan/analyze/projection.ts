import {
  type AsteriskExpr,
  type ColumnsMatcher,
  type ColumnTransforms,
  type Expr,
  expressionName,
  type SelectQuery,
} from '../../ast/index.ts';
import { SluiceError } from '../../base/index.ts';
import { regexp } from '../../runtime/index.ts';
import { toByteString } from '../../types/index.ts';
import type { Scope, ScopeTable } from './scope.ts';

/** One output of a SELECT list: the expression, and the name that the result shows. */
export interface ProjectionItem {
  readonly name: string;
  readonly expr: Expr;
}

/** The SELECT list with `*`, `t.*` and COLUMNS(...) replaced by what they stand for. */
export function expandProjection(query: SelectQuery, scope: Scope): ProjectionItem[] {
  return query.projection.flatMap((expr): ProjectionItem[] => {
    if (expr.kind === 'asterisk') return expand(expr, tablesFor(scope, expr.qualifier), () => true, scope);
    if (expr.kind === 'columns') return expand(expr, tablesFor(scope, expr.qualifier), matcher(expr), scope);
    if (expr.kind === 'alias') return [{ name: expr.name, expr }];
    return [{ name: outputName(expr, scope), expr }];
  });
}

/** A column keeps its own name, without the table's in front. */
function outputName(expr: Expr, scope: Scope): string {
  if (expr.kind !== 'column') return expressionName(expr);
  const found = scope.find(expr.parts);
  return found !== undefined && found.rest.length === 0 ? found.column.name : expr.parts.join('.');
}

function tablesFor(scope: Scope, qualifier: readonly string[] | null): readonly ScopeTable[] {
  if (scope.tables.length === 0)
    throw new SluiceError(
      'UNKNOWN_IDENTIFIER',
      '* needs a FROM clause: there is no table to take columns from',
    );
  if (qualifier === null) return scope.tables;
  const tables = scope.tablesOf(qualifier);
  if (tables.length === 0) throw scope.unknown([...qualifier, '*']);
  return tables;
}

/** Names are matched in linear time, as all patterns of queries are. */
function pattern(source: string): (name: string) => boolean {
  const compiled = regexp(toByteString(source));
  return (name) => compiled.test(toByteString(name));
}

function matcher(expr: ColumnsMatcher): (name: string) => boolean {
  if (expr.pattern === null) return (name) => expr.names.includes(name);
  return pattern(expr.pattern);
}

function excluded(transforms: ColumnTransforms): (name: string) => boolean {
  const fits = transforms.exceptPattern === null ? () => false : pattern(transforms.exceptPattern);
  return (name) => transforms.except.includes(name) || fits(name);
}

function expand(
  star: AsteriskExpr | ColumnsMatcher,
  tables: readonly ScopeTable[],
  wanted: (name: string) => boolean,
  scope: Scope,
): ProjectionItem[] {
  const { transforms, pos } = star;
  const isExcluded = excluded(transforms);
  const items: ProjectionItem[] = [];
  for (const table of tables) {
    for (const column of table.columns) {
      if (!wanted(column.name) || isExcluded(column.name)) continue;
      const several =
        scope.tables.filter((other) => other.columns.some((entry) => entry.name === column.name)).length > 1;
      const qualifier = table.alias ?? table.name;
      const parts = several && qualifier !== null ? [qualifier, column.name] : [column.name];
      const replacement = transforms.replace.find((entry) => entry.name === column.name);
      let expr: Expr = replacement?.expr ?? { kind: 'column', parts, pos };
      const name = several && qualifier !== null ? `${qualifier}.${column.name}` : column.name;
      if (transforms.apply.length === 0) {
        items.push({ name: items.some((item) => item.name === column.name) ? name : column.name, expr });
        continue;
      }
      for (const apply of transforms.apply) {
        if (apply.type === 'lambda')
          throw new SluiceError('NOT_IMPLEMENTED', 'APPLY with a lambda is not supported');
        expr = {
          kind: 'call',
          name: apply.name,
          args: [expr],
          params: apply.params.length === 0 ? null : apply.params,
          distinct: false,
          filter: null,
          over: null,
          nulls: null,
          operator: false,
          pos,
        };
      }
      items.push({ name: expressionName(expr), expr });
    }
  }
  if (items.length === 0)
    throw new SluiceError('UNKNOWN_IDENTIFIER', 'No column is left of * or COLUMNS(...)');
  return items;
}
