import { SluiceError } from '../../base/index.ts';
import { js } from '../../code/index.ts';
import { compareValues } from '../../runtime/index.ts';
import {
  arrayOf,
  bareType,
  defaultValue,
  isInteger,
  isNullable,
  isNumber,
  mapOf,
  type SqlType,
  supertype,
  typeName,
  types,
} from '../../types/index.ts';
import { illegalType } from '../checks.ts';
import { type Argument, type ScalarFunction, values } from '../definition.ts';
import {
  assertArraySize,
  elementMatcher,
  elementType,
  sizesDiffer,
  type Values,
  valueConverter,
  wrapInteger,
} from './array-values.ts';
import { elementCode, keyOf } from './arrays.ts';

type MapType = SqlType & { kind: 'map' };
type Pair = readonly [key: unknown, value: unknown];
type Pairs = readonly Pair[];

function mapFunction(parts: Omit<ScalarFunction, 'kind' | 'category'>): ScalarFunction {
  return { kind: 'scalar', category: 'map', ...parts };
}

export function mapType(name: string, args: readonly Argument[], position: number): MapType {
  const { type } = args[position]!;
  if (type.kind !== 'map') throw illegalType(name, position, type, 'a map');
  return type;
}

function checkedMap(key: SqlType, value: SqlType): SqlType {
  if (isNullable(key) && key.kind !== 'nothing')
    throw new SluiceError(
      'BAD_ARGUMENTS',
      `The key of a map cannot be ${typeName(key)}: keys are never NULL`,
    );
  return mapOf(key, value);
}

const map = mapFunction({
  name: 'map',
  arity: [0, Number.POSITIVE_INFINITY],
  nulls: 'handled',
  syntax: 'map(key, value, ...)',
  doc: 'A map of the keys and values given in turn.',
  examples: [
    ["map('a', 1, 'b', 300)", "{'a':1,'b':300}"],
    ["map('a', 1)['a']", '1'],
  ],
  type: (args) => {
    if (args.length % 2 !== 0)
      throw new SluiceError(
        'NUMBER_OF_ARGUMENTS_DOESNT_MATCH',
        'map takes an even number of arguments: keys and values in turn',
      );
    const at = (side: number) =>
      supertype(
        args.filter((_, index) => index % 2 === side).map((argument) => argument.type),
        side === 0 ? 'the keys of a map' : 'the values of a map',
      );
    if (args.length > 0 && at(0).kind === 'nothing')
      throw new SluiceError('BAD_ARGUMENTS', 'The key of a map cannot be NULL');
    return checkedMap(at(0), at(1));
  },
  emit: (emitter, args, type) => {
    const { key, value } = type as MapType;
    const operands = values(args);
    let pairs = js``;
    for (let index = 0; index < operands.length; index += 2) {
      const first = elementCode(emitter, operands[index]!, key);
      const second = elementCode(emitter, operands[index + 1]!, value);
      pairs = index === 0 ? js`[${first},${second}]` : js`${pairs},[${first},${second}]`;
    }
    return { type, code: emitter.constant('map', js`[${pairs}]`), isNull: null, bounds: undefined };
  },
});

const mapFromArrays = mapFunction({
  name: 'map_from_arrays',
  aliases: ['map_cast'],
  arity: [2, Number.POSITIVE_INFINITY],
  nulls: 'handled',
  syntax: 'map_from_arrays(keys, values)',
  doc: 'A map of an array of keys and an array of values of one size. As map_cast it takes keys and values in turn, too.',
  examples: [
    ["map_from_arrays(['a', 'b'], [1, 2])", "{'a':1,'b':2}"],
    ["map_cast('a', 1)", "{'a':1}"],
  ],
  type: (args) => {
    const [keys, items] = args as [Argument, Argument];
    if (args.length === 2 && (keys.type.kind === 'array' || keys.type.kind === 'map')) {
      const key = keys.type.kind === 'map' ? keys.type.key : keys.type.element;
      return checkedMap(key, elementType('map_from_arrays', args, 1));
    }
    if (args.length === 2 && items.type.kind === 'array')
      throw illegalType('map_from_arrays', 0, keys.type, 'an array');
    return map.type(args);
  },
  kernel: (args, type) => {
    if (args.length === 2 && args[0]!.type.kind === 'array')
      return (keys: Values, items: Values) => {
        if (keys.length !== items.length) throw sizesDiffer('map_from_arrays');
        return keys.map((key, index) => [key, items[index]]);
      };
    const converters = args.map((argument, index) =>
      valueConverter(argument.type, index % 2 === 0 ? (type as MapType).key : (type as MapType).value),
    );
    return (...given: unknown[]) => {
      const pairs: unknown[][] = [];
      for (let index = 0; index < given.length; index += 2)
        pairs.push([converters[index]!(given[index]), converters[index + 1]!(given[index + 1])]);
      return pairs;
    };
  },
});

