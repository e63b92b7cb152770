import {
  type AliasedExprContext,
  AndExprContext,
  BinaryOperandContext,
  CastOperandContext,
  type ExprContext,
  type ExprListContext,
  MemberOperandContext,
  NotExprContext,
  type OperandContext,
  OrExprContext,
  PathOperandContext,
  PredicateExprContext,
  PrimaryOperandContext,
  QualifiedAsteriskContext,
  QualifiedColumnsContext,
  type SignOperandContext,
  SluiceParser,
  SubscriptOperandContext,
  type TernaryExprContext,
  TupleIndexOperandContext,
} from '../../../generated/SluiceParser.ts';
import type { Expr, LambdaExpr, Span } from '../../ast/index.ts';
import { limits, SluiceError } from '../../base/index.ts';
import { negateNumber } from '../literals.ts';
import { describePosition } from '../syntax-error.ts';
import { columnsMatcher, columnTransforms } from './asterisks.ts';
import { plainCall } from './calls.ts';
import { firstToken, identifierText, refuse, spanOf } from './common.ts';
import { predicateTail } from './predicates.ts';
import { primary } from './primaries.ts';
import { normalTypeText } from './types.ts';

/** A call that was written as an operator. */
export function operatorCall(name: string, args: readonly Expr[], pos: Span): Expr {
  return {
    kind: 'call',
    name,
    args,
    params: null,
    distinct: false,
    filter: null,
    over: null,
    nulls: null,
    operator: true,
    pos,
  };
}

/** Refuses chains of operators whose tree would be too deep for whoever walks it. */
export function checkChain(length: number, ctx: Parameters<typeof firstToken>[0]): void {
  if (length <= limits.nesting_depth_max) return;
  const { source, start } = firstToken(ctx);
  throw new SluiceError(
    'TOO_DEEP_AST',
    `The expression at ${describePosition(source, start)} chains ${length} operators, at most ${limits.nesting_depth_max} are allowed`,
  );
}

export function aliasedExpression(ctx: AliasedExprContext): Expr {
  const expr = expression(ctx.expr());
  const name = ctx.identifier();
  return name === null ? expr : { kind: 'alias', expr, name: identifierText(name), pos: spanOf(ctx) };
}

export function expressionList(ctx: ExprListContext | null): Expr[] {
  return ctx === null ? [] : ctx.aliasedExpr().map(aliasedExpression);
}

export function optionalExpression(ctx: ExprContext | null | undefined): Expr | null {
  return ctx ? expression(ctx) : null;
}

export function optionalOperand(ctx: OperandContext | null | undefined): Expr | null {
  return ctx ? operand(ctx) : null;
}

export function expression(ctx: ExprContext): Expr {
  if (ctx instanceof PredicateExprContext) return predicate(ctx);
  if (ctx instanceof AndExprContext) return operatorCall('and', chain(ctx, AndExprContext), spanOf(ctx));
  if (ctx instanceof OrExprContext) return operatorCall('or', chain(ctx, OrExprContext), spanOf(ctx));
  if (ctx instanceof NotExprContext) return operatorCall('not', [expression(ctx.expr())], spanOf(ctx));
  const ternary = ctx as TernaryExprContext;
  const branches = [ternary._cond!, ternary._then!, ternary._otherwise!].map(expression);
  return plainCall('if', branches, spanOf(ctx));
}

/** The operands of `a AND b AND c`, whose contexts lean to the left as deep as the chain is long. */
function chain(
  ctx: AndExprContext | OrExprContext,
  type: typeof AndExprContext | typeof OrExprContext,
): Expr[] {
  const operands: ExprContext[] = [];
  let at: ExprContext = ctx;
  while (at instanceof type) {
    operands.push(at._right!);
    at = at._left!;
  }
  operands.push(at);
  return operands.reverse().map(expression);
}

function predicate(ctx: PredicateExprContext): Expr {
  const operandContext = ctx.operand();
  let expr = operand(operandContext);
  const tails = ctx.predicateTail();
  checkChain(tails.length, ctx);
  for (const tail of tails) expr = predicateTail(tail, expr);
  return ctx._body === undefined ? expr : lambda(ctx, expr);
}

function lambda(ctx: PredicateExprContext, head: Expr): LambdaExpr {
  const items = head.kind === 'tuple' ? head.items : [head];
  const params = items.map((item) => {
    if (item.kind === 'column' && item.parts.length === 1) return item.parts[0]!;
    throw refuse(ctx, 'expected a name or a list of names before ->');
  });
  return { kind: 'lambda', params, body: expression(ctx._body!), pos: spanOf(ctx) };
}

/** The context that an operand's suffix or operator continues; null for those that begin an operand. */
function leftOf(ctx: OperandContext): OperandContext | null {
  if (ctx instanceof BinaryOperandContext) return ctx._left!;
  if (
    ctx instanceof MemberOperandContext ||
    ctx instanceof PathOperandContext ||
    ctx instanceof CastOperandContext ||
    ctx instanceof SubscriptOperandContext ||
    ctx instanceof TupleIndexOperandContext ||
    ctx instanceof QualifiedAsteriskContext ||
    ctx instanceof QualifiedColumnsContext
  ) {
    return ctx._base!;
  }
  return null;
}

/** Builds an operand without recursion along its left side, which is as deep as `a + b + c + ...` is long. */
export function operand(ctx: OperandContext): Expr {
  if (ctx instanceof PrimaryOperandContext) return primary(ctx.primary());
  const spine: OperandContext[] = [];
  let at = ctx;
  for (let left = leftOf(at); left !== null; left = leftOf(at)) {
    spine.push(at);
    at = left;
  }
  let expr = at instanceof PrimaryOperandContext ? primary(at.primary()) : signed(at as SignOperandContext);
  let depth = 0;
  for (let i = spine.length - 1; i >= 0; i--) {
    const extended = extend(spine[i]!, expr);
    if (extended.kind !== 'column' && !(extended.kind === 'call' && extended.name === 'concat')) depth++;
    expr = extended;
  }
  checkChain(depth, ctx);
  return expr;
}

