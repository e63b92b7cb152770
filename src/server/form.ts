import { createReadStream, createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { SluiceError } from '../base/index.ts';
import { decodeStatement, type StatementBody } from './body.ts';
import { boundaryOf, MultipartReader, type Part } from './multipart.ts';

/** A statement that came as a form. */
export interface FormBody extends StatementBody {
  /** Removes what was put on disk. */
  readonly clean: () => Promise<void>;
}

function bad(message: string): SluiceError {
  return new SluiceError('BAD_ARGUMENTS', message);
}

async function textOf(part: Part, bytesMax: number): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of part.content) {
    size += chunk.length;
    if (size > bytesMax)
      throw bad(`The form's field '${part.name}' has more than ${bytesMax} bytes (max_query_size)`);
    chunks.push(chunk);
  }
  return decodeStatement(Buffer.concat(chunks));
}

/** The data of the last part; what comes after it is looked at too, because a form that is cut must not count. */
async function* lastPart(part: Part, reader: MultipartReader): AsyncIterable<Buffer> {
  yield* part.content;
  const next = await reader.next();
  if (next === null) return;
  throw next.name === 'query'
    ? bad("The multipart form has a field 'query' though the statement was given before 'data'")
    : unexpected(next);
}

function unexpected(part: Part): SluiceError {
  return bad(
    part.name === 'data'
      ? "The multipart form has the field 'data' twice"
      : `The multipart form has an unknown field '${part.name}': expected 'query' and 'data'`,
  );
}

/** Data that came before its statement, kept on disk meanwhile. */
interface Spooled {
  readonly data: AsyncIterable<Buffer>;
  readonly clean: () => Promise<void>;
}

async function spool(part: Part): Promise<Spooled> {
  const directory = await mkdtemp(join(tmpdir(), 'sluice-upload-'));
  const clean = () => rm(directory, { recursive: true, force: true });
  const file = join(directory, 'data');
  try {
    await pipeline(Readable.from(part.content), createWriteStream(file));
  } catch (thrown) {
    await clean();
    throw thrown;
  }
  return { data: createReadStream(file), clean };
}

/**
 * Reads a multipart form: the field `query` (or the URL's statement) and the field or file `data`. Data that follows its
 * statement is handed on as it comes; data before it goes to disk. Call `clean` afterwards. Errors: INCORRECT_DATA for what
 * is no form, BAD_ARGUMENTS for other fields than these.
 */
export async function readForm(
  contentType: string,
  chunks: AsyncIterable<Buffer>,
  fromUrl: string | null,
  bytesMax: number,
): Promise<FormBody> {
  const reader = new MultipartReader(chunks, boundaryOf(contentType));
  let text = fromUrl;
  let asked = false;
  let spooled: Spooled | null = null;
  const clean = async () => spooled?.clean();
  try {
    for (let part = await reader.next(); part !== null; part = await reader.next()) {
      if (part.name === 'query' && !asked) {
        const field = await textOf(part, bytesMax);
        text = text === null ? field : `${text}\n${field}`;
        asked = true;
      } else if (part.name === 'data' && spooled === null) {
        if (text !== null) return { text, data: lastPart(part, reader), isInline: false, clean };
        spooled = await spool(part);
      } else if (part.name === 'query') throw bad("The multipart form has the field 'query' twice");
      else throw unexpected(part);
    }
    if (text === null) throw bad("A multipart form needs a field 'query' with the INSERT statement");
    return { text, data: spooled?.data ?? [], isInline: false, clean };
  } catch (thrown) {
    await clean();
    throw thrown;
  }
}
