import { limits, SluiceError } from '../base/index.ts';
import { parseInsertHead } from '../parser/index.ts';

/** The text of a statement, and the data that comes with it as bytes. */
export interface StatementBody {
  readonly text: string;
  readonly data: AsyncIterable<Uint8Array> | Iterable<Uint8Array>;
}

const insertStart = /^(?:\s|;|--[^\n]*\n|#[! ][^\n]*\n|\/\*[\s\S]*?\*\/)*insert\b/i;

async function* following(
  first: Uint8Array,
  rest: AsyncIterator<Uint8Array> | null,
): AsyncIterable<Uint8Array> {
  if (first.length > 0) yield first;
  if (rest === null) return;
  for (let step = await rest.next(); step.done !== true; step = await rest.next()) yield step.value;
}

function decode(bytes: Buffer): string {
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
function splitInsert(bytes: Buffer, rest: AsyncIterator<Uint8Array> | null): StatementBody | undefined {
  // Bytes map one to one to chars here, so offsets in the text are offsets in the body; the head's own text is decoded after.
  const head = wholeCharacters(bytes.subarray(0, limits.query_text_bytes_max)).latin1Slice();
  if (!insertStart.test(head)) return undefined;
  const parsed = parseInsertHead(head);
  if (parsed === null || parsed.statement.data === null) return undefined;
  const { offset } = parsed;
  return { text: decode(bytes.subarray(0, offset)), data: following(bytes.subarray(offset), rest) };
}

/** Reads a body that holds a statement, or goes on with one that began in the URL. */
export async function readStatement(
  query: string | null,
  chunks: AsyncIterable<Buffer>,
): Promise<StatementBody> {
  const iterator = chunks[Symbol.asyncIterator]();
  if (query !== null && insertStart.test(query)) {
    const parsed = parseInsertHead(query);
    const format = parsed?.statement;
    // With data in the body the statement ends with FORMAT; what stands after it in the URL comes first.
    if (format !== undefined && format.query === null) {
      return { text: query, data: following(Buffer.alloc(0), iterator) };
    }
  }
  const parts: Buffer[] = query === null ? [] : [Buffer.from(`${query}\n`)];
  let size = parts[0]?.length ?? 0;
  let ended = false;
  while (size <= limits.query_text_bytes_max) {
    const step = await iterator.next();
    if (step.done === true) {
      ended = true;
      break;
    }
    parts.push(step.value);
    size += step.value.length;
  }
  const bytes = parts.length === 1 ? parts[0]! : Buffer.concat(parts);
  const insert = splitInsert(bytes, ended ? null : iterator);
  if (insert !== undefined) return insert;
  if (!ended) {
    throw new SluiceError(
      'SYNTAX_ERROR',
      `Syntax error: the query has more than ${limits.query_text_bytes_max} bytes (max_query_size)`,
    );
  }
  return { text: decode(bytes).trimEnd(), data: [] };
}
