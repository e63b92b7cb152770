import {
  ArrayJoinContext,
  CommaJoinContext,
  type DescribeTargetContext,
  type JoinConstraintContext,
  type JoinTailContext,
  type JoinWordContext,
  type ObjectNameContext,
  type PlainJoinContext,
  SluiceParser,
  type TableArgumentContext,
  type TableAtomContext,
  type TableExprContext,
  TableFunctionAtomContext,
  type TableFunctionContext,
  TableNameContext,
  type TableParensContext,
  type TablePrimaryContext,
  TableQueryContext,
} from '../../../generated/SluiceParser.ts';
import type {
  ArrayJoinClause,
  Expr,
  JoinStrictness,
  JoinTable,
  JoinType,
  NamedTable,
  SampleClause,
  TableExpr,
  TableFunction,
} from '../../ast/index.ts';
import { plainCall } from './calls.ts';
import { identifierText, identifierTexts, objectName, refuse, spanOf } from './common.ts';
import { aliasedExpression, checkChain, expression, operand, optionalOperand } from './expressions.ts';
import { bareQuery, joinSetTails, query, settingsOf } from './queries.ts';
import { selectItem } from './select.ts';

/** The tables of FROM as one tree, and the arrays that are joined to its rows afterwards. */
export function tableSources(ctx: TableExprContext): { table: TableExpr; arrayJoins: ArrayJoinClause[] } {
  const arrayJoins: ArrayJoinClause[] = [];
  let table = tablePrimary(ctx.tablePrimary());
  const tails = ctx.joinTail();
  checkChain(tails.length, ctx);
  for (const tail of tails) {
    if (tail instanceof ArrayJoinContext) {
      arrayJoins.push({
        left: tail._side?.type === SluiceParser.LEFT,
        items: tail.selectItem().map(selectItem),
      });
    } else if (arrayJoins.length > 0) {
      throw refuse(tail, 'a JOIN is expected before ARRAY JOIN; put the ARRAY JOIN into a subquery');
    } else {
      table = joinTail(tail, table);
    }
  }
  return { table, arrayJoins };
}

function joinTail(ctx: JoinTailContext, left: TableExpr): JoinTable {
  const pos = { start: left.pos.start, end: spanOf(ctx).end };
  if (ctx instanceof CommaJoinContext) {
    const right = tablePrimary(ctx.tablePrimary());
    return {
      kind: 'join',
      type: 'comma',
      strictness: null,
      global: false,
      left,
      right,
      on: null,
      using: null,
      pos,
    };
  }
  const plain = ctx as PlainJoinContext;
  const words = joinWords(plain.joinWord());
  const constraint = plain.joinConstraint();
  const right = tablePrimary(plain.tablePrimary());
  const unconditional = words.type === 'cross' || words.type === 'paste';
  if (unconditional && constraint !== null)
    throw refuse(constraint, `a ${words.type} join takes no condition`);
  if (!unconditional && constraint === null)
    throw refuse(plain, 'expected ON or USING after the joined table');
  return { kind: 'join', ...words, left, right, ...joinConstraint(constraint), pos };
}

const strictnesses: ReadonlyMap<number, JoinStrictness> = new Map([
  [SluiceParser.ALL, 'all'],
  [SluiceParser.ANY, 'any'],
  [SluiceParser.ASOF, 'asof'],
  [SluiceParser.SEMI, 'semi'],
  [SluiceParser.ANTI, 'anti'],
  [SluiceParser.LATEST, 'latest'],
]);

const joinTypes: ReadonlyMap<number, JoinType> = new Map([
  [SluiceParser.INNER, 'inner'],
  [SluiceParser.LEFT, 'left'],
  [SluiceParser.RIGHT, 'right'],
  [SluiceParser.FULL, 'full'],
  [SluiceParser.CROSS, 'cross'],
  [SluiceParser.PASTE, 'paste'],
]);

/** The words before JOIN, which may come in any order: at most one type, one strictness, GLOBAL and OUTER. */
function joinWords(contexts: readonly JoinWordContext[]): Pick<JoinTable, 'type' | 'strictness' | 'global'> {
  let type: JoinType | null = null;
  let strictness: JoinStrictness | null = null;
  let global = false;
  for (const ctx of contexts) {
    const word = ctx.start!.type;
    const asType = joinTypes.get(word);
    const asStrictness = strictnesses.get(word);
    if (asType !== undefined) {
      if (type !== null) throw refuse(ctx, 'expected JOIN, because the type of the join is already given');
      type = asType;
    } else if (asStrictness !== undefined) {
      if (strictness !== null)
        throw refuse(ctx, 'expected JOIN, because the strictness of the join is already given');
      strictness = asStrictness;
    } else if (word === SluiceParser.GLOBAL) {
      global = true;
    }
  }
  // SEMI and ANTI alone keep rows of the left side, as a LEFT join does.
  const fallback = strictness === 'semi' || strictness === 'anti' ? 'left' : 'inner';
  return { type: type ?? fallback, strictness, global };
}

