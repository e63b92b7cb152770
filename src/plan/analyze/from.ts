import type {
  Expr,
  JoinTable,
  NamedTable,
  TableExpr,
  TableFunction,
  TableSubquery,
} from '../../ast/index.ts';
import { maybeYouMeant, SluiceError } from '../../base/index.ts';
import {
  type CatalogObject,
  type ExternalObject,
  type ExternalTable,
  type StreamObject,
  type SystemTable,
  sequenceColumn,
} from '../../catalog/index.ts';
import { nullable, toByteString, types } from '../../types/index.ts';
import type { Column } from '../bound.ts';
import type { PlanContext, TableArgument } from '../context.ts';
import { type LogicalPlan, outputColumns, type ScanColumn } from '../logical.ts';
import { Binder } from './binder.ts';
import { joinConditions } from './join.ts';
import { planNumbers, planSeries, planValues } from './made-rows.ts';
import { planQuery } from './query.ts';
import { type FromResult, Scope, type WithScope } from './scope.ts';

/** Whether stream names stand for what is stored, as inside `table(...)`. */
interface FromOptions {
  readonly stored: boolean;
}

export function planFrom(context: PlanContext, from: TableExpr | null, scope: WithScope | null): FromResult {
  if (from === null) return { plan: { kind: 'one' }, tables: [] };
  return planTable(context, from, scope, { stored: context.settings.query_mode === 'table' });
}

function planTable(
  context: PlanContext,
  from: TableExpr,
  scope: WithScope | null,
  options: FromOptions,
): FromResult {
  switch (from.kind) {
    case 'table':
      return planNamed(context, from, scope, options);
    case 'table_function':
      return planFunction(context, from, scope);
    case 'table_subquery':
      return planSubquery(context, from, scope);
    case 'join':
      return planJoin(context, from, scope, options);
  }
}

function refuseModifiers(from: NamedTable | TableFunction): void {
  if (from.kind === 'table_function' && from.settings.length > 0)
    throw new SluiceError('NOT_IMPLEMENTED', `SETTINGS inside ${from.name}(...) are not supported`);
  if (from.final) throw new SluiceError('NOT_IMPLEMENTED', 'FINAL is not supported');
  if (from.sample !== null) throw new SluiceError('NOT_IMPLEMENTED', 'SAMPLE is not supported');
}

function findCte(name: string, scope: WithScope | null) {
  for (let level = scope; level !== null; level = level.parent) {
    const cte = level.queries.get(name);
    if (cte !== undefined) return cte;
  }
  return undefined;
}

function planNamed(
  context: PlanContext,
  from: NamedTable,
  scope: WithScope | null,
  options: FromOptions,
): FromResult {
  refuseModifiers(from);
  const cte = from.database === null ? findCte(from.name, scope) : undefined;
  if (cte !== undefined) {
    const plan = planQuery(context, cte.query, cte.scope);
    return derived(context, plan, from.alias ?? from.name, cte.columns);
  }
  const object = context.catalog.findTable(from.database, from.name);
  return planObject(context, object, from.alias, !options.stored);
}

function planObject(
  context: PlanContext,
  object: CatalogObject | SystemTable,
  alias: string | null,
  streaming: boolean,
): FromResult {
  switch (object.kind) {
    case 'stream':
      return scanStream(context, object, alias, streaming);
    case 'external': {
      const { database, name } = object;
      return scanExternal(context, object.external, { alias, database, name, object, streaming });
    }
    case 'system_table': {
      const columns = object.columns.map((column, source) => ({
        column: context.nextColumn(column.name, column.type),
        source,
      }));
      return {
        plan: { kind: 'scan', source: { kind: 'system', table: object }, columns },
        tables: [
          {
            alias,
            database: 'system',
            name: object.name,
            columns: columns.map((entry) => entry.column),
            hidden: [],
          },
        ],
      };
    }
    case 'view': {
      const settings = streaming ? context.settings : { ...context.settings, query_mode: 'table' };
      // Names in the view's query mean what they meant where it was made.
      const catalog = {
        findTable: (database: string | null, name: string, implied?: boolean) =>
          context.catalog.findTable(database ?? object.queryDatabase, name, implied),
      };
      const query = planQuery({ ...context, settings, catalog }, context.parseQuery(object.queryText), null);
      const result = derived(context, query, alias, []);
      return {
        plan: result.plan,
        tables: [{ ...result.tables[0]!, database: object.database, name: object.name }],
      };
    }
    case 'materialized_view': {
      const target = context.catalog.findTable(object.target.database, object.target.name, true);
      const result = planObject(context, target, alias, streaming);
      return {
        plan: result.plan,
        tables: [{ ...result.tables[0]!, database: object.database, name: object.name }],
      };
    }
  }
}

