import { type Code, js } from '../../code/index.ts';
import { bareType, nullable, type SqlType, types } from '../../types/index.ts';
import { type Emitter, type Operand, type ScalarFunction, values } from '../definition.ts';
import { comparisonFunctions } from './comparison.ts';

const equals = comparisonFunctions.find((definition) => definition.name === 'equals')!;

function condition(code: Code): Operand {
  return { type: types.bool, code, isNull: null, bounds: [0, 1] };
}

function nullTest(name: string, syntax: string, doc: string, isNull: boolean): ScalarFunction {
  const whenNull = isNull ? 1 : 0;
  return {
    kind: 'scalar',
    name,
    category: 'conditional',
    arity: [1, 1],
    nulls: 'handled',
    syntax,
    doc,
    examples: [
      [`${name}(NULL)`, String(isNull)],
      [`1 ${isNull ? 'IS NULL' : 'IS NOT NULL'}`, String(!isNull)],
    ],
    type: () => types.bool,
    emit: (_, args) => {
      const [operand] = values(args) as [Operand];
      if (operand.isNull === null) return condition(js`${1 - whenNull}`);
      return condition(js`((${operand.isNull}) ? ${whenNull} : ${1 - whenNull})`);
    },
  };
}

/** Whether both values are equal, for rows in which neither is NULL; a name. */
function equality(emitter: Emitter, left: Operand, right: Operand): Code {
  if (bareType(left.type).kind === 'nothing' || bareType(right.type).kind === 'nothing') return js`0`;
  const bare = (operand: Operand): Operand => ({ ...operand, type: bareType(operand.type), isNull: null });
  const result = equals.emit!(emitter, [bare(left), bare(right)], types.bool);
  return emitter.constant('equal', (result as Operand).code);
}

function comparable(args: readonly { readonly type: SqlType }[]): void {
  const bare = args.map(({ type }) => ({ type: bareType(type), constant: undefined, lambda: undefined }));
  if (bare.every(({ type }) => type.kind !== 'nothing')) equals.type(bare);
}

const nullIf: ScalarFunction = {
  kind: 'scalar',
  name: 'null_if',
  aliases: ['nullif'],
  category: 'conditional',
  arity: [2, 2],
  nulls: 'handled',
  syntax: 'null_if(a, b)',
  doc: 'NULL where the two values are equal, else the first.',
  examples: [
    ['null_if(1, 1)', '\\N'],
    ["null_if('a', 'b')", 'a'],
  ],
  type: (args) => {
    comparable(args);
    return nullable(args[0]!.type);
  },
  emit: (emitter, args, type) => {
    const [left, right] = values(args) as [Operand, Operand];
    const equal = equality(emitter, left, right);
    const same = right.isNull === null ? js`${equal} === 1` : js`!(${right.isNull}) && ${equal} === 1`;
    const isNull = left.isNull === null ? same : js`(${left.isNull}) || ${same}`;
    return { ...left, type, isNull: emitter.constant('isNull', isNull) };
  },
};

function distinction(
  name: string,
  aliases: readonly string[],
  syntax: string,
  doc: string,
  distinct: boolean,
): ScalarFunction {
  return {
    kind: 'scalar',
    name,
    aliases,
    category: 'comparison',
    arity: [2, 2],
    nulls: 'handled',
    syntax,
    doc,
    examples: [
      [`${name}(NULL, NULL)`, String(!distinct)],
      [`${name}(1, NULL)`, String(distinct)],
      [`${name}(1, 1)`, String(!distinct)],
    ],
    type: (args) => {
      comparable(args);
      return types.bool;
    },
    emit: (emitter, args) => {
      const [left, right] = values(args) as [Operand, Operand];
      const equal = equality(emitter, left, right);
      const [first, second] = [left.isNull ?? js`false`, right.isNull ?? js`false`];
      const same = js`((${first}) || (${second}) ? (${first}) && (${second}) : ${equal} === 1)`;
      return condition(distinct ? js`(${same} ? 0 : 1)` : js`(${same} ? 1 : 0)`);
    },
  };
}

const isZeroOrNull: ScalarFunction = {
  kind: 'scalar',
  name: 'is_zero_or_null',
  aliases: ['zero_or_null'],
  category: 'conditional',
  arity: [1, 1],
  nulls: 'handled',
  syntax: 'is_zero_or_null(x)',
  doc: 'Whether the value is 0 or NULL.',
  examples: [
    ['is_zero_or_null(0)', 'true'],
    ['is_zero_or_null(NULL)', 'true'],
    ['is_zero_or_null(5)', 'false'],
  ],
  type: () => types.bool,
  emit: (_, args) => {
    const [operand] = values(args) as [Operand];
    const { code, isNull } = operand;
    return condition(isNull === null ? js`(${code} ? 0 : 1)` : js`((${isNull}) || !${code} ? 1 : 0)`);
  },
};

export const nullFunctions: readonly ScalarFunction[] = [
  nullTest('is_null', 'x IS NULL, is_null(x)', 'Whether the value is NULL.', true),
  nullTest('is_not_null', 'x IS NOT NULL, is_not_null(x)', 'Whether the value is not NULL.', false),
  nullIf,
  distinction(
    'is_distinct_from',
    [],
    'is_distinct_from(a, b)',
    'Whether two values differ, NULL being equal to NULL and to nothing else.',
    true,
  ),
  distinction(
    'is_not_distinct_from',
    [],
    'a <=> b, is_not_distinct_from(a, b)',
    'Whether two values are equal, NULL being equal to NULL and to nothing else.',
    false,
  ),
  isZeroOrNull,
];
