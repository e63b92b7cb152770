import { jsonText } from './functions.ts';
import type { Column, Expr, From, Order, Output, Query, Row, Select, Table } from './model.ts';
import { commonType, defaultOf, isFloat, keyOf, order, type Type, type Value } from './values.ts';

/** The columns and rows that a query gives; a row's values stand in the order of the columns. */
export interface Result {
  readonly columns: readonly Column[];
  readonly rows: readonly (readonly Value[])[];
}

/** A row, and the rows of its group when rows are grouped. */
export interface Scope {
  readonly row: Row;
  readonly group: readonly Row[];
}

function containsAggregate(expr: Expr): boolean {
  if (expr.kind === 'aggregate') return true;
  return expr.kind === 'call' && expr.args.some(containsAggregate);
}

function prefixed(prefix: string, row: Row): Row {
  return Object.fromEntries(Object.entries(row).map(([name, value]) => [`${prefix}.${name}`, value]));
}

/**
 * What queries mean, computed in the plainest way there is: rows are objects, each clause makes a new list of them. It
 * shares nothing with the engine. The steps are methods so that tests can make an evaluator that gets one of them wrong.
 */
export class Reference {
  /** Results of the subqueries of expressions, which are the same for every row. */
  readonly #known = new WeakMap<Query, Result>();

  query(query: Query): Result {
    return query.kind === 'union' ? this.union(query.inputs) : this.select(query);
  }

  subquery(query: Query): Result {
    let result = this.#known.get(query);
    if (result === undefined) this.#known.set(query, (result = this.query(query)));
    return result;
  }

  union(inputs: readonly Query[]): Result {
    const results = inputs.map((input) => this.query(input));
    const columns = results[0]!.columns.map(({ name }, index): Column => {
      return { name, type: commonType(results.map((result) => result.columns[index]!.type)) };
    });
    const rows = results.flatMap((result) =>
      result.rows.map((row) => row.map((value, index) => this.converted(value, columns[index]!.type))),
    );
    return { columns, rows };
  }

  converted(value: Value, type: Type): Value {
    return isFloat(type) && typeof value === 'bigint' ? Number(value) : value;
  }

  select(query: Select): Result {
    const rows = this.from(query.from).filter((row) => this.keeps(query.where, { row, group: [] }));
    const grouped = query.keys !== null || query.outputs.some(({ expr }) => containsAggregate(expr));
    const scopes = grouped ? this.groups(query.keys ?? [], rows) : rows.map((row) => ({ row, group: [] }));
    const named = scopes.map((scope) => this.withOutputs(query.outputs, scope));
    const kept = named.filter((scope) => this.keeps(query.having, scope));
    const distinct = query.distinct ? this.distinct(query.outputs, kept) : kept;
    const sorted = this.sort(query.order, distinct);
    const few = query.limitBy === null ? sorted : this.limitBy(query.limitBy, sorted);
    const limited = few.slice(query.offset, query.limit === null ? undefined : query.offset + query.limit);
    return {
      columns: query.outputs.map(({ name, expr }) => ({ name, type: expr.type })),
      rows: limited.map(({ row }) => query.outputs.map(({ name }) => row[name]!)),
    };
  }

  from(from: From): readonly Row[] {
    switch (from.kind) {
      case 'table':
        return from.table.rows;
      case 'query': {
        const { columns, rows } = this.query(from.query);
        return rows.map((row) => Object.fromEntries(columns.map(({ name }, index) => [name, row[index]!])));
      }
      case 'join':
        return from.left.rows.flatMap((row) => this.joined(from, row));
      case 'array_join':
        return from.table.rows.flatMap((row) => {
          const items = row[from.array] as readonly Value[];
          const element = from.table.columns.find(({ name }) => name === from.array)!.type.element!;
          const all = items.length === 0 && from.left ? [defaultOf(element)] : items;
          return all.map((item) => ({ ...row, [from.name]: item }));
        });
    }
  }

  /** The rows that a row of the left side becomes. */
  joined(from: From & { kind: 'join' }, left: Row): readonly Row[] {
    const own = prefixed('l', left);
    const matches = from.right.rows
      .map((row) => ({ ...own, ...prefixed('r', row) }))
      .filter((row) => from.keys.every(([a, b]) => this.matches(a, b, row)));
    if (matches.length === 0 && from.join === 'left') return [{ ...own, ...this.noMatch(from.right) }];
    return from.any ? matches.slice(0, 1) : matches;
  }

  noMatch(right: Table): Row {
    return prefixed('r', Object.fromEntries(right.columns.map(({ name, type }) => [name, defaultOf(type)])));
  }

  matches(left: Expr, right: Expr, row: Row): boolean {
    const [a, b] = [left, right].map((side) => this.expr(side, { row, group: [] }));
    return a !== null && b !== null && order(a!, b!) === 0;
  }