function partsFunction(name: string, doc: string, example: string, side: 0 | 1): ScalarFunction {
  return mapFunction({
    name,
    arity: [1, 1],
    syntax: `${name}(map)`,
    doc,
    examples: [[`${name}(map('a', 1, 'b', 2))`, example]],
    type: (args) => {
      const { key, value } = mapType(name, args, 0);
      return arrayOf(side === 0 ? key : value);
    },
    kernel: () => (pairs: Pairs) => pairs.map((pair) => pair[side]),
  });
}

function containsFunction(name: string, aliases: readonly string[], side: 0 | 1): ScalarFunction {
  const part = (args: readonly Argument[]) => {
    const { key, value } = mapType(name, args, 0);
    return side === 0 ? key : value;
  };
  return mapFunction({
    name,
    aliases,
    arity: [2, 2],
    nulls: 'handled',
    syntax: `${name}(map, ${side === 0 ? 'key' : 'value'})`,
    doc: `Whether the map has the ${side === 0 ? 'key' : 'value'}.`,
    examples: [[`${name}(map('a', 1), ${side === 0 ? "'a'" : '2'})`, side === 0 ? 'true' : 'false']],
    type: (args) => {
      elementMatcher(name, part(args), args[1]!.type);
      return types.bool;
    },
    kernel: (args) => {
      const matches = elementMatcher(name, part(args), args[1]!.type);
      return (pairs: Pairs, wanted: unknown) => (pairs.some((pair) => matches(pair[side], wanted)) ? 1 : 0);
    },
  });
}

/** The type that holds the keys and values of all the maps. */
function commonMap(name: string, args: readonly Argument[]): MapType {
  return supertype(
    args.map((_, index) => mapType(name, args, index)),
    name,
  ) as MapType;
}

function mapConverter(from: SqlType, to: MapType): (pairs: Pairs) => Pairs {
  const source = from as MapType;
  const [key, value] = [valueConverter(source.key, to.key), valueConverter(source.value, to.value)];
  return (pairs) => pairs.map((pair) => [key(pair[0]), value(pair[1])]);
}

function combining(
  name: string,
  doc: string,
  example: readonly [string, string],
  type: (args: readonly Argument[]) => MapType,
  combine: (maps: readonly Pairs[], type: MapType) => readonly Pair[],
): ScalarFunction {
  return mapFunction({
    name,
    arity: [1, Number.POSITIVE_INFINITY],
    syntax: `${name}(map, ...)`,
    doc,
    examples: [example],
    type,
    kernel: (args, result) => {
      const converters = args.map((argument) => mapConverter(argument.type, result as MapType));
      return (...maps: Pairs[]) =>
        combine(
          maps.map((each, index) => converters[index]!(each)),
          result as MapType,
        );
    },
  });
}

/** All pairs in order of first appearance, values of one key made one. */
function merged(
  maps: readonly Pairs[],
  type: MapType,
  merge: (before: unknown, after: unknown) => unknown,
): Pair[] {
  const key = keyOf(type.key);
  const result: [unknown, unknown][] = [];
  const places = new Map<unknown, number>();
  for (const pair of maps.flat()) {
    const text = key(pair[0]);
    const place = places.get(text);
    if (place === undefined) {
      places.set(text, result.length);
      result.push([pair[0], pair[1]]);
    } else result[place]![1] = merge(result[place]![1], pair[1]);
  }
  return result;
}

