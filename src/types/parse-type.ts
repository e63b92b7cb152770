import { limits, maybeYouMeant, SluiceError } from '../base/index.ts';
import { assertTimeZone } from './time-zone.ts';
import {
  arrayOf,
  datetime64,
  decimal,
  fixedString,
  interval,
  intervalUnits,
  nullable,
  type SqlType,
  types,
} from './type.ts';

/** The spellings of the types without parameters, folded to lower case without underscores. */
const simpleTypes: Record<string, SqlType> = {
  ...Object.fromEntries(Object.entries(types)),
  boolean: types.bool,
  byte: types.int8,
  tinyint: types.int8,
  smallint: types.int16,
  int: types.int32,
  integer: types.int32,
  mediumint: types.int32,
  bigint: types.int64,
  uint: types.uint32,
  float: types.float32,
  real: types.float32,
  single: types.float32,
  double: types.float64,
  doubleprecision: types.float64,
  varchar: types.string,
  char: types.string,
  text: types.string,
  clob: types.string,
  blob: types.string,
  binary: types.string,
  bytea: types.string,
  timestamp: types.datetime,
  inet4: types.ipv4,
  inet6: types.ipv6,
  year: types.uint16,
};

/** The digits of the decimal types named by their bits. */
const decimalDigits: Record<string, number> = { decimal32: 9, decimal64: 18, decimal128: 38, decimal256: 76 };

const parametricTypes = [
  'nullable',
  'low_cardinality',
  'array',
  'tuple',
  'map',
  'nested',
  'decimal',
  'decimal32',
  'decimal64',
  'decimal128',
  'decimal256',
  'fixed_string',
  'datetime',
  'datetime64',
  'enum',
  'enum8',
  'enum16',
];

type Token = {
  readonly kind: 'word' | 'number' | 'string' | 'mark' | 'end';
  readonly text: string;
  readonly at: number;
};

function tokenize(text: string): Token[] {
  const tokens: Token[] = [];
  const pattern =
    /\s*(?:([A-Za-z_][A-Za-z0-9_]*)|(-?\d+)|'((?:[^'\\]|\\.|'')*)'|`((?:[^`\\]|\\.)*)`|([(),=]))/y;
  let at = 0;
  while (at < text.length && text.slice(at).trim() !== '') {
    pattern.lastIndex = at;
    const match = pattern.exec(text);
    if (match === null) throw unknownType(text, `cannot read it from position ${at + 1}`);
    if (match[1] !== undefined) tokens.push({ kind: 'word', text: match[1], at });
    else if (match[2] !== undefined) tokens.push({ kind: 'number', text: match[2], at });
    else if (match[3] !== undefined) tokens.push({ kind: 'string', text: unescaped(match[3]), at });
    else if (match[4] !== undefined) tokens.push({ kind: 'word', text: unescaped(match[4]), at });
    else tokens.push({ kind: 'mark', text: match[5]!, at });
    at = pattern.lastIndex;
  }
  tokens.push({ kind: 'end', text: 'the end', at });
  return tokens;
}

function unescaped(text: string): string {
  return text.replace(/\\(.)|''/g, (whole, escaped) => escaped ?? (whole === "''" ? "'" : whole));
}

function unknownType(text: string, why: string): SluiceError {
  return new SluiceError(
    'UNKNOWN_TYPE',
    `Unknown type '${text.length > 200 ? `${text.slice(0, 200)}...` : text}': ${why}`,
  );
}

class TypeParser {
  readonly #text: string;
  readonly #tokens: Token[];
  #next = 0;
  #depth = 0;

  constructor(text: string) {
    this.#text = text;
    this.#tokens = tokenize(text);
  }

  parseWhole(): SqlType {
    const type = this.#type();
    if (this.#peek().kind !== 'end') throw this.#error(`unexpected '${this.#peek().text}'`);
    return type;
  }

  #peek(): Token {
    return this.#tokens[this.#next]!;
  }

