import { arrayOf, type SqlType, types } from '../../types/index.ts';
import { illegalType } from '../checks.ts';
import type { ScalarFunction } from '../definition.ts';
import { functionsOf } from './simple-function.ts';
import {
  cutFragment,
  cutParameter,
  cutQuery,
  cutQueryAndFragment,
  cutToSignificantSubdomain,
  cutWww,
  firstSignificantSubdomainOf,
  fragmentOf,
  fullPathOf,
  hostAfterCredentials,
  hostOf,
  netlocOf,
  parameterNamesOf,
  parameterOf,
  parametersOf,
  pathOf,
  portOf,
  protocolOf,
  queryAndFragmentOf,
  queryOf,
  topLevelDomainOf,
  urlHierarchy,
  urlPathHierarchy,
  withoutWww,
} from './url-parts.ts';

const define = functionsOf('url');

const sample = 'https://www.news.example.co.uk:8080/a/b?x=1&y=2#top';

interface UrlFunction {
  readonly name: string;
  readonly doc: string;
  readonly result: string;
  readonly returns?: SqlType;
  readonly read: (url: string) => unknown;
}

const list = arrayOf(types.string);

const urlReaders: readonly UrlFunction[] = [
  { name: 'protocol', doc: 'The scheme of a URL.', result: 'https', read: protocolOf },
  { name: 'domain', doc: "The host's name in a URL.", result: 'www.news.example.co.uk', read: hostOf },
  {
    name: 'domain_rfc',
    doc: "The host's name in a URL, also where credentials stand before it.",
    result: 'www.news.example.co.uk',
    read: hostAfterCredentials,
  },
  {
    name: 'domain_without_www',
    doc: "The host's name in a URL without a leading www.",
    result: 'news.example.co.uk',
    read: (url) => withoutWww(hostOf(url)),
  },
  {
    name: 'top_level_domain',
    doc: "The last label of the host's name in a URL.",
    result: 'uk',
    read: (url) => topLevelDomainOf(hostOf(url)),
  },
  {
    name: 'first_significant_subdomain',
    doc: "The label of the host's name that somebody registered: the second last, or the third last as in co.uk.",
    result: 'example',
    read: (url) => firstSignificantSubdomainOf(hostOf(url)),
  },
  {
    name: 'cut_to_first_significant_subdomain',
    doc: "The host's name from its first significant subdomain on.",
    result: 'example.co.uk',
    read: (url) => cutToSignificantSubdomain(hostOf(url), false),
  },
  {
    name: 'cut_to_first_significant_subdomain_with_www',
    doc: 'As cut_to_first_significant_subdomain, without taking www away first.',
    result: 'example.co.uk',
    read: (url) => cutToSignificantSubdomain(hostOf(url), true),
  },
  { name: 'path', doc: 'The path of a URL, without its query.', result: '/a/b', read: pathOf },
  {
    name: 'path_full',
    doc: 'The path of a URL with its query and fragment.',
    result: '/a/b?x=1&y=2#top',
    read: fullPathOf,
  },
  { name: 'query_string', doc: 'The query of a URL.', result: 'x=1&y=2', read: queryOf },
  { name: 'fragment', doc: 'The fragment of a URL.', result: 'top', read: fragmentOf },
  {
    name: 'query_string_and_fragment',
    doc: 'The query and the fragment of a URL.',
    result: 'x=1&y=2#top',
    read: queryAndFragmentOf,
  },
  {
    name: 'netloc',
    doc: 'What stands between scheme and path: credentials, host and port.',
    result: 'www.news.example.co.uk:8080',
    read: netlocOf,
  },
  {
    name: 'extract_url_parameters',
    doc: 'All parameters of a URL as name=value.',
    result: "['x=1','y=2']",
    returns: list,
    read: parametersOf,
  },
  {
    name: 'extract_url_parameter_names',
    doc: 'The names of all parameters of a URL.',
    result: "['x','y']",
    returns: list,
    read: parameterNamesOf,
  },
  {
    name: 'cut_query_string',
    doc: 'The URL without its query.',
    result: 'https://www.news.example.co.uk:8080/a/b#top',
    read: cutQuery,
  },
  {
    name: 'cut_fragment',
    doc: 'The URL without its fragment.',
    result: 'https://www.news.example.co.uk:8080/a/b?x=1&y=2',
    read: cutFragment,
  },
  {
    name: 'cut_query_string_and_fragment',
    doc: 'The URL without its query and fragment.',
    result: 'https://www.news.example.co.uk:8080/a/b',
    read: cutQueryAndFragment,
  },
  {
    name: 'cut_www',
    doc: "The URL without a www. at the start of its host's name.",
    result: 'https://news.example.co.uk:8080/a/b?x=1&y=2#top',
    read: cutWww,
  },
  {
    name: 'url_hierarchy',
    doc: 'The URL cut behind each of its levels.',
    result: `['https://www.news.example.co.uk:8080/','https://www.news.example.co.uk:8080/a/','https://www.news.example.co.uk:8080/a/b?','https://www.news.example.co.uk:8080/a/b?x=1&y=2#','${sample}']`,
    returns: list,
    read: urlHierarchy,
  },
  {
    name: 'url_path_hierarchy',
    doc: 'The path of the URL cut behind each of its levels.',
    result: "['/a/','/a/b?','/a/b?x=1&y=2#','/a/b?x=1&y=2#top']",
    returns: list,
    read: urlPathHierarchy,
  },
];

export const urlFunctions: readonly ScalarFunction[] = [
  ...urlReaders.map(({ name, doc, result, returns, read }) =>
    define({
      name,
      syntax: `${name}(url)`,
      doc,
      examples: [[`${name}('${sample}')`, result]],
      takes: ['string'],
      returns: returns ?? types.string,
      kernel: () => read,
    }),
  ),
  define({
    name: 'port',
    syntax: 'port(url[, default])',
    doc: 'The port in a URL; the default, or 0, when there is none.',
    examples: [
      [`port('${sample}')`, '8080'],
      ["port('https://example.com/', 443)", '443'],
    ],
    takes: ['string', 'integer?'],
    returns: types.uint16,
    kernel:
      () =>
      (url: string, otherwise: number | bigint = 0) =>
        portOf(url) ?? Number(otherwise) % 65_536,
  }),
  define({
    name: 'extract_url_parameter',
    syntax: 'extract_url_parameter(url, name)',
    doc: 'The value of a parameter of a URL; empty when there is none.',
    examples: [[`extract_url_parameter('${sample}', 'y')`, '2']],
    takes: ['string', 'string'],
    returns: types.string,
    kernel: () => parameterOf,
  }),
  define({
    name: 'cut_url_parameter',
    syntax: 'cut_url_parameter(url, name)',
    doc: 'The URL without a parameter, or without several when an array of names is given.',
    examples: [["cut_url_parameter('http://example.com/?x=1&y=2', 'x')", 'http://example.com/?y=2']],
    takes: ['string', 'any'],
    returns: (args) => {
      const { type } = args[1]!;
      const isList = type.kind === 'array' && type.element.kind === 'string';
      if (type.kind !== 'string' && !isList)
        throw illegalType('cut_url_parameter', 1, type, 'a name or an array of names');
      return types.string;
    },
    kernel: () => (url: string, names: string | readonly string[]) =>
      typeof names === 'string' ? cutParameter(url, names) : names.reduce(cutParameter, url),
  }),
];
