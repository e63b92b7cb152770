import { SluiceError } from '../../base/index.ts';
import { js } from '../../code/index.ts';
import { compareValues, spillSum, wrapSigned, wrapUnsigned } from '../../runtime/index.ts';
import {
  decimal,
  defaultValue,
  isNumber,
  representation,
  type SqlType,
  typeName,
  types,
} from '../../types/index.ts';
import type { AggregateFunction, AggregateState, Argument, SlotState } from '../definition.ts';
import { asDouble } from '../scalar/integer-code.ts';
import { aggregateOf } from './define.ts';

function requireNumber(name: string, args: readonly Argument[]): SqlType {
  const { type } = args[0]!;
  if (!isNumber(type) && type.kind !== 'interval')
    throw new SluiceError(
      'ILLEGAL_TYPE_OF_ARGUMENT',
      `Illegal type ${typeName(type)} of argument for aggregate function ${name}: expected a number`,
    );
  return type;
}

const countState: SlotState = {
  kind: 'slots',
  slots: [{ name: 'count', kind: 'f64', initial: 0 }],
  update: (emitter, [count]) => emitter.statement(js`${count!}++;`),
  merge: ([left], [right]) => [(left as number) + (right as number)],
  resultSlot: 0,
  result: (count: number) => count,
};

const count: AggregateFunction = {
  kind: 'aggregate',
  name: 'count',
  category: 'aggregate',
  arity: [0, 1],
  nulls: 'count',
  syntax: 'count(), count(*), count(x)',
  doc: 'Number of rows, or of rows in which x is not NULL.',
  examples: [
    ['count()', '1'],
    ['count(NULL)', '0'],
  ],
  type: () => types.uint64,
  state: () => countState,
};

/** The type of a sum: 64 bits, float64, or a decimal as wide as stored. */
export function sumType(type: SqlType): SqlType {
  if (type.kind === 'float') return types.float64;
  if (type.kind === 'decimal') return decimal(type.precision > 38 ? 76 : 38, type.scale);
  if (type.kind === 'int') {
    if (type.bits > 64) return type;
    return type.signed ? types.int64 : types.uint64;
  }
  return type.kind === 'bool' ? types.uint64 : types.int64;
}

const floatSum: SlotState = {
  kind: 'slots',
  slots: [{ name: 'sum', kind: 'f64', initial: 0 }],
  update: (emitter, [sum], [value]) => emitter.statement(js`${sum!} += ${asDouble(emitter, value!)};`),
  merge: ([left], [right]) => [(left as number) + (right as number)],
  resultSlot: 0,
  result: (sum: number) => sum,
};

/** The greatest magnitude of which 65,536 values sum up exactly in a double. */
const blockExactMost = 2 ** 36;

/** Sums integers exactly: in a double as long as it is exact, what leaves its range in a bigint beside it. */
function integerSum(finish: (sum: bigint) => unknown): SlotState {
  return {
    kind: 'slots',
    slots: [
      { name: 'sum', kind: 'f64', initial: 0 },
      { name: 'spilled', kind: 'any', initial: undefined },
    ],
    update: (emitter, [sum, spilled], [value]) => {
      const spill = emitter.bind(spillSum, 'spill');
      if (value!.bounds === undefined) {
        const plain = emitter.constant('plain', js`typeof ${value!.code} === 'number'`);
        const next = emitter.constant('next', js`${plain} ? ${sum!} + Number(${value!.code}) : NaN`);
        emitter.statement(
          js`if (${next} >= -9007199254740991 && ${next} <= 9007199254740991) ${sum!} = ${next};\nelse {\n${spilled!} = ${spill}(${spilled!}, ${sum!}, ${value!.code});\n${sum!} = 0;\n}`,
        );
        return;
      }
      if (emitter.freshSlots && Math.max(-value!.bounds[0], value!.bounds[1]) <= blockExactMost) {
        emitter.statement(js`${sum!} += ${value!.code};`);
        return;
      }
      const next = emitter.constant('next', js`${sum!} + ${value!.code}`);
      emitter.statement(
        js`if (${next} >= -9007199254740991 && ${next} <= 9007199254740991) ${sum!} = ${next};\nelse {\n${spilled!} = ${spill}(${spilled!}, ${sum!}, ${value!.code});\n${sum!} = 0;\n}`,
      );
    },
    merge: ([sum, spilled], [otherSum, otherSpilled]) => [
      0,
      spillSum(spilled as bigint | undefined, sum as number, otherSum as number) +
        ((otherSpilled as bigint | undefined) ?? 0n),
    ],
    resultSlot: 0,
    result: (sum: number, spilled: bigint | undefined) =>
      spilled === undefined ? sum : finish(spilled + BigInt(sum)),
  };
}

/** A sum of wide integers and decimals, as a bigint. */
function bigSum(finish: (sum: bigint) => unknown): AggregateState {
  return {
    kind: 'object',
    create: () => ({ sum: 0n }),
    add: (state: { sum: bigint }, value: number | bigint) => {
      state.sum += BigInt(value);
    },
    merge: (into: { sum: bigint }, from: { sum: bigint }) => {
      into.sum += from.sum;
    },
    result: (state: { sum: bigint }) => finish(state.sum),
  };
}

