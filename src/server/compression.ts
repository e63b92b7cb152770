import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import type { Context } from 'koa';
import { SluiceError } from '../base/index.ts';
import { type Codec, codecNamed, codecs } from '../compression/index.ts';

/** A codec that responses can be sent in. */
export type ResponseCodec = Codec & {
  readonly [Part in 'compress' | 'compressWhole']: NonNullable<Codec[Part]>;
};

const responseCodecs = codecs.filter((codec): codec is ResponseCodec => codec.compress !== undefined);

/** The codec for a response, chosen among those that the client accepts; undefined for none. */
export function responseCodec(accept: string | undefined): ResponseCodec | undefined {
  if (accept === undefined || accept === '' || accept === 'identity') return undefined;
  const accepted = new Map<string, number>();
  for (const entry of accept.toLowerCase().split(',')) {
    const [name, ...parameters] = entry.split(';').map((part) => part.trim());
    const quality = parameters.find((parameter) => parameter.startsWith('q='));
    accepted.set(name!, quality === undefined ? 1 : Number(quality.slice(2)));
  }
  const wanted = responseCodecs.filter((codec) => (accepted.get(codec.name) ?? accepted.get('*') ?? 0) > 0);
  return wanted.sort((left, right) => (accepted.get(right.name) ?? 0) - (accepted.get(left.name) ?? 0))[0];
}

const cutOff = 'the request was cut off';

/** The request's body as it was before its Content-Encoding; damaged data ends it with an error. */
export function requestBody(request: IncomingMessage): Readable {
  const encoding = (request.headers['content-encoding'] ?? '').toLowerCase();
  if (encoding === '' || encoding === 'identity') return request;
  const codec = codecNamed(encoding);
  if (codec === undefined) {
    const known = codecs.map((each) => each.name).join(', ');
    throw new SluiceError(
      'UNKNOWN_COMPRESSION_METHOD',
      `Unknown Content-Encoding '${encoding}': expected one of ${known}`,
    );
  }
  const stream = codec.decompress();
  request.on('error', (error) => stream.destroy(error));
  request.on('close', () => {
    if (!request.complete) stream.destroy(new Error(cutOff));
  });
  return request.pipe(stream);
}

/** Chunks of a body, with failures of decompression and cut connections told as errors of the request. */
export async function* bodyChunks(body: Readable): AsyncGenerator<Buffer, void, void> {
  try {
    // A request is kept when its reader stops early: the answer goes over the same connection.
    for await (const chunk of body.iterator({ destroyOnReturn: false })) yield chunk as Buffer;
  } catch (thrown) {
    const { code, message } = thrown as NodeJS.ErrnoException;
    if (code === 'ECONNRESET' || message === 'aborted' || message === cutOff) {
      throw new SluiceError('CANNOT_READ_ALL_DATA', 'The request was cut off before its end', {
        cause: thrown,
      });
    }
    throw new SluiceError('CANNOT_DECOMPRESS', `The body cannot be decompressed: ${message}`, {
      cause: thrown,
    });
  }
}

/** Reads away what is left of a request that was answered early, so that its connection can go on. */
export function discardRest(request: IncomingMessage): void {
  if (request.readableEnded || request.destroyed) return;
  request.unpipe();
  request.resume();
}

/** Stops reading a body; a client that is still waited for has to come again on another connection. */
export async function leaveBody(context: Context, chunks: AsyncGenerator<Buffer, void, void>): Promise<void> {
  const left = chunks.return().then(
    () => true,
    () => true,
  );
  const pending = new Promise<boolean>((resolve) => setImmediate(() => resolve(false)));
  if (!(await Promise.race([left, pending])) && !context.res.headersSent) context.set('Connection', 'close');
}
