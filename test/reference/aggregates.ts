import {
  arrayOf,
  asType,
  defaultOf,
  integer,
  integerKind,
  keyOf,
  order,
  type Type,
  type,
  type Value,
} from './values.ts';

/** An aggregate function of the reference. It is given the arguments of the group's rows, none with a NULL. */
export interface Aggregate {
  readonly name: string;
  /** Of arguments without nullable. */
  readonly type: (args: readonly Type[]) => Type;
  /** Whether the result over no rows is NULL when an argument is nullable. */
  readonly nullOfNone: boolean;
  readonly value: (rows: readonly (readonly Value[])[], result: Type) => Value;
}

function sumType([given]: readonly Type[]): Type {
  const kind = integerKind(given!);
  return kind === null ? type('float64') : integer(kind.signed, 64);
}

function sum(values: readonly Value[], result: Type): Value {
  if (integerKind(result) === null) return values.reduce<number>((total, value) => total + Number(value), 0);
  return asType(
    values.reduce<bigint>((total, value) => total + (value as bigint), 0n),
    result,
  );
}

function first(rows: readonly (readonly Value[])[], result: Type): Value {
  return rows.length === 0 ? defaultOf(result) : rows[0]![0]!;
}

/** The row with the least of column `by`, or the greatest; the first of equals. */
function extreme(
  rows: readonly (readonly Value[])[],
  by: number,
  sign: 1 | -1,
): readonly Value[] | undefined {
  return rows.reduce<readonly Value[] | undefined>(
    (best, row) => (best === undefined || sign * order(row[by]!, best[by]!) < 0 ? row : best),
    undefined,
  );
}

const column = (rows: readonly (readonly Value[])[]) => rows.map((row) => row[0]!);
const same = ([given]: readonly Type[]): Type => given!;
const uint64 = () => type('uint64');

const list: readonly Aggregate[] = [
  { name: 'count', type: uint64, nullOfNone: false, value: (rows) => BigInt(rows.length) },
  { name: 'sum', type: sumType, nullOfNone: true, value: (rows, result) => sum(column(rows), result) },
  {
    name: 'avg',
    type: () => type('float64'),
    nullOfNone: true,
    value: (rows) =>
      Number(column(rows).reduce<number>((total, value) => total + Number(value), 0)) / rows.length,
  },
  {
    name: 'min',
    type: same,
    nullOfNone: true,
    value: (rows, result) => extreme(rows, 0, 1)?.[0] ?? defaultOf(result),
  },
  {
    name: 'max',
    type: same,
    nullOfNone: true,
    value: (rows, result) => extreme(rows, 0, -1)?.[0] ?? defaultOf(result),
  },
  { name: 'any', type: same, nullOfNone: true, value: first },
  {
    name: 'any_last',
    type: same,
    nullOfNone: true,
    value: (rows, result) => first(rows.slice(-1), result),
  },
  {
    name: 'arg_min',
    type: same,
    nullOfNone: true,
    value: (rows, result) => extreme(rows, 1, 1)?.[0] ?? defaultOf(result),
  },
  {
    name: 'arg_max',
    type: same,
    nullOfNone: true,
    value: (rows, result) => extreme(rows, 1, -1)?.[0] ?? defaultOf(result),
  },
  {
    name: 'uniq_exact',
    type: uint64,
    nullOfNone: false,
    value: (rows) => BigInt(new Set(column(rows).map(keyOf)).size),
  },
  {
    name: 'group_array',
    type: ([given]) => arrayOf(given!),
    nullOfNone: false,
    value: column,
  },
];

const byName = new Map(list.map((aggregate) => [aggregate.name, aggregate]));

export function aggregate(name: string): Aggregate {
  const found = byName.get(name);
  if (found === undefined) throw new Error(`the reference has no aggregate function ${name}`);
  return found;
}
