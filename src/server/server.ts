import { readFileSync } from 'node:fs';
import { createServer as createHttpServer, type Server as HttpServer } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { Users } from '../access/index.ts';
import { SluiceError } from '../base/index.ts';
import { Database } from '../engine/index.ts';
import { createApp } from './app.ts';
import type { ServerOptions } from './options.ts';

/** A server that is listening. */
export interface Server {
  readonly database: Database;
  /** Ports by door, as they were really opened; a closed door is missing. */
  readonly ports: Readonly<Partial<Record<'http' | 'native' | 'https', number>>>;
  /** Lets inserts finish, ends streams, closes every door and the database. */
  close(): Promise<void>;
}

export type Log = (level: ServerOptions['logLevel'], message: string) => void;

/** Milliseconds that statements have to finish when the server stops. */
const drainMilliseconds = 10_000;

function listen(server: HttpServer, host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const why = error.code === 'EADDRINUSE' ? 'it is taken by another process' : error.message;
      reject(new SluiceError('BAD_ARGUMENTS', `Cannot listen on ${host}:${port}: ${why}`, { cause: error }));
    });
    server.listen(port, host, () => resolve((server.address() as AddressInfo).port));
  });
}

/** Requests may be as slow as their client; only heads are bounded in time. */
function tune(server: HttpServer): HttpServer {
  server.requestTimeout = 0;
  server.headersTimeout = 60_000;
  server.keepAliveTimeout = 30_000;
  server.maxRequestsPerSocket = 0;
  return server;
}

/** Opens the database and the doors that the options ask for. */
export async function startServer(options: ServerOptions, log: Log): Promise<Server> {
  const users = options.usersFile === null ? Users.default() : await Users.load(options.usersFile);
  const storage = options.memoryLimit === null ? {} : { cacheBytesMax: options.memoryLimit };
  const database = await Database.open({
    dataDir: options.dataDir,
    storage: { ...storage, onProblem: (problem) => log('error', `storage: ${JSON.stringify(problem)}`) },
  });
  const servers: HttpServer[] = [];
  const ports: Partial<Record<'http' | 'native' | 'https', number>> = {};
  const failed = (message: string) => log('error', message);
  const handler = (queryMode: ServerOptions['httpQueryMode']) =>
    createApp({ engine: database.engine, users, queryMode }, failed).callback();
  try {
    if (options.httpPort !== null) {
      const server = tune(createHttpServer(handler(options.httpQueryMode)));
      servers.push(server);
      ports.http = await listen(server, options.host, options.httpPort);
    }
    if (options.httpsPort !== null) {
      const tls = { cert: readFileSync(options.tlsCert!), key: readFileSync(options.tlsKey!) };
      const server = tune(createHttpsServer(tls, handler(options.httpQueryMode)));
      servers.push(server);
      ports.https = await listen(server, options.host, options.httpsPort);
    }
    if (options.nativePort !== null) {
      const server = tune(createHttpServer(handler('streaming')));
      servers.push(server);
      ports.native = await listen(server, options.host, options.nativePort);
    }
  } catch (thrown) {
    for (const server of servers) server.close();
    await database.close();
    throw thrown;
  }
  return { database, ports, close: () => close(servers, database) };
}

async function close(servers: readonly HttpServer[], database: Database): Promise<void> {
  const { engine } = database;
  const closed = servers.map((server) => new Promise<void>((resolve) => server.close(() => resolve())));
  for (const process of engine.processes.list) {
    // What writes may finish; what reads, streams above all, is ended.
    if (!/^\s*insert/i.test(process.text)) engine.processes.kill(process);
  }
  for (const server of servers) server.closeIdleConnections();
  let overdue: { cancel: () => void } | null = null;
  await Promise.race([
    Promise.all(closed),
    new Promise<void>((resolve) => {
      overdue = engine.clock.after(drainMilliseconds, resolve);
    }),
  ]);
  (overdue as { cancel: () => void } | null)?.cancel();
  for (const server of servers) server.closeAllConnections();
  await database.close();
}
