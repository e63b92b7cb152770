import {
  EmitSelectClauseContext,
  GroupByClauseContext,
  type GroupingElementsContext,
  HavingClauseContext,
  LimitClauseContext,
  OffsetClauseContext,
  OnlyFetchClauseContext,
  OrderByClauseContext,
  type OrderByItemsContext,
  PartitionByClauseContext,
  PrewhereClauseContext,
  QualifyClauseContext,
  type SelectClauseContext,
  type SelectCoreContext,
  type SelectItemContext,
  type SelectListContext,
  SettingsSelectClauseContext,
  ShuffleByClauseContext,
  SluiceParser,
  WhereClauseContext,
  type WindowClauseContext,
} from '../../../generated/SluiceParser.ts';
import {
  type Expr,
  type GroupByClause,
  type OrderByClause,
  type SelectQuery,
  selectFrom,
} from '../../ast/index.ts';
import { windowSpec } from './calls.ts';
import { identifierText, refuse, spanOf } from './common.ts';
import { emitClause } from './emit.ts';
import {
  aliasedExpression,
  expression,
  expressionList,
  optionalExpression,
  optionalOperand,
} from './expressions.ts';
import { orderByItem, orderDirection, settingsOf, withClause } from './queries.ts';
import { tableSources } from './tables.ts';

/** A SELECT while its clauses are being read. */
type Draft = { -readonly [K in keyof SelectQuery]: SelectQuery[K] };

export function selectCore(ctx: SelectCoreContext): SelectQuery {
  const list = ctx.selectList()!;
  const from = ctx.fromClause();
  const sources = from === null ? null : tableSources(from.tableExpr());
  const draft: Draft = {
    ...selectFrom(list.selectItem().map(selectItem), sources === null ? null : sources.table, spanOf(ctx)),
    with: withClause(ctx.withClause()),
    distinct: list.DISTINCT() !== null,
    distinctOn: distinctOn(list),
    arrayJoins: sources === null ? [] : sources.arrayJoins,
  };
  const clauses = ctx.selectClause();
  if (clauses.length > 0) readClauses(draft, clauses);
  return draft;
}

function distinctOn(list: SelectListContext): Expr[] {
  return expressionList(list.exprList());
}

export function selectItem(ctx: SelectItemContext): Expr {
  const expr = expression(ctx.expr());
  const alias = ctx.identifier() ?? ctx.implicitAlias();
  return alias === null ? expr : { kind: 'alias', expr, name: identifierText(alias), pos: spanOf(ctx) };
}

/** What a clause is called, its place in the order of clauses, and how it enters the draft. */
interface ClauseRule {
  readonly name: string;
  /** Null for clauses that may stand anywhere. */
  readonly rank: number | null;
  readonly read: (draft: Draft, clause: SelectClauseContext) => void;
}

const lastRank = 12;

/** The rules of the clauses. LIMIT and LIMIT BY share a grammar rule and are told apart when read. */
function ruleOf(clause: SelectClauseContext): ClauseRule {
  if (clause instanceof WhereClauseContext) return { name: 'WHERE', rank: 2, read: readWhere };
  if (clause instanceof GroupByClauseContext) return { name: 'GROUP BY', rank: 4, read: readGroupBy };
  if (clause instanceof OrderByClauseContext) return { name: 'ORDER BY', rank: 8, read: readOrderBy };
  if (clause instanceof LimitClauseContext) {
    const by = clause.BY() !== null;
    return { name: by ? 'LIMIT BY' : 'LIMIT', rank: by ? 9 : 10, read: by ? readLimitBy : readLimit };
  }
  if (clause instanceof SettingsSelectClauseContext)
    return { name: 'SETTINGS', rank: lastRank, read: readSettings };
  if (clause instanceof EmitSelectClauseContext) return { name: 'EMIT', rank: null, read: readEmit };
  if (clause instanceof HavingClauseContext) return { name: 'HAVING', rank: 5, read: readHaving };
  if (clause instanceof PrewhereClauseContext) return { name: 'PREWHERE', rank: 1, read: readPrewhere };
  if (clause instanceof PartitionByClauseContext)
    return { name: 'PARTITION BY', rank: null, read: readPartitionBy };
  if (clause instanceof ShuffleByClauseContext)
    return { name: 'SHUFFLE BY', rank: null, read: readShuffleBy };
  if (clause instanceof QualifyClauseContext) return { name: 'QUALIFY', rank: 7, read: readQualify };
  if (clause instanceof OffsetClauseContext) return { name: 'OFFSET', rank: 11, read: readOffset };
  if (clause instanceof OnlyFetchClauseContext) return { name: 'FETCH', rank: 11, read: readFetch };
  return { name: 'WINDOW', rank: 6, read: readWindow };
}

/** Reads the clauses and refuses a repeated one and one that stands after a clause it belongs before. */
function readClauses(draft: Draft, clauses: readonly SelectClauseContext[]): void {
  const seen: ClauseRule[] = [];
  for (const clause of clauses) {
    const rule = ruleOf(clause);
    for (const { name, rank } of seen) {
      if (name === rule.name) throw refuse(clause, `the ${name} clause is already given`);
      if (rank !== null && rule.rank !== null && rank > rule.rank) {
        throw refuse(clause, `the ${rule.name} clause is expected before ${name}`);
      }
    }
    seen.push(rule);
    rule.read(draft, clause);
  }
}

function readWhere(draft: Draft, clause: SelectClauseContext): void {
  draft.where = aliasedExpression((clause as WhereClauseContext).aliasedExpr());
}

