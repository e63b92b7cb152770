import { SluiceError } from '../../base/index.ts';
import { type Code, js } from '../../code/index.ts';
import { bareType, integerRange, isInteger, isNullable, type SqlType, typeName } from '../../types/index.ts';
import { illegalType } from '../checks.ts';
import {
  type Argument,
  type Emitter,
  isLambda,
  type LambdaOperand,
  type Operand,
  type ScalarFunction,
} from '../definition.ts';
import { elementType, sizesDiffer, type Values } from './array-values.ts';

/** The types of a lambda's parameters: the elements of the arrays beside it. */
export function elementParameters(others: readonly Argument[], count: number): readonly SqlType[] {
  const found = others.map((argument) =>
    argument.type.kind === 'array' ? argument.type.element : undefined,
  );
  const arrays = found.filter((type) => type !== undefined);
  const [only] = arrays;
  // One array of tuples may be taken apart by a lambda of several parameters.
  if (arrays.length === 1 && count > 1 && only?.kind === 'tuple' && only.elements.length === count)
    return only.elements.map((element) => element.type);
  if (arrays.length < count)
    throw new SluiceError(
      'NUMBER_OF_ARGUMENTS_DOESNT_MATCH',
      `The lambda has ${count} parameters and there are ${arrays.length} arrays for them`,
    );
  return arrays;
}

export function hasLambda(args: readonly Argument[]): boolean {
  return args[0]!.lambda !== undefined;
}

/** Checks that everything from a position on is an array. */
export function expectArrays(name: string, args: readonly Argument[], from: number): void {
  if (args.length <= from)
    throw new SluiceError('NUMBER_OF_ARGUMENTS_DOESNT_MATCH', `Function ${name} needs an array`);
  for (let position = from; position < args.length; position++) elementType(name, args, position);
}

/** Checks that what the lambda gives, or the element itself, is a condition. */
export function expectCondition(name: string, args: readonly Argument[]): void {
  const type = hasLambda(args) ? args[0]!.type : elementType(name, args, 0);
  if (!isInteger(type) && bareType(type).kind !== 'nothing')
    throw new SluiceError(
      'ILLEGAL_TYPE_OF_ARGUMENT',
      `Function ${name} needs a condition, and this gives ${typeName(type)}`,
    );
}

export interface LambdaShape {
  /** Whether the first argument is a lambda. */
  readonly given: boolean;
  /** The type that the lambda gives, or that of the elements. */
  readonly result: SqlType;
  /** The type of the elements of the first array. */
  readonly element: SqlType;
}

export function lambdaShape(name: string, args: readonly Argument[], required: boolean): LambdaShape {
  const given = hasLambda(args);
  if (required && !given) throw illegalType(name, 0, args[0]!.type, 'a lambda such as x -> x + 1');
  expectArrays(name, args, given ? 1 : 0);
  if (!given && args.length > 1)
    throw new SluiceError(
      'NUMBER_OF_ARGUMENTS_DOESNT_MATCH',
      `Function ${name} takes several arrays only with a lambda before them`,
    );
  const element = elementType(name, args, given ? 1 : 0);
  return { given, result: given ? args[0]!.type : element, element };
}

/** A kernel over the elements of the first array and what the lambda (or nothing) makes of each. */
export function overElements(
  name: string,
  args: readonly Argument[],
  compute: (mapped: Values, elements: Values) => unknown,
): (...given: never[]) => unknown {
  if (!hasLambda(args)) return ((elements: Values) => compute(elements, elements)) as never;
  const spread = args.length === 2 && args[0]!.lambda!.parameterCount > 1;
  return ((lambda: (...elements: unknown[]) => unknown, ...lists: Values[]) => {
    const [first] = lists as [Values];
    return compute(mapped(name, lambda, lists, spread), first);
  }) as never;
}

