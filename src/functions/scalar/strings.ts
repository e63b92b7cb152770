import { SluiceError } from '../../base/index.ts';
import { js } from '../../code/index.ts';
import { type SqlType, sameType, types } from '../../types/index.ts';
import { illegalType } from '../checks.ts';
import { type Argument, type ScalarFunction, values } from '../definition.ts';
import { conversion } from './cast-kernels.ts';
import { functionsOf } from './simple-function.ts';
import { assertTextSize, lowerAscii, upperAscii } from './text-helpers.ts';

const define = functionsOf('string');

function isSized(type: SqlType): boolean {
  return ['string', 'fixed_string', 'array', 'map'].includes(type.kind);
}

function sized(name: string, type: SqlType): (args: readonly Argument[]) => SqlType {
  return (args) => {
    const given = args[0]!.type;
    if (!isSized(given) && given.kind !== 'uuid' && given.kind !== 'ipv6')
      throw illegalType(name, 0, given, 'a string, an array or a map');
    return type;
  };
}

const length = define({
  name: 'length',
  aliases: ['octet_length', 'len'],
  syntax: 'length(value)',
  doc: 'The bytes of a string, the elements of an array, the entries of a map.',
  examples: [
    ["length('hello')", '5'],
    ['length([1, 2])', '2'],
  ],
  takes: ['any'],
  returns: (args) => {
    if (!isSized(args[0]!.type)) throw illegalType('length', 0, args[0]!.type, 'a string, an array or a map');
    return types.uint64;
  },
  emit: (emitter, args, type) => ({
    type,
    code: emitter.constant('length', js`${values(args)[0]!.code}.length`),
    isNull: null,
    bounds: [0, 2 ** 31],
  }),
});

/** Whether strings, arrays and maps hold something; of uuid and ipv6 whether they are zero. */
function emptiness(name: string, isWantedEmpty: boolean, doc: string): ScalarFunction {
  return define({
    name,
    syntax: `${name}(value)`,
    doc,
    examples: [
      [`${name}('')`, String(isWantedEmpty)],
      [`${name}([1])`, String(!isWantedEmpty)],
    ],
    takes: ['any'],
    returns: sized(name, types.bool),
    emit: (_, args, type) => {
      const [value] = values(args);
      const empty = isSized(value!.type) ? js`${value!.code}.length === 0` : js`${value!.code} === 0n`;
      const code = isWantedEmpty ? js`(${empty} ? 1 : 0)` : js`(${empty} ? 0 : 1)`;
      return { type, code, isNull: null, bounds: [0, 1] };
    },
  });
}

/** The converter of each argument to text. */
function toTexts(args: readonly Argument[]): ((value: never) => string)[] {
  return args.map((argument) => conversion(argument.type, types.string, 'wrap') as (value: never) => string);
}

const concat = define({
  name: 'concat',
  aliases: ['concat_assume_injective'],
  syntax: 'concat(a, ...), a || b',
  doc: 'The texts of all arguments one after the other.',
  examples: [
    ["concat('a', 'b', 1)", 'ab1'],
    ["'x' || 'y'", 'xy'],
  ],
  takes: ['any*'],
  returns: types.string,
  emit: (emitter, args) => {
    const operands = values(args);
    if (operands.length === 0) return js`''`;
    const parts = operands.map((operand) =>
      operand.type.kind === 'string'
        ? operand.code
        : js`${emitter.bind(conversion(operand.type, types.string, 'wrap'), 'toText')}(${operand.code})`,
    );
    let code = js`'' + ${parts[0]!}`;
    for (const part of parts.slice(1)) code = js`${code} + ${part}`;
    return emitter.constant('concat', code);
  },
});

const concatWithSeparator = define({
  name: 'concat_with_separator',
  aliases: ['concat_ws', 'concat_with_separator_assume_injective'],
  syntax: 'concat_ws(separator, a, ...)',
  doc: 'The texts of the arguments with a separator between them.',
  examples: [["concat_ws('-', 'a', 'b', 1)", 'a-b-1']],
  takes: ['string', 'any*'],
  returns: types.string,
  kernel: (args) => {
    const convert = toTexts(args.slice(1));
    return (separator: string, ...rest: never[]) =>
      rest.map((value, index) => convert[index]!(value)).join(separator);
  },
});

const arrayStringConcat = define({
  name: 'array_string_concat',
  aliases: ['array_to_string'],
  syntax: 'array_string_concat(array[, separator])',
  doc: 'The texts of the elements with a separator between them; NULL elements are left out.',
  examples: [["array_string_concat(['a', 'b'], '-')", 'a-b']],
  takes: ['any', 'string?'],
  returns: (args) => {
    if (args[0]!.type.kind !== 'array')
      throw illegalType('array_string_concat', 0, args[0]!.type, 'an array');
    return types.string;
  },
  kernel: (args) => {
    const { element } = args[0]!.type as SqlType & { kind: 'array' };
    const inner = element.kind === 'nullable' ? element.inner : element;
    const convert = inner.kind === 'nothing' ? () => '' : conversion(inner, types.string, 'wrap');
    const plain = sameType(element, types.string);
    return (list: never[], separator = '') => {
      if (plain) return list.join(separator);
      return list
        .filter((value) => value !== null)
        .map(convert)
        .join(separator);
    };
  },
});

/** The range of a substring in `length` units; places count from 1, from the end when negative. */
export function substringRange(
  length: number,
  offset: number,
  count: number | undefined,
): readonly [number, number] {
  if (offset === 0) return [0, 0];
  const start = offset > 0 ? offset - 1 : length + offset;
  const end = count === undefined ? length : count < 0 ? length + count : start + count;
  const from = Math.max(0, start);
  return [from, Math.max(from, Math.min(length, end))];
}

