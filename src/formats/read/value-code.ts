import { type Code, js, type ModuleBuilder } from '../../code/index.ts';
import {
  bareType,
  integerRange,
  isNullable,
  type SqlType,
  serverTimeZone,
  type TextOptions,
  timeZone,
  typeName,
} from '../../types/index.ts';
import { exactPowers } from './number-scan.ts';
import { plainDate, plainTicks } from './plain-time.ts';

/** How the generated code reads the values of a column; `other` values go through the column's reader. */
export type ValuePlan =
  | { readonly kind: 'integer'; readonly least: number; readonly most: number }
  | { readonly kind: 'float'; readonly single: boolean }
  | { readonly kind: 'bool' }
  | { readonly kind: 'date'; readonly most: number; readonly least: number }
  | {
      readonly kind: 'time';
      readonly precision: number;
      readonly zone: string;
      readonly least: number;
      readonly most: number;
    }
  | { readonly kind: 'string' }
  | { readonly kind: 'other' }
  | { readonly kind: 'skip' };

/** The plan for a column, and whether it has a mask of NULL rows to keep. */
export interface ColumnPlan {
  readonly value: ValuePlan;
  readonly nullable: boolean;
  /** Equal keys get equal code. */
  readonly key: string;
}

function valuePlan(type: SqlType, options: TextOptions): ValuePlan {
  switch (type.kind) {
    case 'int': {
      if (type.bits > 64) return { kind: 'other' };
      const [least, most] = integerRange(type)!.map(Number) as [number, number];
      return { kind: 'integer', least, most };
    }
    case 'float':
      return { kind: 'float', single: type.bits === 32 };
    case 'bool':
    case 'string':
      return { kind: type.kind };
    case 'date':
    case 'date32': {
      const [least, most] = integerRange(type)!.map(Number) as [number, number];
      return { kind: 'date', least, most };
    }
    case 'datetime':
    case 'datetime64': {
      const precision = type.kind === 'datetime' ? 0 : type.precision;
      if (precision > 6) return { kind: 'other' };
      const zone = type.timezone ?? (options.timezone || serverTimeZone);
      const [least, most] = integerRange(type)!.map(Number) as [number, number];
      return { kind: 'time', precision, zone, least, most };
    }
    default:
      return { kind: 'other' };
  }
}

export function columnPlan(type: SqlType, options: TextOptions): ColumnPlan {
  const value = valuePlan(bareType(type), options);
  const zone = value.kind === 'time' ? ` ${value.zone}` : '';
  return { value, nullable: isNullable(type), key: typeName(type) + zone };
}

/** The names that the code of one value refers to. */
export interface ValueNames {
  readonly cursor: Code;
  readonly bytes: Code;
  readonly view: Code;
  /** The position, which the code moves behind the value. */
  readonly at: Code;
  readonly row: Code;
  /** The number array of a number column, or the sink of a string column. */
  readonly store: Code;
  /** The mask of NULL rows; used for nullable columns only. */
  readonly nulls: Code;
}

/** Reads digits at `position` into `value` (exact to 2^53) and leaves the position behind them. */
function digits(bytes: Code, position: Code, value: Code): Code {
  return js`for (let digit = (${bytes}[${position}] - 48) >>> 0; digit <= 9; digit = (${bytes}[++${position}] - 48) >>> 0) ${value} = ${value} * 10 + digit;`;
}

function integerCode(names: ValueNames, least: number, most: number): Code {
  const { bytes, at, row, store } = names;
  const sign = least < 0 ? js`if (${bytes}[from] === 45) { negative = true; end = ++from; }` : js``;
  const limits = most < 1e15 ? js`if (value > ${most} || value < ${least}) break fast;` : js``;
  // Nine digits fit 32-bit arithmetic; up to six more are added as a second number.
  return js`
let from = ${at}, end = from, value = 0, negative = false;
${sign}
for (let digit = (${bytes}[end] - 48) >>> 0; digit <= 9 && end - from < 9; digit = (${bytes}[++end] - 48) >>> 0) value = (value * 10 + digit) | 0;
if (end - from === 9) {
let low = 0;
const middle = end;
for (let digit = (${bytes}[end] - 48) >>> 0; digit <= 9 && end - middle < 7; digit = (${bytes}[++end] - 48) >>> 0) low = (low * 10 + digit) | 0;
if (end - middle > 6) break fast;
if (end > middle) value = value * powers[end - middle] + low;
}
if (end === from) break fast;
if (negative) value = 0 - value;
${limits}
${store}[${row}] = value;
${at} = end;`;
}

