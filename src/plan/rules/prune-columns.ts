import { type BoundExpr, columnsOf } from '../bound.ts';
import type { LogicalPlan } from '../logical.ts';
import { outputColumns } from '../logical.ts';

function addAll(needed: Set<number>, exprs: readonly (BoundExpr | null)[]): Set<number> {
  for (const expr of exprs) if (expr !== null) columnsOf(expr, needed);
  return needed;
}

/** Leaves out of every node what nothing above reads, so that scans read only the columns that matter. */
export function pruneColumns(plan: LogicalPlan, needed: ReadonlySet<number>): LogicalPlan {
  switch (plan.kind) {
    case 'one':
      return plan;
    case 'scan':
      return { ...plan, columns: plan.columns.filter((entry) => needed.has(entry.column.id)) };
    case 'filter':
      return { ...plan, input: pruneColumns(plan.input, addAll(new Set(needed), [plan.predicate])) };
    case 'project': {
      const outputs = plan.outputs.filter((output) => needed.has(output.column.id));
      return {
        ...plan,
        outputs,
        input: pruneColumns(
          plan.input,
          addAll(
            new Set(),
            outputs.map((output) => output.expr),
          ),
        ),
      };
    }
    case 'aggregate': {
      const aggregates = plan.aggregates.filter((output) => needed.has(output.column.id));
      const inner = addAll(
        new Set(),
        plan.keys.map((key) => key.expr),
      );
      for (const { call } of aggregates) addAll(inner, [...call.args, call.condition]);
      return { ...plan, aggregates, input: pruneColumns(plan.input, inner) };
    }
    case 'distinct':
      return { ...plan, input: pruneColumns(plan.input, addAll(new Set(needed), plan.on)) };
    case 'sort':
      return {
        ...plan,
        input: pruneColumns(
          plan.input,
          addAll(
            new Set(needed),
            plan.keys.map((key) => key.expr),
          ),
        ),
      };
    case 'limit':
      return { ...plan, input: pruneColumns(plan.input, needed) };
    case 'limit_by':
      return { ...plan, input: pruneColumns(plan.input, addAll(new Set(needed), plan.by)) };
    case 'join': {
      const rightOutputs = plan.rightOutputs.filter((output) => needed.has(output.column.id));
      const right = new Set(rightOutputs.map((output) => output.source.id));
      return {
        ...plan,
        rightOutputs,
        left: pruneColumns(plan.left, addAll(new Set(needed), plan.leftKeys)),
        right: pruneColumns(plan.right, addAll(right, plan.rightKeys)),
      };
    }
    case 'union': {
      const kept = plan.columns
        .map((column, index) => ({ column, index }))
        .filter((entry) => needed.has(entry.column.id));
      const inputs = plan.inputs.map((input) => {
        const all = outputColumns(input);
        return pruneColumns(input, new Set(kept.map((entry) => all[entry.index]!.id)));
      });
      return { ...plan, columns: kept.map((entry) => entry.column), inputs };
    }
    case 'array_join': {
      const items = plan.items;
      const inner = addAll(
        new Set(needed),
        items.map((item) => item.expr),
      );
      return { ...plan, input: pruneColumns(plan.input, inner) };
    }
  }
}
