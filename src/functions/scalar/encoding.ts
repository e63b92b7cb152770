import { SluiceError } from '../../base/index.ts';
import { isString, type SqlType, types } from '../../types/index.ts';
import { illegalType } from '../checks.ts';
import type { Argument, ScalarFunction } from '../definition.ts';
import { decodeBase58, encodeBase58 } from './base58.ts';
import { functionsOf } from './simple-function.ts';
import { assertTextSize } from './text-helpers.ts';
import { bigEndian, bytesOfValue, byteWidth } from './value-bytes.ts';

const define = functionsOf('string');

/** The bytes of a value in the order in which people write them: of integers without leading zeros. */
function writtenBytes(type: SqlType): ((value: never) => string) | undefined {
  if (isString(type)) return (value: string) => value;
  const width = byteWidth(type);
  if (width === undefined || type.kind === 'datetime64') return undefined;
  if (type.kind === 'float' || type.kind === 'decimal') return bytesOfValue(type);
  if (type.kind === 'uuid' || type.kind === 'ipv6') return (value: bigint) => bigEndian(value, width);
  return (value: number | bigint) => bigEndian(value, width).replace(/^\0+(?=.)/s, '');
}

function digitsFunction(
  name: string,
  doc: string,
  examples: ScalarFunction['examples'],
  convert: (bytes: string) => string,
  growth: number,
): ScalarFunction {
  const bytesOf = (args: readonly Argument[]): ((value: never) => string) => {
    const found = writtenBytes(args[0]!.type);
    if (found === undefined)
      throw illegalType(name, 0, args[0]!.type, 'a string, a number, a date or an address');
    return found;
  };
  return define({
    name,
    syntax: `${name}(value)`,
    doc,
    examples,
    takes: ['any'],
    returns: (args) => {
      bytesOf(args);
      return types.string;
    },
    kernel: (args) => {
      const bytes = bytesOf(args);
      return (value: never) => {
        const written = bytes(value);
        assertTextSize(name, written.length * growth);
        return convert(written);
      };
    },
  });
}

function toBits(bytes: string): string {
  let result = '';
  for (let at = 0; at < bytes.length; at++) result += bytes.charCodeAt(at).toString(2).padStart(8, '0');
  return result;
}

function hexDigit(code: number): number {
  if (code >= 48 && code <= 57) return code - 48;
  const letter = code | 32;
  return letter >= 97 && letter <= 102 ? letter - 87 : 255;
}

/** The bytes that hexadecimal digits stand for; a digit that is none spoils its byte and nothing else. */
function unhex(digits: string): string {
  const even = digits.length % 2 === 0 ? digits : `0${digits}`;
  if (/^[0-9a-fA-F]*$/.test(even)) return Buffer.from(even, 'hex').latin1Slice();
  const bytes = Buffer.alloc(even.length / 2);
  for (let at = 0; at < bytes.length; at++) {
    bytes[at] = hexDigit(even.charCodeAt(at * 2)) * 16 + hexDigit(even.charCodeAt(at * 2 + 1));
  }
  return bytes.latin1Slice();
}

function unbin(digits: string): string {
  const full = digits.padStart(Math.ceil(digits.length / 8) * 8, '0');
  const bytes = Buffer.alloc(full.length / 8);
  for (let at = 0; at < full.length; at++) {
    if (full[at] === '1') bytes[at >> 3]! |= 128 >> (at & 7);
  }
  return bytes.latin1Slice();
}

function invalid(name: string): SluiceError {
  return new SluiceError('INCORRECT_DATA', `The text given to ${name} is not encoded so`);
}

function decodeBase64(text: string): string | undefined {
  const compact = text.replace(/[ \t\r\n\f]+/g, '');
  if (compact.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(compact)) return undefined;
  return Buffer.from(compact, 'base64').latin1Slice();
}

function decodeBase64Url(text: string): string | undefined {
  const plain = text.replace(/=+$/, '');
  if (plain.length % 4 === 1 || !/^[A-Za-z0-9_-]*$/.test(plain)) return undefined;
  return Buffer.from(plain, 'base64url').latin1Slice();
}

/** A decoder in two forms: one fails on a text that is not encoded so, the other gives an empty text. */
function decoders(
  name: string,
  what: string,
  decode: (text: string) => string | undefined,
  encoded: string,
): ScalarFunction[] {
  return [true, false].map((strict) => {
    const own = strict ? name : `try_${name}`;
    return define({
      name: own,
      aliases: strict && name === 'base64_decode' ? ['from_base64'] : [],
      syntax: `${own}(text)`,
      doc: `The bytes that a text in ${what} stands for; ${strict ? 'an error' : 'an empty text'} where it is not valid.`,
      examples: [[`${own}('${encoded}')`, 'hello?']],
      takes: ['string'],
      returns: types.string,
      kernel: () => (text: string) => {
        const result = decode(text);
        if (result === undefined && strict) throw invalid(name);
        return result ?? '';
      },
    });
  });
}

