import { readFileSync } from 'node:fs';
import {
  createServer as createHttpServer,
  type ServerOptions as HttpOptions,
  type Server as HttpServer,
} from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import type { AddressInfo, Server as NetServer, Socket } from 'node:net';
import { readUsersFile } from '../access/index.ts';
import { type Clock, SluiceError, type Timer } from '../base/index.ts';
import { Database } from '../engine/index.ts';
import { createApp } from './app.ts';
import { giveBackIdleMemory } from './idle-memory.ts';
import type { ServerOptions } from './options.ts';
import { protocolDoor } from './protocols.ts';

type Door = 'http' | 'native' | 'https';

/** A server that is listening. */
export interface Server {
  readonly database: Database;
  /** Ports by door, as they were really opened; a closed door is missing. */
  readonly ports: Readonly<Partial<Record<Door, number>>>;
  /** Lets inserts finish, ends streams, closes every door and the database. */
  close(): Promise<void>;
}

export type Log = (level: ServerOptions['logLevel'], message: string) => void;

/** Milliseconds that statements have to finish when the server stops. */
const drainMilliseconds = 10_000;
/** Bytes of a request's head: a statement in the URL, escaped, has room in it. */
const headBytesMax = 1_048_576;

const httpOptions: HttpOptions = {
  maxHeaderSize: headBytesMax,
  // Requests may be as slow as their client; only heads are bounded in time.
  requestTimeout: 0,
  headersTimeout: 60_000,
  keepAliveTimeout: 30_000,
};

function listen(server: NetServer, host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const why = error.code === 'EADDRINUSE' ? 'it is taken by another process' : error.message;
      reject(new SluiceError('BAD_ARGUMENTS', `Cannot listen on ${host}:${port}: ${why}`, { cause: error }));
    });
    server.listen(port, host, () => resolve((server.address() as AddressInfo).port));
  });
}

/** Milliseconds that a refused client has to stop sending and take its answer. */
const lingerMilliseconds = 2_000;

/** Connections that have been refused already: whatever comes over them after that is no request either. */
const refused = new WeakSet<Socket>();

