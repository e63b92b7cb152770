import { SluiceError } from '../../base/index.ts';
import { following } from '../body.ts';

/** The rows of an ingest request: by name as they came, or by position under a list of columns. */
export interface IngestBody {
  readonly columns: readonly string[] | null;
  readonly data: AsyncIterable<Uint8Array> | Uint8Array;
}

/** Bytes in which `{"columns": ...` must show itself. */
const peekBytes = 4096;
/** The most that a body of the form {columns, data} may have: it is read whole. */
const compactBytesMax = 256 * 1024 * 1024;

interface Source {
  readonly source?: string;
}

/** JSON with the text of its numbers kept, so that 64-bit integers lose nothing. */
function parseExact(text: string): unknown {
  const keep = (_: string, value: unknown, context?: Source) =>
    typeof value === 'number' && context?.source !== undefined ? rawJson(context.source) : value;
  return JSON.parse(text, keep as (key: string, value: unknown) => unknown);
}

function rawJson(text: string): unknown {
  return (JSON as unknown as { rawJSON: (text: string) => unknown }).rawJSON(text);
}

function compactBody(text: string): IngestBody | null {
  let parsed: unknown;
  try {
    parsed = parseExact(text);
  } catch {
    return null;
  }
  const { columns, data, ...rest } = parsed as { columns?: unknown; data?: unknown };
  if (!Array.isArray(columns) || !Array.isArray(data) || Object.keys(rest).length > 0) return null;
  if (!columns.every((column): column is string => typeof column === 'string'))
    throw new SluiceError('INCORRECT_DATA', "'columns' must be a list of column names");
  const bad = data.findIndex((row) => !Array.isArray(row) || row.length !== columns.length);
  if (bad >= 0)
    throw new SluiceError(
      'INCORRECT_DATA',
      `data[${bad}] must be a list of ${columns.length} values, one for each column`,
    );
  return { columns, data: Buffer.from(data.map((row) => JSON.stringify(row)).join('\n')) };
}

/** Tells `{"columns": [...], "data": [[...], ...]}` from rows as objects, which are handed on as they come. */
export async function ingestBody(chunks: AsyncIterable<Buffer>): Promise<IngestBody> {
  const iterator = chunks[Symbol.asyncIterator]();
  const read: Buffer[] = [];
  let size = 0;
  const more = async (most: number) => {
    while (size < most) {
      const step = await iterator.next();
      if (step.done === true) return;
      read.push(step.value);
      size += step.value.length;
    }
  };
  await more(peekBytes);
  if (size === 0)
    throw new SluiceError('RECEIVED_EMPTY_DATA', 'The body is empty: expected a JSON object, or several');
  const start = Buffer.concat(read).subarray(0, peekBytes).latin1Slice();
  if (/^\s*\{\s*"(?:columns"\s*:\s*\[|data"\s*:\s*\[)/.test(start)) {
    await more(compactBytesMax);
    const body = size >= compactBytesMax ? null : compactBody(Buffer.concat(read).toString('utf8'));
    if (body !== null) return body;
  }
  return { columns: null, data: following(read, iterator) };
}
