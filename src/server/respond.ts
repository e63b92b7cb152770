import type { Context } from 'koa';
import { type SluiceError, toSluiceError } from '../base/index.ts';
import type { Block } from '../column/index.ts';
import type { QueryResult } from '../engine/index.ts';
import { type BlockWriter, createWriter } from '../formats/index.ts';
import { serverTimeZone } from '../types/index.ts';
import { responseBrands } from './brands.ts';
import { type Codec, responseCodec } from './compression.ts';

/** Sets the headers that describe a result; `elapsed` in nanoseconds. */
function describeResult(context: Context, result: QueryResult, format: string | null, elapsed: number): void {
  const { progress } = result;
  const summary = JSON.stringify({
    read_rows: String(progress.readRows),
    read_bytes: String(progress.readBytes),
    written_rows: String(progress.writtenRows),
    written_bytes: String(progress.writtenBytes),
    total_rows_to_read: '0',
    result_rows: String(progress.resultRows),
    result_bytes: String(progress.resultBytes),
    elapsed_ns: String(Math.round(elapsed)),
  });
  for (const brand of responseBrands(context.req.headers)) {
    context.set(`${brand}Query-Id`, result.queryId);
    if (format !== null) context.set(`${brand}Format`, format);
    context.set(`${brand}Timezone`, serverTimeZone);
    context.set(`${brand}Summary`, summary);
  }
}

/** A response whose bytes are sent as they come, with the client's pace. */
class StreamedResponse {
  readonly #context: Context;
  readonly #out: NodeJS.WritableStream;
  readonly #codec: ReturnType<Codec['compress']> | null;

  constructor(context: Context, codec: Codec | undefined) {
    this.#context = context;
    // From here on the response is ours, not Koa's.
    context.respond = false;
    context.res.statusCode = 200;
    if (codec === undefined) {
      this.#codec = null;
      this.#out = context.res;
    } else {
      context.res.setHeader('Content-Encoding', codec.name);
      this.#codec = codec.compress();
      this.#codec.pipe(context.res);
      this.#out = this.#codec;
    }
  }

  get closed(): boolean {
    return this.#context.res.destroyed || this.#context.res.writableEnded;
  }

  /** Resolves when the client has taken enough for more to be sent. */
  write(bytes: Uint8Array): Promise<void> | null {
    if (bytes.length === 0 || this.closed) return null;
    const ready = this.#out.write(bytes);
    this.#codec?.flush();
    if (ready) return null;
    return new Promise((resolve) => {
      const go = () => {
        this.#out.off('drain', go);
        this.#context.res.off('close', go);
        resolve();
      };
      this.#out.once('drain', go);
      this.#context.res.once('close', go);
    });
  }

  end(bytes: Uint8Array): void {
    if (!this.closed) this.#out.end(bytes);
  }

  /** Ends with a line that holds the error, and cuts the connection so that nobody takes this for a whole result. */
  fail(error: SluiceError): void {
    const { res } = this.#context;
    if (this.closed) return;
    const line = Buffer.from(`\n${JSON.stringify({ exception: error.exceptionText })}\n`);
    const cut = () => res.destroy();
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
  /** Bytes held back before the response is begun. */
  readonly bufferBytes: number;
  /** Whether the whole result is held back, so that an error always has its status. */
  readonly whole: boolean;
  /** Milliseconds of the monotonic clock, at the start of the request and now. */
  readonly startedAt: number;
  readonly now: () => number;
}

function finishBytes(writer: BlockWriter, result: QueryResult, options: ResponseOptions): Uint8Array {
  return writer.finish({
    rows: result.progress.resultRows,
    elapsedSeconds: (options.now() - options.startedAt) / 1000,
    rowsRead: result.progress.readRows,
    bytesRead: result.progress.readBytes,
  });
}

/** Answers with a result: at once when it is small, else as it is computed. Throws what happens before the first byte. */
export async function respond(
  context: Context,
  result: QueryResult,
  options: ResponseOptions,
): Promise<void> {
  const codec = responseCodec(context.req.headers['accept-encoding']);
  const elapsed = () => (options.now() - options.startedAt) * 1e6;
  if (!result.hasRows) {
    describeResult(context, result, null, elapsed());
    context.status = 200;
    context.type = 'text/plain; charset=UTF-8';
    context.body = '';
    return;
  }
  const writer = createWriter(options.format, result.columns, result.settings);
  const held: Uint8Array[] = [writer.start()];
  let size = held[0]!.length;
  for (let block = await take(result); block !== null; block = await take(result)) {
    const bytes = writer.block(block);
    held.push(bytes);
    size += bytes.length;
    result.progress.resultBytes += bytes.length;
    if (!options.whole && (result.streaming || size > options.bufferBytes)) {
      describeResult(context, result, options.format, elapsed());
      context.type = writer.contentType;
      await stream(context, result, writer, held, codec, options);
      return;
    }
  }
  held.push(finishBytes(writer, result, options));
  describeResult(context, result, options.format, elapsed());
  context.status = 200;
  context.type = writer.contentType;
  const whole = held.length === 1 ? Buffer.from(held[0]!) : Buffer.concat(held);
  if (codec === undefined) context.body = whole;
  else {
    context.set('Content-Encoding', codec.name);
    context.body = codec.compressNow(whole);
  }
}

function take(result: QueryResult): Block | null | Promise<Block | null> {
  return result.next();
}

async function stream(
  context: Context,
  result: QueryResult,
  writer: BlockWriter,
  held: readonly Uint8Array[],
  codec: Codec | undefined,
  options: ResponseOptions,
): Promise<void> {
  const response = new StreamedResponse(context, codec);
  try {
    for (const bytes of held) await response.write(bytes);
    for (let block = await result.next(); block !== null; block = await result.next()) {
      const bytes = writer.block(block);
      result.progress.resultBytes += bytes.length;
      const wait = response.write(bytes);
      if (wait !== null) await wait;
      if (response.closed) return;
    }
    response.end(finishBytes(writer, result, options));
  } catch (thrown) {
    response.fail(toSluiceError(thrown));
  } finally {
    result.close();
  }
}
