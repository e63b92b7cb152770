import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import type http from 'node:http';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import type { ExecutionContext } from 'ava';
import { readOptions, type Server, startServer } from '../../src/server/index.ts';
import { door, request, serverFlags } from './transport.ts';

export interface Answer {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: Buffer;
  readonly text: string;
}

export interface RequestOptions {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Record<string, string>;
  readonly body?: string | Buffer;
  readonly agent?: http.Agent;
}

/** Sends one request and reads the whole answer; rejects when the connection is cut before its end. */
export function send(port: number, options: RequestOptions): Promise<Answer> {
  const { method = 'POST', path = '/', headers = {}, body, agent } = options;
  return new Promise((done, failed) => {
    const sent = request({ port, method, path, headers, agent: agent ?? false }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', failed);
      response.on('end', () => {
        const whole = Buffer.concat(chunks);
        done({
          status: response.statusCode ?? 0,
          headers: response.headers,
          body: whole,
          text: whole.toString(),
        });
      });
    });
    sent.on('error', failed);
    sent.end(body);
  });
}

export function url(parameters: Record<string, string>): string {
  return `/?${new URLSearchParams(parameters)}`;
}

/** Waits until a condition holds; the deadline is far beyond what it takes. */
export async function until<Value>(
  what: string,
  condition: () => Promise<Value | undefined | false> | Value | undefined | false,
): Promise<Value> {
  const deadline = performance.now() + 60_000;
  for (;;) {
    const value = await condition();
    if (value !== undefined && value !== false) return value;
    if (performance.now() > deadline) throw new Error(`It never came to this: ${what}`);
    await delay(5);
  }
}

/** A client of one server. */
export class Client {
  readonly port: number;

  constructor(port: number) {
    this.port = port;
  }

  send(options: RequestOptions): Promise<Answer> {
    return send(this.port, options);
  }

  sql(text: string, parameters: Record<string, string> = {}): Promise<Answer> {
    return send(this.port, { path: url(parameters), body: text });
  }

  /** The text of an answer that has to be 200. */
  async ok(text: string, parameters: Record<string, string> = {}): Promise<string> {
    const answer = await this.sql(text, parameters);
    if (answer.status !== 200) throw new Error(`${answer.status} for ${text.slice(0, 200)}: ${answer.text}`);
    return answer.text;
  }

  /** Whether a statement of this id is running. */
  async runs(queryId: string): Promise<boolean> {
    const found = await this.ok(`SELECT query_id FROM system.processes WHERE query_id = '${queryId}'`);
    return found !== '';
  }

  /** Resolves when nothing runs any more. */
  idle(): Promise<unknown> {
    return until('no statement runs', async () => {
      const own = 'the-question-itself';
      const rest = await this.ok(`SELECT query_id FROM system.processes WHERE query_id != '${own}'`, {
        query_id: own,
      });
      return rest === '';
    });
  }

  /** Starts a query whose answer is read as it comes; resolves when the server runs it. */
  async open(text: string, parameters: Record<string, string> = {}): Promise<OpenQuery> {
    const queryId = parameters['query_id'] ?? `open-${++opened}-${process.pid}`;
    const query = new OpenQuery(this.port, text, {
      default_format: 'JSONEachRow',
      ...parameters,
      query_id: queryId,
    });
    await until('the query runs', async () => query.failed || (await this.runs(queryId)));
    return query;
  }
}

let opened = 0;

/** A query whose answer is read line by line. */
export class OpenQuery {
  readonly queryId: string;
  readonly request: http.ClientRequest;
  readonly lines: string[] = [];
  response: http.IncomingMessage | null = null;
  /** Whether the answer came to its proper end. */
  ended = false;
  /** Whether the connection broke. */
  failed = false;
  #rest = '';

  constructor(port: number, text: string, parameters: Record<string, string>) {
    this.queryId = parameters['query_id'] ?? '';
    this.request = request({ port, method: 'POST', path: url(parameters), agent: false }, (response) => {
      this.response = response;
      response.on('data', (chunk: Buffer) => {
        const parts = (this.#rest + chunk.toString()).split('\n');
        this.#rest = parts.pop() ?? '';
        this.lines.push(...parts);
      });
      response.on('end', () => {
        if (this.#rest !== '') this.lines.push(this.#rest);
        this.ended = true;
      });
      response.on('error', () => {
        this.failed = true;
      });
    });
    this.request.on('error', () => {
      this.failed = true;
    });
    this.request.end(text);
  }

  /** The first lines, when so many have come. */
  async take(count: number): Promise<string[]> {
    await until(`${count} lines`, () => this.lines.length >= count);
    return this.lines.slice(0, count);
  }

  finished(): Promise<unknown> {
    return until('the answer ends', () => this.ended || this.failed);
  }

  leave(): void {
    this.request.destroy();
  }
}

export async function temporaryDirectory(t: ExecutionContext): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'sluice-http-'));
  t.teardown(() => rm(directory, { recursive: true, force: true }));
  return directory;
}

