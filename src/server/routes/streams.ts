import type { Context, Middleware } from 'koa';
import { printSql, quoteName, quoteString } from '../../ast/index.ts';
import { SluiceError } from '../../base/index.ts';
import { type CatalogObject, engineName } from '../../catalog/index.ts';
import { assertSeen } from '../../engine/index.ts';
import { parseExpression } from '../../parser/index.ts';
import { isNullable, parseType, typeName } from '../../types/index.ts';
import { brandedHeader } from '../brands.ts';
import { bodyChunks, leaveBody, requestBody } from '../compression.ts';
import type { RequestState, ServerContext } from '../context.ts';
import { readParameters, requestIdentity, requestSettings } from '../parameters.ts';
import { ingestBody } from './ingest-body.ts';

/** What the structured interface tells of a stream or view. */
function record(object: CatalogObject): Record<string, unknown> {
  return {
    database: object.database,
    name: object.name,
    uuid: object.uuid,
    engine: engineName(object),
    mode: object.kind === 'stream' ? 'append' : '',
    create_query: object.createText,
    ttl: '',
    order_by_expression: '',
    partition_by_expression: '',
    columns: object.columns.map((column) => ({
      name: column.name,
      type: typeName(column.type),
      nullable: isNullable(column.type),
      default: column.defaultText ?? '',
      comment: column.comment,
    })),
  };
}

/** Gives the request its id, which answers and errors carry. */
export async function requestId(context: Context, next: () => Promise<unknown>): Promise<void> {
  context.state.requestId = requestIdentity(brandedHeader(context.req.headers, 'query-id'));
  await next();
}

function answer(context: Context, data?: unknown): void {
  context.type = 'application/json';
  const requestIdentity = { request_id: context.state.requestId as string };
  context.body = JSON.stringify(data === undefined ? requestIdentity : { ...requestIdentity, data });
}

function bad(message: string): SluiceError {
  return new SluiceError('BAD_ARGUMENTS', message);
}

interface ColumnRequest {
  readonly name: string;
  readonly type: string;
  readonly default?: string;
  readonly nullable?: boolean;
  readonly comment?: string;
}

function parseColumn(entry: unknown, index: number): ColumnRequest {
  const column = entry as Partial<ColumnRequest> | null;
  const where = `columns[${index}]`;
  if (typeof column !== 'object' || column === null)
    throw bad(`${where} must be an object with name and type`);
  if (typeof column.name !== 'string' || column.name === '') throw bad(`${where}.name must be a text`);
  if (typeof column.type !== 'string') throw bad(`${where}.type must be the name of a type`);
  if (column.default !== undefined && typeof column.default !== 'string')
    throw bad(`${where}.default must be the text of an expression`);
  if (column.comment !== undefined && typeof column.comment !== 'string')
    throw bad(`${where}.comment must be a text`);
  return column as ColumnRequest;
}

/** A column as CREATE STREAM takes it; what came as text is parsed first, so that it can only be what it should be. */
function columnText(column: ColumnRequest): string {
  const type = parseType(column.type);
  const typeText =
    column.nullable === true && !isNullable(type) ? `nullable(${typeName(type)})` : typeName(type);
  const value = column.default ? ` DEFAULT ${printSql(parseExpression(column.default))}` : '';
  const comment = column.comment ? ` COMMENT ${quoteString(column.comment)}` : '';
  return `${quoteName(column.name)} ${typeText}${value}${comment}`;
}

function qualified(database: string | undefined, name: string): string {
  return database === undefined ? quoteName(name) : `${quoteName(database)}.${quoteName(name)}`;
}

/** The limit of a request that describes a stream. */
const definitionBytesMax = 4 * 1024 * 1024;

