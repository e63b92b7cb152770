import { SluiceError } from '../../base/index.ts';
import {
  fromByteString,
  isString,
  parseStructure,
  type SqlType,
  supertype,
  type TupleElement,
  types,
} from '../../types/index.ts';
import type { BoundExpr } from '../bound.ts';
import type { PlanContext } from '../context.ts';
import { Binder } from './binder.ts';
import { literalOf } from './literal.ts';
import { type FromResult, Scope } from './scope.ts';

function numbersScan(
  context: PlanContext,
  name: string,
  alias: string | null,
  parts: { start: BoundExpr; count: BoundExpr | null; step: BoundExpr },
): FromResult {
  const column = context.nextColumn(name, types.uint64);
  return {
    plan: {
      kind: 'scan',
      source: { kind: 'numbers', ...parts },
      columns: [{ column, source: name === 'zero' ? 1 : 0 }],
    },
    tables: [{ alias, database: null, name: null, columns: [column], hidden: [] }],
  };
}

/** `numbers([start,] count[, step])`, and `zeros`. */
export function planNumbers(
  context: PlanContext,
  name: string,
  args: readonly BoundExpr[],
  alias: string | null,
): FromResult {
  if (args.length > 3)
    throw new SluiceError(
      'NUMBER_OF_ARGUMENTS_DOESNT_MATCH',
      'numbers takes at most 3 arguments: numbers([start,] count[, step])',
    );
  const zero = literalOf(0, types.uint64);
  const step = args[2] ?? literalOf(1, types.uint64);
  return numbersScan(context, name, alias, {
    start: args.length > 1 ? args[0]! : zero,
    count: args.length === 0 ? null : args.length === 1 ? args[0]! : args[1]!,
    step,
  });
}

/** `generate_series(start, stop[, step])`. */
export function planSeries(
  context: PlanContext,
  args: readonly BoundExpr[],
  alias: string | null,
): FromResult {
  if (args.length < 2 || args.length > 3)
    throw new SluiceError(
      'NUMBER_OF_ARGUMENTS_DOESNT_MATCH',
      'generate_series takes 2 or 3 arguments: start, stop[, step]',
    );
  const [start, stop, step] = args.map((argument) => Number(context.evaluate(argument)));
  const stride = step ?? 1;
  if (!(stride > 0)) throw new SluiceError('BAD_ARGUMENTS', 'The step of generate_series must be above 0');
  const count = Math.max(0, Math.floor((stop! - start!) / stride) + 1);
  return numbersScan(context, 'generate_series', alias, {
    start: literalOf(start, types.uint64),
    count: literalOf(count, types.uint64),
    step: literalOf(stride, types.uint64),
  });
}

/** The rows of `values(...)` as they are written: tuples, or single values. */
function writtenRows(context: PlanContext, args: readonly BoundExpr[]) {
  const rows = args.map((argument) => {
    const value = context.evaluate(argument);
    return argument.type.kind === 'tuple'
      ? { cells: value as unknown[], types: argument.type.elements.map((element) => element.type) }
      : { cells: [value], types: [argument.type] };
  });
  const width = rows[0]!.cells.length;
  if (rows.some((row) => row.cells.length !== width))
    throw new SluiceError('BAD_ARGUMENTS', 'The rows of values(...) differ in length');
  return rows;
}

/** The columns that the first argument of `values('a int32, b string', ...)` names; null when it is a row like the others. */
function namedColumns(context: PlanContext, args: readonly BoundExpr[]): readonly TupleElement[] | null {
  const [first] = args;
  if (args.length < 2 || first?.kind !== 'literal' || !isString(first.type)) return null;
  try {
    return parseStructure(fromByteString(context.evaluate(first) as string));
  } catch (thrown) {
    if (thrown instanceof SluiceError) return null;
    throw thrown;
  }
}

/** `values('a int32, b string', (1, 'x'), ...)` and `values((1, 'x'), ...)`. */
export function planValues(
  context: PlanContext,
  args: readonly BoundExpr[],
  alias: string | null,
): FromResult {
  if (args.length === 0)
    throw new SluiceError('NUMBER_OF_ARGUMENTS_DOESNT_MATCH', 'values needs at least one row');
  const named = namedColumns(context, args);
  const rows = writtenRows(context, named === null ? args : args.slice(1));
  const width = rows[0]!.cells.length;
  if (named !== null && named.length !== width)
    throw new SluiceError(
      'BAD_ARGUMENTS',
      `values(...) names ${named.length} columns, and its rows have ${width}`,
    );
  const columns = Array.from({ length: width }, (_, index) => {
    const given = named?.[index];
    const type =
      given?.type ??
      supertype(
        rows.map((row) => row.types[index]!),
        `column ${index + 1} of values(...)`,
      );
    return { column: context.nextColumn(given?.name ?? `c${index + 1}`, type), source: index };
  });
  const binder = new Binder(context, new Scope([], null));
  const cast = (value: unknown, from: SqlType, to: SqlType): unknown =>
    context.evaluate(binder.castTo({ kind: 'literal', value, type: from }, to));
  const cells = rows.map((row) =>
    row.cells.map((value, index) => cast(value, row.types[index]!, columns[index]!.column.type)),
  );
  return {
    plan: { kind: 'scan', source: { kind: 'values', rows: cells }, columns },
    tables: [
      { alias, database: null, name: null, columns: columns.map((entry) => entry.column), hidden: [] },
    ],
  };
}