export interface TestServer extends Client {
  readonly server: Server;
  readonly directory: string;
}

/** A server in this process with doors of its own; flags are those of the command line. */
export async function startTest(
  t: ExecutionContext,
  setup: { flags?: readonly string[]; users?: unknown; directory?: string } = {},
): Promise<TestServer> {
  const directory = setup.directory ?? (await temporaryDirectory(t));
  const flags = [...(setup.flags ?? [])];
  if (setup.users !== undefined) {
    const file = join(directory, 'users.json');
    await writeFile(file, JSON.stringify({ users: setup.users }));
    flags.push('--users-file', file);
  }
  const options = readOptions(
    [
      '--http-port',
      '0',
      '--native-port',
      '0',
      '--data-dir',
      join(directory, 'data'),
      ...serverFlags,
      ...flags,
    ],
    {},
  );
  const server = await startServer(options, () => {});
  t.teardown(() => server.close());
  return Object.assign(new Client(server.ports[door] ?? 0), { server, directory });
}

const command = resolve(import.meta.dirname, '../../src/main.ts');

/** A process of the real command. */
export class CommandProcess {
  readonly child: ChildProcess;
  output = '';
  exitCode: number | null = null;
  readonly exited: Promise<number | null>;

  constructor(
    t: ExecutionContext,
    args: readonly string[],
    environment: Record<string, string> = {},
    input = '',
  ) {
    this.child = spawn(process.execPath, [command, ...args], {
      env: { ...process.env, ...environment },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    this.child.stdin?.end(input);
    for (const stream of [this.child.stdout, this.child.stderr]) {
      if (stream === null) continue;
      createInterface({ input: stream }).on('line', (line) => {
        this.output += `${line}\n`;
      });
    }
    this.exited = new Promise((done) => {
      this.child.once('close', (code) => {
        this.exitCode = code;
        done(code);
      });
    });
    t.teardown(async () => {
      this.child.kill('SIGKILL');
      await this.exited;
    });
  }

  /** The ports as they were opened, once the server is ready. */
  async ready(): Promise<{ http: number; https: number; native: number }> {
    const line = await until('the server is ready', () => {
      if (this.exitCode !== null) throw new Error(`The server ended: ${this.output}`);
      return /is ready: (.*)/.exec(this.output)?.[1];
    });
    const port = (door: string) => Number(new RegExp(`${door} on [^ ,;]*:(\\d+)`).exec(line)?.[1] ?? 0);
    return { http: port('http'), https: port('https'), native: port('native') };
  }
}

/** Starts the real command on a directory. */
export async function startCommand(
  t: ExecutionContext,
  directory: string,
  flags: readonly string[] = [],
  environment: Record<string, string> = {},
): Promise<{ process: CommandProcess; client: Client }> {
  const serve = ['serve', '--http-port', '0', '--native-port', '0', '--data-dir', join(directory, 'data')];
  const started = new CommandProcess(t, [...serve, ...serverFlags, ...flags], environment);
  const { [door]: port } = await started.ready();
  return { process: started, client: new Client(port) };
}

/** The code and message of an error answer of the SQL endpoint, whose shape is checked on the way. */
export function errorOf(t: ExecutionContext, answer: Answer): { code: number; message: string } {
  t.is(answer.headers['content-type']?.split(';')[0], 'application/json');
  const body = JSON.parse(answer.text) as Record<string, unknown>;
  t.deepEqual(Object.keys(body), ['exception']);
  const match = /^Code: (\d+)\. DB::Exception: ([\s\S]+)$/.exec(String(body['exception']));
  t.truthy(match, answer.text);
  t.is(answer.headers['x-svc-exception-code'], match?.[1]);
  return { code: Number(match?.[1]), message: match?.[2] ?? '' };
}
