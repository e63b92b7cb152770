import type { Token } from 'antlr4ng';
import type { IntervalPrimaryContext, IntervalValueContext } from '../../../generated/SluiceParser.ts';
import type { Expr } from '../../ast/index.ts';
import { maybeYouMeant } from '../../base/index.ts';
import type { IntervalUnit } from '../../types/index.ts';
import { integerLiteral, intervalUnit, unitWords } from '../literals.ts';
import { functionCall } from './calls.ts';
import { identifierTexts, refuse, spanOf, stringValue } from './common.ts';
import { expression } from './expressions.ts';
import { numberLiteral, parameter } from './primaries.ts';

/** `5s`, `100ms`: the digits, then the unit. */
export function durationLiteral(token: Token): Expr {
  const text = token.text!;
  const unitStart = text.search(/[a-z]/i);
  const split = token.start + unitStart;
  return {
    kind: 'interval',
    value: integerLiteral(text.slice(0, unitStart), { start: token.start, end: split }),
    unit: intervalUnit(text.slice(unitStart))!,
    pos: { start: token.start, end: token.stop + 1 },
  };
}

export function intervalPrimary(ctx: IntervalPrimaryContext): Expr {
  const pos = spanOf(ctx);
  if (ctx._text) return { kind: 'interval', ...textualInterval(ctx, ctx._text), pos };
  return { kind: 'interval', value: intervalValue(ctx.intervalValue()!), unit: unitOf(ctx._unit!), pos };
}

function unitOf(token: Token): IntervalUnit {
  const unit = intervalUnit(token.text!);
  if (unit !== undefined) return unit;
  const hint = maybeYouMeant(token.text!, unitWords);
  throw refuse(token, `expected a unit of time, such as second, minute, hour or day${hint}`);
}

/** `INTERVAL '5' SECOND` and `INTERVAL '5 second'`. */
function textualInterval(ctx: IntervalPrimaryContext, token: Token): { value: Expr; unit: IntervalUnit } {
  const text = stringValue(token);
  const pos = { start: token.start, end: token.stop + 1 };
  const [, digits, word] = /^\s*([+-]?\d+)\s*([a-z_]*)\s*$/i.exec(text) ?? [];
  if (digits === undefined) throw refuse(token, "expected a number and a unit of time, such as '5 second'");
  const value = integerLiteral(digits.replace('+', ''), pos);
  if (word === '') {
    if (!ctx._unit) throw refuse(token, 'expected a unit of time after the number, such as second');
    return { value, unit: unitOf(ctx._unit) };
  }
  const unit = intervalUnit(word!);
  if (unit === undefined)
    throw refuse(token, `expected a unit of time after the number${maybeYouMeant(word!, unitWords)}`);
  if (ctx._unit) throw refuse(ctx._unit, 'the unit of time is already in the string');
  return { value, unit };
}

function intervalValue(ctx: IntervalValueContext): Expr {
  const number = ctx.number();
  if (number !== null) return numberLiteral(number, ctx.MINUS() !== null);
  const inner = ctx.expr();
  if (inner !== null) return expression(inner);
  const call = ctx.functionCall();
  if (call !== null) return functionCall(call);
  const placeholder = ctx.parameter();
  if (placeholder !== null) return parameter(placeholder);
  return { kind: 'column', parts: identifierTexts(ctx.identifier()), pos: spanOf(ctx) };
}
