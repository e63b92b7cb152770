/*
 * A SQL string is a sequence of bytes. Inside the engine it is a byte string: a JavaScript string with one char per
 * byte. Length, comparison, concatenation and slicing are then those of bytes, exactly, and V8 keeps such strings at
 * one byte per char. Only the edges of the engine (SQL text, JavaScript callers) see ordinary text.
 */

const ascii = /^[\x00-\x7f]*$/;

/** Whether text and byte string are the same thing for this string. */
export function isAscii(text: string): boolean {
  return ascii.test(text);
}

/** Text to byte string (UTF-8). */
export function toByteString(text: string): string {
  return ascii.test(text) ? text : Buffer.from(text, 'utf8').latin1Slice();
}

/** Byte string to text; bytes that are not UTF-8 become U+FFFD. */
export function fromByteString(bytes: string): string {
  return ascii.test(bytes) ? bytes : Buffer.from(bytes, 'latin1').utf8Slice();
}
