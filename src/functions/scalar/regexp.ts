import { parseReplacement, type Regexp, regexp } from '../../runtime/index.ts';
import { arrayOf, type SqlType, types } from '../../types/index.ts';
import type { Argument, Kernel, ScalarFunction } from '../definition.ts';
import { functionsOf } from './simple-function.ts';
import { patternKernel } from './string-like.ts';
import { textBytesMax } from './text-helpers.ts';

const define = functionsOf('regular_expression');

/** What extract functions of arrays give at most for one text. */
const matchesMax = 1_000_000;

/** Looks a pattern up once when it is constant, and otherwise where it differs from the one before. */
function patterns(
  args: readonly Argument[],
  position: number,
  caseInsensitive = false,
): (text: string) => Regexp {
  const constant = args[position]?.constant;
  if (constant !== undefined && constant.value !== null) {
    const known = regexp(constant.value as string, caseInsensitive);
    return () => known;
  }
  return (text) => regexp(text, caseInsensitive);
}

interface Extraction {
  readonly name: string;
  readonly aliases?: readonly string[];
  readonly doc: string;
  readonly example: readonly [string, string];
  readonly returns: SqlType;
  readonly extract: (pattern: Regexp, text: string) => unknown;
}

const listOfText = arrayOf(types.string);

/** The first group of each match, or the whole match when there is none. */
function pick(pattern: Regexp): 0 | 1 {
  return pattern.groupCount > 0 ? 1 : 0;
}

const extractions: readonly Extraction[] = [
  {
    name: 'extract',
    doc: 'The first match of a regular expression, or its first group when it has any; empty when nothing matches.',
    example: ["extract('number: 42', '[0-9]+')", '42'],
    returns: types.string,
    extract: (pattern, text) => pattern.first(text)?.[pick(pattern)] ?? '',
  },
  {
    name: 'extract_all',
    doc: 'All matches of a regular expression, or the first group of each when it has any.',
    example: ["extract_all('a1b22', '[0-9]+')", "['1','22']"],
    returns: listOfText,
    extract: (pattern, text) => pattern.all(text, matchesMax).map((match) => match[pick(pattern)] ?? ''),
  },
  {
    name: 'extract_groups',
    doc: 'The groups of the first match of a regular expression.',
    example: ["extract_groups('k=v', '(\\\\w)=(\\\\w)')", "['k','v']"],
    returns: listOfText,
    extract: (pattern, text) => (pattern.first(text) ?? []).slice(1).map((group) => group ?? ''),
  },
  {
    name: 'extract_all_groups_vertical',
    aliases: ['extract_all_groups'],
    doc: 'The groups of all matches of a regular expression, one array for each match.',
    example: ["extract_all_groups('a=1, b=2', '(\\\\w)=(\\\\w)')", "[['a','1'],['b','2']]"],
    returns: arrayOf(listOfText),
    extract: (pattern, text) =>
      pattern.all(text, matchesMax).map((match) => match.slice(1).map((group) => group ?? '')),
  },
  {
    name: 'extract_all_groups_horizontal',
    doc: 'The groups of all matches of a regular expression, one array for each group.',
    example: ["extract_all_groups_horizontal('a=1, b=2', '(\\\\w)=(\\\\w)')", "[['a','b'],['1','2']]"],
    returns: arrayOf(listOfText),
    extract: (pattern, text) => {
      const matches = pattern.all(text, matchesMax);
      return Array.from({ length: pattern.groupCount }, (_, group) =>
        matches.map((match) => match[group + 1] ?? ''),
      );
    },
  },
];

const extractFunctions = extractions.map(({ name, aliases, doc, example, returns, extract }) =>
  define({
    name,
    aliases: aliases ?? [],
    syntax: `${name}(text, pattern)`,
    doc,
    examples: [example],
    takes: ['string', 'string'],
    returns,
    kernel: (args) => {
      const find = patterns(args, 1);
      return (text: string, pattern: string) => extract(find(pattern), text);
    },
  }),
);

function replacing(name: string, aliases: readonly string[], all: boolean): ScalarFunction {
  return define({
    name,
    aliases,
    syntax: `${name}(text, pattern, replacement)`,
    doc: `The text with ${all ? 'every match' : 'the first match'} of a regular expression replaced; \\1 to \\9 in the replacement stand for groups, \\0 for the match.`,
    examples: [[`${name}('a1b2', '([0-9])', '<\\\\1>')`, all ? 'a<1>b<2>' : 'a<1>b2']],
    takes: ['string', 'string', 'string'],
    returns: types.string,
    kernel: (args) => {
      const find = patterns(args, 1);
      let parsed: { text: string; groups: number; parts: ReturnType<typeof parseReplacement> } | undefined;
      return (text: string, pattern: string, replacement: string) => {
        if (pattern === '') return text;
        const compiled = find(pattern);
        if (parsed?.text !== replacement || parsed.groups !== compiled.groupCount) {
          const parts = parseReplacement(replacement, compiled.groupCount);
          parsed = { text: replacement, groups: compiled.groupCount, parts };
        }
        return compiled.replace(text, parsed.parts, all, textBytesMax);
      };
    },
  });
}

