import { SluiceError } from '../../base/index.ts';
import { type Code, js } from '../../code/index.ts';
import {
  bareType,
  isNullable,
  isNumber,
  nullable,
  type SqlType,
  supertype,
  typeName,
} from '../../types/index.ts';
import type { Argument, Emitter, Operand, ScalarFunction } from '../definition.ts';
import { testOf } from './conditions.ts';
import { convertOperand } from './convert-operand.ts';

function assertCondition(name: string, argument: Argument): void {
  if (isNumber(argument.type) || bareType(argument.type).kind === 'nothing') return;
  throw new SluiceError(
    'ILLEGAL_TYPE_OF_ARGUMENT',
    `Illegal type ${typeName(argument.type)} of a condition of function ${name}`,
  );
}

/** A variable that branches assign, with what tells whether it is NULL. */
class BranchResult {
  readonly #emitter: Emitter;
  readonly #type: SqlType;
  readonly #value: Code;
  readonly #isNull: Code | null;

  constructor(emitter: Emitter, type: SqlType) {
    this.#emitter = emitter;
    this.#type = type;
    this.#value = emitter.variable('result', emitter.defaultCode(type));
    this.#isNull = isNullable(type) ? emitter.variable('isNull', js`false`) : null;
  }

  assign(operand: Operand): void {
    const { isNull } = operand;
    const store = js`${this.#value} = ${convertOperand(this.#emitter, operand, this.#type)};`;
    if (isNull === null || this.#isNull === null) this.#emitter.statement(store);
    else this.#emitter.statement(js`if (${isNull}) ${this.#isNull} = true;\nelse ${store}`);
  }

  get operand(): Operand {
    return { type: this.#type, code: this.#value, isNull: this.#isNull, bounds: undefined };
  }
}

function holds(operand: Operand): Code {
  return operand.isNull === null ? testOf(operand) : js`!(${operand.isNull}) && ${testOf(operand)}`;
}

/** Emits conditions and results in turn, the last argument being the result when no condition holds. */
function emitBranches(emitter: Emitter, args: readonly (() => Operand)[], type: SqlType): Operand {
  const result = new BranchResult(emitter, type);
  const step = (index: number): void => {
    if (index === args.length - 1) {
      result.assign(args[index]!());
      return;
    }
    const condition = args[index]!();
    const then = emitter.capture(() => result.assign(args[index + 1]!()));
    const otherwise = emitter.capture(() => step(index + 2));
    emitter.statement(js`if (${holds(condition)}) {\n${then}} else {\n${otherwise}}`);
  };
  step(0);
  return result.operand;
}

const ifFunction: ScalarFunction = {
  kind: 'scalar',
  name: 'if',
  category: 'conditional',
  arity: [3, 3],
  nulls: 'handled',
  syntax: 'if(condition, then, else)',
  doc: 'The second argument where the condition holds, else the third; only that one is computed. NULL counts as false.',
  examples: [
    ["if(1 > 0, 'yes', 'no')", 'yes'],
    ['if(NULL, 1, 2)', '2'],
  ],
  type: (args) => {
    assertCondition('if', args[0]!);
    return supertype([args[1]!.type, args[2]!.type], 'the branches of if');
  },
  emitLazy: emitBranches,
};

const multiIf: ScalarFunction = {
  kind: 'scalar',
  name: 'multi_if',
  aliases: ['case_without_expression'],
  category: 'conditional',
  arity: [3, Number.POSITIVE_INFINITY],
  nulls: 'handled',
  syntax: 'multi_if(condition, then, [condition, then, ...] else)',
  doc: 'The result after the first condition that holds, else the last argument: what CASE is made of.',
  examples: [
    ["multi_if(1 > 2, 'a', 2 > 1, 'b', 'c')", 'b'],
    ["CASE WHEN 1 = 1 THEN 'x' END", 'x'],
  ],
  type: (args) => {
    if (args.length % 2 === 0)
      throw new SluiceError(
        'NUMBER_OF_ARGUMENTS_DOESNT_MATCH',
        'multi_if takes an odd number of arguments: conditions with results, and a last result',
      );
    const branches = args.filter((argument, index) => {
      const isCondition = index % 2 === 0 && index < args.length - 1;
      if (isCondition) assertCondition('multi_if', argument);
      return !isCondition;
    });
    return supertype(
      branches.map((argument) => argument.type),
      'the branches of multi_if',
    );
  },
  emitLazy: emitBranches,
};

function coalesceType(args: readonly Argument[]): SqlType {
  const given = args.filter((argument) => argument.type.kind !== 'nothing').map((argument) => argument.type);
  if (given.length === 0) return { kind: 'nothing' };
  const common = supertype(
    given.map((type) => (type.kind === 'nullable' ? type.inner : type)),
    'coalesce',
  );
  const last = args.every((argument) => isNullable(argument.type));
  return last ? nullable(common) : common;
}

function emitCoalesce(emitter: Emitter, args: readonly (() => Operand)[], type: SqlType): Operand {
  const result = new BranchResult(emitter, type);
  const step = (index: number): void => {
    const operand = args[index]!();
    if (operand.isNull === null || index === args.length - 1) {
      result.assign(operand);
      return;
    }
    const rest = emitter.capture(() => step(index + 1));
    const take = emitter.capture(() => result.assign({ ...operand, isNull: null }));
    emitter.statement(js`if (${operand.isNull}) {\n${rest}} else {\n${take}}`);
  };
  step(0);
  return result.operand;
}

const coalesce: ScalarFunction = {
  kind: 'scalar',
  name: 'coalesce',
  category: 'conditional',
  arity: [1, Number.POSITIVE_INFINITY],
  nulls: 'handled',
  syntax: 'coalesce(a, ...)',
  doc: 'The first argument that is not NULL; NULL when all are.',
  examples: [['coalesce(NULL, 2, 3)', '2']],
  type: coalesceType,
  emitLazy: emitCoalesce,
};

const ifNull: ScalarFunction = {
  kind: 'scalar',
  name: 'if_null',
  category: 'conditional',
  arity: [2, 2],
  nulls: 'handled',
  syntax: 'if_null(a, b)',
  doc: 'The first argument, or the second where the first is NULL.',
  examples: [
    ["if_null(NULL, 'none')", 'none'],
    ['if_null(1, 2)', '1'],
  ],
  type: coalesceType,
  emitLazy: emitCoalesce,
};

export const conditionalFunctions: readonly ScalarFunction[] = [ifFunction, multiIf, coalesce, ifNull];
