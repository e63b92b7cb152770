import {
  type CallArgumentsContext,
  type FrameBoundContext,
  type FunctionCallContext,
  SluiceParser,
  type WindowSpecContext,
} from '../../../generated/SluiceParser.ts';
import type { CallExpr, Expr, FrameBound, Span, WindowFrame, WindowSpec } from '../../ast/index.ts';
import { intervalUnit } from '../literals.ts';
import { identifierText, nameOfToken, refuse, spanOf } from './common.ts';
import { expression, expressionList, operand, optionalExpression } from './expressions.ts';
import { bareQuery, orderByItem } from './queries.ts';

/** A call as if it had been written `name(args)`. */
export function plainCall(name: string, args: readonly Expr[], pos: Span): CallExpr {
  return {
    kind: 'call',
    name,
    args,
    params: null,
    distinct: false,
    filter: null,
    over: null,
    nulls: null,
    operator: false,
    pos,
  };
}

export function functionCall(ctx: FunctionCallContext): Expr {
  const pos = spanOf(ctx);
  const name = nameOfToken(ctx.functionName().start!);
  const first = ctx.callArguments(0)!;
  const second = ctx._second ?? null;
  const last = second ?? first;
  const args = callArguments(last, name);
  const windowName = ctx._window;
  const windowContext = ctx.windowSpec();
  const over = windowName
    ? identifierText(windowName)
    : windowContext === null
      ? null
      : windowSpec(windowContext);
  const call: CallExpr = {
    kind: 'call',
    name,
    args,
    params: second === null ? null : callArguments(first, name),
    distinct: last.DISTINCT() !== null,
    filter: optionalExpression(ctx._filter),
    over,
    nulls: ctx._nulls ? (ctx._nulls.type === SluiceParser.RESPECT ? 'respect' : 'ignore') : null,
    operator: false,
    pos,
  };
  return args.length === 0 ? call : (rewrites.get(name.toLowerCase().replaceAll('_', ''))?.(call) ?? call);
}

function callArguments(ctx: CallArgumentsContext, name: string): Expr[] {
  const inner = ctx.bareQuery();
  if (inner !== null) return [{ kind: 'subquery', query: bareQuery(inner), pos: spanOf(inner) }];
  const args = expressionList(ctx.exprList());
  if (ctx._begin === undefined) return args;
  if (!/^(substring|substr|mid|overlay)$/i.test(name) || args.length !== 1) {
    throw refuse(ctx._begin, 'FROM is only expected within substring(text FROM start FOR length)');
  }
  args.push(expression(ctx._begin));
  if (ctx._length !== undefined) args.push(expression(ctx._length));
  return args;
}

/** Calls with a syntax of their own, by name without underscores; each gives the plain call, or nothing to keep it. */
const rewrites: ReadonlyMap<string, (call: CallExpr) => Expr | undefined> = new Map([
  ['position', positionIn],
  ['dateadd', (call: CallExpr) => dateArithmetic(call, 'plus')],
  ['timestampadd', (call: CallExpr) => dateArithmetic(call, 'plus')],
  ['datesub', (call: CallExpr) => dateArithmetic(call, 'minus')],
  ['timestampsub', (call: CallExpr) => dateArithmetic(call, 'minus')],
  ['datediff', unitAsString],
  ['timestampdiff', unitAsString],
  ['age', unitAsString],
]);

/** `position(needle IN haystack)`. */
function positionIn(call: CallExpr): Expr | undefined {
  const [only] = call.args;
  if (call.args.length !== 1 || only!.kind !== 'call' || only!.name !== 'in' || !only!.operator)
    return undefined;
  const [needle, haystack] = only!.args;
  const unwrapped =
    haystack!.kind === 'tuple' && haystack!.items.length === 1 ? haystack!.items[0]! : haystack!;
  return { ...call, args: [unwrapped, needle!] };
}

function unitWord(expr: Expr): ReturnType<typeof intervalUnit> {
  return expr.kind === 'column' && expr.parts.length === 1 ? intervalUnit(expr.parts[0]!) : undefined;
}

/** `date_add(day, 3, x)` is `x + INTERVAL 3 DAY`, and `date_add(x, INTERVAL 3 DAY)` likewise. */
function dateArithmetic(call: CallExpr, operator: 'plus' | 'minus'): Expr | undefined {
  const [first, second, third] = call.args;
  if (call.args.length === 2 && second!.kind === 'interval') return plainCall(operator, call.args, call.pos);
  const unit = unitWord(first!);
  if (call.args.length !== 3 || unit === undefined) return undefined;
  const interval: Expr = {
    kind: 'interval',
    value: second!,
    unit,
    pos: { start: first!.pos.start, end: second!.pos.end },
  };
  return plainCall(operator, [third!, interval], call.pos);
}

/** `date_diff(day, a, b)` is `date_diff('day', a, b)`. */
function unitAsString(call: CallExpr): Expr | undefined {
  const [first, ...rest] = call.args;
  const unit = unitWord(first!);
  if (unit === undefined || rest.length < 2) return undefined;
  return { ...call, args: [{ kind: 'literal', type: 'string', value: unit, pos: first!.pos }, ...rest] };
}

export function windowSpec(ctx: WindowSpecContext): WindowSpec {
  const frame = ctx.windowFrame();
  return {
    base: ctx._base === undefined ? null : identifierText(ctx._base),
    partitionBy: expressionList(ctx.exprList()),
    orderBy: ctx.orderItem().map(orderByItem),
    frame: frame === null ? null : windowFrame(frame),
  };
}

function windowFrame(ctx: NonNullable<ReturnType<WindowSpecContext['windowFrame']>>): WindowFrame {
  const [start, end] = ctx.frameBound();
  const units = new Map<number, WindowFrame['unit']>([
    [SluiceParser.ROWS, 'rows'],
    [SluiceParser.RANGE, 'range'],
    [SluiceParser.GROUPS, 'groups'],
  ]);
  return {
    unit: units.get(ctx._unit!.type)!,
    start: frameBound(start!),
    end: end === undefined ? { type: 'current_row', offset: null } : frameBound(end),
  };
}

function frameBound(ctx: FrameBoundContext): FrameBound {
  if (ctx.CURRENT() !== null) return { type: 'current_row', offset: null };
  const before = ctx._direction!.type === SluiceParser.PRECEDING;
  const offset = ctx.operand();
  if (offset === null) return { type: before ? 'unbounded_preceding' : 'unbounded_following', offset: null };
  return { type: before ? 'preceding' : 'following', offset: operand(offset) };
}
