import { SluiceError } from '../../base/index.ts';
import { isInteger } from '../../types/index.ts';
import type { Argument } from '../definition.ts';

/** The most elements that an aggregate collects in an array. */
export const collectedMax = 16_777_215;

/**
 * A size that is given as a parameter, as in `f(10)(x)`, or as a constant argument at a position, as in `f(x, 10)`; the
 * usual one when it is not given.
 */
export function sizeOf(
  name: string,
  args: readonly Argument[],
  parameters: readonly unknown[],
  position: number,
  usual: number,
): number {
  const argument = args[position];
  let given: unknown = parameters[0];
  if (parameters.length === 0) {
    if (argument === undefined) return usual;
    if (argument.constant === undefined || !isInteger(argument.type))
      throw new SluiceError(
        'BAD_ARGUMENTS',
        `Argument ${position + 1} of ${name} must be a constant integer`,
      );
    given = argument.constant.value;
  }
  const size = Number(given);
  if (!(size >= 1 && size <= collectedMax))
    throw new SluiceError(
      'ARGUMENT_OUT_OF_BOUND',
      `The size given to ${name} must be from 1 to ${collectedMax}, not ${String(given)}`,
    );
  return Math.trunc(size);
}

export function tooManyValues(name: string): SluiceError {
  return new SluiceError(
    'TOO_LARGE_ARRAY_SIZE',
    `${name} collects at most ${collectedMax} values in one group`,
  );
}
