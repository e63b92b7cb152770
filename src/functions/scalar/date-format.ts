import { SluiceError } from '../../base/index.ts';
import { dayOfWeek, dayOfYear, formatDate, splitTicks, types } from '../../types/index.ts';
import { constantOf, expectString } from '../checks.ts';
import type { Argument, ScalarFunction } from '../definition.ts';
import {
  dayOf,
  hourOf,
  isoWeekOf,
  isoYearOf,
  minuteOf,
  monthOf,
  quarterOf,
  secondOf,
  yearOf,
} from './date-parts.ts';
import { secondsReader, timeArgument, wallReader, zoneArgument, zoneFor } from './date-values.ts';

/** A moment as a formatter sees it. */
export interface ShownMoment {
  /** Seconds since 1970 on the wall clock. */
  readonly wall: number;
  /** Digits of the second's fraction. */
  readonly fraction: string;
  /** Seconds by which the wall clock is ahead of UTC. */
  readonly offset: number;
  readonly zone: string;
}

export type Formatter = (moment: ShownMoment) => string;

export const monthNames = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
] as const;

export const dayNames = [
  'Monday',
  'Tuesday',
  'Wednesday',
  'Thursday',
  'Friday',
  'Saturday',
  'Sunday',
] as const;

export function pad(value: number, digits: number): string {
  return String(value).padStart(digits, '0');
}

function daysOf(moment: ShownMoment): number {
  return Math.floor(moment.wall / 86_400);
}

/** A part of the day number of a moment. */
function day(compute: (days: number) => string): Formatter {
  return (moment) => compute(daysOf(moment));
}

export function half(hour: number): number {
  return hour % 12 === 0 ? 12 : hour % 12;
}

export function offsetText(offset: number, separator: string): string {
  const minutes = Math.floor(Math.abs(offset) / 60);
  return `${offset < 0 ? '-' : '+'}${pad(Math.floor(minutes / 60), 2)}${separator}${pad(minutes % 60, 2)}`;
}

function clock(moment: ShownMoment): string {
  const { wall } = moment;
  return `${pad(hourOf(wall), 2)}:${pad(minuteOf(wall), 2)}:${pad(secondOf(wall), 2)}`;
}

/** ClickHouse's codes of formatDateTime, those of MySQL's DATE_FORMAT. */
const codes: Readonly<Record<string, Formatter>> = {
  a: day((days) => dayNames[dayOfWeek(days) - 1]!.slice(0, 3)),
  b: day((days) => monthNames[monthOf(days) - 1]!.slice(0, 3)),
  c: day((days) => pad(monthOf(days), 2)),
  C: day((days) => pad(Math.floor(yearOf(days) / 100), 2)),
  d: day((days) => pad(dayOf(days), 2)),
  D: day((days) => `${pad(monthOf(days), 2)}/${pad(dayOf(days), 2)}/${pad(yearOf(days) % 100, 2)}`),
  e: day((days) => String(dayOf(days))),
  f: (moment) => moment.fraction.slice(0, 6).padEnd(6, '0'),
  F: day(formatDate),
  g: day((days) => pad(isoYearOf(days) % 100, 2)),
  G: day((days) => pad(isoYearOf(days), 4)),
  h: (moment) => pad(half(hourOf(moment.wall)), 2),
  H: (moment) => pad(hourOf(moment.wall), 2),
  i: (moment) => pad(minuteOf(moment.wall), 2),
  I: (moment) => pad(half(hourOf(moment.wall)), 2),
  j: day((days) => pad(dayOfYear(days), 3)),
  k: (moment) => pad(hourOf(moment.wall), 2),
  l: (moment) => pad(half(hourOf(moment.wall)), 2),
  m: day((days) => pad(monthOf(days), 2)),
  M: day((days) => monthNames[monthOf(days) - 1]!),
  n: () => '\n',
  p: (moment) => (hourOf(moment.wall) < 12 ? 'AM' : 'PM'),
  Q: day((days) => String(quarterOf(days))),
  r: (moment) =>
    `${pad(half(hourOf(moment.wall)), 2)}:${pad(minuteOf(moment.wall), 2)} ${hourOf(moment.wall) < 12 ? 'AM' : 'PM'}`,
  R: (moment) => `${pad(hourOf(moment.wall), 2)}:${pad(minuteOf(moment.wall), 2)}`,
  s: (moment) => pad(secondOf(moment.wall), 2),
  S: (moment) => pad(secondOf(moment.wall), 2),
  t: () => '\t',
  T: clock,
  u: day((days) => String(dayOfWeek(days))),
  V: day((days) => pad(isoWeekOf(days), 2)),
  w: day((days) => String(dayOfWeek(days) % 7)),
  W: day((days) => dayNames[dayOfWeek(days) - 1]!),
  y: day((days) => pad(yearOf(days) % 100, 2)),
  Y: day((days) => pad(yearOf(days), 4)),
  z: (moment) => offsetText(moment.offset, ''),
  '%': () => '%',
};

/** The formatter of a text with `%` codes; BAD_ARGUMENTS for a code that is not known. */
export function compileFormat(format: string): Formatter {
  const pieces: Formatter[] = [];
  for (let at = 0; at < format.length; ) {
    if (format[at] !== '%') {
      const end = format.indexOf('%', at);
      const text = format.slice(at, end < 0 ? format.length : end);
      pieces.push(() => text);
      at += text.length;
      continue;
    }
    const code = codes[format[at + 1] ?? ''];
    if (code === undefined || !Object.hasOwn(codes, format[at + 1] ?? ''))
      throw new SluiceError(
        'BAD_ARGUMENTS',
        `The format has an unknown code %${format[at + 1] ?? ''} at position ${at + 1}`,
      );
    pieces.push(code);
    at += 2;
  }
  return (moment) => {
    let text = '';
    for (const piece of pieces) text += piece(moment);
    return text;
  };
}

