import type { CallExpr, Expr } from '../../ast/index.ts';
import { SluiceError } from '../../base/index.ts';
import { type AggregateFunction, functions } from '../../functions/index.ts';
import {
  bareType,
  isInteger,
  isNullable,
  nullable,
  type SqlType,
  typeName,
  types,
} from '../../types/index.ts';
import type { AggregateCall, BoundExpr, BoundLambda } from '../bound.ts';
import type { Binder } from './binder.ts';

const comparisons = new Set([
  'equals',
  'not_equals',
  'less',
  'greater',
  'less_or_equals',
  'greater_or_equals',
]);

interface FoundAggregate {
  readonly definition: AggregateFunction;
  readonly conditional: boolean;
}

/** An aggregate function by its name, with or without the `_if` combinator. */
function findAggregate(name: string): FoundAggregate | undefined {
  const whole = functions.find(name);
  if (whole !== undefined)
    return whole.kind === 'aggregate' ? { definition: whole, conditional: false } : undefined;
  const stem = /^(.*?)_?if$/i.exec(name)?.[1];
  const inner = stem === undefined || stem === '' ? undefined : functions.find(stem);
  return inner?.kind === 'aggregate' ? { definition: inner, conditional: true } : undefined;
}

function refuseWindow(expr: CallExpr): void {
  if (expr.nulls !== null) {
    throw new SluiceError(
      'NOT_IMPLEMENTED',
      `${expr.nulls.toUpperCase()} NULLS of ${expr.name}(...) is not supported`,
    );
  }
  if (expr.over !== null)
    throw new SluiceError('NOT_IMPLEMENTED', `Window functions are not supported: ${expr.name}(...) OVER`);
}

/** Binds a call: an aggregate function, or a scalar one with its lambdas. */
export function bindAggregateOrFunction(binder: Binder, expr: CallExpr): BoundExpr {
  refuseWindow(expr);
  const aggregate = findAggregate(expr.name);
  if (aggregate !== undefined) return bindAggregate(binder, expr, aggregate);
  const definition = functions.find(expr.name);
  if (definition === undefined || definition.kind !== 'scalar') throw functions.unknown(expr.name);
  if (expr.params !== null || expr.distinct || expr.filter !== null) {
    throw new SluiceError(
      'BAD_ARGUMENTS',
      `Function ${expr.name} is no aggregate function: it takes no parameters, DISTINCT or FILTER`,
    );
  }
  if (comparisons.has(definition.name) && expr.args.length === 2) {
    return binder.comparison(definition.name, binder.bind(expr.args[0]!), binder.bind(expr.args[1]!));
  }
  return binder.callDefinition(
    definition,
    bindArguments(binder, definition.name, definition.lambdaParameters, expr.args),
  );
}

type LambdaRule =
  | ((others: readonly ReturnType<Binder['argument']>[], count: number) => readonly SqlType[])
  | undefined;

function bindArguments(
  binder: Binder,
  name: string,
  rule: LambdaRule,
  args: readonly Expr[],
): (BoundExpr | BoundLambda)[] {
  if (!args.some((argument) => argument.kind === 'lambda'))
    return args.map((argument) => binder.bind(argument));
  if (rule === undefined)
    throw new SluiceError('ILLEGAL_TYPE_OF_ARGUMENT', `Function ${name} does not take a lambda`);
  const plain = args.map((argument) => (argument.kind === 'lambda' ? null : binder.bind(argument)));
  const others = plain
    .filter((argument) => argument !== null)
    .map((argument) => binder.argument(argument, true));
  return args.map((argument, index) =>
    argument.kind === 'lambda'
      ? binder.lambda(argument, rule(others, argument.params.length))
      : plain[index]!,
  );
}

function bindAggregate(binder: Binder, expr: CallExpr, found: FoundAggregate): BoundExpr {
  binder.assertAggregateAllowed(expr.name);
  let { definition } = found;
  const written = expr.args.filter(
    (argument) => !(argument.kind === 'asterisk' && definition.name === 'count'),
  );
  const args = written.map((argument) =>
    binder.bindRow(argument, `the arguments of aggregate function ${expr.name}`),
  );
  let condition = found.conditional ? takeCondition(expr.name, args) : null;
  if (expr.filter !== null) {
    const filter = binder.bindRow(expr.filter, 'FILTER');
    condition = condition === null ? filter : binder.call('and', [condition, filter]);
  }
  let { distinct } = expr;
  if (distinct && definition.name === 'count') {
    definition = functions.aggregate('uniq_exact');
    distinct = false;
  }
  const parameters = (expr.params ?? []).map((parameter) => binder.context.evaluate(binder.bind(parameter)));
  return aggregateCall(binder, { definition, args, parameters, condition, distinct });
}

function takeCondition(name: string, args: BoundExpr[]): BoundExpr {
  const condition = args.pop();
  if (
    condition === undefined ||
    !(isInteger(condition.type) || bareType(condition.type).kind === 'nothing')
  ) {
    throw new SluiceError('ILLEGAL_TYPE_OF_ARGUMENT', `The last argument of ${name} must be a condition`);
  }
  return condition;
}

function aggregateCall(binder: Binder, parts: Omit<AggregateCall, 'type'>): BoundExpr {
  const { definition, args, parameters } = parts;
  const [least, most] = definition.arity;
  if (args.length < least || args.length > most) {
    throw new SluiceError(
      'NUMBER_OF_ARGUMENTS_DOESNT_MATCH',
      `Aggregate function ${definition.name} does not take ${args.length} arguments: ${definition.syntax}`,
    );
  }
  const [leastParameters, mostParameters] = definition.parameters ?? [0, 0];
  if (parameters.length < leastParameters || parameters.length > mostParameters) {
    throw new SluiceError(
      'NUMBER_OF_ARGUMENTS_DOESNT_MATCH',
      `Aggregate function ${definition.name} does not take ${parameters.length} parameters: ${definition.syntax}`,
    );
  }
  const skips = definition.nulls !== 'handled';
  const described = args.map((argument) => binder.argument(argument, skips));
  if (
    skips &&
    described.some((argument) => argument.type.kind === 'nothing') &&
    definition.nulls !== 'count'
  ) {
    return { kind: 'literal', value: null, type: types.nothing };
  }
  const plain = definition.type(described, parameters);
  const wraps = definition.nulls === undefined || definition.nulls === 'skip';
  const compound = plain.kind === 'array' || plain.kind === 'map' || plain.kind === 'tuple';
  const type =
    wraps && !compound && args.some((argument) => isNullable(argument.type)) ? nullable(plain) : plain;
  return { kind: 'aggregate', call: { ...parts, type }, type };
}

/** The error for a type that a condition cannot have. */
export function assertCondition(expr: BoundExpr, clause: string): void {
  const { kind } = bareType(expr.type);
  if (isInteger(expr.type) || kind === 'nothing') return;
  throw new SluiceError(
    'ILLEGAL_TYPE_OF_ARGUMENT',
    `${clause} needs a condition, and this is ${typeName(expr.type)}`,
  );
}