/** Answers what is no HTTP request that can be read, in the shape of every other error, and hangs up. */
function refuseMalformed(error: NodeJS.ErrnoException, socket: Socket, clock: Clock): void {
  if (refused.has(socket)) return;
  refused.add(socket);
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  const why =
    error.code === 'HPE_HEADER_OVERFLOW'
      ? `the head of the request has more than ${headBytesMax} bytes, send the statement in the body`
      : error.message;
  const { code, exceptionText } = new SluiceError('BAD_ARGUMENTS', `The HTTP request cannot be read: ${why}`);
  const body = JSON.stringify({ exception: exceptionText });
  socket.write(
    `HTTP/1.1 400 Bad Request\r\nContent-Type: application/json\r\nX-Svc-Exception-Code: ${code}\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
  // A connection that is closed while its client still sends is reset, and the answer with it.
  const patience = clock.after(lingerMilliseconds, () => socket.destroy());
  socket.once('close', () => patience.cancel());
  socket.once('end', () => socket.end());
  if (!('encrypted' in socket)) socket.end();
  socket.resume();
}

function readTls(options: ServerOptions): { cert: Buffer; key: Buffer } {
  const read = (flag: string, path: string) => {
    try {
      return readFileSync(path);
    } catch (thrown) {
      throw new SluiceError('BAD_ARGUMENTS', `--${flag} cannot be read: ${(thrown as Error).message}`, {
        cause: thrown,
      });
    }
  };
  return { cert: read('tls-cert', options.tlsCert!), key: read('tls-key', options.tlsKey!) };
}

function tlsServer(options: ServerOptions, handler: Parameters<typeof createHttpServer>[1]): HttpServer {
  const pair = readTls(options);
  try {
    return createHttpsServer({ ...httpOptions, ...pair }, handler);
  } catch (thrown) {
    throw new SluiceError(
      'BAD_ARGUMENTS',
      `The files of --tls-cert and --tls-key are no certificate and key: ${(thrown as Error).message}`,
      { cause: thrown },
    );
  }
}

/** The open doors of a server, and how they are shut. */
class Doors {
  readonly life = { draining: false };
  readonly ports: Partial<Record<Door, number>> = {};
  readonly #https: HttpServer[] = [];
  readonly #listening: NetServer[] = [];
  readonly #cuts: (() => void)[] = [];

  async open(door: Door, http: HttpServer, host: string, port: number, database: Database): Promise<void> {
    const { clock } = database.engine;
    http.on('clientError', (error, socket) => refuseMalformed(error, socket as Socket, clock));
    this.#https.push(http);
    let server: NetServer = http;
    if (door === 'native') {
      const chosen = protocolDoor(http, clock);
      this.#cuts.push(() => chosen.closeUndecided());
      server = chosen.server;
    }
    this.ports[door] = await listen(server, host, port);
    this.#listening.push(server);
  }

  /** Takes no more connections; resolves when those there are have ended. */
  stop(): Promise<unknown> {
    this.life.draining = true;
    const closed = this.#listening.map(
      (server) => new Promise<void>((resolve) => server.close(() => resolve())),
    );
    for (const cut of this.#cuts) cut();
    for (const http of this.#https) http.closeIdleConnections();
    return Promise.all(closed);
  }

  cutAll(): void {
    for (const http of this.#https) http.closeAllConnections();
  }
}

/** Whether only this machine reaches a host. */
function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127\./.test(host);
}

/** Opens the database and the doors that the options ask for. */
export async function startServer(options: ServerOptions, log: Log): Promise<Server> {
  const users = options.usersFile === null ? [] : await readUsersFile(options.usersFile);
  const storage = options.memoryLimit === null ? {} : { cacheBytesMax: options.memoryLimit };
  const database = await Database.open({
    dataDir: options.dataDir,
    outsideHosts: options.outsideHosts,
    threads: options.threads,
    users,
    storage: { ...storage, onProblem: (problem) => log('error', `storage: ${JSON.stringify(problem)}`) },
  });
  const doors = new Doors();
  const failed = (message: string) => log('error', message);
  const handler = (queryMode: ServerOptions['httpQueryMode']) =>
    createApp({ engine: database.engine, queryMode, life: doors.life, log: failed }).callback();
  const { host, httpPort, httpsPort, nativePort } = options;
  try {
    const usual = handler(options.httpQueryMode);
    if (httpPort !== null)
      await doors.open('http', createHttpServer(httpOptions, usual), host, httpPort, database);
    if (httpsPort !== null) await doors.open('https', tlsServer(options, usual), host, httpsPort, database);
    if (nativePort !== null)
      await doors.open(
        'native',
        createHttpServer(httpOptions, handler('streaming')),
        host,
        nativePort,
        database,
      );
  } catch (thrown) {
    doors.stop();
    await database.close();
    throw thrown;
  }
  if (!isLoopback(host) && database.engine.users.get('default')?.secret.kind === 'none')
    log(
      'warning',
      `everybody who reaches ${host} may do everything: the user default has no password (ALTER USER default IDENTIFIED BY '...')`,
    );
  const stopGivingBack = giveBackIdleMemory(database.engine.clock);
  return {
    database,
    ports: doors.ports,
    close: () => {
      stopGivingBack();
      return close(doors, database);
    },
  };
}

async function close(doors: Doors, database: Database): Promise<void> {
  const { engine } = database;
  const ended = doors.stop();
  for (const process of engine.processes.list) {
    // What writes may finish; what reads, streams above all, is ended.
    if (!process.finishes) engine.processes.kill(process);
  }
  let overdue: Timer | undefined;
  const patience = new Promise<void>((resolve) => {
    overdue = engine.clock.after(drainMilliseconds, resolve);
  });
  await Promise.race([ended, patience]);
  overdue?.cancel();
  doors.cutAll();
  await database.close();
}
