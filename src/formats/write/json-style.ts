import type { Settings } from '../../base/index.ts';
import { bareType, type SqlType, textFormatter } from '../../types/index.ts';
import { textOptions } from '../text-settings.ts';
import { escapeTable, writeEscaped } from './escape.ts';
import { jsonEscape, jsonFormatter, jsonOptions, quotesInteger } from './json-text.ts';
import type { ValueStyle } from './value-style.ts';

const doubleQuote = 34;

function jsonEscapes(slashes: boolean): Record<string, string> {
  const escapes: Record<string, string> = {};
  for (let code = 0; code < 32; code++)
    escapes[String.fromCharCode(code)] = jsonEscape(String.fromCharCode(code));
  for (const char of slashes ? '"\\/' : '"\\') escapes[char] = jsonEscape(char);
  return escapes;
}

const slashEscapes = escapeTable(jsonEscapes(true));
const plainEscapes = escapeTable(jsonEscapes(false));

function settingsKey(settings: Settings): string {
  return [
    settings.output_format_json_escape_forward_slashes,
    settings.output_format_json_quote_64bit_integers,
    settings.output_format_json_quote_denormals,
    settings.output_format_json_named_tuples_as_objects,
    settings.date_time_output_format,
    settings.session_timezone,
  ].join();
}

/** What all JSON styles share: how strings are written. */
function jsonStrings(
  settings: Settings,
): Pick<ValueStyle, 'writeString' | 'mustBeUtf8' | 'nullText' | 'simpleTimes' | 'timezone'> {
  const table = settings.output_format_json_escape_forward_slashes ? slashEscapes : plainEscapes;
  const { quote } = jsonOptions(settings);
  return {
    nullText: 'null',
    mustBeUtf8: true,
    simpleTimes: settings.date_time_output_format === 'simple',
    timezone: settings.session_timezone,
    writeString(out, bytes, start, end) {
      const from = out.at;
      const isAscii = writeEscaped(out, bytes, start, end, table, doubleQuote);
      if (isAscii || !hasSeparator(out.bytes, from, out.at)) return;
      out.at = from;
      out.write(quote(Buffer.from(bytes.subarray(start, end)).latin1Slice()));
    },
  };
}

/** Whether U+2028 or U+2029 stands in the bytes; see jsonQuoter. */
function hasSeparator(bytes: Uint8Array, start: number, end: number): boolean {
  for (let at = start; at < end; at++) {
    if (bytes[at] === 0xe2 && bytes[at + 1] === 0x80 && (bytes[at + 2]! & 0xfe) === 0xa8) return true;
  }
  return false;
}

/** Values as JSON has them: numbers plain, most else in double quotes. */
export function jsonStyle(settings: Settings): ValueStyle {
  const options = jsonOptions(settings);
  return {
    ...jsonStrings(settings),
    key: `json ${settingsKey(settings)}`,
    quoteOf(type: SqlType): number {
      const { kind } = bareType(type);
      if (kind === 'int' || kind === 'interval') return quotesInteger(type, settings) ? doubleQuote : 0;
      return kind === 'float' || kind === 'bool' || kind === 'decimal' ? 0 : doubleQuote;
    },
    text: (type) => jsonFormatter(type, options),
  };
}

/** Every value as a JSON string of its text, NULL as null. */
export function jsonStringsStyle(settings: Settings): ValueStyle {
  const { quote } = jsonOptions(settings);
  return {
    ...jsonStrings(settings),
    key: `json strings ${settingsKey(settings)}`,
    quoteOf: () => doubleQuote,
    text: (type) => {
      const format = textFormatter(type, textOptions(settings));
      return (value) => (value === null ? 'null' : quote(format(value)));
    },
  };
}