function encoder(
  name: string,
  aliases: readonly string[],
  what: string,
  encode: (text: string) => string,
  example: readonly [string, string],
): ScalarFunction {
  return define({
    name,
    aliases,
    syntax: `${name}(text)`,
    doc: `The text ${what}.`,
    examples: [[`${name}('${example[0]}')`, example[1]]],
    takes: ['string'],
    returns: types.string,
    kernel: () => encode,
  });
}

function percentEncode(text: string): string {
  return text.replace(
    /[^A-Za-z0-9._~-]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`,
  );
}

/** The text with %XX taken for bytes; a percent sign without two digits stays. */
export function percentDecode(text: string): string {
  if (!text.includes('%')) return text;
  return text.replace(/%([0-9A-Fa-f]{2})/g, (_, digits: string) =>
    String.fromCharCode(Number.parseInt(digits, 16)),
  );
}

const xmlEntities: Readonly<Record<string, string>> = {
  '<': '&lt;',
  '>': '&gt;',
  '&': '&amp;',
  '"': '&quot;',
  "'": '&apos;',
};

const xmlCharacters = new Map(Object.entries(xmlEntities).map(([character, entity]) => [entity, character]));

function decodeXml(text: string): string {
  return text.replace(
    /&(?:#x([0-9a-fA-F]{1,6})|#([0-9]{1,7})|[a-z]{2,4});/g,
    (entity, hex?: string, number?: string) => {
      if (hex === undefined && number === undefined) return xmlCharacters.get(entity) ?? entity;
      const code = hex === undefined ? Number(number) : Number.parseInt(hex, 16);
      if (code > 0x10_ffff) return entity;
      return Buffer.from(String.fromCodePoint(code), 'utf8').latin1Slice();
    },
  );
}

export const encodingFunctions: readonly ScalarFunction[] = [
  digitsFunction(
    'hex',
    'The hexadecimal digits of a text, a number, a date or an address, in upper case.',
    [
      ["hex('abc')", '616263'],
      ['hex(255)', 'FF'],
    ],
    (bytes) => Buffer.from(bytes, 'latin1').toString('hex').toUpperCase(),
    2,
  ),
  digitsFunction(
    'bin',
    'The binary digits of a text, a number, a date or an address.',
    [['bin(5)', '00000101']],
    toBits,
    8,
  ),
  encoder('unhex', ['from_hex'], 'that hexadecimal digits stand for', unhex, ['616263', 'abc']),
  encoder('unbin', [], 'that binary digits stand for', unbin, ['01100001', 'a']),
  encoder(
    'base64_encode',
    ['to_base64'],
    'in base64',
    (text) => Buffer.from(text, 'latin1').toString('base64'),
    ['hello?', 'aGVsbG8/'],
  ),
  encoder(
    'base64_url_encode',
    [],
    'in base64 with the alphabet for URLs, without padding',
    (text) => Buffer.from(text, 'latin1').toString('base64url'),
    ['hello?', 'aGVsbG8_'],
  ),
  encoder('base58_encode', [], 'in base58', encodeBase58, ['hello?', encodeBase58('hello?')]),
  ...decoders('base64_decode', 'base64', decodeBase64, 'aGVsbG8/'),
  ...decoders('base64_url_decode', 'base64 with the alphabet for URLs', decodeBase64Url, 'aGVsbG8_'),
  ...decoders('base58_decode', 'base58', decodeBase58, encodeBase58('hello?')),
  encoder('encode_url_component', [], 'with bytes that are special in URLs as %XX', percentEncode, [
    'a b',
    'a%20b',
  ]),
  encoder('decode_url_component', [], 'with %XX taken for bytes', percentDecode, ['a%20b', 'a b']),
  encoder(
    'encode_url_form_component',
    [],
    'as encode_url_component gives it, with + for a space',
    (text) => percentEncode(text).replaceAll('%20', '+'),
    ['a b', 'a+b'],
  ),
  encoder(
    'decode_url_form_component',
    [],
    'as decode_url_component gives it, with + for a space',
    (text) => percentDecode(text.replaceAll('+', ' ')),
    ['a+b', 'a b'],
  ),
  encoder(
    'encode_xml_component',
    [],
    'with <, >, &, " and \' as entities',
    (text) => text.replace(/[<>&"']/g, (char) => xmlEntities[char]!),
    ['<a>', '&lt;a&gt;'],
  ),
  encoder('decode_xml_component', [], 'with the entities of XML taken for characters', decodeXml, [
    '&lt;&#65;',
    '<A',
  ]),
];
