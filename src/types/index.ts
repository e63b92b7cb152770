export { fromByteString, isAscii, toByteString } from './byte-string.ts';
export {
  type CivilDate,
  civilFromDays,
  dayOfWeek,
  dayOfYear,
  daysFromCivil,
  daysInMonth,
  isCivilDate,
  isLeapYear,
  yearMonthDay,
} from './civil-date.ts';
export {
  canonicalInteger,
  defaultValue,
  integerRange,
  isDateOrTime,
  isFloat,
  isInteger,
  isNumber,
  isString,
  type Representation,
  representation,
} from './classify.ts';
export { clickHouseTypeName } from './click-house-name.ts';
export { type LiteralReader, literalFormatter, literalReader } from './compound-text.ts';
export { formatDate, formatWallSeconds, splitTicks } from './date-time-text.ts';
export { formatFloat32, formatFloat64 } from './number-text.ts';
export { parseStructure } from './parse-structure.ts';
export { parseType } from './parse-type.ts';
export {
  acceptMark,
  expectMark,
  failAt,
  quoteText,
  readBare,
  readQuoted,
  skipSpace,
  type TextCursor,
  unescapeText,
} from './quoted-text.ts';
export type { TextFormatter, TextParser } from './scalar-text.ts';
export { supertype, trySupertype } from './supertype.ts';
export { formatText, parseText, textFormatter, textParser } from './text.ts';
export { excerpt } from './text-errors.ts';
export type { TextOptions } from './text-options.ts';
export { assertTimeZone, serverTimeZone, TimeZone, timeZone } from './time-zone.ts';
export {
  arrayOf,
  bareType,
  datetime64,
  decimal,
  fixedString,
  type IntegerBits,
  type IntervalUnit,
  interval,
  intervalUnits,
  isNullable,
  mapOf,
  nullable,
  type SqlType,
  sameType,
  type TupleElement,
  type TypeKind,
  tupleOf,
  types,
  withoutLowCardinality,
} from './type.ts';
export { typeName } from './type-name.ts';
