import {
  ArrayPrimaryContext,
  AsteriskPrimaryContext,
  CallPrimaryContext,
  CasePrimaryContext,
  CastPrimaryContext,
  ColumnsPrimaryContext,
  DatePrimaryContext,
  DurationPrimaryContext,
  ExistsPrimaryContext,
  ExtractPrimaryContext,
  IdentifierPrimaryContext,
  IntervalPrimaryContext,
  type LiteralContext,
  LiteralPrimaryContext,
  MapPrimaryContext,
  type NumberContext,
  type ParameterContext,
  ParameterPrimaryContext,
  ParensPrimaryContext,
  type PrimaryContext,
  QueryPrimaryContext,
  SluiceParser,
  type TrimPrimaryContext,
} from '../../../generated/SluiceParser.ts';
import type { CaseBranch, ColumnRef, Expr, MapEntry, Query, Span } from '../../ast/index.ts';
import { floatLiteral, integerLiteral, negateNumber } from '../literals.ts';
import { columnsMatcher, columnTransforms } from './asterisks.ts';
import { functionCall, plainCall } from './calls.ts';
import { heredocValue, identifierText, refuse, spanOf, stringValue } from './common.ts';
import { expression, expressionList, optionalExpression } from './expressions.ts';
import { durationLiteral, intervalPrimary } from './intervals.ts';
import { bareQuery, joinSetTails, query } from './queries.ts';
import { normalTypeText } from './types.ts';

export function primary(ctx: PrimaryContext): Expr {
  if (ctx instanceof IdentifierPrimaryContext) {
    const column: ColumnRef = { kind: 'column', parts: [identifierText(ctx.identifier())], pos: spanOf(ctx) };
    return ctx.start?.text?.startsWith('"') ? { ...column, isDoubleQuoted: true } : column;
  }
  if (ctx instanceof LiteralPrimaryContext) return literal(ctx.literal());
  if (ctx instanceof CallPrimaryContext) return functionCall(ctx.functionCall());
  if (ctx instanceof ParensPrimaryContext) return parens(ctx);
  const pos = spanOf(ctx);
  if (ctx instanceof AsteriskPrimaryContext) {
    return { kind: 'asterisk', qualifier: null, transforms: columnTransforms(ctx.columnTransform()), pos };
  }
  if (ctx instanceof DurationPrimaryContext) return durationLiteral(ctx.DURATION().symbol);
  if (ctx instanceof QueryPrimaryContext) return { kind: 'subquery', query: bareQuery(ctx.bareQuery()), pos };
  if (ctx instanceof ArrayPrimaryContext)
    return { kind: 'array', items: expressionList(ctx.exprList()), pos };
  if (ctx instanceof CasePrimaryContext) return caseExpression(ctx, pos);
  if (ctx instanceof CastPrimaryContext) return castCall(ctx, pos);
  if (ctx instanceof MapPrimaryContext) return { kind: 'map', entries: mapEntries(ctx), pos };
  if (ctx instanceof ParameterPrimaryContext) return parameter(ctx.parameter());
  if (ctx instanceof ColumnsPrimaryContext) return columnsMatcher(ctx.columnsMatcher(), null, pos);
  if (ctx instanceof ExistsPrimaryContext) return { kind: 'exists', query: query(ctx.query()), pos };
  if (ctx instanceof IntervalPrimaryContext) return intervalPrimary(ctx);
  if (ctx instanceof DatePrimaryContext) return dateLiteral(ctx, pos);
  if (ctx instanceof ExtractPrimaryContext) return extract(ctx, pos);
  return trim(ctx as TrimPrimaryContext, pos);
}

export function literal(ctx: LiteralContext): Expr {
  const number = ctx.number();
  if (number !== null) return numberLiteral(number);
  const token = ctx.start!;
  const pos = spanOf(ctx);
  switch (token.type) {
    case SluiceParser.STRING:
      return { kind: 'literal', type: 'string', value: stringValue(token), pos };
    case SluiceParser.HEREDOC:
      return { kind: 'literal', type: 'string', value: heredocValue(token.text!), pos };
    case SluiceParser.NULL:
      return { kind: 'literal', type: 'null', value: null, pos };
    case SluiceParser.HEX_STRING:
      return plainCall('unhex', [codedString(token.text!, pos)], pos);
    case SluiceParser.BIN_STRING:
      return plainCall('unbin', [codedString(token.text!, pos)], pos);
    default:
      return { kind: 'literal', type: 'bool', value: token.type === SluiceParser.TRUE, pos };
  }
}

function codedString(text: string, pos: Span): Expr {
  return { kind: 'literal', type: 'string', value: text.slice(2, -1), pos };
}