const substring = define({
  name: 'substring',
  aliases: ['substr', 'mid', 'byte_slice'],
  syntax: 'substring(text, offset[, length])',
  doc: 'Bytes of a text from an offset on, which counts from 1, or from the end when it is negative.',
  examples: [
    ["substring('hello', 2, 3)", 'ell'],
    ["substring('hello', -2)", 'lo'],
  ],
  takes: ['string', 'integer', 'integer?'],
  returns: types.string,
  kernel: () => (text: string, offset: number | bigint, count?: number | bigint) => {
    const range = substringRange(
      text.length,
      Number(offset),
      count === undefined ? undefined : Number(count),
    );
    return text.slice(range[0], range[1]);
  },
});

const left = define({
  name: 'left',
  syntax: 'left(text, bytes)',
  doc: 'The first bytes of a text; with a negative number all but the last ones.',
  examples: [["left('hello', 2)", 'he']],
  takes: ['string', 'integer'],
  returns: types.string,
  kernel: () => (text: string, count: number | bigint) => text.slice(0, Number(count)),
});

const right = define({
  name: 'right',
  syntax: 'right(text, bytes)',
  doc: 'The last bytes of a text; with a negative number all but the first ones.',
  examples: [["right('hello', 2)", 'lo']],
  takes: ['string', 'integer'],
  returns: types.string,
  kernel: () => (text: string, count: number | bigint) => {
    const number = Number(count);
    return number < 0 ? text.slice(-number) : text.slice(Math.max(0, text.length - number));
  },
});

function cased(name: string, aliases: readonly string[], convert: (text: string) => string): ScalarFunction {
  return define({
    name,
    aliases,
    syntax: `${name}(text)`,
    doc: `The text with its ASCII letters in ${name} case.`,
    examples: [[`${name}('HeLLo')`, convert('HeLLo')]],
    takes: ['string'],
    returns: types.string,
    kernel: () => convert,
  });
}

const reverse = define({
  name: 'reverse',
  syntax: 'reverse(value)',
  doc: 'The bytes of a string, or the elements of an array, in opposite order.',
  examples: [
    ["reverse('abc')", 'cba'],
    ['reverse([1, 2])', '[2,1]'],
  ],
  takes: ['any'],
  returns: (args) => {
    const { type } = args[0]!;
    if (type.kind === 'array' || type.kind === 'fixed_string') return type;
    if (type.kind !== 'string') throw illegalType('reverse', 0, type, 'a string or an array');
    return type;
  },
  kernel: (args) =>
    args[0]!.type.kind === 'array'
      ? (list: unknown[]) => list.toReversed()
      : (text: string) => Buffer.from(text, 'latin1').reverse().latin1Slice(),
});

const repeat = define({
  name: 'repeat',
  syntax: 'repeat(text, times)',
  doc: 'The text so many times.',
  examples: [["repeat('ab', 3)", 'ababab']],
  takes: ['string', 'integer'],
  returns: types.string,
  kernel: () => (text: string, times: number | bigint) => {
    const number = Math.max(0, Number(times));
    assertTextSize('repeat', text.length * number);
    return text.repeat(number);
  },
});

const space = define({
  name: 'space',
  syntax: 'space(count)',
  doc: 'So many spaces.',
  examples: [["concat('a', space(2), 'b')", 'a  b']],
  takes: ['integer'],
  returns: types.string,
  kernel: () => (count: number | bigint) => {
    const number = Math.max(0, Number(count));
    assertTextSize('space', number);
    return ' '.repeat(number);
  },
});

const ascii = define({
  name: 'ascii',
  syntax: 'ascii(text)',
  doc: 'The number of the first byte; 0 for an empty text.',
  examples: [["ascii('A')", '65']],
  takes: ['string'],
  returns: types.int32,
  kernel: () => (text: string) => (text === '' ? 0 : text.charCodeAt(0)),
});

const char = define({
  name: 'char',
  aliases: ['chr'],
  syntax: 'char(number, ...)',
  doc: 'A text of the bytes with these numbers, each taken modulo 256.',
  examples: [['char(104, 105)', 'hi']],
  takes: ['number', 'number*'],
  returns: types.string,
  kernel: (args) => {
    const convert = args.map((argument) => conversion(argument.type, types.uint8, 'wrap'));
    return (...numbers: never[]) =>
      String.fromCharCode(...numbers.map((number, index) => convert[index]!(number) as number));
  },
});

const toFixedString = define({
  name: 'to_fixed_string',
  syntax: 'to_fixed_string(text, bytes)',
  doc: 'The text as a string of a fixed number of bytes, filled up with zero bytes.',
  examples: [["length(to_fixed_string('abc', 5))", '5']],
  takes: ['string', 'integer'],
  returns: (args) => {
    const size = Number(args[1]!.constant?.value ?? 0);
    if (!(size >= 1 && size <= 0xff_ffff))
      throw new SluiceError(
        'ARGUMENT_OUT_OF_BOUND',
        'The size of a fixed string must be a constant of at least 1',
      );
    return { kind: 'fixed_string', length: size };
  },
  kernel: (args, type) => conversion(args[0]!.type, type, 'wrap'),
});

export const stringFunctions: readonly ScalarFunction[] = [
  length,
  emptiness('empty', true, 'Whether a string, array or map has nothing in it.'),
  emptiness('not_empty', false, 'Whether a string, array or map has something in it.'),
  concat,
  concatWithSeparator,
  arrayStringConcat,
  substring,
  left,
  right,
  cased('lower', ['lcase'], lowerAscii),
  cased('upper', ['ucase'], upperAscii),
  reverse,
  repeat,
  space,
  ascii,
  char,
  toFixedString,
];
