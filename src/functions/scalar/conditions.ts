import { type Code, js } from '../../code/index.ts';
import { types } from '../../types/index.ts';
import type { Operand } from '../definition.ts';

/** The operand of a boolean expression. */
export function conditionOperand(test: Code): Operand {
  return { type: types.bool, code: js`(${test} ? 1 : 0)`, test, isNull: null, bounds: [0, 1] };
}

/** An operand's value as something that JavaScript takes for true or false. */
export function testOf(operand: Operand): Code {
  return operand.test ?? operand.code;
}
