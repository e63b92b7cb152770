import { isAscii } from 'node:buffer';
import { randomBytes } from 'node:crypto';
import type { Context } from 'koa';
import { type Clock, SluiceError, toSluiceError } from '../base/index.ts';
import type { QueryResult } from '../engine/index.ts';
import { type BlockWriter, createWriter, type FormatSchemas } from '../formats/index.ts';
import { serverTimeZone } from '../types/index.ts';
import { exceptionText, isClickHouseClient, responseBrands } from './brands.ts';
import { type ResponseCodec, responseCodec } from './compression.ts';

/** Headers as Node's writeHead takes them: names and values in turn. */
type HeaderList = string[];

/** The headers that describe a result; `elapsed` in nanoseconds. */
function resultHeaders(
  context: Context,
  result: QueryResult,
  format: string | null,
  elapsed: number,
): HeaderList {
  const { readRows, readBytes, writtenRows, writtenBytes, resultRows, resultBytes } = result.progress;
  const summary = `{"read_rows":"${readRows}","read_bytes":"${readBytes}","written_rows":"${writtenRows}","written_bytes":"${writtenBytes}","total_rows_to_read":"0","result_rows":"${resultRows}","result_bytes":"${resultBytes}","elapsed_ns":"${Math.round(elapsed)}"}`;
  const headers: HeaderList = [];
  for (const brand of responseBrands(context.req.headers)) {
    headers.push(`${brand}Query-Id`, result.queryId, `${brand}Timezone`, serverTimeZone);
    if (format !== null) headers.push(`${brand}Format`, format);
    headers.push(`${brand}Summary`, summary);
  }
  return headers;
}

function setHeaders(context: Context, headers: HeaderList): void {
  for (let at = 0; at < headers.length; at += 2) context.res.setHeader(headers[at]!, headers[at + 1]!);
}

/** Sends a whole answer: head and body in one write where the request has been read to its end. */
function sendWhole(
  context: Context,
  headers: HeaderList,
  contentType: string,
  body: Buffer | string,
  options: ResponseOptions,
): void {
  const { req, res } = context;
  // Else something still has to be done about the rest of the request before the answer goes out.
  if (context.method !== 'POST' || !req.complete) {
    setHeaders(context, headers);
    context.status = 200;
    context.type = contentType;
    context.body = body;
    return;
  }
  context.respond = false;
  // Text that goes out as a string is ASCII.
  headers.push('Content-Type', contentType, 'Content-Length', String(body.length));
  if (options.isLast()) headers.push('Connection', 'close');
  res.writeHead(200, headers);
  res.end(body);
}

/** Milliseconds that a client has to take the last line of a response that failed. */
const farewellMilliseconds = 5_000;
/** Milliseconds after which such a connection is cut, so that a client has read the line when it notices. */
const cutMilliseconds = 100;

/** The header that announces to clients for ClickHouse how an error after the first byte is marked. */
const exceptionTagHeader = 'X-ClickHouse-Exception-Tag';

/** An error after the first byte, as the last line of a body; clients for ClickHouse find it by its tag. */
function farewell(context: Context, error: SluiceError): Buffer {
  const text = exceptionText(context.req.headers, error);
  const tag = context.res.getHeader(exceptionTagHeader);
  if (tag === undefined) return Buffer.from(`\n${JSON.stringify({ exception: text })}\n`);
  const message = `${text}\n`;
  const marker = '__exception__';
  return Buffer.from(
    `\r\n${marker}\r\n${tag}\r\n${message}${Buffer.byteLength(message)} ${tag}\r\n${marker}\r\n`,
  );
}

/** A response whose bytes are sent as they come, with the client's pace. */
class StreamedResponse {
  readonly #context: Context;
  readonly #out: NodeJS.WritableStream;
  readonly #codec: ReturnType<ResponseCodec['compress']> | null;

