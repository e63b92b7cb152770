import http from 'node:http';
import https from 'node:https';
import { isIP } from 'node:net';
import { SluiceError } from '../../base/index.ts';
import type { OutsidePolicy } from '../outside-policy.ts';
import { drained } from './drained.ts';
import type { AccessContext } from './location.ts';

/** Milliseconds without a byte, in either direction, after which a connection is given up. */
const idleMilliseconds = 60_000;
const redirectsMax = 5;
/** Bytes of an error's body that are told. */
const excerptBytes = 500;

export interface OutsideRequest {
  readonly method: 'GET' | 'HEAD' | 'PUT' | 'POST' | 'DELETE';
  readonly url: URL;
  readonly headers?: Readonly<Record<string, string>>;
  /** Chunks are sent as they come. */
  readonly body?: Uint8Array | AsyncIterable<Uint8Array>;
}

/** Whoever answers: its status, headers and body. */
export type OutsideResponse = http.IncomingMessage;

/** A URL as it may be shown: without credentials, and without the query, which may hold a signature. */
export function shownUrl(url: URL): string {
  return `${url.protocol}//${url.host}${url.pathname}`;
}

/** The URL in a text; throws BAD_ARGUMENTS. */
export function parseUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url !== null && (url.protocol === 'http:' || url.protocol === 'https:')) return url;
  throw new SluiceError(
    'BAD_ARGUMENTS',
    `'${text.slice(0, 200)}' is no URL: expected one that begins with http:// or https://`,
  );
}

/** Sends requests to hosts that the policy lets through, whatever address their name leads to. */
export class OutsideClient {
  readonly #policy: OutsidePolicy;

  constructor(policy: OutsidePolicy) {
    this.#policy = policy;
  }

  /** Sends one request; throws NETWORK_ERROR. The response has to be read or destroyed. */
  send(request: OutsideRequest, context: AccessContext): Promise<OutsideResponse> {
    const { url, method, body } = request;
    const host = url.hostname.replace(/^\[|\]$/g, '');
    this.#policy.assertHost(host, url.port || (url.protocol === 'https:' ? '443' : '80'));
    if (isIP(host) !== 0) this.#policy.assertAddress(host, host);
    const headers: Record<string, string> = { ...request.headers };
    if (url.username !== '' && headers['authorization'] === undefined) {
      const pair = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`;
      headers['authorization'] = `Basic ${Buffer.from(pair).toString('base64')}`;
    }
    if (body instanceof Uint8Array) headers['content-length'] = String(body.length);
    const { signal } = context;
    return new Promise((resolve, reject) => {
      const fail = (thrown: unknown) => reject(this.#failure(url, thrown, signal));
      const options = {
        method,
        headers,
        signal,
        timeout: idleMilliseconds,
        lookup: this.#policy.lookup(host),
        agent: false,
      };
      const sent = (url.protocol === 'https:' ? https : http).request(url, options, (response) => {
        response.on('error', () => {});
        resolve(response);
      });
      sent.on('timeout', () =>
        sent.destroy(new Error(`nothing came for ${idleMilliseconds / 1000} seconds`)),
      );
      sent.on('error', fail);
      if (body === undefined || body instanceof Uint8Array) sent.end(body);
      else this.#stream(body, sent).catch((thrown) => sent.destroy(thrown as Error));
    });
  }

  async #stream(body: AsyncIterable<Uint8Array>, sent: http.ClientRequest): Promise<void> {
    for await (const chunk of body) {
      if (sent.destroyed) return;
      if (!sent.write(chunk)) await drained(sent);
    }
    sent.end();
  }

  #failure(url: URL, thrown: unknown, signal: AbortSignal): unknown {
    if (thrown instanceof SluiceError) return thrown;
    if (signal.aborted) return signal.reason;
    const { message, code } = thrown as NodeJS.ErrnoException;
    return new SluiceError('NETWORK_ERROR', `${shownUrl(url)} cannot be reached: ${message || code}`, {
      cause: thrown,
    });
  }

  /** Sends a request and follows where it is sent on, five times at most; the body is not sent again. */
  async follow(request: OutsideRequest, context: AccessContext): Promise<OutsideResponse> {
    let { url } = request;
    let { headers } = request;
    for (let hop = 0; ; hop++) {
      const response = await this.send({ ...request, url, headers }, context);
      const status = response.statusCode ?? 0;
      const { location } = response.headers;
      if (status < 300 || status >= 400 || status === 304 || location === undefined) return response;
      response.destroy();
      if (hop === redirectsMax)
        throw new SluiceError(
          'NETWORK_ERROR',
          `${shownUrl(request.url)} was redirected more than ${redirectsMax} times`,
        );
      if (!URL.canParse(location, url))
        throw new SluiceError('NETWORK_ERROR', `${shownUrl(url)} redirects to what is no URL`);
      const next = parseUrl(new URL(location, url).href);
      // Credentials are for the host they were given for.
      if (next.host !== url.host) headers = undefined;
      url = next;
    }
  }

  /** The chunks of a body; throws NETWORK_ERROR when the connection breaks before its end. */
  async *chunks(
    response: OutsideResponse,
    url: URL,
    signal: AbortSignal,
  ): AsyncGenerator<Uint8Array, void, void> {
    try {
      for await (const chunk of response) yield chunk as Buffer;
      if (!response.complete) throw new Error('the connection was cut');
    } catch (thrown) {
      throw this.#failure(url, thrown, signal);
    } finally {
      response.destroy();
    }
  }
}

/** The beginning of a body, for messages; the rest is given up. */
export async function excerptOf(response: OutsideResponse): Promise<string> {
  const parts: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of response) {
      parts.push(chunk as Buffer);
      size += (chunk as Buffer).length;
      if (size >= excerptBytes) break;
    }
  } catch {
    // What has come says more than how it ended.
  }
  response.destroy();
  return Buffer.concat(parts).subarray(0, excerptBytes).toString().replace(/\s+/g, ' ').trim();
}

/** The error of an answer that is none of the 2xx. */
export async function statusError(response: OutsideResponse, what: string): Promise<SluiceError> {
  const text = await excerptOf(response);
  const reason = response.statusMessage === '' ? '' : ` ${response.statusMessage}`;
  return new SluiceError(
    'RECEIVED_ERROR_FROM_REMOTE_IO_SERVER',
    `${what} answered with status ${response.statusCode}${reason}${text === '' ? '' : `: ${text}`}`,
  );
}