  #take(): Token {
    return this.#tokens[this.#next++]!;
  }

  #error(why: string): SluiceError {
    return unknownType(this.#text, why);
  }

  #accept(mark: string): boolean {
    if (this.#peek().kind === 'mark' && this.#peek().text === mark) {
      this.#next++;
      return true;
    }
    return false;
  }

  #expect(mark: string): void {
    if (!this.#accept(mark)) throw this.#error(`expected '${mark}', found '${this.#peek().text}'`);
  }

  #type(): SqlType {
    if (++this.#depth > limits.type_nesting_depth_max) {
      throw this.#error(`nested deeper than ${limits.type_nesting_depth_max} levels`);
    }
    const word = this.#take();
    if (word.kind !== 'word') throw this.#error(`expected a type name, found '${word.text}'`);
    let name = word.text.toLowerCase().replaceAll('_', '');
    if (name === 'double' && this.#peek().text.toLowerCase() === 'precision') {
      this.#next++;
      name = 'doubleprecision';
    }
    const type =
      this.#peek().text === '(' && this.#peek().kind === 'mark'
        ? this.#parametric(name, word.text)
        : this.#plain(name, word.text);
    this.#depth--;
    return type;
  }

  #plain(name: string, written: string): SqlType {
    const simple = simpleTypes[name];
    if (simple !== undefined && Object.hasOwn(simpleTypes, name)) return simple;
    if (name === 'datetime64') return datetime64(3);
    if (name === 'decimal' || name === 'dec' || name === 'numeric') return decimal(10, 0);
    const unit = intervalUnits.find((candidate) => name === `interval${candidate}`);
    if (unit !== undefined) return interval(unit);
    throw this.#unknown(written);
  }

  #unknown(written: string): SluiceError {
    const known = [...Object.keys(types), ...parametricTypes, 'boolean', 'integer', 'varchar', 'double'];
    return new SluiceError('UNKNOWN_TYPE', `Unknown type '${written}'${maybeYouMeant(written, known)}`);
  }

  #parametric(name: string, written: string): SqlType {
    this.#expect('(');
    const type = this.#arguments(name, written);
    this.#expect(')');
    return type;
  }

  #arguments(name: string, written: string): SqlType {
    switch (name) {
      case 'nullable':
        return this.#nullable();
      case 'lowcardinality':
        return { kind: 'low_cardinality', inner: this.#type() };
      case 'array':
        return arrayOf(this.#type());
      case 'tuple':
        return this.#tuple();
      case 'nested':
        return arrayOf(this.#tuple());
      case 'map': {
        const key = this.#type();
        this.#expect(',');
        return { kind: 'map', key, value: this.#type() };
      }
      case 'fixedstring':
        return fixedString(this.#integer(1, 16_777_216));
      case 'datetime':
      case 'timestamp':
        return { kind: 'datetime', timezone: this.#timeZone() };
      case 'datetime64': {
        const precision = this.#integer(0, 9);
        return this.#accept(',') ? datetime64(precision, this.#timeZone()) : datetime64(precision);
      }
      case 'decimal':
      case 'dec':
      case 'numeric': {
        const precision = this.#integer(1, 76);
        return decimal(precision, this.#accept(',') ? this.#integer(0, precision) : 0);
      }
      case 'decimal32':
      case 'decimal64':
      case 'decimal128':
      case 'decimal256': {
        const precision = decimalDigits[name]!;
        return decimal(precision, this.#integer(0, precision));
      }
      case 'enum':
      case 'enum8':
      case 'enum16':
        return this.#enum(name);
      case 'varchar':
      case 'char':
        this.#integer(1, 1_000_000_000);
        return types.string;
      default:
        if (Object.hasOwn(simpleTypes, name)) throw this.#error(`${written} takes no parameters`);
        throw this.#unknown(written);
    }
  }

  #nullable(): SqlType {
    const inner = this.#type();
    if (
      inner.kind === 'array' ||
      inner.kind === 'map' ||
      inner.kind === 'tuple' ||
      inner.kind === 'low_cardinality'
    ) {
      throw new SluiceError(
        'ILLEGAL_TYPE_OF_ARGUMENT',
        `nullable cannot hold ${inner.kind} in '${this.#text}'`,
      );
    }
    return nullable(inner);
  }

  #tuple(): SqlType {
    const elements: { name: string; type: SqlType }[] = [];
    if (this.#peek().text === ')') return { kind: 'tuple', elements };
    do {
      const following = this.#tokens[this.#next + 1]!;
      const named =
        this.#peek().kind === 'word' &&
        following.kind === 'word' &&
        following.text.toLowerCase() !== 'precision';
      const name = named ? this.#take().text : '';
      elements.push({ name, type: this.#type() });
    } while (this.#accept(','));
    return { kind: 'tuple', elements };
  }

  #integer(least: number, most: number): number {
    const token = this.#take();
    const value = Number(token.text);
    if (token.kind !== 'number' || value < least || value > most) {
      throw this.#error(`expected a whole number from ${least} to ${most}, found '${token.text}'`);
    }
    return value;
  }

  #timeZone(): string {
    const token = this.#take();
    if (token.kind !== 'string') throw this.#error(`expected a time zone in quotes, found '${token.text}'`);
    assertTimeZone(token.text);
    return token.text;
  }

  #enum(name: string): SqlType {
    const entries: [string, number][] = [];
    let next = 1;
    do {
      const token = this.#take();
      if (token.kind !== 'string') throw this.#error(`expected a name in quotes, found '${token.text}'`);
      const value: number = this.#accept('=') ? this.#integer(-32_768, 32_767) : next;
      if (entries.some(([known, number]) => known === token.text || number === value)) {
        throw this.#error(`'${token.text}' = ${value} is there twice`);
      }
      entries.push([token.text, value]);
      next = value + 1;
    } while (this.#accept(','));
    const fits = entries.every(([, value]) => value >= -128 && value <= 127);
    if (name === 'enum8' && !fits) throw this.#error('the values of an enum8 go from -128 to 127');
    entries.sort((left, right) => left[1] - right[1]);
    return { kind: 'enum', bits: name === 'enum16' || !fits ? 16 : 8, entries };
  }
}

const parsed = new Map<string, SqlType>();

/** Reads a type's name in any accepted spelling; throws UNKNOWN_TYPE with the nearest known name. */
export function parseType(text: string): SqlType {
  const known = parsed.get(text);
  if (known !== undefined) return known;
  const type = new TypeParser(text).parseWhole();
  if (parsed.size >= 1_000) parsed.clear();
  parsed.set(text, type);
  return type;
}
