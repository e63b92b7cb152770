import type { Context, Middleware } from 'koa';
import { type SluiceError, toSluiceError } from '../../base/index.ts';
import { exceptionText, responseBrands, restPrefixes } from '../brands.ts';
import { discardRest } from '../compression.ts';
import type { ServerContext } from '../context.ts';

/** Answers with an error in the shape that the endpoint's clients expect. */
export function answerError(context: Context, error: SluiceError, status: number = error.status): void {
  context.remove('Content-Encoding');
  context.status = status;
  context.type = 'application/json';
  for (const brand of responseBrands(context.req.headers)) {
    context.set(`${brand}Exception-Code`, String(error.code));
    if (context.state.queryId !== undefined) context.set(`${brand}Query-Id`, context.state.queryId as string);
  }
  if (status === 401) context.set('WWW-Authenticate', 'Basic realm="sluice", charset="UTF-8"');
  const exception = exceptionText(context.req.headers, error);
  const structured = restPrefixes.some((prefix) => context.path.startsWith(`${prefix}/`));
  context.body = JSON.stringify(
    structured
      ? { request_id: context.state.requestId ?? '', code: error.code, error_msg: error.message, exception }
      : { exception },
  );
}

/** Logs an error that is not the client's fault, with where it came from. */
export function logFailure({ log }: Pick<ServerContext, 'log'>, error: SluiceError): void {
  if (error.status < 500) return;
  const origin = error.cause instanceof Error ? error.cause : error;
  log(origin.stack ?? error.message);
}

/** Turns whatever a route throws into an answer, and leaves the connection ready for the next request. */
export function errors(server: Pick<ServerContext, 'life' | 'log'>): Middleware {
  return async (context, next) => {
    try {
      await next();
    } catch (thrown) {
      const error = toSluiceError(thrown);
      logFailure(server, error);
      if (context.res.headersSent) context.res.destroy();
      else answerError(context, error);
    }
    if (server.life.draining && !context.res.headersSent) context.set('Connection', 'close');
    discardRest(context.req);
  };
}