  constructor(context: Context, codec: ResponseCodec | undefined) {
    this.#context = context;
    const { res } = context;
    // From here on the response is ours, not Koa's.
    context.respond = false;
    res.statusCode = 200;
    if (isClickHouseClient(context.req.headers))
      res.setHeader(exceptionTagHeader, randomBytes(8).toString('hex'));
    if (codec === undefined) {
      this.#codec = null;
      this.#out = res;
    } else {
      res.setHeader('Content-Encoding', codec.name);
      const compress = codec.compress();
      compress.on('error', () => res.destroy());
      compress.pipe(res);
      res.once('close', () => compress.destroy());
      this.#codec = compress;
      this.#out = compress;
    }
  }

  get closed(): boolean {
    return this.#context.res.destroyed || this.#context.res.writableEnded;
  }

  /** Resolves when the client has taken enough for more to be sent, or when `stop` says that it need not be waited for. */
  write(bytes: Uint8Array, stop: (end: () => void) => () => void): Promise<void> | null {
    if (bytes.length === 0 || this.closed) return null;
    const ready = this.#out.write(bytes);
    this.#codec?.flush();
    if (ready) return null;
    return new Promise((resolve) => {
      const go = () => {
        this.#out.off('drain', go);
        this.#context.res.off('close', go);
        forget();
        resolve();
      };
      const forget = stop(go);
      this.#out.once('drain', go);
      this.#context.res.once('close', go);
    });
  }

  end(bytes: Uint8Array): void {
    if (!this.closed) this.#out.end(bytes);
  }

