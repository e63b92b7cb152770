import { type BoundExpr, type BoundLambda, type LogicalPlan, planInputs } from '../plan/index.ts';
import { fromByteString } from '../types/index.ts';
import { type PhysicalPlan, pipelinesOf } from './physical.ts';

/** An expression as people read it, close to SQL. */
export function describeExpr(expr: BoundExpr | BoundLambda): string {
  switch (expr.kind) {
    case 'column':
      return expr.column.name;
    case 'literal':
      return typeof expr.value === 'string'
        ? `'${fromByteString(expr.value)}'`
        : JSON.stringify(expr.value, (_, value) => (typeof value === 'bigint' ? String(value) : value));
    case 'parameter':
      return `$${expr.index}`;
    case 'lambda':
      return `(${expr.parameters.map((column) => column.name).join(', ')}) -> ${describeExpr(expr.body)}`;
    case 'call':
      return `${expr.definition.name}(${expr.args.map(describeExpr).join(', ')})`;
    case 'json_path':
      return `${describeExpr(expr.base)}:${expr.path
        .map((step) => (typeof step === 'number' ? `[${step}]` : fromByteString(step)))
        .join('.')
        .replaceAll('.[', '[')}`;
    case 'in_set':
      return `${describeExpr(expr.value)} ${expr.negated ? 'not in' : 'in'} $${expr.parameter}`;
    case 'aggregate':
      return `${expr.call.definition.name}(${expr.call.args.map(describeExpr).join(', ')})`;
  }
}

function nodeLine(plan: LogicalPlan): string {
  switch (plan.kind) {
    case 'one':
      return 'one row';
    case 'scan': {
      const { source } = plan;
      const columns = plan.columns.map((entry) => entry.column.name).join(', ');
      if (source.kind === 'stream')
        return `${source.streaming ? 'follow' : 'read'} ${source.stream.database}.${source.stream.name} (${columns})`;
      if (source.kind === 'external') {
        const { object, table } = source;
        const name = object === null ? table.type : `${object.database}.${object.name} (${table.type})`;
        return `${source.streaming ? 'follow' : 'read'} ${name} (${columns})`;
      }
      return `${source.kind === 'system' ? `system.${source.table.name}` : source.kind} (${columns})`;
    }
    case 'filter':
      return `filter ${describeExpr(plan.predicate)}`;
    case 'project':
      return `project ${plan.outputs.map((output) => `${describeExpr(output.expr)} as ${output.column.name}`).join(', ')}`;
    case 'aggregate': {
      const keys = plan.keys.map((key) => describeExpr(key.expr)).join(', ');
      const calls = plan.aggregates
        .map((output) => describeExpr({ kind: 'aggregate', call: output.call, type: output.call.type }))
        .join(', ');
      return `aggregate ${calls}${keys === '' ? '' : ` by ${keys}`}`;
    }
    case 'distinct':
      return `distinct ${plan.on.map(describeExpr).join(', ')}`;
    case 'sort':
      return `sort ${plan.keys.map((key) => `${describeExpr(key.expr)}${key.descending ? ' desc' : ''}`).join(', ')}${plan.top === null ? '' : ` top ${describeExpr(plan.top.limit)}`}`;
    case 'limit':
      return `limit ${plan.limit === null ? 'all' : describeExpr(plan.limit)}${plan.offset === null ? '' : ` offset ${describeExpr(plan.offset)}`}`;
    case 'limit_by':
      return `limit ${describeExpr(plan.limit)} by ${plan.by.map(describeExpr).join(', ')}`;
    case 'join':
      return `${plan.any ? 'any ' : ''}${plan.type} join on ${plan.leftKeys.map((key, index) => `${describeExpr(key)} = ${describeExpr(plan.rightKeys[index]!)}`).join(' and ')}`;
    case 'union':
      return 'union all';
    case 'array_join':
      return `${plan.left ? 'left ' : ''}array join ${plan.items.map((item) => describeExpr(item.expr)).join(', ')}`;
  }
}

/** The logical plan, one node a line, inputs indented below. */
export function printPlan(plan: LogicalPlan, depth = 0): string[] {
  const line = `${'  '.repeat(depth)}${nodeLine(plan)}`;
  return [line, ...planInputs(plan).flatMap((input) => printPlan(input, depth + 1))];
}

/** The pipelines of a plan that has run: their steps and, if asked for, the code that was generated for each shape. */
export function sampleModules(plan: PhysicalPlan, code: boolean): string[] {
  return pipelinesOf(plan).flatMap((pipeline, index) => {
    const { columns, operators, sink } = pipeline.description;
    const steps = [
      `(${columns.map((column) => column.name).join(', ')})`,
      ...operators.map((operator) => operator.name),
      sink.name,
    ];
    const head = `// pipeline ${index + 1}: ${steps.join(' -> ')}`;
    if (!code) return [head];
    const modules = [...pipeline.modules].flatMap(([shape, module]) => [
      `// for blocks of shape: ${shape}`,
      ...module.readable().split('\n'),
    ]);
    return [
      head,
      ...(modules.length === 0 ? ['// no block has reached it yet, so no code has been generated'] : modules),
    ];
  });
}