function readPrewhere(draft: Draft, clause: SelectClauseContext): void {
  draft.prewhere = aliasedExpression((clause as PrewhereClauseContext).aliasedExpr());
}

function readHaving(draft: Draft, clause: SelectClauseContext): void {
  draft.having = aliasedExpression((clause as HavingClauseContext).aliasedExpr());
}

function readQualify(draft: Draft, clause: SelectClauseContext): void {
  draft.qualify = aliasedExpression((clause as QualifyClauseContext).aliasedExpr());
}

function readPartitionBy(draft: Draft, clause: SelectClauseContext): void {
  draft.partitionBy = expressionList((clause as PartitionByClauseContext).exprList());
}

function readShuffleBy(draft: Draft, clause: SelectClauseContext): void {
  draft.shuffleBy = expressionList((clause as ShuffleByClauseContext).exprList());
}

function readWindow(draft: Draft, clause: SelectClauseContext): void {
  draft.windows = (clause as WindowClauseContext).namedWindow().map((window) => ({
    name: identifierText(window.identifier()),
    spec: windowSpec(window.windowSpec()),
  }));
}

function readEmit(draft: Draft, clause: SelectClauseContext): void {
  draft.emit = emitClause((clause as EmitSelectClauseContext).emitClause());
}

function readSettings(draft: Draft, clause: SelectClauseContext): void {
  draft.settings = settingsOf((clause as SettingsSelectClauseContext).settingsClause());
}

function readGroupBy(draft: Draft, clause: SelectClauseContext): void {
  const ctx = clause as GroupByClauseContext;
  let group = groupingElements(ctx.groupingElements());
  for (const extra of ctx.groupModifier()) {
    const word = extra._modifier!.type;
    if (word === SluiceParser.TOTALS) group = { ...group, totals: true };
    else if (group.modifier !== null)
      throw refuse(extra, 'ROLLUP, CUBE and GROUPING SETS exclude each other');
    else group = { ...group, modifier: word === SluiceParser.CUBE ? 'cube' : 'rollup' };
  }
  draft.groupBy = group;
}

function groupingElements(ctx: GroupingElementsContext): GroupByClause {
  const none: GroupByClause = { exprs: [], modifier: null, sets: [], totals: false, all: false };
  if (ctx.ALL() !== null) return { ...none, all: true };
  const sets = ctx.groupingSet();
  if (sets.length === 0) {
    const modifier = ctx._modifier ? (ctx._modifier.type === SluiceParser.CUBE ? 'cube' : 'rollup') : null;
    return { ...none, exprs: expressionList(ctx.exprList()), modifier };
  }
  const items = sets.map((set) => {
    const single = set.expr();
    return single === null ? expressionList(set.exprList()) : [expression(single)];
  });
  return { ...none, modifier: 'grouping_sets', sets: items };
}

function readOrderBy(draft: Draft, clause: SelectClauseContext): void {
  const ctx = clause as OrderByClauseContext;
  const interpolated = ctx.interpolate();
  draft.orderBy = {
    ...orderByItems(ctx.orderByItems()),
    interpolate:
      interpolated === null
        ? null
        : interpolated.interpolateItem().map((item) => ({
            name: identifierText(item.identifier()),
            expr: optionalExpression(item.expr()),
          })),
  };
}

function orderByItems(ctx: OrderByItemsContext): Pick<OrderByClause, 'items' | 'all'> {
  if (ctx.ALL() !== null) return { items: [], all: orderDirection(ctx._direction?.type, ctx._nulls?.type) };
  return { items: ctx.orderItem().map(orderByItem), all: null };
}

/** `LIMIT offset, limit` and `LIMIT limit OFFSET offset`. */
function limitAndOffset(ctx: LimitClauseContext): { limit: Expr; offset: Expr | null } {
  const first = expression(ctx._first!);
  const second = optionalExpression(ctx._second);
  if (second === null) return { limit: first, offset: null };
  return ctx.COMMA() === null ? { limit: first, offset: second } : { limit: second, offset: first };
}

function readLimitBy(draft: Draft, clause: SelectClauseContext): void {
  const ctx = clause as LimitClauseContext;
  draft.limitBy = { ...limitAndOffset(ctx), by: expressionList(ctx.exprList()) };
}

function readLimit(draft: Draft, clause: SelectClauseContext): void {
  const ctx = clause as LimitClauseContext;
  const { limit, offset } = limitAndOffset(ctx);
  draft.limit = limit;
  draft.offset = offset;
  draft.withTies = ctx.TIES() !== null;
}

function readOffset(draft: Draft, clause: SelectClauseContext): void {
  const ctx = clause as OffsetClauseContext;
  if (draft.offset !== null) throw refuse(clause, 'the OFFSET is already given');
  draft.offset = optionalOperand(ctx._first);
  const fetch = ctx.fetchClause();
  if (fetch !== null) applyFetch(draft, fetch);
}

function readFetch(draft: Draft, clause: SelectClauseContext): void {
  applyFetch(draft, (clause as OnlyFetchClauseContext).fetchClause());
}

function applyFetch(draft: Draft, ctx: ReturnType<OnlyFetchClauseContext['fetchClause']>): void {
  if (draft.limit !== null) throw refuse(ctx, 'LIMIT and FETCH exclude each other');
  const count = optionalOperand(ctx.operand());
  draft.limit = count ?? { kind: 'literal', type: 'integer', value: 1n, text: '1', pos: spanOf(ctx) };
  draft.withTies = ctx.TIES() !== null;
}