function scanStream(
  context: PlanContext,
  stream: StreamObject,
  alias: string | null,
  streaming: boolean,
): FromResult {
  const columns: ScanColumn[] = stream.columns.map((definition, source) => ({
    column: context.nextColumn(definition.name, definition.type),
    source,
  }));
  const sequence = context.nextColumn(sequenceColumn, types.int64);
  const plan: LogicalPlan = {
    kind: 'scan',
    source: { kind: 'stream', stream, streaming },
    columns: [...columns, { column: sequence, source: stream.columns.length }],
  };
  const { database, name } = stream;
  return {
    plan,
    tables: [{ alias, database, name, columns: columns.map((entry) => entry.column), hidden: [sequence] }],
  };
}

function scanExternal(
  context: PlanContext,
  table: ExternalTable,
  seen: {
    readonly alias: string | null;
    readonly database: string | null;
    readonly name: string | null;
    readonly object: ExternalObject | null;
    readonly streaming: boolean;
  },
): FromResult {
  const { alias, database, name, object } = seen;
  const own = table.columns.map((column) => context.nextColumn(column.name, column.type));
  const hidden = table.virtualColumns.map((column) => context.nextColumn(column.name, column.type));
  return {
    plan: {
      kind: 'scan',
      source: { kind: 'external', table, object, streaming: seen.streaming && table.endless },
      columns: [...own, ...hidden].map((column, source) => ({ column, source })),
    },
    tables: [{ alias, database, name, columns: own, hidden }],
  };
}

/** A table made of a query's output. */
function derived(
  context: PlanContext,
  plan: LogicalPlan,
  alias: string | null,
  names: readonly string[],
): FromResult {
  const columns = outputColumns(plan);
  if (names.length > 0 && names.length !== columns.length) {
    throw new SluiceError(
      'INCORRECT_NUMBER_OF_COLUMNS',
      `${names.length} column names are given for ${columns.length} columns`,
    );
  }
  if (names.length === 0)
    return { plan, tables: [{ alias, database: null, name: null, columns, hidden: [] }] };
  const outputs = columns.map((column, index) => ({
    column: context.nextColumn(names[index]!, column.type),
    expr: { kind: 'column' as const, column, type: column.type },
  }));
  const renamed = outputs.map((output) => output.column);
  return {
    plan: { kind: 'project', input: plan, outputs },
    tables: [{ alias, database: null, name: null, columns: renamed, hidden: [] }],
  };
}

function planSubquery(context: PlanContext, from: TableSubquery, scope: WithScope | null): FromResult {
  return derived(context, planQuery(context, from.query, scope), from.alias, from.columnAliases);
}

const tableFunctions = ['table', 'numbers', 'zeros', 'values', 'generate_series', 'one'];

function planFunction(context: PlanContext, from: TableFunction, scope: WithScope | null): FromResult {
  refuseModifiers(from);
  const name = from.name.toLowerCase();
  const args = () => {
    const binder = new Binder(context, new Scope([], scope));
    return from.args.map((argument) => binder.bind(argument));
  };
  switch (name) {
    case 'table':
      return planStored(context, from, scope);
    case 'numbers':
    case 'numbers_mt':
    case 'zeros':
    case 'zeros_mt':
      return planNumbers(context, name.startsWith('zeros') ? 'zero' : 'number', args(), from.alias);
    case 'generate_series':
    case 'generateseries':
      return planSeries(context, args(), from.alias);
    case 'values':
      return planValues(context, args(), from.alias);
    case 'tumble':
    case 'hop':
    case 'session':
    case 'dedup':
    case 'changelog':
      throw new SluiceError('NOT_IMPLEMENTED', `The table function ${name}(...) is not supported`);
    default:
      return planOutside(context, from, name, scope);
  }
}

/** The values of arguments of a table function outside; a bare word, such as the name of a format, is a string. */
export function tableArguments(
  context: PlanContext,
  args: readonly Expr[],
  scope: WithScope | null,
): TableArgument[] {
  const binder = new Binder(context, new Scope([], scope));
  return args.map((argument) => {
    if (argument.kind === 'column' && argument.parts.length === 1)
      return { value: toByteString(argument.parts[0]!), type: types.string };
    const bound = binder.bind(argument);
    return { value: context.evaluate(bound), type: bound.type };
  });
}

