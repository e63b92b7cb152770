import type { IncomingMessage } from 'node:http';
import type { Readable, Transform } from 'node:stream';
import { promisify } from 'node:util';
import zlib from 'node:zlib';
import type { Context } from 'koa';
import { SluiceError } from '../base/index.ts';

interface Codec {
  readonly name: string;
  readonly compress: () => Transform & { flush: (callback?: () => void) => void };
  /** Compresses a whole body, off this thread. */
  readonly compressWhole: (data: Buffer) => Promise<Buffer>;
  readonly decompress: () => Transform;
}

const { constants } = zlib;
const [zstdWhole, gzipWhole, brotliWhole, deflateWhole] = [
  promisify(zlib.zstdCompress),
  promisify(zlib.gzip),
  promisify(zlib.brotliCompress),
  promisify(zlib.deflate),
];
const brotli = { flush: constants.BROTLI_OPERATION_PROCESS, params: { [constants.BROTLI_PARAM_QUALITY]: 4 } };

/** The codecs of requests and responses, those preferred for responses first. */
const codecs: readonly Codec[] = [
  {
    name: 'zstd',
    compress: () => zlib.createZstdCompress(),
    compressWhole: (data) => zstdWhole(data),
    decompress: () => zlib.createZstdDecompress(),
  },
  {
    name: 'gzip',
    compress: () => zlib.createGzip({ level: 3 }),
    compressWhole: (data) => gzipWhole(data, { level: 3 }),
    decompress: () => zlib.createGunzip(),
  },
  {
    name: 'br',
    compress: () => zlib.createBrotliCompress(brotli),
    compressWhole: (data) => brotliWhole(data, brotli),
    decompress: () => zlib.createBrotliDecompress(),
  },
  {
    name: 'deflate',
    compress: () => zlib.createDeflate({ level: 3 }),
    compressWhole: (data) => deflateWhole(data, { level: 3 }),
    decompress: () => zlib.createInflate(),
  },
];

/** The codec for a response, chosen among those that the client accepts; undefined for none. */
export function responseCodec(accept: string | undefined): Codec | undefined {
  if (accept === undefined || accept === '' || accept === 'identity') return undefined;
  const accepted = new Map<string, number>();
  for (const entry of accept.toLowerCase().split(',')) {
    const [name, ...parameters] = entry.split(';').map((part) => part.trim());
    const quality = parameters.find((parameter) => parameter.startsWith('q='));
    accepted.set(name!, quality === undefined ? 1 : Number(quality.slice(2)));
  }
  const wanted = codecs.filter((codec) => (accepted.get(codec.name) ?? accepted.get('*') ?? 0) > 0);
  return wanted.sort((left, right) => (accepted.get(right.name) ?? 0) - (accepted.get(left.name) ?? 0))[0];
}

export type { Codec };

const cutOff = 'the request was cut off';

/** The request's body as it was before its Content-Encoding; damaged data ends it with an error. */
export function requestBody(request: IncomingMessage): Readable {
  const encoding = (request.headers['content-encoding'] ?? '').toLowerCase();
  if (encoding === '' || encoding === 'identity') return request;
  const codec = codecs.find(
    (each) => each.name === encoding || (encoding === 'x-gzip' && each.name === 'gzip'),
  );
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
