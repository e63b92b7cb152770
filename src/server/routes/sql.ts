import type { Context, Middleware } from 'koa';
import { SluiceError } from '../../base/index.ts';
import type { QueryOptions } from '../../engine/index.ts';
import { outputFormat } from '../../formats/index.ts';
import { hasSmallBody, readStatement, type StatementBody, statementOf, wholeBody } from '../body.ts';
import { brandedHeader } from '../brands.ts';
import { bodyChunks, leaveBody, requestBody } from '../compression.ts';
import type { RequestState, ServerContext } from '../context.ts';
import { readForm } from '../form.ts';
import { logFailure } from '../middleware/errors.ts';
import {
  type RequestParameters,
  readParameters,
  requestIdentity,
  requestSettings,
  statementBytesMax,
} from '../parameters.ts';
import { respond } from '../respond.ts';

/** Aborts when the request's client has gone away. */
function disconnected(context: Context): AbortController {
  const controller = new AbortController();
  const { res } = context;
  const gone = () => {
    if (!res.writableFinished)
      controller.abort(new SluiceError('QUERY_WAS_CANCELLED', 'The client closed the connection'));
  };
  if (res.destroyed) gone();
  else res.once('close', gone);
  return controller;
}

/** Answers a GET without a statement, which asks whether the server is there; nobody has to log in for that. */
export function probe(answer: Middleware): Middleware {
  return (context, next) => {
    const { querystring } = context;
    if (querystring === '' || readParameters(querystring).query === null) return answer(context, next);
    return next();
  };
}

/** The SQL endpoint. */
export function sql(server: ServerContext): Middleware<RequestState> {
  return async (context) => {
    const startedAt = server.engine.clock.monotonic();
    const { headers } = context.req;
    const parameters = readParameters(context.querystring);
    context.state.queryId = requestIdentity(parameters.queryId || brandedHeader(headers, 'query-id'));
    const { query } = parameters;
    if (context.method === 'GET' || context.method === 'HEAD') {
      await run(context, server, parameters, { text: query ?? '', data: [], isInline: false }, startedAt);
      return;
    }
    const { user } = context.state as RequestState;
    const bytesMax = statementBytesMax(parameters.settings, user.settings);
    const form = /^multipart\/form-data/i.test(headers['content-type'] ?? '');
    if (query === null && !form && hasSmallBody(context.req)) {
      await run(context, server, parameters, statementOf(await wholeBody(context.req), bytesMax), startedAt);
      return;
    }
    const chunks = bodyChunks(requestBody(context.req));
    try {
      if (!form) {
        await run(context, server, parameters, await readStatement(query, chunks, bytesMax), startedAt);
        return;
      }
      const sent = await readForm(headers['content-type']!, chunks, query, bytesMax);
      try {
        await run(context, server, parameters, sent, startedAt);
      } finally {
        await sent.clean();
      }
    } finally {
      await leaveBody(context, chunks);
    }
  };
}

async function run(
  context: Context,
  server: ServerContext,
  parameters: RequestParameters,
  body: StatementBody,
  startedAt: number,
): Promise<void> {
  if (body.text.trim() === '') throw new SluiceError('EMPTY_QUERY', 'Syntax error: the query is empty');
  const { user, queryId } = context.state as Required<RequestState>;
  const { headers } = context.req;
  const { engine, queryMode } = server;
  const options: QueryOptions = {
    user,
    database: parameters.database ?? brandedHeader(headers, 'database'),
    queryId,
    settings: {
      ...(queryMode === 'table' ? { query_mode: 'table' } : {}),
      ...requestSettings(user, headers, parameters),
    },
    parameters: parameters.parameters,
    controller: disconnected(context),
    data: body.data,
    isDataInline: body.isInline,
    readonly: context.method !== 'POST',
  };
  const result = await engine.execute(body.text, options);
  try {
    const wanted =
      result.format ?? (result.settings.default_format || brandedHeader(headers, 'format') || 'TabSeparated');
    await respond(context, result, {
      format: result.hasRows ? outputFormat(wanted) : wanted,
      schemas: engine.formatSchemas,
      bufferBytes: result.settings.buffer_size,
      whole: result.settings.wait_end_of_query && !result.streaming,
      clock: engine.clock,
      startedAt,
      isLast: () => server.life.draining,
      failed: (error) => logFailure(server, error),
    });
  } finally {
    result.close();
  }
}
