import type { Clock, Settings } from '../base/index.ts';
import { type Code, js, type ModuleBuilder } from '../code/index.ts';
import type { SqlType } from '../types/index.ts';

/** What a running query can tell its functions about itself. */
export interface QueryContext {
  readonly clock: Clock;
  /** Milliseconds since 1970-01-01 UTC at which the query (or, in a streaming query, the block) started. */
  readonly now: number;
  readonly queryId: string;
  readonly user: string;
  readonly database: string;
  readonly settings: Settings;
  readonly version: string;
  /** Milliseconds since the server started. */
  readonly uptime: number;
}

/** What the analyzer knows of an argument when it asks a function for its result type. */
export interface Argument {
  readonly type: SqlType;
  /**
   * The canonical value, for an argument that is known before the query runs. Reading it ties the compiled query to that
   * very value, so read it only where the type or the code depends on it.
   */
  readonly constant: { readonly value: unknown } | undefined;
  /** Set for a lambda; its `type` is then the type of the body. */
  readonly lambda: { readonly parameterCount: number } | undefined;
}

/**
 * A value in generated code. `code` may be used any number of times: it is a name, a literal or a cheap load without
 * side effects. Where `isNull` holds, `code` gives some value of the right representation, never null.
 */
export interface Operand {
  readonly type: SqlType;
  readonly code: Code;
  /** A boolean expression that tells whether the row's value is NULL; null when it never is. */
  readonly isNull: Code | null;
  /**
   * For numbers and integers in mixed representation: bounds, inclusive, that every value is known to keep. A 64-bit
   * integer with bounds within ±(2^53-1) is known to be a JS number.
   */
  readonly bounds: readonly [least: number, greatest: number] | undefined;
  /** For conditions, the same value as a JavaScript boolean: what branches and masks are made of. */
  readonly test?: Code;
}

/** The operand's value with JavaScript null where it is NULL. */
export function boxedCode({ code, isNull }: Operand): Code {
  return isNull === null ? code : js`(${isNull} ? null : ${code})`;
}

/** What an emitter works with: it adds statements in front of the expression that it returns. */
export interface Emitter {
  readonly module: ModuleBuilder;
  /**
   * True while an aggregate's update is emitted whose slots start anew with each block: at most 65,536 rows are added to
   * them before they are merged.
   */
  readonly freshSlots: boolean;
  /** A reference to a JavaScript value; never text of the query in source. */
  bind(value: unknown, hint: string): Code;
  /** Stores an expression in a fresh constant and gives its name. */
  constant(hint: string, value: Code): Code;
  /** Declares a fresh variable with an initial value and gives its name. */
  variable(hint: string, initial: Code): Code;
  statement(code: Code): void;
  /** The statements that `build` adds, as one fragment, instead of adding them here. */
  capture(build: () => void): Code;
  /** A value of the type's representation that stands where a NULL is. */
  defaultCode(type: SqlType): Code;
  /** The operand's value with JavaScript null where it is NULL. */
  boxed(operand: Operand): Code;
  /** Emits the body of a lambda argument with its parameters standing for the given operands. */
  inline(lambda: LambdaOperand, parameters: readonly Operand[]): Operand;
}

/** A lambda argument of a call in generated code. */
export interface LambdaOperand {
  readonly lambda: true;
  readonly parameterCount: number;
  readonly bodyType: SqlType;
  /** The id by which the compiler finds the body. */
  readonly body: unknown;
  /** A JavaScript function of boxed values giving a boxed value. */
  readonly closure: () => Code;
}

export interface FunctionDocumentation {
  /** Canonical name, snake_case. Its ClickHouse spelling in camelCase is an alias by itself. */
  readonly name: string;
  /** Further names; each, too, is known in camelCase. */
  readonly aliases?: readonly string[];
  readonly category:
    | 'arithmetic'
    | 'comparison'
    | 'logical'
    | 'conditional'
    | 'conversion'
    | 'date_time'
    | 'string'
    | 'regular_expression'
    | 'array'
    | 'map'
    | 'tuple'
    | 'json'
    | 'hash'
    | 'random'
    | 'math'
    | 'bit'
    | 'url'
    | 'uuid_and_ip'
    | 'introspection'
    | 'aggregate';
  /** How it is written: `substring(text, offset[, length])`. */
  readonly syntax: string;
  readonly doc: string;
  /** Expressions and the text of their values as TabSeparated shows them; each is run as a test. */
  readonly examples: readonly (readonly [expression: string, result: string])[];
}