function joinConstraint(ctx: JoinConstraintContext | null): Pick<JoinTable, 'on' | 'using'> {
  if (ctx === null) return { on: null, using: null };
  const on = ctx.expr();
  if (on !== null) return { on: expression(on), using: null };
  return { on: null, using: identifierTexts(ctx.identifier()) };
}

function tablePrimary(ctx: TablePrimaryContext): TableExpr {
  const table = tableAtom(ctx.tableAtom());
  const aliasContext = ctx.tableAlias();
  const final = Boolean(ctx._early ?? ctx._late);
  const sample = sampleClause(ctx.sampleClause());
  if (aliasContext === null && !final && sample === null) return table;
  const aliasName =
    aliasContext === null ? null : (aliasContext.identifier() ?? aliasContext.implicitAlias()!);
  const alias = aliasName === null ? null : identifierText(aliasName);
  const names = aliasContext?.columnNames() ?? null;
  const pos = spanOf(ctx);
  if (table.kind === 'table_subquery') {
    if (final || sample !== null)
      throw refuse(ctx, 'FINAL and SAMPLE are only expected after the name of a stream');
    return { ...table, alias, columnAliases: names === null ? [] : identifierTexts(names.identifier()), pos };
  }
  if (table.kind === 'join')
    throw refuse(aliasContext ?? ctx, 'a join in parentheses takes no alias, FINAL or SAMPLE');
  if (names !== null) throw refuse(names, 'names for the columns are only expected after a subquery');
  return { ...table, alias, final, sample, pos };
}

function sampleClause(ctx: ReturnType<TablePrimaryContext['sampleClause']>): SampleClause | null {
  if (ctx === null) return null;
  return { ratio: operand(ctx._ratio!), offset: optionalOperand(ctx._offset) };
}

function namedTable(ctx: ObjectNameContext): NamedTable {
  return { kind: 'table', ...objectName(ctx), alias: null, final: false, sample: null, pos: spanOf(ctx) };
}

/** What DESCRIBE describes: a stream, a table function or a query. */
export function describeTarget(ctx: DescribeTargetContext): TableExpr {
  const inner = ctx.query();
  if (inner !== null) {
    return { kind: 'table_subquery', query: query(inner), alias: null, columnAliases: [], pos: spanOf(ctx) };
  }
  const name = ctx.objectName();
  return name === null ? tableFunction(ctx.tableFunction()!) : namedTable(name);
}

function tableAtom(ctx: TableAtomContext): TableExpr {
  const pos = spanOf(ctx);
  if (ctx instanceof TableNameContext) return namedTable(ctx.objectName());
  if (ctx instanceof TableFunctionAtomContext) return tableFunction(ctx.tableFunction());
  if (ctx instanceof TableQueryContext) {
    return { kind: 'table_subquery', query: bareQuery(ctx.bareQuery()), alias: null, columnAliases: [], pos };
  }
  const parens = ctx as TableParensContext;
  const { table, arrayJoins } = tableSources(parens.tableExpr());
  if (arrayJoins.length > 0) throw refuse(parens, 'ARRAY JOIN is not expected within parentheses');
  const tails = parens.setTail();
  if (tails.length === 0) return table;
  if (table.kind !== 'table_subquery' || table.alias !== null) {
    throw refuse(tails[0]!, 'expected ), because what stands before it is not a query');
  }
  return { ...table, query: joinSetTails(table.query, tails, pos), pos };
}

export function tableFunction(ctx: TableFunctionContext): TableFunction {
  const inner = ctx.bareQuery();
  const args: Expr[] =
    inner === null
      ? ctx.tableArgument().map(tableArgument)
      : [{ kind: 'subquery', query: bareQuery(inner), pos: spanOf(inner) }];
  return {
    kind: 'table_function',
    name: identifierText(ctx.identifier()),
    args,
    settings: settingsOf(ctx.settingsClause()),
    alias: null,
    final: false,
    sample: null,
    pos: spanOf(ctx),
  };
}

/** `[a, b)` becomes `session_range(a, b, true, false)`: the bounds and whether each belongs to the range. */
function tableArgument(ctx: TableArgumentContext): Expr {
  const plain = ctx.aliasedExpr();
  if (plain !== null) return aliasedExpression(plain);
  const pos = spanOf(ctx);
  const open = ctx.RANGE_OPEN()!.symbol.text === '[';
  const close = ctx.RANGE_CLOSE()!.symbol.text === ']';
  const flags = [open, close].map((value): Expr => ({ kind: 'literal', type: 'bool', value, pos }));
  return plainCall('session_range', [expression(ctx._low!), expression(ctx._high!), ...flags], pos);
}
