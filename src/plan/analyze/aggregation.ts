import { SluiceError } from '../../base/index.ts';
import {
  type AggregateCall,
  aggregateKey,
  type BoundExpr,
  type Column,
  exprKey,
  isConstant,
  mapChildren,
  visitBound,
} from '../bound.ts';
import type { PlanContext } from '../context.ts';
import type { AggregateOutput, Assignment, LogicalPlan } from '../logical.ts';

/** Whether an expression holds an aggregate function. */
export function hasAggregate(expr: BoundExpr): boolean {
  let found = false;
  visitBound(expr, (inner) => {
    if (inner.kind === 'aggregate') found = true;
  });
  return found;
}

/** Turns expressions over the rows of FROM into expressions over the groups of an aggregation. */
export class Aggregation {
  readonly #context: PlanContext;
  readonly #keys: { readonly key: string; readonly assignment: Assignment }[] = [];
  readonly #aggregates = new Map<string, AggregateOutput>();

  constructor(context: PlanContext, keys: readonly BoundExpr[]) {
    this.#context = context;
    // Constants tell no groups apart, but keys of nothing else still make no group where there are no rows.
    const telling = keys.filter((expr) => !isConstant(expr));
    for (const expr of telling.length > 0 ? telling : keys.slice(0, 1)) {
      const key = exprKey(expr);
      if (this.#keys.some((known) => known.key === key)) continue;
      const name = expr.kind === 'column' ? expr.column.name : `key_${this.#keys.length + 1}`;
      this.#keys.push({ key, assignment: { column: context.nextColumn(name, expr.type), expr } });
    }
  }

  /** The expression with group keys and aggregate functions replaced by the aggregation's columns. */
  rewrite(expr: BoundExpr): BoundExpr {
    const key = exprKey(expr);
    const known = this.#keys.find((entry) => entry.key === key);
    if (known !== undefined) return reference(known.assignment.column);
    if (expr.kind === 'aggregate') return reference(this.#output(expr.call).column);
    if (expr.kind === 'column') {
      if (this.#lambdaParameters.has(expr.column.id)) return expr;
      throw new SluiceError(
        'NOT_AN_AGGREGATE',
        `Column '${expr.column.name}' is neither in GROUP BY nor inside an aggregate function`,
      );
    }
    if (expr.kind === 'call') {
      for (const argument of expr.args) {
        if (argument.kind === 'lambda')
          for (const column of argument.parameters) this.#lambdaParameters.add(column.id);
      }
    }
    return mapChildren(expr, (child) => this.rewrite(child));
  }

  readonly #lambdaParameters = new Set<number>();

  #output(call: AggregateCall): AggregateOutput {
    const key = aggregateKey(call);
    let output = this.#aggregates.get(key);
    if (output === undefined) {
      output = { column: this.#context.nextColumn(call.definition.name, call.type), call };
      this.#aggregates.set(key, output);
    }
    return output;
  }

  /** The aggregation of the rows of `input`; call it after everything has been rewritten. */
  plan(input: LogicalPlan): LogicalPlan {
    return {
      kind: 'aggregate',
      input,
      keys: this.#keys.map((entry) => entry.assignment),
      aggregates: [...this.#aggregates.values()],
    };
  }
}

function reference(column: Column): BoundExpr {
  return { kind: 'column', column, type: column.type };
}
