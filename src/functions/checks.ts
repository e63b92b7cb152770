import { SluiceError } from '../base/index.ts';
import { isInteger, isNumber, isString, type SqlType, typeName } from '../types/index.ts';
import type { Argument } from './definition.ts';

/** The error for an argument whose type a function does not take. */
export function illegalType(name: string, position: number, type: SqlType, expected: string): SluiceError {
  return new SluiceError(
    'ILLEGAL_TYPE_OF_ARGUMENT',
    `Argument ${position + 1} of function ${name} is ${typeName(type)}: expected ${expected}`,
  );
}

function check(
  name: string,
  args: readonly Argument[],
  position: number,
  fits: (type: SqlType) => boolean,
  what: string,
): void {
  const argument = args[position];
  if (argument !== undefined && !fits(argument.type)) throw illegalType(name, position, argument.type, what);
}

export function expectString(name: string, args: readonly Argument[], ...positions: readonly number[]): void {
  for (const position of positions) check(name, args, position, isString, 'a string');
}

export function expectInteger(
  name: string,
  args: readonly Argument[],
  ...positions: readonly number[]
): void {
  for (const position of positions) check(name, args, position, isInteger, 'an integer');
}

export function expectNumber(name: string, args: readonly Argument[], ...positions: readonly number[]): void {
  for (const position of positions) check(name, args, position, isNumber, 'a number');
}

/** The constant value of an argument that must be known before the query runs. */
export function constantOf(name: string, args: readonly Argument[], position: number): unknown {
  const argument = args[position];
  if (argument?.constant === undefined) {
    throw new SluiceError(
      'ILLEGAL_COLUMN',
      `Argument ${position + 1} of function ${name} must be a constant`,
    );
  }
  return argument.constant.value;
}
