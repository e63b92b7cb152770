import { SluiceError } from '../../base/index.ts';
import { type Code, js } from '../../code/index.ts';
import { compareValues } from '../../runtime/index.ts';
import {
  bareType,
  isNumber,
  isString,
  representation,
  type SqlType,
  sameType,
  trySupertype,
  typeName,
  types,
} from '../../types/index.ts';
import { type Argument, type Emitter, type Operand, type ScalarFunction, values } from '../definition.ts';
import { conditionOperand } from './conditions.ts';
import { convertOperand } from './convert-operand.ts';

type Symbol = '===' | '!==' | '<' | '<=' | '>' | '>=';

function symbolCode(symbol: Symbol, left: Code, right: Code): Code {
  switch (symbol) {
    case '===':
      return js`(${left} === ${right})`;
    case '!==':
      return js`(${left} !== ${right})`;
    case '<':
      return js`(${left} < ${right})`;
    case '<=':
      return js`(${left} <= ${right})`;
    case '>':
      return js`(${left} > ${right})`;
    case '>=':
      return js`(${left} >= ${right})`;
  }
}

/** Whether values of the two types can be compared as they are held, with JavaScript's operators. */
function comparableAsHeld(left: SqlType, right: SqlType): boolean {
  if (isNumber(left) && isNumber(right)) return left.kind !== 'decimal' && right.kind !== 'decimal';
  if (isString(left) && isString(right)) return left.kind === 'string' && right.kind === 'string';
  return sameType(left, right) && representation(left) !== 'object';
}

function commonType(name: string, args: readonly Argument[]): SqlType {
  const [left, right] = args.map((argument) => argument.type) as [SqlType, SqlType];
  const common = trySupertype(left, right);
  if (
    common === undefined ||
    (isString(left) !== isString(right) && left.kind !== 'enum' && right.kind !== 'enum')
  ) {
    throw new SluiceError(
      'ILLEGAL_TYPE_OF_ARGUMENT',
      `Illegal types of arguments of function ${name}: ${typeName(left)} and ${typeName(right)} cannot be compared`,
    );
  }
  return common;
}

/** `===` on a number and a bigint is false for equal values, but canonical forms never meet so within 64 bits. */
function needsLooseEquality(left: Operand, right: Operand): boolean {
  const kinds = [representation(left.type), representation(right.type)];
  return kinds.includes('bigint') && !(kinds[0] === 'bigint' && kinds[1] === 'bigint');
}

function emitComparison(symbol: Symbol, name: string, emitter: Emitter, args: readonly Operand[]): Operand {
  const [left, right] = args as [Operand, Operand];
  if (comparableAsHeld(left.type, right.type)) {
    if ((symbol === '===' || symbol === '!==') && needsLooseEquality(left, right)) {
      const equal = js`(${left.code} >= ${right.code} && ${left.code} <= ${right.code})`;
      return conditionOperand(symbol === '===' ? equal : js`!${equal}`);
    }
    return conditionOperand(symbolCode(symbol, left.code, right.code));
  }
  const given = args.map((operand) => ({ type: operand.type, constant: undefined, lambda: undefined }));
  const common = bareType(commonType(name, given));
  const [first, second] = [convertOperand(emitter, left, common), convertOperand(emitter, right, common)];
  if (representation(common) !== 'object') return conditionOperand(symbolCode(symbol, first, second));
  const order = js`${emitter.bind(compareValues, 'compare')}(${first}, ${second})`;
  return conditionOperand(symbolCode(symbol, order, js`0`));
}

function comparison(
  name: string,
  symbol: Symbol,
  sign: string,
  doc: string,
  examples: ScalarFunction['examples'],
): ScalarFunction {
  return {
    kind: 'scalar',
    name,
    category: 'comparison',
    arity: [2, 2],
    syntax: `a ${sign} b`,
    doc,
    examples,
    type: (args) => {
      if (!comparableAsHeld(args[0]!.type, args[1]!.type)) commonType(name, args);
      return types.bool;
    },
    emit: (emitter, args) => emitComparison(symbol, name, emitter, values(args)),
  };
}

export const comparisonFunctions: readonly ScalarFunction[] = [
  comparison('equals', '===', '=', 'Whether two values are equal.', [
    ['1 = 1', 'true'],
    ["'a' = 'b'", 'false'],
  ]),
  comparison('not_equals', '!==', '!=', 'Whether two values differ.', [['1 != 2', 'true']]),
  comparison('less', '<', '<', 'Whether the first value is below the second.', [
    ['1 < 2', 'true'],
    ["'b' < 'a'", 'false'],
  ]),
  comparison('less_or_equals', '<=', '<=', 'Whether the first value is not above the second.', [
    ['2 <= 2', 'true'],
  ]),
  comparison('greater', '>', '>', 'Whether the first value is above the second.', [['2 > 1', 'true']]),
  comparison('greater_or_equals', '>=', '>=', 'Whether the first value is not below the second.', [
    ['1 >= 2', 'false'],
  ]),
];
