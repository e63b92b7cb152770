import { SluiceError, unreachable } from '../base/index.ts';
import { formatBool, parseBool } from './bool-text.ts';
import { dateParser, dateTimeFormatter, dateTimeParser, formatDate } from './date-time-text.ts';
import { decimalFormatter, decimalParser } from './decimal-text.ts';
import { enumFormatter, enumParser } from './enum-text.ts';
import { floatParser, formatFloat32, formatFloat64, formatInteger, integerParser } from './number-text.ts';
import { cannotParse } from './text-errors.ts';
import type { TextOptions } from './text-options.ts';
import type { SqlType } from './type.ts';
import { typeName } from './type-name.ts';
import { formatIpv4, formatIpv6, formatUuid, parseIpv4, parseIpv6, parseUuid } from './uuid-ip-text.ts';

export type TextParser = (text: string) => unknown;
export type TextFormatter = (value: unknown) => string;

export type ScalarType = Exclude<
  SqlType,
  { kind: 'nullable' | 'low_cardinality' | 'array' | 'tuple' | 'map' }
>;

function fixedStringParser(type: SqlType & { kind: 'fixed_string' }): TextParser {
  return (text) => {
    if (text.length > type.length) {
      throw new SluiceError(
        'TOO_LARGE_STRING_SIZE',
        `A string of ${text.length} bytes does not fit ${typeName(type)}`,
      );
    }
    return text.padEnd(type.length, '\0');
  };
}

/** Reads the text of a value that is no array, tuple or map. */
export function scalarParser(type: ScalarType, options: TextOptions): TextParser {
  switch (type.kind) {
    case 'nothing':
      return (text) => {
        throw cannotParse(type, text, 'NULL');
      };
    case 'bool':
      return parseBool;
    case 'int':
    case 'interval':
      return integerParser(type);
    case 'float':
      return floatParser(type);
    case 'decimal':
      return decimalParser(type);
    case 'string':
      return (text) => text;
    case 'fixed_string':
      return fixedStringParser(type);
    case 'date':
    case 'date32':
      return dateParser(type, options);
    case 'datetime':
    case 'datetime64':
      return dateTimeParser(type, options);
    case 'uuid':
      return parseUuid;
    case 'ipv4':
      return parseIpv4;
    case 'ipv6':
      return parseIpv6;
    case 'enum':
      return enumParser(type);
    default:
      return unreachable(type);
  }
}

/** Writes the text of a value that is no array, tuple or map. */
export function scalarFormatter(type: ScalarType, options: TextOptions): TextFormatter {
  switch (type.kind) {
    case 'nothing':
      return () => 'NULL';
    case 'bool':
      return formatBool as TextFormatter;
    case 'int':
    case 'interval':
      return formatInteger;
    case 'float':
      return (type.bits === 32 ? formatFloat32 : formatFloat64) as TextFormatter;
    case 'decimal':
      return decimalFormatter(type.scale) as TextFormatter;
    case 'string':
    case 'fixed_string':
      return (value) => value as string;
    case 'date':
    case 'date32':
      return formatDate as TextFormatter;
    case 'datetime':
    case 'datetime64':
      return dateTimeFormatter(type, options) as TextFormatter;
    case 'uuid':
      return formatUuid as TextFormatter;
    case 'ipv4':
      return formatIpv4 as TextFormatter;
    case 'ipv6':
      return formatIpv6 as TextFormatter;
    case 'enum':
      return enumFormatter(type) as TextFormatter;
    default:
      return unreachable(type);
  }
}
