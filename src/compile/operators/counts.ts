import { SluiceError } from '../../base/index.ts';
import type { BoundExpr } from '../../plan/index.ts';
import { constantValue } from '../expr/constant.ts';

/** The value of LIMIT, OFFSET and the like in an execution: a whole number from 0. */
export function countOf(expr: BoundExpr | null, parameters: readonly unknown[], otherwise: number): number {
  if (expr === null) return otherwise;
  const value = constantValue(expr, undefined, parameters);
  const count = Number(value ?? Number.NaN);
  if (!Number.isInteger(count) || count < 0) {
    throw new SluiceError(
      'BAD_ARGUMENTS',
      `A limit or offset must be a whole number from 0, not ${String(value)}`,
    );
  }
  return count;
}