/** A table function whose rows come from outside. */
function planOutside(
  context: PlanContext,
  from: TableFunction,
  name: string,
  scope: WithScope | null,
): FromResult {
  const { tableFunctions: outside } = context;
  if (!outside.names.includes(name)) {
    const hint = maybeYouMeant(name, [...tableFunctions, ...outside.names]);
    throw new SluiceError('UNKNOWN_FUNCTION', `Unknown table function '${from.name}'${hint}`);
  }
  const values = tableArguments(context, from.args, scope);
  const table = outside.call(name, values);
  const seen = { alias: from.alias, database: null, name: null, object: null, streaming: false };
  return scanExternal(context, table, seen);
}

/** `table(s)`, `table(db.s)` and `table((SELECT ...))`. */
function planStored(context: PlanContext, from: TableFunction, scope: WithScope | null): FromResult {
  const [argument] = from.args;
  const stored = { ...context, settings: { ...context.settings, query_mode: 'table' } };
  if (argument?.kind === 'subquery' && from.args.length === 1) {
    return derived(context, planQuery(stored, argument.query, scope), from.alias, []);
  }
  if (argument?.kind !== 'column' || from.args.length !== 1 || argument.parts.length > 2) {
    throw new SluiceError(
      'BAD_ARGUMENTS',
      'table(...) takes the name of a stream without quotes, such as table(events)',
    );
  }
  const [first, second] = argument.parts;
  const database = second === undefined ? null : first!;
  const named: NamedTable = {
    kind: 'table',
    database,
    name: second ?? first!,
    alias: from.alias,
    final: false,
    sample: null,
    pos: from.pos,
  };
  return planNamed(stored, named, scope, { stored: true });
}

function planJoin(
  context: PlanContext,
  from: JoinTable,
  scope: WithScope | null,
  options: FromOptions,
): FromResult {
  const type = from.type === 'comma' ? 'cross' : from.type;
  if (type !== 'inner' && type !== 'left' && type !== 'cross') {
    throw new SluiceError('NOT_IMPLEMENTED', `${from.type.toUpperCase()} JOIN is not supported`);
  }
  if (from.strictness !== null && from.strictness !== 'all' && from.strictness !== 'any') {
    throw new SluiceError('NOT_IMPLEMENTED', `${from.strictness.toUpperCase()} JOIN is not supported`);
  }
  const left = planTable(context, from.left, scope, options);
  const right = planTable(context, from.right, scope, options);
  const nullsOutside = type === 'left' && context.settings.join_use_nulls;
  const seen = new Map<Column, Column>();
  const rightOutputs = outputColumns(right.plan).map((source) => {
    const column = context.nextColumn(source.name, nullsOutside ? nullable(source.type) : source.type);
    seen.set(source, column);
    return { column, source };
  });
  const visible = right.tables.map((table) => ({
    ...table,
    columns: table.columns.map((column) => seen.get(column) ?? column),
    hidden: table.hidden.map((column) => seen.get(column) ?? column),
  }));
  const keys = joinConditions(context, from, left, right, scope);
  const merged =
    from.using === null
      ? visible
      : visible.map((table) => ({
          ...table,
          columns: table.columns.filter((column) => !from.using!.includes(column.name)),
        }));
  const plan: LogicalPlan = {
    kind: 'join',
    type,
    any: from.strictness === 'any',
    left: left.plan,
    right: keys.right,
    leftKeys: keys.leftKeys,
    rightKeys: keys.rightKeys,
    rightOutputs,
  };
  if (keys.residual.length === 0) return { plan, tables: [...left.tables, ...merged] };
  if (type === 'left')
    throw new SluiceError(
      'INVALID_JOIN_ON_EXPRESSION',
      'A LEFT JOIN condition on the left side or on both sides must be an equality',
    );
  const joined = new Binder(context, new Scope([...left.tables, ...visible], scope));
  const predicates = keys.residual.map((condition: Expr) => joined.bindRow(condition, 'JOIN ON'));
  const predicate = predicates.length === 1 ? predicates[0]! : joined.call('and', predicates);
  return { plan: { kind: 'filter', input: plan, predicate }, tables: [...left.tables, ...merged] };
}
