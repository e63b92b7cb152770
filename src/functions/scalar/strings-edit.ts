import { SluiceError } from '../../base/index.ts';
import { fromByteString, toByteString, types } from '../../types/index.ts';
import type { ScalarFunction } from '../definition.ts';
import { functionsOf } from './simple-function.ts';
import { assertTextSize } from './text-helpers.ts';

const define = functionsOf('string');

/** The text without the given characters at its ends. */
function trim(text: string, characters: string, start: boolean, end: boolean): string {
  let from = 0;
  let to = text.length;
  if (start) while (from < to && characters.includes(text[from]!)) from++;
  if (end) while (to > from && characters.includes(text[to - 1]!)) to--;
  return text.slice(from, to);
}

function trimming(
  name: string,
  aliases: readonly string[],
  start: boolean,
  end: boolean,
  where: string,
): ScalarFunction {
  const left = start ? '' : '  ';
  const right = end ? '' : '  ';
  return define({
    name,
    aliases,
    syntax: `${name}(text[, characters])`,
    doc: `The text without spaces, or without the given characters, at ${where}.`,
    examples: [
      [`concat('<', ${name}('  a  '), '>')`, `<${left}a${right}>`],
      [`${name}('xaxbx', 'x')`, `${start ? '' : 'x'}axb${end ? '' : 'x'}`],
    ],
    takes: ['string', 'string?'],
    returns: types.string,
    kernel:
      () =>
      (text: string, characters = ' ') =>
        trim(text, characters, start, end),
  });
}

function padBytes(text: string, length: number, filler: string, atStart: boolean): string {
  const missing = length - text.length;
  if (missing <= 0) return text.slice(0, length);
  const fill = filler.repeat(Math.ceil(missing / filler.length)).slice(0, missing);
  return atStart ? fill + text : text + fill;
}

function padCharacters(text: string, length: number, filler: string, atStart: boolean): string {
  const own = Array.from(fromByteString(text));
  if (length <= own.length) return toByteString(own.slice(0, length).join(''));
  const pieces = Array.from(fromByteString(filler));
  const fill = Array.from({ length: length - own.length }, (_, index) => pieces[index % pieces.length]).join(
    '',
  );
  return toByteString(atStart ? fill + own.join('') : own.join('') + fill);
}

function padding(name: string, unit: 'bytes' | 'characters', atStart: boolean): ScalarFunction {
  const isBytes = unit === 'bytes';
  return define({
    name,
    syntax: `${name}(text, length[, filler])`,
    doc: `The text filled up at the ${atStart ? 'start' : 'end'} with spaces or the filler, or cut, to so many ${unit}.`,
    examples: [[`${name}('ab', 5, 'xy')`, atStart ? 'xyxab' : 'abxyx']],
    takes: ['string', 'integer', 'string?'],
    returns: types.string,
    kernel: () => (text: string, length: number | bigint, filler?: string) => {
      const wanted = Number(length);
      if (wanted < 0)
        throw new SluiceError('ARGUMENT_OUT_OF_BOUND', `The length given to ${name} is negative: ${wanted}`);
      assertTextSize(name, wanted * (isBytes ? 1 : 4));
      const given = filler === undefined || filler === '' ? ' ' : filler;
      return isBytes ? padBytes(text, wanted, given, atStart) : padCharacters(text, wanted, given, atStart);
    },
  });
}

/** A table from each character of `from` to the one at its place in `to`; null for those to be left out. */
function translation(from: readonly string[], to: readonly string[]): Map<string, string> {
  if (from.length < to.length) {
    throw new SluiceError(
      'BAD_ARGUMENTS',
      'The second argument of translate must not be shorter than the third one',
    );
  }
  return new Map(from.map((character, index) => [character, to[index] ?? '']));
}

function translating(name: string, decode: (text: string) => string, encode: (text: string) => string) {
  return define({
    name,
    syntax: `${name}(text, from, to)`,
    doc: 'The text with each character of the second argument replaced by the one at the same place in the third one.',
    examples: [[`${name}('hello', 'el', 'ip')`, 'hippo']],
    takes: ['string', 'string', 'string'],
    returns: types.string,
    kernel: () => (text: string, from: string, to: string) => {
      const table = translation(Array.from(decode(from)), Array.from(decode(to)));
      let result = '';
      for (const character of decode(text)) result += table.get(character) ?? character;
      return encode(result);
    },
  });
}

