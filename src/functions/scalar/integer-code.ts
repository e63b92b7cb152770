import { type Code, js } from '../../code/index.ts';
import { representation, type SqlType } from '../../types/index.ts';
import type { Emitter, Operand } from '../definition.ts';

export type Bounds = readonly [least: number, greatest: number];

/** Whether an operand's code is known to give a JS number that holds the value exactly. */
export function isPlainNumber(operand: Operand): boolean {
  return representation(operand.type) === 'number' || operand.bounds !== undefined;
}

/** The operand as a double, for float arithmetic. */
export function asDouble(emitter: Emitter, operand: Operand): Code {
  if (operand.type.kind === 'decimal')
    return js`${emitter.bind(Number, 'Number')}(${operand.code}) / ${10 ** operand.type.scale}`;
  if (isPlainNumber(operand) && representation(operand.type) !== 'bigint') return operand.code;
  return js`${emitter.bind(Number, 'Number')}(${operand.code})`;
}

/** The operand as a bigint. */
export function asBigInt(emitter: Emitter, operand: Operand): Code {
  if (representation(operand.type) === 'bigint') return operand.code;
  return js`${emitter.bind(BigInt, 'BigInt')}(${operand.code})`;
}

/** Bounds that both keep within the exact range of doubles; undefined otherwise. */
export function exactBounds(least: number, greatest: number): Bounds | undefined {
  return Number.isSafeInteger(least) && Number.isSafeInteger(greatest) ? [least, greatest] : undefined;
}

type IntegerType = SqlType & { kind: 'int' };

export interface IntegerOperation {
  /** The operation on doubles. */
  readonly number: (left: Code, right: Code) => Code;
  /** The operation on bigints. */
  readonly big: (left: Code, right: Code) => Code;
  /** The operation on mixed representations, by the signedness of the result. */
  readonly mixed: {
    readonly signed: (left: never, right: never) => unknown;
    readonly unsigned: (left: never, right: never) => unknown;
  };
  readonly bounds: (left: Bounds, right: Bounds) => Bounds;
}

/**
 * Emits integer arithmetic whose result has the given type: plain doubles where the operands' bounds prove them exact,
 * doubles with a check where they are likely to be, bigints beyond 64 bits.
 */
export function emitInteger(
  emitter: Emitter,
  operation: IntegerOperation,
  args: readonly [Operand, Operand],
  type: IntegerType,
): Operand {
  const [left, right] = args;
  if (type.bits > 64) {
    const wrap = type.signed ? js`BigInt.asIntN` : js`BigInt.asUintN`;
    const value = operation.big(asBigInt(emitter, left), asBigInt(emitter, right));
    return {
      type,
      code: emitter.constant('wide', js`${wrap}(${type.bits}, ${value})`),
      isNull: null,
      bounds: undefined,
    };
  }
  const exact = left.bounds && right.bounds ? operation.bounds(left.bounds, right.bounds) : undefined;
  const bounds = exact && exactBounds(exact[0], exact[1]);
  if (bounds !== undefined) {
    return {
      type,
      code: emitter.constant('x', operation.number(left.code, right.code)),
      isNull: null,
      bounds,
    };
  }
  const slow = emitter.bind(type.signed ? operation.mixed.signed : operation.mixed.unsigned, 'exact');
  return {
    type,
    code: emitter.constant('x', js`${slow}(${left.code}, ${right.code})`),
    isNull: null,
    bounds: undefined,
  };
}
