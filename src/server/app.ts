import Router from '@koa/router';
import Koa from 'koa';
import { SluiceError } from '../base/index.ts';
import { restPrefixes } from './brands.ts';
import type { RequestState, ServerContext } from './context.ts';
import { authenticate } from './middleware/authenticate.ts';
import { cors } from './middleware/cors.ts';
import { errors } from './middleware/errors.ts';
import { sql } from './routes/sql.ts';
import { requestId, streamRoutes } from './routes/streams.ts';

function plain(text: string): Koa.Middleware {
  return (context) => {
    context.type = 'text/plain; charset=UTF-8';
    context.body = text;
  };
}

/** The paths of the structured interface under every prefix. */
function paths(path: string): string[] {
  return restPrefixes.map((prefix) => prefix + path);
}

/** The HTTP interface over an engine. */
export function createApp(server: ServerContext, log: (message: string) => void): Koa {
  const app = new Koa<RequestState>();
  app.silent = true;
  const router = new Router<RequestState>();
  const known = authenticate(server);
  const streams = streamRoutes(server);
  router.get(['/ping', '/replicas_status'], plain('Ok.\n'));
  router.get('/', known, sql(server));
  router.post('/', known, sql(server));
  router.get(paths('/ddl/streams'), requestId, known, (context) => streams.list(context));
  router.get(paths('/ddl/streams/:database'), requestId, known, (context) =>
    streams.details(context, 'default', context.params.database!),
  );
  router.get(paths('/ddl/streams/:database/:stream'), requestId, known, (context) =>
    streams.details(context, context.params.database!, context.params.stream!),
  );
  router.post(paths('/ddl/streams'), requestId, known, (context) => streams.create(context, undefined));
  router.post(paths('/ddl/streams/:database'), requestId, known, (context) =>
    streams.create(context, context.params.database!),
  );
  router.delete(paths('/ddl/streams/:database/:stream'), requestId, known, (context) =>
    streams.drop(context, context.params.database!, context.params.stream!),
  );
  router.post(paths('/ingest/streams/:stream'), requestId, known, (context) =>
    streams.ingest(context, undefined, context.params.stream!),
  );
  router.post(paths('/ingest/streams/:database/:stream'), requestId, known, (context) =>
    streams.ingest(context, context.params.database!, context.params.stream!),
  );
  app.use(errors(log));
  app.use(cors);
  app.use(router.routes());
  app.use((context) => {
    throw new SluiceError(
      'UNKNOWN_TABLE',
      `There is nothing at ${context.method} ${context.path}: statements go to / as POST`,
    );
  });
  return app;
}
