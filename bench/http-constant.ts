/* A Koa server that answers every POST with a constant: what the benchmark of the HTTP interface is measured against. */
import Koa from 'koa';

const app = new Koa();
app.use((context) => {
  context.type = 'text/tab-separated-values; charset=UTF-8';
  context.body = '1\n';
});
const server = app.listen(0, '127.0.0.1', () =>
  process.send!({ port: (server.address() as { port: number }).port }),
);