/** `-5` is the literal, also before `::`, because the smallest integers have no positive counterpart. */
function signed(ctx: SignOperandContext): Expr {
  const inner = ctx.operand();
  const expr = operand(inner);
  if (ctx._op!.type === SluiceParser.PLUS) return expr;
  const pos = spanOf(ctx);
  return foldSign(expr, inner.start!.start, pos) ?? operatorCall('negate', [expr], pos);
}

function foldSign(expr: Expr, start: number, pos: Span): Expr | null {
  if (expr.pos.start !== start) return null;
  if (
    expr.kind === 'literal' &&
    (expr.type === 'integer' || expr.type === 'float') &&
    !expr.text.startsWith('-')
  ) {
    return negateNumber(expr, pos);
  }
  if (expr.kind === 'cast' && expr.style === '::') {
    const folded = foldSign(expr.expr, start, { start: pos.start, end: expr.expr.pos.end });
    return folded === null ? null : { ...expr, expr: folded, pos };
  }
  if (expr.kind === 'interval') {
    const folded = foldSign(expr.value, start, { start: pos.start, end: expr.value.pos.end });
    return folded === null ? null : { ...expr, value: folded, pos };
  }
  return null;
}

const binaryNames: ReadonlyMap<number, string> = new Map([
  [SluiceParser.PLUS, 'plus'],
  [SluiceParser.MINUS, 'minus'],
  [SluiceParser.STAR, 'multiply'],
  [SluiceParser.SLASH, 'divide'],
  [SluiceParser.PERCENT, 'modulo'],
  [SluiceParser.MOD, 'modulo'],
  [SluiceParser.DIV, 'int_div'],
  [SluiceParser.CONCAT, 'concat'],
]);

/** One step of an operand: what `ctx` adds to `base`, the expression of its left side. */
function extend(ctx: OperandContext, base: Expr): Expr {
  const pos = spanOf(ctx);
  if (ctx instanceof BinaryOperandContext) return binary(ctx, base, pos);
  if (ctx instanceof MemberOperandContext) return member(base, identifierText(ctx.identifier()), pos);
  if (ctx instanceof PathOperandContext) {
    const key = identifierText(ctx.identifier());
    if (base.kind === 'json_path' && base.pos.start === pos.start) {
      return { kind: 'json_path', base: base.base, path: [...base.path, { type: 'key', key }], pos };
    }
    if (base.kind !== 'column')
      throw refuse(ctx, 'expected the name of a column before the : of a JSON path');
    return { kind: 'json_path', base, path: [{ type: 'key', key }], pos };
  }
  if (ctx instanceof CastOperandContext) {
    return { kind: 'cast', expr: base, typeText: normalTypeText(ctx.dataType()), style: '::', pos };
  }
  if (ctx instanceof SubscriptOperandContext) return subscript(base, expression(ctx._index!), pos);
  if (ctx instanceof TupleIndexOperandContext) {
    const token = ctx.TUPLE_INDEX().symbol;
    const span = { start: token.start + 1, end: token.stop + 1 };
    const digits = token.text!.slice(1);
    if (!/^\d+$/.test(digits)) throw refuse(token, 'expected the number of a tuple element after the dot');
    const index: Expr = { kind: 'literal', type: 'integer', value: BigInt(digits), text: digits, pos: span };
    return operatorCall('tuple_element', [base, index], pos);
  }
  if (base.kind !== 'column') throw refuse(ctx, 'expected the name of a table before .*');
  if (ctx instanceof QualifiedAsteriskContext) {
    return {
      kind: 'asterisk',
      qualifier: base.parts,
      transforms: columnTransforms(ctx.columnTransform()),
      pos,
    };
  }
  return columnsMatcher((ctx as QualifiedColumnsContext).columnsMatcher(), base.parts, pos);
}

function binary(ctx: BinaryOperandContext, left: Expr, pos: Span): Expr {
  const name = binaryNames.get(ctx._op!.type)!;
  const right = operand(ctx._right!);
  const extendsChain = name === 'concat' && left.kind === 'call' && left.name === 'concat' && left.operator;
  if (extendsChain && left.pos.start === pos.start && ctx._left instanceof BinaryOperandContext) {
    // Appending in place keeps long chains linear; the array is still ours alone here.
    (left.args as Expr[]).push(right);
    return { ...left, pos };
  }
  return operatorCall(name, [left, right], pos);
}

function member(base: Expr, name: string, pos: Span): Expr {
  const bare = base.pos.start === pos.start;
  if (base.kind === 'column' && bare) return { kind: 'column', parts: [...base.parts, name], pos };
  if (base.kind === 'json_path' && bare) {
    return { kind: 'json_path', base: base.base, path: [...base.path, { type: 'key', key: name }], pos };
  }
  const key: Expr = {
    kind: 'literal',
    type: 'string',
    value: name,
    pos: { start: pos.end - name.length, end: pos.end },
  };
  return operatorCall('tuple_element', [base, key], pos);
}

function subscript(base: Expr, index: Expr, pos: Span): Expr {
  const isPosition =
    index.kind === 'literal' && index.type === 'integer' && index.value > 0n && index.value < 2n ** 31n;
  if (base.kind === 'json_path' && base.pos.start === pos.start && isPosition) {
    const step = { type: 'index', index: Number(index.value) } as const;
    return { kind: 'json_path', base: base.base, path: [...base.path, step], pos };
  }
  return operatorCall('array_element', [base, index], pos);
}
