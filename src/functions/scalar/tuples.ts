import { SluiceError } from '../../base/index.ts';
import { joinCode, js } from '../../code/index.ts';
import {
  arrayOf,
  isInteger,
  isString,
  nullable,
  type SqlType,
  supertype,
  toByteString,
  tupleOf,
  types,
} from '../../types/index.ts';
import { constantOf, illegalType } from '../checks.ts';
import { type Argument, type ScalarFunction, values } from '../definition.ts';
import { elementConverter, type Values, valueConverter } from './array-values.ts';
import { elementCode } from './arrays.ts';

type TupleType = SqlType & { kind: 'tuple' };

function tupleFunction(parts: Omit<ScalarFunction, 'kind' | 'category'>): ScalarFunction {
  return { kind: 'scalar', category: 'tuple', ...parts };
}

const tuple = tupleFunction({
  name: 'tuple',
  aliases: ['tuple_cast'],
  arity: [0, Number.POSITIVE_INFINITY],
  nulls: 'handled',
  syntax: '(a, b), tuple(a, b, ...)',
  doc: 'The values as one value with elements of their own types.',
  examples: [
    ["(1, 'a')", "(1,'a')"],
    ["tuple('a', NULL)", "('a',NULL)"],
  ],
  type: (args) =>
    tupleOf(
      args.map((argument) => (argument.type.kind === 'nothing' ? nullable(types.nothing) : argument.type)),
    ),
  emit: (emitter, args, type) => {
    const items = values(args).map((operand) => elementCode(emitter, operand, operand.type));
    return {
      type,
      code: emitter.constant('tuple', js`[${joinCode(items)}]`),
      isNull: null,
      bounds: undefined,
    };
  },
});

function tupleType(name: string, args: readonly Argument[], position: number): TupleType {
  const { type } = args[position]!;
  if (type.kind !== 'tuple') throw illegalType(name, position, type, 'a tuple');
  return type;
}

/** The tuple behind a tuple or behind (nested) arrays of tuples. */
function tupleWithin(type: SqlType): TupleType | undefined {
  if (type.kind === 'array') return tupleWithin(type.element);
  return type.kind === 'tuple' ? type : undefined;
}

/** The position of the element that a constant number or name stands for; undefined when there is none. */
function elementPosition(tupleType: TupleType, wanted: unknown): number | undefined {
  if (typeof wanted === 'string') {
    const found = tupleType.elements.findIndex((element) => toByteString(element.name) === wanted);
    if (found >= 0) return found;
    return /^[1-9]\d*$/.test(wanted) ? elementPosition(tupleType, Number(wanted)) : undefined;
  }
  const number = Number(wanted);
  const position = number > 0 ? number - 1 : tupleType.elements.length + number;
  return number !== 0 && position >= 0 && position < tupleType.elements.length ? position : undefined;
}

interface FoundElement {
  readonly position: number;
  readonly type: SqlType;
}

function findElement(args: readonly Argument[]): FoundElement | undefined {
  const { type } = args[0]!;
  const within = tupleWithin(type);
  if (within === undefined) throw illegalType('tuple_element', 0, type, 'a tuple');
  const wanted = constantOf('tuple_element', args, 1);
  if (!isInteger(args[1]!.type) && !isString(args[1]!.type))
    throw illegalType('tuple_element', 1, args[1]!.type, 'the number or name of an element');
  const position = elementPosition(within, wanted);
  if (position !== undefined) {
    const rewrap = (outer: SqlType, inner: SqlType): SqlType =>
      outer.kind === 'array' ? arrayOf(rewrap(outer.element, inner)) : inner;
    return { position, type: rewrap(type, within.elements[position]!.type) };
  }
  if (args.length === 3) return undefined;
  const names = within.elements.map((element) => element.name).filter((name) => name !== '');
  throw new SluiceError(
    'NOT_FOUND_COLUMN_IN_BLOCK',
    `The tuple has no element ${String(wanted)}: it has ${within.elements.length} elements${names.length > 0 ? ` (${names.join(', ')})` : ''}`,
  );
}

const tupleElement = tupleFunction({
  name: 'tuple_element',
  arity: [2, 3],
  nulls: 'handled',
  syntax: "t.1, t.name, tuple_element(t, position or 'name'[, default])",
  doc: 'An element of a tuple by its position, counting from 1, or by its name; of an array of tuples the array of these elements.',
  examples: [
    ["tuple_element((1, 'a'), 2)", 'a'],
    ['(10, 20).1', '10'],
    ['tuple_element((1, 2), 3, 7)', '7'],
  ],
  type: (args) => findElement(args)?.type ?? args[2]!.type,
  kernel: (args) => {
    const found = findElement(args);
    if (found === undefined) return (_value: unknown, _name: unknown, otherwise: unknown) => otherwise;
    const { position } = found;
    if (args[0]!.type.kind === 'tuple') return (value: Values) => value[position];
    const pick = (type: SqlType): ((value: Values) => unknown) => {
      if (type.kind !== 'array') return (value) => value[position];
      const inner = pick(type.element);
      return (list) => list.map((value) => inner(value as Values));
    };
    return pick(args[0]!.type);
  },
});

