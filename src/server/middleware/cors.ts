import type { Middleware } from 'koa';

const methods = 'GET, HEAD, POST, DELETE, OPTIONS';

/** Lets pages of other origins ask, on errors too; a preflight is answered here. */
export const cors: Middleware = async (context, next) => {
  const { origin } = context.req.headers;
  if (origin === undefined) {
    if (context.method !== 'OPTIONS') return next();
    context.set('Allow', methods);
    context.status = 204;
    return;
  }
  context.set('Access-Control-Allow-Origin', origin);
  context.set('Vary', 'Origin');
  context.set('Access-Control-Expose-Headers', '*');
  if (context.method !== 'OPTIONS') return next();
  context.set('Access-Control-Allow-Methods', methods);
  context.set('Access-Control-Allow-Headers', context.get('Access-Control-Request-Headers') || '*');
  context.set('Access-Control-Max-Age', '86400');
  context.status = 204;
};