  /** Ends with a line that holds the error, and cuts the connection so that nobody takes this for a whole result. */
  fail(error: SluiceError, clock: Clock): void {
    const { res } = this.#context;
    if (this.closed) return;
    const line = farewell(this.#context, error);
    // A client that reads no more never takes the line.
    const patience = clock.after(farewellMilliseconds, () => res.destroy());
    const cut = () => {
      patience.cancel();
      clock.after(cutMilliseconds, () => res.destroy());
    };
    if (this.#codec === null) res.write(line, cut);
    else {
      this.#codec.write(line);
      this.#codec.flush(() => res.write('', cut));
    }
  }
}

/** How a result is sent, as the request and its statement ask for it. */
export interface ResponseOptions {
  readonly format: string;
  readonly schemas: FormatSchemas;
  /** Bytes held back before the response is begun. */
  readonly bufferBytes: number;
  /** Whether the whole result is held back, so that an error always has its status. */
  readonly whole: boolean;
  readonly clock: Clock;
  /** Milliseconds of the monotonic clock at the start of the request. */
  readonly startedAt: number;
  /** Whether the connection ends with this answer, because the server stops. */
  readonly isLast: () => boolean;
  /** Told of an error that comes after the response has begun. */
  readonly failed: (error: SluiceError) => void;
}

function finishBytes(writer: BlockWriter, result: QueryResult, options: ResponseOptions): Uint8Array {
  return writer.finish({
    rows: result.progress.resultRows,
    elapsedSeconds: (options.clock.monotonic() - options.startedAt) / 1000,
    rowsRead: result.progress.readRows,
    bytesRead: result.progress.readBytes,
  });
}

/** Whether bytes are a short ASCII text, which is the same thing as a string. */
function isSmallText(bytes: Buffer, contentType: string): boolean {
  return bytes.length <= 16_384 && isAscii(bytes) && contentType !== 'application/octet-stream';
}

/** Answers with a result: at once when it is small, else as it is computed. Throws what happens before the first byte. */
export async function respond(
  context: Context,
  result: QueryResult,
  options: ResponseOptions,
): Promise<void> {
  const codec = responseCodec(context.req.headers['accept-encoding']);
  const elapsed = () => (options.clock.monotonic() - options.startedAt) * 1e6;
  if (!result.hasRows) {
    sendWhole(
      context,
      resultHeaders(context, result, null, elapsed()),
      'text/plain; charset=UTF-8',
      '',
      options,
    );
    return;
  }
  const again = codec === undefined ? result.kept?.bodies.get(options.format) : undefined;
  if (again !== undefined && again.settings === result.settings) {
    result.progress.resultRows = again.rows;
    const headers = resultHeaders(context, result, options.format, elapsed());
    sendWhole(context, headers, again.contentType, again.body, options);
    return;
  }
  const writer = createWriter(options.format, result.columns, result.settings, options.schemas);
  const held: Uint8Array[] = [writer.start()];
  let size = held[0]!.length;
  for (let block = await result.next(); block !== null; block = await result.next()) {
    const bytes = writer.block(block);
    held.push(bytes);
    size += bytes.length;
    countBytes(result, bytes);
    if (!options.whole && (result.streaming || size > options.bufferBytes)) {
      setHeaders(context, resultHeaders(context, result, options.format, elapsed()));
      context.type = writer.contentType;
      await stream(context, result, writer, held, codec, options);
      return;
    }
  }
  held.push(finishBytes(writer, result, options));
  const headers = resultHeaders(context, result, options.format, elapsed());
  const whole = held.length === 1 ? Buffer.from(held[0]!) : Buffer.concat(held);
  if (codec !== undefined) {
    headers.push('Content-Encoding', codec.name);
    sendWhole(context, headers, writer.contentType, await codec.compressWhole(whole), options);
    return;
  }
  // Text goes out in one piece with its head.
  const body = isSmallText(whole, writer.contentType) ? whole.latin1Slice() : whole;
  sendWhole(context, headers, writer.contentType, body, options);
  if (result.kept === undefined || !sameEachTime.test(options.format)) return;
  const { settings, progress } = result;
  result.kept.bodies.set(options.format, {
    settings,
    contentType: writer.contentType,
    body,
    rows: progress.resultRows,
  });
}

/** Formats whose output is made of the rows alone, without the time it took. */
const sameEachTime = /^(?:TabSeparated|CSV|JSONEachRow$|JSONCompactEachRow|Values$|Vertical$|RowBinary)/;

/** Counts bytes of output and throws when they are more than the result may have. */
function countBytes(result: QueryResult, bytes: Uint8Array): void {
  result.progress.resultBytes += bytes.length;
  const most = result.settings.max_result_bytes;
  if (most > 0 && result.progress.resultBytes > most)
    throw new SluiceError('TOO_MANY_BYTES', `Limit for result bytes exceeded: max_result_bytes = ${most}`);
}

/** What ends the wait for a client that does not read: the query's cancellation, and the end of its time. */
function stopOf(result: QueryResult, options: ResponseOptions): (end: () => void) => () => void {
  const seconds = result.settings.max_execution_time;
  return (end) => {
    const { signal } = result;
    if (signal.aborted) queueMicrotask(end);
    signal.addEventListener('abort', end, { once: true });
    const spent = options.clock.monotonic() - options.startedAt;
    const timer = seconds > 0 ? options.clock.after(Math.max(0, seconds * 1000 - spent), end) : undefined;
    return () => {
      signal.removeEventListener('abort', end);
      timer?.cancel();
    };
  };
}

async function stream(
  context: Context,
  result: QueryResult,
  writer: BlockWriter,
  held: readonly Uint8Array[],
  codec: ResponseCodec | undefined,
  options: ResponseOptions,
): Promise<void> {
  const response = new StreamedResponse(context, codec);
  const stop = stopOf(result, options);
  try {
    if (context.method === 'HEAD') {
      response.end(Buffer.alloc(0));
      return;
    }
    for (const bytes of held) await response.write(bytes, stop);
    // A query that was told to stop while its client did not read says so when it is asked for its next block.
    for (let block = await result.next(); block !== null; block = await result.next()) {
      const bytes = writer.block(block);
      countBytes(result, bytes);
      const wait = response.write(bytes, stop);
      if (wait !== null) await wait;
      if (response.closed) return;
    }
    response.end(finishBytes(writer, result, options));
  } catch (thrown) {
    const error = toSluiceError(thrown);
    options.failed(error);
    response.fail(error, options.clock);
  } finally {
    result.close();
  }
}
