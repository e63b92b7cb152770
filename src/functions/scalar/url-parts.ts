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

/** The host's name; '' where nothing like one stands. Names with credentials before them are not looked for. */
export function hostOf(url: string): string {
  const start = hostStart(url);
  hostPattern.lastIndex = start;
  const host = hostPattern.exec(url)?.[0] ?? '';
  const end = start + host.length;
  const next = url[end];
  if (next !== undefined && !':/?#'.includes(next)) return '';
  if (start === 0 && !host.includes('.')) return '';
  return host.endsWith('.') ? '' : host;
}

/** As hostOf, with `user:password@` before the name taken into account. */
export function hostAfterCredentials(url: string): string {
  const start = hostStart(url);
  const authority = /^[^/?#]*/.exec(url.slice(start))![0];
  const at = authority.lastIndexOf('@');
  if (at < 0) return hostOf(url);
  return hostOf(`//${authority.slice(at + 1)}`);
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
  if (topLevelDomainOf(host) === '') return '';
  return labels.slice(significantStart(labels)).join('.');
}

export function portOf(url: string): number | undefined {
  const authority = /^[^/?#]*/.exec(url.slice(hostStart(url)))![0];
  const digits = /:(\d{1,5})$/.exec(authority)?.[1];
  const port = digits === undefined ? 0 : Number(digits);
  return port > 0 && port <= 65_535 ? port : undefined;
}

export function netlocOf(url: string): string {
  return /^[^/?#]*/.exec(url.slice(hostStart(url)))![0];
}

/** The place of the slash that starts the path; the URL's length when there is none. */
function pathStart(url: string): number {
  const slashes = url.indexOf('/');
  if (slashes < 0 || url[slashes + 1] !== '/') return url.length;
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

export function queryAndFragmentOf(url: string): string {
  const at = url.search(/[?#]/);
  return at < 0 ? '' : url.slice(at + 1);
}

export function cutQuery(url: string): string {
  return url.replace(/\?[^#]*/, '');
}

export function cutFragment(url: string): string {
  return url.replace(/#.*/s, '');
}

export function cutQueryAndFragment(url: string): string {
  return url.replace(/[?#].*/s, '');
}

export function cutWww(url: string): string {
  const start = hostStart(url);
  return start > 0 && url.startsWith('www.', start) ? url.slice(0, start) + url.slice(start + 4) : url;
}

/** The `name=value` pieces of query and fragment. */
export function parametersOf(url: string): string[] {
  return queryAndFragmentOf(url)
    .split(/[&;#?]/)
    .filter((piece) => piece.includes('='));
}

export function parameterNamesOf(url: string): string[] {
  return parametersOf(url).map((piece) => piece.slice(0, piece.indexOf('=')));
}

export function parameterOf(url: string, name: string): string {
  const found = parametersOf(url).find((piece) => piece.startsWith(`${name}=`));
  return found === undefined ? '' : found.slice(name.length + 1);
}

/** The URL without a parameter: the first one of that name. */
export function cutParameter(url: string, name: string): string {
  for (let at = url.indexOf(`${name}=`); at > 0; at = url.indexOf(`${name}=`, at + 1)) {
    const before = url[at - 1]!;
    if (!'?&#;'.includes(before)) continue;
    const end = at + /^[^&;#]*/.exec(url.slice(at))![0].length;
    // The separator goes with the parameter: the one behind it, or else the one before.
    if (url[end] === '&' || url[end] === ';') return url.slice(0, at) + url.slice(end + 1);
    const start = before === '?' || before === '#' ? at : at - 1;
    return url.slice(0, start) + url.slice(end);
  }
  return url;
}

/** The URL cut behind each of the characters that separate its levels, from `start` on. */
export function hierarchyOf(url: string, start: number): string[] {
  const levels: string[] = [];
  for (let at = start; at < url.length; at++) {
    if (!'/?#'.includes(url[at]!)) continue;
    while (at + 1 < url.length && '/?#'.includes(url[at + 1]!)) at++;
    levels.push(url.slice(0, at + 1));
  }
  if (levels.at(-1) !== url) levels.push(url);
  return levels;
}

export function urlHierarchy(url: string): string[] {
  const start = hostStart(url);
  return start < 3 ? [url] : hierarchyOf(url, start);
}

export function urlPathHierarchy(url: string): string[] {
  const path = fullPathOf(url);
  return path.length <= 1 ? [] : hierarchyOf(path, 1);
}