/** The map's type with room for sums of its values. */
function sumMap(name: string, args: readonly Argument[]): MapType {
  const { key, value } = commonMap(name, args);
  const bare = bareType(value);
  if (!isNumber(bare)) throw illegalType(name, 0, args[0]!.type, 'a map to numbers');
  if (bare.kind === 'float') return mapOf(key, types.float64) as MapType;
  if (bare.kind === 'decimal') return mapOf(key, bare) as MapType;
  return mapOf(key, bare.kind === 'int' && bare.signed ? types.int64 : types.uint64) as MapType;
}

function summed(sign: 1 | -1) {
  return (maps: readonly Pairs[], type: MapType): Pair[] => {
    const value = bareType(type.value);
    return merged(maps, type, (before, after) => {
      if (value.kind === 'float') return (before as number) + sign * (after as number);
      const total = BigInt(before as number) + BigInt(sign) * BigInt(after as number);
      return wrapInteger(total, value);
    }).sort((left, right) => compareValues(left[0], right[0]));
  };
}

const mapPopulateSeries = mapFunction({
  name: 'map_populate_series',
  arity: [1, 2],
  syntax: 'map_populate_series(map[, greatest])',
  doc: 'The map with every integer key from its least to its greatest one (or a given one), missing ones having the default value.',
  examples: [['map_populate_series(map(1, 10, 4, 40))', '{1:10,2:0,3:0,4:40}']],
  type: (args) => {
    const type = mapType('map_populate_series', args, 0);
    if (!isInteger(type.key)) throw illegalType('map_populate_series', 0, type, 'a map with integer keys');
    return type;
  },
  kernel: (_, type) => {
    const { value } = type as MapType;
    return (pairs: Pairs, greatest?: number | bigint) => {
      if (pairs.length === 0) return [];
      const known = new Map(pairs.map((pair) => [Number(pair[0]), pair[1]]));
      const keys = [...known.keys()];
      const least = keys.reduce((left, right) => Math.min(left, right));
      const most =
        greatest === undefined ? keys.reduce((left, right) => Math.max(left, right)) : Number(greatest);
      assertArraySize('map_populate_series', most - least + 1);
      return Array.from({ length: Math.max(0, most - least + 1) }, (__, index) => [
        least + index,
        known.get(least + index) ?? defaultValue(value),
      ]);
    };
  },
});

export const mapFunctions: readonly ScalarFunction[] = [
  map,
  mapFromArrays,
  partsFunction('map_keys', 'The keys of the map as an array.', "['a','b']", 0),
  partsFunction('map_values', 'The values of the map as an array.', '[1,2]', 1),
  containsFunction('map_contains', ['map_contains_key'], 0),
  containsFunction('map_contains_value', [], 1),
  combining(
    'map_update',
    'The first map with the values of the following maps in place of its own, and their further keys.',
    ["map_update(map('a', 1, 'b', 2), map('b', 3, 'c', 4))", "{'a':1,'b':3,'c':4}"],
    (args) => commonMap('map_update', args),
    (maps, type) => merged(maps, type, (_, after) => after),
  ),
  combining(
    'map_concat',
    'The pairs of all maps one after the other.',
    ["map_concat(map('a', 1), map('b', 2))", "{'a':1,'b':2}"],
    (args) => commonMap('map_concat', args),
    (maps) => maps.flat(),
  ),
  combining(
    'map_add',
    'The sums of the values of each key, keys in order.',
    ["map_add(map('a', 1), map('a', 2, 'b', 1))", "{'a':3,'b':1}"],
    (args) => sumMap('map_add', args),
    summed(1),
  ),
  combining(
    'map_subtract',
    'The differences of the values of each key, keys in order.',
    ["map_subtract(map('a', -1), map('a', 2))", "{'a':-3}"],
    (args) => sumMap('map_subtract', args),
    summed(-1),
  ),
  mapPopulateSeries,
];
