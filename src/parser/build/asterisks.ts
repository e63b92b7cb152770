import {
  ApplyTransformContext,
  type ColumnsMatcherContext,
  type ColumnTransformContext,
  ExceptNamesContext,
  ExceptPatternContext,
  type ReplaceTransformContext,
} from '../../../generated/SluiceParser.ts';
import type {
  ColumnApply,
  ColumnReplacement,
  ColumnsMatcher,
  ColumnTransforms,
  Expr,
  Span,
} from '../../ast/index.ts';
import { identifierText, identifierTexts, refuse, stringValue } from './common.ts';
import { expression } from './expressions.ts';

export function columnTransforms(contexts: readonly ColumnTransformContext[]): ColumnTransforms {
  const except: string[] = [];
  let exceptPattern: string | null = null;
  const replace: ColumnReplacement[] = [];
  const apply: ColumnApply[] = [];
  for (const ctx of contexts) {
    if (ctx instanceof ExceptPatternContext) exceptPattern = stringValue(ctx.STRING()!);
    else if (ctx instanceof ExceptNamesContext) except.push(...identifierTexts(ctx.identifier()));
    else if (ctx instanceof ApplyTransformContext) apply.push(columnApply(ctx));
    else {
      for (const item of (ctx as ReplaceTransformContext).replacement()) {
        replace.push({ expr: expression(item.expr()), name: identifierText(item.identifier()) });
      }
    }
  }
  return { except, exceptPattern, replace, apply };
}

function columnApply(ctx: ApplyTransformContext): ColumnApply {
  const name = ctx.identifier();
  if (name !== null) return { type: 'function', name: identifierText(name), params: [] };
  const expr: Expr = expression(ctx.expr()!);
  if (expr.kind === 'lambda') return { type: 'lambda', lambda: expr };
  if (expr.kind === 'column' && expr.parts.length === 1)
    return { type: 'function', name: expr.parts[0]!, params: [] };
  if (expr.kind === 'call' && !expr.operator && expr.params === null) {
    return { type: 'function', name: expr.name, params: expr.args };
  }
  throw refuse(ctx, 'expected a function name, a function with parameters or a lambda in APPLY');
}

export function columnsMatcher(
  ctx: ColumnsMatcherContext,
  qualifier: readonly string[] | null,
  pos: Span,
): ColumnsMatcher {
  const pattern = ctx.STRING();
  return {
    kind: 'columns',
    qualifier,
    pattern: pattern === null ? null : stringValue(pattern),
    names: identifierTexts(ctx.identifier()),
    transforms: columnTransforms(ctx.columnTransform()),
    pos,
  };
}
