import type { Expr, OrderByItem, SelectQuery } from '../../ast/index.ts';
import { SluiceError } from '../../base/index.ts';
import { isInteger } from '../../types/index.ts';
import { type BoundExpr, type Column, exprKey, isConstant, mapChildren } from '../bound.ts';
import type { PlanContext } from '../context.ts';
import type { Assignment, LogicalPlan, SortKey } from '../logical.ts';
import { Aggregation, hasAggregate } from './aggregation.ts';
import { collectAliases } from './aliases.ts';
import { Binder } from './binder.ts';
import { assertCondition } from './call.ts';
import { planFrom } from './from.ts';
import { expandProjection, type ProjectionItem } from './projection.ts';
import { Scope, type WithScope } from './scope.ts';

/** Clauses that the grammar knows and the engine does not run: each is refused by name. */
function refuseUnsupported(query: SelectQuery): void {
  const refuse = (present: boolean, what: string) => {
    if (present) throw new SluiceError('NOT_IMPLEMENTED', `${what} is not supported`);
  };
  refuse(query.distinctOn.length > 0, 'DISTINCT ON');
  refuse(query.partitionBy.length > 0, 'PARTITION BY in a SELECT');
  refuse(query.shuffleBy.length > 0, 'SHUFFLE BY');
  refuse(query.windows.length > 0, 'The WINDOW clause');
  refuse(query.qualify !== null, 'QUALIFY');
  refuse(query.withTies, 'LIMIT ... WITH TIES');
  refuse(
    query.groupBy?.modifier !== null && query.groupBy !== null,
    `GROUP BY ... ${query.groupBy?.modifier?.toUpperCase()}`,
  );
  refuse(query.groupBy?.totals ?? false, 'GROUP BY ... WITH TOTALS');
  refuse(query.orderBy?.interpolate !== null && query.orderBy !== null, 'INTERPOLATE');
  refuse(query.orderBy?.items.some((item) => item.fill !== null) ?? false, 'ORDER BY ... WITH FILL');
  refuse(query.orderBy?.items.some((item) => item.collate !== null) ?? false, 'ORDER BY ... COLLATE');
}

class SelectPlanner {
  readonly #context: PlanContext;
  readonly #query: SelectQuery;
  readonly #binder: Binder;
  readonly #items: readonly ProjectionItem[];
  #plan: LogicalPlan;
  #aggregation: Aggregation | null = null;

