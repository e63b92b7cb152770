import { canonicalInteger, type SqlType, types } from '../../types/index.ts';
import type { ScalarFunction } from '../definition.ts';
import { stringAt, stringEnd, valueEnd } from './json-text.ts';
import { functionsOf } from './simple-function.ts';

const define = functionsOf('json');

/** The place right behind the first `"name":` of a text, wherever that stands; -1 when there is none. */
function behindName(text: string, name: string): number {
  const needle = `"${name}":`;
  const found = text.indexOf(needle);
  return found < 0 ? -1 : found + needle.length;
}

/** The number that starts at a place, in quotes or not. */
function numberToken(text: string, at: number): string {
  const pattern = /"?([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)/y;
  pattern.lastIndex = at;
  return pattern.exec(text)?.[1] ?? '0';
}

function integerAt(text: string, at: number, signed: boolean): number | bigint {
  const digits = /^[+-]?\d+/.exec(numberToken(text, at))?.[0] ?? '0';
  if (!signed && digits.startsWith('-')) return 0;
  const value = BigInt(digits.slice(0, 100).replace('+', ''));
  return canonicalInteger(signed ? BigInt.asIntN(64, value) : BigInt.asUintN(64, value));
}

interface SimpleExtraction {
  readonly suffix: string;
  readonly doc: string;
  readonly example: readonly [string, string];
  readonly returns: SqlType;
  readonly missing: unknown;
  readonly read: (text: string, at: number) => unknown;
}

const extractions: readonly SimpleExtraction[] = [
  {
    suffix: 'extract_string',
    doc: 'The string behind "name":, without quotes and escapes; empty when there is none.',
    example: ['"x"', 'x'],
    returns: types.string,
    missing: '',
    read: (text, at) => (text[at] === '"' && stringEnd(text, at) > 0 ? stringAt(text, at) : ''),
  },
  {
    suffix: 'extract_int',
    doc: 'The signed integer behind "name":; 0 when there is none.',
    example: ['-12', '-12'],
    returns: types.int64,
    missing: 0,
    read: (text, at) => integerAt(text, at, true),
  },
  {
    suffix: 'extract_uint',
    doc: 'The unsigned integer behind "name":; 0 when there is none.',
    example: ['12', '12'],
    returns: types.uint64,
    missing: 0,
    read: (text, at) => integerAt(text, at, false),
  },
  {
    suffix: 'extract_float',
    doc: 'The number behind "name":; 0 when there is none.',
    example: ['1.5', '1.5'],
    returns: types.float64,
    missing: 0,
    read: (text, at) => Number(numberToken(text, at)),
  },
  {
    suffix: 'extract_bool',
    doc: 'Whether true stands behind "name":.',
    example: ['true', 'true'],
    returns: types.bool,
    missing: 0,
    read: (text, at) => (text.startsWith('true', at) ? 1 : 0),
  },
  {
    suffix: 'extract_raw',
    doc: 'The value behind "name": as it is written; empty when there is none.',
    example: ['[1, 2]', '[1, 2]'],
    returns: types.string,
    missing: '',
    read: (text, at) => text.slice(at, Math.max(at, valueEnd(text, at))),
  },
  {
    suffix: 'has',
    doc: 'Whether the text has "name":.',
    example: ['1', 'true'],
    returns: types.bool,
    missing: 0,
    read: () => 1,
  },
];

export const simpleJsonFunctions: readonly ScalarFunction[] = extractions.map(
  ({ suffix, doc, example, returns, missing, read }) =>
    define({
      name: `simple_json_${suffix}`,
      aliases: [`visit_param_${suffix}`],
      syntax: `simple_json_${suffix}(json, name)`,
      doc: `${doc} Fast, for documents without white space around names.`,
      examples: [[`simple_json_${suffix}('{"a":${example[0]}}', 'a')`, example[1]]],
      takes: ['string', 'string'],
      returns,
      kernel: () => (text: string, name: string) => {
        const at = behindName(text, name);
        return at < 0 ? missing : read(text, at);
      },
    }),
);
