import { reservedWords } from './reserved-words.ts';

const escapes: ReadonlyMap<string, string> = new Map([
  ['\\', '\\\\'],
  ['\0', '\\0'],
  ['\b', '\\b'],
  ['\f', '\\f'],
  ['\n', '\\n'],
  ['\r', '\\r'],
  ['\t', '\\t'],
]);

/** A string literal that reads back as the same value. */
export function quoteString(value: string): string {
  return `'${value.replace(/[\\'\0\b\f\n\r\t]/g, (found) => escapes.get(found) ?? "\\'")}'`;
}

/** A name as SQL, in backquotes only when it could not be read without them. */
export function quoteName(name: string): string {
  if (/^[a-z_]\w*$/i.test(name) && !reservedWords.has(name.toUpperCase())) return name;
  return `\`${name.replace(/[\\`\0\b\f\n\r\t]/g, (found) => escapes.get(found) ?? '\\`')}\``;
}

/** Names joined by dots. */
export function quotePath(parts: readonly string[]): string {
  return parts.map(quoteName).join('.');
}
