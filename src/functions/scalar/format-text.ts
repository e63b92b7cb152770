import { SluiceError } from '../../base/index.ts';
import { types } from '../../types/index.ts';
import type { ScalarFunction } from '../definition.ts';
import { conversion } from './cast-kernels.ts';
import { functionsOf } from './simple-function.ts';

const define = functionsOf('string');

/** The pieces of a pattern of `format`: text, and numbers of arguments. */
function parseFormat(pattern: string, count: number): readonly (string | number)[] {
  const pieces: (string | number)[] = [];
  let literal = '';
  let automatic = 0;
  let style: 'automatic' | 'numbered' | undefined;
  const fail = (what: string): SluiceError =>
    new SluiceError('BAD_ARGUMENTS', `The pattern of format is not valid: ${what}`);
  for (let at = 0; at < pattern.length; at++) {
    const char = pattern[at]!;
    if ((char === '{' || char === '}') && pattern[at + 1] === char) {
      literal += char;
      at++;
    } else if (char === '}') {
      throw fail(`a closing brace at position ${at} has no opening one`);
    } else if (char === '{') {
      const end = pattern.indexOf('}', at);
      if (end < 0) throw fail('its last opening brace is not closed');
      const inner = pattern.slice(at + 1, end);
      if (!/^\d{0,6}$/.test(inner)) throw fail(`'${inner}' is no number of an argument`);
      const own = inner === '' ? 'automatic' : 'numbered';
      if (style !== undefined && style !== own) throw fail('it has both {} and {number}');
      style = own;
      const index = inner === '' ? automatic++ : Number(inner);
      if (index >= count) throw fail(`there is no argument {${index}}: ${count} are given`);
      pieces.push(literal, index);
      literal = '';
      at = end;
    } else {
      literal += char;
    }
  }
  pieces.push(literal);
  return pieces;
}

const format = define({
  name: 'format',
  syntax: 'format(pattern, value, ...)',
  doc: 'The pattern with {}, or {0}, {1} and so on, replaced by the values; {{ and }} stand for braces.',
  examples: [
    ["format('{} is {}', 'a', 1)", 'a is 1'],
    ["format('{1} {0}', 'a', 'b')", 'b a'],
  ],
  takes: ['string', 'any*'],
  returns: types.string,
  kernel: (args) => {
    const convert = args
      .slice(1)
      .map((argument) => conversion(argument.type, types.string, 'wrap') as (value: never) => string);
    let known: string | undefined;
    let pieces: readonly (string | number)[] = [];
    return (pattern: string, ...values: never[]) => {
      if (pattern !== known) {
        pieces = parseFormat(pattern, values.length);
        known = pattern;
      }
      let result = '';
      for (const piece of pieces)
        result += typeof piece === 'string' ? piece : convert[piece]!(values[piece]!);
      return result;
    };
  },
});

const binaryUnits = [' B', ' KiB', ' MiB', ' GiB', ' TiB', ' PiB', ' EiB', ' ZiB', ' YiB'];
const decimalUnits = [' B', ' KB', ' MB', ' GB', ' TB', ' PB', ' EB', ' ZB', ' YB'];
const quantities = [
  '',
  ' thousand',
  ' million',
  ' billion',
  ' trillion',
  ' quadrillion',
  ' quintillion',
  ' sextillion',
  ' septillion',
  ' octillion',
  ' nonillion',
  ' decillion',
];

function scaled(value: number, base: number, units: readonly string[]): string {
  let rest = value;
  let unit = 0;
  while (unit < units.length - 1 && Math.abs(rest) >= base) {
    rest /= base;
    unit++;
  }
  const digits = Number.isFinite(rest)
    ? rest.toFixed(2)
    : Number.isNaN(rest)
      ? 'nan'
      : rest > 0
        ? 'inf'
        : '-inf';
  return digits + units[unit]!;
}

function readable(
  name: string,
  aliases: readonly string[],
  what: string,
  example: readonly [string, string],
  base: number,
  units: readonly string[],
): ScalarFunction {
  return define({
    name,
    aliases,
    syntax: `${name}(number)`,
    doc: `A number ${what}, rounded to two digits, for people.`,
    examples: [[`${name}(${example[0]})`, example[1]]],
    takes: ['number'],
    returns: types.string,
    kernel: (args) => {
      const toNumber = conversion(args[0]!.type, types.float64, 'wrap');
      return (value: never) => scaled(toNumber(value) as number, base, units);
    },
  });
}

const deltaUnits = [
  { name: 'year', seconds: 31_536_000 },
  { name: 'month', seconds: 2_635_200 },
  { name: 'day', seconds: 86_400 },
  { name: 'hour', seconds: 3_600 },
  { name: 'minute', seconds: 60 },
  { name: 'second', seconds: 1 },
] as const;

function unitIndex(unit: string): number {
  const index = deltaUnits.findIndex(({ name }) => unit === `${name}s`);
  if (index < 0) {
    throw new SluiceError(
      'BAD_ARGUMENTS',
      `'${unit}' is no unit of format_readable_time_delta: expected years, months, days, hours, minutes or seconds`,
    );
  }
  return index;
}

/** A duration in words, `1 hour, 1 minute and 1 second`, in units from the first to the last one. */
function timeDelta(seconds: number, first: number, last: number): string {
  if (!Number.isFinite(seconds)) return Number.isNaN(seconds) ? 'nan' : seconds > 0 ? 'inf' : '-inf';
  let rest = Math.abs(seconds);
  const parts: string[] = [];
  for (const unit of deltaUnits.slice(first, last + 1)) {
    const count = Math.floor(rest / unit.seconds);
    rest -= count * unit.seconds;
    const isLastChance = unit === deltaUnits[last] && parts.length === 0;
    if (count > 0 || isLastChance) parts.push(`${count} ${unit.name}${count === 1 ? '' : 's'}`);
  }
  const final = parts.pop()!;
  const text = parts.length === 0 ? final : `${parts.join(', ')} and ${final}`;
  return seconds < 0 ? `-${text}` : text;
}

const formatReadableTimeDelta = define({
  name: 'format_readable_time_delta',
  syntax: 'format_readable_time_delta(seconds[, largest_unit[, smallest_unit]])',
  doc: 'A duration in words. Units are years to seconds; a year has 365 days, a month 30.5.',
  examples: [
    ['format_readable_time_delta(3661)', '1 hour, 1 minute and 1 second'],
    ["format_readable_time_delta(3661, 'minutes')", '61 minutes and 1 second'],
  ],
  takes: ['number', 'string?', 'string?'],
  returns: types.string,
  kernel: (args) => {
    const toNumber = conversion(args[0]!.type, types.float64, 'wrap');
    return (value: never, largest = 'years', smallest = 'seconds') =>
      timeDelta(toNumber(value) as number, unitIndex(largest), unitIndex(smallest));
  },
});

export const formatTextFunctions: readonly ScalarFunction[] = [
  format,
  readable(
    'format_readable_size',
    ['format_bytes'],
    'of bytes in units of 1024',
    ['1536', '1.50 KiB'],
    1_024,
    binaryUnits,
  ),
  readable(
    'format_readable_decimal_size',
    [],
    'of bytes in units of 1000',
    ['1500', '1.50 KB'],
    1_000,
    decimalUnits,
  ),
  readable('format_readable_quantity', [], 'in words', ['1234567', '1.23 million'], 1_000, quantities),
  formatReadableTimeDelta,
];
