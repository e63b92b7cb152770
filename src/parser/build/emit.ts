import {
  EmitAfterSessionContext,
  EmitAfterWindowContext,
  type EmitClauseContext,
  EmitLastContext,
  EmitOnUpdateContext,
  EmitPeriodicContext,
  type EmitPolicyContext,
  SluiceParser,
} from '../../../generated/SluiceParser.ts';
import type { EmitClause, EmitPolicy } from '../../ast/index.ts';
import { spanOf } from './common.ts';
import { operand, optionalOperand } from './expressions.ts';

export function emitClause(ctx: EmitClauseContext): EmitClause {
  const policyContext = ctx.emitPolicy();
  const word = ctx._kind?.type;
  return {
    mode:
      word === SluiceParser.STREAM
        ? 'stream'
        : word === SluiceParser.CHANGELOG
          ? 'changelog'
          : word === SluiceParser.DELTA
            ? 'delta'
            : null,
    policy: policyContext === null ? { type: 'default' } : emitPolicy(policyContext),
    delay: optionalOperand(ctx.emitDelay()?.operand()),
    timeout: optionalOperand(ctx.emitTimeout()?.operand()),
    pos: spanOf(ctx),
  };
}

function emitPolicy(ctx: EmitPolicyContext): EmitPolicy {
  if (ctx instanceof EmitPeriodicContext) {
    const interval = operand(ctx.operand());
    // The older spelling PERIODIC x ON UPDATE means ON UPDATE WITH BATCH x.
    if (ctx.UPDATE() !== null) return { type: 'on_update', batch: interval };
    return { type: 'periodic', interval, repeat: ctx.REPEAT() !== null };
  }
  if (ctx instanceof EmitAfterWindowContext) return { type: 'after_window_close' };
  if (ctx instanceof EmitOnUpdateContext) return { type: 'on_update', batch: optionalOperand(ctx.operand()) };
  if (ctx instanceof EmitLastContext) {
    return { type: 'last', interval: operand(ctx.operand()), procTime: ctx.PROCTIME() !== null };
  }
  if (ctx instanceof EmitAfterSessionContext) return afterSession(ctx);
  return { type: 'per_event' };
}

function afterSession(ctx: EmitAfterSessionContext): EmitPolicy {
  const key = optionalOperand(ctx._key);
  return {
    type: 'after_session_close',
    identifiedBy: key === null ? [] : key.kind === 'tuple' ? key.items : [key],
    maxSpan: optionalOperand(ctx._span),
    onlyMaxSpan: ctx.ONLY() !== null,
  };
}
