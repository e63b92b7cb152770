import { functions } from '../../functions/index.ts';
import { types } from '../../types/index.ts';
import { type BoundExpr, columnsOf, mapChildren, visitBound } from '../bound.ts';
import { type LogicalPlan, outputColumns } from '../logical.ts';

/** The conditions that an expression says hold together. */
export function conjuncts(expr: BoundExpr): readonly BoundExpr[] {
  if (expr.kind !== 'call' || expr.definition.name !== 'and') return [expr];
  return expr.args.flatMap((argument) => (argument.kind === 'lambda' ? [] : conjuncts(argument)));
}

function conjunction(exprs: readonly BoundExpr[]): BoundExpr {
  if (exprs.length === 1) return exprs[0]!;
  return { kind: 'call', definition: functions.scalar('and'), args: exprs, type: types.uint8 };
}

function filtered(input: LogicalPlan, predicates: readonly BoundExpr[]): LogicalPlan {
  return predicates.length === 0 ? input : { kind: 'filter', input, predicate: conjunction(predicates) };
}

/** Whether moving the expression changes what it gives. */
function isPure(expr: BoundExpr): boolean {
  let pure = true;
  visitBound(expr, (inner) => {
    if (
      inner.kind === 'call' &&
      inner.definition.evaluation !== undefined &&
      inner.definition.evaluation !== 'pure'
    )
      pure = false;
  });
  return pure;
}

function substitute(expr: BoundExpr, meanings: ReadonlyMap<number, BoundExpr>): BoundExpr {
  if (expr.kind === 'column') return meanings.get(expr.column.id) ?? expr;
  return mapChildren(expr, (child) => substitute(child, meanings));
}

function pushInto(input: LogicalPlan, predicates: readonly BoundExpr[]): LogicalPlan {
  switch (input.kind) {
    case 'filter':
      return pushInto(input.input, [...conjuncts(input.predicate), ...predicates]);
    case 'project': {
      const meanings = new Map(input.outputs.map((output) => [output.column.id, output.expr]));
      const movable = predicates.filter((predicate) => isPure(substitute(predicate, meanings)));
      const rest = predicates.filter((predicate) => !movable.includes(predicate));
      const inner = pushInto(
        input.input,
        movable.map((predicate) => substitute(predicate, meanings)),
      );
      return filtered({ ...input, input: inner }, rest);
    }
    case 'aggregate': {
      const keys = new Map(input.keys.map((key) => [key.column.id, key.expr]));
      const movable = predicates.filter(
        (predicate) =>
          isPure(predicate) && keys.size > 0 && [...columnsOf(predicate)].every((id) => keys.has(id)),
      );
      const rest = predicates.filter((predicate) => !movable.includes(predicate));
      return filtered(
        {
          ...input,
          input: pushInto(
            input.input,
            movable.map((predicate) => substitute(predicate, keys)),
          ),
        },
        rest,
      );
    }
    case 'join': {
      const left = new Set(outputColumns(input.left).map((column) => column.id));
      const movable = predicates.filter(
        (predicate) => isPure(predicate) && [...columnsOf(predicate)].every((id) => left.has(id)),
      );
      const rest = predicates.filter((predicate) => !movable.includes(predicate));
      return filtered(
        { ...input, left: pushInto(input.left, movable), right: pushFilters(input.right) },
        rest,
      );
    }
    case 'union': {
      const inputs = input.inputs.map((branch) => {
        const columns = outputColumns(branch);
        const meanings = new Map(
          input.columns.map((column, index): [number, BoundExpr] => [
            column.id,
            { kind: 'column', column: columns[index]!, type: columns[index]!.type },
          ]),
        );
        return pushInto(
          branch,
          predicates.map((predicate) => substitute(predicate, meanings)),
        );
      });
      return { ...input, inputs };
    }
    default:
      return filtered(pushFilters(input), predicates);
  }
}

/**
 * Moves filters towards the scans: through projections, into the branches of unions, to the left side of joins (the right
 * side's rows may be filled up), below aggregations when they only look at keys.
 */
export function pushFilters(plan: LogicalPlan): LogicalPlan {
  switch (plan.kind) {
    case 'one':
    case 'scan':
      return plan;
    case 'filter':
      return pushInto(plan.input, conjuncts(plan.predicate));
    case 'join':
      return { ...plan, left: pushFilters(plan.left), right: pushFilters(plan.right) };
    case 'union':
      return { ...plan, inputs: plan.inputs.map(pushFilters) };
    default:
      return { ...plan, input: pushFilters(plan.input) };
  }
}
