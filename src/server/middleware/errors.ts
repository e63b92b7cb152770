import type { Context, Middleware } from 'koa';
import { type SluiceError, toSluiceError } from '../../base/index.ts';
import { responseBrands, restPrefixes } from '../brands.ts';

/** Answers with an error in the shape that the endpoint's clients expect. */
export function answerError(context: Context, error: SluiceError): void {
  context.status = error.status;
  context.type = 'application/json';
  for (const brand of responseBrands(context.req.headers))
    context.set(`${brand}Exception-Code`, String(error.code));
  if (error.status === 401) context.set('WWW-Authenticate', 'Basic realm="sluice"');
  const exception = error.exceptionText;
  const structured = restPrefixes.some((prefix) => context.path.startsWith(prefix));
  context.body = JSON.stringify(
    structured
      ? { request_id: context.state.requestId ?? '', code: error.code, error_msg: error.message, exception }
      : { exception },
  );
}

/** Turns whatever a route throws into an answer. */
export function errors(log: (message: string) => void): Middleware {
  return async (context, next) => {
    try {
      await next();
    } catch (thrown) {
      const error = toSluiceError(thrown);
      if (error.status >= 500)
        log(
          error.cause instanceof Error
            ? (error.cause.stack ?? error.message)
            : (error.stack ?? error.message),
        );
      if (context.res.headersSent) context.res.destroy();
      else answerError(context, error);
    }
  };
}
