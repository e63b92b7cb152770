import { SluiceError } from '../../base/index.ts';
import { type Regexp, regexp } from '../../runtime/index.ts';
import { mapOf, types } from '../../types/index.ts';
import type { ScalarFunction } from '../definition.ts';
import { functionsOf } from './simple-function.ts';

const define = functionsOf('string');

type Pair = readonly [key: string, value: string];

/** Which characters separate keys from values, pairs from pairs, and quote. */
interface PairMarks {
  readonly between: string;
  readonly behind: string;
  readonly quote: string;
}

/** A key or value from a place on: in quotes, or up to one of the marks that end it. Gives it and the place behind. */
function readPart(
  text: string,
  from: number,
  ends: string,
  quote: string,
): readonly [part: string, end: number] {
  if (text[from] === quote) {
    const close = text.indexOf(quote, from + 1);
    if (close >= 0) return [text.slice(from + 1, close), close + 1];
  }
  let at = from;
  while (at < text.length && !ends.includes(text[at]!)) at++;
  return [text.slice(from, at), at];
}

function readPairs(text: string, marks: PairMarks): Pair[] {
  const pairs: Pair[] = [];
  let at = 0;
  while (at < text.length) {
    const [key, keyEnd] = readPart(text, at, marks.between + marks.behind, marks.quote);
    // What no separator follows is no key.
    if (key === '' || text[keyEnd] !== marks.between) {
      at = Math.max(keyEnd, at) + (keyEnd > at ? 0 : 1);
      continue;
    }
    const [value, end] = readPart(text, keyEnd + 1, marks.behind, marks.quote);
    pairs.push([key, value]);
    at = end + 1;
  }
  return pairs;
}

const extractKeyValuePairs = define({
  name: 'extract_key_value_pairs',
  syntax: 'extract_key_value_pairs(text[, between[, behind[, quote]]])',
  doc: 'The keys and values in a text: a colon between key and value, space, comma or semicolon behind a pair unless given.',
  examples: [
    ["extract_key_value_pairs('name:neymar, age:31')", "{'name':'neymar','age':'31'}"],
    ["extract_key_value_pairs('a=1&b=2', '=', '&')", "{'a':'1','b':'2'}"],
  ],
  takes: ['string', 'string?', 'string?', 'string?'],
  returns: mapOf(types.string, types.string),
  kernel:
    () =>
    (text: string, between = ':', behind = ' ,;', quote = '"') => {
      if (between.length !== 1 || quote.length !== 1)
        throw new SluiceError(
          'BAD_ARGUMENTS',
          'The separator and the quote of extract_key_value_pairs are single characters',
        );
      return readPairs(text, { between, behind, quote });
    },
});

