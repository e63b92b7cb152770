import type {
  DescribeStatement,
  ExistsStatement,
  ObjectName,
  ShowCreate,
  ShowStatement,
} from '../../ast/index.ts';
import { allColumns, selectFrom } from '../../ast/index.ts';
import { SluiceError, settingDefinitions } from '../../base/index.ts';
import { formatNames } from '../../formats/index.ts';
import { functions } from '../../functions/index.ts';
import { ilikeMatcher, likeMatcher } from '../../runtime/index.ts';
import { toByteString, typeName, types } from '../../types/index.ts';
import type { Engine } from '../engine.ts';
import { withAssignments } from '../planner.ts';
import type { Request } from '../request.ts';
import type { Outcome } from '../result.ts';
import { assertSeen, viewerOf } from '../rights.ts';
import { rowsOutcome, textColumns, textRows } from '../rows-outcome.ts';
import { withoutSecrets } from '../secrets.ts';
import { compileQuery } from '../select.ts';
import { showCreateUser, showGrants } from './users.ts';

function likeTest(statement: ShowStatement): (name: string) => boolean {
  const { like } = statement;
  if (like === null) return () => true;
  const matches = (like.caseInsensitive ? ilikeMatcher : likeMatcher)(toByteString(like.pattern));
  return (name) => matches(toByteString(name)) !== like.negated;
}

function listedNames(engine: Engine, request: Request, statement: ShowStatement): readonly string[] {
  const database = statement.from?.name ?? request.database;
  const { grants } = request.user;
  const named = (kinds: readonly string[]) =>
    engine.catalog
      .objects(database)
      .filter((object) => kinds.includes(object.kind) && grants.sees({ database, table: object.name }))
      .map((object) => object.name);
  switch (statement.list) {
    case 'databases':
      return engine.catalog.databases.filter(
        (name) => name === 'system' || grants.sees({ database: name, table: null }),
      );
    case 'streams':
    case 'tables':
      if (database === 'system') return engine.catalog.systemTables.map((table) => table.name).sort();
      return named(['stream', 'external', 'view', 'materialized_view']);
    case 'views':
      return named(['view', 'materialized_view']);
    case 'materialized_views':
      return named(['materialized_view']);
    case 'functions':
    case 'aggregate_functions':
      return functions.definitions
        .filter((each) => statement.list === 'functions' || each.kind === 'aggregate')
        .map((each) => each.name)
        .sort();
    case 'format_schemas':
      return engine.formatSchemas.stored.map((schema) => schema.name);
    case 'formats':
      return formatNames().map((format) => format.name);
    case 'users':
      return grants.allows('ALTER USER', { database: null, table: null })
        ? engine.users.list.map((user) => user.name)
        : [request.user.name];
    default:
      throw new SluiceError(
        'NOT_IMPLEMENTED',
        `SHOW ${statement.list.replaceAll('_', ' ').toUpperCase()} is not supported`,
      );
  }
}

export function show(engine: Engine, request: Request, statement: ShowStatement): Outcome {
  if (statement.where !== null)
    throw new SluiceError(
      'NOT_IMPLEMENTED',
      'SHOW ... WHERE is not supported: query the system tables instead',
    );
  if (statement.full)
    throw new SluiceError('NOT_IMPLEMENTED', 'SHOW FULL is not supported: query the system tables instead');
  const settings = withAssignments(request.settings, statement.output.settings);
  const matches = likeTest(statement);
  if (statement.list === 'settings') {
    const rows = Object.entries(settingDefinitions)
      .filter(
        ([name, definition]) =>
          matches(name) &&
          (!statement.changed ||
            request.settings[name as keyof typeof settingDefinitions] !== definition.default),
      )
      .map(([name, definition]) => [
        name,
        definition.kind,
        String(request.settings[name as keyof typeof settingDefinitions]),
      ]);
    return rowsOutcome(textColumns('name', 'type', 'value'), textRows(rows), statement.output, settings);
  }
  if (statement.list === 'grants') return showGrants(engine, request, statement);
  if (statement.list === 'processlist') {
    const { seesProcesses, name } = viewerOf(request.user);
    const list = engine.processes.list.filter((process) => seesProcesses || process.user === name);
    const rows = list.map((process) => [process.queryId, process.user, withoutSecrets(process.text)]);
    return rowsOutcome(textColumns('query_id', 'user', 'query'), textRows(rows), statement.output, settings);
  }
  if (statement.list === 'columns') return describeNamed(engine, request, statement);
  const limit =
    statement.limit?.kind === 'literal' ? Number(statement.limit.value) : Number.POSITIVE_INFINITY;
  const names = listedNames(engine, request, statement).filter(matches).slice(0, limit);
  return rowsOutcome(textColumns('name'), textRows(names.map((name) => [name])), statement.output, settings);
}

