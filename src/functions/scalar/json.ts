import { settingsFrom } from '../../base/index.ts';
import { jsonFormatter, jsonOptions } from '../../formats/index.ts';
import { arrayOf, parseType, type SqlType, tupleOf, types } from '../../types/index.ts';
import { constantOf, illegalType } from '../checks.ts';
import type { Argument, Kernel, ScalarFunction } from '../definition.ts';
import {
  compactAt,
  entriesAt,
  entryAtStep,
  isValidJson,
  type JsonEntry,
  type JsonStep,
  kindAt,
  locate,
  skipBlank,
  stringAt,
  valueEnd,
} from './json-text.ts';
import { jsonReader, jsonReaderOrDefault } from './json-values.ts';
import { functionsOf, type Takes } from './simple-function.ts';

const define = functionsOf('json');

const documentAndPath: readonly Takes[] = ['string', 'any*'];

function checkPath(name: string, args: readonly Argument[], end: number): void {
  for (let position = 1; position < end; position++) {
    const { type } = args[position]!;
    if (type.kind !== 'string' && type.kind !== 'fixed_string' && type.kind !== 'int')
      throw illegalType(name, position, type, 'a key or a position');
  }
}

interface PathFunction {
  readonly name: string;
  readonly aliases?: readonly string[];
  readonly doc: string;
  readonly examples: ScalarFunction['examples'];
  readonly returns: SqlType;
  /** The value for what stands at a place of the document; -1 when the path leads nowhere. */
  readonly read: (text: string, at: number) => unknown;
}

/** A function of a document and a path into it: keys, and positions that count from 1, or from the end when negative. */
function ofPath({ name, aliases, doc, examples, returns, read }: PathFunction): ScalarFunction {
  return define({
    name,
    aliases: aliases ?? [],
    syntax: `${name}(json[, key or position, ...])`,
    doc,
    examples,
    takes: documentAndPath,
    returns: (args) => {
      checkPath(name, args, args.length);
      return returns;
    },
    kernel:
      () =>
      (text: string, ...path: JsonStep[]) =>
        read(text, locate(text, path)),
  });
}

const typeEntries: readonly (readonly [string, number])[] = [
  ['Null', 0],
  ['String', 34],
  ['Array', 91],
  ['Bool', 98],
  ['Double', 100],
  ['Int64', 105],
  ['UInt64', 117],
  ['Object', 123],
];

function typeCode(text: string, at: number): number {
  switch (kindAt(text, at)) {
    case 'object':
      return 123;
    case 'array':
      return 91;
    case 'string':
      return 34;
    case 'bool':
      return 98;
    case 'number': {
      const token = text.slice(at, valueEnd(text, at));
      if (!/^-?\d+$/.test(token)) return 100;
      return token.length >= 19 && BigInt(token) >= 2n ** 63n ? 117 : 105;
    }
    case 'null':
    case 'none':
      return 0;
  }
}

function reading(
  name: string,
  type: SqlType,
  what: string,
  examples: ScalarFunction['examples'],
): ScalarFunction {
  const read = jsonReaderOrDefault(type);
  const doc = `The value at a path as ${what}; ${type.kind === 'string' ? 'empty' : '0'} where there is none.`;
  return ofPath({ name, doc, examples, returns: type, read });
}

function keyText(text: string, entry: JsonEntry): string {
  return stringAt(text, entry.key);
}

function objectEntries(text: string, at: number): readonly JsonEntry[] {
  return kindAt(text, at) === 'object' ? Array.from(entriesAt(text, at)) : [];
}

const pathFunctions: readonly PathFunction[] = [
  {
    name: 'json_has',
    doc: 'Whether a path leads to a value.',
    examples: [[`json_has('{"a": [1, 2]}', 'a', 2)`, 'true']],
    returns: types.bool,
    read: (_, at) => (at < 0 ? 0 : 1),
  },
  {
    name: 'json_length',
    doc: 'The number of elements of an array or an object; 0 for anything else.',
    examples: [[`json_length('{"a": [1, 2]}', 'a')`, '2']],
    returns: types.uint64,
    read: (text, at) => Array.from(entriesAt(text, at)).length,
  },
  {
    name: 'json_type',
    doc: 'The kind of a value: Null, String, Array, Bool, Double, Int64, UInt64 or Object.',
    examples: [[`json_type('{"a": 1.5}', 'a')`, 'Double']],
    returns: { kind: 'enum', bits: 8, entries: typeEntries },
    read: typeCode,
  },
  {
    name: 'json_extract_raw',
    doc: 'The value at a path as JSON without white space; empty where there is none.',
    examples: [[`json_extract_raw('{"a": [1, 2]}', 'a')`, '[1,2]']],
    returns: types.string,
    read: compactAt,
  },
  {
    name: 'json_extract_array_raw',
    aliases: ['json_extract_array'],
    doc: 'The elements of the array at a path, each as JSON.',
    examples: [[`json_extract_array_raw('{"a": [1, "x"]}', 'a')`, `['1','"x"']`]],
    returns: arrayOf(types.string),
    read: (text, at) =>
      kindAt(text, at) === 'array'
        ? Array.from(entriesAt(text, at), (entry) => compactAt(text, entry.value))
        : [],
  },
  {
    name: 'json_extract_keys',
    doc: 'The keys of the object at a path.',
    examples: [[`json_extract_keys('{"a": 1, "b": 2}')`, "['a','b']"]],
    returns: arrayOf(types.string),
    read: (text, at) => objectEntries(text, at).map((entry) => keyText(text, entry)),
  },
  {
    name: 'json_extract_keys_and_values_raw',
    doc: 'The keys and values of the object at a path, the values as JSON.',
    examples: [[`json_extract_keys_and_values_raw('{"a": [1]}')`, "[('a','[1]')]"]],
    returns: arrayOf(tupleOf([types.string, types.string])),
    read: (text, at) =>
      objectEntries(text, at).map((entry) => [keyText(text, entry), compactAt(text, entry.value)]),
  },
];

