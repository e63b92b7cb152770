import { SluiceError } from '../../base/index.ts';
import {
  bareType,
  canonicalInteger,
  defaultValue,
  integerRange,
  isNullable,
  type SqlType,
  sameType,
  textFormatter,
  textParser,
  typeName,
  withoutLowCardinality,
} from '../../types/index.ts';
import { jsonFormatter, jsonOptions } from '../write/json-text.ts';
import { nullRefused, type ReadOptions } from './read-options.ts';

/** Turns a canonical value of one type into the canonical value of another; throws SluiceError where that cannot be. */
export type Converter = (value: unknown) => unknown;

const identity: Converter = (value) => value;

function outOfRange(value: unknown, type: SqlType): SluiceError {
  return new SluiceError(
    'VALUE_IS_OUT_OF_RANGE_OF_DATA_TYPE',
    `The value ${String(value)} is out of range of ${typeName(type)}`,
  );
}

/** Decimal digits behind the point that a number of ticks or a scaled integer has; undefined for other types. */
function scaleOf(type: SqlType): number | undefined {
  switch (type.kind) {
    case 'datetime':
      return 0;
    case 'datetime64':
      return type.precision;
    case 'decimal':
      return type.scale;
    case 'int':
    case 'bool':
      return 0;
    default:
      return undefined;
  }
}

/** Whole numbers to whole numbers, checked against the range of the target. */
function integerConverter(target: SqlType): Converter {
  const [least, most] = integerRange(target)!;
  const wide =
    (target.kind === 'int' && target.bits > 64) || (target.kind === 'decimal' && target.precision > 18);
  return (value) => {
    const exact = value as number | bigint;
    if (exact < least || exact > most) throw outOfRange(exact, target);
    return wide ? BigInt(exact) : typeof exact === 'bigint' ? canonicalInteger(exact) : exact;
  };
}

/** Ticks or scaled integers of one scale to those of another; digits that the target has no place for are cut off downwards. */
function scaleConverter(from: number, to: number, target: SqlType): Converter {
  const ranged = integerConverter(target);
  if (from === to) return ranged;
  const factor = 10n ** BigInt(Math.abs(to - from));
  if (to > from) return (value) => ranged(BigInt(value as number | bigint) * factor);
  return (value) => {
    const exact = BigInt(value as number | bigint);
    const quotient = exact / factor;
    return ranged(exact % factor < 0n ? quotient - 1n : quotient);
  };
}

function dateConverter(source: SqlType, target: SqlType): Converter | undefined {
  const ranged = integerConverter(target);
  if (source.kind === 'date' || source.kind === 'date32' || source.kind === 'int') return ranged;
  if (source.kind !== 'datetime' && source.kind !== 'datetime64') return undefined;
  const ticks = 86_400n * 10n ** BigInt(scaleOf(source)!);
  return (value) => {
    const exact = BigInt(value as number | bigint);
    return ranged(exact % ticks < 0n ? exact / ticks - 1n : exact / ticks);
  };
}

function textConverter(source: SqlType, target: SqlType, options: ReadOptions): Converter {
  const format = source.kind === 'string' ? undefined : textFormatter(source, options.text);
  const parse = textParser(target, options.text);
  return format === undefined ? (value) => parse(value as string) : (value) => parse(format(value));
}

