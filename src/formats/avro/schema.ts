import { SluiceError } from '../../base/index.ts';
import { nullable, type SqlType, toByteString, types } from '../../types/index.ts';

/** What a value means beside how it is written. */
export type Logical =
  | { readonly kind: 'date' | 'uuid' | 'time-millis' | 'time-micros' | 'duration' }
  | { readonly kind: 'timestamp'; readonly precision: 3 | 6 | 9 }
  | { readonly kind: 'decimal'; readonly precision: number; readonly scale: number };

export interface AvroField {
  readonly name: string;
  readonly type: AvroType;
}

/** A type of an Avro schema with its names looked up; a record may contain itself. */
export type AvroType =
  | {
      readonly kind: 'null' | 'boolean' | 'int' | 'long' | 'float' | 'double' | 'bytes' | 'string';
      readonly logical?: Logical;
    }
  | { readonly kind: 'fixed'; readonly size: number; readonly logical?: Logical }
  | { readonly kind: 'enum'; readonly symbols: readonly string[] }
  | { readonly kind: 'array'; readonly items: AvroType }
  | { readonly kind: 'map'; readonly values: AvroType }
  | { readonly kind: 'record'; readonly name: string; readonly fields: readonly AvroField[] }
  | { readonly kind: 'union'; readonly branches: readonly AvroType[] };

const primitives = new Set(['null', 'boolean', 'int', 'long', 'float', 'double', 'bytes', 'string']);
const depthMax = 200;
const fixedBytesMax = 1_048_576;

type Json = Readonly<Record<string, unknown>>;

function bad(what: string): SluiceError {
  return new SluiceError('INCORRECT_DATA', `The Avro schema is wrong: ${what}`);
}

function textOf(schema: Json, key: string): string {
  const value = schema[key];
  if (typeof value === 'string') return value;
  throw bad(`'${key}' is missing in ${JSON.stringify(schema).slice(0, 100)}`);
}

/** The logical type of a schema; one that does not fit what it stands on is no logical type, says the specification. */
function logicalOf(schema: Json, kind: string, size: number): Logical | undefined {
  const name = schema['logicalType'];
  switch (name) {
    case 'date':
      return kind === 'int' ? { kind: name } : undefined;
    case 'time-millis':
      return kind === 'int' ? { kind: name } : undefined;
    case 'time-micros':
      return kind === 'long' ? { kind: name } : undefined;
    case 'uuid':
      return kind === 'string' || (kind === 'fixed' && size === 16) ? { kind: name } : undefined;
    case 'duration':
      return kind === 'fixed' && size === 12 ? { kind: name } : undefined;
    case 'decimal': {
      const precision = Number(schema['precision']);
      const scale = Number(schema['scale'] ?? 0);
      const fits = precision >= 1 && precision <= 76 && scale >= 0 && scale <= precision;
      const isBytes = kind === 'bytes' || kind === 'fixed';
      return isBytes && fits ? { kind: name, precision, scale } : undefined;
    }
    default: {
      const match = /^(?:local-)?timestamp-(millis|micros|nanos)$/.exec(String(name));
      if (match === null || kind !== 'long') return undefined;
      return { kind: 'timestamp', precision: match[1] === 'millis' ? 3 : match[1] === 'micros' ? 6 : 9 };
    }
  }
}

/** Looks names up while it goes through a schema. */
class SchemaReader {
  readonly #named = new Map<string, AvroType>();

  read(schema: unknown, namespace: string, depth: number): AvroType {
    if (depth > depthMax) throw bad(`it is nested more than ${depthMax} deep`);
    if (typeof schema === 'string') return this.#byName(schema, namespace);
    if (Array.isArray(schema)) {
      return { kind: 'union', branches: schema.map((branch) => this.read(branch, namespace, depth + 1)) };
    }
    if (typeof schema !== 'object' || schema === null) throw bad(`${JSON.stringify(schema)} is no type`);
    return this.#complex(schema as Json, namespace, depth);
  }

