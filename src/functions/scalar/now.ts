import { SluiceError } from '../../base/index.ts';
import {
  canonicalInteger,
  datetime64,
  type SqlType,
  serverTimeZone,
  timeZone,
  types,
} from '../../types/index.ts';
import { constantOf } from '../checks.ts';
import type { Argument, QueryContext, ScalarFunction } from '../definition.ts';
import { pow10 } from './scaled.ts';

const common = { kind: 'scalar', category: 'date_time', evaluation: 'per_query', contextual: true } as const;

function zoneOf(name: string, args: readonly Argument[], position: number): string | undefined {
  return args[position] === undefined ? undefined : String(constantOf(name, args, position));
}

function precisionOf(args: readonly Argument[]): number {
  const precision = args.length === 0 ? 3 : Number(constantOf('now64', args, 0));
  if (Number.isInteger(precision) && precision >= 0 && precision <= 9) return precision;
  throw new SluiceError(
    'ARGUMENT_OUT_OF_BOUND',
    `The precision of now64 must be from 0 to 9, not ${precision}`,
  );
}

const now: ScalarFunction = {
  ...common,
  name: 'now',
  arity: [0, 1],
  syntax: 'now([timezone])',
  doc: 'The moment at which the query started, in seconds.',
  examples: [['now() > to_datetime(0)', 'true']],
  type: (args) => {
    const timezone = zoneOf('now', args, 0);
    return timezone === undefined ? types.datetime : { kind: 'datetime', timezone };
  },
  kernel: () => (context: QueryContext) => Math.floor(context.now / 1000),
};

const now64: ScalarFunction = {
  ...common,
  name: 'now64',
  arity: [0, 2],
  syntax: 'now64([precision[, timezone]])',
  doc: 'The moment at which the query started, with a fraction of seconds; milliseconds unless a precision is given.',
  examples: [['now64(3) > to_datetime64(0, 3)', 'true']],
  type: (args) => datetime64(precisionOf(args), zoneOf('now64', args, 1)),
  kernel: (_, type) => {
    const shift = (type as SqlType & { kind: 'datetime64' }).precision - 3;
    if (shift === 0) return (context: QueryContext) => context.now;
    if (shift < 0) return (context: QueryContext) => Math.floor(context.now / 10 ** -shift);
    return (context: QueryContext) => canonicalInteger(BigInt(Math.floor(context.now)) * pow10(shift));
  },
};

/** Days since 1970 on the wall clock of a zone. */
function dayAt(context: QueryContext, zone: string): number {
  const seconds = Math.floor(context.now / 1000);
  return Math.floor((seconds + timeZone(zone).offsetAt(seconds)) / 86_400);
}

function day(name: string, offset: number, doc: string): ScalarFunction {
  return {
    ...common,
    name,
    arity: [0, 1],
    syntax: `${name}([timezone])`,
    doc,
    examples: [[`${name}() > to_date('2024-01-01')`, 'true']],
    type: (args) => {
      zoneOf(name, args, 0);
      return types.date;
    },
    kernel: (args) => {
      const zone = zoneOf(name, args, 0) ?? serverTimeZone;
      return (context: QueryContext) => dayAt(context, zone) + offset;
    },
  };
}

export const nowFunctions: readonly ScalarFunction[] = [
  now,
  now64,
  day('today', 0, 'The date at which the query started.'),
  day('yesterday', -1, 'The date before the one at which the query started.'),
];
