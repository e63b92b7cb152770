import { createReadStream } from 'node:fs';
import { readFile, stat, unlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import type { Context } from 'koa';
import { koaBody } from 'koa-body';
import { SluiceError } from '../base/index.ts';
import { decodeStatement, type StatementBody } from './body.ts';

/** Text fields are held in memory; data beyond this comes as a file, which goes to disk. */
const fieldBytesMax = 64 * 1024 * 1024;
const fileBytesMax = 1024 ** 4;

interface UploadedFile {
  readonly filepath: string;
}

interface ParsedForm {
  body?: Record<string, unknown>;
  files?: Record<string, UploadedFile | UploadedFile[]>;
}

/** A statement that came as a form. */
export interface FormBody extends StatementBody {
  /** Removes what was put on disk. */
  readonly clean: () => Promise<void>;
}

function parseForm(context: Context): Promise<void> {
  const parse = koaBody({
    multipart: true,
    urlencoded: false,
    json: false,
    text: false,
    formidable: {
      uploadDir: tmpdir(),
      maxFileSize: fileBytesMax,
      maxTotalFileSize: fileBytesMax,
      allowEmptyFiles: true,
      minFileSize: 0,
      maxFieldsSize: fieldBytesMax,
    },
  });
  return parse(context, async () => {});
}

function bad(message: string): SluiceError {
  return new SluiceError('BAD_ARGUMENTS', message);
}

/** The statement of a form: a field, a small file, or the URL's. */
async function formQuery(
  field: unknown,
  file: UploadedFile | undefined,
  fromUrl: string | null,
  bytesMax: number,
): Promise<string> {
  if (typeof field === 'string') return fromUrl === null ? field : `${fromUrl}\n${field}`;
  if (file === undefined) {
    if (fromUrl !== null) return fromUrl;
    throw bad("A multipart form needs a field 'query' with the INSERT statement");
  }
  if ((await stat(file.filepath)).size > bytesMax)
    throw bad(`The file in the form's field 'query' has more than ${bytesMax} bytes (max_query_size)`);
  return decodeStatement(await readFile(file.filepath));
}

/**
 * Reads a multipart form: the field `query` (or the URL's), and the field or file `data`, which goes to disk. Call `clean`
 * afterwards. Errors: INCORRECT_DATA, BAD_ARGUMENTS.
 */
export async function readForm(
  context: Context,
  fromUrl: string | null,
  bytesMax: number,
): Promise<FormBody> {
  try {
    await parseForm(context);
  } catch (thrown) {
    const why = (thrown as Error).message;
    throw new SluiceError('INCORRECT_DATA', `The multipart form cannot be read: ${why}`, { cause: thrown });
  }
  const { body: fields = {}, files = {} } = context.request as ParsedForm;
  const clean = async () => {
    const all = Object.values(files).flat();
    await Promise.all(all.map((file) => unlink(file.filepath).catch(() => {})));
  };
  try {
    const unknown = [...Object.keys(fields), ...Object.keys(files)].find(
      (name) => name !== 'query' && name !== 'data',
    );
    if (unknown !== undefined)
      throw bad(`The multipart form has an unknown field '${unknown}': expected 'query' and 'data'`);
    const [queryFile, dataFile] = [files['query'], files['data']].map((file) =>
      Array.isArray(file) ? file[0] : file,
    );
    const text = await formQuery(fields['query'], queryFile, fromUrl, bytesMax);
    const field = fields['data'];
    if (Array.isArray(field) || Array.isArray(files['data']))
      throw bad("The multipart form has the field 'data' more than once");
    if (dataFile !== undefined) return { text, data: createReadStream(dataFile.filepath), clean };
    return { text, data: typeof field === 'string' ? [Buffer.from(field)] : [], clean };
  } catch (thrown) {
    await clean();
    throw thrown;
  }
}
