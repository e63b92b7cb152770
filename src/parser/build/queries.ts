import {
  type BareQueryContext,
  type CteContext,
  type ExprCteContext,
  type OrderItemContext,
  type QueryContext,
  QueryCteContext,
  type SelectCoreContext,
  type SetTailContext,
  type SetTermContext,
  type SettingAssignmentContext,
  type SettingListContext,
  type SettingsClauseContext,
  SluiceParser,
  type WithClauseContext,
} from '../../../generated/SluiceParser.ts';
import type {
  Cte,
  Expr,
  FillClause,
  OrderByItem,
  Query,
  SetOperation,
  SettingAssignment,
  Span,
  WithClause,
} from '../../ast/index.ts';
import { identifierText, identifierTexts, optionalString, spanOf } from './common.ts';
import { aliasedExpression, checkChain, expression, operand, optionalOperand } from './expressions.ts';
import { selectCore } from './select.ts';

export function query(ctx: QueryContext): Query {
  const first = ctx.setTerm();
  return joinSetTails(setTerm(first), ctx.setTail(), spanOf(ctx), first.selectCore());
}

export function bareQuery(ctx: BareQueryContext): Query {
  const core = ctx.selectCore();
  return joinSetTails(selectCore(core), ctx.setTail(), spanOf(ctx), core);
}

/** A SELECT, or a query in parentheses, whose settings behind the parentheses join those of its last SELECT. */
function setTerm(ctx: SetTermContext): Query {
  const core = ctx.selectCore();
  if (core !== null) return selectCore(core);
  const inner = query(ctx.query()!);
  const settings = settingsOf(ctx.settingsClause());
  return settings.length === 0 ? inner : withSettings(inner, settings);
}

function withSettings(inner: Query, settings: readonly SettingAssignment[]): Query {
  if (inner.kind === 'select') return { ...inner, settings: [...inner.settings, ...settings] };
  const inputs = [...inner.inputs.slice(0, -1), withSettings(inner.inputs.at(-1)!, settings)];
  return { ...inner, inputs };
}

type Operator = SetOperation['operator'];
type Mode = SetOperation['mode'];

const operators: ReadonlyMap<number, Operator> = new Map([
  [SluiceParser.UNION, 'union'],
  [SluiceParser.INTERSECT, 'intersect'],
  [SluiceParser.EXCEPT, 'except'],
]);

/**
 * Joins queries by their set operators: INTERSECT first, the others from left to right, equal ones into one node.
 * `core` is the first SELECT unless that stands in parentheses; its WITH clause then moves to the node.
 */
export function joinSetTails(
  first: Query,
  tails: readonly SetTailContext[],
  pos: Span,
  core: SelectCoreContext | null = null,
): Query {
  if (tails.length === 0) return first;
  const ctes = core !== null && first.kind === 'select' ? first.with : null;
  const start = ctes === null || first.kind !== 'select' ? first : { ...first, with: null };
  const joined: { operator: Operator; mode: Mode; right: Query }[] = [];
  let left: Query = start;
  for (const tail of tails) {
    const operator = operators.get(tail._op!.type)!;
    const word = tail._kind?.type;
    const mode: Mode = word === SluiceParser.ALL ? 'all' : word === SluiceParser.DISTINCT ? 'distinct' : null;
    const right = setTerm(tail.setTerm());
    const last = joined.at(-1);
    if (operator !== 'intersect') joined.push({ operator, mode, right });
    else if (last === undefined) left = combine(left, operator, mode, right);
    else last.right = combine(last.right, operator, mode, right);
  }
  let changes = 0;
  for (const [index, { operator, mode, right }] of joined.entries()) {
    const before = joined[index - 1];
    if (before !== undefined && (before.operator !== operator || before.mode !== mode)) changes++;
    left = combine(left, operator, mode, right);
  }
  checkChain(changes, tails[0]!);
  return { ...left, with: ctes, pos };
}

/** Every node that `combine` has made and that may therefore still take inputs. */
const combined = new WeakSet<SetOperation>();

function combine(left: Query, operator: Operator, mode: Mode, right: Query): SetOperation {
  if (
    left.kind === 'set_operation' &&
    combined.has(left) &&
    left.operator === operator &&
    left.mode === mode
  ) {
    (left.inputs as Query[]).push(right);
    return left;
  }
  const pos = { start: left.pos.start, end: right.pos.end };
  const node: SetOperation = {
    kind: 'set_operation',
    operator,
    mode,
    with: null,
    inputs: [left, right],
    pos,
  };
  combined.add(node);
  return node;
}

export function withClause(ctx: WithClauseContext | null): WithClause | null {
  if (ctx === null) return null;
  return { recursive: ctx.RECURSIVE() !== null, ctes: ctx.cte().map(cte) };
}

function cte(ctx: CteContext): Cte {
  if (ctx instanceof QueryCteContext) {
    const columns = ctx.columnNames();
    return {
      type: 'query',
      name: identifierText(ctx.identifier()),
      columns: columns === null ? [] : identifierTexts(columns.identifier()),
      query: query(ctx.query()),
    };
  }
  const named = ctx as ExprCteContext;
  return { type: 'expr', name: identifierText(named.identifier()), expr: expression(named.expr()) };
}

export function orderByItem(ctx: OrderItemContext): OrderByItem {
  const fill = ctx.fillClause();
  return {
    expr: aliasedExpression(ctx.aliasedExpr()),
    ...orderDirection(ctx._direction?.type, ctx._nulls?.type),
    collate: optionalString(ctx._collate),
    fill: fill === null ? null : fillClause(fill),
  };
}

export function orderDirection(
  direction: number | undefined,
  nulls: number | undefined,
): Pick<OrderByItem, 'direction' | 'nulls'> {
  const descending = direction === SluiceParser.DESC || direction === SluiceParser.DESCENDING;
  return {
    direction: descending ? 'desc' : 'asc',
    nulls: nulls === undefined ? null : nulls === SluiceParser.FIRST ? 'first' : 'last',
  };
}

function fillClause(ctx: NonNullable<ReturnType<OrderItemContext['fillClause']>>): FillClause {
  return {
    from: optionalOperand(ctx._begin),
    to: optionalOperand(ctx._to),
    step: optionalOperand(ctx._step),
    staleness: optionalOperand(ctx._staleness),
  };
}

export function settingsOf(ctx: SettingsClauseContext | null | undefined): SettingAssignment[] {
  return ctx ? settingList(ctx.settingList()) : [];
}

export function settingList(ctx: SettingListContext | null | undefined): SettingAssignment[] {
  return ctx ? ctx.settingAssignment().map(settingAssignment) : [];
}

/** A bare word as the value is the word itself: `SETTINGS type = kafka`. */
function settingAssignment(ctx: SettingAssignmentContext): SettingAssignment {
  const value: Expr = operand(ctx.operand());
  const name = identifierTexts(ctx.identifier()).join('.');
  if (value.kind !== 'column') return { name, value };
  return { name, value: { kind: 'literal', type: 'string', value: value.parts.join('.'), pos: value.pos } };
}
