import { SluiceError } from '../../base/index.ts';
import { isNullable, type SqlType } from '../../types/index.ts';
import { type Accumulator, accumulator, aggregateFunctions } from '../aggregate/index.ts';
import { constantOf } from '../checks.ts';
import type { AggregateFunction, Argument, ScalarFunction } from '../definition.ts';
import { elementType, nullableElement, sizesDiffer, type Values } from './array-values.ts';

interface NamedAggregate {
  readonly definition: AggregateFunction;
  readonly parameters: readonly unknown[];
}

const byName = new Map<string, AggregateFunction>();
for (const definition of aggregateFunctions) {
  for (const name of [definition.name, ...(definition.aliases ?? [])])
    byName.set(name.toLowerCase().replaceAll('_', ''), definition);
}

/** One parameter as it stands in the text: a number or a text in quotes. */
function parameterOf(text: string): unknown {
  const quoted = /^'(.*)'$/s.exec(text);
  if (quoted !== null) return quoted[1];
  const number = Number(text);
  if (text === '' || Number.isNaN(number))
    throw new SluiceError('BAD_ARGUMENTS', `Cannot read the parameter '${text}' of an aggregate function`);
  return number;
}

/** The aggregate function that a text such as `quantile(0.9)` names. */
function namedAggregate(args: readonly Argument[]): NamedAggregate {
  const text = String(constantOf('array_reduce', args, 0));
  const match = /^\s*(\w+)\s*(?:\((.*)\))?\s*$/s.exec(text);
  const definition = match === null ? undefined : byName.get(match[1]!.toLowerCase().replaceAll('_', ''));
  if (definition === undefined)
    throw new SluiceError(
      'UNKNOWN_AGGREGATE_FUNCTION',
      `array_reduce does not know the aggregate function '${text}'`,
    );
  const inside = match![2]?.trim() ?? '';
  const parameters = inside === '' ? [] : inside.split(',').map((part) => parameterOf(part.trim()));
  const [least, most] = definition.parameters ?? [0, 0];
  const [fewest, greatest] = definition.arity;
  const count = args.length - 1;
  if (parameters.length < least || parameters.length > most || count < fewest || count > greatest)
    throw new SluiceError('NUMBER_OF_ARGUMENTS_DOESNT_MATCH', `array_reduce: ${definition.syntax} expected`);
  return { definition, parameters };
}

/** The elements of the arrays as arguments of the aggregate function. */
function elementArguments(args: readonly Argument[], skipsNulls: boolean): readonly Argument[] {
  return args.slice(1).map((_, index) => {
    const type: SqlType = elementType('array_reduce', args, index + 1);
    const plain = skipsNulls && type.kind === 'nullable' ? type.inner : type;
    return { type: plain, constant: undefined, lambda: undefined };
  });
}

function reduce(
  run: Accumulator,
  lists: readonly Values[],
  skipsNulls: boolean,
  nullResult: boolean,
): unknown {
  const size = lists[0]!.length;
  if (lists.some((list) => list.length !== size)) throw sizesDiffer('array_reduce');
  const state = run.create();
  let seen = false;
  for (let index = 0; index < size; index++) {
    const row = lists.map((list) => list[index]);
    if (skipsNulls && row.includes(null)) continue;
    seen = true;
    run.add(state, row);
  }
  return nullResult && !seen ? null : run.result(state);
}

const arrayReduce: ScalarFunction = {
  kind: 'scalar',
  name: 'array_reduce',
  category: 'array',
  arity: [2, Number.POSITIVE_INFINITY],
  syntax: "array_reduce('aggregate', array, ...)",
  doc: 'What an aggregate function makes of the elements, as it would of as many rows.',
  examples: [
    ["array_reduce('max', [1, 5, 2])", '5'],
    ["array_reduce('quantile(0.5)', [1, 2])", '1.5'],
  ],
  type: (args) => {
    const { definition, parameters } = namedAggregate(args);
    const skips = definition.nulls !== 'handled';
    const type = definition.type(elementArguments(args, skips), parameters);
    const wraps = definition.nulls === undefined || definition.nulls === 'skip';
    const given = args.slice(1).map((_, index) => elementType('array_reduce', args, index + 1));
    return wraps && given.some(isNullable) ? nullableElement(type) : type;
  },
  kernel: (args, type) => {
    const { definition, parameters } = namedAggregate(args);
    const skips = definition.nulls !== 'handled';
    const run = accumulator(definition, elementArguments(args, skips), parameters);
    const nullResult = isNullable(type);
    return (_: unknown, ...lists: Values[]) => reduce(run, lists, skips, nullResult);
  },
};

export const arrayReduceFunctions: readonly ScalarFunction[] = [arrayReduce];
