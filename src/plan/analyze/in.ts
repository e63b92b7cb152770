import {
  allColumns,
  type CallExpr,
  type Expr,
  type NamedTable,
  type Query,
  selectFrom,
} from '../../ast/index.ts';
import { SluiceError } from '../../base/index.ts';
import { setKey } from '../../runtime/index.ts';
import {
  bareType,
  isNullable,
  nullable,
  type SqlType,
  toByteString,
  typeName,
  types,
} from '../../types/index.ts';
import { type BoundExpr, isConstant, isKnown } from '../bound.ts';
import { outputColumns } from '../logical.ts';
import type { Binder } from './binder.ts';
import { literalOf } from './literal.ts';
import { planQuery } from './query.ts';

/** Binds `x IN (...)` and its relatives to a look-up in a set made beforehand. */
export function bindIn(binder: Binder, expr: CallExpr): BoundExpr {
  const [leftAst, right] = expr.args as [Expr, Expr];
  const negated = expr.name.includes('not');
  const value = binder.bind(leftAst);
  if (bareType(value.type).kind === 'nothing') return literalOf(null, nullable(types.bool));
  if (right.kind === 'subquery') return inSubquery(binder, value, right.query, negated);
  if (
    right.kind === 'column' &&
    binder.scope.find(right.parts) === undefined &&
    !binder.scope.aliases.has(right.parts[0]!)
  ) {
    return inTable(binder, value, right, negated);
  }
  const items =
    right.kind === 'tuple' && !isTupleMember(value, right.items)
      ? right.items
      : right.kind === 'array'
        ? right.items
        : [right];
  const bound = items.map((item) => binder.bind(item));
  if (
    bound.length === 1 &&
    bareType(bound[0]!.type).kind === 'array' &&
    bareType(value.type).kind !== 'array'
  ) {
    const has = binder.call('has', [bound[0]!, value]);
    return negated ? binder.call('not', [has]) : has;
  }
  if (bound.every(isConstant)) return inConstants(binder, value, bound, negated);
  const any = bound.map((item) => binder.comparison('equals', value, item));
  const result = any.length === 1 ? any[0]! : binder.call('or', any);
  return negated ? binder.call('not', [result]) : result;
}

/** Whether `(1, 2)` on the right is one tuple to look for, and not a list of values. */
function isTupleMember(value: BoundExpr, items: readonly Expr[]): boolean {
  const bare = bareType(value.type);
  return (
    bare.kind === 'tuple' &&
    bare.elements.length === items.length &&
    !items.some((item) => item.kind === 'tuple')
  );
}

/** IN gives NULL for a NULL. */
function resultType(value: BoundExpr): SqlType {
  return isNullable(value.type) ? nullable(types.bool) : types.bool;
}

function inSet(value: BoundExpr, parameter: number, negated: boolean): BoundExpr {
  return { kind: 'in_set', negated, value, parameter, type: resultType(value) };
}

function inConstants(
  binder: Binder,
  value: BoundExpr,
  items: readonly BoundExpr[],
  negated: boolean,
): BoundExpr {
  const set = new Set<unknown>();
  const wanted = bareType(value.type);
  for (const item of items) {
    const constant = binder.context.evaluate(item);
    if (constant === null) continue;
    const converted = binder.context.evaluate(accurately(binder, literalOf(constant, item.type), wanted));
    if (converted !== null) set.add(setKey(converted));
  }
  if (isKnown(value)) {
    const known = binder.context.evaluate(value);
    const found = known === null ? null : Number(set.has(setKey(known)) !== negated);
    return literalOf(found, resultType(value));
  }
  binder.context.parameters.push({ kind: 'constant', value: set });
  return inSet(value, binder.context.parameters.length - 1, negated);
}

/** The value as a type it fits exactly, NULL where it does not. */
function accurately(binder: Binder, value: BoundExpr, type: SqlType): BoundExpr {
  const typeText = literalOf(toByteString(typeName(bareType(type))), types.string);
  return binder.call('accurate_cast_or_null', [value, typeText]);
}

function inSubquery(binder: Binder, value: BoundExpr, query: Query, negated: boolean): BoundExpr {
  const { context } = binder;
  const plan = planQuery(context, query, binder.scope.with);
  const columns = outputColumns(plan);
  const bare = bareType(value.type);
  const elements =
    bare.kind === 'tuple' && columns.length > 1 ? bare.elements.map((element) => element.type) : [value.type];
  if (columns.length !== elements.length) {
    throw new SluiceError(
      'INCORRECT_NUMBER_OF_COLUMNS',
      `The subquery of IN gives ${columns.length} columns where ${elements.length} are compared`,
    );
  }
  const outputs = columns.map((column, index) => {
    const expr = accurately(binder, { kind: 'column', column, type: column.type }, elements[index]!);
    return { column: context.nextColumn(column.name, expr.type), expr };
  });
  context.parameters.push({ kind: 'set', plan: { kind: 'project', input: plan, outputs } });
  return inSet(value, context.parameters.length - 1, negated);
}

/** `x IN s`: the rows that the stream holds now, or of a common table expression. */
function inTable(
  binder: Binder,
  value: BoundExpr,
  right: Expr & { kind: 'column' },
  negated: boolean,
): BoundExpr {
  const [first, second] = right.parts;
  const { pos } = right;
  const table: NamedTable = {
    kind: 'table',
    database: second === undefined ? null : first!,
    name: second ?? first!,
    alias: null,
    final: false,
    sample: null,
    pos,
  };
  const query = selectFrom([allColumns(pos, ['_tp_time'])], table, pos);
  return inSubquery(binder, value, query, negated);
}