  #byName(name: string, namespace: string): AvroType {
    if (primitives.has(name)) return { kind: name as 'null' };
    const found = this.#named.get(name) ?? this.#named.get(`${namespace}.${name}`);
    if (found === undefined) throw bad(`there is no type '${name}'`);
    return found;
  }

  #complex(schema: Json, namespace: string, depth: number): AvroType {
    const { type } = schema;
    switch (type) {
      case 'array':
        return { kind: 'array', items: this.read(schema['items'], namespace, depth + 1) };
      case 'map':
        return { kind: 'map', values: this.read(schema['values'], namespace, depth + 1) };
      case 'record':
      case 'error':
        return this.#record(schema, namespace, depth);
      case 'enum': {
        const symbols = schema['symbols'];
        if (!Array.isArray(symbols) || symbols.length === 0) throw bad('an enum has no symbols');
        return this.#define(schema, namespace, {
          kind: 'enum',
          symbols: symbols.map((symbol) => toByteString(String(symbol))),
        });
      }
      case 'fixed': {
        const size = Number(schema['size']);
        if (!Number.isInteger(size) || size < 0 || size > fixedBytesMax)
          throw bad(`a fixed has the size ${String(schema['size'])}`);
        const logical = logicalOf(schema, 'fixed', size);
        return this.#define(schema, namespace, { kind: 'fixed', size, logical });
      }
      default: {
        const inner = this.read(type, namespace, depth + 1);
        if (typeof type !== 'string' || !primitives.has(type)) return inner;
        return { kind: type as 'int', logical: logicalOf(schema, type, 0) };
      }
    }
  }

  #define<Type extends AvroType>(schema: Json, outer: string, type: Type): Type {
    this.#named.set(fullName(schema, outer), type);
    return type;
  }

  #record(schema: Json, outer: string, depth: number): AvroType {
    const fields: AvroField[] = [];
    const name = fullName(schema, outer);
    const type = this.#define(schema, outer, { kind: 'record', name, fields });
    const given = schema['fields'];
    if (!Array.isArray(given)) throw bad(`the record ${name} has no fields`);
    const namespace = name.includes('.') ? name.slice(0, name.lastIndexOf('.')) : '';
    for (const field of given as Json[]) {
      if (typeof field !== 'object' || field === null) throw bad(`a field of ${name} is no object`);
      fields.push({ name: textOf(field, 'name'), type: this.read(field['type'], namespace, depth + 1) });
    }
    return type;
  }
}

function fullName(schema: Json, outer: string): string {
  const name = textOf(schema, 'name');
  if (name.includes('.')) return name;
  const namespace = typeof schema['namespace'] === 'string' ? schema['namespace'] : outer;
  return namespace === '' ? name : `${namespace}.${name}`;
}

/** Reads the JSON text of a schema; throws INCORRECT_DATA. */
export function parseAvroSchema(text: string): AvroType {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (thrown) {
    throw bad((thrown as Error).message);
  }
  return new SchemaReader().read(json, '', 0);
}

function logicalType(logical: Logical): SqlType | undefined {
  switch (logical.kind) {
    case 'date':
      return types.date32;
    case 'uuid':
      return types.uuid;
    case 'timestamp':
      return { kind: 'datetime64', precision: logical.precision, timezone: 'UTC' };
    case 'decimal':
      return { kind: 'decimal', precision: logical.precision, scale: logical.scale };
    default:
      return undefined;
  }
}

/** The type and the number of the branch of a union with null, or the type itself. */
export function withoutNull(type: AvroType): { readonly type: AvroType; readonly nullBranch: number } {
  if (type.kind !== 'union' || type.branches.length !== 2) return { type, nullBranch: -1 };
  const nullBranch = type.branches.findIndex((branch) => branch.kind === 'null');
  return nullBranch < 0 ? { type, nullBranch } : { type: type.branches[1 - nullBranch]!, nullBranch };
}

/**
 * The SQL type that holds every value of an Avro type. Unions of several types, and records inside themselves, are text, which
 * for compound values is JSON.
 */
export function naturalType(type: AvroType, outer: readonly AvroType[] = []): SqlType {
  const inside = [...outer, type];
  switch (type.kind) {
    case 'null':
      return types.nothing;
    case 'boolean':
      return types.bool;
    case 'int':
      return (type.logical && logicalType(type.logical)) ?? types.int32;
    case 'long':
      return (type.logical && logicalType(type.logical)) ?? types.int64;
    case 'float':
      return types.float32;
    case 'double':
      return types.float64;
    case 'bytes':
    case 'string':
      return (type.logical && logicalType(type.logical)) ?? types.string;
    case 'fixed':
      return (
        (type.logical && logicalType(type.logical)) ??
        (type.size === 0 ? types.string : { kind: 'fixed_string', length: type.size })
      );
    case 'enum':
      return types.string;
    case 'array':
      return { kind: 'array', element: naturalType(type.items, inside) };
    case 'map':
      return { kind: 'map', key: types.string, value: naturalType(type.values, inside) };
    case 'record':
      if (outer.includes(type) || type.fields.length === 0) return types.string;
      return {
        kind: 'tuple',
        elements: type.fields.map((field) => ({ name: field.name, type: naturalType(field.type, inside) })),
      };
    case 'union': {
      const single = withoutNull(type);
      if (single.nullBranch < 0) {
        const holdsNull = type.branches.some((branch) => branch.kind === 'null');
        return holdsNull ? nullable(types.string) : types.string;
      }
      const inner = naturalType(single.type, inside);
      const isCompound = inner.kind === 'array' || inner.kind === 'map' || inner.kind === 'tuple';
      // There is no nullable array: where NULL is met it counts as an empty one.
      return isCompound || inner.kind === 'nothing' ? inner : nullable(inner);
    }
  }
}
