import type { ExplainStatement, Node } from '../../ast/index.ts';
import { printSql } from '../../ast/index.ts';
import { SluiceError } from '../../base/index.ts';
import { printPlan, sampleModules } from '../../compile/index.ts';
import { types } from '../../types/index.ts';
import type { Engine } from '../engine.ts';
import { querySettings } from '../planner.ts';
import type { Request } from '../request.ts';
import type { Outcome } from '../result.ts';
import { rowsOutcome, textRows } from '../rows-outcome.ts';
import { compileQuery, runPrepared } from '../select.ts';

/** A syntax tree, one node a line; lists and texts that are empty are left out. */
function* treeLines(value: unknown, label: string, depth: number): Iterable<string> {
  const indent = '  '.repeat(depth);
  if (
    value === null ||
    value === undefined ||
    value === false ||
    (Array.isArray(value) && value.length === 0)
  )
    return;
  if (Array.isArray(value)) {
    yield `${indent}${label}:`;
    for (const item of value) yield* treeLines(item, '-', depth + 1);
    return;
  }
  if (typeof value !== 'object') {
    yield `${indent}${label}: ${typeof value === 'string' ? JSON.stringify(value) : String(value)}`;
    return;
  }
  const { kind, pos: _, ...rest } = value as Record<string, unknown>;
  yield `${indent}${label === '-' ? '- ' : `${label}: `}${kind === undefined ? '' : String(kind)}`;
  for (const [name, inner] of Object.entries(rest)) yield* treeLines(inner, name, depth + 1);
}

async function explained(engine: Engine, request: Request, statement: ExplainStatement): Promise<string[]> {
  const [setting] = statement.settings;
  if (setting !== undefined)
    throw new SluiceError('NOT_IMPLEMENTED', `The setting '${setting.name}' of EXPLAIN is not supported`);
  const inner = statement.statement;
  if (statement.mode === 'ast')
    return [...treeLines(inner as Node, inner.kind, 0)].map((line, index) =>
      index === 0 ? inner.kind : line,
    );
  if (statement.mode === 'syntax') return printSql(inner).split('\n');
  if (inner.kind !== 'query')
    throw new SluiceError(
      'NOT_IMPLEMENTED',
      `EXPLAIN ${statement.mode.toUpperCase()} of a ${inner.kind.replaceAll('_', ' ')} is not supported: give it a SELECT`,
    );
  const settings = querySettings(request.settings, inner.query, inner.output.settings);
  const { prepared } = compileQuery(engine, request, inner.query, settings);
  if (statement.mode === 'plan' || statement.mode === 'query_tree') return printPlan(prepared.logical);
  if (statement.mode === 'compiled' || statement.mode === 'pipeline') {
    // The code depends on the shapes of the blocks, so the first blocks of the query's data are taken through.
    const completing = prepared.streaming
      ? compileQuery(engine, { ...request }, inner.query, { ...settings, query_mode: 'table' }).prepared
      : prepared;
    const { source } = await runPrepared(engine, request, completing, inner.query, {
      ...settings,
      query_mode: 'table',
    });
    try {
      await source.next();
    } finally {
      source.close();
    }
    return sampleModules(completing.plan, statement.mode === 'compiled');
  }
  throw new SluiceError('NOT_IMPLEMENTED', `EXPLAIN ${statement.mode.toUpperCase()} is not supported`);
}

export async function explain(
  engine: Engine,
  request: Request,
  statement: ExplainStatement,
): Promise<Outcome> {
  const lines = await explained(engine, request, statement);
  return rowsOutcome(
    [{ name: 'explain', type: types.string }],
    textRows(lines.map((line) => [line])),
    statement.output,
    request.settings,
  );
}
