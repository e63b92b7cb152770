import { PassThrough } from 'node:stream';
import { SluiceError } from '../../base/index.ts';
import { expandBraces } from '../../files/index.ts';
import { drained } from './drained.ts';
import { type OutsideClient, parseUrl, shownUrl, statusError } from './http-client.ts';
import type { AccessContext, Location, ObjectWriter, Readable } from './location.ts';

/** A POST whose body is sent as it is written; the other side has it whole at `commit`, or sees the connection cut. */
class PostWriter implements ObjectWriter {
  readonly #url: URL;
  readonly #body = new PassThrough();
  readonly #answer: ReturnType<OutsideClient['send']>;
  readonly #controller = new AbortController();

  constructor(client: OutsideClient, url: URL, context: AccessContext) {
    this.#url = url;
    const signal = AbortSignal.any([context.signal, this.#controller.signal]);
    this.#body.on('error', () => {});
    this.#answer = client.send({ method: 'POST', url, body: this.#body }, { ...context, signal });
    // An answer before the end of the body, or a broken connection, ends the writing.
    this.#answer.then(
      () => this.#body.resume(),
      (thrown) => this.#body.destroy(thrown as Error),
    );
  }

  async write(bytes: Uint8Array): Promise<void> {
    if (this.#body.destroyed) await this.#answer;
    if (this.#body.write(bytes)) return;
    await drained(this.#body);
    if (this.#body.destroyed) await this.#answer;
  }

  async commit(): Promise<void> {
    if (!this.#body.destroyed) this.#body.end();
    const response = await this.#answer;
    const status = response.statusCode ?? 0;
    if (status < 200 || status >= 300) throw await statusError(response, shownUrl(this.#url));
    response.resume();
  }

  async abort(): Promise<void> {
    this.#controller.abort(new SluiceError('QUERY_WAS_CANCELLED', 'The INSERT was given up'));
    this.#body.destroy();
    await this.#answer.then(
      (response) => response.destroy(),
      () => {},
    );
  }
}

/** What an HTTP server answers with, and takes. */
export class WebLocation implements Location {
  readonly type = 'url';
  readonly shown: string;
  readonly #path: string;
  readonly #client: OutsideClient;

  constructor(path: string, client: OutsideClient) {
    this.#path = path;
    this.#client = client;
    this.shown = shownUrl(parseUrl(expandBraces(path.replaceAll('{_partition_id}', '_'))[0]!));
  }

  async find(context: AccessContext): Promise<readonly Readable[]> {
    return expandBraces(this.#path).map((text) => {
      const url = parseUrl(text);
      const { pathname } = url;
      const client = this.#client;
      return {
        name: pathname.slice(pathname.lastIndexOf('/') + 1),
        path: shownUrl(url),
        async *read() {
          const response = await client.follow({ method: 'GET', url }, context);
          if (response.statusCode !== 200) throw await statusError(response, shownUrl(url));
          yield* client.chunks(response, url, context.signal);
        },
      };
    });
  }

  async create(partition: string | null, _: unknown, context: AccessContext): Promise<ObjectWriter> {
    const id = partition === null ? '' : encodeURIComponent(partition);
    const url = parseUrl(partition === null ? this.#path : this.#path.replaceAll('{_partition_id}', id));
    return new PostWriter(this.#client, url, context);
  }
}
