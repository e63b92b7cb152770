import { dirname } from 'node:path';
import { SluiceError } from '../base/index.ts';
import type { FileSystem, OpenFile } from './file-system.ts';

/** The `code` of a failed system call, such as ENOENT; undefined for other errors. */
export function systemErrorCode(thrown: unknown): string | undefined {
  if (!(thrown instanceof Error) || !('code' in thrown)) return undefined;
  return typeof thrown.code === 'string' ? thrown.code : undefined;
}

/** What a failed write means for the client. */
export function writeError(thrown: unknown, what: string): SluiceError {
  if (thrown instanceof SluiceError) return thrown;
  const code = systemErrorCode(thrown);
  const full = code === 'ENOSPC' || code === 'EDQUOT';
  const reason = thrown instanceof Error ? thrown.message : String(thrown);
  return new SluiceError(
    full ? 'NOT_ENOUGH_SPACE' : 'CANNOT_WRITE_TO_FILE',
    `Cannot write ${what}: ${full ? 'no space is left on the disk' : reason}`,
    { cause: thrown },
  );
}

/** Writes all of the buffers, going on where a short write ended; returns the bytes written. */
export async function writeAll(
  file: OpenFile,
  buffers: readonly Uint8Array[],
  position: number,
): Promise<number> {
  const total = buffers.reduce((sum, buffer) => sum + buffer.byteLength, 0);
  let done = 0;
  let rest = buffers;
  while (done < total) {
    const written = await file.write(rest, position + done);
    if (written <= 0)
      throw new SluiceError('CANNOT_WRITE_TO_FILE', 'The disk took none of the bytes written');
    done += written;
    if (done < total) rest = withoutBytes(rest, written);
  }
  return total;
}

function withoutBytes(buffers: readonly Uint8Array[], bytes: number): readonly Uint8Array[] {
  let left = bytes;
  let first = 0;
  while (left >= buffers[first]!.byteLength) left -= buffers[first++]!.byteLength;
  return [buffers[first]!.subarray(left), ...buffers.slice(first + 1)];
}

/** All bytes of a file; undefined when there is none. */
export async function readWhole(
  fileSystem: FileSystem,
  path: string,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  let file: OpenFile;
  try {
    file = await fileSystem.open(path, 'read');
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
  try {
    const bytes = new Uint8Array(await file.size());
    return bytes.subarray(0, await file.read(bytes, 0));
  } finally {
    await file.close();
  }
}

/** Puts a file with these bytes in place of whatever had the name: after a crash there is the old or the new one. */
export async function replaceFile(fileSystem: FileSystem, path: string, bytes: Uint8Array): Promise<void> {
  const temporary = `${path}.tmp`;
  const file = await fileSystem.open(temporary, 'replace');
  try {
    await writeAll(file, [bytes], 0);
    await file.sync();
  } finally {
    await file.close();
  }
  await fileSystem.rename(temporary, path);
  await fileSystem.syncDirectory(dirname(path));
}
