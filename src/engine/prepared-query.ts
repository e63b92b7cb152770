import { SluiceError } from '../base/index.ts';
import type { ColumnSchema } from '../column/index.ts';
import { blockRows } from '../column/index.ts';
import { isStreaming, lower, type PhysicalPlan } from '../compile/index.ts';
import { type Execution, runPlan } from '../exec/index.ts';
import { type LogicalPlan, outputColumns, type PreparedValue } from '../plan/index.ts';
import { setKey } from '../runtime/index.ts';
import type { StreamLog } from '../storage/index.ts';
import { isRepeatable, logsOf } from './result-cache.ts';

/** A value that an execution computes before the main plan runs, ready to be run. */
type CompiledValue =
  | { readonly kind: 'literal'; readonly tokens: readonly number[]; readonly value: unknown }
  | { readonly kind: 'constant'; readonly value: unknown }
  | { readonly kind: 'scalar' | 'set'; readonly plan: PhysicalPlan; readonly width: number };

type KnownValue = Extract<CompiledValue, { kind: 'constant' | 'literal' }>;

/** Canonical values of a text's literals by their number; a plan's own where a literal is missing. */
export type LiteralValues = ReadonlyMap<number, unknown>;

const noLiterals: LiteralValues = new Map();

function knownValue(value: KnownValue, literals: LiteralValues): unknown {
  return value.kind === 'literal' ? (literals.get(value.tokens[0]!) ?? value.value) : value.value;
}

/** A query that has been compiled and can be executed any number of times. */
export interface PreparedQuery {
  readonly plan: PhysicalPlan;
  readonly logical: LogicalPlan;
  readonly columns: readonly ColumnSchema[];
  readonly streaming: boolean;
  readonly values: readonly CompiledValue[];
  /** The logs that decide the result, when nothing else does; null for a query whose result may change by itself. */
  readonly logs: readonly StreamLog[] | null;
}

function compileValue(value: PreparedValue): CompiledValue {
  if (value.kind === 'constant' || value.kind === 'literal') return value;
  const plan = lower(value.plan);
  if (isStreaming(plan)) {
    throw new SluiceError(
      'NOT_IMPLEMENTED',
      'A subquery in an expression must complete: wrap the stream in it in table(...)',
    );
  }
  return { kind: value.kind, plan, width: outputColumns(value.plan).length };
}

/** Compiles a planned query; `values` are what its analysis wants to have prepared. */
export function prepareQuery(logical: LogicalPlan, values: readonly PreparedValue[]): PreparedQuery {
  const physical = lower(logical);
  const compiled = values.map(compileValue);
  const subplans = compiled.flatMap((value) => ('plan' in value ? [value.plan] : []));
  const repeatable =
    !isStreaming(physical) &&
    isRepeatable(logical) &&
    values.every((value) => !('plan' in value) || isRepeatable(value.plan));
  return {
    plan: physical,
    logical,
    columns: outputColumns(logical).map(({ name, type }) => ({ name, type })),
    streaming: isStreaming(physical),
    values: compiled,
    logs: repeatable ? [physical, ...subplans].flatMap(logsOf) : null,
  };
}

/** Runs the subqueries of expressions, in the order of their parameters, which only look at those before them. */
export function prepareParameters(
  query: PreparedQuery,
  execution: Execution,
  literals: LiteralValues = noLiterals,
): Execution | Promise<Execution> {
  if (query.values.length === 0) return execution;
  if (query.values.every((value) => value.kind === 'constant' || value.kind === 'literal')) {
    return execution.withParameters(query.values.map((value) => knownValue(value as KnownValue, literals)));
  }
  return runSubqueries(query, execution, literals);
}

async function runSubqueries(
  query: PreparedQuery,
  execution: Execution,
  literals: LiteralValues,
): Promise<Execution> {
  const parameters: unknown[] = [];
  for (const value of query.values) {
    const inner = execution.withParameters(parameters);
    const known = value.kind === 'constant' || value.kind === 'literal';
    parameters.push(known ? knownValue(value, literals) : await subqueryValue(value, inner));
  }
  return execution.withParameters(parameters);
}

async function subqueryValue(
  value: Exclude<CompiledValue, KnownValue>,
  execution: Execution,
): Promise<unknown> {
  const source = runPlan(value.plan, execution);
  const set = new Set<unknown>();
  let single: unknown = null;
  let rows = 0;
  for (let block = await source.next(); block !== null; block = await source.next()) {
    for (const row of blockRows(block)) {
      rows++;
      const cell = value.width === 1 ? row[0] : row;
      if (value.kind === 'set') {
        if (!row.includes(null)) set.add(setKey(cell));
      } else if (rows > 1) {
        source.close();
        throw new SluiceError(
          'SCALAR_SUBQUERY_RETURNED_MORE_THAN_ONE_ROW',
          'A scalar subquery gave more than one row',
        );
      } else single = cell;
    }
  }
  return value.kind === 'set' ? set : single;
}