/** A number; `minus` tells that its sign, which the grammar keeps apart, stands before it. */
export function numberLiteral(ctx: NumberContext, minus = false): Expr {
  const token = ctx.start!;
  const pos = spanOf(ctx);
  const isFloat =
    token.type === SluiceParser.FLOAT || token.type === SluiceParser.INF || token.type === SluiceParser.NAN;
  const value = isFloat ? floatLiteral(token.text!, pos) : integerLiteral(token.text!, pos);
  return minus ? negateNumber(value, pos) : value;
}

/** `(a)` only groups, `(a,)` and `()` are tuples; after a single expression set operators may follow. */
function parens(ctx: ParensPrimaryContext): Expr {
  const list = ctx.exprList();
  const items = expressionList(list);
  const pos = spanOf(ctx);
  const tails = ctx.setTail();
  if (tails.length > 0)
    return { kind: 'subquery', query: joinSetTails(onlyQuery(ctx, items), tails, pos), pos };
  const single = items.length === 1 && list!.COMMA().length === 0;
  return single ? items[0]! : { kind: 'tuple', items, pos };
}

function onlyQuery(ctx: ParensPrimaryContext, items: readonly Expr[]): Query {
  const first = items[0];
  if (items.length === 1 && first!.kind === 'subquery') return first!.query;
  throw refuse(ctx.setTail(0)!, 'expected ), because what stands before it is not a query');
}

function mapEntries(ctx: MapPrimaryContext): MapEntry[] {
  return ctx.mapEntry().map((entry) => {
    const key = entry._key!;
    const number = key.number();
    const keyExpr: Expr =
      number === null
        ? { kind: 'literal', type: 'string', value: stringValue(key.STRING()!), pos: spanOf(key) }
        : numberLiteral(number, key.MINUS() !== null);
    return { key: keyExpr, value: expression(entry._value!) };
  });
}

export function parameter(ctx: ParameterContext): Expr {
  const name = identifierText(ctx.identifier());
  return { kind: 'parameter', name, typeText: normalTypeText(ctx.dataType()), pos: spanOf(ctx) };
}

function caseExpression(ctx: CasePrimaryContext, pos: Span): Expr {
  const branches = ctx.whenBranch().map(({ _when, _then }): CaseBranch => {
    const [when, result] = [expression(_when!), expression(_then!)];
    // biome-ignore lint/suspicious/noThenProperty: it holds the expression after THEN, and nobody awaits a node.
    return { when, then: result };
  });
  const operand = optionalExpression(ctx._subject);
  return { kind: 'case', operand, branches, otherwise: optionalExpression(ctx._otherwise), pos };
}

function castCall(ctx: CastPrimaryContext, pos: Span): Expr {
  const expr = expression(ctx.expr(0)!);
  const type = ctx.dataType();
  if (type !== null) return { kind: 'cast', expr, typeText: normalTypeText(type), style: 'cast_as', pos };
  const target = expression(ctx._target!);
  if (target.kind !== 'literal' || target.type !== 'string') {
    throw refuse(ctx._target!, "expected the name of a type as a string, such as cast(x, 'int32')");
  }
  return { kind: 'cast', expr, typeText: target.value, style: 'function', pos };
}

function dateLiteral(ctx: DatePrimaryContext, pos: Span): Expr {
  const text = ctx.STRING();
  const value: Expr = {
    kind: 'literal',
    type: 'string',
    value: stringValue(text),
    pos: { start: text.symbol.start, end: text.symbol.stop + 1 },
  };
  return plainCall(ctx._word!.type === SluiceParser.DATE ? 'to_date' : 'to_datetime', [value], pos);
}

const extractFunctions: ReadonlyMap<string, string> = new Map([
  ['year', 'to_year'],
  ['quarter', 'to_quarter'],
  ['month', 'to_month'],
  ['week', 'to_week'],
  ['day', 'to_day_of_month'],
  ['dow', 'to_day_of_week'],
  ['doy', 'to_day_of_year'],
  ['hour', 'to_hour'],
  ['minute', 'to_minute'],
  ['second', 'to_second'],
  ['millisecond', 'to_millisecond'],
  ['epoch', 'to_unix_timestamp'],
]);

function extract(ctx: ExtractPrimaryContext, pos: Span): Expr {
  const name = extractFunctions.get(ctx._unit!.text!.toLowerCase());
  if (name === undefined)
    throw refuse(ctx._unit!, `expected one of: ${[...extractFunctions.keys()].join(', ')}`);
  return plainCall(name, [expression(ctx.expr())], pos);
}

function trim(ctx: TrimPrimaryContext, pos: Span): Expr {
  const side = ctx._side!.type;
  const name =
    side === SluiceParser.BOTH ? 'trim_both' : side === SluiceParser.LEADING ? 'trim_left' : 'trim_right';
  return plainCall(name, [expression(ctx._source!), expression(ctx._what!)], pos);
}