  constructor(context: PlanContext, query: SelectQuery, withScope: WithScope | null) {
    refuseUnsupported(query);
    this.#context = context;
    this.#query = query;
    const from = planFrom(context, query.from, withScope);
    const scope = new Scope(from.tables, withScope);
    this.#plan = from.plan;
    this.#binder = new Binder(context, scope);
    this.#items = expandProjection(query, scope);
    for (const item of this.#items)
      if (item.expr.kind !== 'alias' && item.expr.kind !== 'column') this.#pin(item.expr);
    collectAliases(query, this.#items, scope);
  }

  plan(): LogicalPlan {
    this.#arrayJoins();
    for (const [clause, condition] of [
      ['PREWHERE', this.#query.prewhere],
      ['WHERE', this.#query.where],
    ] as const) {
      if (condition !== null) this.#filter(this.#binder.bindRow(condition, clause), clause);
    }
    const bound = this.#items.map((item) => this.#binder.bind(item.expr));
    const order = this.#orderKeys(bound);
    const limitBy = (this.#query.limitBy?.by ?? []).map(
      (expr) => this.#positional(expr, bound) ?? this.#binder.bind(expr),
    );
    const having = this.#query.having === null ? null : this.#binder.bind(this.#query.having);
    this.#aggregate(bound, [
      ...order.map((key) => key.expr),
      ...limitBy,
      ...(having === null ? [] : [having]),
    ]);
    if (having !== null) this.#filter(this.#overGroups(having), 'HAVING');
    return this.#finish(
      bound.map((expr) => this.#overGroups(expr)),
      order.map((key) => ({ ...key, expr: this.#overGroups(key.expr) })),
      limitBy.map((expr) => this.#overGroups(expr)),
    );
  }

  /** The name of an output without an alias holds its literals, so the plan is for these alone. */
  #pin(expr: Expr): void {
    const { literalTokens, pinnedTokens } = this.#context;
    for (const [start, token] of literalTokens)
      if (start >= expr.pos.start && start < expr.pos.end) pinnedTokens.add(token);
  }

  #arrayJoins(): void {
    for (const clause of this.#query.arrayJoins) {
      const items: Assignment[] = clause.items.map((item) => {
        const expr = this.#binder.bindRow(item.kind === 'alias' ? item.expr : item, 'ARRAY JOIN');
        if (expr.type.kind !== 'array') throw new SluiceError('TYPE_MISMATCH', 'ARRAY JOIN needs an array');
        const name = item.kind === 'alias' ? item.name : expr.kind === 'column' ? expr.column.name : '';
        return { column: this.#context.nextColumn(name, expr.type.element), expr };
      });
      this.#plan = { kind: 'array_join', input: this.#plan, left: clause.left, items };
      for (const item of items) {
        this.#binder.scope.bound.set(item.column.name, {
          kind: 'column',
          column: item.column,
          type: item.column.type,
        });
        this.#binder.scope.aliases.set(item.column.name, {
          kind: 'column',
          parts: [item.column.name],
          pos: this.#query.pos,
        });
      }
    }
  }

  #filter(predicate: BoundExpr, clause: string): void {
    assertCondition(predicate, clause);
    this.#plan = { kind: 'filter', input: this.#plan, predicate };
  }

