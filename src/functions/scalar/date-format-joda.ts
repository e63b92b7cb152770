import { SluiceError } from '../../base/index.ts';
import { dayOfWeek, dayOfYear, types } from '../../types/index.ts';
import { expectString } from '../checks.ts';
import type { ScalarFunction } from '../definition.ts';
import { dayNames, type Formatter, half, monthNames, offsetText, pad, showingKernel } from './date-format.ts';
import { dayOf, hourOf, isoWeekOf, isoYearOf, minuteOf, monthOf, secondOf, yearOf } from './date-parts.ts';
import { timeArgument, zoneArgument } from './date-values.ts';

/** A run of one pattern letter, or text that stands for itself. */
export type JodaToken =
  | { readonly kind: 'field'; readonly letter: string; readonly length: number }
  | { readonly kind: 'text'; readonly text: string };

/** Reads quoted text that begins at `at`; two quotes are one. */
function quotedEnd(pattern: string, at: number): readonly [text: string, end: number] {
  if (pattern[at + 1] === "'") return ["'", at + 2];
  let text = '';
  for (let next = at + 1; next < pattern.length; next++) {
    if (pattern[next] !== "'") text += pattern[next];
    else if (pattern[next + 1] === "'") {
      text += "'";
      next++;
    } else return [text, next + 1];
  }
  throw new SluiceError('BAD_ARGUMENTS', 'The pattern has a quote that is not closed');
}

/** Takes a Joda-Time pattern apart: runs of letters are fields, everything else and what is quoted is text. */
export function jodaTokens(pattern: string): readonly JodaToken[] {
  const tokens: JodaToken[] = [];
  for (let at = 0; at < pattern.length; ) {
    const letter = pattern[at]!;
    if (letter === "'") {
      const [text, end] = quotedEnd(pattern, at);
      tokens.push({ kind: 'text', text });
      at = end;
    } else if (/[a-zA-Z]/.test(letter)) {
      let end = at + 1;
      while (pattern[end] === letter) end++;
      tokens.push({ kind: 'field', letter, length: end - at });
      at = end;
    } else {
      tokens.push({ kind: 'text', text: letter });
      at++;
    }
  }
  return tokens;
}

export function unknownLetter(letter: string): SluiceError {
  return new SluiceError('BAD_ARGUMENTS', `The pattern has the letter '${letter}', which is not supported`);
}

function yearText(year: number, length: number): string {
  return length === 2 ? pad(year % 100, 2) : pad(year, length);
}

function fieldFormatter(letter: string, length: number): Formatter {
  const days =
    (compute: (days: number) => string): Formatter =>
    (moment) =>
      compute(Math.floor(moment.wall / 86_400));
  const clock =
    (compute: (wall: number) => number): Formatter =>
    (moment) =>
      pad(compute(moment.wall), length);
  switch (letter) {
    case 'G':
      return () => 'AD';
    case 'C':
      return days((day) => pad(Math.floor(yearOf(day) / 100), length));
    case 'Y':
    case 'y':
      return days((day) => yearText(yearOf(day), length));
    case 'x':
      return days((day) => pad(isoYearOf(day), length));
    case 'w':
      return days((day) => pad(isoWeekOf(day), length));
    case 'e':
      return days((day) => pad(dayOfWeek(day), length));
    case 'E':
      return days((day) =>
        length > 3 ? dayNames[dayOfWeek(day) - 1]! : dayNames[dayOfWeek(day) - 1]!.slice(0, 3),
      );
    case 'D':
      return days((day) => pad(dayOfYear(day), length));
    case 'M':
      return days((day) => {
        const month = monthOf(day);
        if (length <= 2) return pad(month, length);
        return length === 3 ? monthNames[month - 1]!.slice(0, 3) : monthNames[month - 1]!;
      });
    case 'd':
      return days((day) => pad(dayOf(day), length));
    case 'a':
      return (moment) => (hourOf(moment.wall) < 12 ? 'AM' : 'PM');
    default:
      return clockFormatter(letter, length, clock);
  }
}

function clockFormatter(
  letter: string,
  length: number,
  clock: (compute: (wall: number) => number) => Formatter,
): Formatter {
  switch (letter) {
    case 'K':
      return clock((wall) => hourOf(wall) % 12);
    case 'h':
      return clock((wall) => half(hourOf(wall)));
    case 'H':
      return clock(hourOf);
    case 'k':
      return clock((wall) => (hourOf(wall) === 0 ? 24 : hourOf(wall)));
    case 'm':
      return clock(minuteOf);
    case 's':
      return clock(secondOf);
    case 'S':
      return (moment) => moment.fraction.slice(0, length).padEnd(length, '0');
    case 'z':
      return (moment) => moment.zone;
    case 'Z':
      return (moment) => offsetText(moment.offset, length === 2 ? ':' : '');
    default:
      throw unknownLetter(letter);
  }
}

function compileJoda(pattern: string): Formatter {
  const pieces = jodaTokens(pattern).map(
    (token): Formatter =>
      token.kind === 'text' ? () => token.text : fieldFormatter(token.letter, token.length),
  );
  return (moment) => {
    let text = '';
    for (const piece of pieces) text += piece(moment);
    return text;
  };
}

const name = 'format_datetime_in_joda_syntax';

const formatInJoda: ScalarFunction = {
  kind: 'scalar',
  name,
  aliases: ['formatDateTimeInJodaSyntax'],
  category: 'date_time',
  arity: [2, 3],
  syntax: `${name}(time, 'pattern'[, timezone])`,
  doc: 'The time as text by a Joda-Time pattern, as in yyyy-MM-dd HH:mm:ss.',
  examples: [[`${name}(to_datetime('2023-05-07 03:04:05'), 'yyyy/MM/dd HH:mm')`, '2023/05/07 03:04']],
  type: (args) => {
    timeArgument(name, args, 0);
    expectString(name, args, 1);
    zoneArgument(name, args, 2);
    return types.string;
  },
  kernel: (args) => showingKernel(name, args, compileJoda),
};

export const jodaFormatFunctions: readonly ScalarFunction[] = [formatInJoda];