const untuple = tupleFunction({
  name: 'untuple',
  arity: [1, 1],
  syntax: 'untuple(tuple)',
  doc: 'The elements of a tuple as columns; not supported: name the elements, as in t.1, t.2.',
  examples: [['(1, 2).2', '2']],
  type: () => {
    throw new SluiceError(
      'NOT_IMPLEMENTED',
      'untuple is not supported: name the elements of the tuple, as in SELECT t.1, t.2',
    );
  },
});

const tupleConcat = tupleFunction({
  name: 'tuple_concat',
  arity: [1, Number.POSITIVE_INFINITY],
  syntax: 'tuple_concat(tuple, ...)',
  doc: 'The elements of all tuples in one tuple.',
  examples: [["tuple_concat((1, 2), tuple('a'))", "(1,2,'a')"]],
  type: (args) => ({
    kind: 'tuple',
    elements: args.flatMap((_, index) => [...tupleType('tuple_concat', args, index).elements]),
  }),
  kernel:
    () =>
    (...tuples: unknown[][]) =>
      tuples.flat(1),
});

const tupleToNameValuePairs = tupleFunction({
  name: 'tuple_to_name_value_pairs',
  arity: [1, 1],
  syntax: 'tuple_to_name_value_pairs(tuple)',
  doc: 'The elements as an array of pairs of name and value; elements without a name go by their position.',
  examples: [['tuple_to_name_value_pairs((1, 2))', "[('1',1),('2',2)]"]],
  type: (args) => {
    const { elements } = tupleType('tuple_to_name_value_pairs', args, 0);
    const common = supertype(
      elements.map((element) => element.type),
      'tuple_to_name_value_pairs',
    );
    return arrayOf(tupleOf([types.string, common]));
  },
  kernel: (args, type) => {
    const { elements } = tupleType('tuple_to_name_value_pairs', args, 0);
    const common = ((type as SqlType & { kind: 'array' }).element as TupleType).elements[1]!.type;
    const names = elements.map((element, index) => toByteString(element.name) || String(index + 1));
    const converters = elements.map((element) => valueConverter(element.type, common));
    return (value: Values) => value.map((each, index) => [names[index]!, converters[index]!(each)]);
  },
});

const tupleNames = tupleFunction({
  name: 'tuple_names',
  arity: [1, 1],
  syntax: 'tuple_names(tuple)',
  doc: 'The names of the elements; elements without a name go by their position.',
  examples: [['tuple_names((1, 2))', "['1','2']"]],
  type: (args) => {
    tupleType('tuple_names', args, 0);
    return arrayOf(types.string);
  },
  kernel: (args) => {
    const names = tupleType('tuple_names', args, 0).elements.map(
      (element, index) => toByteString(element.name) || String(index + 1),
    );
    return () => names;
  },
});

/** The elements of a tuple with those of tuples inside it in their place, named by the path. */
function flattened(type: TupleType, path: string): { name: string; type: SqlType; steps: number[] }[] {
  return type.elements.flatMap((element, index) => {
    const name = element.name === '' ? '' : path === '' ? element.name : `${path}.${element.name}`;
    if (element.type.kind !== 'tuple') return [{ name, type: element.type, steps: [index] }];
    return flattened(element.type, name).map((inner) => ({ ...inner, steps: [index, ...inner.steps] }));
  });
}

const flattenTuple = tupleFunction({
  name: 'flatten_tuple',
  arity: [1, 1],
  syntax: 'flatten_tuple(tuple)',
  doc: 'The tuple with the elements of tuples inside it put in their place.',
  examples: [['flatten_tuple(((1, 2), 3))', '(1,2,3)']],
  type: (args) => ({
    kind: 'tuple',
    elements: flattened(tupleType('flatten_tuple', args, 0), '').map(({ name, type }) => ({ name, type })),
  }),
  kernel: (args) => {
    const paths = flattened(tupleType('flatten_tuple', args, 0), '').map((element) => element.steps);
    return (value: Values) =>
      paths.map((steps) => steps.reduce<unknown>((inner, step) => (inner as Values)[step], value));
  },
});

const arrayCast: ScalarFunction = {
  kind: 'scalar',
  name: 'array_cast',
  category: 'array',
  arity: [0, Number.POSITIVE_INFINITY],
  nulls: 'handled',
  syntax: 'array_cast(a, b, ...)',
  doc: 'An array of the values, in the narrowest type that holds them all.',
  examples: [['array_cast(1, 2)', '[1,2]']],
  type: (args) =>
    arrayOf(
      supertype(
        args.map((argument) => argument.type),
        'array_cast',
      ),
    ),
  kernel: (args, type) => {
    const { element } = type as SqlType & { kind: 'array' };
    const converters = args.map((argument) => elementConverter(argument.type, element));
    return (...items: unknown[]) => items.flatMap((item, index) => converters[index]!([item]) as unknown[]);
  },
};

export const tupleFunctions: readonly ScalarFunction[] = [
  tuple,
  tupleElement,
  untuple,
  tupleConcat,
  tupleToNameValuePairs,
  tupleNames,
  flattenTuple,
  arrayCast,
];
