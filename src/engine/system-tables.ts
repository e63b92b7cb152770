import { settingDefinitions } from '../base/index.ts';
import { type CatalogObject, engineName, type SystemTable, type Viewer } from '../catalog/index.ts';
import { formatNames } from '../formats/index.ts';
import { functions } from '../functions/index.ts';
import { datetime64, nullable, type SqlType, toByteString, typeName, types } from '../types/index.ts';
import type { Engine } from './engine.ts';
import { withoutSecrets } from './secrets.ts';

type Cell = string | number | null;

/** A table whose rows are made of plain values; texts become byte strings. */
function table(
  name: string,
  doc: string,
  columns: readonly (readonly [string, SqlType])[],
  rows: (viewer?: Viewer) => Iterable<readonly Cell[]>,
): SystemTable {
  return {
    kind: 'system_table',
    name,
    doc,
    columns: columns.map(([column, type]) => ({ name: column, type })),
    *rows(viewer) {
      for (const row of rows(viewer))
        yield row.map((cell) => (typeof cell === 'string' ? toByteString(cell) : cell));
    },
  };
}

const { string, uint8, uint64, bool } = types;
const time = datetime64(3, 'UTC');

/** What an object is doing, when it does something by itself, and what went wrong last. */
function statusOf(engine: Engine, object: CatalogObject): { state: string; error: string } | undefined {
  if (object.kind === 'external') return object.external.status();
  return object.kind === 'materialized_view' ? engine.views.status(object) : undefined;
}

function* tableRows(engine: Engine, viewer?: Viewer): Iterable<readonly Cell[]> {
  for (const object of engine.catalog.objects()) {
    if (viewer?.sees(object.database, object.name) === false) continue;
    const log = object.kind === 'stream' ? object.log : null;
    const status = statusOf(engine, object);
    yield [
      object.database,
      object.name,
      object.uuid,
      engineName(object),
      object.kind === 'stream' ? 'append' : '',
      object.createText,
      log?.rows ?? null,
      log?.bytes ?? null,
      object.comment,
      status?.state ?? '',
      status?.error ?? '',
    ];
  }
  for (const system of engine.catalog.systemTables)
    yield ['system', system.name, '', 'System', '', '', null, null, system.doc, '', ''];
}

function* columnRows(engine: Engine, viewer?: Viewer): Iterable<readonly Cell[]> {
  for (const object of engine.catalog.objects()) {
    if (viewer?.sees(object.database, object.name) === false) continue;
    for (const [index, column] of object.columns.entries()) {
      yield [
        object.database,
        object.name,
        column.name,
        typeName(column.type),
        index + 1,
        column.defaultText === null ? '' : 'DEFAULT',
        column.defaultText ?? '',
        column.comment,
      ];
    }
  }
  for (const system of engine.catalog.systemTables) {
    for (const [index, column] of system.columns.entries())
      yield ['system', system.name, column.name, typeName(column.type), index + 1, '', '', ''];
  }
}

function isSeen(viewer: Viewer | undefined, user: string): boolean {
  return viewer === undefined || viewer.seesUsers || viewer.name === user;
}

function* grantRows(engine: Engine, viewer?: Viewer): Iterable<readonly Cell[]> {
  for (const user of engine.users.list) {
    if (!isSeen(viewer, user.name)) continue;
    for (const { privilege, database, table, granted, option } of user.grants.stored())
      yield [user.name, privilege, database, table, granted ? 0 : 1, option ? 1 : 0];
  }
}

