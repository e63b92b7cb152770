import { SluiceError } from '../../base/index.ts';
import { isNumber, type SqlType, typeName, types } from '../../types/index.ts';
import type { AggregateFunction, Argument } from '../definition.ts';

/** Checks that every argument is a number. */
export function requireNumbers(name: string, args: readonly Argument[]): void {
  for (const { type } of args) {
    if (!isNumber(type))
      throw new SluiceError(
        'ILLEGAL_TYPE_OF_ARGUMENT',
        `Illegal type ${typeName(type)} of argument for aggregate function ${name}: expected a number`,
      );
  }
}

/** An aggregate function of a fixed number of arguments, whose names its syntax shows. */
export function aggregateOf(
  names: readonly string[],
  parts: Omit<AggregateFunction, 'kind' | 'category' | 'arity' | 'syntax'>,
): AggregateFunction {
  return {
    kind: 'aggregate',
    category: 'aggregate',
    arity: [names.length, names.length],
    syntax: `${parts.name}(${names.join(', ')})`,
    ...parts,
  };
}

/** The same, of numbers: float64 unless `type` says what the type of the first argument leads to. */
export function aggregateOfNumbers(
  names: readonly string[],
  { type = () => types.float64, ...parts }: NumberAggregate,
): AggregateFunction {
  return aggregateOf(names, {
    ...parts,
    type: (args) => {
      requireNumbers(parts.name, args);
      return type(args[0]!.type);
    },
  });
}

export interface NumberAggregate
  extends Omit<AggregateFunction, 'kind' | 'category' | 'arity' | 'syntax' | 'type'> {
  readonly type?: (argument: SqlType) => SqlType;
}
