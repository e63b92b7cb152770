import type { Expr, JoinTable } from '../../ast/index.ts';
import { SluiceError } from '../../base/index.ts';
import { sameType, supertype, withoutLowCardinality } from '../../types/index.ts';
import type { BoundExpr } from '../bound.ts';
import type { PlanContext } from '../context.ts';
import type { LogicalPlan } from '../logical.ts';
import { Binder } from './binder.ts';
import { assertCondition } from './call.ts';
import { type FromResult, Scope, type WithScope } from './scope.ts';

/** A join's ON or USING, taken apart. */
export interface JoinConditions {
  readonly leftKeys: readonly BoundExpr[];
  readonly rightKeys: readonly BoundExpr[];
  /** The right side, filtered by what the condition says of it alone. */
  readonly right: LogicalPlan;
  /** What is left: conditions on joined rows. */
  readonly residual: readonly Expr[];
}

function conjuncts(expr: Expr): readonly Expr[] {
  return expr.kind === 'call' && expr.name === 'and' ? expr.args.flatMap(conjuncts) : [expr];
}

/** Binds an expression to one side of a join; undefined when it names columns that are not there. */
function bindSide(binder: Binder, expr: Expr): BoundExpr | undefined {
  try {
    return binder.bindRow(expr, 'JOIN ON');
  } catch (thrown) {
    if (thrown instanceof SluiceError && thrown.errorName === 'UNKNOWN_IDENTIFIER') return undefined;
    throw thrown;
  }
}

export function joinConditions(
  context: PlanContext,
  join: JoinTable,
  left: FromResult,
  right: FromResult,
  scope: WithScope | null,
): JoinConditions {
  const leftBinder = new Binder(context, new Scope(left.tables, scope));
  const rightBinder = new Binder(context, new Scope(right.tables, scope));
  const leftKeys: BoundExpr[] = [];
  const rightKeys: BoundExpr[] = [];
  const residual: Expr[] = [];
  let plan = right.plan;
  const addKeys = (first: BoundExpr, second: BoundExpr) => {
    const [one, other] = leftBinder.comparable(first, second);
    const common = supertype([withoutLowCardinality(one.type), withoutLowCardinality(other.type)], 'JOIN ON');
    leftKeys.push(sameType(one.type, common) ? one : leftBinder.castTo(one, common));
    rightKeys.push(sameType(other.type, common) ? other : leftBinder.castTo(other, common));
  };
  for (const name of join.using ?? []) {
    const column: Expr = { kind: 'column', parts: [name], pos: join.pos };
    addKeys(leftBinder.bindRow(column, 'USING'), rightBinder.bindRow(column, 'USING'));
  }
  for (const condition of join.on === null ? [] : conjuncts(join.on)) {
    const sides = condition.kind === 'call' && condition.name === 'equals' ? condition.args : null;
    if (sides !== null) {
      const straight = [bindSide(leftBinder, sides[0]!), bindSide(rightBinder, sides[1]!)];
      const crossed = [bindSide(leftBinder, sides[1]!), bindSide(rightBinder, sides[0]!)];
      const pair = straight[0] && straight[1] ? straight : crossed[0] && crossed[1] ? crossed : undefined;
      if (pair !== undefined) {
        addKeys(pair[0]!, pair[1]!);
        continue;
      }
    }
    const alone = bindSide(rightBinder, condition);
    if (alone !== undefined) {
      assertCondition(alone, 'JOIN ON');
      plan = { kind: 'filter', input: plan, predicate: alone };
    } else {
      residual.push(condition);
    }
  }
  const cross = join.type === 'cross' || join.type === 'comma';
  if (!cross && leftKeys.length === 0) {
    throw new SluiceError(
      'INVALID_JOIN_ON_EXPRESSION',
      'A JOIN needs at least one equality between its two sides in ON or USING',
    );
  }
  return { leftKeys, rightKeys, right: plan, residual };
}
