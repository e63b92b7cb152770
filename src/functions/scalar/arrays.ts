import { SluiceError } from '../../base/index.ts';
import { joinCode, js } from '../../code/index.ts';
import { setKey } from '../../runtime/index.ts';
import {
  arrayOf,
  bareType,
  defaultValue,
  isInteger,
  type SqlType,
  supertype,
  types,
} from '../../types/index.ts';
import { illegalType } from '../checks.ts';
import { type Argument, type Emitter, type Operand, type ScalarFunction, values } from '../definition.ts';
import { commonElement, elementConverter, elementMatcher, elementType, type Values } from './array-values.ts';
import { convertOperand } from './convert-operand.ts';

/** An operand as an element of a compound value: of the given type, JavaScript null where it is NULL. */
export function elementCode(emitter: Emitter, operand: Operand, type: SqlType) {
  const converted = convertOperand(emitter, operand, type);
  return operand.isNull === null ? converted : js`(${operand.isNull} ? null : ${converted})`;
}

const array: ScalarFunction = {
  kind: 'scalar',
  name: 'array',
  category: 'array',
  arity: [0, Number.POSITIVE_INFINITY],
  nulls: 'handled',
  syntax: '[a, b, ...], array(a, b, ...)',
  doc: 'An array of the values, in the narrowest type that holds them all.',
  examples: [
    ['[1, 2, 300]', '[1,2,300]'],
    ["array('a', NULL)", "['a',NULL]"],
  ],
  type: (args) =>
    arrayOf(
      supertype(
        args.map((argument) => argument.type),
        'an array',
      ),
    ),
  emit: (emitter, args, type) => {
    const { element } = type as SqlType & { kind: 'array' };
    const items = values(args).map((operand) => elementCode(emitter, operand, element));
    return {
      type,
      code: emitter.constant('array', js`[${joinCode(items)}]`),
      isNull: null,
      bounds: undefined,
    };
  },
};

function elementAt(list: Values, index: number | bigint, otherwise: unknown): unknown {
  const position = Number(index);
  const at = position > 0 ? position - 1 : list.length + position;
  return at >= 0 && at < list.length && position !== 0 ? list[at] : otherwise;
}

function mapElementMatcher(name: string, args: readonly Argument[]) {
  const { type } = args[0]!;
  const key = (type as SqlType & { kind: 'map' }).key;
  return elementMatcher(name, key, args[1]!.type);
}

const arrayElement: ScalarFunction = {
  kind: 'scalar',
  name: 'array_element',
  aliases: ['map_element'],
  category: 'array',
  arity: [2, 2],
  syntax: 'a[i], m[key], array_element(a, i)',
  doc: 'The element at a position that counts from 1, or from -1 at the end; of a map the value for a key. The default of the type where there is none.',
  examples: [
    ['[10, 20, 30][2]', '20'],
    ['[10, 20, 30][-1]', '30'],
    ["map('a', 1)['b']", '0'],
  ],
  type: (args) => {
    const [first, second] = args as [Argument, Argument];
    if (first.type.kind === 'map') {
      mapElementMatcher('array_element', args);
      return first.type.value;
    }
    const element = elementType('array_element', args, 0);
    if (!isInteger(second.type)) throw illegalType('array_element', 1, second.type, 'an integer');
    return element;
  },
  kernel: (args, type) => {
    const otherwise = defaultValue(type);
    if (args[0]!.type.kind === 'array')
      return (list: Values, index: number | bigint) => elementAt(list, index, otherwise);
    const matches = mapElementMatcher('array_element', args);
    return (pairs: readonly (readonly [unknown, unknown])[], key: unknown) => {
      for (const pair of pairs) if (matches(pair[0], key)) return pair[1];
      return otherwise;
    };
  },
};

const arrayElementOrNull: ScalarFunction = {
  kind: 'scalar',
  name: 'array_element_or_null',
  category: 'array',
  arity: [2, 2],
  syntax: 'array_element_or_null(a, i)',
  doc: 'The element at a position, NULL where there is none.',
  examples: [['array_element_or_null([10, 20], 3)', '\\N']],
  type: (args) => {
    const element = elementType('array_element_or_null', args, 0);
    return element.kind === 'nullable' ? element : { kind: 'nullable', inner: element };
  },
  kernel: () => (list: Values, index: number | bigint) => elementAt(list, index, null),
};

const has: ScalarFunction = {
  kind: 'scalar',
  name: 'has',
  aliases: ['array_contains'],
  category: 'array',
  arity: [2, 2],
  nulls: 'handled',
  syntax: 'has(array, value)',
  doc: 'Whether the array has an element equal to the value; of a map, whether it has the key. NULL equals NULL.',
  examples: [
    ['has([1, 2, 3], 2)', 'true'],
    ["has(['a'], 'b')", 'false'],
  ],
  type: (args) => {
    const { type } = args[0]!;
    if (type.kind === 'map') mapElementMatcher('has', args);
    else elementMatcher('has', elementType('has', args, 0), args[1]!.type);
    return types.bool;
  },
  kernel: (args) => {
    const { type } = args[0]!;
    if (type.kind === 'map') {
      const matches = mapElementMatcher('has', args);
      return (pairs: readonly Values[], value: unknown) =>
        pairs.some((pair) => matches(pair[0], value)) ? 1 : 0;
    }
    const matches = elementMatcher('has', elementType('has', args, 0), args[1]!.type);
    return (list: Values, value: unknown) => (list.some((element) => matches(element, value)) ? 1 : 0);
  },
};

