import { SluiceError } from '../../base/index.ts';
import {
  bareType,
  datetime64,
  decimal,
  interval,
  intervalUnits,
  isNullable,
  nullable,
  parseType,
  type SqlType,
  typeName,
  types,
  withoutLowCardinality,
} from '../../types/index.ts';
import { constantOf } from '../checks.ts';
import type { Argument, Kernel, ScalarFunction } from '../definition.ts';
import { conversion, findConversion } from './cast-kernels.ts';

function typeArgument(name: string, args: readonly Argument[]): SqlType {
  const text = constantOf(name, args, 1);
  if (typeof text !== 'string')
    throw new SluiceError(
      'ILLEGAL_TYPE_OF_ARGUMENT',
      `The second argument of ${name} must be the name of a type`,
    );
  return parseType(text);
}

/** A kernel that sees NULLs: gives NULL where the target can hold it, and an error where it cannot. */
function castKernel(from: SqlType, to: SqlType): Kernel {
  const plain = withoutLowCardinality(from);
  if (plain.kind === 'nothing') return () => nullResult(to);
  const convert = conversion(bareType(plain), bareType(to), 'wrap');
  if (!isNullable(plain)) return convert;
  return (value: never) => (value === null ? nullResult(to) : convert(value));
}

function nullResult(to: SqlType): null {
  if (isNullable(to)) return null;
  throw new SluiceError(
    'CANNOT_INSERT_NULL_IN_ORDINARY_COLUMN',
    `Cannot convert NULL to ${typeName(to)}: cast to nullable(${typeName(to)})`,
  );
}

const cast: ScalarFunction = {
  kind: 'scalar',
  name: 'cast',
  category: 'conversion',
  arity: [2, 2],
  nulls: 'handled',
  syntax: "cast(value, 'type'), value::type",
  doc: 'The value as another type. Numbers are cut as in C, text is parsed, everything can become text.',
  examples: [
    ["cast('12', 'int32')", '12'],
    ["'2024-01-02'::date", '2024-01-02'],
    ['300::uint8', '44'],
  ],
  type: (args) => typeArgument('cast', args),
  kernel: (args, type) => castKernel(args[0]!.type, type),
};

const accurateCastOrNull: ScalarFunction = {
  kind: 'scalar',
  name: 'accurate_cast_or_null',
  category: 'conversion',
  arity: [2, 2],
  nulls: 'handled',
  syntax: "accurate_cast_or_null(value, 'type')",
  doc: 'The value as another type, NULL where that type cannot hold it exactly.',
  examples: [
    ["accurate_cast_or_null(300, 'uint8')", '\\N'],
    ["accurate_cast_or_null(30, 'uint8')", '30'],
  ],
  type: (args) => nullable(bareType(typeArgument('accurate_cast_or_null', args))),
  kernel: (args, type) => {
    const convert = conversion(bareType(args[0]!.type), bareType(type), 'accurate');
    return orElse(convert, null);
  },
};

function orElse(convert: (value: never) => unknown, otherwise: unknown): Kernel {
  return (value: never) => {
    if (value === null) return null;
    try {
      return convert(value);
    } catch (thrown) {
      if (thrown instanceof SluiceError) return otherwise;
      throw thrown;
    }
  };
}

interface ConversionFamily {
  readonly name: string;
  readonly aliases?: readonly string[];
  /** The arguments after the value that decide the type: a scale, a precision, a time zone. */
  readonly extra: readonly [number, number];
  readonly target: (name: string, args: readonly Argument[]) => SqlType;
  readonly example: readonly [string, string];
  readonly zero: unknown;
  readonly what: string;
}

function assertConvertible(name: string, from: SqlType, to: SqlType): void {
  if (from.kind !== 'nothing' && findConversion(from, to, 'wrap', {}) === undefined) {
    throw new SluiceError(
      'ILLEGAL_TYPE_OF_ARGUMENT',
      `Function ${name} cannot convert ${typeName(from)} to ${typeName(to)}`,
    );
  }
}

