import { type Code, js } from '../../code/index.ts';
import { bareType, representation, type SqlType, sameType } from '../../types/index.ts';
import type { Emitter, Operand } from '../definition.ts';
import { conversion } from './cast-kernels.ts';

/** Whether a value of the first type is held just as the same value of the second, wider one. */
function heldAlike(from: SqlType, to: SqlType): boolean {
  if (sameType(from, to)) return true;
  if (to.kind === 'int' && (from.kind === 'int' || from.kind === 'bool')) return to.bits <= 64;
  if (to.kind === 'float' && to.bits === 64)
    return from.kind === 'float' || from.kind === 'bool' || (from.kind === 'int' && from.bits <= 32);
  return from.kind === 'datetime' && to.kind === 'datetime';
}

/**
 * The operand's value as a type that holds every value of its own (a common type of branches or of compared values). What
 * stands where the operand is NULL stays a value of the right representation.
 */
export function convertOperand(emitter: Emitter, operand: Operand, type: SqlType): Code {
  const [from, to] = [bareType(operand.type), bareType(type)];
  if (from.kind === 'nothing') return emitter.defaultCode(type);
  if (heldAlike(from, to)) return operand.code;
  const convert = emitter.bind(conversion(from, to, 'wrap'), 'convert');
  const value = js`${convert}(${operand.code})`;
  const held = representation(to) === 'object' ? 'converted' : 'x';
  return emitter.constant(
    held,
    operand.isNull === null ? value : js`${operand.isNull} ? ${emitter.defaultCode(type)} : ${value}`,
  );
}