function counting(name: string, caseInsensitive: boolean): ScalarFunction {
  return define({
    name,
    syntax: `${name}(text, pattern)`,
    doc: `How often a regular expression matches something in the text${caseInsensitive ? ', without regard to case' : ''}.`,
    examples: [[`${name}('${caseInsensitive ? 'A' : 'a'}1a2', 'a[0-9]')`, '2']],
    takes: ['string', 'string'],
    returns: types.uint64,
    kernel: (args) => {
      const find = patterns(args, 1, caseInsensitive);
      return (text: string, pattern: string) => find(pattern).count(text);
    },
  });
}

/** A kernel of (text, patterns) that is told which of the patterns match. */
function multiKernel(
  args: readonly Argument[],
  choose: (hits: (index: number) => boolean, count: number) => unknown,
): Kernel {
  const constant = args[1]?.constant?.value as string[] | null | undefined;
  const known = constant?.map((pattern) => regexp(pattern));
  return (text: string, list: string[]) => {
    const compiled = known ?? list.map((pattern) => regexp(pattern));
    return choose((index) => compiled[index]!.test(text), compiled.length);
  };
}

function firstHit(hits: (index: number) => boolean, count: number): number {
  for (let index = 0; index < count; index++) if (hits(index)) return index + 1;
  return 0;
}

const multiMatches = [
  define({
    name: 'multi_match_any',
    syntax: 'multi_match_any(text, [pattern, ...])',
    doc: 'Whether any of the regular expressions matches the text.',
    examples: [["multi_match_any('abc', ['z', 'b.'])", 'true']],
    takes: ['string', 'strings'],
    returns: types.bool,
    kernel: (args) => multiKernel(args, (hits, count) => (firstHit(hits, count) > 0 ? 1 : 0)),
  }),
  define({
    name: 'multi_match_any_index',
    syntax: 'multi_match_any_index(text, [pattern, ...])',
    doc: 'The number, from 1, of a regular expression that matches the text; 0 when none does.',
    examples: [["multi_match_any_index('abc', ['z', 'b.'])", '2']],
    takes: ['string', 'strings'],
    returns: types.uint64,
    kernel: (args) => multiKernel(args, firstHit),
  }),
  define({
    name: 'multi_match_all_indices',
    syntax: 'multi_match_all_indices(text, [pattern, ...])',
    doc: 'The numbers, from 1, of all regular expressions that match the text.',
    examples: [["multi_match_all_indices('abc', ['z', 'b', 'a'])", '[2,3]']],
    takes: ['string', 'strings'],
    returns: arrayOf(types.uint64),
    kernel: (args) =>
      multiKernel(args, (hits, count) =>
        Array.from({ length: count }, (_, index) => index + 1).filter((number) => hits(number - 1)),
      ),
  }),
];

export const regexpFunctions: readonly ScalarFunction[] = [
  define({
    name: 'match',
    aliases: ['regexp_matches'],
    syntax: 'match(text, pattern)',
    doc: 'Whether a regular expression (RE2) matches anywhere in the text. A dot matches line breaks as well.',
    examples: [
      ["match('hello', 'l+o')", 'true'],
      ["match('hello', '^l')", 'false'],
    ],
    takes: ['string', 'string'],
    returns: types.bool,
    kernel: (args) =>
      patternKernel(args, (pattern) => {
        const compiled = regexp(pattern);
        return (text) => compiled.test(text);
      }),
  }),
  ...extractFunctions,
  replacing('replace_regexp_one', [], false),
  replacing('replace_regexp_all', ['replace_regex', 'regexp_replace'], true),
  counting('count_matches', false),
  counting('count_matches_case_insensitive', true),
  ...multiMatches,
  define({
    name: 'regexp_extract',
    syntax: 'regexp_extract(text, pattern[, group])',
    doc: 'The group of that number, the first one unless given, of the first match of a regular expression.',
    examples: [["regexp_extract('100-200', '([0-9]+)-([0-9]+)', 2)", '200']],
    takes: ['string', 'string', 'integer?'],
    returns: types.string,
    kernel: (args) => {
      const find = patterns(args, 1);
      return (text: string, pattern: string, group: number | bigint = 1) =>
        find(pattern).first(text)?.[Number(group)] ?? '';
    },
  }),
  define({
    name: 'regexp_quote_meta',
    syntax: 'regexp_quote_meta(text)',
    doc: 'The text with a backslash before each character that is special in a regular expression.',
    examples: [["regexp_quote_meta('a.b')", 'a\\.b']],
    takes: ['string'],
    returns: types.string,
    kernel: () => (text: string) =>
      text.replace(/[\0\\|()^$.[?*+{:-]/g, (char) => (char === '\0' ? '\\0' : `\\${char}`)),
  }),
];
