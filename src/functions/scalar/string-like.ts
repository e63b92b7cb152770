import { ilikeMatcher, likeMatcher, type Matcher } from '../../runtime/index.ts';
import { types } from '../../types/index.ts';
import type { Argument, Kernel, ScalarFunction } from '../definition.ts';
import { functionsOf } from './simple-function.ts';

const define = functionsOf('string');

/** A kernel of (text, pattern): the matcher of a constant pattern is made once, else again where the pattern changes. */
export function patternKernel(
  args: readonly Argument[],
  make: (pattern: string) => Matcher,
  negated = false,
): Kernel {
  const [hit, miss] = negated ? [0, 1] : [1, 0];
  const constant = args[1]?.constant;
  if (constant !== undefined && constant.value !== null) {
    const matches = make(constant.value as string);
    return (text: string) => (matches(text) ? hit : miss);
  }
  let known: string | undefined;
  let matches: Matcher = () => false;
  return (text: string, pattern: string) => {
    if (pattern !== known) {
      matches = make(pattern);
      known = pattern;
    }
    return matches(text) ? hit : miss;
  };
}

function like(
  name: string,
  make: (pattern: string) => Matcher,
  negated: boolean,
  operator: string,
  doc: string,
  examples: ScalarFunction['examples'],
): ScalarFunction {
  return define({
    name,
    syntax: `text ${operator} pattern`,
    doc,
    examples,
    takes: ['string', 'string'],
    returns: types.bool,
    kernel: (args) => patternKernel(args, make, negated),
  });
}

const wildcards = '% stands for any text, _ for one character, a backslash takes their meaning away';

export const likeFunctions: readonly ScalarFunction[] = [
  like('like', likeMatcher, false, 'LIKE', `Whether the text has the shape of the pattern: ${wildcards}.`, [
    ["'hello' LIKE 'h%o'", 'true'],
    ["'hello' LIKE '_ell'", 'false'],
    ["'100%' LIKE '100\\\\%'", 'true'],
  ]),
  like('not_like', likeMatcher, true, 'NOT LIKE', 'The opposite of LIKE.', [
    ["'hello' NOT LIKE '%z%'", 'true'],
  ]),
  like('ilike', ilikeMatcher, false, 'ILIKE', 'As LIKE, without regard to upper and lower case.', [
    ["'Hello' ILIKE 'hE%'", 'true'],
  ]),
  like('not_ilike', ilikeMatcher, true, 'NOT ILIKE', 'The opposite of ILIKE.', [
    ["'Hello' NOT ILIKE 'h%'", 'false'],
  ]),
];
