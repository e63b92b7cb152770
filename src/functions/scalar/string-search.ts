import { SluiceError } from '../../base/index.ts';
import { foldCase } from '../../runtime/index.ts';
import { arrayOf, fromByteString, isAscii, type SqlType, toByteString, types } from '../../types/index.ts';
import type { ScalarFunction } from '../definition.ts';
import { functionsOf } from './simple-function.ts';

const define = functionsOf('string');

type Search = (text: string, needle: string, start: number) => number;

/** The place of a needle, counted from 1; 0 where it is not there. `start` counts from 1 as well. */
function findBytes(text: string, needle: string, start: number): number {
  const from = start <= 0 ? 0 : start - 1;
  return from > text.length ? 0 : text.indexOf(needle, from) + 1;
}

function findCharacters(text: string, needle: string, start: number): number {
  if (isAscii(text)) return findBytes(text, needle, start);
  const characters = Array.from(fromByteString(text));
  const from = Math.max(0, start - 1);
  if (from > characters.length) return 0;
  const head = characters.slice(0, from).join('');
  const rest = characters.slice(from).join('');
  const found = rest.indexOf(fromByteString(needle));
  return found < 0 ? 0 : Array.from(head + rest.slice(0, found)).length + 1;
}

function position(
  name: string,
  aliases: readonly string[],
  find: Search,
  doc: string,
  example: readonly [string, string],
): ScalarFunction {
  return define({
    name,
    aliases,
    syntax: `${name}(text, needle[, start])`,
    doc: `${doc}, counted from 1; 0 where the text does not have it.`,
    examples: [example],
    takes: ['string', 'string', 'integer?'],
    returns: types.uint64,
    kernel: () => (text: string, needle: string, start?: number | bigint) =>
      find(text, needle, start === undefined ? 1 : Number(start)),
  });
}

const positions: readonly ScalarFunction[] = [
  position('position', ['strpos'], findBytes, 'The byte at which the needle starts', [
    "position('hello', 'l')",
    '3',
  ]),
  position(
    'position_case_insensitive',
    [],
    (text, needle, start) => findBytes(text.toLowerCase(), needle.toLowerCase(), start),
    'The byte at which the needle starts, without regard to case',
    ["position_case_insensitive('Hello', 'hE')", '1'],
  ),
  position('position_utf8', [], findCharacters, 'The character at which the needle starts', [
    "position_utf8('héllo', 'l')",
    '3',
  ]),
  position(
    'position_case_insensitive_utf8',
    [],
    (text, needle, start) => findCharacters(foldCase(text), foldCase(needle), start),
    'The character at which the needle starts, without regard to case',
    ["position_case_insensitive_utf8('HÉLLO', 'é')", '2'],
  ),
  define({
    name: 'locate',
    syntax: 'locate(needle, text[, start])',
    doc: 'As position, with the needle first.',
    examples: [["locate('l', 'hello')", '3']],
    takes: ['string', 'string', 'integer?'],
    returns: types.uint64,
    kernel: () => (needle: string, text: string, start?: number | bigint) =>
      findBytes(text, needle, start === undefined ? 1 : Number(start)),
  }),
];

/** The number of places, none overlapping the one before, at which the needle stands. */
function countPlaces(text: string, needle: string, start: number): number {
  if (needle === '') return 0;
  let count = 0;
  for (let at = text.indexOf(needle, Math.max(0, start - 1)); at >= 0; count++)
    at = text.indexOf(needle, at + needle.length);
  return count;
}

function counting(
  name: string,
  fold: (text: string) => string,
  doc: string,
  example: readonly [string, string],
): ScalarFunction {
  return define({
    name,
    syntax: `${name}(text, needle[, start])`,
    doc,
    examples: [example],
    takes: ['string', 'string', 'integer?'],
    returns: types.uint64,
    kernel: () => (text: string, needle: string, start?: number | bigint) =>
      countPlaces(fold(text), fold(needle), start === undefined ? 1 : Number(start)),
  });
}

const same = (text: string): string => text;

function affix(
  name: string,
  doc: string,
  method: 'startsWith' | 'endsWith',
  example: string,
): ScalarFunction {
  return define({
    name,
    aliases: [`${name}_utf8`],
    syntax: `${name}(text, part)`,
    doc,
    examples: [[`${name}('hello', '${example}')`, 'true']],
    takes: ['string', 'string'],
    returns: types.bool,
    kernel:
      method === 'startsWith'
        ? () => (text: string, part: string) => (text.startsWith(part) ? 1 : 0)
        : () => (text: string, part: string) => (text.endsWith(part) ? 1 : 0),
  });
}

const foldings = [
  { suffix: '', fold: same, how: '' },
  { suffix: '_case_insensitive', fold: foldCase, how: ', without regard to case' },
];

interface MultiSearch {
  readonly name: string;
  readonly doc: string;
  readonly example: string;
  readonly returns: SqlType;
  readonly search: (text: string, needles: readonly string[]) => unknown;
}

