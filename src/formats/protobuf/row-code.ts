import { type Code, instantiate, js, ModuleBuilder } from '../../code/index.ts';
import { bareType, integerRange, isNullable, type SqlType } from '../../types/index.ts';
import type { ReaderColumn } from '../block-reader.ts';
import type { BlockAssembler } from '../read/block-assembler.ts';
import { NumberSink } from '../read/column-sink.ts';
import type { ReadOptions } from '../read/read-options.ts';
import { StringSink } from '../read/string-sink.ts';
import type { FieldType, MessageType } from './schema.ts';
import {
  columnConverter,
  emptyEnum,
  enumOf,
  FieldReaders,
  messageOf,
  type Scalar,
  scalarNamed,
} from './value.ts';
import { type MessageCursor, readLength, readUint32, skipField, wire } from './wire.ts';

/** Reads the message from the cursor to its end into a row. */
export type ReadMessage = (cursor: MessageCursor, assembler: BlockAssembler, row: number) => void;

/** A field that goes into a column, or a message of which fields go into columns. */
export type FieldPlan =
  | { readonly kind: 'column'; readonly field: FieldType; readonly column: number }
  | { readonly kind: 'message'; readonly field: FieldType; readonly fields: readonly FieldPlan[] };

/**
 * The plan for the fields of a message: a field goes to the column of its name; a message that has no column of its own gives
 * its fields to columns named `message.field` or `message_field`. Columns that are met are taken out of `missing`; fields
 * without a column are passed over.
 */
export function fieldPlans(
  message: MessageType,
  columns: readonly ReaderColumn[],
  missing: Set<number>,
  prefixes: readonly string[] = [''],
  outer: readonly MessageType[] = [],
): FieldPlan[] {
  return message.fieldsArray.flatMap((field): FieldPlan[] => {
    const names = prefixes.map((prefix) => prefix + field.name);
    const column = columns.findIndex((each, index) => missing.has(index) && names.includes(each.name));
    if (column >= 0) {
      missing.delete(column);
      return [{ kind: 'column', field, column }];
    }
    const inner = messageOf(field);
    if (inner === undefined || field.repeated || field.map || outer.includes(inner)) return [];
    const paths = names.flatMap((name) => [`${name}.`, `${name}_`]);
    const fields = fieldPlans(inner, columns, missing, paths, [...outer, message]);
    return fields.length === 0 ? [] : [{ kind: 'message', field, fields }];
  });
}

interface Names {
  readonly cursor: Code;
  readonly assembler: Code;
  readonly bytes: Code;
  readonly view: Code;
  readonly at: Code;
  readonly row: Code;
}

/** Generates the code of one message into the columns of one target. */
class MessageCode {
  readonly #module = new ModuleBuilder();
  readonly #assembler: BlockAssembler;
  readonly #options: ReadOptions;
  readonly #readers: FieldReaders;
  readonly #declarations: Code[] = [];
  readonly #endings: Code[] = [];
  readonly #names: Names;

