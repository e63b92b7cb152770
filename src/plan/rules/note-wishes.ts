import { bareType, type SqlType, sameType } from '../../types/index.ts';
import { type BoundExpr, type BoundLambda, visitBound } from '../bound.ts';
import { type LogicalPlan, planInputs, type ScanCondition, type ScanPlan } from '../logical.ts';
import { conjuncts } from './push-filters.ts';

const operators: Readonly<Record<string, ScanCondition['op']>> = {
  equals: '=',
  not_equals: '!=',
  less: '<',
  less_or_equals: '<=',
  greater: '>',
  greater_or_equals: '>=',
};

/** The operator that gives the same with its sides exchanged. */
const exchanged: Readonly<Record<ScanCondition['op'], ScanCondition['op']>> = {
  '=': '=',
  '!=': '!=',
  '<': '>',
  '<=': '>=',
  '>': '<',
  '>=': '<=',
};

/** The type as far as it decides how values compare: neither a time zone does, nor that there may be NULLs, which never pass. */
function heldAs(type: SqlType): SqlType {
  const plain = bareType(type);
  if (plain.kind === 'datetime') return { kind: 'datetime' };
  return plain.kind === 'datetime64' ? { kind: 'datetime64', precision: plain.precision } : plain;
}

/** Whether values of the two types compare as they are held. */
function comparable(left: SqlType, right: SqlType): boolean {
  const [one, other] = [heldAs(left), heldAs(right)];
  return sameType(one, other) || (one.kind === 'int' && other.kind === 'int');
}

/** Whether an expression has one value in a whole execution, which can be known before any row is read. */
function isValue(expr: BoundExpr | BoundLambda): expr is BoundExpr {
  if (expr.kind === 'literal' || expr.kind === 'parameter') return true;
  if (expr.kind === 'lambda') return false;
  let isConstant = true;
  visitBound(expr, (inner) => {
    if (inner.kind === 'literal' || inner.kind === 'parameter') return;
    if (inner.kind !== 'call' || inner.definition.evaluation === 'per_row') isConstant = false;
  });
  return isConstant;
}

function conditionOf(scan: ScanPlan, expr: BoundExpr): ScanCondition | null {
  if (expr.kind !== 'call' || expr.args.length !== 2) return null;
  const op = operators[expr.definition.name];
  if (op === undefined) return null;
  const [left, right] = expr.args as [BoundExpr | BoundLambda, BoundExpr | BoundLambda];
  if (left.kind !== 'column') {
    if (right.kind !== 'column' || !isValue(left)) return null;
    return made(scan, right, exchanged[op], left);
  }
  return isValue(right) ? made(scan, left, op, right) : null;
}

function made(
  scan: ScanPlan,
  column: BoundExpr & { kind: 'column' },
  op: ScanCondition['op'],
  value: BoundExpr,
): ScanCondition | null {
  const entry = scan.columns.find((each) => each.column.id === column.column.id);
  if (entry === undefined || !comparable(column.type, value.type)) return null;
  return { column: entry.source, op, value };
}

/** Whether a scan can make something of conditions: give fewer rows, or leave out blocks. */
function isSelective(plan: LogicalPlan): plan is ScanPlan {
  return plan.kind === 'scan' && (plan.source.kind === 'external' || plan.source.kind === 'stream');
}

/** The limit that stands over a plan, handed down to a scan from which every row comes through. */
function limited(plan: LogicalPlan, limit: BoundExpr): LogicalPlan {
  if (plan.kind === 'project') return { ...plan, input: limited(plan.input, limit) };
  if (plan.kind !== 'scan' || plan.source.kind !== 'external') return noteWishes(plan);
  return { ...plan, wishes: { conditions: [], limit } };
}

/**
 * Tells scans what becomes of their rows: the simple conditions that are checked right above them, and external sources of a
 * limit that nothing stands before. Nothing is taken out of the plan.
 */
export function noteWishes(plan: LogicalPlan): LogicalPlan {
  switch (plan.kind) {
    case 'one':
    case 'scan':
      return plan;
    case 'filter': {
      const { input } = plan;
      if (!isSelective(input)) return { ...plan, input: noteWishes(input) };
      const conditions = conjuncts(plan.predicate).flatMap((expr) => conditionOf(input, expr) ?? []);
      return { ...plan, input: { ...input, wishes: { conditions, limit: null } } };
    }
    case 'limit':
      if (plan.limit === null || plan.offset !== null) return { ...plan, input: noteWishes(plan.input) };
      return { ...plan, input: limited(plan.input, plan.limit) };
    case 'join':
      return { ...plan, left: noteWishes(plan.left), right: noteWishes(plan.right) };
    case 'union':
      return { ...plan, inputs: planInputs(plan).map(noteWishes) };
    default:
      return { ...plan, input: noteWishes(plan.input) };
  }
}
