import { SluiceError } from '../../base/index.ts';
import { regexp } from '../../runtime/index.ts';
import { arrayOf, types } from '../../types/index.ts';
import type { ScalarFunction } from '../definition.ts';
import { functionsOf, type Takes } from './simple-function.ts';

const define = functionsOf('string');

/** The most pieces wanted; no number, or one that is not above zero, asks for all. */
function limitOf(most: number | bigint | undefined): number {
  return most === undefined || most <= 0 ? Number.POSITIVE_INFINITY : Number(most);
}

function pieces(text: string, separator: string, limit: number): string[] {
  return Number.isFinite(limit) ? text.split(separator, limit) : text.split(separator);
}

interface Splitter {
  readonly name: string;
  readonly aliases?: readonly string[];
  readonly doc: string;
  readonly example: readonly [string, string];
  readonly split: (text: string, limit: number) => string[];
}

/** Functions that take a text and the number of pieces. */
function splitter({ name, aliases, doc, example, split }: Splitter): ScalarFunction {
  return define({
    name,
    aliases: aliases ?? [],
    syntax: `${name}(text[, most])`,
    doc,
    examples: [example],
    takes: ['string', 'integer?'],
    returns: arrayOf(types.string),
    kernel: () => (text: string, most?: number | bigint) => split(text, limitOf(most)),
  });
}

/** The runs of characters that a pattern of ours matches. */
function runs(pattern: RegExp): (text: string, limit: number) => string[] {
  return (text, limit) => (text.match(pattern) ?? []).slice(0, limit);
}

const separated: readonly Takes[] = ['string', 'string', 'integer?'];

export const stringSplitFunctions: readonly ScalarFunction[] = [
  define({
    name: 'split_by_char',
    syntax: 'split_by_char(separator, text[, most])',
    doc: 'The pieces of a text between the places of a separator of one byte; those past `most` are left out.',
    examples: [["split_by_char(',', 'a,b,c')", "['a','b','c']"]],
    takes: separated,
    returns: arrayOf(types.string),
    kernel: () => (separator: string, text: string, most?: number | bigint) => {
      if (separator.length !== 1) {
        throw new SluiceError(
          'BAD_ARGUMENTS',
          `The separator of split_by_char must be one byte, not ${separator.length}: see split_by_string`,
        );
      }
      return pieces(text, separator, limitOf(most));
    },
  }),
  define({
    name: 'split_by_string',
    syntax: 'split_by_string(separator, text[, most])',
    doc: 'The pieces of a text between the places of a separator; the single bytes when the separator is empty.',
    examples: [["split_by_string(', ', 'a, b, c')", "['a','b','c']"]],
    takes: separated,
    returns: arrayOf(types.string),
    kernel: () => (separator: string, text: string, most?: number | bigint) =>
      pieces(text, separator, limitOf(most)),
  }),
  define({
    name: 'split_by_regexp',
    syntax: 'split_by_regexp(pattern, text[, most])',
    doc: 'The pieces of a text between the matches of a regular expression.',
    examples: [["split_by_regexp('[0-9]+', 'a12b3c')", "['a','b','c']"]],
    takes: separated,
    returns: arrayOf(types.string),
    kernel: () => (pattern: string, text: string, most?: number | bigint) =>
      pattern === '' ? pieces(text, '', limitOf(most)) : regexp(pattern).split(text, limitOf(most)),
  }),
  splitter({
    name: 'split_by_whitespace',
    doc: 'The pieces of a text between runs of white space.',
    example: ["split_by_whitespace('  a  b ')", "['a','b']"],
    split: runs(/[^ \t\n\r\f\v]+/g),
  }),
  splitter({
    name: 'split_by_non_alpha',
    doc: 'The pieces of a text between runs of white space and punctuation.',
    example: ["split_by_non_alpha('a,b 1')", "['a','b','1']"],
    split: runs(/[^ \t\n\r\f\v!-/:-@[-`{-~]+/g),
  }),
  splitter({
    name: 'alpha_tokens',
    aliases: ['split_by_alpha'],
    doc: 'The runs of ASCII letters in a text.',
    example: ["alpha_tokens('abca1abc')", "['abca','abc']"],
    split: runs(/[A-Za-z]+/g),
  }),
  splitter({
    name: 'tokens',
    doc: 'The words of a text: runs of ASCII letters, digits and other bytes above 127.',
    example: ["tokens('a b,c')", "['a','b','c']"],
    split: runs(/[0-9A-Za-z\x80-\xff]+/g),
  }),
  define({
    name: 'ngrams',
    syntax: 'ngrams(text, size)',
    doc: 'All stretches of so many characters of a text.',
    examples: [["ngrams('abcd', 3)", "['abc','bcd']"]],
    takes: ['string', 'integer'],
    returns: arrayOf(types.string),
    kernel: () => (text: string, size: number | bigint) => {
      const length = Number(size);
      if (length < 1) throw new SluiceError('BAD_ARGUMENTS', 'The size given to ngrams must be at least 1');
      // Only bytes that start a character start a stretch.
      const starts: number[] = [];
      for (let at = 0; at < text.length; at++) if ((text.charCodeAt(at) & 0xc0) !== 0x80) starts.push(at);
      starts.push(text.length);
      const result: string[] = [];
      for (let index = 0; index + length < starts.length; index++)
        result.push(text.slice(starts[index], starts[index + length]));
      return result;
    },
  }),
];
