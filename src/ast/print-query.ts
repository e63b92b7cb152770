import type {
  Cte,
  EmitClause,
  EmitPolicy,
  GroupByClause,
  JoinTable,
  OrderByClause,
  Query,
  SelectQuery,
  SetOperation,
  SettingAssignment,
  TableExpr,
  WithClause,
} from './nodes.ts';
import {
  printExpr,
  printExprs,
  printOperand,
  printOrderByItem,
  printUnaliased,
  printWindow,
} from './print-expression.ts';
import { quoteName, quotePath } from './quote.ts';

/** A query as SQL, on one line, that parses to an equal node. */
export function printQuery(query: Query): string {
  return query.kind === 'select' ? printSelect(query) : printSetOperation(query);
}

function printSetOperation(query: SetOperation): string {
  const words = [
    query.operator.toUpperCase(),
    ...(query.mode === null ? [] : [query.mode.toUpperCase()]),
  ].join(' ');
  // Parentheses keep nested operations and the clauses of a SELECT from being taken for those of the whole.
  const inputs = query.inputs.map((input) => (isBare(input) ? printSelect(input) : `(${printQuery(input)})`));
  return printWith(query.with) + inputs.join(` ${words} `);
}

/** Whether a SELECT can stand beside a set operator without parentheses. */
function isBare(input: Query): input is SelectQuery {
  return input.kind === 'select' && input.with === null;
}

function printWith(clause: WithClause | null): string {
  if (clause === null) return '';
  return `WITH ${clause.recursive ? 'RECURSIVE ' : ''}${clause.ctes.map(printCte).join(', ')} `;
}

function printCte(cte: Cte): string {
  if (cte.type === 'expr') return `${printUnaliased(cte.expr)} AS ${quoteName(cte.name)}`;
  const columns = cte.columns.length === 0 ? '' : `(${cte.columns.map(quoteName).join(', ')})`;
  return `${quoteName(cte.name)}${columns} AS (${printQuery(cte.query)})`;
}

function printSelect(query: SelectQuery): string {
  const parts = [`${printWith(query.with)}SELECT`];
  if (query.distinct) parts.push('DISTINCT');
  if (query.distinctOn.length > 0) parts.push(`ON (${printExprs(query.distinctOn)})`);
  parts.push(printExprs(query.projection));
  if (query.from !== null) parts.push(`FROM ${printTable(query.from)}`);
  for (const { left, items } of query.arrayJoins)
    parts.push(`${left ? 'LEFT ' : ''}ARRAY JOIN ${printExprs(items)}`);
  if (query.prewhere !== null) parts.push(`PREWHERE ${printExpr(query.prewhere)}`);
  if (query.where !== null) parts.push(`WHERE ${printExpr(query.where)}`);
  if (query.partitionBy.length > 0) parts.push(`PARTITION BY ${printExprs(query.partitionBy)}`);
  if (query.shuffleBy.length > 0) parts.push(`SHUFFLE BY ${printExprs(query.shuffleBy)}`);
  if (query.groupBy !== null) parts.push(printGroupBy(query.groupBy));
  if (query.having !== null) parts.push(`HAVING ${printExpr(query.having)}`);
  if (query.windows.length > 0) {
    const windows = query.windows.map(({ name, spec }) => `${quoteName(name)} AS ${printWindow(spec)}`);
    parts.push(`WINDOW ${windows.join(', ')}`);
  }
  if (query.qualify !== null) parts.push(`QUALIFY ${printExpr(query.qualify)}`);
  if (query.orderBy !== null) parts.push(printOrderBy(query.orderBy));
  parts.push(...printLimits(query));
  if (query.emit !== null) parts.push(printEmit(query.emit));
  if (query.settings.length > 0) parts.push(printSettings(query.settings));
  return parts.join(' ');
}

function printLimits(query: SelectQuery): string[] {
  const parts: string[] = [];
  if (query.limitBy !== null) {
    const { limit, offset, by } = query.limitBy;
    const skipped = offset === null ? '' : ` OFFSET ${printUnaliased(offset)}`;
    parts.push(`LIMIT ${printUnaliased(limit)}${skipped} BY ${printExprs(by)}`);
  }
  if (query.limit !== null) {
    const skipped = query.offset === null ? '' : ` OFFSET ${printUnaliased(query.offset)}`;
    parts.push(`LIMIT ${printUnaliased(query.limit)}${skipped}${query.withTies ? ' WITH TIES' : ''}`);
  } else if (query.offset !== null) {
    parts.push(`OFFSET ${printOperand(query.offset)}`);
  }
  return parts;
}

function printGroupBy(group: GroupByClause): string {
  const totals = group.totals ? ' WITH TOTALS' : '';
  if (group.all) return `GROUP BY ALL${totals}`;
  if (group.modifier === 'grouping_sets') {
    return `GROUP BY GROUPING SETS (${group.sets.map((set) => `(${printExprs(set)})`).join(', ')})${totals}`;
  }
  const keys = printExprs(group.exprs);
  if (group.modifier === null) return `GROUP BY ${keys}${totals}`;
  return `GROUP BY ${group.modifier.toUpperCase()}(${keys})${totals}`;
}

