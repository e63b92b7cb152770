import { createReadStream } from 'node:fs';
import { unlink } from 'node:fs/promises';
import type { Context, Middleware } from 'koa';
import { koaBody } from 'koa-body';
import { SluiceError } from '../../base/index.ts';
import type { QueryOptions } from '../../engine/index.ts';
import { outputFormat } from '../../formats/index.ts';
import { readStatement, type StatementBody } from '../body.ts';
import { brandedHeader } from '../brands.ts';
import { bodyChunks, requestBody } from '../compression.ts';
import type { RequestState, ServerContext } from '../context.ts';
import { respond } from '../respond.ts';

/** URL parameters that are no settings. */
const ownParameters = new Set(['query', 'database', 'query_id', 'user', 'password', 'quota_key', 'role']);

interface RequestParameters {
  readonly query: string | null;
  readonly database: string | undefined;
  readonly queryId: string | undefined;
  readonly settings: Record<string, string>;
  readonly parameters: Record<string, string>;
}

const noParameters: RequestParameters = {
  query: null,
  database: undefined,
  queryId: undefined,
  settings: {},
  parameters: {},
};

/** Takes the URL apart: the statement, where it runs, values of its placeholders, and settings. */
function readParameters(querystring: string): RequestParameters {
  if (querystring === '') return noParameters;
  const settings: Record<string, string> = {};
  const parameters: Record<string, string> = {};
  const url = new URLSearchParams(querystring);
  for (const [name, value] of url) {
    if (ownParameters.has(name)) continue;
    if (name.startsWith('param_')) parameters[name.slice('param_'.length)] = value;
    else settings[name] = value;
  }
  return {
    query: url.get('query'),
    database: url.get('database') ?? undefined,
    queryId: url.get('query_id') ?? undefined,
    settings,
    parameters,
  };
}

/** A form: the field `query`, and the field or file `data`. */
async function readForm(context: Context): Promise<StatementBody & { clean: () => Promise<void> }> {
  const parse = koaBody({
    multipart: true,
    urlencoded: false,
    json: false,
    text: false,
    formidable: { maxFileSize: 1024 ** 4, allowEmptyFiles: true, minFileSize: 0, maxFieldsSize: 1024 ** 3 },
  });
  try {
    await parse(context, async () => {});
  } catch (thrown) {
    throw new SluiceError(
      'INCORRECT_DATA',
      `The multipart form cannot be read: ${(thrown as Error).message}`,
      { cause: thrown },
    );
  }
  const fields = (context.request as { body?: Record<string, unknown> }).body ?? {};
  const files =
    (context.request as { files?: Record<string, { filepath: string } | { filepath: string }[]> }).files ??
    {};
  const all = Object.values(files).flat();
  const clean = async () => {
    await Promise.all(all.map((file) => unlink(file.filepath).catch(() => {})));
  };
  const { query } = fields;
  if (typeof query !== 'string') {
    await clean();
    throw new SluiceError(
      'BAD_ARGUMENTS',
      "A multipart form needs a field 'query' with the INSERT statement",
    );
  }
  const given = files['data'];
  const file = Array.isArray(given) ? given[0] : given;
  const data =
    file === undefined
      ? [Buffer.from(typeof fields['data'] === 'string' ? fields['data'] : '')]
      : createReadStream(file.filepath);
  return { text: query, data, clean };
}

async function readBody(context: Context, query: string | null): Promise<StatementBody> {
  return readStatement(query, bodyChunks(requestBody(context.req)));
}

/** The signal of a request whose client has gone away. */
function disconnected(context: Context): AbortSignal {
  const controller = new AbortController();
  context.res.once('close', () => {
    if (!context.res.writableFinished)
      controller.abort(new SluiceError('QUERY_WAS_CANCELLED', 'The client closed the connection'));
  });
  return controller.signal;
}

/** The SQL endpoint. */
export function sql(server: ServerContext): Middleware<RequestState> {
  const { engine } = server;
  const now = () => engine.clock.monotonic();
  return async (context) => {
    const startedAt = now();
    const parameters = readParameters(context.querystring);
    const get = context.method === 'GET' || context.method === 'HEAD';
    if (get && parameters.query === null) {
      context.type = 'text/plain; charset=UTF-8';
      context.body = 'Ok.\n';
      return;
    }
    const { headers } = context.req;
    const form =
      !get && /^multipart\/form-data/i.test(headers['content-type'] ?? '') ? await readForm(context) : null;
    const body: StatementBody =
      form ?? (get ? { text: parameters.query!, data: [] } : await readBody(context, parameters.query));
    try {
      await run(context, server, parameters, body, { get, startedAt, now });
    } finally {
      await form?.clean();
    }
  };
}

async function run(
  context: Context,
  server: ServerContext,
  parameters: RequestParameters,
  body: StatementBody,
  request: { get: boolean; startedAt: number; now: () => number },
): Promise<void> {
  const { user } = context.state as RequestState;
  const { headers } = context.req;
  const idempotencyKey = headers['idempotency-key'];
  const options: QueryOptions = {
    user,
    database: parameters.database ?? brandedHeader(headers, 'database'),
    queryId: parameters.queryId ?? brandedHeader(headers, 'query-id'),
    settings: {
      ...(server.queryMode === 'table' ? { query_mode: 'table' } : {}),
      ...user.settings,
      ...(typeof idempotencyKey === 'string' ? { insert_deduplication_token: idempotencyKey } : {}),
      ...parameters.settings,
    },
    parameters: parameters.parameters,
    signal: disconnected(context),
    data: body.data,
    readonly: request.get,
  };
  if (body.text.trim() === '') throw new SluiceError('SYNTAX_ERROR', 'Syntax error: the query is empty');
  const result = await server.engine.execute(body.text, options);
  try {
    const wanted =
      result.format ?? (result.settings.default_format || brandedHeader(headers, 'format') || 'TabSeparated');
    await respond(context, result, {
      format: result.hasRows ? outputFormat(wanted) : wanted,
      bufferBytes: result.settings.buffer_size,
      whole: result.settings.wait_end_of_query && !result.streaming,
      startedAt: request.startedAt,
      now: request.now,
    });
  } finally {
    result.close();
  }
}
