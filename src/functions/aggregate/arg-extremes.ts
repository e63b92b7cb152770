import { type Code, js } from '../../code/index.ts';
import { compareValues } from '../../runtime/index.ts';
import { defaultValue, representation, type SqlType } from '../../types/index.ts';
import type { AggregateFunction, Emitter, SlotState } from '../definition.ts';

function isMissing(key: unknown): boolean {
  return key === undefined || Number.isNaN(key);
}

/** Whether a row's key replaces the best one so far; for a slot of doubles that starts as NaN, or one of any values. */
function betterCode(emitter: Emitter, type: SqlType, key: Code, best: Code, greatest: boolean): Code {
  switch (representation(type)) {
    case 'number': {
      // Comparisons with NaN are false, so that the first key replaces the initial one and a NaN never does.
      const beats = greatest ? js`!(${key} <= ${best})` : js`!(${key} >= ${best})`;
      return type.kind === 'float' ? js`${key} === ${key} && ${beats}` : beats;
    }
    case 'object': {
      const sign = greatest ? 1 : -1;
      const better = (left: unknown, right: unknown) => compareValues(left, right) * sign > 0;
      return js`${best} === undefined || ${emitter.bind(better, 'better')}(${key}, ${best})`;
    }
    default:
      return greatest
        ? js`${best} === undefined || ${key} > ${best}`
        : js`${best} === undefined || ${key} < ${best}`;
  }
}

function argExtremeState(valueType: SqlType, keyType: SqlType, greatest: boolean): SlotState {
  const plain = representation(keyType) === 'number';
  const sign = greatest ? 1 : -1;
  return {
    kind: 'slots',
    slots: [
      { name: 'value', kind: 'any', initial: undefined },
      { name: 'best', kind: plain ? 'f64' : 'any', initial: plain ? Number.NaN : undefined },
    ],
    update: (emitter, [value, best], [argument, key]) => {
      const better = betterCode(emitter, keyType, key!.code, best!, greatest);
      emitter.statement(js`if (${better}) {\n${best!} = ${key!.code};\n${value!} = ${argument!.code};\n}`);
    },
    merge: (left, right) => {
      if (isMissing(right[1])) return [...left];
      if (isMissing(left[1])) return [...right];
      return compareValues(right[1], left[1]) * sign > 0 ? [...right] : [...left];
    },
    result: (value: unknown) => value ?? defaultValue(valueType),
  };
}

function argExtreme(name: 'arg_min' | 'arg_max', greatest: boolean): AggregateFunction {
  const which = greatest ? 'greatest' : 'least';
  return {
    kind: 'aggregate',
    name,
    category: 'aggregate',
    arity: [2, 2],
    syntax: `${name}(value, key)`,
    doc: `The value in the row with the ${which} key; of several such rows the first.`,
    examples: [[`${name}('a', 1)`, 'a']],
    type: (args) => args[0]!.type,
    state: (args) => argExtremeState(args[0]!.type, args[1]!.type, greatest),
  };
}

export const argExtremeAggregates: readonly AggregateFunction[] = [
  argExtreme('arg_min', false),
  argExtreme('arg_max', true),
];