function floatCode(names: ValueNames, single: boolean): Code {
  const { bytes, at, row, store } = names;
  const end = js`end`;
  const mantissa = js`mantissa`;
  const value = single ? js`Math.fround(value)` : js`value`;
  return js`
let end = ${at}, mantissa = 0, scale = 0;
const negative = ${bytes}[end] === 45;
if (negative) end++;
const from = end;
${digits(bytes, end, mantissa)}
let count = end - from;
if (${bytes}[end] === 46) {
const point = ++end;
${digits(bytes, end, mantissa)}
scale = end - point;
count += scale;
}
if (count === 0 || count > 19 || mantissa >= 9007199254740992) break fast;
let value = scale === 0 ? mantissa : mantissa / powers[scale];
if (negative) value = -value;
${store}[${row}] = ${value};
${at} = end;`;
}

function boolCode(names: ValueNames): Code {
  const { view, bytes, at, row, store } = names;
  const word = (text: string) => Buffer.from(text, 'latin1').readInt32LE();
  return js`
const word = ${view}.getInt32(${at}, true);
if (word === ${word('true')}) { ${store}[${row}] = 1; ${at} += 4; }
else if (word === ${word('fals')} && ${bytes}[${at} + 4] === 101) { ${store}[${row}] = 0; ${at} += 5; }
else break fast;`;
}

/** How the text of a value is delimited: by quotes to check, or by what follows, which the caller checks. */
export type Quoting = 'quoted' | 'bare';

function dateCode(
  module: ModuleBuilder,
  names: ValueNames,
  plan: ValuePlan & { kind: 'date' },
  quoting: Quoting,
): Code {
  const { bytes, at, row, store } = names;
  const read = module.bind(plainDate, 'plainDate');
  const shift = quoting === 'quoted' ? 1 : 0;
  const check =
    quoting === 'quoted' ? js`if (${bytes}[${at}] !== 34 || ${bytes}[${at} + 11] !== 34) break fast;` : js``;
  return js`
${check}
const days = ${read}(${bytes}, ${at} + ${shift});
if (!(days >= ${plan.least} && days <= ${plan.most})) break fast;
${store}[${row}] = days;
${at} += ${10 + 2 * shift};`;
}

function timeCode(
  module: ModuleBuilder,
  names: ValueNames,
  plan: ValuePlan & { kind: 'time' },
  quoting: Quoting,
): Code {
  const { cursor, bytes, at, row, store } = names;
  const read = module.bind(plainTicks, 'plainTicks');
  const zone = module.bind(timeZone(plan.zone), 'zone');
  const quoted = quoting === 'quoted';
  const open = quoted ? js`if (${bytes}[${at}] !== 34) break fast;` : js``;
  const close = quoted ? js`if (${bytes}[${cursor}.at] !== 34) break fast;` : js``;
  const text = js`
${open}
const ticks = ${read}(${cursor}, ${at} + ${quoted ? 1 : 0}, ${plan.precision}, ${zone});
if (!(ticks >= ${plan.least} && ticks <= ${plan.most})) break fast;
${close}
${store}[${row}] = ticks;
${at} = ${cursor}.at + ${quoted ? 1 : 0};`;
  if (!quoted || plan.precision > 0) return text;
  // A bare number is the seconds since 1970.
  return js`
if (${bytes}[${at}] !== 34) {${integerCode(names, plan.least, plan.most)}
} else {${text}
}`;
}

/**
 * Code that reads a value of the plan and moves the position behind it, or leaves the block labelled `fast` with the
 * position where it was. It is meant to stand in a block of its own, and refers to `powers`. Strings are left to the
 * format, which knows how they end.
 */
export function valueCode(
  module: ModuleBuilder,
  plan: ColumnPlan,
  names: ValueNames,
  quoting: Quoting,
): Code {
  const { value } = plan;
  let code: Code;
  switch (value.kind) {
    case 'integer':
      code = integerCode(names, value.least, value.most);
      break;
    case 'float':
      code = floatCode(names, value.single);
      break;
    case 'bool':
      code = boolCode(names);
      break;
    case 'date':
      code = dateCode(module, names, value, quoting);
      break;
    case 'time':
      code = timeCode(module, names, value, quoting);
      break;
    case 'string':
    case 'other':
    case 'skip':
      return js`break fast;`;
  }
  return plan.nullable ? js`${code}\n${names.nulls}[${names.row}] = 0;` : code;
}

/** The binding that the code of values calls `powers`. */
export function declarePowers(module: ModuleBuilder): Code {
  return js`const powers = ${module.bind(exactPowers, 'exactPowers')};`;
}