/** One scalar function: its type rule, NULL rule and code. */
export interface ScalarFunction extends FunctionDocumentation {
  readonly kind: 'scalar';
  /** Least and greatest number of arguments. */
  readonly arity: readonly [number, number];
  /**
   * `pure` (default): equal arguments give equal results. `per_query`: one value for a whole execution (now). `per_row`: a
   * new value for every row (rand).
   */
  readonly evaluation?: 'pure' | 'per_query' | 'per_row';
  /** True for a kernel that is given the QueryContext before its arguments. */
  readonly contextual?: boolean;
  /**
   * `propagate` (default): any NULL argument makes the result NULL; `type`, `emit` and `kernel` then see arguments without
   * nullable, and the result type is wrapped by the caller. `handled`: the function sees nullable arguments as they are
   * (boxed in a kernel: JavaScript null) and says itself what is nullable.
   */
  readonly nulls?: 'propagate' | 'handled';
  /** For functions that take a lambda first: the types of its parameters, given the types of the other arguments. */
  readonly lambdaParameters?: (others: readonly Argument[], parameterCount: number) => readonly SqlType[];
  /** The result type; throws SluiceError for arguments it does not take. Types come without low_cardinality. */
  readonly type: (args: readonly Argument[]) => SqlType;
  /**
   * Inline code: returns an operand, or code whose representation is that of `type` and whose bounds are those of the
   * type. Under `propagate` the operands are never NULL where the result is used, yet the code runs for such rows too and
   * must not throw on the values that stand there.
   */
  readonly emit?: (
    emitter: Emitter,
    args: readonly (Operand | LambdaOperand)[],
    type: SqlType,
  ) => Operand | Code;
  /**
   * Inline code that decides which arguments are computed at all (`and`, `if`). Calling an argument emits its code at the
   * current place, once; use `emitter.capture` to put it in a branch. Needs `nulls: 'handled'`.
   */
  readonly emitLazy?: (emitter: Emitter, args: readonly (() => Operand)[], type: SqlType) => Operand;
  /**
   * A JavaScript function from canonical values to the canonical value, made once per query; lambdas arrive as functions.
   * Under `propagate` it is not called for rows with a NULL argument.
   */
  readonly kernel?: (args: readonly Argument[], type: SqlType) => Kernel;
}

/** Takes the canonical values of whatever types it declares; only generated code, which has checked them, calls it so. */
export type Kernel = (...values: never[]) => unknown;

/** Where one aggregate's slot lives: f64 in a Float64Array (or a double variable), any in a JS array. */
export interface Slot {
  readonly name: string;
  readonly kind: 'f64' | 'any';
  readonly initial: number | undefined;
}

/** The parts of an aggregate state that generated code updates in place, one entry per group and slot. */
export interface SlotState {
  readonly kind: 'slots';
  readonly slots: readonly Slot[];
  /** Emits the update of the group's slots (assignable fragments, in the order of `slots`) by one row. */
  readonly update: (emitter: Emitter, slots: readonly Code[], args: readonly Operand[]) => void;
  /** The slot that holds the result as it is, as long as no other slot is used. */
  readonly resultSlot?: number;
  /** The slots of two states made one, in order. */
  readonly merge: (left: readonly unknown[], right: readonly unknown[]) => unknown[];
  /** The canonical result value of a state. */
  readonly result: (...slots: never[]) => unknown;
}

/** An aggregate state that is an object of its own. */
export interface ObjectState {
  readonly kind: 'object';
  readonly create: () => unknown;
  /** Adds a row's boxed arguments to the state, in place. */
  readonly add: (state: never, ...values: never[]) => void;
  /** Adds all of another state to `into`, in place. */
  readonly merge: (into: never, from: never) => void;
  readonly result: (state: never) => unknown;
  /** A msgpackr-able picture of the state, and back; the state itself when absent. */
  readonly save?: (state: never) => unknown;
  readonly load?: (saved: never) => unknown;
}

export type AggregateState = SlotState | ObjectState;

export interface AggregateFunction extends FunctionDocumentation {
  readonly kind: 'aggregate';
  readonly arity: readonly [number, number];
  /** Least and greatest number of parameters, as in `quantile(0.9)(x)`; none when absent. */
  readonly parameters?: readonly [number, number];
  /**
   * `skip` (default): rows with a NULL argument are left out, and the result over none is NULL when an argument is nullable.
   * `count`: rows with a NULL are left out, the result is never NULL. `handled`: the function sees NULLs.
   */
  readonly nulls?: 'skip' | 'count' | 'handled';
  readonly type: (args: readonly Argument[], parameters: readonly unknown[]) => SqlType;
  readonly state: (
    args: readonly Argument[],
    parameters: readonly unknown[],
    type: SqlType,
  ) => AggregateState;
}

export type FunctionDefinition = ScalarFunction | AggregateFunction;

export function isLambda(operand: Operand | LambdaOperand): operand is LambdaOperand {
  return 'lambda' in operand;
}

/** The operands of a call that has no lambdas. */
export function values(args: readonly (Operand | LambdaOperand)[]): readonly Operand[] {
  return args as readonly Operand[];
}
