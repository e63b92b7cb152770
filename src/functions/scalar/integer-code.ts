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

/** The least and greatest value of integers of at most 32 bits; wider ones hold every exact double that gets here. */
function typeRange({ bits, signed }: IntegerType): Bounds | undefined {
  if (bits > 32) return undefined;
  return signed ? [-(2 ** (bits - 1)), 2 ** (bits - 1) - 1] : [0, 2 ** bits - 1];
}

/** What is left of a whole number in two's complement of 8, 16 or 32 bits. */
export function wrappedCode(value: Code, { bits, signed }: IntegerType): Code {
  const shift = 32 - bits;
  if (shift === 0) return signed ? js`(${value}) | 0` : js`(${value}) >>> 0`;
  return signed ? js`(${value}) << ${shift} >> ${shift}` : js`(${value}) << ${shift} >>> ${shift}`;
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
    const value = operation.number(left.code, right.code);
    const own = typeRange(type);
    const fits = own === undefined || (own[0] <= bounds[0] && bounds[1] <= own[1]);
    return {
      type,
      code: emitter.constant('x', fits ? value : wrappedCode(value, type)),
      isNull: null,
      bounds: fits ? bounds : own,
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
