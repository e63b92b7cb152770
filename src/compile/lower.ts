import { SluiceError, unreachable } from '../base/index.ts';
import {
  type Assignment,
  type BoundExpr,
  type Column,
  type LogicalPlan,
  outputColumns,
} from '../plan/index.ts';
import { aggregateSink } from './operators/aggregate-sink.ts';
import { arrayJoinOperator } from './operators/array-join.ts';
import { emitSink } from './operators/emit-sink.ts';
import { filterOperator } from './operators/filter.ts';
import { buildSink, probeOperator } from './operators/join.ts';
import { distinctOperator, limitByOperator, limitOperator } from './operators/limit.ts';
import type { Operator, Output, Sink } from './operators/operator.ts';
import { sortSink } from './operators/sort-sink.ts';
import { isStreaming, type JoinBuild, type PhysicalPlan } from './physical.ts';
import { Pipeline } from './pipeline.ts';

/** A pipeline in the making: everything since rows were last held back. */
interface Chain {
  readonly input: PhysicalPlan;
  readonly definitions: readonly Assignment[];
  readonly operators: readonly Operator[];
  readonly joins: readonly JoinBuild[];
}

function start(input: PhysicalPlan): Chain {
  return { input, definitions: [], operators: [], joins: [] };
}

function add(chain: Chain, operator: Operator): Chain {
  return { ...chain, operators: [...chain.operators, operator] };
}

function end(
  chain: Chain,
  sink: Sink,
  holds: 'aggregate' | 'sort' | null,
  columns: readonly Column[],
): PhysicalPlan {
  const { input, definitions, operators, joins } = chain;
  const pipeline = new Pipeline({ columns: input.columns, definitions, operators, sink });
  return { kind: 'pipeline', input, pipeline, joins, holds, columns };
}

function outputsOf(columns: readonly Column[]): Output[] {
  return columns.map((column) => ({ column, expr: { kind: 'column', column, type: column.type } }));
}

/** Whether a chain would only hand on what it is given. */
function isIdentity(chain: Chain, columns: readonly Column[]): boolean {
  return (
    chain.operators.length === 0 &&
    chain.input.kind !== 'scan' &&
    chain.input.kind !== 'one' &&
    columns.length === chain.input.columns.length &&
    columns.every((column, index) => chain.input.columns[index] === column)
  );
}

function materialize(plan: LogicalPlan): PhysicalPlan {
  const chain = chainOf(plan);
  const columns = outputColumns(plan);
  if (isIdentity(chain, columns)) return chain.input;
  return end(chain, emitSink(outputsOf(columns)), null, columns);
}

function joinChain(plan: LogicalPlan & { kind: 'join' }): Chain {
  const left = chainOf(plan.left);
  const input = materialize(plan.right);
  if (isStreaming(input)) {
    throw new SluiceError(
      'NOT_IMPLEMENTED',
      'A JOIN whose right side keeps running is not supported: wrap it in table(...)',
    );
  }
  const build = new Pipeline({
    columns: input.columns,
    definitions: [],
    operators: [],
    sink: buildSink(plan.rightKeys),
  });
  const outputs = plan.rightOutputs.map(({ column, source }) => ({
    column,
    source: input.columns.indexOf(source),
  }));
  const probe = probeOperator({ type: plan.type, any: plan.any, keys: plan.leftKeys, outputs });
  const types = input.columns.map(
    (column) => plan.rightOutputs.find((output) => output.source === column)?.column.type ?? column.type,
  );
  const joins = [...left.joins, { operator: left.operators.length, input, pipeline: build, types }];
  return { ...add(left, probe), joins };
}

function chainOf(plan: LogicalPlan): Chain {
  switch (plan.kind) {
    case 'one':
      return start({ kind: 'one', columns: [] });
    case 'scan':
      return start({ kind: 'scan', scan: plan, columns: plan.columns.map((entry) => entry.column) });
    case 'filter':
      return add(chainOf(plan.input), filterOperator(plan.predicate));
    case 'project': {
      const chain = chainOf(plan.input);
      return { ...chain, definitions: [...chain.definitions, ...plan.outputs] };
    }
    case 'distinct':
      return add(chainOf(plan.input), distinctOperator(plan.on));
    case 'limit':
      return add(chainOf(plan.input), limitOperator(plan.limit, plan.offset));
    case 'limit_by':
      return add(chainOf(plan.input), limitByOperator(plan.limit, plan.offset, plan.by));
    case 'array_join':
      return add(chainOf(plan.input), arrayJoinOperator(plan.items, plan.left));
    case 'join':
      return joinChain(plan);
    case 'union': {
      const inputs = plan.inputs.map(materialize);
      return start({ kind: 'union', inputs, columns: plan.columns });
    }
    case 'aggregate': {
      const columns = outputColumns(plan);
      return start(aggregated(chainOf(plan.input), plan, columns));
    }
    case 'sort': {
      const columns = outputColumns(plan.input);
      return start(
        end(chainOf(plan.input), sortSink(outputsOf(columns), plan.keys, plan.top), 'sort', columns),
      );
    }
    default:
      return unreachable(plan);
  }
}

/** The place of an expression among the chain's input columns when it is one of them; -1 otherwise. */
function inputPlace(chain: Chain, expr: BoundExpr): number {
  if (expr.kind !== 'column') return -1;
  const definition = chain.definitions.find((entry) => entry.column === expr.column);
  return definition === undefined
    ? chain.input.columns.indexOf(expr.column)
    : inputPlace(chain, definition.expr);
}

function aggregated(
  chain: Chain,
  plan: LogicalPlan & { kind: 'aggregate' },
  columns: readonly Column[],
): PhysicalPlan {
  const keyColumn = plan.keys.length === 1 && !expands(chain) ? inputPlace(chain, plan.keys[0]!.expr) : -1;
  return end(chain, aggregateSink(plan.keys, plan.aggregates, keyColumn), 'aggregate', columns);
}

/** Whether a step of the chain may bring several rows for one. */
function expands(chain: Chain): boolean {
  return chain.operators.some((operator) => operator.name === 'array_join' || operator.name === 'join_probe');
}

/** Cuts a logical plan into pipelines. */
export function lower(plan: LogicalPlan): PhysicalPlan {
  return materialize(plan);
}