/** The tables of the database `system`, over the state of an engine. */
export function systemTables(engine: Engine): SystemTable[] {
  const functionRows = () =>
    functions.definitions.map((each) => [
      each.name,
      each.kind === 'aggregate' ? 1 : 0,
      each.category,
      each.syntax,
      each.doc,
      (each.aliases ?? []).join(', '),
      each.examples.map(([text]) => text).join('; '),
    ]);
  return [
    table('one', 'A single row with a single 0.', [['dummy', uint8]], () => [[0]]),
    table(
      'tables',
      'Streams, external streams and tables, views and system tables.',
      [
        ['database', string],
        ['name', string],
        ['uuid', string],
        ['engine', string],
        ['mode', string],
        ['create_table_query', string],
        ['total_rows', nullable(uint64)],
        ['total_bytes', nullable(uint64)],
        ['comment', string],
        ['state', string],
        ['last_error', string],
      ],
      (viewer) => tableRows(engine, viewer),
    ),
    table(
      'columns',
      'Columns of streams, views and system tables.',
      [
        ['database', string],
        ['table', string],
        ['name', string],
        ['type', string],
        ['position', uint64],
        ['default_kind', string],
        ['default_expression', string],
        ['comment', string],
      ],
      (viewer) => columnRows(engine, viewer),
    ),
    table(
      'databases',
      'Databases.',
      [
        ['name', string],
        ['engine', string],
      ],
      (viewer) =>
        engine.catalog.databases
          .filter((name) => viewer?.sees(name, null) !== false)
          .map((name) => [name, 'Atomic']),
    ),
    table(
      'functions',
      'Functions that queries can call.',
      [
        ['name', string],
        ['is_aggregate', bool],
        ['category', string],
        ['syntax', string],
        ['description', string],
        ['aliases', string],
        ['examples', string],
      ],
      functionRows,
    ),
    table(
      'settings',
      'Settings, with the values a query starts from.',
      [
        ['name', string],
        ['value', string],
        ['changed', bool],
        ['description', string],
        ['type', string],
      ],
      () =>
        Object.entries(settingDefinitions).map(([name, definition]) => {
          const value = engine.defaults[name as keyof typeof settingDefinitions];
          return [name, String(value), value === definition.default ? 0 : 1, definition.doc, definition.kind];
        }),
    ),
    table(
      'formats',
      'Formats of results and of inserted data.',
      [
        ['name', string],
        ['is_input', bool],
        ['is_output', bool],
      ],
      () => formatNames().map((format) => [format.name, format.isInput ? 1 : 0, format.isOutput ? 1 : 0]),
    ),
    table(
      'format_schemas',
      'Schemas made by CREATE FORMAT SCHEMA.',
      [
        ['name', string],
        ['type', string],
        ['schema', string],
      ],
      () => engine.formatSchemas.stored.map(({ name, type, text }) => [name, type, text]),
    ),
    table(
      'query_cache',
      'Compiled queries that are kept.',
      [
        ['query', string],
        ['shape', string],
        ['hits', uint64],
        ['texts', uint64],
        ['pipelines', uint64],
        ['compiled_shapes', uint64],
      ],
      // Texts of queries may hold anything.
      (viewer) => (viewer?.seesProcesses === false ? [] : (engine.cache.rows() as Iterable<Cell[]>)),
    ),
    table(
      'processes',
      'Statements that are being run.',
      [
        ['query_id', string],
        ['user', string],
        ['current_database', string],
        ['query', string],
        ['started_at', time],
        ['elapsed', types.float64],
        ['read_rows', uint64],
        ['read_bytes', uint64],
        ['written_rows', uint64],
      ],
      (viewer) =>
        engine.processes.list
          .filter(({ user }) => viewer === undefined || viewer.seesProcesses || viewer.name === user)
          .map((process) => [
            process.queryId,
            process.user,
            process.database,
            withoutSecrets(process.text),
            process.startedAt,
            (engine.clock.now() - process.startedAt) / 1000,
            process.progress.readRows,
            process.progress.readBytes,
            process.progress.writtenRows,
          ]),
    ),
    table(
      'users',
      'Users who may log in.',
      [
        ['name', string],
        ['storage', string],
        ['auth_type', string],
        ['default_database', nullable(string)],
      ],
      (viewer) =>
        engine.users.list
          .filter((user) => isSeen(viewer, user.name))
          .map(({ name, origin, secret, defaultDatabase }) => [
            name,
            origin,
            secret.kind === 'none' ? 'no_password' : 'scrypt',
            defaultDatabase,
          ]),
    ),
    table(
      'grants',
      'Rights of users; a partial revoke takes back a part of a wider grant.',
      [
        ['user_name', string],
        ['access_type', string],
        ['database', nullable(string)],
        ['table', nullable(string)],
        ['is_partial_revoke', bool],
        ['grant_option', bool],
      ],
      (viewer) => grantRows(engine, viewer),
    ),
    table('numbers', 'Whole numbers from 0; read it with a LIMIT.', [['number', uint64]], numbers),
  ];
}

function* numbers(): Iterable<readonly Cell[]> {
  for (let number = 0; ; number++) yield [number];
}