function familyFunctions(family: ConversionFamily): ScalarFunction[] {
  const arity = [1 + family.extra[0], 1 + family.extra[1]] as const;
  const common = { kind: 'scalar' as const, category: 'conversion' as const, arity };
  const [example, result] = family.example;
  const rest = family.extra[1] === 0 ? '' : ', ...';
  const target = (name: string) => (args: readonly Argument[]) => {
    const type = family.target(name, args);
    assertConvertible(name, args[0]!.type, type);
    return type;
  };
  const forms = [
    { suffix: '_or_zero', doc: 'zero' },
    { suffix: '_or_null', doc: 'NULL' },
  ];
  const plain: ScalarFunction = {
    ...common,
    name: family.name,
    aliases: family.aliases ?? [],
    syntax: `${family.name}(value${rest})`,
    doc: `The value as ${family.what}.`,
    examples: [[`${family.name}(${example})`, result]],
    type: target(family.name),
    kernel: (args, type) => conversion(args[0]!.type, type, 'wrap'),
  };
  return [
    plain,
    ...forms.map(({ suffix, doc }): ScalarFunction => {
      const name = `${family.name}${suffix}`;
      const typed = target(name);
      return {
        ...common,
        name,
        syntax: `${name}(text${rest})`,
        doc: `The text as ${family.what}, ${doc} where it cannot be read as one.`,
        examples: [[`${name}(${example})`, result]],
        type: (args) => (suffix === '_or_null' ? nullable(typed(args)) : typed(args)),
        kernel: (args, type) =>
          orElse(
            conversion(args[0]!.type, bareType(type), 'wrap'),
            suffix === '_or_null' ? null : family.zero,
          ),
      };
    }),
  ];
}

const integerNames = [
  'int8',
  'int16',
  'int32',
  'int64',
  'int128',
  'int256',
  'uint8',
  'uint16',
  'uint32',
  'uint64',
  'uint128',
  'uint256',
] as const;

const integerFamilies = integerNames.map(
  (name): ConversionFamily => ({
    name: `to_${name}`,
    aliases: name === 'int32' ? ['to_int'] : name.startsWith('u') ? [`to_uInt${name.slice(4)}`] : [],
    extra: [0, 0],
    target: () => types[name],
    example: ["'42'", '42'],
    zero: /128|256/.test(name) ? 0n : 0,
    what: name,
  }),
);

function constantInteger(name: string, args: readonly Argument[], position: number): number {
  return Number(constantOf(name, args, position));
}

function zoneArgument(name: string, args: readonly Argument[], position: number): string | undefined {
  return args[position] === undefined ? undefined : String(constantOf(name, args, position));
}

function decimalFamily(name: string, precision: number): ConversionFamily {
  return {
    name: `to_${name}`,
    extra: [1, 1],
    example: ["'1.5', 2", '1.5'],
    zero: precision > 18 ? 0n : 0,
    what: `${name}(scale)`,
    target: (written, args) => decimal(precision, scaleWithin(constantInteger(written, args, 1), precision)),
  };
}

function scaleWithin(scale: number, precision: number): number {
  if (!(scale >= 0 && scale <= precision))
    throw new SluiceError('ARGUMENT_OUT_OF_BOUND', `A scale must be from 0 to ${precision}, not ${scale}`);
  return scale;
}

const families: readonly ConversionFamily[] = [
  ...integerFamilies,
  {
    name: 'to_float32',
    extra: [0, 0],
    target: () => types.float32,
    example: ["'1.5'", '1.5'],
    zero: 0,
    what: 'float32',
  },
  {
    name: 'to_float64',
    aliases: ['to_float'],
    extra: [0, 0],
    target: () => types.float64,
    example: ["'1.5'", '1.5'],
    zero: 0,
    what: 'float64',
  },
  {
    name: 'to_bool',
    extra: [0, 0],
    target: () => types.bool,
    example: ["'true'", 'true'],
    zero: 0,
    what: 'bool',
  },
  {
    name: 'to_date',
    extra: [0, 1],
    target: () => types.date,
    example: ["'2024-01-02'", '2024-01-02'],
    zero: 0,
    what: 'date',
  },
  {
    name: 'to_date32',
    extra: [0, 1],
    target: () => types.date32,
    example: ["'1950-01-02'", '1950-01-02'],
    zero: 0,
    what: 'date32',
  },
  {
    name: 'to_datetime',
    aliases: ['toDateTime'],
    extra: [0, 1],
    example: ["'2024-01-02 03:04:05'", '2024-01-02 03:04:05'],
    zero: 0,
    what: 'datetime, in a time zone when one is given',
    target: (name, args) => {
      const zone = zoneArgument(name, args, 1);
      return zone === undefined ? types.datetime : { kind: 'datetime', timezone: zone };
    },
  },
  {
    name: 'to_datetime64',
    extra: [1, 2],
    example: ["'2024-01-02 03:04:05.678', 3", '2024-01-02 03:04:05.678'],
    zero: 0,
    what: 'datetime64 of a precision, in a time zone when one is given',
    target: (name, args) => {
      const precision = constantInteger(name, args, 1);
      if (!(precision >= 0 && precision <= 9))
        throw new SluiceError('ARGUMENT_OUT_OF_BOUND', `A precision must be from 0 to 9, not ${precision}`);
      return datetime64(precision, zoneArgument(name, args, 2));
    },
  },
  decimalFamily('decimal32', 9),
  decimalFamily('decimal64', 18),
  decimalFamily('decimal128', 38),
  decimalFamily('decimal256', 76),
  {
    name: 'to_uuid',
    aliases: ['toUUID'],
    extra: [0, 0],
    target: () => types.uuid,
    example: ["'61f0c404-5cb3-11e7-907b-a6006ad3dba0'", '61f0c404-5cb3-11e7-907b-a6006ad3dba0'],
    zero: 0n,
    what: 'uuid',
  },
  {
    name: 'to_ipv4',
    aliases: ['toIPv4'],
    extra: [0, 0],
    target: () => types.ipv4,
    example: ["'127.0.0.1'", '127.0.0.1'],
    zero: 0,
    what: 'ipv4',
  },
  {
    name: 'to_ipv6',
    aliases: ['toIPv6'],
    extra: [0, 0],
    target: () => types.ipv6,
    example: ["'::1'", '::1'],
    zero: 0n,
    what: 'ipv6',
  },
];