const multiSearches: readonly MultiSearch[] = [
  {
    name: 'multi_search_any',
    doc: 'Whether the text has any of the needles',
    example: 'true',
    returns: types.bool,
    search: (text, needles) => (needles.some((needle) => text.includes(needle)) ? 1 : 0),
  },
  {
    name: 'multi_search_first_index',
    doc: 'The number, from 1, of the first needle that the text has; 0 for none',
    example: '2',
    returns: types.uint64,
    search: (text, needles) => needles.findIndex((needle) => text.includes(needle)) + 1,
  },
  {
    name: 'multi_search_first_position',
    doc: 'The leftmost byte, from 1, at which any of the needles starts; 0 for none',
    example: '3',
    returns: types.uint64,
    search: (text, needles) => {
      const places = needles.map((needle) => text.indexOf(needle)).filter((place) => place >= 0);
      return places.length === 0 ? 0 : Math.min(...places) + 1;
    },
  },
  {
    name: 'multi_search_all_positions',
    doc: 'For each needle the byte, from 1, at which it starts; 0 where it is not there',
    example: '[0,3]',
    returns: arrayOf(types.uint64),
    search: (text, needles) => needles.map((needle) => text.indexOf(needle) + 1),
  },
];

const multiSearchFunctions = multiSearches.flatMap(({ name, doc, example, returns, search }) =>
  foldings.map(({ suffix, fold, how }) =>
    define({
      name: `${name}${suffix}`,
      syntax: `${name}${suffix}(text, [needle, ...])`,
      doc: `${doc}${how}.`,
      examples: [[`${name}${suffix}('hello', ['z', 'l'])`, example]],
      takes: ['string', 'strings'],
      returns,
      kernel:
        fold === same
          ? () => (text: string, needles: string[]) => search(text, needles)
          : () => (text: string, needles: string[]) => search(fold(text), needles.map(fold)),
    }),
  ),
);

const separator = /[\x00-\x2f\x3a-\x40\x5b-\x60\x7b-\x7f]/;

function isSeparator(text: string, at: number): boolean {
  return at < 0 || at >= text.length || separator.test(text[at]!);
}

function hasToken(text: string, token: string): number {
  if (token === '' || separator.test(token)) {
    throw new SluiceError(
      'BAD_ARGUMENTS',
      'A token must be a word: letters and digits, nothing between them',
    );
  }
  for (let at = text.indexOf(token); at >= 0; at = text.indexOf(token, at + 1)) {
    if (isSeparator(text, at - 1) && isSeparator(text, at + token.length)) return 1;
  }
  return 0;
}

const tokens = foldings.map(({ suffix, fold, how }) =>
  define({
    name: `has_token${suffix}`,
    syntax: `has_token${suffix}(text, word)`,
    doc: `Whether the text has the word between separators (ASCII characters that are no letters or digits)${how}.`,
    examples: [
      [`has_token${suffix}('hello world', 'world')`, 'true'],
      [`has_token${suffix}('hello world', 'wor')`, 'false'],
    ],
    takes: ['string', 'string'],
    returns: types.bool,
    kernel: () => (text: string, token: string) => hasToken(fold(text), fold(token)),
  }),
);

export const stringSearchFunctions: readonly ScalarFunction[] = [
  ...positions,
  counting('count_substrings', same, 'How often the text has the needle, places that overlap not counted.', [
    "count_substrings('aaaa', 'aa')",
    '2',
  ]),
  counting('count_substrings_case_insensitive', foldCase, 'As count_substrings, without regard to case.', [
    "count_substrings_case_insensitive('aAa', 'a')",
    '3',
  ]),
  affix('starts_with', 'Whether the text starts with a part.', 'startsWith', 'he'),
  affix('ends_with', 'Whether the text ends with a part.', 'endsWith', 'lo'),
  ...multiSearchFunctions,
  ...tokens,
  define({
    name: 'substring_index',
    syntax: 'substring_index(text, delimiter, count)',
    doc: 'What stands before the delimiter of that number; counted from the end, what stands behind it, for a negative one.',
    examples: [
      ["substring_index('www.example.com', '.', 2)", 'www.example'],
      ["substring_index('www.example.com', '.', -2)", 'example.com'],
    ],
    takes: ['string', 'string', 'integer'],
    returns: types.string,
    kernel: () => (text: string, delimiter: string, count: number | bigint) => {
      if (delimiter === '') return '';
      const parts = text.split(delimiter);
      const number = Number(count);
      return (number < 0 ? parts.slice(number) : parts.slice(0, number)).join(delimiter);
    },
  }),
  define({
    name: 'normalize_utf8_nfc',
    syntax: 'normalize_utf8_nfc(text)',
    doc: 'The text in Unicode normal form C; there are NFD, NFKC and NFKD, too.',
    examples: [["length(normalize_utf8_nfc('é'))", '2']],
    takes: ['string'],
    returns: types.string,
    kernel: () => (text: string) => toByteString(fromByteString(text).normalize('NFC')),
  }),
  ...(['NFD', 'NFKC', 'NFKD'] as const).map((form) =>
    define({
      name: `normalize_utf8_${form.toLowerCase()}`,
      syntax: `normalize_utf8_${form.toLowerCase()}(text)`,
      doc: `The text in Unicode normal form ${form.slice(2)}.`,
      examples: [[`normalize_utf8_${form.toLowerCase()}('a')`, 'a']],
      takes: ['string'],
      returns: types.string,
      kernel: () => (text: string) => toByteString(fromByteString(text).normalize(form)),
    }),
  ),
];
