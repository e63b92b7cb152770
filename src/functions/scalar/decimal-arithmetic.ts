import { SluiceError } from '../../base/index.ts';
import { type Code, js } from '../../code/index.ts';
import { canonicalInteger, type SqlType } from '../../types/index.ts';
import type { Emitter, Operand } from '../definition.ts';
import { pow10, rescale } from './scaled.ts';

export type DecimalOperation = 'plus' | 'minus' | 'multiply' | 'divide';

type DecimalType = SqlType & { kind: 'decimal' };

/** The widths of stored decimals, in digits. */
function widthOf(precision: number): number {
  return precision <= 9 ? 9 : precision <= 18 ? 18 : precision <= 38 ? 38 : 76;
}

function scaleOf(type: SqlType): number {
  return type.kind === 'decimal' ? type.scale : 0;
}

/** The result type when at least one operand is a decimal and none a float, by ClickHouse's rules. */
export function decimalResult(
  operation: DecimalOperation,
  left: SqlType,
  right: SqlType,
): DecimalType | undefined {
  if (left.kind !== 'decimal' && right.kind !== 'decimal') return undefined;
  const width = Math.max(
    ...[left, right].map((type) => (type.kind === 'decimal' ? widthOf(type.precision) : 9)),
  );
  const [first, second] = [scaleOf(left), scaleOf(right)];
  const scale =
    operation === 'multiply' ? first + second : operation === 'divide' ? first : Math.max(first, second);
  if (operation === 'divide' && left.kind !== 'decimal') return undefined;
  if (scale > width) {
    throw new SluiceError(
      'ARGUMENT_OUT_OF_BOUND',
      `The result of ${operation} would have ${scale} fractional digits, more than the ${width} digits of its type`,
    );
  }
  return { kind: 'decimal', precision: width, scale };
}

function compute(
  operation: DecimalOperation,
  left: bigint,
  right: bigint,
  scales: readonly [number, number, number],
): bigint {
  const [first, second, result] = scales;
  switch (operation) {
    case 'plus':
      return rescale(left, first, result) + rescale(right, second, result);
    case 'minus':
      return rescale(left, first, result) - rescale(right, second, result);
    case 'multiply':
      return left * right;
    case 'divide':
      if (right === 0n) throw new SluiceError('ILLEGAL_DIVISION', 'Division by zero');
      return (left * pow10(second)) / right;
  }
}

/** Arithmetic on scaled integers; a result that needs more digits than its type has is an error. */
export function decimalKernel(
  operation: DecimalOperation,
  left: SqlType,
  right: SqlType,
  type: DecimalType,
): (left: number | bigint, right: number | bigint) => number | bigint {
  const scales = [scaleOf(left), scaleOf(right), type.scale] as const;
  const limit = pow10(type.precision);
  return (first, second) => {
    const value = compute(operation, BigInt(first), BigInt(second), scales);
    if (value >= limit || value <= -limit)
      throw new SluiceError('DECIMAL_OVERFLOW', `Decimal overflow in ${operation}`);
    return type.precision <= 18 ? canonicalInteger(value) : value;
  };
}

/** Emits decimal arithmetic; sums of equal scale that cannot leave the exact range stay doubles. */
export function decimalArithmetic(
  operation: DecimalOperation,
  emitter: Emitter,
  left: Operand,
  right: Operand,
  type: SqlType,
): Code | Operand {
  const kernel = emitter.bind(
    decimalKernel(operation, left.type, right.type, type as DecimalType),
    operation,
  );
  if (operation !== 'divide') return js`${kernel}(${left.code}, ${right.code})`;
  // A NULL divisor is held as 0; its row is not looked at, and must not fail.
  const guarded = right.isNull === null ? right.code : js`(${right.isNull} ? 1 : ${right.code})`;
  return js`${kernel}(${left.code}, ${guarded})`;
}
