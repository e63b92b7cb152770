import { type Code, CodeWriter, instantiate, joinCode, js } from '../../code/index.ts';
import { bareType, defaultValue, integerRange, type SqlType } from '../../types/index.ts';
import {
  type AggregateFunction,
  type AggregateState,
  type Argument,
  boxedCode,
  type Emitter,
  type LambdaOperand,
  type Operand,
  type SlotState,
} from '../definition.ts';

/** An aggregate function outside of a query: states are made, fed, brought together and asked one by one. */
export interface Accumulator {
  readonly create: () => unknown;
  /** Adds one row of canonical values, none of them NULL unless the function handles NULLs. */
  readonly add: (state: unknown, values: readonly unknown[]) => void;
  /** Adds all of the second state to the first. */
  readonly merge: (into: unknown, from: unknown) => void;
  readonly result: (state: unknown) => unknown;
}

/** Gathers the statements of one update. */
class UpdateEmitter extends CodeWriter implements Emitter {
  readonly freshSlots = false;
  #statements: Code[] = [];

  get body(): readonly Code[] {
    return this.#statements;
  }

  override statement(code: Code): void {
    this.#statements.push(code);
  }

  capture(build: () => void): Code {
    const before = this.#statements;
    this.#statements = [];
    try {
      build();
      return js`${this.#statements}`;
    } finally {
      this.#statements = before;
    }
  }

  defaultCode(type: SqlType): Code {
    const value = defaultValue(bareType(type));
    return typeof value === 'number' ? js`${value}` : this.bind(value, 'value');
  }

  boxed(operand: Operand): Code {
    return boxedCode(operand);
  }

  inline(_: LambdaOperand): Operand {
    throw new Error('Assertion failed: an aggregate function takes no lambda');
  }
}

function boundsOf(type: SqlType): readonly [number, number] | undefined {
  const range = integerRange(type);
  if (range === undefined) return undefined;
  const [least, most] = [Number(range[0]), Number(range[1])];
  return Number.isSafeInteger(least) && Number.isSafeInteger(most) ? [least, most] : undefined;
}

type Update = (slots: unknown[], ...values: unknown[]) => void;

/** The update of a state in slots as a function of an array of slots and the row's values. */
function compileUpdate(state: SlotState, args: readonly Argument[]): Update {
  const emitter = new UpdateEmitter();
  const slots = emitter.module.name('slots');
  const names = args.map(() => emitter.module.name('value'));
  const operands = args.map(
    ({ type }, index): Operand => ({ type, code: names[index]!, isNull: null, bounds: boundsOf(type) }),
  );
  const places = state.slots.map((_, index) => js`${slots}[${index}]`);
  state.update(emitter, places, operands);
  const parameters = joinCode([slots, ...names]);
  const unused = emitter.module.name('state');
  const module = emitter.module.finish(unused, js`return (${parameters}) => {\n${emitter.body}};`);
  return instantiate<undefined, Update>(module)([], undefined);
}

function ofSlots(state: SlotState, args: readonly Argument[]): Accumulator {
  const update = compileUpdate(state, args);
  return {
    create: () => state.slots.map((slot) => slot.initial),
    add: (slots, values) => update(slots as unknown[], ...values),
    merge: (into, from) => {
      const merged = state.merge(into as unknown[], from as unknown[]);
      for (const [index, value] of merged.entries()) (into as unknown[])[index] = value;
    },
    result: (slots) => state.result(...(slots as never[])),
  };
}

/** The accumulator of an aggregate function for arguments (nullable taken off) and parameters. */
export function accumulator(
  definition: AggregateFunction,
  args: readonly Argument[],
  parameters: readonly unknown[],
): Accumulator {
  const type = definition.type(args, parameters);
  const state: AggregateState = definition.state(args, parameters, type);
  if (state.kind === 'slots') return ofSlots(state, args);
  return {
    create: state.create,
    add: (into, values) => state.add(into as never, ...(values as never[])),
    merge: (into, from) => state.merge(into as never, from as never),
    result: (into) => state.result(into as never),
  };
}
