import { randomUUID } from 'node:crypto';
import type { Context } from 'koa';
import { SluiceError } from '../../base/index.ts';
import type { CatalogObject } from '../../catalog/index.ts';
import { quotedName } from '../../catalog/index.ts';
import { isNullable, parseType, typeName } from '../../types/index.ts';
import { brandedHeader } from '../brands.ts';
import { bodyChunks, requestBody } from '../compression.ts';
import type { RequestState, ServerContext } from '../context.ts';
import { compactRows } from './ingest-body.ts';

/** What the structured interface tells of a stream or view. */
function record(object: CatalogObject): Record<string, unknown> {
  return {
    database: object.database,
    name: object.name,
    uuid: object.uuid,
    engine: { stream: 'Stream', view: 'View', materialized_view: 'MaterializedView' }[object.kind],
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
  context.state.requestId = brandedHeader(context.req.headers, 'query-id') ?? randomUUID();
  await next();
}

function answer(context: Context, data?: unknown): void {
  context.type = 'application/json';
  const requestIdentity = { request_id: context.state.requestId as string };
  context.body = JSON.stringify(data === undefined ? requestIdentity : { ...requestIdentity, data });
}

async function readAll(context: Context, bytesMax: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of bodyChunks(requestBody(context.req))) {
    size += chunk.length;
    if (size > bytesMax) throw new SluiceError('TOO_MANY_BYTES', `The body has more than ${bytesMax} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
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
  parseType(column.type);
  if (column.default !== undefined && typeof column.default !== 'string')
    throw bad(`${where}.default must be the text of an expression`);
  return column as ColumnRequest;
}

function columnText(column: ColumnRequest): string {
  const type =
    column.nullable === true && !isNullable(parseType(column.type))
      ? `nullable(${column.type})`
      : column.type;
  const rest = column.default === undefined || column.default === '' ? '' : ` DEFAULT ${column.default}`;
  return `${quotedName(column.name)} ${type}${rest}`;
}

/** The limit of a request that describes a stream. */
const definitionBytesMax = 4 * 1024 * 1024;

export function streamRoutes(server: ServerContext) {
  const { engine } = server;
  const run = async (
    context: Context,
    text: string,
    data?: AsyncIterable<Uint8Array> | Uint8Array,
    settings: Record<string, string> = {},
  ) => {
    const { user } = context.state as RequestState;
    const database =
      brandedHeader(context.req.headers, 'database') ??
      new URLSearchParams(context.querystring).get('database') ??
      'default';
    const result = await engine.execute(text, {
      user,
      database,
      settings: { ...user.settings, ...settings },
      ...(data === undefined ? {} : { data }),
    });
    result.close();
    return result;
  };
  return {
    list: (context: Context) => answer(context, engine.catalog.objects().map(record)),

    details: (context: Context, database: string, name: string) => {
      const object = engine.catalog.find(database, name);
      if (object.kind === 'system_table') throw bad(`system.${name} is a system table, not a stream`);
      answer(context, record(object));
    },

    create: async (context: Context, database: string | undefined) => {
      let parsed: { name?: unknown; columns?: unknown; database?: unknown } | null;
      try {
        parsed = JSON.parse((await readAll(context, definitionBytesMax)).toString('utf8'));
      } catch (thrown) {
        if (thrown instanceof SluiceError) throw thrown;
        throw new SluiceError('INCORRECT_DATA', `The body is not JSON: ${(thrown as Error).message}`);
      }
      if (typeof parsed !== 'object' || parsed === null)
        throw bad('The body must be an object with name and columns');
      const { name, columns } = parsed;
      if (typeof name !== 'string' || name === '') throw bad("'name' must be the name of the new stream");
      if (!Array.isArray(columns) || columns.length === 0)
        throw bad("'columns' must be a list of objects with name and type");
      const place = database ?? (typeof parsed.database === 'string' ? parsed.database : undefined);
      const prefix = place === undefined ? '' : `${quotedName(place)}.`;
      await run(
        context,
        `CREATE STREAM ${prefix}${quotedName(name)} (${columns.map(parseColumn).map(columnText).join(', ')})`,
      );
      answer(context);
    },

    drop: async (context: Context, database: string, name: string) => {
      await run(context, `DROP STREAM ${quotedName(database)}.${quotedName(name)}`);
      answer(context);
    },

    ingest: async (context: Context, database: string | undefined, name: string) => {
      const target = `${database === undefined ? '' : `${quotedName(database)}.`}${quotedName(name)}`;
      const key = context.req.headers['idempotency-key'];
      const settings: Record<string, string> =
        typeof key === 'string' ? { insert_deduplication_token: key } : {};
      const body = await compactRows(bodyChunks(requestBody(context.req)));
      if (body.columns === null)
        await run(context, `INSERT INTO ${target} FORMAT JSONEachRow`, body.data, settings);
      else
        await run(
          context,
          `INSERT INTO ${target} (${body.columns.map(quotedName).join(', ')}) FORMAT JSONCompactEachRow`,
          body.data,
          settings,
        );
      answer(context);
    },
  };
}
