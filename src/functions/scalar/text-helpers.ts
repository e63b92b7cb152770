import { SluiceError } from '../../base/index.ts';
import { isAscii } from '../../types/index.ts';

/** The most bytes that a function makes of shorter arguments. */
export const textBytesMax = 64 * 1024 * 1024;

/** Throws TOO_LARGE_STRING_SIZE for a result that would take more memory than a query should ask for. */
export function assertTextSize(name: string, bytes: number): void {
  if (bytes > textBytesMax) {
    throw new SluiceError(
      'TOO_LARGE_STRING_SIZE',
      `Function ${name} would make a text of ${bytes} bytes: at most ${textBytesMax} are allowed`,
    );
  }
}

/** A byte string with its ASCII letters in lower case; other bytes stay, as they may be parts of characters. */
export function lowerAscii(text: string): string {
  return isAscii(text) ? text.toLowerCase() : text.replace(/[A-Z]+/g, (run) => run.toLowerCase());
}

/** A byte string with its ASCII letters in upper case. */
export function upperAscii(text: string): string {
  return isAscii(text) ? text.toUpperCase() : text.replace(/[a-z]+/g, (run) => run.toUpperCase());
}