  /** `ORDER BY 2`: the second output, when a plain number stands there. */
  #positional(expr: Expr, outputs: readonly BoundExpr[]): BoundExpr | undefined {
    if (expr.kind !== 'literal' || expr.type !== 'integer') return undefined;
    const output = outputs[Number(expr.value) - 1];
    if (output === undefined) {
      throw new SluiceError(
        'BAD_ARGUMENTS',
        `Position ${expr.value} is outside the SELECT list, which has ${outputs.length} columns`,
      );
    }
    return output;
  }

  #orderKeys(outputs: readonly BoundExpr[]): SortKey[] {
    const clause = this.#query.orderBy;
    if (clause === null) return [];
    // ClickHouse puts NULLs last in both directions unless NULLS FIRST is written.
    if (clause.all !== null) {
      const descending = clause.all.direction === 'desc';
      return outputs.map((expr) => ({ expr, descending, nullsFirst: clause.all!.nulls === 'first' }));
    }
    return clause.items.map((item: OrderByItem) => ({
      expr: this.#positional(item.expr, outputs) ?? this.#binder.bind(item.expr),
      descending: item.direction === 'desc',
      nullsFirst: item.nulls === 'first',
    }));
  }

  #groupKeys(outputs: readonly BoundExpr[]): BoundExpr[] {
    const { groupBy } = this.#query;
    if (groupBy === null) return [];
    if (groupBy.all) return outputs.filter((expr) => !hasAggregate(expr));
    return groupBy.exprs.map((expr) => {
      const bound = this.#positional(expr, outputs) ?? this.#binder.bind(expr);
      if (hasAggregate(bound))
        throw new SluiceError('ILLEGAL_AGGREGATION', 'An aggregate function cannot be a key of GROUP BY');
      return bound;
    });
  }

  #aggregate(outputs: readonly BoundExpr[], others: readonly BoundExpr[]): void {
    const grouped = this.#query.groupBy !== null;
    if (!grouped && ![...outputs, ...others].some(hasAggregate)) {
      if (this.#query.having !== null)
        throw new SluiceError('ILLEGAL_AGGREGATION', 'HAVING needs GROUP BY or an aggregate function');
      return;
    }
    this.#aggregation = new Aggregation(this.#context, this.#groupKeys(outputs));
    for (const expr of [...outputs, ...others]) this.#aggregation.rewrite(expr);
    this.#plan = this.#aggregation.plan(this.#plan);
  }

  #overGroups(expr: BoundExpr): BoundExpr {
    return this.#aggregation === null ? expr : this.#aggregation.rewrite(expr);
  }

  #finish(
    outputs: readonly BoundExpr[],
    order: readonly SortKey[],
    limitBy: readonly BoundExpr[],
  ): LogicalPlan {
    const visible: Assignment[] = outputs.map((expr, index) => ({
      column: this.#context.nextColumn(this.#items[index]!.name, expr.type),
      expr,
    }));
    const hidden: Assignment[] = [];
    const place = (expr: BoundExpr): BoundExpr => {
      if (isConstant(expr)) return expr;
      const key = exprKey(expr);
      let found = [...visible, ...hidden].find((entry) => exprKey(entry.expr) === key);
      if (found === undefined) {
        if (this.#query.distinct) return ofOutputs(expr, place);
        found = { column: this.#context.nextColumn(`sort_${hidden.length + 1}`, expr.type), expr };
        hidden.push(found);
      }
      return { kind: 'column', column: found.column, type: found.column.type };
    };
    const keys = order.map((key) => ({ ...key, expr: place(key.expr) }));
    const by = limitBy.map(place);
    let plan: LogicalPlan = { kind: 'project', input: this.#plan, outputs: [...visible, ...hidden] };
    if (this.#query.distinct)
      plan = { kind: 'distinct', input: plan, on: visible.map((output) => columnOf(output.column)) };
    plan = this.#limits(plan, keys, by);
    if (hidden.length === 0) return plan;
    const outputsAlone = visible.map(({ column }) => ({
      column: this.#context.nextColumn(column.name, column.type),
      expr: columnOf(column),
    }));
    return { kind: 'project', input: plan, outputs: outputsAlone };
  }

  #limits(input: LogicalPlan, keys: readonly SortKey[], by: readonly BoundExpr[]): LogicalPlan {
    const { limitBy } = this.#query;
    const limit = this.#count(this.#query.limit, 'LIMIT');
    const offset = this.#count(this.#query.offset, 'OFFSET');
    let plan = input;
    if (keys.length > 0) {
      plan = {
        kind: 'sort',
        input: plan,
        keys,
        top: limit !== null && limitBy === null ? { limit, offset } : null,
      };
    }
    if (limitBy !== null) {
      plan = {
        kind: 'limit_by',
        input: plan,
        limit: this.#count(limitBy.limit, 'LIMIT BY')!,
        offset: this.#count(limitBy.offset, 'OFFSET'),
        by,
      };
    }
    return limit === null && offset === null ? plan : { kind: 'limit', input: plan, limit, offset };
  }

  #count(expr: Expr | null, clause: string): BoundExpr | null {
    if (expr === null) return null;
    const bound = this.#binder.bind(expr);
    if (!isConstant(bound) || !isInteger(bound.type))
      throw new SluiceError('BAD_ARGUMENTS', `${clause} needs a constant whole number`);
    if (bound.kind === 'literal' && (bound.value as number) < 0)
      throw new SluiceError('BAD_ARGUMENTS', `${clause} cannot be negative`);
    return this.#binder.parameterized(bound, false);
  }
}

/** After DISTINCT only outputs are left; what is computed of them can still be computed. */
function ofOutputs(expr: BoundExpr, place: (expr: BoundExpr) => BoundExpr): BoundExpr {
  if (expr.kind === 'column') {
    throw new SluiceError(
      'BAD_ARGUMENTS',
      'With DISTINCT, ORDER BY and LIMIT BY can only use expressions of the SELECT list',
    );
  }
  return mapChildren(expr, place);
}

function columnOf(column: Column): BoundExpr {
  return { kind: 'column', column, type: column.type };
}

export function planSelect(
  context: PlanContext,
  query: SelectQuery,
  withScope: WithScope | null,
): LogicalPlan {
  return new SelectPlanner(context, query, withScope).plan();
}