/** The type named by the last argument. */
function lastType(name: string, args: readonly Argument[]): SqlType {
  checkPath(name, args, args.length - 1);
  return parseType(String(constantOf(name, args, args.length - 1)));
}

function typedKernel(read: (text: string, at: number) => unknown): Kernel {
  return (text: string, ...path: JsonStep[]) => {
    path.pop();
    return read(text, locate(text, path));
  };
}

const jsonExtract = define({
  name: 'json_extract',
  syntax: "json_extract(json[, key or position, ...], 'type')",
  doc: 'The value at a path as any type; the default of the type, or NULL, where it does not fit.',
  examples: [
    [`json_extract('{"a": [1, null]}', 'a', 'array(nullable(int8))')`, '[1,NULL]'],
    [`json_extract('{"a": 1, "b": "x"}', 'tuple(a int32, b string)')`, "(1,'x')"],
  ],
  takes: ['string', 'any', 'any*'],
  returns: (args) => lastType('json_extract', args),
  kernel: (_, type) => typedKernel(jsonReaderOrDefault(type)),
});

const jsonKeysAndValues = define({
  name: 'json_extract_keys_and_values',
  syntax: "json_extract_keys_and_values(json[, key or position, ...], 'type')",
  doc: 'The keys and values of the object at a path; values that do not fit the type are left out.',
  examples: [[`json_extract_keys_and_values('{"a": 5, "b": "7"}', 'int8')`, "[('a',5),('b',7)]"]],
  takes: ['string', 'any', 'any*'],
  returns: (args) => arrayOf(tupleOf([types.string, lastType('json_extract_keys_and_values', args)])),
  kernel: (args) => {
    const read = jsonReader(lastType('json_extract_keys_and_values', args));
    return typedKernel((text, at) =>
      objectEntries(text, at)
        .map((entry) => [keyText(text, entry), read(text, entry.value)])
        .filter((pair) => pair[1] !== undefined),
    );
  },
});

const jsonKey = define({
  name: 'json_key',
  syntax: 'json_key(json[, key or position, ...], position)',
  doc: 'The key at a position of the object at a path; empty where there is none.',
  examples: [[`json_key('{"a": 1, "b": 2}', 2)`, 'b']],
  takes: ['string', 'any*'],
  returns: (args) => {
    checkPath('json_key', args, args.length);
    return types.string;
  },
  kernel:
    () =>
    (text: string, ...path: JsonStep[]) => {
      const at = locate(text, path.slice(0, -1));
      const last = path.at(-1);
      const entry = at < 0 || last === undefined ? undefined : entryAtStep(text, at, last);
      return entry === undefined || entry.key < 0 ? '' : keyText(text, entry);
    },
});

const jsonArrayLength = define({
  name: 'json_array_length',
  syntax: 'json_array_length(json)',
  doc: 'The number of elements of a JSON array; NULL for anything else.',
  examples: [
    ["json_array_length('[1, 2, [3]]')", '3'],
    ["json_array_length('{}')", '\\N'],
  ],
  takes: ['string'],
  returns: { kind: 'nullable', inner: types.uint64 },
  kernel: () => (text: string) => {
    const at = skipBlank(text, 0);
    return kindAt(text, at) === 'array' && isValidJson(text) ? Array.from(entriesAt(text, at)).length : null;
  },
});

const toJsonString = define({
  name: 'to_json_string',
  aliases: ['json_encode'],
  syntax: 'to_json_string(value)',
  doc: 'The value as JSON.',
  examples: [
    ['to_json_string([1, 2])', '[1,2]'],
    ["to_json_string(map('a', 1))", '{"a":1}'],
    ["to_json_string('x')", '"x"'],
  ],
  takes: ['any'],
  returns: types.string,
  kernel: (args) => jsonFormatter(args[0]!.type, jsonOptions(settingsFrom([]))),
});

export const jsonFunctions: readonly ScalarFunction[] = [
  reading('json_extract_string', types.string, 'text', [
    [`json_extract_string('{"a": {"b": "x"}}', 'a', 'b')`, 'x'],
    [`json_extract_string('{"a": [1, 2]}', 'a')`, '[1,2]'],
  ]),
  reading('json_extract_int', types.int64, 'a signed integer', [
    [`json_extract_int('{"a": [10, 20]}', 'a', -1)`, '20'],
  ]),
  reading('json_extract_uint', types.uint64, 'an unsigned integer', [
    [`json_extract_uint('{"a": 18446744073709551615}', 'a')`, '18446744073709551615'],
  ]),
  reading('json_extract_float', types.float64, 'a floating point number', [
    [`json_extract_float('{"a": 1.5}', 'a')`, '1.5'],
  ]),
  reading('json_extract_bool', types.bool, 'a boolean', [[`json_extract_bool('{"a": true}', 'a')`, 'true']]),
  ...pathFunctions.map(ofPath),
  jsonExtract,
  jsonKeysAndValues,
  jsonKey,
  jsonArrayLength,
  toJsonString,
  define({
    name: 'is_valid_json',
    syntax: 'is_valid_json(text)',
    doc: 'Whether a text is a JSON document.',
    examples: [
      [`is_valid_json('{"a": 1}')`, 'true'],
      ["is_valid_json('{a: 1}')", 'false'],
    ],
    takes: ['string'],
    returns: types.bool,
    kernel: () => (text: string) => (isValidJson(text) ? 1 : 0),
  }),
];
