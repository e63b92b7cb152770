import type { InsertStatement, SettingAssignment } from '../ast/index.ts';
import { SluiceError } from '../base/index.ts';
import { parseInsertTail } from '../parser/index.ts';
import type { Request } from './request.ts';

/** Bytes at the end of the data in which the clause is looked for. */
const tailBytesMax = 4096;

interface ValuesTail {
  readonly settings: readonly SettingAssignment[];
  /** The request with the rows alone as its data. */
  readonly request: Request;
}

/**
 * The SETTINGS that stand behind the last row of VALUES; null when there are none. They are looked for when the whole text
 * is there, which it is up to `max_query_size`: a longer INSERT has its settings before VALUES.
 */
export function valuesTail(request: Request, statement: InsertStatement): ValuesTail | null {
  const format = statement.data?.format ?? statement.format ?? 'Values';
  if (format.toLowerCase() !== 'values' || statement.infile !== null || !Array.isArray(request.data))
    return null;
  const inText = statement.data === null ? '' : request.text.slice(statement.data.offset);
  const data = Buffer.concat([Buffer.from(inText, 'utf8'), ...(request.data as Uint8Array[])]);
  // One char a byte, so that places in the text are places in the data.
  const from = Math.max(0, data.length - tailBytesMax);
  const found = /\)\s*(settings\s.*)$/is.exec(data.latin1Slice(from));
  if (found === null) return null;
  const start = from + found.index + found[0].length - found[1]!.length;
  try {
    const settings = parseInsertTail(data.utf8Slice(start), 0);
    return {
      settings,
      request: { ...request, text: '', data: [data.subarray(0, start)], isDataInline: true },
    };
  } catch (thrown) {
    // The word stood in a value, or the clause is wrong: then the reader of the rows tells where.
    if (thrown instanceof SluiceError) return null;
    throw thrown;
  }
}