function printOrderBy(clause: OrderByClause): string {
  const { all, interpolate } = clause;
  let text = `ORDER BY ${clause.items.map(printOrderByItem).join(', ')}`;
  if (all !== null) {
    text += `ALL${all.direction === 'desc' ? ' DESC' : ''}${all.nulls === null ? '' : ` NULLS ${all.nulls.toUpperCase()}`}`;
  }
  if (interpolate === null) return text;
  if (interpolate.length === 0) return `${text} INTERPOLATE`;
  const items = interpolate.map(({ name, expr }) => {
    return expr === null ? quoteName(name) : `${quoteName(name)} AS ${printUnaliased(expr)}`;
  });
  return `${text} INTERPOLATE (${items.join(', ')})`;
}

export function printEmit(emit: EmitClause): string {
  const parts = ['EMIT'];
  if (emit.mode !== null) parts.push(emit.mode.toUpperCase());
  const policy = printPolicy(emit.policy);
  if (policy !== '') parts.push(policy);
  if (emit.delay !== null) parts.push(`WITH DELAY ${printOperand(emit.delay)}`);
  if (emit.timeout !== null)
    parts.push(`${policy === '' ? '' : 'AND '}TIMEOUT ${printOperand(emit.timeout)}`);
  return parts.join(' ');
}

function printPolicy(policy: EmitPolicy): string {
  switch (policy.type) {
    case 'default':
      return '';
    case 'after_window_close':
      return 'AFTER WINDOW CLOSE';
    case 'periodic':
      return `PERIODIC ${printOperand(policy.interval)}${policy.repeat ? ' REPEAT' : ''}`;
    case 'on_update':
      return policy.batch === null ? 'ON UPDATE' : `ON UPDATE WITH BATCH ${printOperand(policy.batch)}`;
    case 'per_event':
      return 'PER EVENT';
    case 'last':
      return `LAST ${printOperand(policy.interval)}${policy.procTime ? ' ON PROCTIME' : ''}`;
    case 'after_session_close': {
      const { identifiedBy, maxSpan, onlyMaxSpan } = policy;
      const keys = printExprs(identifiedBy);
      const by =
        identifiedBy.length === 0 ? '' : ` IDENTIFIED BY ${identifiedBy.length === 1 ? keys : `(${keys})`}`;
      const span =
        maxSpan === null ? '' : ` WITH ${onlyMaxSpan ? 'ONLY ' : ''}MAXSPAN ${printOperand(maxSpan)}`;
      return `AFTER SESSION CLOSE${by}${span}`;
    }
  }
}

/** `SETTINGS a = 1, b = 'x'`. */
export function printSettings(settings: readonly SettingAssignment[]): string {
  return `SETTINGS ${printAssignments(settings)}`;
}

export function printAssignments(settings: readonly SettingAssignment[]): string {
  return settings
    .map(({ name, value }) => `${quotePath(name.split('.'))} = ${printOperand(value)}`)
    .join(', ');
}

export function printTable(table: TableExpr): string {
  switch (table.kind) {
    case 'table':
      return (
        quotePath(table.database === null ? [table.name] : [table.database, table.name]) +
        printModifiers(table)
      );
    case 'table_function': {
      const settings = table.settings.length === 0 ? '' : ` ${printSettings(table.settings)}`;
      return `${quoteName(table.name)}(${printTableArguments(table.args)}${settings})${printModifiers(table)}`;
    }
    case 'table_subquery': {
      const columns =
        table.columnAliases.length === 0 ? '' : `(${table.columnAliases.map(quoteName).join(', ')})`;
      const alias = table.alias === null ? '' : ` AS ${quoteName(table.alias)}${columns}`;
      return `(${printQuery(table.query)})${alias}`;
    }
    case 'join':
      return printJoin(table);
  }
}

/** A range of the session window has a syntax of its own, `[a, b)`; a lone query needs no second parentheses. */
function printTableArguments(args: Extract<TableExpr, { kind: 'table_function' }>['args']): string {
  const [only] = args;
  if (args.length === 1 && only!.kind === 'subquery') return printQuery(only!.query);
  return args
    .map((arg) => {
      if (arg.kind !== 'call' || arg.name !== 'session_range' || arg.args.length !== 4) return printExpr(arg);
      const [low, high, open, close] = arg.args;
      const closed = (flag: typeof open) => flag!.kind === 'literal' && flag!.value === true;
      return `${closed(open) ? '[' : '('}${printUnaliased(low!)}, ${printUnaliased(high!)}${closed(close) ? ']' : ')'}`;
    })
    .join(', ');
}

function printModifiers(table: Extract<TableExpr, { kind: 'table' | 'table_function' }>): string {
  let text = table.alias === null ? '' : ` AS ${quoteName(table.alias)}`;
  if (table.final) text += ' FINAL';
  if (table.sample !== null) {
    const { ratio, offset } = table.sample;
    text += ` SAMPLE ${printOperand(ratio)}${offset === null ? '' : ` OFFSET ${printOperand(offset)}`}`;
  }
  return text;
}

/** Joins lean to the left; one on the right side stands in parentheses. */
function printJoin(join: JoinTable): string {
  const right = join.right.kind === 'join' ? `(${printTable(join.right)})` : printTable(join.right);
  const left = printTable(join.left);
  if (join.type === 'comma') return `${left}, ${right}`;
  const strictness = join.strictness === null ? '' : `${join.strictness.toUpperCase()} `;
  const words = `${join.global ? 'GLOBAL ' : ''}${strictness}${join.type.toUpperCase()} JOIN`;
  const using = join.using === null ? '' : ` USING (${join.using.map(quoteName).join(', ')})`;
  const on = join.on === null ? '' : ` ON ${printUnaliased(join.on)}`;
  return `${left} ${words} ${right}${on}${using}`;
}
