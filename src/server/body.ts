import { SluiceError } from '../base/index.ts';
import { type InsertHead, parseInsertHead } from '../parser/index.ts';

/** The text of a statement, and the data that comes with it as bytes. */
export interface StatementBody {
  readonly text: string;
  readonly data: AsyncIterable<Uint8Array> | Iterable<Uint8Array>;
}

const byteOrderMark = Buffer.from([0xef, 0xbb, 0xbf]);

async function* following(
  first: Uint8Array,
  rest: AsyncIterator<Uint8Array> | null,
): AsyncIterable<Uint8Array> {
  try {
    if (first.length > 0) yield first;
    if (rest === null) return;
    for (let step = await rest.next(); step.done !== true; step = await rest.next()) yield step.value;
  } finally {
    await rest?.return?.();
  }
}

/** The text of a statement; throws SYNTAX_ERROR when it is not UTF-8. */
export function decodeStatement(bytes: Buffer): string {
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
  const head = wholeCharacters(bytes.subarray(0, bytesMax)).latin1Slice();
  // Errors of a whole text are told by the engine, which sees its characters; here they only count when more data follows.
  const parsed =
    rest === null ? insertHead(head, bytesMax * 2) : parseInsertHead(head, { maxBytes: bytesMax * 2 });
  if (parsed === null || parsed.statement.data === null) return undefined;
  const { offset } = parsed;
  return { text: decodeStatement(bytes.subarray(0, offset)), data: following(bytes.subarray(offset), rest) };
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
    const format = insertHead(query, bytesMax)?.statement;
    // With data in the body the statement ends with FORMAT; what stands after it in the URL comes first.
    if (format !== undefined && format.query === null)
      return { text: query, data: following(Buffer.alloc(0), iterator) };
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
  let bytes = parts.length === 1 ? parts[0]! : Buffer.concat(parts);
  if (bytes.subarray(0, 3).equals(byteOrderMark)) bytes = bytes.subarray(3);
  const insert = splitInsert(bytes, ended ? null : iterator, bytesMax);
  if (insert !== undefined) return insert;
  await iterator.return?.();
  if (!ended) {
    throw new SluiceError(
      'SYNTAX_ERROR',
      `Syntax error: the query has more than ${bytesMax} bytes (max_query_size)`,
    );
  }
  return { text: decodeStatement(bytes).trimEnd(), data: [] };
}
