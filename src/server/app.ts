import Router from '@koa/router';
import Koa from 'koa';
import { SluiceError } from '../base/index.ts';
import { restPrefixes } from './brands.ts';
import type { RequestState, ServerContext } from './context.ts';
import { authenticate } from './middleware/authenticate.ts';
import { cors } from './middleware/cors.ts';
import { answerError, errors } from './middleware/errors.ts';
import { probe, sql } from './routes/sql.ts';
import { definitionBody, requestId, streamRoutes } from './routes/streams.ts';

const ok: Koa.Middleware = (context) => {
  context.type = 'text/plain; charset=UTF-8';
  context.body = 'Ok.\n';
};

/** The paths of the structured interface under every prefix. */
function paths(path: string): string[] {
  return restPrefixes.map((prefix) => prefix + path);
}

function structuredRoutes(router: Router<RequestState>, server: ServerContext, known: Koa.Middleware): void {
  const streams = streamRoutes(server);
  const list = paths('/ddl/streams');
  const single = paths('/ddl/streams/:database');
  const full = paths('/ddl/streams/:database/:stream');
  router.get(list, requestId, known, (context) => streams.list(context));
  router.get(single, requestId, known, (context) =>
    streams.details(context, undefined, context.params.database!),
  );
  router.get(full, requestId, known, (context) =>
    streams.details(context, context.params.database!, context.params.stream!),
  );
  router.post(list, requestId, known, definitionBody, (context) => streams.create(context, undefined));
  router.post(single, requestId, known, definitionBody, (context) =>
    streams.create(context, context.params.database!),
  );
  router.delete(single, requestId, known, (context) =>
    streams.drop(context, undefined, context.params.database!),
  );
  router.delete(full, requestId, known, (context) =>
    streams.drop(context, context.params.database!, context.params.stream!),
  );
  router.post(paths('/ingest/streams/:stream'), requestId, known, (context) =>
    streams.ingest(context, undefined, context.params.stream!),
  );
  router.post(paths('/ingest/streams/:database/:stream'), requestId, known, (context) =>
    streams.ingest(context, context.params.database!, context.params.stream!),
  );
}

/** Answers what no route takes: 404, or 400 with the methods that there are. */
function unknownRoute(router: Router<RequestState>): Koa.Middleware {
  return async (context) => {
    await requestId(context, async () => {});
    const { method, path } = context;
    const methods = router.match(path, method).path.flatMap((layer) => layer.methods);
    if (methods.length > 0) {
      context.set('Allow', [...new Set(methods)].join(', '));
      throw new SluiceError(
        'UNSUPPORTED_METHOD',
        `${method} is not supported at ${path}: expected ${[...new Set(methods)].join(', ')}`,
      );
    }
    const error = new SluiceError(
      'UNSUPPORTED_METHOD',
      `There is nothing at ${method} ${path}: statements go to / as POST`,
    );
    answerError(context, error, 404);
  };
}

/** The HTTP interface over an engine. */
export function createApp(server: ServerContext): Koa {
  const app = new Koa<RequestState>();
  app.silent = true;
  // A response that breaks off is the client's doing, or was logged where it happened.
  app.on('error', () => {});
  const router = new Router<RequestState>();
  const known = authenticate(server);
  router.get(['/ping', '/replicas_status'], ok);
  const statement = sql(server);
  router.get('/', probe(ok), known, statement);
  router.post('/', known, statement);
  structuredRoutes(router, server, known);
  app.use(errors(server));
  app.use(cors);
  // Nearly every request is a statement: it need not be looked for among the routes.
  app.use((context, next) =>
    context.path === '/' && context.method === 'POST'
      ? known(context, () => statement(context, next))
      : next(),
  );
  app.use(router.routes());
  app.use(unknownRoute(router));
  return app;
}
