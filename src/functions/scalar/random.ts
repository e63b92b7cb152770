import { randomBytes } from 'node:crypto';
import { SluiceError } from '../../base/index.ts';
import { js } from '../../code/index.ts';
import { canonicalInteger, fixedString, parseType, type SqlType, types } from '../../types/index.ts';
import { constantOf } from '../checks.ts';
import type { Kernel, ScalarFunction } from '../definition.ts';
import { functionsOf, type Takes } from './simple-function.ts';
import { assertTextSize } from './text-helpers.ts';

const define = functionsOf('random');

const perRow = { evaluation: 'per_row' } as const;

function random64(): bigint {
  return (BigInt(Math.floor(Math.random() * 2 ** 32)) << 32n) | BigInt(Math.floor(Math.random() * 2 ** 32));
}

/** A draw from the normal distribution (the method of Box and Muller). */
function normal(mean: number, deviation: number): number {
  const radius = Math.sqrt(-2 * Math.log(1 - Math.random()));
  return mean + deviation * radius * Math.cos(2 * Math.PI * Math.random());
}

interface Distribution {
  readonly name: string;
  readonly parameters: readonly string[];
  readonly doc: string;
  readonly example: readonly [string, string];
  readonly returns: SqlType;
  readonly draw: (...parameters: number[]) => number;
}

const distributions: readonly Distribution[] = [
  {
    name: 'rand_uniform',
    parameters: ['least', 'most'],
    doc: 'A random number, all between two bounds being as likely.',
    example: ['rand_uniform(5, 6) BETWEEN 5 AND 6', 'true'],
    returns: types.float64,
    draw: (least, most) => least! + Math.random() * (most! - least!),
  },
  {
    name: 'rand_normal',
    parameters: ['mean', 'deviation'],
    doc: 'A random number of the normal distribution.',
    example: ['rand_normal(5, 0)', '5'],
    returns: types.float64,
    draw: (mean, deviation) => normal(mean!, deviation!),
  },
  {
    name: 'rand_log_normal',
    parameters: ['mean', 'deviation'],
    doc: 'A random number whose logarithm has the normal distribution.',
    example: ['rand_log_normal(0, 0)', '1'],
    returns: types.float64,
    draw: (mean, deviation) => Math.exp(normal(mean!, deviation!)),
  },
  {
    name: 'rand_exponential',
    parameters: ['rate'],
    doc: 'A random number of the exponential distribution.',
    example: ['rand_exponential(2) >= 0', 'true'],
    returns: types.float64,
    draw: (rate) => -Math.log(1 - Math.random()) / rate!,
  },
  {
    name: 'rand_bernoulli',
    parameters: ['probability'],
    doc: '1 with the given probability, else 0.',
    example: ['rand_bernoulli(1)', '1'],
    returns: types.uint64,
    draw: (probability) => (Math.random() < probability! ? 1 : 0),
  },
];

const distributionFunctions = distributions.map(({ name, parameters, doc, example, returns, draw }) =>
  define({
    ...perRow,
    name,
    syntax: `${name}(${parameters.join(', ')})`,
    doc,
    examples: [example],
    takes: [...parameters.map((): Takes => 'number'), 'any?'],
    returns,
    kernel:
      () =>
      (...values: (number | bigint)[]) =>
        draw(...values.map(Number)),
  }),
);

function lengthOf(name: string, length: number | bigint): number {
  const bytes = Number(length);
  if (bytes < 0) throw new SluiceError('BAD_ARGUMENTS', `The length given to ${name} is negative: ${bytes}`);
  assertTextSize(name, bytes);
  return bytes;
}

function printable(length: number): string {
  let text = '';
  for (let at = 0; at < length; at++) text += String.fromCharCode(32 + Math.floor(Math.random() * 95));
  return text;
}

function randomText(name: string, doc: string, make: (length: number) => string): ScalarFunction {
  return define({
    ...perRow,
    name,
    syntax: `${name}(length)`,
    doc,
    examples: [[`length(${name}(10))`, '10']],
    takes: ['integer', 'any?'],
    returns: types.string,
    kernel: () => (length: number | bigint) => make(lengthOf(name, length)),
  });
}

