/*
 * Finds the parts of a URL in a byte string without checking that it is one.
 */

const schemePattern = /^[A-Za-z][A-Za-z0-9+.-]*(?=:)/;

export function protocolOf(url: string): string {
  const scheme = schemePattern.exec(url)?.[0] ?? '';
  return scheme !== '' && url.length - scheme.length >= 4 ? scheme : '';
}

/** The place behind `scheme://` or `//`; 0 when the text has neither. */
function hostStart(url: string): number {
  if (url.startsWith('//')) return 2;
  const scheme = /^[A-Za-z0-9+.-]+:\/\//.exec(url)?.[0];
  return scheme?.length ?? 0;
}

const hostPattern = /[^\x00-\x20<>%{}|\\^~[\];=&:/?#@"'`]*/y;

/** The range of the host's name; empty where nothing like a name with a dot stands. */
function hostRange(url: string, withCredentials: boolean): readonly [start: number, end: number] {
  const behindScheme = hostStart(url);
  const credentials = withCredentials ? /^[^/?#]*@/ : /^[^/?#:]*@/;
  const start = behindScheme + (credentials.exec(url.slice(behindScheme))?.[0].length ?? 0);
  hostPattern.lastIndex = start;
  const host = hostPattern.exec(url)?.[0] ?? '';
  const end = start + host.length;
  const next = url[end];
  const isName = host.includes('.') && !host.endsWith('.') && (next === undefined || ':/?#'.includes(next));
  return isName ? [start, end] : [start, start];
}

/** The host's name; '' where none stands. A user may stand before it, but no password. */
export function hostOf(url: string): string {
  return url.slice(...hostRange(url, false));
}

/** As hostOf, with `user:password@` before the name taken into account. */
export function hostAfterCredentials(url: string): string {
  return url.slice(...hostRange(url, true));
}

export function withoutWww(host: string): string {
  return host.startsWith('www.') ? host.slice(4) : host;
}

export function topLevelDomainOf(host: string): string {
  const dot = host.lastIndexOf('.');
  if (dot < 0) return '';
  const last = host.slice(dot + 1);
  return /^[0-9]/.test(last) ? '' : last;
}

/** Labels under which countries register names, as in co.uk. */
const registries = new Set([
  ...['com', 'net', 'org', 'co', 'gov', 'edu', 'ac', 'mil', 'or', 'ne', 'go', 'gob', 'gouv', 'nom'],
]);

/** The place in a host's name at which the label that somebody registered starts. */
function significantStart(labels: readonly string[]): number {
  if (labels.length <= 2) return 0;
  const country = labels.at(-1)!;
  const isRegistry = country.length === 2 && registries.has(labels.at(-2)!);
  return labels.length - (isRegistry ? 3 : 2);
}

export function firstSignificantSubdomainOf(host: string): string {
  const labels = withoutWww(host).split('.');
  return labels[significantStart(labels)] ?? '';
}

export function cutToSignificantSubdomain(host: string, keepWww: boolean): string {
  const labels = (keepWww ? host : withoutWww(host)).split('.');
  return labels.slice(significantStart(labels)).join('.');
}

export function portOf(url: string): number | undefined {
  const [start, end] = hostRange(url, false);
  if (start === end) return undefined;
  const digits = /^:(\d{1,5})(?=[/?#]|$)/.exec(url.slice(end, end + 7))?.[1];
  const port = digits === undefined ? 0 : Number(digits);
  return port > 0 && port <= 65_535 ? port : undefined;
}

export function netlocOf(url: string): string {
  return /^[^/?#]*/.exec(url.slice(hostStart(url)))![0];
}

/** The place of the slash that starts the path; the URL's length when there is none. */
function pathStart(url: string): number {
  const slashes = url.indexOf('/');
  if (slashes < 0) return url.length;
  if (url[slashes + 1] !== '/') return slashes;
  const found = url.indexOf('/', slashes + 2);
  return found < 0 ? url.length : found;
}

export function pathOf(url: string): string {
  return /^[^?#]*/.exec(url.slice(pathStart(url)))![0];
}

export function fullPathOf(url: string): string {
  return url.slice(pathStart(url));
}

export function queryOf(url: string): string {
  return /^[^#?]*\?([^#]*)/.exec(url)?.[1] ?? /\?([^#]*)/.exec(url)?.[1] ?? '';
}

export function fragmentOf(url: string): string {
  const at = url.indexOf('#');
  return at < 0 ? '' : url.slice(at + 1);
}

/** The place where the query starts, or else the fragment. */
function queryOrFragmentStart(url: string): number {
  const query = url.indexOf('?');
  return query < 0 ? url.indexOf('#') : query;
}

export function queryAndFragmentOf(url: string): string {
  const at = queryOrFragmentStart(url);
  return at < 0 ? '' : url.slice(url[at] === '?' ? at + 1 : at);
}

export function cutQuery(url: string): string {
  return url.replace(/\?[^#]*/, '');
}

export function cutFragment(url: string): string {
  return url.replace(/#.*/s, '');
}

export function cutQueryAndFragment(url: string): string {
  const at = queryOrFragmentStart(url);
  return at < 0 ? url : url.slice(0, at);
}

export function cutWww(url: string): string {
  const start = hostStart(url);
  return start > 0 && url.startsWith('www.', start) ? url.slice(0, start) + url.slice(start + 4) : url;
}

/** The pieces of the query, and those pieces of the fragment that are like `name=value`. */
export function parametersOf(url: string): string[] {
  const hash = url.indexOf('#');
  const head = hash < 0 ? url : url.slice(0, hash);
  const question = head.indexOf('?');
  const query = question < 0 ? [] : head.slice(question + 1).split('&');
  const fragment =
    hash < 0
      ? []
      : url
          .slice(hash + 1)
          .split(/[?#&]/)
          .filter((piece) => piece.includes('='));
  return [...query, ...fragment].filter((piece) => piece !== '');
}

export function parameterNamesOf(url: string): string[] {
  return parametersOf(url).map((piece) => /^[^=]*/.exec(piece)![0]);
}

export function parameterOf(url: string, name: string): string {
  const found = parametersOf(url).find((piece) => piece.startsWith(`${name}=`));
  return found === undefined ? '' : found.slice(name.length + 1);
}

/** The URL without a parameter: the first one of that name. */
export function cutParameter(url: string, name: string): string {
  for (let at = url.indexOf(`${name}=`); at > 0; at = url.indexOf(`${name}=`, at + 1)) {
    const before = url[at - 1]!;
    if (!'?&#'.includes(before)) continue;
    const end = at + /^[^&#]*/.exec(url.slice(at))![0].length;
    // The separator goes with the parameter: the one behind it, or else the one before.
    if (url[end] === '&') return url.slice(0, at) + url.slice(end + 1);
    const start = before === '?' || before === '#' ? at : at - 1;
    return url.slice(0, start) + url.slice(end);
  }
  return url;
}

const separators = '/?#';

/** Adds the text cut behind each of the separators that stand behind something else, and the whole text. */
function addLevels(levels: string[], text: string, from: number): string[] {
  let at = from;
  while (at < text.length) {
    while (at < text.length && separators.includes(text[at]!)) at++;
    while (at < text.length && !separators.includes(text[at]!)) at++;
    if (at < text.length) levels.push(text.slice(0, ++at));
  }
  if (text.length > from && levels.at(-1) !== text) levels.push(text);
  return levels;
}

export function urlHierarchy(url: string): string[] {
  const start = hostStart(url);
  if (url === '') return [];
  if (start < 3) return [url];
  const found = url.slice(start).search(/[/?#]/);
  if (found < 0) return [url];
  return addLevels([url.slice(0, start + found + 1)], url, start + found + 1);
}

export function urlPathHierarchy(url: string): string[] {
  const start = hostStart(url);
  const found = start < 3 ? -1 : url.slice(start).search(/[/?#]/);
  if (found < 0) return [];
  const path = url.slice(start + found);
  return addLevels([], path, /^[/?#]/.test(path) && path.length > 1 ? 1 : path.length);
}
