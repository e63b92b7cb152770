import { type ErrorName, SluiceError } from '../base/index.ts';
import { fromByteString } from './byte-string.ts';
import type { SqlType } from './type.ts';
import { typeName } from './type-name.ts';

/** A value as messages quote it: cut to a bearable length. */
export function excerpt(text: string): string {
  return fromByteString(text.length > 80 ? `${text.slice(0, 80)}...` : text);
}

/** The failure of a text that is no value of the type. */
export function cannotParse(
  type: SqlType,
  text: string,
  expected: string,
  errorName: ErrorName = 'CANNOT_PARSE_TEXT',
): SluiceError {
  return new SluiceError(
    errorName,
    `Cannot parse '${excerpt(text)}' as ${typeName(type)}: expected ${expected}`,
  );
}

/** The failure of a text that is a value, but none that the type can hold. */
export function outOfRange(type: SqlType, text: string, range: string): SluiceError {
  return new SluiceError(
    'VALUE_IS_OUT_OF_RANGE_OF_DATA_TYPE',
    `The value ${excerpt(text)} does not fit ${typeName(type)}: it holds ${range}`,
  );
}