/** A kernel that shows a time by a formatter, which may depend on the row where the format is no constant. */
export function showingKernel(
  name: string,
  args: readonly Argument[],
  compile: (format: string) => Formatter,
): (value: number | bigint, format?: string) => string {
  const type = timeArgument(name, args, 0);
  const zone = zoneFor(type, zoneArgument(name, args, 2));
  const [wall, seconds] = [wallReader(type, zone), secondsReader(type, zone)];
  const precision = type.kind === 'datetime64' ? type.precision : 0;
  const show = (value: number | bigint): ShownMoment => {
    const shown = wall(value);
    const fraction = precision === 0 ? '' : pad(splitTicks(value, precision)[1], precision);
    return { wall: shown, fraction, offset: shown - seconds(value), zone: zone.name };
  };
  if (args[1]?.constant !== undefined) {
    const format = compile(String(args[1].constant.value));
    return (value) => format(show(value));
  }
  let [lastText, lastFormat]: [string | undefined, Formatter | undefined] = [undefined, undefined];
  return (value, text = '') => {
    if (lastFormat === undefined || text !== lastText) {
      lastText = text;
      lastFormat = compile(text);
    }
    return lastFormat(show(value));
  };
}

const formatDatetime: ScalarFunction = {
  kind: 'scalar',
  name: 'format_datetime',
  aliases: ['formatDateTime', 'date_format'],
  category: 'date_time',
  arity: [2, 3],
  syntax: "format_datetime(time, 'format'[, timezone])",
  doc: "The time as text by a format with codes such as %Y (year), %m (month), %d (day), %H (hour), %i (minute), %s (second), %f (fraction), as MySQL's DATE_FORMAT has them.",
  examples: [
    ["format_datetime(to_datetime('2023-05-07 03:04:05'), '%Y/%m/%d %H:%i:%s')", '2023/05/07 03:04:05'],
    ["format_datetime(to_date('2023-05-07'), '%W, %e %M')", 'Sunday, 7 May'],
  ],
  type: (args) => {
    timeArgument('format_datetime', args, 0);
    expectString('format_datetime', args, 1);
    zoneArgument('format_datetime', args, 2);
    return types.string;
  },
  kernel: (args) => showingKernel('format_datetime', args, compileFormat),
};

const nameParts: Readonly<Record<string, (moment: ShownMoment) => string>> = {
  year: day((days) => String(yearOf(days))),
  quarter: day((days) => String(quarterOf(days))),
  month: day((days) => monthNames[monthOf(days) - 1]!),
  dayofyear: day((days) => String(dayOfYear(days))),
  day: day((days) => String(dayOf(days))),
  week: day((days) => String(isoWeekOf(days))),
  weekday: day((days) => dayNames[dayOfWeek(days) - 1]!),
  hour: (moment) => String(hourOf(moment.wall)),
  minute: (moment) => String(minuteOf(moment.wall)),
  second: (moment) => String(secondOf(moment.wall)),
};

function namePart(text: unknown): Formatter {
  const part = String(text).toLowerCase();
  if (!Object.hasOwn(nameParts, part))
    throw new SluiceError(
      'BAD_ARGUMENTS',
      `Function date_name does not know the part '${part}': expected ${Object.keys(nameParts).join(', ')}`,
    );
  return nameParts[part]!;
}

const dateName: ScalarFunction = {
  kind: 'scalar',
  name: 'date_name',
  category: 'date_time',
  arity: [2, 3],
  syntax: "date_name('part', time[, timezone])",
  doc: 'A part of the time as text, months and weekdays by their names.',
  examples: [
    ["date_name('weekday', to_date('2023-05-17'))", 'Wednesday'],
    ["date_name('month', to_date('2023-05-17'))", 'May'],
  ],
  type: (args) => {
    namePart(constantOf('date_name', args, 0));
    timeArgument('date_name', args, 1);
    zoneArgument('date_name', args, 2);
    return types.string;
  },
  kernel: (args) => {
    const part = namePart(constantOf('date_name', args, 0));
    const type = timeArgument('date_name', args, 1);
    const wall = wallReader(type, zoneFor(type, zoneArgument('date_name', args, 2)));
    return (_: unknown, value: number | bigint) =>
      part({ wall: wall(value), fraction: '', offset: 0, zone: '' });
  },
};

function nameFunction(name: string, part: 'month' | 'weekday', example: string): ScalarFunction {
  return {
    kind: 'scalar',
    name,
    category: 'date_time',
    arity: [1, 2],
    syntax: `${name}(time[, timezone])`,
    doc: `The name of the time's ${part}.`,
    examples: [[`${name}(to_date('2023-05-17'))`, example]],
    type: (args) => {
      timeArgument(name, args, 0);
      zoneArgument(name, args, 1);
      return types.string;
    },
    kernel: (args) => {
      const type = timeArgument(name, args, 0);
      const wall = wallReader(type, zoneFor(type, zoneArgument(name, args, 1)));
      const show = nameParts[part]!;
      return (value: number | bigint) => show({ wall: wall(value), fraction: '', offset: 0, zone: '' });
    },
  };
}

export const dateFormatFunctions: readonly ScalarFunction[] = [
  formatDatetime,
  dateName,
  nameFunction('month_name', 'month', 'May'),
  nameFunction('day_name', 'weekday', 'Wednesday'),
];