  keeps(condition: Expr | null, scope: Scope): boolean {
    return condition === null || this.expr(condition, scope) === true;
  }

  groups(keys: readonly Output[], rows: readonly Row[]): Scope[] {
    if (keys.length === 0) return [{ row: {}, group: rows }];
    const groups = new Map<string, { row: Row; group: Row[] }>();
    for (const row of rows) {
      const values = keys.map((key) => this.expr(key.expr, { row, group: [] }));
      const id = keyOf(values);
      const known = groups.get(id);
      if (known !== undefined) known.group.push(row);
      else
        groups.set(id, {
          row: Object.fromEntries(keys.map((key, index) => [key.name, values[index]!])),
          group: [row],
        });
    }
    return [...groups.values()];
  }

  /** The scope with the outputs known by their names; keys are known already. */
  withOutputs(outputs: readonly Output[], scope: Scope): Scope {
    let { row } = scope;
    for (const { name, expr } of outputs)
      if (!Object.hasOwn(row, name)) row = { ...row, [name]: this.expr(expr, { ...scope, row }) };
    return { ...scope, row };
  }

  distinct(outputs: readonly Output[], scopes: readonly Scope[]): readonly Scope[] {
    const seen = new Set<string>();
    return scopes.filter(({ row }) => {
      const id = keyOf(outputs.map(({ name }) => row[name]!));
      return seen.size < seen.add(id).size;
    });
  }

  sort(keys: readonly Order[], scopes: readonly Scope[]): readonly Scope[] {
    const entries = scopes.map((scope) => ({
      scope,
      values: keys.map(({ expr }) => this.expr(expr, scope)),
    }));
    entries.sort((left, right) => {
      for (const [index, key] of keys.entries()) {
        const difference = this.compare(key, left.values[index]!, right.values[index]!);
        if (difference !== 0) return difference;
      }
      return 0;
    });
    return entries.map(({ scope }) => scope);
  }

  /** NULLs come first or last whatever the direction is, and NaN beside them. */
  compare(key: Order, left: Value, right: Value): number {
    const rank = (value: Value) => (value === null ? 2 : Number.isNaN(value) ? 1 : 0);
    const apart = rank(left) - rank(right);
    if (apart !== 0) return key.nullsFirst === true ? -apart : apart;
    if (rank(left) > 0) return 0;
    return key.descending ? -order(left, right) : order(left, right);
  }

  limitBy({ limit, by }: { limit: number; by: readonly Expr[] }, scopes: readonly Scope[]): readonly Scope[] {
    const counts = new Map<string, number>();
    return scopes.filter((scope) => {
      const id = keyOf(by.map((expr) => this.expr(expr, scope)));
      counts.set(id, (counts.get(id) ?? 0) + 1);
      return counts.get(id)! <= limit;
    });
  }

  expr(expr: Expr, scope: Scope): Value {
    switch (expr.kind) {
      case 'column': {
        const value = scope.row[expr.name];
        if (value === undefined) throw new Error(`the reference knows no column ${expr.name}`);
        return value;
      }
      case 'literal':
        return expr.value;
      case 'call':
        return this.call(
          expr,
          expr.args.map((argument) => this.expr(argument, scope)),
        );
      case 'path': {
        const document = this.expr(expr.document, scope);
        return document === null ? null : jsonText(document as string, expr.path);
      }
      case 'in':
        return this.isIn(expr, scope);
      case 'scalar':
        return this.subquery(expr.query).rows[0]?.[0] ?? null;
      case 'aggregate':
        return this.aggregate(expr, scope.group);
    }
  }

  call({ fn, args, type }: Expr & { kind: 'call' }, values: readonly Value[]): Value {
    if (fn.ownNulls !== true && values.includes(null)) return null;
    return fn.value(
      values,
      args.map((argument) => argument.type),
      type,
    );
  }

  isIn({ value, items, negated }: Expr & { kind: 'in' }, scope: Scope): Value {
    const wanted = this.expr(value, scope);
    if (wanted === null) return null;
    const members =
      'kind' in items
        ? this.subquery(items).rows.map((row) => row[0]!)
        : items.map((item) => this.expr(item, scope));
    return members.some((member) => member !== null && order(wanted, member) === 0) !== negated;
  }

  aggregate(expr: Expr & { kind: 'aggregate' }, group: readonly Row[]): Value {
    const given = group
      .filter((row) => this.keeps(expr.condition, { row, group: [] }))
      .map((row) => expr.args.map((argument) => this.expr(argument, { row, group: [] })))
      .filter((values) => !values.includes(null));
    const rows = expr.distinct
      ? [...new Map(given.map((values) => [keyOf(values), values])).values()]
      : given;
    if (rows.length === 0 && expr.type.nullable) return null;
    return expr.aggregate.value(rows, expr.type);
  }
}
