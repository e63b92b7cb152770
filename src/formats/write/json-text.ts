import type { Settings } from '../../base/index.ts';
import {
  bareType,
  fromByteString,
  isAscii,
  type SqlType,
  type TextFormatter,
  textFormatter,
  toByteString,
} from '../../types/index.ts';
import { textOptions } from '../text-settings.ts';

const shortEscapes: Record<string, string> = {
  '"': '\\"',
  '\\': '\\\\',
  '/': '\\/',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
};

/** The escape of one byte in a JSON string. */
export function jsonEscape(char: string): string {
  return shortEscapes[char] ?? `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

export type JsonQuoter = (text: string) => string;

/** A function that writes byte strings as JSON strings; bytes that are not UTF-8 become U+FFFD. */
export function jsonQuoter(escapeSlashes: boolean): JsonQuoter {
  const special = escapeSlashes ? /["\\/\x00-\x1f]/g : /["\\\x00-\x1f]/g;
  return (text) => {
    if (isAscii(text)) return `"${text.replace(special, jsonEscape)}"`;
    const escaped = toByteString(fromByteString(text)).replace(special, jsonEscape);
    // U+2028 and U+2029 end a line of JavaScript, so they are escaped for readers that evaluate JSON.
    return `"${escaped.replace(/\xe2\x80([\xa8\xa9])/g, (_, last) => (last === '\xa8' ? '\\u2028' : '\\u2029'))}"`;
  };
}

/** The settings that decide how values look in JSON. */
export interface JsonOptions {
  readonly settings: Settings;
  readonly quote: JsonQuoter;
}

export function jsonOptions(settings: Settings): JsonOptions {
  return { settings, quote: jsonQuoter(settings.output_format_json_escape_forward_slashes) };
}

function tupleFormatter(type: SqlType & { kind: 'tuple' }, options: JsonOptions): TextFormatter {
  const elements = type.elements.map((element) => jsonFormatter(element.type, options));
  const named = type.elements.length > 0 && type.elements.every((element) => element.name !== '');
  if (!named || !options.settings.output_format_json_named_tuples_as_objects) {
    return (value) => `[${elements.map((element, index) => element((value as unknown[])[index])).join(',')}]`;
  }
  const keys = type.elements.map((element) => `${options.quote(toByteString(element.name))}:`);
  return (value) =>
    `{${elements.map((element, index) => keys[index] + element((value as unknown[])[index])).join(',')}}`;
}

function mapFormatter(type: SqlType & { kind: 'map' }, options: JsonOptions): TextFormatter {
  const key = textFormatter(type.key, textOptions(options.settings));
  const item = jsonFormatter(type.value, options);
  return (value) =>
    `{${(value as [unknown, unknown][]).map((pair) => `${options.quote(key(pair[0]))}:${item(pair[1])}`).join(',')}}`;
}

/** Whether integers of the type are quoted because a JSON reader may take them for doubles. */
export function quotesInteger(type: SqlType, settings: Settings): boolean {
  const bare = bareType(type);
  const isLong = (bare.kind === 'int' && bare.bits >= 64) || bare.kind === 'interval';
  return isLong && settings.output_format_json_quote_64bit_integers;
}

/** Writes canonical values as JSON, NULL as null. */
export function jsonFormatter(type: SqlType, options: JsonOptions): TextFormatter {
  const { settings, quote } = options;
  switch (type.kind) {
    case 'low_cardinality':
      return jsonFormatter(type.inner, options);
    case 'nullable': {
      const inner = jsonFormatter(type.inner, options);
      return (value) => (value === null ? 'null' : inner(value));
    }
    case 'nothing':
      return () => 'null';
    case 'array': {
      const element = jsonFormatter(type.element, options);
      return (value) => `[${(value as unknown[]).map(element).join(',')}]`;
    }
    case 'map':
      return mapFormatter(type, options);
    case 'tuple':
      return tupleFormatter(type, options);
    case 'int':
    case 'interval':
      return quotesInteger(type, settings) ? (value) => `"${value}"` : String;
    case 'float': {
      const format = textFormatter(type);
      const special = settings.output_format_json_quote_denormals
        ? (value: unknown) => `"${format(value)}"`
        : () => 'null';
      return (value) => (Number.isFinite(value) ? format(value) : special(value));
    }
    case 'bool':
    case 'decimal':
      return textFormatter(type);
    default: {
      const format = textFormatter(type, textOptions(settings));
      return (value) => quote(format(value));
    }
  }
}