function mapped(
  name: string,
  lambda: (...elements: unknown[]) => unknown,
  lists: readonly Values[],
  spread: boolean,
): Values {
  const [first, second] = lists as [Values, Values | undefined];
  if (spread) return first.map((element) => lambda(...(element as unknown[])));
  if (second === undefined) return first.map((element) => lambda(element));
  for (const list of lists) if (list.length !== first.length) throw sizesDiffer(name);
  return first.map((_, index) => lambda(...lists.map((list) => list[index])));
}

function typeBounds(type: SqlType): readonly [number, number] | undefined {
  const range = integerRange(bareType(type));
  if (range === undefined) return undefined;
  const [least, most] = [Number(range[0]), Number(range[1])];
  return Number.isSafeInteger(least) && Number.isSafeInteger(most) ? [least, most] : undefined;
}

/** An element that generated code holds under a name, as an operand. */
export function elementOperand(emitter: Emitter, name: Code, type: SqlType): Operand {
  if (!isNullable(type)) return { type, code: name, isNull: null, bounds: typeBounds(type) };
  const isNull = emitter.constant('isNull', js`${name} === null`);
  const code = emitter.constant('element', js`${isNull} ? ${emitter.defaultCode(type)} : ${name}`);
  return { type, code, isNull, bounds: typeBounds(type) };
}

/** A loop over one array with the lambda's body put inside it. */
export function emitLoop(
  emitter: Emitter,
  lambda: LambdaOperand,
  list: Operand,
  body: (mapped: Operand, element: Code) => void,
): void {
  const element = emitter.module.name('element');
  const { element: type } = list.type as SqlType & { kind: 'array' };
  const statements = emitter.capture(() => {
    const parameter = elementOperand(emitter, element, type);
    body(emitter.inline(lambda, [parameter]), element);
  });
  emitter.statement(js`for (const ${element} of ${list.code}) {\n${statements}}`);
}

/** Whether a call is a lambda of one parameter over one array: what can be put in place. */
export function inlinable(
  args: readonly (Operand | LambdaOperand)[],
): args is readonly [LambdaOperand, Operand] {
  const [first] = args;
  return args.length === 2 && first !== undefined && isLambda(first) && first.parameterCount === 1;
}

/** What is common to all functions that take a lambda first. */
export function lambdaFunction(
  parts: Omit<ScalarFunction, 'kind' | 'category' | 'nulls' | 'arity' | 'lambdaParameters'> &
    Partial<Pick<ScalarFunction, 'arity' | 'lambdaParameters' | 'category'>>,
): ScalarFunction {
  return {
    kind: 'scalar',
    category: 'array',
    nulls: 'handled',
    arity: [1, Number.POSITIVE_INFINITY],
    lambdaParameters: elementParameters,
    ...parts,
  };
}

/** A function that is inlined where it can be and a kernel call elsewhere. */
export function emitOrCall(
  inlineLoop: (emitter: Emitter, lambda: LambdaOperand, list: Operand, type: SqlType) => Operand,
  callKernel: (emitter: Emitter, args: readonly (Operand | LambdaOperand)[], type: SqlType) => Operand,
): NonNullable<ScalarFunction['emit']> {
  return (emitter, args, type) =>
    inlinable(args) ? inlineLoop(emitter, args[0], args[1], type) : callKernel(emitter, args, type);
}

/** Calls a JavaScript function on the boxed arguments. */
export function callOnBoxed(
  emitter: Emitter,
  name: string,
  kernel: unknown,
  args: readonly (Operand | LambdaOperand)[],
): Code {
  let list = js``;
  for (const [index, argument] of args.entries()) {
    const code = isLambda(argument) ? argument.closure() : emitter.boxed(argument);
    list = index === 0 ? code : js`${list}, ${code}`;
  }
  return emitter.constant(name, js`${emitter.bind(kernel, name)}(${list})`);
}

/** What a kernel's maker wants to know of operands in generated code. */
export function asArguments(args: readonly (Operand | LambdaOperand)[]): readonly Argument[] {
  return args.map((argument) =>
    isLambda(argument)
      ? { type: argument.bodyType, constant: undefined, lambda: { parameterCount: argument.parameterCount } }
      : { type: argument.type, constant: undefined, lambda: undefined },
  );
}
