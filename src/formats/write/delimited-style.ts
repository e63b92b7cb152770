import type { Settings } from '../../base/index.ts';
import { bareType, literalFormatter, type SqlType, textFormatter } from '../../types/index.ts';
import { textOptions } from '../text-settings.ts';
import { escapeTable, writeEscaped } from './escape.ts';
import type { ValueStyle } from './value-style.ts';

const doubleQuote = 34;
const singleQuote = 39;

function isCompound(type: SqlType): boolean {
  const { kind } = bareType(type);
  return kind === 'array' || kind === 'tuple' || kind === 'map';
}

/** Whether the text of the type is a number or a word, which no format quotes. */
function isPlain(type: SqlType): boolean {
  const { kind } = bareType(type);
  return (
    kind === 'int' ||
    kind === 'float' ||
    kind === 'bool' ||
    kind === 'decimal' ||
    kind === 'interval' ||
    kind === 'nothing'
  );
}

function shared(settings: Settings): Pick<ValueStyle, 'mustBeUtf8' | 'simpleTimes' | 'timezone'> {
  return {
    mustBeUtf8: false,
    simpleTimes: settings.date_time_output_format === 'simple',
    timezone: settings.session_timezone,
  };
}

function settingsKey(settings: Settings): string {
  return `${settings.date_time_output_format} ${settings.session_timezone}`;
}

export function csvQuote(text: string): string {
  return `"${text.replaceAll('"', '""')}"`;
}

const csvTable = escapeTable({ '"': '""' });

/** CSV: everything but numbers in double quotes, quotes doubled, NULL as \N. */
export function csvStyle(settings: Settings): ValueStyle {
  return {
    ...shared(settings),
    key: `csv ${settingsKey(settings)}`,
    nullText: '\\N',
    quoteOf: (type) => (isPlain(type) ? 0 : doubleQuote),
    writeString(out, bytes, start, end) {
      writeEscaped(out, bytes, start, end, csvTable, doubleQuote);
    },
    text: (type) => {
      const format = textFormatter(type, textOptions(settings));
      if (isPlain(type)) return (value) => (value === null ? '\\N' : format(value));
      return (value) => (value === null ? '\\N' : csvQuote(format(value)));
    },
  };
}

const tsvEscapes: Record<string, string> = {
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\0': '\\0',
  "'": "\\'",
  '\\': '\\\\',
};

const tsvTable = escapeTable(tsvEscapes);

/** A byte string with the escapes of TabSeparated. */
export function tsvEscape(text: string): string {
  return text.replace(/[\b\f\n\r\t\0'\\]/g, (char) => tsvEscapes[char]!);
}

/** TabSeparated: backslash escapes, NULL as \N. Literals inside arrays, tuples and maps have their own escapes. */
export function tsvStyle(settings: Settings): ValueStyle {
  return {
    ...shared(settings),
    key: `tsv ${settingsKey(settings)}`,
    nullText: '\\N',
    quoteOf: () => 0,
    writeString(out, bytes, start, end) {
      writeEscaped(out, bytes, start, end, tsvTable, 0);
    },
    text: (type) => {
      const format = textFormatter(type, textOptions(settings));
      const encode = isCompound(type) ? (text: string) => text : tsvEscape;
      return (value) => (value === null ? '\\N' : encode(format(value)));
    },
  };
}

/** TabSeparatedRaw: values as they are, without escapes. */
export function rawStyle(settings: Settings): ValueStyle {
  return {
    ...shared(settings),
    key: `raw ${settingsKey(settings)}`,
    nullText: '\\N',
    quoteOf: () => 0,
    writeString: (out, bytes, start, end) => out.writeBytes(bytes, start, end),
    text: (type) => {
      const format = textFormatter(type, textOptions(settings));
      return (value) => (value === null ? '\\N' : format(value));
    },
  };
}

/** Values as SQL literals, for the Values format. */
export function literalStyle(settings: Settings): ValueStyle {
  return {
    ...shared(settings),
    key: `literal ${settingsKey(settings)}`,
    nullText: 'NULL',
    quoteOf: (type) => (isPlain(type) ? 0 : singleQuote),
    writeString(out, bytes, start, end) {
      writeEscaped(out, bytes, start, end, tsvTable, singleQuote);
    },
    text: (type) => literalFormatter(type, textOptions(settings)),
  };
}
