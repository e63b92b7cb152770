import { SluiceError, settingsFrom, VirtualClock } from '../../src/base/index.ts';
import { blockRows } from '../../src/column/index.ts';
import { constantValue, lower } from '../../src/compile/index.ts';
import { Execution, runPlan } from '../../src/exec/index.ts';
import type { QueryContext } from '../../src/functions/index.ts';
import { parseQuery, parseStatement } from '../../src/parser/index.ts';
import { optimize, outputColumns, type PlanContext, planQuery } from '../../src/plan/index.ts';
import { formatText, type SqlType } from '../../src/types/index.ts';

const settings = settingsFrom([]);

/** The moment at which every query of these tests runs: 2026-01-01 00:00:00 UTC. */
const clock = new VirtualClock();

const queryContext: QueryContext = {
  clock,
  now: clock.now(),
  queryId: '00000000-0000-4000-8000-000000000000',
  user: 'default',
  database: 'default',
  settings,
  version: '0.0.0',
  uptime: 12_345,
};

export interface Evaluated {
  readonly types: readonly SqlType[];
  readonly rows: readonly (readonly unknown[])[];
}

/** Runs a SELECT that needs no stream, through parser, planner, compiler and executor. */
export async function runSelect(sql: string): Promise<Evaluated> {
  const statement = parseStatement(sql);
  if (statement.kind !== 'query') throw new Error(`no query: ${sql}`);
  let columns = 0;
  const context: PlanContext = {
    settings,
    catalog: {
      findTable(): never {
        throw new SluiceError('UNKNOWN_TABLE', 'There are no tables here');
      },
    },
    tableFunctions: {
      names: [],
      call(): never {
        throw new SluiceError('UNKNOWN_FUNCTION', 'There are no table functions here');
      },
    },
    queryParameters: new Map(),
    evaluate: (expr) => constantValue(expr, queryContext),
    parseQuery,
    parameters: [],
    literalTokens: new Map(),
    pinnedTokens: new Set(),
    nextColumn: (name, type) => ({ id: columns++, name, type }),
  };
  const plan = optimize(planQuery(context, statement.query, null));
  const execution = new Execution(
    queryContext,
    context.parameters.map((parameter) => ('value' in parameter ? parameter.value : null)),
    new AbortController().signal,
  );
  const source = runPlan(lower(plan), execution);
  const rows: unknown[][] = [];
  for (let block = await source.next(); block !== null; block = await source.next()) {
    rows.push(...(blockRows(block) as unknown[][]));
  }
  return { types: outputColumns(plan).map((column) => column.type), rows };
}

/** The text of an expression's value, NULL as `\N`. */
export async function textOf(expression: string): Promise<string> {
  const { types, rows } = await runSelect(`SELECT ${expression}`);
  const value = rows[0]?.[0];
  return value === null || value === undefined ? '\\N' : formatText(types[0]!, value);
}

/** The code of the error that evaluating an expression ends in; undefined when it does not. */
export async function errorOf(expression: string): Promise<number | undefined> {
  try {
    await textOf(expression);
    return undefined;
  } catch (thrown) {
    if (thrown instanceof SluiceError) return thrown.code;
    throw thrown;
  }
}