/** Patterns that grok knows by name, in terms of each other. */
const grokPatterns: Readonly<Record<string, string>> = {
  USERNAME: '[a-zA-Z0-9._-]+',
  USER: '%{USERNAME}',
  EMAILADDRESS: '[a-zA-Z0-9_.+=:-]+@%{HOSTNAME}',
  INT: '[+-]?[0-9]+',
  BASE10NUM: '[+-]?(?:[0-9]+(?:\\.[0-9]+)?|\\.[0-9]+)',
  NUMBER: '%{BASE10NUM}',
  BASE16NUM: '[+-]?(?:0x)?[0-9A-Fa-f]+',
  POSINT: '[1-9][0-9]*',
  NONNEGINT: '[0-9]+',
  WORD: '\\b\\w+\\b',
  NOTSPACE: '\\S+',
  SPACE: '\\s*',
  DATA: '.*?',
  GREEDYDATA: '.*',
  QUOTEDSTRING: '"(?:[^"\\\\]|\\\\.)*"|\'(?:[^\'\\\\]|\\\\.)*\'',
  QS: '%{QUOTEDSTRING}',
  UUID: '[A-Fa-f0-9]{8}-(?:[A-Fa-f0-9]{4}-){3}[A-Fa-f0-9]{12}',
  MAC: '(?:[A-Fa-f0-9]{2}[:-]){5}[A-Fa-f0-9]{2}',
  IPV4: '(?:(?:25[0-5]|2[0-4][0-9]|1?[0-9]{1,2})\\.){3}(?:25[0-5]|2[0-4][0-9]|1?[0-9]{1,2})',
  IPV6: '[0-9A-Fa-f]*:[0-9A-Fa-f:]*:[0-9A-Fa-f:.]*',
  IP: '%{IPV6}|%{IPV4}',
  HOSTNAME: '\\b[0-9A-Za-z][0-9A-Za-z-]{0,62}(?:\\.[0-9A-Za-z][0-9A-Za-z-]{0,62})*\\.?',
  HOST: '%{HOSTNAME}',
  IPORHOST: '%{IP}|%{HOSTNAME}',
  HOSTPORT: '%{IPORHOST}:%{POSINT}',
  PATH: '%{UNIXPATH}|%{WINPATH}',
  UNIXPATH: '(?:/[\\w_%!$@:.,+~-]*)+',
  WINPATH: '(?:[A-Za-z]+:|\\\\)(?:\\\\[^\\\\?*]*)+',
  URIPROTO: '[A-Za-z][A-Za-z0-9+.-]+',
  URIHOST: '%{IPORHOST}(?::%{POSINT})?',
  URIPATH: "(?:/[A-Za-z0-9$.+!*'(){},~:;=@#%&_-]*)+",
  URIPARAM: "\\?[A-Za-z0-9$.+!*'|(){},~@#%&/=:;_?\\[\\]<>-]*",
  URIPATHPARAM: '%{URIPATH}(?:%{URIPARAM})?',
  URI: '%{URIPROTO}://(?:%{USER}(?::[^@]*)?@)?(?:%{URIHOST})?(?:%{URIPATHPARAM})?',
  MONTH:
    '\\b(?:Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?|Sep(?:tember)?|Oct(?:ober)?|Nov(?:ember)?|Dec(?:ember)?)\\b',
  MONTHNUM: '0?[1-9]|1[0-2]',
  MONTHDAY: '0[1-9]|[12][0-9]|3[01]|[1-9]',
  DAY: '(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*',
  YEAR: '[0-9]{4}|[0-9]{2}',
  HOUR: '2[0123]|[01]?[0-9]',
  MINUTE: '[0-5][0-9]',
  SECOND: '(?:[0-5]?[0-9]|60)(?:[:.,][0-9]+)?',
  TIME: '%{HOUR}:%{MINUTE}(?::%{SECOND})?',
  DATE_US: '%{MONTHNUM}[/-]%{MONTHDAY}[/-]%{YEAR}',
  DATE_EU: '%{MONTHDAY}[./-]%{MONTHNUM}[./-]%{YEAR}',
  DATE: '%{DATE_US}|%{DATE_EU}',
  ISO8601_TIMEZONE: 'Z|[+-]%{HOUR}(?::?%{MINUTE})',
  TIMESTAMP_ISO8601:
    '%{YEAR}-%{MONTHNUM}-%{MONTHDAY}[T ]%{HOUR}:?%{MINUTE}(?::?%{SECOND})?(?:%{ISO8601_TIMEZONE})?',
  HTTPDATE: '%{MONTHDAY}/%{MONTH}/%{YEAR}:%{TIME} %{INT}',
  SYSLOGTIMESTAMP: '%{MONTH} +%{MONTHDAY} %{TIME}',
  PROG: '[\\x21-\\x5a\\x5c\\x5e-\\x7e]+',
  LOGLEVEL:
    '[Aa]lert|ALERT|[Tt]race|TRACE|[Dd]ebug|DEBUG|[Nn]otice|NOTICE|[Ii]nfo|INFO|[Ww]arn(?:ing)?|WARN(?:ING)?|[Ee]rr(?:or)?|ERR(?:OR)?|[Cc]rit(?:ical)?|CRIT(?:ICAL)?|[Ff]atal|FATAL|[Ss]evere|SEVERE|EMERG(?:ENCY)?|[Ee]merg(?:ency)?',
};

/** The regular expression of a pattern by its name. */
function namedPattern(name: string): string {
  const found = Object.hasOwn(grokPatterns, name) ? grokPatterns[name] : undefined;
  if (found === undefined) throw new SluiceError('BAD_ARGUMENTS', `grok knows no pattern %{${name}}`);
  return `(?:${found.replace(/%\{(\w+)\}/g, (_, inner: string) => namedPattern(inner))})`;
}

/** The number of groups that a piece of a regular expression opens. */
function groupsIn(piece: string): number {
  return Array.from(piece.matchAll(/\\.|\[(?:\\.|[^\]])*\]|\((?!\?)|\(\?P?<(?![=!])/g)).filter(([token]) =>
    token.startsWith('('),
  ).length;
}

interface Grok {
  readonly pattern: Regexp;
  readonly fields: readonly (readonly [name: string, group: number])[];
}

function compileGrok(text: string): Grok {
  const fields: [string, number][] = [];
  let source = '';
  let groups = 0;
  let from = 0;
  for (const match of text.matchAll(/%\{(\w+)(?::([\w.@[\]-]+))?(?::\w+)?\}/g)) {
    const piece = text.slice(from, match.index);
    groups += groupsIn(piece);
    source += piece;
    if (match[2] === undefined) source += namedPattern(match[1]!);
    else {
      groups++;
      fields.push([match[2], groups]);
      source += `(${namedPattern(match[1]!)})`;
    }
    from = match.index + match[0].length;
  }
  return { pattern: regexp(source + text.slice(from)), fields };
}

const grok = define({
  name: 'grok',
  syntax: 'grok(text, pattern)',
  doc: 'The fields that a grok pattern such as %{IP:client} %{WORD:method} finds in a text; none when it does not match.',
  examples: [["grok('GET 200', '%{WORD:method} %{INT:status}')", "{'method':'GET','status':'200'}"]],
  takes: ['string', 'string'],
  returns: mapOf(types.string, types.string),
  kernel: () => {
    let known: string | undefined;
    let compiled: Grok | undefined;
    return (text: string, pattern: string) => {
      if (compiled === undefined || pattern !== known) {
        compiled = compileGrok(pattern);
        known = pattern;
      }
      const match = compiled.pattern.first(text);
      return match === undefined ? [] : compiled.fields.map(([name, group]) => [name, match[group] ?? '']);
    };
  },
});

export const textFieldFunctions: readonly ScalarFunction[] = [extractKeyValuePairs, grok];