/** The object of that name, as far as the user may know of it. */
function seen(engine: Engine, request: Request, name: Pick<ObjectName, 'database' | 'name'>) {
  const database = name.database ?? request.database;
  const object = engine.catalog.find(database, name.name);
  assertSeen(request.user, database, name.name);
  return object;
}

function describeNamed(engine: Engine, request: Request, statement: ShowStatement): Outcome {
  if (statement.from === null)
    throw new SluiceError('BAD_ARGUMENTS', 'SHOW COLUMNS needs FROM and the name of a stream');
  const object = seen(engine, request, statement.from);
  const matches = likeTest(statement);
  const rows = object.columns
    .filter((column) => matches(column.name))
    .map((column) => [column.name, typeName(column.type)]);
  return rowsOutcome(textColumns('name', 'type'), textRows(rows), statement.output, request.settings);
}

export function showCreate(engine: Engine, request: Request, statement: ShowCreate): Outcome {
  if (statement.object === 'format_schema') {
    const text = engine.formatSchemas.createText(statement.name.name);
    return rowsOutcome(textColumns('statement'), textRows([[text]]), statement.output, request.settings);
  }
  if (statement.object === 'database') {
    engine.catalog.assertDatabase(statement.name.name);
    return rowsOutcome(
      textColumns('statement'),
      textRows([[`CREATE DATABASE ${statement.name.name}`]]),
      statement.output,
      request.settings,
    );
  }
  if (statement.object === 'user') return showCreateUser(engine, request, statement);
  const object = seen(engine, request, statement.name);
  if (object.kind === 'system_table')
    throw new SluiceError(
      'BAD_ARGUMENTS',
      `system.${object.name} is a system table: it has no CREATE statement`,
    );
  return rowsOutcome(
    textColumns('statement'),
    textRows([[object.createText]]),
    statement.output,
    request.settings,
  );
}

/** The columns of whatever can stand in FROM: name, type, default_type, default_expression, comment. */
export function describe(engine: Engine, request: Request, statement: DescribeStatement): Outcome {
  const columns = textColumns('name', 'type', 'default_type', 'default_expression', 'comment');
  const { target } = statement;
  let rows: string[][];
  if (target.kind === 'table') {
    const object = seen(engine, request, target);
    rows = object.columns.map((column) => {
      const text = 'defaultText' in column ? (column.defaultText as string | null) : null;
      const comment = 'comment' in column ? String(column.comment) : '';
      return [column.name, typeName(column.type), text === null ? '' : 'DEFAULT', text ?? '', comment];
    });
  } else {
    const query = selectFrom([allColumns(statement.pos)], target, statement.pos);
    rows = compileQuery(engine, request, query, request.settings).prepared.columns.map((column) => [
      column.name,
      typeName(column.type),
      '',
      '',
      '',
    ]);
  }
  return rowsOutcome(
    columns,
    textRows(rows),
    statement.output,
    withAssignments(request.settings, statement.output.settings),
  );
}

export function existsStatement(engine: Engine, request: Request, statement: ExistsStatement): Outcome {
  const { name, object } = statement;
  const database = name.database ?? request.database;
  const exists =
    object === 'database'
      ? engine.catalog.hasDatabase(name.name)
      : engine.catalog.hasDatabase(database) && engine.catalog.lookUp(database, name.name) !== undefined;
  return rowsOutcome(
    [{ name: 'result', type: types.bool }],
    [[exists ? 1 : 0]],
    statement.output,
    request.settings,
  );
}