function scalarConverter(source: SqlType, target: SqlType, options: ReadOptions): Converter {
  const isTime = (type: SqlType) => type.kind === 'datetime' || type.kind === 'datetime64';
  const isWhole = source.kind === 'int' || source.kind === 'bool' || source.kind === 'enum';
  switch (target.kind) {
    case 'int':
    case 'bool':
    case 'ipv4':
    case 'interval':
      if (isWhole || source.kind === 'ipv4') return integerConverter(target);
      if (source.kind === 'date' || source.kind === 'date32' || isTime(source))
        return integerConverter(target);
      break;
    case 'float':
      if (isWhole || source.kind === 'float') {
        return target.bits === 32 ? (value) => Math.fround(Number(value)) : (value) => Number(value);
      }
      break;
    case 'date':
    case 'date32': {
      const convert = dateConverter(source, target);
      if (convert !== undefined) return convert;
      break;
    }
    case 'datetime':
    case 'datetime64':
      // A bare integer is taken for what the column holds: seconds or ticks.
      if (source.kind === 'int') return integerConverter(target);
      if (isTime(source)) return scaleConverter(scaleOf(source)!, scaleOf(target)!, target);
      break;
    case 'decimal':
      if (source.kind === 'decimal' || source.kind === 'int')
        return scaleConverter(scaleOf(source)!, target.scale, target);
      break;
    case 'ipv6':
      // An address as it goes over the wire, the highest byte first.
      if (source.kind === 'fixed_string' && source.length === 16)
        return (value) => BigInt(`0x${Buffer.from(value as string, 'latin1').toString('hex')}`);
      break;
    case 'enum':
      if (source.kind === 'int') {
        const known = new Set(target.entries.map(([, number]) => number));
        return (value) => {
          if (known.has(value as number)) return value;
          throw new SluiceError(
            'UNKNOWN_ELEMENT_OF_ENUM',
            `${typeName(target)} has no element ${String(value)}`,
          );
        };
      }
      break;
    default:
  }
  return textConverter(source, target, options);
}

function cannotConvert(source: SqlType, target: SqlType): SluiceError {
  return new SluiceError(
    'TYPE_MISMATCH',
    `A value of ${typeName(source)} does not become ${typeName(target)}`,
  );
}

function tupleConverter(
  source: SqlType & { kind: 'tuple' },
  target: SqlType & { kind: 'tuple' },
  options: ReadOptions,
): Converter {
  const byName = target.elements.every((element) => element.name !== '');
  if (!byName && source.elements.length !== target.elements.length) throw cannotConvert(source, target);
  const parts = target.elements.map((element, index) => {
    const place = byName ? source.elements.findIndex((known) => known.name === element.name) : index;
    if (place < 0) return () => defaultValue(element.type);
    const convert = valueConverter(source.elements[place]!.type, element.type, options);
    return (values: readonly unknown[]) => convert(values[place]);
  });
  return (value) => parts.map((part) => part(value as readonly unknown[]));
}

function compoundConverter(source: SqlType, target: SqlType, options: ReadOptions): Converter {
  if (target.kind === 'string') {
    const format = jsonFormatter(source, jsonOptions(options.settings));
    return (value) => format(value);
  }
  if (source.kind === 'array' && target.kind === 'array') {
    const element = valueConverter(source.element, target.element, options);
    return (value) => (value as unknown[]).map(element);
  }
  if (source.kind === 'map' && target.kind === 'map') {
    const key = valueConverter(source.key, target.key, options);
    const item = valueConverter(source.value, target.value, options);
    return (value) => (value as [unknown, unknown][]).map((pair) => [key(pair[0]), item(pair[1])]);
  }
  if (source.kind === 'tuple' && target.kind === 'tuple') return tupleConverter(source, target, options);
  throw cannotConvert(source, target);
}

const isCompound = ({ kind }: SqlType) => kind === 'array' || kind === 'map' || kind === 'tuple';

/**
 * A converter between two types: numbers by value, moments by time, everything else by its text; arrays, maps and tuples part
 * by part, or as JSON into strings. NULL goes into nullable types, and counts as the default where the settings say so.
 * Throws TYPE_MISMATCH when no value of the one can become one of the other.
 */
export function valueConverter(source: SqlType, target: SqlType, options: ReadOptions): Converter {
  const from = bareType(source);
  const to = bareType(target);
  let inner: Converter;
  if (from.kind === 'nothing') inner = identity;
  else if (sameType(from, to) || (from.kind === 'fixed_string' && to.kind === 'string')) inner = identity;
  else if (isCompound(from)) inner = compoundConverter(from, to, options);
  // The text of a compound value, as a literal.
  else inner = isCompound(to) ? textConverter(from, to, options) : scalarConverter(from, to, options);
  if (!isNullable(source)) return inner;
  if (isNullable(target)) return (value) => (value === null ? null : inner(value));
  return (value) => {
    if (value !== null) return inner(value);
    if (options.nullAsDefault) return defaultValue(withoutLowCardinality(target));
    throw nullRefused(target);
  };
}
