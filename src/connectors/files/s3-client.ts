import { createHash } from 'node:crypto';
import { AwsV4Signer } from 'aws4fetch';
import { SluiceError } from '../../base/index.ts';
import { excerptOf, type OutsideClient, type OutsideResponse, shownUrl } from './http-client.ts';
import type { AccessContext } from './location.ts';

export interface S3Credentials {
  readonly key: string;
  readonly secret: string;
}

/** Bytes of an answer that is read whole. */
const answerBytesMax = 16 * 1_048_576;

interface S3Request {
  readonly method: 'GET' | 'HEAD' | 'PUT' | 'POST' | 'DELETE';
  readonly url: URL;
  readonly body?: Uint8Array;
  /** Statuses beside the 2xx that are no error. */
  readonly also?: readonly number[];
}

const entities: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" };

function decoded(text: string): string {
  return text.replace(/&(?:#x([0-9a-f]+)|#(\d+)|(\w+));/gi, (whole, hex, decimal, name: string) => {
    if (hex !== undefined) return String.fromCodePoint(Number.parseInt(hex, 16));
    if (decimal !== undefined) return String.fromCodePoint(Number(decimal));
    return entities[name] ?? whole;
  });
}

/** The texts of all elements of a name in an answer of S3, which has no attributes or sections. */
export function elements(xml: string, name: string): string[] {
  return Array.from(xml.matchAll(new RegExp(`<${name}>([^<]*)</${name}>`, 'g')), (match) =>
    decoded(match[1]!),
  );
}

/** The requests of the S3 protocol that reading and writing objects takes. */
export class S3Client {
  readonly #client: OutsideClient;
  readonly #credentials: S3Credentials | null;

  /** Without credentials requests are not signed, as public buckets want it. */
  constructor(client: OutsideClient, credentials: S3Credentials | null) {
    this.#client = client;
    this.#credentials = credentials;
  }