/** A maker of random values of a type; undefined for types that have none. */
function drawOf(type: SqlType): Kernel | undefined {
  switch (type.kind) {
    case 'bool':
      return () => (Math.random() < 0.5 ? 1 : 0);
    case 'int': {
      const wrap = type.signed ? BigInt.asIntN : BigInt.asUintN;
      if (type.bits > 64)
        return () =>
          wrap(type.bits, (random64() << 192n) | (random64() << 128n) | (random64() << 64n) | random64());
      return () => canonicalInteger(wrap(type.bits, random64()));
    }
    case 'float':
      return type.bits === 32 ? () => Math.fround(Math.random()) : () => Math.random();
    case 'string':
      return () => printable(Math.floor(Math.random() * 16));
    case 'fixed_string':
      return () => randomBytes(type.length).latin1Slice();
    case 'date':
      return () => Math.floor(Math.random() * 65_536);
    case 'datetime':
    case 'ipv4':
      return () => Math.floor(Math.random() * 2 ** 32);
    case 'uuid':
    case 'ipv6':
      return () => (random64() << 64n) | random64();
    case 'enum':
      return () => type.entries[Math.floor(Math.random() * type.entries.length)]![1];
    default:
      return undefined;
  }
}

const randomInType = define({
  ...perRow,
  name: 'random_in_type',
  syntax: "random_in_type('type')",
  doc: 'A random value of a type: integers over their whole range, floats from 0 to 1, strings of up to 15 characters.',
  examples: [["to_type_name(random_in_type('int32'))", 'int32']],
  takes: ['string'],
  returns: (args) => {
    const type = parseType(String(constantOf('random_in_type', args, 0)));
    if (drawOf(type) !== undefined) return type;
    throw new SluiceError('NOT_IMPLEMENTED', 'random_in_type makes values of plain types only');
  },
  kernel: (_, type) => drawOf(type)!,
});

export const randomFunctions: readonly ScalarFunction[] = [
  define({
    ...perRow,
    name: 'rand',
    aliases: ['rand32'],
    syntax: 'rand()',
    doc: 'A random number of 32 bits, another one for each row. An argument is not used.',
    examples: [
      ['rand() >= 0', 'true'],
      ['to_type_name(rand())', 'uint32'],
    ],
    takes: ['any?'],
    returns: types.uint32,
    emit: (emitter, _, type) => ({
      type,
      code: emitter.constant('rand', js`Math.floor(Math.random() * 4294967296)`),
      isNull: null,
      bounds: [0, 4_294_967_295],
    }),
  }),
  define({
    ...perRow,
    name: 'rand64',
    syntax: 'rand64()',
    doc: 'A random number of 64 bits, another one for each row. An argument is not used.',
    examples: [['to_type_name(rand64())', 'uint64']],
    takes: ['any?'],
    returns: types.uint64,
    kernel: () => () => canonicalInteger(random64()),
  }),
  define({
    ...perRow,
    name: 'rand_canonical',
    syntax: 'rand_canonical()',
    doc: 'A random number from 0, inclusive, to 1, exclusive.',
    examples: [['rand_canonical() < 1', 'true']],
    takes: ['any?'],
    returns: types.float64,
    emit: (emitter, _, type) => ({
      type,
      code: emitter.constant('rand', js`Math.random()`),
      isNull: null,
      bounds: undefined,
    }),
  }),
  ...distributionFunctions,
  randomText('random_string', 'Random bytes.', (length) => randomBytes(length).latin1Slice()),
  randomText('random_printable_ascii', 'Random printable ASCII characters.', printable),
  define({
    ...perRow,
    name: 'random_fixed_string',
    syntax: 'random_fixed_string(length)',
    doc: 'Random bytes as a string of fixed length.',
    examples: [['to_type_name(random_fixed_string(3))', 'fixed_string(3)']],
    takes: ['integer'],
    returns: (args) => {
      const length = lengthOf('random_fixed_string', Number(constantOf('random_fixed_string', args, 0)));
      if (length < 1)
        throw new SluiceError('ARGUMENT_OUT_OF_BOUND', 'The length of a fixed string must be at least 1');
      return fixedString(length);
    },
    kernel: (_, type) => drawOf(type)!,
  }),
  randomInType,
];
