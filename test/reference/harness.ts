import type { Database } from '../../src/index.ts';
import { difference, isOrdered, showDatabase, showReference } from './compare.ts';
import { emptyTable, mainTable, sideTable, store } from './data.ts';
import type { Reference } from './evaluate.ts';
import { QueryGenerator, type Tables } from './generate.ts';
import { printQuery, type Query } from './model.ts';
import { Random } from './random.ts';

/** The first seed of random queries, and how many are run, from the environment. */
export const firstSeed = Number(process.env['SEED'] ?? 1);

export function queryCount(otherwise: number): number {
  return Number(process.env['QUERIES'] ?? otherwise);
}

export const tables: Tables = { main: mainTable(7, 240), side: sideTable(7, 30), empty: emptyTable() };

/** Stores the tables, so many rows a block. */
export async function fill(database: Database, blockRows: number): Promise<Database> {
  for (const table of [tables.main, tables.side, tables.empty]) await store(database, table, blockRows);
  return database;
}

export function randomQuery(seed: number, over = tables): Query {
  return new QueryGenerator(new Random(seed), over).query();
}

/** What a difference is shown with, so that it can be looked into: SEED=<seed> QUERIES=1 runs that query alone. */
export function report(seed: number, sql: string, what: string): string {
  return `SEED=${seed}\n${sql}\n${what}`;
}

/** The first query over which the database and an evaluator differ, of so many; null when they agree on all. */
export async function firstDifference(
  database: Database,
  reference: Reference,
  count: number,
  over = tables,
): Promise<string | null> {
  for (let seed = firstSeed; seed < firstSeed + count; seed++) {
    const query = randomQuery(seed, over);
    const sql = printQuery(query);
    const expected = showReference(reference.query(query));
    const what = difference(expected, await showDatabase(database, sql), isOrdered(query));
    if (what !== null) return report(seed, sql, what);
  }
  return null;
}
