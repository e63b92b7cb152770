import {
  type BetweenTailContext,
  ComparisonTailContext,
  DistinctTailContext,
  InTailContext,
  LikeTailContext,
  NullTailContext,
  type OperandContext,
  ParensPrimaryContext,
  type PredicateTailContext,
  PrimaryOperandContext,
  SluiceParser,
} from '../../../generated/SluiceParser.ts';
import type { Expr, Span } from '../../ast/index.ts';
import { plainCall } from './calls.ts';
import { spanOf } from './common.ts';
import { operand, operatorCall } from './expressions.ts';

const comparisonNames: ReadonlyMap<number, string> = new Map([
  [SluiceParser.EQ, 'equals'],
  [SluiceParser.NE, 'not_equals'],
  [SluiceParser.LT, 'less'],
  [SluiceParser.LE, 'less_or_equals'],
  [SluiceParser.GT, 'greater'],
  [SluiceParser.GE, 'greater_or_equals'],
  [SluiceParser.NULL_SAFE_EQ, 'is_not_distinct_from'],
]);

/** The comparison that `ctx` makes of what stands to its left. */
export function predicateTail(ctx: PredicateTailContext, left: Expr): Expr {
  const pos: Span = { start: left.pos.start, end: spanOf(ctx).end };
  if (ctx instanceof ComparisonTailContext) {
    return operatorCall(comparisonNames.get(ctx._op!.type)!, [left, operand(ctx.operand())], pos);
  }
  if (ctx instanceof InTailContext) {
    const name = `${ctx.GLOBAL() ? 'global_' : ''}${ctx.NOT() ? 'not_' : ''}in`;
    return operatorCall(name, [left, inSet(ctx.operand())], pos);
  }
  if (ctx instanceof LikeTailContext) return like(ctx, left, pos);
  if (ctx instanceof NullTailContext) return operatorCall(ctx.NOT() ? 'is_not_null' : 'is_null', [left], pos);
  if (ctx instanceof DistinctTailContext) {
    const name = ctx.NOT() ? 'is_not_distinct_from' : 'is_distinct_from';
    return operatorCall(name, [left, operand(ctx.operand())], pos);
  }
  const between = ctx as BetweenTailContext;
  const [low, high] = [operand(between._low!), operand(between._high!)];
  return { kind: 'between', negated: between.NOT() !== null, expr: left, low, high, pos };
}

function like(ctx: LikeTailContext, left: Expr, pos: Span): Expr {
  const args = [left, operand(ctx.operand())];
  const negated = ctx.NOT() !== null;
  if (ctx._op!.type === SluiceParser.REGEXP) {
    const match = plainCall('match', args, pos);
    return negated ? operatorCall('not', [match], pos) : match;
  }
  const name = ctx._op!.type === SluiceParser.LIKE ? 'like' : 'ilike';
  return operatorCall(negated ? `not_${name}` : name, args, pos);
}

/** `IN (1)` names a set of one element, where parentheses elsewhere would only group. */
function inSet(ctx: OperandContext): Expr {
  const expr = operand(ctx);
  if (!(ctx instanceof PrimaryOperandContext)) return expr;
  const parens = ctx.primary();
  if (!(parens instanceof ParensPrimaryContext) || expr.kind === 'subquery' || expr.kind === 'tuple')
    return expr;
  return { kind: 'tuple', items: [expr], pos: spanOf(ctx) };
}
