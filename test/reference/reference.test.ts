import test from 'ava';
import type { Database } from '../../src/index.ts';
import { openTemporary } from '../support/temporary-database.ts';
import { difference, showDatabase, showReference } from './compare.ts';
import { withConstants } from './constants.ts';
import { mainTable, store } from './data.ts';
import { Reference } from './evaluate.ts';
import type { Tables } from './generate.ts';
import { ExpressionGenerator } from './generate-expression.ts';
import { fill, firstDifference, firstSeed, queryCount, report, tables } from './harness.ts';
import {
  bareSelect,
  type Expr,
  type From,
  type Order,
  type Output,
  printQuery,
  type Row,
  type Select,
} from './model.ts';
import { Random } from './random.ts';
import type { Value } from './values.ts';

/*
 * Random queries, computed by the database and by the reference evaluator: columns, types and rows have to be equal. A
 * difference is shown with the seed of its query; SEED=<seed> QUERIES=1 runs that one alone.
 */
let database: Database;
let remove: () => Promise<void>;

test.before(async () => {
  ({ database, remove } = await openTemporary());
  await fill(database, 37);
});

test.after.always(() => remove());

test('random queries give what the reference evaluator gives', async (t) => {
  const found = await firstDifference(database, new Reference(), queryCount(400));
  t.is(found, null, found ?? '');
});

test('streams of many rows give the same, when sorters drop rows early and groups are many', async (t) => {
  const own = await openTemporary();
  t.teardown(own.remove);
  const main = mainTable(11, 9_000);
  const large: Tables = { ...tables, main };
  // From 4,096 rows a block on, keys of a small range and dictionaries are grouped in ways of their own.
  await store(own.database, main, 5_000);
  await store(own.database, tables.side, 30);
  await store(own.database, tables.empty, 1);
  const found = await firstDifference(own.database, new Reference(), queryCount(25), large);
  t.is(found, null, found ?? '');
});

test('an expression gives the same over columns, over constants and over both', async (t) => {
  const { main } = tables;
  const sources = main.columns.map(({ name, type }) => ({ name, type, rough: false }));
  const reference = new Reference();
  const count = queryCount(100);
  for (let seed = firstSeed; seed < firstSeed + count; seed++) {
    const random = new Random(seed);
    const expressions = new ExpressionGenerator(random, sources, { set: () => null, single: () => null });
    const outputs = random.list(4, (index): Output => ({ name: `x${index}`, expr: expressions.any(3) }));
    const row = random.pick(main.rows);
    for (const share of [0, 1, 2]) {
      const replaced = outputs.map(({ name, expr }): Output => {
        return {
          name,
          expr: withConstants(expr, row, (column) => share === 0 || (column.length + share) % 2 === 0),
        };
      });
      const id: Output = { name: 'id', expr: { kind: 'column', name: 'id', type: main.columns[0]!.type } };
      const from: From = { kind: 'table', table: tables.main };
      const query: Select = { ...bareSelect, from, outputs: [...replaced, id] };
      const sql = printQuery(query);
      const where = `WHERE id = ${row['id']}`;
      const one = reference.query({ ...query, from: { kind: 'table', table: { ...main, rows: [row] } } });
      const what = difference(showReference(one), await showDatabase(database, `${sql} ${where}`), true);
      t.is(what, null, report(seed, `${sql} ${where}`, what ?? ''));
      if (what !== null) return;
    }
  }
});

/** Evaluators that get one thing wrong. Were the harness blind to any of these, it would be worth little. */
const wrong: Readonly<Record<string, Reference>> = {
  'a sum that does not wrap': new (class extends Reference {
    override call(expr: Expr & { kind: 'call' }, values: readonly Value[]): Value {
      const [left, right] = values;
      if (expr.fn.name === 'plus' && typeof left === 'bigint' && typeof right === 'bigint')
        return left + right;
      return super.call(expr, values);
    }
  })(),
  'a comparison with NULL that is false': new (class extends Reference {
    override call(expr: Expr & { kind: 'call' }, values: readonly Value[]): Value {
      const compares = expr.type.base === 'bool' && expr.fn.ownNulls !== true;
      return compares && values.includes(null) ? false : super.call(expr, values);
    }
  })(),
  'NULLs that come first': new (class extends Reference {
    override compare(key: Order, left: Value, right: Value): number {
      return super.compare({ ...key, nullsFirst: key.nullsFirst ?? true }, left, right);
    }
  })(),
  'rows kept for which a condition is NULL': new (class extends Reference {
    override keeps(condition: Expr | null, scope: { row: Row; group: readonly Row[] }): boolean {
      return condition === null || this.expr(condition, scope) !== false;
    }
  })(),
  'a left join that leaves out rows': new (class extends Reference {
    override joined(from: From & { kind: 'join' }, left: Row): readonly Row[] {
      return super.joined({ ...from, join: from.join === 'left' ? 'inner' : from.join }, left);
    }
  })(),
  'an aggregation of no rows that gives none': new (class extends Reference {
    override groups(keys: readonly Output[], rows: readonly Row[]) {
      return rows.length === 0 ? [] : super.groups(keys, rows);
    }
  })(),
  'duplicates left by DISTINCT': new (class extends Reference {
    override distinct<Item>(_: readonly Output[], scopes: readonly Item[]): readonly Item[] {
      return scopes;
    }
  })(),
};

for (const [fault, reference] of Object.entries(wrong)) {
  test(`the comparison notices ${fault}`, async (t) => {
    t.not(await firstDifference(database, reference, Math.max(queryCount(400), 400)), null);
  });
}
