import { SluiceError } from '../../base/index.ts';
import {
  canonicalInteger,
  defaultValue,
  integerRange,
  isNullable,
  type SqlType,
  textParser,
  typeName,
} from '../../types/index.ts';
import { compactAt, entriesAt, entryAtStep, kindAt, numberText, stringAt, valueEnd } from './json-text.ts';

/** Reads the value at a place of a document; undefined where it does not fit the type or there is none. */
export type JsonReader = (text: string, at: number) => unknown;

function tokenAt(text: string, at: number): string {
  return text.slice(at, valueEnd(text, at));
}

/** Anything as text: strings without quotes, compound values as JSON; undefined for null and for nothing. */
function readText(text: string, at: number): string | undefined {
  switch (kindAt(text, at)) {
    case 'string':
      return stringAt(text, at);
    case 'number':
      return numberText(tokenAt(text, at));
    case 'bool':
      return text[at] === 't' ? 'true' : 'false';
    case 'object':
    case 'array':
      return compactAt(text, at) || undefined;
    default:
      return undefined;
  }
}

function integerReader(type: SqlType): JsonReader {
  const [least, most] = integerRange(type)!;
  const [leastNumber, mostNumber] = [Number(least), Number(most)];
  const isBig = type.kind === 'int' && type.bits > 64;
  return (text, at) => {
    const kind = kindAt(text, at);
    const token = kind === 'number' ? tokenAt(text, at) : kind === 'string' ? stringAt(text, at) : '';
    if (!isBig && token.length <= 15 && /^-?\d+$/.test(token)) {
      // Adding 0 turns the minus zero of `-0` into the integer.
      const short = Number(token) + 0;
      return short < leastNumber || short > mostNumber ? undefined : short;
    }
    let value: bigint;
    if (/^-?\d{1,100}$/.test(token)) value = BigInt(token);
    else {
      const float = kind === 'number' ? Number(token) : Number.NaN;
      if (!Number.isFinite(float)) return undefined;
      value = BigInt(Math.trunc(float));
    }
    if (value < least || value > most) return undefined;
    return isBig ? value : canonicalInteger(value);
  };
}

function floatReader(bits: 32 | 64): JsonReader {
  return (text, at) => {
    const kind = kindAt(text, at);
    const token = kind === 'number' ? tokenAt(text, at) : kind === 'string' ? stringAt(text, at) : '';
    const value = token.trim() === '' ? Number.NaN : Number(token);
    if (!Number.isFinite(value)) return undefined;
    return bits === 32 ? Math.fround(value) : value;
  };
}

function readBool(text: string, at: number): unknown {
  const kind = kindAt(text, at);
  if (kind === 'bool') return text[at] === 't' ? 1 : 0;
  const token = kind === 'number' ? tokenAt(text, at) : '';
  return /^-?\d+$/.test(token) ? (Number(token) === 0 ? 0 : 1) : undefined;
}

/** Types whose values are written as strings, or as numbers, and read by their text parser. */
function parsedReader(type: SqlType): JsonReader {
  const parse = textParser(type);
  return (text, at) => {
    const kind = kindAt(text, at);
    if (kind !== 'string' && kind !== 'number') return undefined;
    try {
      return parse(kind === 'string' ? stringAt(text, at) : tokenAt(text, at));
    } catch (thrown) {
      if (thrown instanceof SluiceError) return undefined;
      throw thrown;
    }
  };
}

function orDefault(type: SqlType): JsonReader {
  const read = jsonReader(type);
  const otherwise = defaultValue(type);
  return (text, at) => read(text, at) ?? otherwise;
}

function tupleReader(type: SqlType & { kind: 'tuple' }): JsonReader {
  const readers = type.elements.map((element) => orDefault(element.type));
  const isNamed = type.elements.every((element) => element.name !== '');
  return (text, at) => {
    const kind = kindAt(text, at);
    if (kind === 'object' && isNamed) {
      return type.elements.map((element, index) =>
        readers[index]!(text, entryAtStep(text, at, element.name)?.value ?? -1),
      );
    }
    if (kind !== 'array' && kind !== 'object') return undefined;
    const places = Array.from(entriesAt(text, at), (entry) => entry.value);
    return readers.map((read, index) => read(text, places[index] ?? -1));
  };
}

function mapReader(type: SqlType & { kind: 'map' }): JsonReader {
  const key = jsonReader(type.key);
  const value = orDefault(type.value);
  return (text, at) =>
    kindAt(text, at) === 'object'
      ? Array.from(entriesAt(text, at), (entry) => [key(text, entry.key), value(text, entry.value)]).filter(
          (pair) => pair[0] !== undefined,
        )
      : undefined;
}

/** The reader of values of a type. */
export function jsonReader(type: SqlType): JsonReader {
  switch (type.kind) {
    case 'low_cardinality':
      return jsonReader(type.inner);
    case 'nullable': {
      const inner = jsonReader(type.inner);
      return (text, at) => inner(text, at) ?? null;
    }
    case 'string':
      return readText;
    case 'fixed_string':
      return (text, at) => {
        const content = readText(text, at);
        return content === undefined || content.length > type.length
          ? undefined
          : content.padEnd(type.length, '\0');
      };
    case 'int':
      return integerReader(type);
    case 'float':
      return floatReader(type.bits);
    case 'bool':
      return readBool;
    case 'array': {
      const element = orDefault(type.element);
      return (text, at) =>
        kindAt(text, at) === 'array'
          ? Array.from(entriesAt(text, at), (entry) => element(text, entry.value))
          : undefined;
    }
    case 'tuple':
      return tupleReader(type);
    case 'map':
      return mapReader(type);
    case 'nothing':
    case 'interval':
      throw new SluiceError('ILLEGAL_TYPE_OF_ARGUMENT', `${typeName(type)} cannot be read from JSON`);
    case 'decimal':
    case 'date':
    case 'date32':
    case 'datetime':
    case 'datetime64':
    case 'uuid':
    case 'ipv4':
    case 'ipv6':
    case 'enum':
      return parsedReader(type);
  }
}

/** The reader of values of a type that gives the type's default, or NULL, where there is no such value. */
export function jsonReaderOrDefault(type: SqlType): JsonReader {
  return isNullable(type) ? jsonReader(type) : orDefault(type);
}
