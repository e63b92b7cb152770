import { foldCase } from '../../runtime/index.ts';
import { fromByteString, isAscii, toByteString, types } from '../../types/index.ts';
import type { ScalarFunction } from '../definition.ts';
import { functionsOf } from './simple-function.ts';
import { substringRange } from './strings.ts';
import { upperAscii } from './text-helpers.ts';

const define = functionsOf('string');

/** The number of characters: of bytes that do not continue one. */
function countCharacters(text: string): number {
  let count = 0;
  for (let at = 0; at < text.length; at++) if ((text.charCodeAt(at) & 0xc0) !== 0x80) count++;
  return count;
}

function characters(text: string): string[] {
  return Array.from(fromByteString(text));
}

/** A piece of a text by characters; [from, end) of `length` of them. */
function slice(text: string, range: (length: number) => readonly [number, number]): string {
  if (isAscii(text)) return text.slice(...range(text.length));
  const list = characters(text);
  return toByteString(list.slice(...range(list.length)).join(''));
}

const validUtf8 =
  /^(?:[\x00-\x7f]|[\xc2-\xdf][\x80-\xbf]|\xe0[\xa0-\xbf][\x80-\xbf]|[\xe1-\xec\xee\xef][\x80-\xbf]{2}|\xed[\x80-\x9f][\x80-\xbf]|\xf0[\x90-\xbf][\x80-\xbf]{2}|[\xf1-\xf3][\x80-\xbf]{3}|\xf4[\x80-\x8f][\x80-\xbf]{2})*$/;

function isValidUtf8(text: string): boolean {
  if (isAscii(text)) return true;
  // The pattern is quick on short texts; on long ones it would need a deep stack.
  return text.length < 1_000 ? validUtf8.test(text) : toByteString(fromByteString(text)) === text;
}

/** Each word with a capital first letter and small ones after it. */
function initcap(text: string): string {
  return toByteString(
    fromByteString(text)
      .toLowerCase()
      .replace(/[\p{L}\p{N}]+/gu, (word) => {
        const first = String.fromCodePoint(word.codePointAt(0)!);
        return first.toUpperCase() + word.slice(first.length);
      }),
  );
}

const integer = 'integer';

export const utf8Functions: readonly ScalarFunction[] = [
  define({
    name: 'length_utf8',
    aliases: ['char_length', 'character_length', 'CHAR_LENGTH_UTF8'],
    syntax: 'length_utf8(text)',
    doc: 'The number of characters of a text.',
    examples: [["length_utf8('héllo')", '5']],
    takes: ['string'],
    returns: types.uint64,
    kernel: () => countCharacters,
  }),
  define({
    name: 'lower_utf8',
    syntax: 'lower_utf8(text)',
    doc: 'The text in lower case, by the rules of Unicode.',
    examples: [["lower_utf8('HÉ')", 'hé']],
    takes: ['string'],
    returns: types.string,
    kernel: () => foldCase,
  }),
  define({
    name: 'upper_utf8',
    syntax: 'upper_utf8(text)',
    doc: 'The text in upper case, by the rules of Unicode.',
    examples: [["upper_utf8('hé')", 'HÉ']],
    takes: ['string'],
    returns: types.string,
    kernel: () => (text: string) =>
      isAscii(text) ? upperAscii(text) : toByteString(fromByteString(text).toUpperCase()),
  }),
  define({
    name: 'reverse_utf8',
    syntax: 'reverse_utf8(text)',
    doc: 'The characters of a text in opposite order.',
    examples: [["reverse_utf8('hé')", 'éh']],
    takes: ['string'],
    returns: types.string,
    kernel: () => (text: string) => toByteString(characters(text).reverse().join('')),
  }),
  define({
    name: 'substring_utf8',
    aliases: ['substr_utf8'],
    syntax: 'substring_utf8(text, offset[, length])',
    doc: 'Characters of a text from an offset on, which counts from 1, or from the end when it is negative.',
    examples: [["substring_utf8('héllo', 2, 2)", 'él']],
    takes: ['string', integer, 'integer?'],
    returns: types.string,
    kernel: () => (text: string, offset: number | bigint, count?: number | bigint) =>
      slice(text, (length) =>
        substringRange(length, Number(offset), count === undefined ? undefined : Number(count)),
      ),
  }),
  define({
    name: 'left_utf8',
    syntax: 'left_utf8(text, characters)',
    doc: 'The first characters of a text; with a negative number all but the last ones.',
    examples: [["left_utf8('héllo', 2)", 'hé']],
    takes: ['string', integer],
    returns: types.string,
    kernel: () => (text: string, count: number | bigint) =>
      slice(text, (length) => [0, count < 0 ? Math.max(0, length + Number(count)) : Number(count)]),
  }),
  define({
    name: 'right_utf8',
    syntax: 'right_utf8(text, characters)',
    doc: 'The last characters of a text; with a negative number all but the first ones.',
    examples: [["right_utf8('héllo', 4)", 'éllo']],
    takes: ['string', integer],
    returns: types.string,
    kernel: () => (text: string, count: number | bigint) =>
      slice(text, (length) => [count < 0 ? -Number(count) : Math.max(0, length - Number(count)), length]),
  }),
  define({
    name: 'is_valid_utf8',
    syntax: 'is_valid_utf8(text)',
    doc: 'Whether the bytes are UTF-8.',
    examples: [
      ["is_valid_utf8('é')", 'true'],
      ["is_valid_utf8(unhex('FF'))", 'false'],
    ],
    takes: ['string'],
    returns: types.bool,
    kernel: () => (text: string) => (isValidUtf8(text) ? 1 : 0),
  }),
  define({
    name: 'to_valid_utf8',
    syntax: 'to_valid_utf8(text)',
    doc: 'The text with bytes that are not UTF-8 replaced by the character U+FFFD, one for each run of them.',
    examples: [["to_valid_utf8(concat('a', unhex('FF'), 'b'))", 'a�b']],
    takes: ['string'],
    returns: types.string,
    kernel: () => (text: string) =>
      isValidUtf8(text) ? text : toByteString(fromByteString(text).replace(/\ufffd+/g, '\ufffd')),
  }),
  define({
    name: 'initcap',
    aliases: ['initcap_utf8'],
    syntax: 'initcap(text)',
    doc: 'The text with a capital letter at the start of each word, small ones after it.',
    examples: [["initcap('hello woRLD')", 'Hello World']],
    takes: ['string'],
    returns: types.string,
    kernel: () => initcap,
  }),
];