  constructor(assembler: BlockAssembler, options: ReadOptions) {
    this.#assembler = assembler;
    this.#options = options;
    this.#readers = new FieldReaders(options);
    const name = (hint: string) => this.#module.name(hint);
    this.#names = {
      cursor: name('cursor'),
      assembler: name('assembler'),
      bytes: name('bytes'),
      view: name('view'),
      at: name('at'),
      row: name('row'),
    };
  }

  /** The loop over the fields of a message that ends at `end`. */
  #fields(plans: readonly FieldPlan[], end: Code): Code {
    const { cursor, bytes, at } = this.#names;
    const tag = this.#module.name('tag');
    const readTag = this.#module.bind(readUint32, 'readTag');
    const skip = this.#module.bind(skipField, 'skip');
    const cases = plans.map((plan) => this.#case(plan, tag, end));
    return js`while (${at} < ${end}) {
let ${tag} = ${bytes}[${at}];
if (${tag} < 128) ${at}++; else { ${cursor}.at = ${at}; ${tag} = ${readTag}(${cursor}); ${at} = ${cursor}.at; }
switch (${tag}) {
${cases}
default:
${cursor}.at = ${at}; ${skip}(${cursor}, ${tag}); ${at} = ${cursor}.at;
}
}
if (${at} !== ${end}) ${cursor}.fail();`;
  }

  #case(plan: FieldPlan, tag: Code, end: Code): Code {
    if (plan.kind === 'message') return this.#messageCase(plan);
    const plain = this.#plainCase(plan.field, plan.column, end);
    return plain ?? this.#otherCase(plan.field, plan.column, tag);
  }

  #messageCase(plan: FieldPlan & { kind: 'message' }): Code {
    const { cursor, at } = this.#names;
    const inner = this.#module.name('end');
    const outer = this.#module.name('outer');
    const length = this.#module.bind(readLength, 'length');
    return js`case ${plan.field.id * 8 + wire.delimited}: {
${cursor}.at = ${at};
const ${inner} = ${length}(${cursor}) + ${cursor}.at, ${outer} = ${cursor}.end;
${at} = ${cursor}.at;
${cursor}.end = ${inner};
${this.#fields(plan.fields, inner)}
${cursor}.end = ${outer};
break;
}`;
  }

  /** Values that other code reads and gathers until the message has ended. */
  #otherCase(field: FieldType, index: number, tag: Code): Code {
    const { cursor, assembler, at, row } = this.#names;
    const module = this.#module;
    const column = this.#assembler.columns[index]!;
    const pending = module.name('pending');
    const read = module.bind(this.#readers.field(field, []), 'read');
    const convert = module.bind(columnConverter(field, column.type, this.#options), 'convert');
    this.#declarations.push(js`let ${pending} = undefined;`);
    const put = js`{ ${cursor}.column = ${index}; ${assembler}.sinks[${index}].put(${row}, ${convert}(${pending})); ${cursor}.column = -1; }`;
    this.#endings.push(js`if (${pending} !== undefined) ${put} else ${this.#omitted(field, index)}`);
    const step = js`${cursor}.column = ${index}; ${cursor}.at = ${at}; ${pending} = ${read}(${cursor}, ${tag}, ${pending}); ${at} = ${cursor}.at; ${cursor}.column = -1; break;`;
    const cases = [0, 1, 2, 5].map((type) => js`case ${field.id * 8 + type}:`);
    return js`${cases}${step}`;
  }

  /** What a column holds when the message has no value for it. */
  #omitted(field: FieldType, index: number): Code {
    const { assembler, row } = this.#names;
    const column = this.#assembler.columns[index]!;
    const name = emptyEnum(field);
    if (name === null || column.hasDefault || isNullable(column.type))
      return js`${assembler}.omit(${index}, ${row});`;
    let value: unknown;
    try {
      value = columnConverter(field, column.type, this.#options)(name);
    } catch {
      return js`${assembler}.omit(${index}, ${row});`;
    }
    return js`${assembler}.sinks[${index}].put(${row}, ${this.#module.bind({ value }, 'first')}.value);`;
  }

  /** Code for values that go into the column as they are written; undefined for all others. */
  #plainCase(field: FieldType, index: number, end: Code): Code | undefined {
    const scalar = scalarNamed(field.type);
    if (scalar === undefined || field.repeated || field.map || enumOf(field) !== undefined) return undefined;
    const column = this.#assembler.columns[index]!;
    const target = bareType(column.type);
    const sink = this.#assembler.sinks[index]!;
    let value: Code | undefined;
    const seen = this.#module.name('seen');
    if (sink instanceof StringSink && target.kind === 'string' && scalar.wire === wire.delimited)
      value = this.#stringCode(index, end);
    else if (sink instanceof NumberSink) value = this.#numberCode(field, scalar, index, target, seen);
    if (value === undefined) return undefined;
    this.#declarations.push(js`let ${seen} = 0;`);
    this.#endings.push(js`if (${seen} === 0) { ${this.#omitted(field, index)} }`);
    return js`case ${field.id * 8 + scalar.wire}: { ${value} ${seen} = 1; break; }`;
  }

  #stringCode(index: number, end: Code): Code {
    const { cursor, assembler, bytes, view, at, row } = this.#names;
    const sink = this.#module.name('sink');
    const length = this.#module.bind(readLength, 'length');
    this.#declarations.push(js`const ${sink} = ${assembler}.sinks[${index}];`);
    return js`
let length = ${bytes}[${at}];
if (length < 128) ${at}++; else { ${cursor}.at = ${at}; length = ${length}(${cursor}); ${at} = ${cursor}.at; }
if (${at} + length > ${end}) ${cursor}.fail();
${sink}.nulls.mask[${row}] = 0;
${sink}.putBytes(${bytes}, ${view}, ${at}, ${at} += length, ${row});`;
  }

  #numberCode(
    field: FieldType,
    scalar: Scalar,
    index: number,
    target: SqlType,
    seen: Code,
  ): Code | undefined {
    const { cursor, assembler, bytes, at, row } = this.#names;
    const isFloat =
      target.kind === 'float' && scalar.type.kind === 'float' && scalar.type.bits <= target.bits;
    const isWhole =
      (target.kind === 'int' || target.kind === 'datetime' || target.kind === 'datetime64') &&
      scalar.type.kind === 'int';
    const isBool = target.kind === 'bool' && scalar.type.kind === 'bool';
    if (!isFloat && !isWhole && !isBool) return undefined;
    const module = this.#module;
    const sink = module.name('sink');
    const data = module.name('data');
    this.#declarations.push(js`const ${sink} = ${assembler}.sinks[${index}], ${data} = ${sink}.data;`);
    const read = module.bind(scalar.read, 'read');
    const slow = js`${cursor}.at = ${at}; value = ${read}(${cursor}); ${at} = ${cursor}.at;`;
    const isZigzag = field.type.startsWith('sint');
    const short = isZigzag ? js`value = (value >>> 1) ^ -(value & 1);` : js``;
    const varint = js`if (value < 128) { ${at}++; ${short} } else { ${slow} }`;
    const readValue =
      scalar.wire === wire.varint && !isBool
        ? js`let value = ${bytes}[${at}]; ${varint}`
        : js`let value; ${slow}`;
    const convert = module.bind(columnConverter(field, target, this.#options), 'convert');
    const [least, most] = isFloat
      ? [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY]
      : (integerRange(target)!.map(Number) as [number, number]);
    const fits = isFloat
      ? js`${seen} === 0`
      : js`${seen} === 0 && typeof value === 'number' && value >= ${least} && value <= ${most}`;
    // A value out of range is told by the converter, which throws; a second value takes the place of the first.
    return js`${readValue}
if (${fits}) ${data}[${row}] = value;
else { ${cursor}.column = ${index}; ${sink}.put(${row}, ${convert}(value)); ${cursor}.column = -1; }`;
  }

  build(plans: readonly FieldPlan[]): ReadMessage {
    const { cursor, assembler, bytes, view, at, row } = this.#names;
    const end = this.#module.name('end');
    const loop = this.#fields(plans, end);
    const body = js`return (${cursor}, ${assembler}, ${row}) => {
const ${bytes} = ${cursor}.bytes, ${view} = ${cursor}.view, ${end} = ${cursor}.end;
let ${at} = ${cursor}.at;
${this.#declarations}
${loop}
${this.#endings}
${cursor}.at = ${at};
};`;
    return instantiate<null, ReadMessage>(this.#module.finish(this.#module.name('state'), body))([], null);
  }
}

/** Compiles the reading of messages into columns. */
export function messageReader(
  plans: readonly FieldPlan[],
  assembler: BlockAssembler,
  options: ReadOptions,
): ReadMessage {
  return new MessageCode(assembler, options).build(plans);
}
