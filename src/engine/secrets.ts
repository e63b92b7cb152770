/** Settings whose values are not shown: those whose names speak of secrets, and texts that may hold several settings. */
const assignments =
  /\b(\w*(?:password|secret|credentials|token|private_key|access_key)\w*|properties)\b\s*=\s*'(?:[^'\\]|\\.|'')*'/gi;

/** The secret of CREATE USER and ALTER USER. */
const identified = /\b(IDENTIFIED\b[^']*?\bBY)\s*'(?:[^'\\]|\\.|'')*'/gi;

const quoted = "'(?:[^'\\\\]|\\\\.|'')*'";

/** The secret of s3(url, key, secret, ...). */
const storeKey = new RegExp(`\\b(s3\\s*\\(\\s*${quoted}\\s*,\\s*${quoted}\\s*,)\\s*${quoted}`, 'gi');

/** What stands before the host in the URL of a user and password. */
const urlCredentials = /(\bhttps?:\/\/)[^\s/@']+@/gi;

/** The text of a statement with its secrets hidden. */
export function withoutSecrets(text: string): string {
  return text
    .replace(assignments, "$1 = '[HIDDEN]'")
    .replace(identified, "$1 '[HIDDEN]'")
    .replace(storeKey, "$1 '[HIDDEN]'")
    .replace(urlCredentials, '$1[HIDDEN]@');
}
