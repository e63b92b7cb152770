import { isAscii } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { SluiceError } from '../base/index.ts';
import { type InsertHead, parseInsertHead } from '../parser/index.ts';

/** The text of a statement, and the data that comes with it as bytes. */
export interface StatementBody {
  readonly text: string;
  readonly data: AsyncIterable<Uint8Array> | Iterable<Uint8Array>;
  /** Whether the data follows the statement in one text. */
  readonly isInline: boolean;
}

const byteOrderMark = Buffer.from([0xef, 0xbb, 0xbf]);

/** Chunks that were read ahead, then the rest of where they came from, which is closed when the reader stops. */
export async function* following(
  first: readonly Uint8Array[],
  rest: AsyncIterator<Uint8Array> | null,
): AsyncIterable<Uint8Array> {
  try {
    for (const bytes of first) if (bytes.length > 0) yield bytes;
    if (rest === null) return;
    for (let step = await rest.next(); step.done !== true; step = await rest.next()) yield step.value;
  } finally {
    await rest?.return?.();
  }
}

/** The text of a statement; throws SYNTAX_ERROR when it is not UTF-8. */
export function decodeStatement(bytes: Buffer): string {
  if (isAscii(bytes)) return bytes.latin1Slice();
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: false }).decode(bytes);
  } catch {
    throw new SluiceError('SYNTAX_ERROR', 'Syntax error: the query is not valid UTF-8');
  }
}

/** The longest prefix that ends at a whole character. */
function wholeCharacters(bytes: Buffer): Buffer {
  let end = bytes.length;
  for (let back = 1; back <= 4 && back <= bytes.length; back++) {
    const byte = bytes[bytes.length - back]!;
    if ((byte & 0xc0) === 0x80) continue;
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    if (length > back) end = bytes.length - back;
    break;
  }
  return bytes.subarray(0, end);
}

/**
 * Splits `[INSERT ... FORMAT name` + data`]` where the data begins, so that data stays bytes and is not held in memory.
 * `bytes` is the body, or as much of it as was read; `rest` the chunks after it.
 */
function splitInsert(
  bytes: Buffer,
  rest: AsyncIterator<Uint8Array> | null,
  bytesMax: number,
): StatementBody | undefined {
  // Bytes map one to one to chars here, so offsets in the text are offsets in the body; the head's own text is decoded after.
  if (!mayBeInsert(bytes)) return undefined;
  const head = wholeCharacters(bytes.subarray(0, bytesMax)).latin1Slice();
  // Errors of a whole text are told by the engine, which sees its characters; here they only count when more data follows.
  const parsed =
    rest === null ? insertHead(head, bytesMax * 2) : parseInsertHead(head, { maxBytes: bytesMax * 2 });
  if (parsed === null || parsed.statement.data === null) return undefined;
  const { offset } = parsed;
  return {
    text: decodeStatement(bytes.subarray(0, offset)),
    data: rest === null ? [bytes.subarray(offset)] : following([bytes.subarray(offset)], rest),
    isInline: true,
  };
}

/** Whether a statement can be an INSERT, going by its first letter; remarks and brackets may stand before it. */
function mayBeInsert(bytes: Buffer): boolean {
  const first = bytes[0];
  return first === undefined || !(first === 0x53 || first === 0x73 || first === 0x57 || first === 0x77);
}

/** The head of an INSERT; null for other statements and for text that is no SQL. */
function insertHead(text: string, maxBytes: number): InsertHead | null {
  try {
    return parseInsertHead(text, { maxBytes });
  } catch (thrown) {
    if (thrown instanceof SluiceError) return null;
    throw thrown;
  }
}

/**
 * Reads a body that holds a statement, or goes on with one that began in the URL. The statement itself, without the data
 * of an INSERT, may have `bytesMax` bytes.
 */
export async function readStatement(
  query: string | null,
  chunks: AsyncIterable<Buffer>,
  bytesMax: number,
): Promise<StatementBody> {
  const iterator = chunks[Symbol.asyncIterator]();
  if (query !== null) {
    const head = insertHead(query, bytesMax);
    // With data in the body the statement ends with FORMAT; what stands after it in the URL comes first.
    if (head !== null && head.statement.query === null) {
      const hasData = query.slice(head.offset).trim() !== '';
      const first = hasData ? await iterator.next() : null;
      const data = first?.done === true ? [] : following(first === null ? [] : [first.value], iterator);
      return { text: query, data, isInline: false };
    }
  }
  const parts: Buffer[] = query === null ? [] : [Buffer.from(`${query}\n`)];
  let size = parts[0]?.length ?? 0;
  let ended = false;
  while (size <= bytesMax) {
    const step = await iterator.next();
    if (step.done === true) {
      ended = true;
      break;
    }
    parts.push(step.value);
    size += step.value.length;
  }
  const bytes = parts.length === 1 ? parts[0]! : Buffer.concat(parts);
  if (ended) return statementOf(bytes, bytesMax);
  const insert = splitInsert(withoutMark(bytes), iterator, bytesMax);
  if (insert !== undefined) return insert;
  await iterator.return?.();
  throw new SluiceError(
    'SYNTAX_ERROR',
    `Syntax error: the query has more than ${bytesMax} bytes (max_query_size)`,
  );
}

function withoutMark(bytes: Buffer): Buffer {
  return bytes.length >= 3 && bytes.subarray(0, 3).equals(byteOrderMark) ? bytes.subarray(3) : bytes;
}

/** The statement in a whole body, and its data. */
export function statementOf(body: Buffer, bytesMax: number): StatementBody {
  const bytes = withoutMark(body);
  const insert = splitInsert(bytes, null, bytesMax);
  return insert ?? { text: decodeStatement(bytes).trimEnd(), data: [], isInline: false };
}

/** Bytes up to which a body is taken whole, without a stream in between. */
const smallBodyBytesMax = 65_536;

/** Whether the request says that its body is small and as it is. */
export function hasSmallBody(request: IncomingMessage): boolean {
  const { headers } = request;
  const length = Number(headers['content-length'] ?? Number.NaN);
  return length <= smallBodyBytesMax && headers['content-encoding'] === undefined;
}

/** The whole body of a request; throws CANNOT_READ_ALL_DATA when it is cut off. */
export function wholeBody(request: IncomingMessage): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const parts: Buffer[] = [];
    request.on('data', (chunk: Buffer) => parts.push(chunk));
    request.once('end', () => resolve(parts.length === 1 ? parts[0]! : Buffer.concat(parts)));
    const cut = () =>
      reject(new SluiceError('CANNOT_READ_ALL_DATA', 'The request was cut off before its end'));
    request.once('error', cut);
    request.once('close', () => {
      if (!request.complete) cut();
    });
  });
}
