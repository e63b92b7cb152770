import { SluiceError } from '../../base/index.ts';
import { fromByteString, isAscii, type SqlType, types } from '../../types/index.ts';
import type { ScalarFunction } from '../definition.ts';
import { functionsOf } from './simple-function.ts';

const define = functionsOf('string');

/** Comparing two texts character by character takes time that grows with the product of their lengths. */
const workMax = 16_777_216;

/** How many insertions, deletions and replacements, and swaps of neighbours if wanted, lead from one list to the other. */
function editDistance(left: readonly string[], right: readonly string[], withSwaps: boolean): number {
  if (left.length * right.length > workMax) {
    throw new SluiceError(
      'TOO_LARGE_STRING_SIZE',
      `Texts of ${left.length} and ${right.length} characters are too long to be compared by edits`,
    );
  }
  let before: number[] = [];
  let above = Array.from({ length: right.length + 1 }, (_, column) => column);
  for (let row = 1; row <= left.length; row++) {
    const current = [row];
    for (let column = 1; column <= right.length; column++) {
      const isSame = left[row - 1] === right[column - 1];
      let best = Math.min(
        above[column]! + 1,
        current[column - 1]! + 1,
        above[column - 1]! + (isSame ? 0 : 1),
      );
      const isSwap =
        withSwaps &&
        row > 1 &&
        column > 1 &&
        left[row - 1] === right[column - 2] &&
        left[row - 2] === right[column - 1];
      if (isSwap) best = Math.min(best, before[column - 2]! + 1);
      current.push(best);
    }
    before = above;
    above = current;
  }
  return above[right.length]!;
}

function bytes(text: string): string[] {
  return text.split('');
}

function characters(text: string): string[] {
  return isAscii(text) ? text.split('') : Array.from(fromByteString(text));
}

function hamming(left: string, right: string): number {
  if (left.length !== right.length)
    throw new SluiceError('BAD_ARGUMENTS', 'byte_hamming_distance takes texts of the same length');
  let count = 0;
  for (let at = 0; at < left.length; at++) if (left[at] !== right[at]) count++;
  return count;
}

/** The share of characters that two texts have in common among all that either has. */
function jaccard(left: readonly string[], right: readonly string[]): number {
  const [first, second] = [new Set(left), new Set(right)];
  const all = first.union(second).size;
  return all === 0 ? 1 : first.intersection(second).size / all;
}

interface Distance {
  readonly name: string;
  readonly aliases?: readonly string[];
  readonly doc: string;
  readonly example: readonly [string, string, string];
  readonly returns: SqlType;
  readonly measure: (left: string, right: string) => number;
}

const distances: readonly Distance[] = [
  {
    name: 'levenshtein_distance',
    aliases: ['edit_distance'],
    doc: 'How many bytes must be inserted, deleted or replaced to make one text of the other.',
    example: ['kitten', 'sitting', '3'],
    returns: types.uint64,
    measure: (left, right) => editDistance(bytes(left), bytes(right), false),
  },
  {
    name: 'levenshtein_distance_utf8',
    aliases: ['edit_distance_utf8'],
    doc: 'How many characters must be inserted, deleted or replaced to make one text of the other.',
    example: ['é', 'e', '1'],
    returns: types.uint64,
    measure: (left, right) => editDistance(characters(left), characters(right), false),
  },
  {
    name: 'damerau_levenshtein_distance',
    doc: 'As levenshtein_distance, where the swap of two neighbouring bytes counts as one step.',
    example: ['ab', 'ba', '1'],
    returns: types.uint64,
    measure: (left, right) => editDistance(bytes(left), bytes(right), true),
  },
  {
    name: 'byte_hamming_distance',
    aliases: ['mismatches'],
    doc: 'How many bytes differ between two texts of the same length.',
    example: ['abc', 'abd', '1'],
    returns: types.uint64,
    measure: hamming,
  },
  {
    name: 'string_jaccard_index',
    doc: 'The number of bytes that two texts have in common by that of all they have, each counted once.',
    example: ['abc', 'abd', '0.5'],
    returns: types.float64,
    measure: (left, right) => jaccard(bytes(left), bytes(right)),
  },
  {
    name: 'string_jaccard_index_utf8',
    doc: 'The number of characters that two texts have in common by that of all they have, each counted once.',
    example: ['abc', 'abc', '1'],
    returns: types.float64,
    measure: (left, right) => jaccard(characters(left), characters(right)),
  },
];

export const stringDistanceFunctions: readonly ScalarFunction[] = distances.map(
  ({ name, aliases, doc, example, returns, measure }) =>
    define({
      name,
      aliases: aliases ?? [],
      syntax: `${name}(a, b)`,
      doc,
      examples: [[`${name}('${example[0]}', '${example[1]}')`, example[2]]],
      takes: ['string', 'string'],
      returns,
      kernel: () => measure,
    }),
);