const indexOf: ScalarFunction = {
  kind: 'scalar',
  name: 'index_of',
  category: 'array',
  arity: [2, 2],
  nulls: 'handled',
  syntax: 'index_of(array, value)',
  doc: 'Position of the first element equal to the value, counting from 1; 0 when there is none.',
  examples: [
    ['index_of([10, 20, 10], 20)', '2'],
    ['index_of([1], 5)', '0'],
  ],
  type: (args) => {
    elementMatcher('index_of', elementType('index_of', args, 0), args[1]!.type);
    return types.uint64;
  },
  kernel: (args) => {
    const matches = elementMatcher('index_of', elementType('index_of', args, 0), args[1]!.type);
    return (list: Values, value: unknown) => list.findIndex((element) => matches(element, value)) + 1;
  },
};

const countEqual: ScalarFunction = {
  kind: 'scalar',
  name: 'count_equal',
  category: 'array',
  arity: [2, 2],
  nulls: 'handled',
  syntax: 'count_equal(array, value)',
  doc: 'Number of elements equal to the value; NULL equals NULL.',
  examples: [['count_equal([1, 2, 1, NULL], 1)', '2']],
  type: (args) => {
    elementMatcher('count_equal', elementType('count_equal', args, 0), args[1]!.type);
    return types.uint64;
  },
  kernel: (args) => {
    const matches = elementMatcher('count_equal', elementType('count_equal', args, 0), args[1]!.type);
    return (list: Values, value: unknown) => {
      let count = 0;
      for (const element of list) if (matches(element, value)) count++;
      return count;
    };
  },
};

interface Containment {
  readonly name: string;
  readonly syntax: string;
  readonly doc: string;
  readonly examples: ScalarFunction['examples'];
  readonly holds: (list: Values, wanted: Values, key: (value: unknown) => unknown) => boolean;
}

function containment(rule: Containment): ScalarFunction {
  const common = (args: readonly Argument[]) =>
    commonElement(rule.name, [elementType(rule.name, args, 0), elementType(rule.name, args, 1)]);
  return {
    kind: 'scalar',
    name: rule.name,
    category: 'array',
    arity: [2, 2],
    syntax: rule.syntax,
    doc: rule.doc,
    examples: rule.examples,
    type: (args) => {
      common(args);
      return types.bool;
    },
    kernel: (args) => {
      const to = common(args);
      const first = elementConverter(elementType(rule.name, args, 0), to);
      const second = elementConverter(elementType(rule.name, args, 1), to);
      return (list: Values, wanted: Values) => (rule.holds(first(list), second(wanted), keyOf(to)) ? 1 : 0);
    },
  };
}

/** What values of a type are told apart by in a JavaScript Set. */
export function keyOf(type: SqlType): (value: unknown) => unknown {
  const { kind } = bareType(type);
  return kind === 'array' || kind === 'tuple' || kind === 'map' ? setKey : (value) => value;
}

function isRun(list: Values, wanted: Values, key: (value: unknown) => unknown): boolean {
  const [within, run] = [list.map(key), wanted.map(key)];
  for (let start = 0; start + run.length <= within.length; start++) {
    let length = 0;
    while (length < run.length && within[start + length] === run[length]) length++;
    if (length === run.length) return true;
  }
  return false;
}

const containments = [
  containment({
    name: 'has_all',
    syntax: 'has_all(array, wanted)',
    doc: 'Whether every element of the second array is in the first.',
    examples: [
      ['has_all([1, 2, 3], [3, 1])', 'true'],
      ['has_all([1], [])', 'true'],
    ],
    holds: (list, wanted, key) => {
      const known = new Set(list.map(key));
      return wanted.every((value) => known.has(key(value)));
    },
  }),
  containment({
    name: 'has_any',
    syntax: 'has_any(array, wanted)',
    doc: 'Whether an element of the second array is in the first.',
    examples: [
      ['has_any([1, 2], [2, 9])', 'true'],
      ['has_any([1], [])', 'false'],
    ],
    holds: (list, wanted, key) => {
      const known = new Set(list.map(key));
      return wanted.some((value) => known.has(key(value)));
    },
  }),
  containment({
    name: 'has_substr',
    syntax: 'has_substr(array, run)',
    doc: 'Whether the elements of the second array stand in the first one after the other, in this order.',
    examples: [
      ['has_substr([1, 2, 3], [2, 3])', 'true'],
      ['has_substr([1, 2, 3], [3, 2])', 'false'],
    ],
    holds: isRun,
  }),
];

const arrayJoin: ScalarFunction = {
  kind: 'scalar',
  name: 'array_join',
  category: 'array',
  arity: [1, 1],
  syntax: 'array_join(array)',
  doc: 'A row for each element; not supported as a function: use the clause ARRAY JOIN.',
  examples: [['to_type_name([1])', 'array(uint8)']],
  type: () => {
    throw new SluiceError(
      'NOT_IMPLEMENTED',
      'array_join is not supported as a function: write SELECT ... FROM ... ARRAY JOIN array AS element',
    );
  },
};

export const arrayFunctions: readonly ScalarFunction[] = [
  array,
  arrayElement,
  arrayElementOrNull,
  has,
  indexOf,
  countEqual,
  ...containments,
  arrayJoin,
];
