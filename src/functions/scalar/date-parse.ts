import { SluiceError } from '../../base/index.ts';
import {
  bareType,
  canonicalInteger,
  datetime64,
  fromByteString,
  isDateOrTime,
  nullable,
  type SqlType,
  serverTimeZone,
  textParser,
} from '../../types/index.ts';
import { constantOf, expectString, illegalType } from '../checks.ts';
import type { Argument, Kernel, ScalarFunction } from '../definition.ts';
import { conversion } from './cast-kernels.ts';
import { compileCodes, compileJodaReader, readMoment } from './date-parse-format.ts';
import { type MomentType, zoneArgument, zoneFor } from './date-values.ts';

/** What a parser gives for text that it cannot read. */
type Otherwise = 'error' | 'null' | 'zero';

const forms = [
  { suffix: '', otherwise: 'error', ending: 'An error where the text cannot be read.' },
  { suffix: '_or_null', otherwise: 'null', ending: 'NULL where the text cannot be read.' },
  { suffix: '_or_zero', otherwise: 'zero', ending: '1970-01-01 where the text cannot be read.' },
] as const;

function settle(parse: (text: string) => unknown, otherwise: Otherwise): Kernel {
  if (otherwise === 'error') return parse;
  return (text: string) => {
    try {
      return parse(text);
    } catch (thrown) {
      if (thrown instanceof SluiceError) return otherwise === 'null' ? null : 0;
      throw thrown;
    }
  };
}

interface Family {
  readonly name: string;
  readonly camel: string;
  readonly doc: string;
  readonly arity: readonly [number, number];
  readonly syntax: string;
  readonly example: readonly [args: string, result: string];
  readonly type: (name: string, args: readonly Argument[]) => MomentType;
  readonly parser: (name: string, args: readonly Argument[], type: MomentType) => (text: string) => unknown;
}

function family(rule: Family): ScalarFunction[] {
  return forms.map(({ suffix, otherwise, ending }): ScalarFunction => {
    const name = `${rule.name}${suffix}`;
    const camelSuffix = suffix.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
    return {
      kind: 'scalar',
      name,
      aliases: [`${rule.camel}${camelSuffix}`],
      category: 'date_time',
      arity: rule.arity,
      syntax: `${name}(${rule.syntax})`,
      doc: `${rule.doc} ${ending}`,
      examples: [[`${name}(${rule.example[0]})`, rule.example[1]]],
      type: (args) => {
        expectString(name, args, 0);
        const type = rule.type(name, args);
        return otherwise === 'null' ? nullable(type) : type;
      },
      kernel: (args, type) => settle(rule.parser(name, args, bareType(type) as MomentType), otherwise),
    };
  });
}

function ticks(type: MomentType, seconds: number, fraction: string): number | bigint {
  if (type.kind === 'datetime') return seconds;
  const scale = 10n ** BigInt(type.precision);
  const part = BigInt(fraction.slice(0, type.precision).padEnd(type.precision, '0') || 0);
  return canonicalInteger(BigInt(seconds) * scale + part);
}

/** A parser by a format; the format may be another for each row. */
function formatParser(compile: typeof compileCodes, standard: string | undefined): Family['parser'] {
  return (name, args, type) => {
    const zone = zoneFor(type);
    const read = (reader: ReturnType<typeof compileCodes>, text: string, format: string) => {
      const moment = readMoment(reader, text);
      const seconds =
        moment === undefined ? Number.NaN : moment.isUtc ? moment.seconds : zone.toUtc(moment.seconds);
      const fits = type.kind === 'datetime64' || (seconds >= 0 && seconds <= 4_294_967_295);
      if (moment === undefined || !fits)
        throw new SluiceError(
          'CANNOT_PARSE_DATETIME',
          `Function ${name} cannot read '${fromByteString(text.slice(0, 100))}' by the format '${fromByteString(format)}'`,
        );
      return ticks(type, seconds, moment.fraction);
    };
    const constant = args[1] === undefined ? standard : (args[1].constant?.value as string | undefined);
    if (constant !== undefined) {
      const reader = compile(constant);
      return (text: string) => read(reader, text, constant);
    }
    return ((text: string, format: string) => read(compile(format), text, format)) as (
      text: string,
    ) => unknown;
  };
}

function zoned(zone: string | undefined): MomentType {
  return zone === undefined ? { kind: 'datetime' } : { kind: 'datetime', timezone: zone };
}

function formatType(precision: number | undefined): Family['type'] {
  return (name, args) => {
    if (args.length > 1) expectString(name, args, 1);
    const zone = zoneArgument(name, args, 2);
    return precision === undefined ? zoned(zone) : (datetime64(precision, zone) as MomentType);
  };
}