const same = (text: string): string => text;

function soundex(text: string): string {
  const codes = '01230120022455012623010202';
  let result = '';
  let last = '';
  for (const letter of text.toUpperCase()) {
    if (letter < 'A' || letter > 'Z') continue;
    const code = codes[letter.charCodeAt(0) - 65]!;
    if (result === '') result = letter;
    else if (code !== '0' && code !== last) result += code;
    last = code;
    if (result.length === 4) break;
  }
  return result === '' ? '' : result.padEnd(4, '0');
}

/** Text with a part, given by its place (counted from 1, from the end when negative) and length, replaced. */
function overlay(text: string, part: string, offset: number, length: number): string {
  const start = Math.min(text.length, offset > 0 ? offset - 1 : Math.max(0, text.length + offset));
  return text.slice(0, start) + part + text.slice(Math.max(start, start + length));
}

export const stringEditFunctions: readonly ScalarFunction[] = [
  trimming('trim', ['trim_both'], true, true, 'both ends'),
  trimming('trim_left', ['ltrim'], true, false, 'its start'),
  trimming('trim_right', ['rtrim'], false, true, 'its end'),
  padding('lpad', 'bytes', true),
  padding('rpad', 'bytes', false),
  padding('left_pad_utf8', 'characters', true),
  padding('right_pad_utf8', 'characters', false),
  define({
    name: 'replace_one',
    syntax: 'replace_one(text, part, replacement)',
    doc: 'The text with the first place of a part replaced.',
    examples: [["replace_one('aXbX', 'X', '-')", 'a-bX']],
    takes: ['string', 'string', 'string'],
    returns: types.string,
    kernel: () => (text: string, part: string, replacement: string) =>
      part === '' ? text : text.replace(part, () => replacement),
  }),
  define({
    name: 'replace_all',
    aliases: ['replace'],
    syntax: 'replace(text, part, replacement)',
    doc: 'The text with every place of a part replaced.',
    examples: [["replace('aXbX', 'X', '-')", 'a-b-']],
    takes: ['string', 'string', 'string'],
    returns: types.string,
    kernel: () => (text: string, part: string, replacement: string) => {
      if (part === '' || !text.includes(part)) return text;
      if (replacement.length > part.length)
        assertTextSize('replace', (text.length / part.length) * replacement.length);
      return text.replaceAll(part, () => replacement);
    },
  }),
  translating('translate', same, same),
  translating('translate_utf8', fromByteString, toByteString),
  define({
    name: 'append_trailing_char_if_absent',
    syntax: 'append_trailing_char_if_absent(text, byte)',
    doc: 'The text, with a byte added at its end when it is not empty and does not end so.',
    examples: [["append_trailing_char_if_absent('/path', '/')", '/path/']],
    takes: ['string', 'string'],
    returns: types.string,
    kernel: () => (text: string, byte: string) => {
      if (byte.length !== 1)
        throw new SluiceError('BAD_ARGUMENTS', 'append_trailing_char_if_absent takes a single byte');
      return text === '' || text.endsWith(byte) ? text : text + byte;
    },
  }),
  define({
    name: 'overlay',
    syntax: 'overlay(text, part, offset[, length])',
    doc: 'The text with the bytes from an offset on replaced by a part; as many as the part has unless a length is given.',
    examples: [["overlay('Spark SQL', '_', 6)", 'Spark_SQL']],
    takes: ['string', 'string', 'integer', 'integer?'],
    returns: types.string,
    kernel: () => (text: string, part: string, offset: number | bigint, length?: number | bigint) =>
      overlay(text, part, Number(offset), length === undefined || length < 0 ? part.length : Number(length)),
  }),
  define({
    name: 'soundex',
    syntax: 'soundex(text)',
    doc: 'The Soundex code of an English word.',
    examples: [["soundex('Robert')", 'R163']],
    takes: ['string'],
    returns: types.string,
    kernel: () => soundex,
  }),
  define({
    name: 'first_line',
    syntax: 'first_line(text)',
    doc: 'The text up to its first line break.',
    examples: [["first_line('a\\nb')", 'a']],
    takes: ['string'],
    returns: types.string,
    kernel: () => (text: string) => /^[^\r\n]*/.exec(text)![0],
  }),
];
