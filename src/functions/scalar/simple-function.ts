import { isInteger, isNumber, isString, type SqlType } from '../../types/index.ts';
import { illegalType } from '../checks.ts';
import type { Argument, FunctionDocumentation, ScalarFunction } from '../definition.ts';

const expectations = {
  string: { fits: isString, what: 'a string' },
  integer: { fits: isInteger, what: 'an integer' },
  number: { fits: isNumber, what: 'a number' },
  strings: {
    fits: (type: SqlType) => type.kind === 'array' && isString(type.element),
    what: 'an array of strings',
  },
  any: { fits: () => true, what: 'a value' },
} as const;

type Expected = keyof typeof expectations;

/** What an argument must be: `string`; `string?` where it may be left out; `string*` for any number of them. */
export type Takes = Expected | `${Expected}?` | `${Expected}*`;

/** A function whose arguments are checked each by itself. */
export interface SimpleFunction
  extends Omit<FunctionDocumentation, 'category'>,
    Pick<ScalarFunction, 'kernel' | 'emit' | 'nulls' | 'evaluation' | 'contextual'> {
  /** In order; what may be left out, and then what may be repeated, comes last. */
  readonly takes: readonly Takes[];
  readonly returns: SqlType | ((args: readonly Argument[]) => SqlType);
}

function expectation(takes: readonly Takes[], position: number): (typeof expectations)[Expected] {
  const word = takes[Math.min(position, takes.length - 1)]!.replace(/[?*]$/, '');
  return expectations[word as Expected];
}

/** Makes functions of one category from their short form. */
export function functionsOf(category: ScalarFunction['category']) {
  return (spec: SimpleFunction): ScalarFunction => {
    const { takes, returns, ...rest } = spec;
    const required = takes.filter((word) => !/[?*]$/.test(word)).length;
    const most = takes.at(-1)?.endsWith('*') ? Number.POSITIVE_INFINITY : takes.length;
    return {
      ...rest,
      kind: 'scalar',
      category,
      arity: [required, most],
      type: (args) => {
        for (const [position, argument] of args.entries()) {
          const { fits, what } = expectation(takes, position);
          const absent = argument.type.kind === 'nothing' || argument.type.kind === 'nullable';
          if (!fits(argument.type) && !(absent && spec.nulls === 'handled'))
            throw illegalType(spec.name, position, argument.type, what);
        }
        return typeof returns === 'function' ? returns(args) : returns;
      },
    };
  };
}
