import { randomBytes } from 'node:crypto';
import { type Settings, SluiceError } from '../../base/index.ts';
import { type ColumnSchema, vectorReader } from '../../column/index.ts';
import { type SqlType, textFormatter, toByteString } from '../../types/index.ts';
import type { BlockWriter } from '../block-writer.ts';
import { textOptions } from '../text-settings.ts';
import { noBytes, Output } from '../write/output.ts';
import { type BlockCodec, settingsCodec } from './block-codec.ts';
import { magic, syncBytes } from './container.ts';

type ValueWriter = (out: Output, value: unknown) => void;

/** How a column looks in the schema, and how its values are written. */
interface Encoding {
  readonly schema: unknown;
  readonly write: ValueWriter;
}

function writeLong(out: Output, value: number | bigint): void {
  out.reserve(10);
  const zigzag =
    typeof value === 'number' ? (value >= 0 ? value * 2 : -value * 2 - 1) : Number.POSITIVE_INFINITY;
  if (zigzag <= Number.MAX_SAFE_INTEGER) {
    let rest = zigzag;
    for (; rest >= 128; rest = Math.floor(rest / 128)) out.bytes[out.at++] = (rest % 128) | 128;
    out.bytes[out.at++] = rest;
    return;
  }
  const exact = BigInt(value);
  let rest = BigInt.asUintN(64, (exact << 1n) ^ (exact >> 63n));
  for (; rest >= 128n; rest >>= 7n) out.bytes[out.at++] = Number(rest & 127n) | 128;
  out.bytes[out.at++] = Number(rest);
}

const writeInteger: ValueWriter = (out, value) => writeLong(out, value as number | bigint);

/** A long has a sign: what it cannot hold is refused, not changed. */
const writeUnsigned: ValueWriter = (out, value) => {
  if ((value as number | bigint) > 9_223_372_036_854_775_807n) {
    throw new SluiceError(
      'VALUE_IS_OUT_OF_RANGE_OF_DATA_TYPE',
      `${String(value)} is larger than an Avro long can be: cast the column to string or decimal`,
    );
  }
  writeLong(out, value as number | bigint);
};

const writeText: ValueWriter = (out, value) => {
  writeLong(out, (value as string).length);
  out.write(value as string);
};

function scaledWriter(from: number, to: number): ValueWriter {
  if (from === to) return writeInteger;
  const factor = 10n ** BigInt(to - from);
  return (out, value) => writeLong(out, BigInt(value as number | bigint) * factor);
}

const nameOf = /^[A-Za-z_][A-Za-z0-9_]*$/;

function fieldName(name: string): string {
  if (nameOf.test(name)) return name;
  throw new SluiceError(
    'BAD_ARGUMENTS',
    `'${name}' is no name in Avro, which has letters, digits and '_' only: give the column another one with AS`,
  );
}

/** Makes the encodings of the columns of one file, in which every named type needs a name of its own. */
class Encodings {
  readonly #settings: Settings;
  #names = 0;

  constructor(settings: Settings) {
    this.#settings = settings;
  }

