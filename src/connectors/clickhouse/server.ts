import http from 'node:http';
import https from 'node:https';
import { isIP } from 'node:net';
import { type Clock, SluiceError, type Timer } from '../../base/index.ts';
import type { ConnectorServices } from '../connector.ts';
import type { OutsidePolicy } from '../outside-policy.ts';

/** Where a ClickHouse server is, and as whom it is asked. */
export interface ServerAddress {
  readonly host: string;
  /** The port of its HTTP interface. */
  readonly port: number;
  readonly secure: boolean;
  /** Whether a certificate that cannot be verified is refused. */
  readonly verify: boolean;
  readonly user: string;
  readonly password: string;
  /** Seconds until a connection has to be there, and until something has to come over it. */
  readonly connectSeconds: number;
  readonly receiveSeconds: number;
}

/** Bytes of an answer that are kept to be searched for an error. */
const tailBytes = 16_384;

/** The text of an exception in what a server sent. */
function exceptionIn(text: string): string | undefined {
  return /Code: \d+[.,][\s\S]*/
    .exec(text)?.[0]
    .replace(/, Stack trace[\s\S]*/, '')
    .replace(/, e\.what\(\) = DB::Exception\s*/, '')
    .replace('e.displayText() = ', '')
    .trim();
}

/** A ClickHouse server, spoken to over HTTP; connections are kept between requests. */
export class ClickHouseServer {
  readonly address: ServerAddress;
  readonly #agent: http.Agent;
  readonly #clock: Clock;
  readonly #outside: OutsidePolicy;

  /** Throws ACCESS_DENIED for a host that may not be spoken to. */
  constructor(address: ServerAddress, { clock, outside }: ConnectorServices) {
    this.address = address;
    this.#clock = clock;
    this.#outside = outside;
    outside.assertHost(address.host, String(address.port));
    if (isIP(address.host) !== 0) outside.assertAddress(address.host, address.host);
    const options = { keepAlive: true, maxSockets: 16, timeout: 30_000 };
    this.#agent = address.secure
      ? new https.Agent({ ...options, rejectUnauthorized: address.verify })
      : new http.Agent(options);
  }

  get name(): string {
    const { host, port } = this.address;
    return `ClickHouse at ${host.includes(':') ? `[${host}]` : host}:${port}`;
  }

  /** An error of the other side, or of the way there. */
  failure(why: string, cause?: unknown): SluiceError {
    return new SluiceError('NETWORK_ERROR', `${this.name}: ${why}`, cause === undefined ? {} : { cause });
  }

