import type { Expr, Query, QueryCte, SetOperation, WithClause } from '../../ast/index.ts';
import { SluiceError } from '../../base/index.ts';
import { functions } from '../../functions/index.ts';
import { sameType, supertype, toByteString, typeName, types } from '../../types/index.ts';
import type { BoundExpr, Column } from '../bound.ts';
import type { PlanContext } from '../context.ts';
import { type LogicalPlan, outputColumns } from '../logical.ts';
import { literalOf } from './literal.ts';
import type { WithScope } from './scope.ts';
import { planSelect } from './select.ts';

/** The scope inside a WITH clause: each entry sees those before it. */
export function enterWith(clause: WithClause | null, parent: WithScope | null): WithScope | null {
  if (clause === null) return parent;
  if (clause.recursive) throw new SluiceError('NOT_IMPLEMENTED', 'WITH RECURSIVE is not supported');
  let scope = parent;
  for (const cte of clause.ctes) {
    const outer = scope;
    const queries = new Map<string, QueryCte & { readonly scope: WithScope | null }>();
    const exprs = new Map<string, Expr>();
    if (cte.type === 'query') queries.set(cte.name, { ...cte, scope: outer });
    else exprs.set(cte.name, cte.expr);
    scope = { parent: outer, queries, exprs };
  }
  return scope;
}

/** The plan of a whole query; its output columns are the result's. */
export function planQuery(context: PlanContext, query: Query, outer: WithScope | null): LogicalPlan {
  if (query.kind === 'select') return planSelect(context, query, enterWith(query.with, outer));
  return planSetOperation(context, query, enterWith(query.with, outer));
}

function planSetOperation(context: PlanContext, query: SetOperation, scope: WithScope | null): LogicalPlan {
  if (query.operator !== 'union')
    throw new SluiceError('NOT_IMPLEMENTED', `${query.operator.toUpperCase()} is not supported`);
  if (query.mode === null) {
    throw new SluiceError('SYNTAX_ERROR', 'UNION needs ALL or DISTINCT after it');
  }
  const inputs = query.inputs.map((input) => planQuery(context, input, scope));
  const union = planUnion(context, inputs);
  if (query.mode === 'all') return union;
  const on = outputColumns(union).map((column): BoundExpr => ({ kind: 'column', column, type: column.type }));
  return { kind: 'distinct', input: union, on };
}

function planUnion(context: PlanContext, inputs: readonly LogicalPlan[]): LogicalPlan {
  const lists = inputs.map(outputColumns);
  const [first] = lists;
  for (const list of lists) {
    if (list.length !== first!.length) {
      throw new SluiceError(
        'INCORRECT_NUMBER_OF_COLUMNS',
        `The queries of a UNION give ${first!.length} and ${list.length} columns`,
      );
    }
  }
  const columns = first!.map((column, index) => {
    const type = supertype(
      lists.map((list) => list[index]!.type),
      `column '${column.name}' of a UNION`,
    );
    return context.nextColumn(column.name, type);
  });
  return { kind: 'union', columns, inputs: inputs.map((input) => castOutputs(context, input, columns)) };
}

/** The plan with its outputs cast to the types of the given columns, by position. */
export function castOutputs(
  context: PlanContext,
  input: LogicalPlan,
  wanted: readonly Column[],
): LogicalPlan {
  const given = outputColumns(input);
  const cast = functions.scalar('cast');
  const outputs = given.map((column, index) => {
    const type = wanted[index]!.type;
    const expr: BoundExpr = { kind: 'column', column, type: column.type };
    if (sameType(column.type, type)) return { column: context.nextColumn(column.name, type), expr };
    const args = [expr, literalOf(toByteString(typeName(type)), types.string)];
    return {
      column: context.nextColumn(column.name, type),
      expr: { kind: 'call' as const, definition: cast, args, type },
    };
  });
  return { kind: 'project', input, outputs };
}