function sumState(type: SqlType, result: SqlType): AggregateState {
  if (result.kind === 'float') return floatSum;
  if (result.kind === 'int' && result.bits === 64) {
    return integerSum(result.signed ? wrapSigned : wrapUnsigned);
  }
  if (type.kind === 'int')
    return bigSum(
      type.signed ? (sum) => BigInt.asIntN(type.bits, sum) : (sum) => BigInt.asUintN(type.bits, sum),
    );
  return bigSum((sum) => sum);
}

const sum = aggregateOf(['x'], {
  name: 'sum',
  doc: 'Sum of the numbers, in 64 bits for integers.',
  examples: [
    ['sum(5)', '5'],
    ['to_type_name(sum(1::int8))', 'int64'],
  ],
  type: (args) => sumType(requireNumber('sum', args)),
  state: (args, _, type) => sumState(args[0]!.type, type),
});

const avg = aggregateOf(['x'], {
  name: 'avg',
  doc: 'Arithmetic mean as a float; nan over no rows.',
  examples: [['avg(5)', '5']],
  type: (args) => {
    requireNumber('avg', args);
    return types.float64;
  },
  state: () => ({
    kind: 'slots',
    slots: [
      { name: 'sum', kind: 'f64', initial: 0 },
      { name: 'count', kind: 'f64', initial: 0 },
    ],
    update: (emitter, [total, rows], [value]) =>
      emitter.statement(js`${total!} += ${asDouble(emitter, value!)};\n${rows!}++;`),
    merge: (left, right) => [
      (left[0] as number) + (right[0] as number),
      (left[1] as number) + (right[1] as number),
    ],
    result: (total: number, rows: number) => total / rows,
  }),
});

/** Least or greatest value; of doubles in a slot of doubles, of everything else in a slot of values. */
function extremeState(type: SqlType, greatest: boolean): SlotState {
  const plain = representation(type) === 'number';
  const better = (left: unknown, right: unknown) =>
    greatest ? compareValues(left, right) > 0 : compareValues(left, right) < 0;
  return {
    kind: 'slots',
    slots: [
      {
        name: greatest ? 'max' : 'min',
        kind: plain ? 'f64' : 'any',
        initial: plain ? Number.NaN : undefined,
      },
    ],
    update: (emitter, [best], [value]) => {
      if (plain) {
        // Comparisons with NaN are false, so the first value always replaces the initial one.
        const worse = greatest ? js`!(${value!.code} <= ${best!})` : js`!(${value!.code} >= ${best!})`;
        emitter.statement(
          type.kind === 'float'
            ? js`if (${value!.code} === ${value!.code} && ${worse}) ${best!} = ${value!.code};`
            : js`if (${worse}) ${best!} = ${value!.code};`,
        );
        return;
      }
      const isBetter = emitter.bind(better, 'better');
      emitter.statement(
        js`if (${best!} === undefined || ${isBetter}(${value!.code}, ${best!})) ${best!} = ${value!.code};`,
      );
    },
    merge: ([left], [right]) => {
      const missing = (value: unknown) => value === undefined || Number.isNaN(value);
      if (missing(left)) return [right];
      return [missing(right) || !better(right, left) ? left : right];
    },
    result: (best: unknown) => {
      if (best === undefined) return defaultValue(type);
      return Number.isNaN(best) ? 0 : best;
    },
  };
}

function extreme(name: 'min' | 'max', doc: string): AggregateFunction {
  return aggregateOf(['x'], {
    name,
    doc,
    examples: [
      [`${name}(5)`, '5'],
      [`${name}('a')`, 'a'],
    ],
    type: (args) => args[0]!.type,
    state: (args) => extremeState(args[0]!.type, name === 'max'),
  });
}

/** Keeps one of the values: the first or the last. */
function anyState(type: SqlType, last: boolean): SlotState {
  return {
    kind: 'slots',
    slots: [{ name: 'value', kind: 'any', initial: undefined }],
    update: (emitter, [kept], [value]) =>
      emitter.statement(
        last ? js`${kept!} = ${value!.code};` : js`if (${kept!} === undefined) ${kept!} = ${value!.code};`,
      ),
    merge: ([left], [right]) => [last ? (right ?? left) : (left ?? right)],
    result: (kept: unknown) => kept ?? defaultValue(type),
  };
}

function anyFunction(
  name: string,
  aliases: readonly string[],
  last: boolean,
  doc: string,
): AggregateFunction {
  return aggregateOf(['x'], {
    name,
    aliases,
    doc,
    examples: [[`${name}(5)`, '5']],
    type: (args) => args[0]!.type,
    state: (args) => anyState(args[0]!.type, last),
  });
}

export const basicAggregates: readonly AggregateFunction[] = [
  count,
  sum,
  avg,
  extreme('min', 'Least value; the default of the type over no rows.'),
  extreme('max', 'Greatest value; the default of the type over no rows.'),
  anyFunction('any', ['any_value', 'first_value', 'earliest'], false, 'The first value met.'),
  anyFunction('any_last', ['last_value', 'latest'], true, 'The last value met.'),
];