  #named(kind: string): string {
    return `${kind}_${this.#names++}`;
  }

  #text(type: SqlType): Encoding {
    const format = textFormatter(type, textOptions(this.#settings));
    return { schema: 'string', write: (out, value) => writeText(out, format(value)) };
  }

  of(type: SqlType): Encoding {
    switch (type.kind) {
      case 'nothing':
        return { schema: 'null', write: () => {} };
      case 'low_cardinality':
        return this.of(type.inner);
      case 'nullable':
        return this.#nullable(type.inner);
      case 'bool':
        return { schema: 'boolean', write: (out, value) => out.writeByte(value as number) };
      case 'int':
        if (type.bits > 64) return this.#text(type);
        if (type.bits < 32 || (type.bits === 32 && type.signed))
          return { schema: 'int', write: writeInteger };
        return { schema: 'long', write: type.signed ? writeInteger : writeUnsigned };
      case 'interval':
        return { schema: 'long', write: writeInteger };
      case 'float':
        return type.bits === 32
          ? { schema: 'float', write: writeFloat }
          : { schema: 'double', write: writeDouble };
      case 'date':
      case 'date32':
        return { schema: { type: 'int', logicalType: 'date' }, write: writeInteger };
      case 'datetime':
        return { schema: { type: 'long', logicalType: 'timestamp-millis' }, write: scaledWriter(0, 3) };
      case 'datetime64': {
        const [unit, precision] =
          type.precision <= 3
            ? (['millis', 3] as const)
            : type.precision <= 6
              ? (['micros', 6] as const)
              : (['nanos', 9] as const);
        return {
          schema: { type: 'long', logicalType: `timestamp-${unit}` },
          write: scaledWriter(type.precision, precision),
        };
      }
      case 'decimal':
        return decimalEncoding(type);
      case 'string':
        return { schema: 'string', write: writeText };
      case 'fixed_string':
        return {
          schema: { type: 'fixed', name: this.#named('fixed'), size: type.length },
          write: (out, value) => out.write(value as string),
        };
      case 'enum':
        return this.#enum(type);
      case 'uuid':
        return { ...this.#text(type), schema: { type: 'string', logicalType: 'uuid' } };
      case 'ipv4':
      case 'ipv6':
        return this.#text(type);
      case 'array':
        return this.#array(type.element);
      case 'map':
        return this.#map(type);
      case 'tuple':
        return this.#tuple(type);
    }
  }

  #nullable(type: SqlType): Encoding {
    const inner = this.of(type);
    if (type.kind === 'nothing') return inner;
    return {
      schema: ['null', inner.schema],
      write: (out, value) => {
        out.writeByte(value === null ? 0 : 2);
        if (value !== null) inner.write(out, value);
      },
    };
  }

  #enum(type: SqlType & { kind: 'enum' }): Encoding {
    // Symbols have to be names; others are written as text.
    if (!type.entries.every(([name]) => nameOf.test(name))) return this.#text(type);
    const places = new Map(type.entries.map(([, number], index) => [number, index]));
    return {
      schema: { type: 'enum', name: this.#named('enum'), symbols: type.entries.map(([name]) => name) },
      write: (out, value) => writeLong(out, places.get(value as number)!),
    };
  }

  #array(type: SqlType): Encoding {
    const element = this.of(type);
    return {
      schema: { type: 'array', items: element.schema },
      write: (out, value) => {
        const values = value as readonly unknown[];
        if (values.length > 0) writeLong(out, values.length);
        for (const each of values) element.write(out, each);
        out.writeByte(0);
      },
    };
  }

  #map(type: SqlType & { kind: 'map' }): Encoding {
    const key = textFormatter(type.key, textOptions(this.#settings));
    const item = this.of(type.value);
    return {
      schema: { type: 'map', values: item.schema },
      write: (out, value) => {
        const pairs = value as readonly (readonly [unknown, unknown])[];
        if (pairs.length > 0) writeLong(out, pairs.length);
        for (const pair of pairs) {
          writeText(out, key(pair[0]));
          item.write(out, pair[1]);
        }
        out.writeByte(0);
      },
    };
  }

  #tuple(type: SqlType & { kind: 'tuple' }): Encoding {
    const fields = type.elements.map((element, index) => ({
      name: fieldName(element.name || `_${index + 1}`),
      encoding: this.of(element.type),
    }));
    return {
      schema: {
        type: 'record',
        name: this.#named('tuple'),
        fields: fields.map(({ name, encoding }) => ({ name, type: encoding.schema })),
      },
      write: (out, value) => {
        for (const [index, { encoding }] of fields.entries())
          encoding.write(out, (value as unknown[])[index]);
      },
    };
  }
}

const writeFloat: ValueWriter = (out, value) => {
  out.reserve(4);
  out.view.setFloat32(out.at, value as number, true);
  out.at += 4;
};

const writeDouble: ValueWriter = (out, value) => {
  out.reserve(8);
  out.view.setFloat64(out.at, value as number, true);
  out.at += 8;
};

/** Decimals are bytes in two's complement, the highest first, and as few as hold the value. */
function decimalEncoding(type: SqlType & { kind: 'decimal' }): Encoding {
  return {
    schema: { type: 'bytes', logicalType: 'decimal', precision: type.precision, scale: type.scale },
    write: (out, value) => {
      const exact = BigInt(value as number | bigint);
      let length = 1;
      while (BigInt.asIntN(length * 8, exact) !== exact) length++;
      writeLong(out, length);
      out.reserve(length);
      for (let shift = BigInt(length - 1) * 8n; shift >= 0n; shift -= 8n)
        out.bytes[out.at++] = Number((exact >> shift) & 255n);
    },
  };
}

function writeHeader(out: Output, schema: unknown, codec: BlockCodec, sync: Buffer): void {
  out.writeBytes(magic, 0, magic.length);
  writeLong(out, 2);
  writeText(out, 'avro.schema');
  writeText(out, toByteString(JSON.stringify(schema)));
  writeText(out, 'avro.codec');
  writeText(out, codec.name);
  out.writeByte(0);
  out.writeBytes(sync, 0, sync.length);
}

/** Avro: an object container file. */
export function avroWriter(schema: readonly ColumnSchema[], settings: Settings): BlockWriter {
  const encodings = new Encodings(settings);
  const columns = schema.map((column) => ({
    name: fieldName(column.name),
    encoding: encodings.of(column.type),
  }));
  const codec = settingsCodec(settings);
  const blockBytes = Math.max(32, settings.output_format_avro_sync_interval);
  const sync = randomBytes(syncBytes);
  const records = new Output();
  const out = new Output();
  let count = 0;
  const endBlock = () => {
    if (count === 0) return;
    const content = codec.compress(Buffer.from(records.take()));
    writeLong(out, count);
    writeLong(out, content.length);
    out.writeBytes(content, 0, content.length);
    out.writeBytes(sync, 0, sync.length);
    count = 0;
  };
  return {
    contentType: 'application/octet-stream',
    streamable: true,
    start() {
      const fields = columns.map(({ name, encoding }) => ({ name, type: encoding.schema }));
      writeHeader(out, { type: 'record', name: 'row', fields }, codec, sync);
      return out.take();
    },
    block(block) {
      const readers = block.vectors.map(vectorReader);
      for (let row = 0; row < block.rows; row++) {
        for (const [index, { encoding }] of columns.entries()) encoding.write(records, readers[index]!(row));
        count++;
        if (records.at >= blockBytes) endBlock();
      }
      // What a result has so far can be read.
      endBlock();
      return out.take();
    },
    finish: () => noBytes,
  };
}
