import { SluiceError } from '../../base/index.ts';
import { js } from '../../code/index.ts';
import {
  bareType,
  isNullable,
  isNumber,
  nullable,
  type SqlType,
  typeName,
  types,
} from '../../types/index.ts';
import type { Argument, Emitter, Operand, ScalarFunction } from '../definition.ts';
import { conditionOperand, testOf } from './conditions.ts';

function logicalType(name: string, args: readonly Argument[]): SqlType {
  for (const argument of args) {
    if (!isNumber(argument.type) && bareType(argument.type).kind !== 'nothing') {
      throw new SluiceError(
        'ILLEGAL_TYPE_OF_ARGUMENT',
        `Illegal type ${typeName(argument.type)} of an argument of function ${name}: expected a condition`,
      );
    }
  }
  return args.some((argument) => isNullable(argument.type)) ? nullable(types.bool) : types.bool;
}

/**
 * A chain of conditions in three-valued logic. `deciding` is the value that settles the chain: the arguments after it are not
 * computed.
 */
function emitChain(
  emitter: Emitter,
  args: readonly (() => Operand)[],
  type: SqlType,
  deciding: 0 | 1,
): Operand {
  const result = emitter.variable('result', js`${deciding === 0 ? 1 : 0}`);
  const unknown = isNullable(type) ? emitter.variable('unknown', js`false`) : null;
  const step = (index: number): void => {
    const argument = args[index];
    if (argument === undefined) return;
    const operand = argument();
    const decides = deciding === 0 ? js`!${testOf(operand)}` : testOf(operand);
    const settled = operand.isNull === null ? decides : js`!(${operand.isNull}) && ${decides}`;
    const rest = emitter.capture(() => {
      if (operand.isNull !== null && unknown !== null)
        emitter.statement(js`if (${operand.isNull}) ${unknown} = true;`);
      step(index + 1);
    });
    emitter.statement(js`if (${settled}) ${result} = ${deciding};\nelse {\n${rest}}`);
  };
  step(0);
  const isNull =
    unknown === null ? null : emitter.constant('isNull', js`${unknown} && ${result} !== ${deciding}`);
  return { type, code: result, isNull, bounds: [0, 1] };
}

const and: ScalarFunction = {
  kind: 'scalar',
  name: 'and',
  category: 'logical',
  arity: [1, Number.POSITIVE_INFINITY],
  nulls: 'handled',
  syntax: 'a AND b',
  doc: 'Whether all conditions hold. NULL counts as unknown. Conditions after the first false one are not computed.',
  examples: [
    ['1 AND 0', 'false'],
    ['1 AND NULL', '\\N'],
    ['0 AND NULL', 'false'],
  ],
  type: (args) => logicalType('and', args),
  emitLazy: (emitter, args, type) => emitChain(emitter, args, type, 0),
};

const or: ScalarFunction = {
  kind: 'scalar',
  name: 'or',
  category: 'logical',
  arity: [1, Number.POSITIVE_INFINITY],
  nulls: 'handled',
  syntax: 'a OR b',
  doc: 'Whether any condition holds. NULL counts as unknown. Conditions after the first true one are not computed.',
  examples: [
    ['1 OR 0', 'true'],
    ['0 OR NULL', '\\N'],
    ['1 OR NULL', 'true'],
  ],
  type: (args) => logicalType('or', args),
  emitLazy: (emitter, args, type) => emitChain(emitter, args, type, 1),
};

const not: ScalarFunction = {
  kind: 'scalar',
  name: 'not',
  category: 'logical',
  arity: [1, 1],
  syntax: 'NOT a',
  doc: 'Whether the condition does not hold.',
  examples: [
    ['NOT 1', 'false'],
    ['NOT 0', 'true'],
  ],
  type: (args) => logicalType('not', args),
  emit: (_, args) => conditionOperand(js`!${testOf(args[0] as Operand)}`),
};

const xor: ScalarFunction = {
  kind: 'scalar',
  name: 'xor',
  category: 'logical',
  arity: [2, Number.POSITIVE_INFINITY],
  syntax: 'xor(a, b, ...)',
  doc: 'Whether an odd number of conditions holds: of two, exactly one.',
  examples: [
    ['xor(1, 0)', 'true'],
    ['xor(1, 1)', 'false'],
  ],
  type: (args) => logicalType('xor', args),
  emit: (_, args) => {
    const [first, ...rest] = args as readonly [Operand, ...Operand[]];
    let odd = js`!${first.code}`;
    for (const operand of rest) odd = js`(${odd} !== !${operand.code})`;
    return {
      type: types.bool,
      code: rest.length % 2 === 1 ? js`(${odd} ? 1 : 0)` : js`(${odd} ? 0 : 1)`,
      isNull: null,
      bounds: [0, 1],
    };
  },
};

export const logicalFunctions: readonly ScalarFunction[] = [and, or, not, xor];