const toDecimal: ScalarFunction = {
  kind: 'scalar',
  name: 'to_decimal',
  category: 'conversion',
  arity: [3, 3],
  syntax: 'to_decimal(value, precision, scale)',
  doc: 'The value as a decimal.',
  examples: [["to_decimal('1.5', 10, 2)", '1.5']],
  type: (args) => {
    const precision = constantInteger('to_decimal', args, 1);
    if (!(precision >= 1 && precision <= 76))
      throw new SluiceError('ARGUMENT_OUT_OF_BOUND', `A precision must be from 1 to 76, not ${precision}`);
    return decimal(precision, scaleWithin(constantInteger('to_decimal', args, 2), precision));
  },
  kernel: (args, type) => conversion(args[0]!.type, type, 'wrap'),
};

const toStringFunction: ScalarFunction = {
  kind: 'scalar',
  name: 'to_string',
  category: 'conversion',
  arity: [1, 2],
  syntax: 'to_string(value[, timezone])',
  doc: 'The value as text.',
  examples: [
    ['to_string(42)', '42'],
    ["to_string(to_date('2024-01-02'))", '2024-01-02'],
  ],
  type: () => types.string,
  kernel: (args) => {
    const { type } = args[0]!;
    const zone = zoneArgument('to_string', args, 1);
    const zoned =
      zone !== undefined && (type.kind === 'datetime' || type.kind === 'datetime64')
        ? { ...type, timezone: zone }
        : type;
    return conversion(zoned, types.string, 'wrap');
  },
};

const intervalFunctions = intervalUnits.map(
  (unit): ScalarFunction => ({
    kind: 'scalar',
    name: `to_interval_${unit}`,
    category: 'conversion',
    arity: [1, 1],
    syntax: `to_interval_${unit}(number)`,
    doc: `An interval of so many ${unit}s.`,
    examples: [[`to_interval_${unit}(5)`, '5']],
    type: (args) => {
      assertConvertible(`to_interval_${unit}`, args[0]!.type, types.int64);
      return interval(unit);
    },
    kernel: (args) => conversion(args[0]!.type, types.int64, 'wrap'),
  }),
);

const toTypeName: ScalarFunction = {
  kind: 'scalar',
  name: 'to_type_name',
  category: 'conversion',
  arity: [1, 1],
  nulls: 'handled',
  syntax: 'to_type_name(value)',
  doc: "The name of the value's type.",
  examples: [
    ['to_type_name(1)', 'uint8'],
    ["to_type_name('a')", 'string'],
  ],
  type: () => types.string,
  kernel: (args) => {
    const name = typeName(args[0]!.type.kind === 'nothing' ? nullable(types.nothing) : args[0]!.type);
    return () => name;
  },
};

const toNullable: ScalarFunction = {
  kind: 'scalar',
  name: 'to_nullable',
  category: 'conversion',
  arity: [1, 1],
  nulls: 'handled',
  syntax: 'to_nullable(value)',
  doc: 'The value with a type that can be NULL.',
  examples: [['to_type_name(to_nullable(1))', 'nullable(uint8)']],
  type: (args) => nullable(args[0]!.type),
  kernel: () => (value: unknown) => value,
};

const assumeNotNull: ScalarFunction = {
  kind: 'scalar',
  name: 'assume_not_null',
  category: 'conversion',
  arity: [1, 1],
  nulls: 'handled',
  syntax: 'assume_not_null(value)',
  doc: "The value with a type that cannot be NULL; the type's default where it is NULL.",
  examples: [['assume_not_null(to_nullable(1))', '1']],
  type: (args) => bareType(args[0]!.type),
  emit: (_, args, type) => {
    const [value] = args;
    if (value === undefined || 'lambda' in value)
      throw new Error('Assertion failed: assume_not_null takes a value');
    return { ...value, type, isNull: null };
  },
};

export const conversionFunctions: readonly ScalarFunction[] = [
  cast,
  accurateCastOrNull,
  ...families.flatMap(familyFunctions),
  toDecimal,
  toStringFunction,
  ...intervalFunctions,
  toTypeName,
  toNullable,
  assumeNotNull,
];