  async #send(request: S3Request, context: AccessContext): Promise<OutsideResponse> {
    const { method, url, body } = request;
    const headers = await this.#headers(method, url, body, context);
    const response = await this.#client.send({ method, url, headers, body }, context);
    const status = response.statusCode ?? 0;
    if ((status >= 200 && status < 300) || request.also?.includes(status) === true) return response;
    throw await s3Error(response, url);
  }

  async #headers(
    method: string,
    url: URL,
    body: Uint8Array | undefined,
    context: AccessContext,
  ): Promise<Record<string, string>> {
    if (this.#credentials === null) return {};
    const hash = createHash('sha256')
      .update(body ?? '')
      .digest('hex');
    const signer = new AwsV4Signer({
      method,
      url: url.href,
      headers: { 'x-amz-content-sha256': hash },
      accessKeyId: this.#credentials.key,
      secretAccessKey: this.#credentials.secret,
      service: 's3',
      region: regionOf(url),
      datetime: new Date(context.clock.now()).toISOString().replace(/[:-]|\.\d{3}/g, ''),
    });
    const signed = await signer.sign();
    const headers: Record<string, string> = {};
    (signed.headers as Headers).forEach((value, name) => {
      headers[name] = value;
    });
    return headers;
  }

  async #text(request: S3Request, context: AccessContext): Promise<string> {
    const response = await this.#send(request, context);
    const parts: Uint8Array[] = [];
    let size = 0;
    for await (const chunk of this.#client.chunks(response, request.url, context.signal)) {
      size += chunk.length;
      if (size > answerBytesMax)
        throw new SluiceError(
          'S3_ERROR',
          `${shownUrl(request.url)} answers with more than ${answerBytesMax} bytes`,
        );
      parts.push(chunk);
    }
    return Buffer.concat(parts).toString();
  }

  /** The bytes of an object. */
  async *get(url: URL, context: AccessContext): AsyncGenerator<Uint8Array, void, void> {
    yield* this.#client.chunks(await this.#send({ method: 'GET', url }, context), url, context.signal);
  }

  async exists(url: URL, context: AccessContext): Promise<boolean> {
    const response = await this.#send({ method: 'HEAD', url, also: [404] }, context);
    response.resume();
    return response.statusCode !== 404;
  }

  /** The keys of a bucket that begin with a prefix, at most so many. */
  async list(bucket: URL, prefix: string, keysMax: number, context: AccessContext): Promise<string[]> {
    const keys: string[] = [];
    for (let token = ''; ; ) {
      const url = new URL(bucket);
      url.searchParams.set('list-type', '2');
      if (prefix !== '') url.searchParams.set('prefix', prefix);
      if (token !== '') url.searchParams.set('continuation-token', token);
      const answer = await this.#text({ method: 'GET', url }, context);
      keys.push(...elements(answer, 'Key'));
      if (keys.length > keysMax)
        throw new SluiceError(
          'S3_ERROR',
          `More than ${keysMax} objects begin with '${prefix}' in ${shownUrl(bucket)}`,
        );
      token = elements(answer, 'NextContinuationToken')[0] ?? '';
      if (token === '') return keys;
    }
  }

  async put(url: URL, body: Uint8Array, context: AccessContext): Promise<void> {
    (await this.#send({ method: 'PUT', url, body }, context)).resume();
  }

  async delete(url: URL, context: AccessContext): Promise<void> {
    (await this.#send({ method: 'DELETE', url, also: [404] }, context)).resume();
  }

  /** Begins an upload in parts, and gives its id. */
  async beginUpload(url: URL, context: AccessContext): Promise<string> {
    const answer = await this.#text({ method: 'POST', url: withQuery(url, { uploads: '' }) }, context);
    const [id] = elements(answer, 'UploadId');
    if (id === undefined) throw new SluiceError('S3_ERROR', `${shownUrl(url)} gives no id for an upload`);
    return id;
  }

  /** Uploads a part, numbered from 1, and gives its tag. */
  async putPart(
    url: URL,
    upload: string,
    part: number,
    body: Uint8Array,
    context: AccessContext,
  ): Promise<string> {
    const target = withQuery(url, { partNumber: String(part), uploadId: upload });
    const response = await this.#send({ method: 'PUT', url: target, body }, context);
    response.resume();
    const { etag } = response.headers;
    if (etag === undefined) throw new SluiceError('S3_ERROR', `${shownUrl(url)} gives no tag for a part`);
    return etag;
  }

  /** Makes the object of its parts. An answer of 200 may still hold an error. */
  async endUpload(url: URL, upload: string, tags: readonly string[], context: AccessContext): Promise<void> {
    const parts = tags.map(
      (tag, index) =>
        `<Part><PartNumber>${index + 1}</PartNumber><ETag>${tag.replace(/&/g, '&amp;').replace(/</g, '&lt;')}</ETag></Part>`,
    );
    const body = Buffer.from(`<CompleteMultipartUpload>${parts.join('')}</CompleteMultipartUpload>`);
    const answer = await this.#text(
      { method: 'POST', url: withQuery(url, { uploadId: upload }), body },
      context,
    );
    if (answer.includes('<Error>')) {
      const message = elements(answer, 'Message')[0] ?? 'it says no more';
      throw new SluiceError('S3_ERROR', `${shownUrl(url)} cannot be put together: ${message}`);
    }
  }

  async abortUpload(url: URL, upload: string, context: AccessContext): Promise<void> {
    const target = withQuery(url, { uploadId: upload });
    (await this.#send({ method: 'DELETE', url: target, also: [404] }, context)).resume();
  }
}

function withQuery(url: URL, query: Readonly<Record<string, string>>): URL {
  const full = new URL(url);
  for (const [name, value] of Object.entries(query)) full.searchParams.set(name, value);
  return full;
}

/** The region in the name of an Amazon host; others take whatever they are told. */
function regionOf(url: URL): string {
  const match = /(?:^|\.)s3[.-]([a-z0-9-]+)\.amazonaws\.com$/.exec(url.hostname);
  return match?.[1] ?? 'us-east-1';
}

async function s3Error(response: OutsideResponse, url: URL): Promise<SluiceError> {
  const text = await excerptOf(response);
  const said = [elements(text, 'Code')[0], elements(text, 'Message')[0]].filter((part) => part !== undefined);
  const reason = said.length > 0 ? said.join(': ') : text || (response.statusMessage ?? '');
  return new SluiceError(
    'S3_ERROR',
    `${shownUrl(url)} answered with status ${response.statusCode}${reason === '' ? '' : `: ${reason}`}`,
  );
}