/** What reads JSON bodies; loaded when the first one comes, since it is large and a server should start fast. */
async function jsonParser(): Promise<Middleware> {
  const { koaBody } = await import('koa-body');
  return koaBody({
    json: true,
    jsonStrict: false,
    jsonLimit: definitionBytesMax,
    multipart: false,
    urlencoded: false,
    text: false,
    onError: (thrown) => {
      if ((thrown as { type?: string }).type === 'entity.too.large')
        throw new SluiceError('TOO_MANY_BYTES', `The body has more than ${definitionBytesMax} bytes`);
      throw new SluiceError('INCORRECT_DATA', `The body is not JSON: ${thrown.message}`, { cause: thrown });
    },
  });
}

let parseJson: Promise<Middleware> | undefined;

/** Reads the JSON body of a request that describes a stream, whatever Content-Type it comes under. */
export const definitionBody: Middleware = async (context, next) => {
  context.req.headers['content-type'] = 'application/json';
  parseJson ??= jsonParser();
  return (await parseJson)(context, next);
};

/** The CREATE STREAM that a request body describes; the path may name the database. */
function createText(body: unknown, database: string | undefined): string {
  const parsed = body as { name?: unknown; columns?: unknown; database?: unknown } | null | undefined;
  if (typeof parsed !== 'object' || parsed === null)
    throw bad('The body must be an object with name and columns');
  const { name, columns } = parsed;
  if (typeof name !== 'string' || name === '') throw bad("'name' must be the name of the new stream");
  if (!Array.isArray(columns) || columns.length === 0)
    throw bad("'columns' must be a list of objects with name and type");
  const place = database ?? (typeof parsed.database === 'string' ? parsed.database : undefined);
  return `CREATE STREAM ${qualified(place, name)} (${columns.map(parseColumn).map(columnText).join(', ')})`;
}

export function streamRoutes(server: ServerContext) {
  const { engine } = server;
  const databaseOf = (context: Context) =>
    readParameters(context.querystring).database ||
    brandedHeader(context.req.headers, 'database') ||
    ((context.state as RequestState).user.defaultDatabase ?? undefined);
  const run = async (
    context: Context,
    text: string,
    data?: AsyncIterable<Uint8Array> | Iterable<Uint8Array> | Uint8Array,
  ) => {
    const { user, requestId: queryId } = context.state as RequestState;
    const parameters = readParameters(context.querystring);
    const result = await engine.execute(text, {
      user,
      database: databaseOf(context) ?? 'default',
      queryId,
      settings: requestSettings(user, context.req.headers, parameters),
      ...(data === undefined ? {} : { data }),
    });
    result.close();
  };
  return {
    list: (context: Context) => {
      const database = databaseOf(context);
      if (database !== undefined) engine.catalog.assertDatabase(database);
      const { grants } = (context.state as RequestState).user;
      const seen = engine.catalog
        .objects(database)
        .filter((object) => grants.sees({ database: object.database, table: object.name }));
      answer(context, seen.map(record));
    },

    details: (context: Context, database: string | undefined, name: string) => {
      const object = engine.catalog.find(database ?? databaseOf(context) ?? 'default', name);
      if (object.kind === 'system_table') throw bad(`system.${name} is a system table, not a stream`);
      assertSeen((context.state as RequestState).user, object.database, object.name);
      answer(context, record(object));
    },

    create: async (context: Context, database: string | undefined) => {
      await run(context, createText((context.request as { body?: unknown }).body, database));
      answer(context);
    },

    drop: async (context: Context, database: string | undefined, name: string) => {
      await run(context, `DROP STREAM ${qualified(database, name)}`);
      answer(context);
    },

    ingest: async (context: Context, database: string | undefined, name: string) => {
      const target = qualified(database, name);
      const chunks = bodyChunks(requestBody(context.req));
      try {
        const { columns, data } = await ingestBody(chunks);
        const rows =
          columns === null
            ? `INSERT INTO ${target} FORMAT JSONEachRow`
            : `INSERT INTO ${target} (${columns.map(quoteName).join(', ')}) FORMAT JSONCompactEachRow`;
        await run(context, rows, data);
      } finally {
        await leaveBody(context, chunks);
      }
      answer(context);
    },
  };
}