  #refused(status: number, text: string): SluiceError {
    if (/Port \d+ is for clickhouse-client/.test(text))
      return this.failure(
        "this is the port of its native protocol: 'address' takes that of its HTTP interface (8123, or 8443 with secure)",
      );
    return this.failure(exceptionIn(text) ?? `it answered ${status}: ${text.slice(0, 200).trim()}`);
  }

  /**
   * Sends a statement, whose text is a byte string, with the data of an INSERT after it; resolves with the answer once its
   * status is known to be 200. Throws NETWORK_ERROR.
   */
  #request(
    sql: string,
    settings: Readonly<Record<string, string>>,
    data: readonly Uint8Array[],
    signal: AbortSignal,
  ): Promise<http.IncomingMessage> {
    const { address } = this;
    const text = Buffer.from(sql, 'latin1');
    const inUrl = data.length > 0;
    const parameters = new URLSearchParams(settings);
    // Bytes that are no UTF-8 survive in a URL only when each is escaped.
    const query = inUrl ? `query=${percentEscaped(sql)}&` : '';
    const body = inUrl ? data : [text];
    return new Promise((resolve, reject) => {
      const { request } = address.secure ? https : http;
      const sent = request({
        agent: this.#agent,
        host: address.host,
        port: address.port,
        lookup: this.#outside.lookup(address.host),
        method: 'POST',
        path: `/?${query}${parameters}`,
        headers: {
          'X-ClickHouse-User': address.user,
          'X-ClickHouse-Key': address.password,
          'Content-Length': body.reduce((sum, part) => sum + part.length, 0),
        },
        signal,
      });
      let timer: Timer | null = null;
      const wait = (seconds: number, what: string) => {
        timer?.cancel();
        timer = this.#clock.after(seconds * 1000, () =>
          sent.destroy(new Error(`${what} within ${seconds} s`)),
        );
      };
      wait(address.connectSeconds, 'no connection');
      sent.on('socket', (socket) => {
        const connected = () => wait(address.receiveSeconds, 'no answer');
        if (socket.connecting) socket.once(address.secure ? 'secureConnect' : 'connect', connected);
        else connected();
      });
      sent.on('error', (error: NodeJS.ErrnoException) => {
        timer?.cancel();
        const why = error.code === 'ECONNREFUSED' ? 'connection refused' : error.message;
        if (error instanceof SluiceError) reject(error);
        else reject(signal.aborted ? signal.reason : this.failure(why, error));
      });
      sent.on('response', (response) => {
        timer?.cancel();
        if (response.statusCode === 200) resolve(response);
        else
          textOf(this.#chunks(response, signal)).then(
            (answer) => reject(this.#refused(response.statusCode ?? 0, answer)),
            () => reject(this.#refused(response.statusCode ?? 0, '')),
          );
      });
      for (const part of body) sent.write(part);
      sent.end();
    });
  }

  /** The chunks of an answer; throws NETWORK_ERROR when it breaks off or stops coming. */
  async *#chunks(response: http.IncomingMessage, signal: AbortSignal): AsyncGenerator<Buffer, void, void> {
    const { receiveSeconds } = this.address;
    const patience = () =>
      this.#clock.after(receiveSeconds * 1000, () =>
        response.destroy(new Error(`nothing came for ${receiveSeconds} s`)),
      );
    let timer = patience();
    try {
      for await (const chunk of response) {
        // Whoever takes the chunk may take any time over it.
        timer.cancel();
        yield chunk as Buffer;
        timer = patience();
      }
    } catch (thrown) {
      if (signal.aborted) throw signal.reason;
      const { code, message } = thrown as NodeJS.ErrnoException;
      throw this.failure(code === 'ECONNRESET' ? 'the connection was cut' : message, thrown);
    } finally {
      timer.cancel();
      response.destroy();
    }
  }

  /** The answer to a query, chunk by chunk; throws NETWORK_ERROR. */
  async *query(
    sql: string,
    settings: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ): AsyncGenerator<Buffer, void, void> {
    yield* this.#chunks(await this.#request(sql, settings, [], signal), signal);
  }

  /** Runs a statement to its end and gives what it answers. */
  async run(sql: string, signal: AbortSignal, data: readonly Uint8Array[] = []): Promise<string> {
    const response = await this.#request(sql, {}, data, signal);
    const text = await textOf(this.#chunks(response, signal));
    const exception = /^\s*Code: /.test(text) ? exceptionIn(text) : undefined;
    if (exception !== undefined) throw this.failure(exception);
    return text;
  }

  /** An exception that a server wrote into an answer that had begun, found at its end. */
  exceptionAtEnd(tail: Buffer): SluiceError | undefined {
    const text = tail.subarray(-tailBytes).latin1Slice();
    const at = text.lastIndexOf('Code: ');
    const found = at < 0 || !text.includes('DB::Exception', at) ? undefined : exceptionIn(text.slice(at));
    return found === undefined ? undefined : this.failure(found);
  }

  close(): void {
    this.#agent.destroy();
  }
}

/** Percent-escapes the bytes of a byte string. */
function percentEscaped(bytes: string): string {
  return bytes.replace(/[^A-Za-z0-9_.~-]/g, (char) => `%${char.charCodeAt(0).toString(16).padStart(2, '0')}`);
}

/** Characters of an answer that are looked at. */
const answerLengthMax = 1_048_576;

async function textOf(chunks: AsyncIterable<Buffer>): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of chunks)
    if (text.length < answerLengthMax) text += decoder.decode(chunk, { stream: true });
  return text;
}