const formatted: readonly Family[] = [
  {
    name: 'parse_datetime',
    camel: 'parseDateTime',
    doc: "Reads a text by a format with MySQL's codes, as format_datetime writes it.",
    arity: [1, 3],
    syntax: "text[, 'format'[, timezone]]",
    example: ["'07/May/23 03:04', '%d/%b/%y %H:%i'", '2023-05-07 03:04:00'],
    type: formatType(undefined),
    parser: formatParser(compileCodes, '%Y-%m-%d %H:%i:%s'),
  },
  {
    name: 'parse_datetime64',
    camel: 'parseDateTime64',
    doc: "Reads a text with a fraction of seconds by a format with MySQL's codes into datetime64(6).",
    arity: [1, 3],
    syntax: "text[, 'format'[, timezone]]",
    example: ["'2023-05-07 03:04:05.123', '%Y-%m-%d %H:%i:%s.%f'", '2023-05-07 03:04:05.123000'],
    type: formatType(6),
    parser: formatParser(compileCodes, '%Y-%m-%d %H:%i:%s.%f'),
  },
  {
    name: 'parse_datetime_in_joda_syntax',
    camel: 'parseDateTimeInJodaSyntax',
    doc: 'Reads a text by a Joda-Time pattern.',
    arity: [1, 3],
    syntax: "text[, 'pattern'[, timezone]]",
    example: ["'2023/05/07 03:04', 'yyyy/MM/dd HH:mm'", '2023-05-07 03:04:00'],
    type: formatType(undefined),
    parser: formatParser(compileJodaReader, 'yyyy-MM-dd HH:mm:ss'),
  },
  {
    name: 'parse_datetime64_in_joda_syntax',
    camel: 'parseDateTime64InJodaSyntax',
    doc: 'Reads a text with a fraction of seconds by a Joda-Time pattern into datetime64(6).',
    arity: [1, 3],
    syntax: "text[, 'pattern'[, timezone]]",
    example: ["'2023-05-07 03:04:05.123', 'yyyy-MM-dd HH:mm:ss.SSS'", '2023-05-07 03:04:05.123000'],
    type: formatType(6),
    parser: formatParser(compileJodaReader, 'yyyy-MM-dd HH:mm:ss'),
  },
];

/** `05/07/2023` as the fifth of July is what the reader knows; in the USA it is the seventh of May. */
function monthFirst(text: string): string {
  return text.replace(/^(\s*)(\d{1,2})([/.-])(\d{1,2})\3(\d{4})/, '$1$4$3$2$3$5');
}

function bestEffort(name: string, camel: string, fine: boolean, american: boolean): Family {
  const precisionOf = (written: string, args: readonly Argument[]): number => {
    if (args.length < 2) return 3;
    const precision = Number(constantOf(written, args, 1));
    if (!(precision >= 0 && precision <= 9))
      throw new SluiceError('ARGUMENT_OUT_OF_BOUND', `A precision must be from 0 to 9, not ${precision}`);
    return precision;
  };
  const order = american ? ' Of 05/07/2023 the first number is the month.' : '';
  const text = american ? "'05/07/2023 03:04:05'" : "'7 May 2023 03:04:05'";
  return {
    name,
    camel,
    doc: `Reads dates and times in the usual forms: ISO 8601, Unix timestamps, dates with month names and others.${order}`,
    arity: [1, fine ? 3 : 2],
    syntax: fine ? 'text[, precision[, timezone]]' : 'text[, timezone]',
    example: [text, fine ? '2023-05-07 03:04:05.000' : '2023-05-07 03:04:05'],
    type: (written, args) => {
      if (!fine) return zoned(zoneArgument(written, args, 1));
      return datetime64(precisionOf(written, args), zoneArgument(written, args, 2)) as MomentType;
    },
    parser: (_, __, type) => {
      const parse = textParser(type, { timezone: serverTimeZone });
      return american ? (given) => parse(monthFirst(given)) : parse;
    },
  };
}

const bestEfforts: readonly Family[] = [
  bestEffort('parse_datetime_best_effort', 'parseDateTimeBestEffort', false, false),
  bestEffort('parse_datetime32_best_effort', 'parseDateTime32BestEffort', false, false),
  bestEffort('parse_datetime_best_effort_us', 'parseDateTimeBestEffortUS', false, true),
  bestEffort('parse_datetime64_best_effort', 'parseDateTime64BestEffort', true, false),
  bestEffort('parse_datetime64_best_effort_us', 'parseDateTime64BestEffortUS', true, true),
];

const toTime: ScalarFunction = {
  kind: 'scalar',
  name: 'to_time',
  category: 'date_time',
  arity: [1, 2],
  syntax: 'to_time(value[, timezone])',
  doc: 'A text in any of the usual forms, a date, a time or a number of seconds as datetime64(3).',
  examples: [["to_time('2023-05-07 03:04:05.678')", '2023-05-07 03:04:05.678']],
  type: (args) => {
    const { type } = args[0]!;
    const known =
      type.kind === 'string' || type.kind === 'int' || type.kind === 'float' || isDateOrTime(type);
    if (!known) throw illegalType('to_time', 0, type, 'a text, a date, a time or a number');
    return datetime64(3, zoneArgument('to_time', args, 1));
  },
  kernel: (args, type: SqlType) => conversion(args[0]!.type, type, 'wrap'),
};

export const dateParseFunctions: readonly ScalarFunction[] = [
  ...formatted.flatMap(family),
  ...bestEfforts.flatMap(family),
  toTime,
];
