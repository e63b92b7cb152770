import { SluiceError } from '../../base/index.ts';
import { type Code, instantiate, js, ModuleBuilder } from '../../code/index.ts';
import { bareType, integerRange, isNullable, type SqlType } from '../../types/index.ts';
import type { ReaderColumn } from '../block-reader.ts';
import type { BlockAssembler } from '../read/block-assembler.ts';
import { NumberSink } from '../read/column-sink.ts';
import { type Converter, valueConverter } from '../read/convert-value.ts';
import type { InputCursor } from '../read/input-cursor.ts';
import { nullRefused, type ReadOptions } from '../read/read-options.ts';
import { StringSink } from '../read/string-sink.ts';
import { type AvroField, type AvroType, naturalType, withoutNull } from './schema.ts';
import { AvroReaders, isPlainNumber, readLong, readSize, take } from './value.ts';

/** Reads records from the cursor on into rows [row, rowsTo). */
export type RecordRows = (
  cursor: InputCursor,
  assembler: BlockAssembler,
  row: number,
  rowsTo: number,
) => void;

/** A field that goes into a column, one that is passed over, or a record of which fields go into columns. */
export type FieldPlan =
  | { readonly kind: 'column'; readonly type: AvroType; readonly column: number }
  | { readonly kind: 'skip'; readonly type: AvroType }
  | { readonly kind: 'record'; readonly fields: readonly FieldPlan[] };

function sameScale(type: AvroType, target: SqlType): boolean {
  if (type.kind !== 'long' && type.kind !== 'int') return false;
  if (type.logical?.kind === 'timestamp')
    return target.kind === 'datetime64' && target.precision === type.logical.precision;
  if (type.logical?.kind === 'date') return target.kind === 'date' || target.kind === 'date32';
  return target.kind === 'int' || target.kind === 'datetime64' || target.kind === 'datetime';
}

/** Puts what a reader gives into a column, for values that have no code of their own. */
function columnPutter(
  type: AvroType,
  column: ReaderColumn,
  index: number,
  readers: AvroReaders,
  options: ReadOptions,
): (cursor: InputCursor, assembler: BlockAssembler, row: number) => void {
  const read = readers.reader(type);
  const natural = naturalType(type);
  // NULL is told from the values here, so that it can ask for the DEFAULT of the column.
  const convert: Converter = valueConverter(bareNatural(natural), column.type, options);
  const nullableColumn = isNullable(column.type);
  return (cursor, assembler, row) => {
    cursor.column = index;
    const value = read(cursor);
    if (value !== null) assembler.sinks[index]!.put(row, convert(value));
    else if (nullableColumn) assembler.sinks[index]!.put(row, null);
    else if (options.nullAsDefault) assembler.omit(index, row);
    else throw nullRefused(column.type);
  };
}

function bareNatural(type: SqlType): SqlType {
  return type.kind === 'nullable' ? type.inner : type;
}

interface Names {
  readonly cursor: Code;
  readonly assembler: Code;
  readonly bytes: Code;
  readonly view: Code;
  readonly at: Code;
  readonly end: Code;
  readonly row: Code;
}

/** A zigzag integer into `value`, in the common case without a call; a bigint when it is no safe integer. */
function integerCode(module: ModuleBuilder, names: Names, value: Code): Code {
  const { cursor, bytes, at } = names;
  const long = module.bind(readLong, 'readLong');
  return js`
let low = ${bytes}[${at}++], next = 0;
if (low > 127) {
low = (low & 127) | ((next = ${bytes}[${at}++]) & 127) << 7;
if (next > 127) low |= ((next = ${bytes}[${at}++]) & 127) << 14;
if (next > 127) low |= ((next = ${bytes}[${at}++]) & 127) << 21;
}
let ${value};
if (next > 127) { ${cursor}.at = ${at} - 4; ${value} = ${long}(${cursor}); ${at} = ${cursor}.at; }
else ${value} = (low >>> 1) ^ -(low & 1);`;
}

/** Generates the code of one schema into the columns of one target. */
class RecordCode {
  readonly #module = new ModuleBuilder();
  readonly #columns: readonly ReaderColumn[];
  readonly #assembler: BlockAssembler;
  readonly #options: ReadOptions;
  readonly #readers: AvroReaders;
  readonly #declarations: Code[] = [];
  readonly #names: Names;

  constructor(assembler: BlockAssembler, options: ReadOptions) {
    this.#columns = assembler.columns;
    this.#assembler = assembler;
    this.#options = options;
    this.#readers = new AvroReaders(options);
    const name = (hint: string) => this.#module.name(hint);
    this.#names = {
      cursor: name('cursor'),
      assembler: name('assembler'),
      bytes: name('bytes'),
      view: name('view'),
      at: name('at'),
      end: name('end'),
      row: name('row'),
    };
  }

  #field(plan: FieldPlan): Code {
    const { cursor, at } = this.#names;
    switch (plan.kind) {
      case 'record':
        return js`${plan.fields.map((field) => this.#field(field))}`;
      case 'skip': {
        const skip = this.#module.bind(this.#readers.skipper(plan.type), 'skip');
        return js`${cursor}.column = -1; ${cursor}.at = ${at}; ${skip}(${cursor}); ${at} = ${cursor}.at;`;
      }
      case 'column':
        return this.#column(plan.type, plan.column);
    }
  }

  #column(type: AvroType, index: number): Code {
    const { cursor, assembler, at, row } = this.#names;
    const column = this.#columns[index]!;
    const { type: inner, nullBranch } = withoutNull(type);
    const value = this.#plainValue(inner, column, index);
    if (value === undefined || (nullBranch >= 0 && !isNullable(column.type))) {
      const put = this.#module.bind(columnPutter(type, column, index, this.#readers, this.#options), 'put');
      return js`${cursor}.at = ${at}; ${put}(${cursor}, ${assembler}, ${row}); ${at} = ${cursor}.at;`;
    }
    if (nullBranch < 0) return js`{${value}}`;
    // Branches 0 and 1 are written as the bytes 0 and 2.
    const { bytes } = this.#names;
    const sink = this.#sink(index);
    return js`if (${bytes}[${at}] === ${nullBranch * 2}) { ${at}++; ${sink}.put(${row}, null); }
else if (${bytes}[${at}] === ${2 - nullBranch * 2}) { ${at}++; ${value} }
else ${this.#module.bind(badBranch, 'badBranch')}();`;
  }

  #sink(index: number): Code {
    const sink = this.#module.name('sink');
    this.#declarations.push(js`const ${sink} = ${this.#names.assembler}.sinks[${index}];`);
    return sink;
  }

  /** Code for values that go into the column as they are written; undefined for all others. */
  #plainValue(type: AvroType, column: ReaderColumn, index: number): Code | undefined {
    const target = bareType(column.type);
    const sink = this.#assembler.sinks[index]!;
    if (sink instanceof StringSink && target.kind === 'string') {
      if ((type.kind === 'string' || type.kind === 'bytes') && type.logical === undefined)
        return this.#stringCode(index);
      return undefined;
    }
    if (!(sink instanceof NumberSink)) return undefined;
    if (isPlainNumber(type) && sameScale(type, target)) return this.#integerColumn(type, column, index);
    const { view, at, row } = this.#names;
    if ((type.kind === 'float' || type.kind === 'double') && target.kind === 'float') {
      if (type.kind === 'double' && target.bits === 32) return undefined;
      const data = this.#data(index);
      const { cursor, end } = this.#names;
      const bytes = type.kind === 'float' ? 4 : 8;
      const value =
        type.kind === 'float' ? js`${view}.getFloat32(${at}, true)` : js`${view}.getFloat64(${at}, true)`;
      const overrun = this.#module.bind(cutRecord, 'overrun');
      return js`if (${at} + ${bytes} > ${end}) ${overrun}(${cursor}); ${data}[${row}] = ${value}; ${at} += ${bytes};`;
    }
    return undefined;
  }

  #data(index: number): Code {
    const data = this.#module.name('data');
    this.#declarations.push(js`const ${data} = ${this.#names.assembler}.sinks[${index}].data;`);
    return data;
  }

  #stringCode(index: number): Code {
    const { cursor, bytes, view, at, end, row } = this.#names;
    const sink = this.#sink(index);
    const length = this.#module.name('length');
    const size = this.#module.bind(readSize, 'readSize');
    const bound = this.#module.bind(take, 'take');
    return js`
let ${length} = ${bytes}[${at}++];
if (${length} < 128 && (${length} & 1) === 0) ${length} >>>= 1;
else { ${cursor}.at = ${at} - 1; ${length} = ${size}(${cursor}); ${at} = ${cursor}.at; }
if (!(${length} >= 0 && ${at} + ${length} <= ${end})) { ${cursor}.column = ${index}; ${cursor}.at = ${at}; ${bound}(${cursor}, ${length}); }
${sink}.putBytes(${bytes}, ${view}, ${at}, ${at} += ${length}, ${row});`;
  }

  #integerColumn(type: AvroType, column: ReaderColumn, index: number): Code {
    const { cursor, row } = this.#names;
    const target = bareType(column.type);
    const value = this.#module.name('value');
    const data = this.#data(index);
    const sink = this.#sink(index);
    const [least, most] = integerRange(target)!.map(Number) as [number, number];
    const convert = this.#module.bind(valueConverter(naturalType(type), target, this.#options), 'convert');
    // A value out of range is told by the converter, which throws.
    return js`${integerCode(this.#module, this.#names, value)}
if (typeof ${value} === 'number' && ${value} >= ${least} && ${value} <= ${most}) ${data}[${row}] = ${value};
else { ${cursor}.column = ${index}; ${sink}.put(${row}, ${convert}(${value})); }`;
  }

  build(fields: readonly FieldPlan[]): RecordRows {
    const { cursor, assembler, bytes, view, at, end, row } = this.#names;
    const module = this.#module;
    const rowsTo = module.name('rowsTo');
    const state = module.name('state');
    const steps = fields.map((field) => this.#field(field));
    const overrun = module.bind(cutRecord, 'overrun');
    const body = js`return (${cursor}, ${assembler}, ${row}, ${rowsTo}) => {
const ${bytes} = ${cursor}.bytes, ${view} = ${cursor}.view, ${end} = ${cursor}.end;
let ${at} = ${cursor}.at;
${this.#declarations}
for (; ${row} < ${rowsTo}; ${row}++) {
${cursor}.row = ${row};
${steps}
if (${at} > ${end}) ${overrun}(${cursor});
}
${cursor}.at = ${at};
};`;
    return instantiate<null, RecordRows>(module.finish(state, body))([], null);
  }
}

function badBranch(): never {
  throw new SluiceError('INCORRECT_DATA', 'A union has no such branch');
}

function cutRecord(cursor: InputCursor): never {
  cursor.unexpected(cursor.end, 'the rest of a record');
}

/** Compiles the reading of records; `fields` are those of the writer, in their order. */
export function recordRows(
  fields: readonly FieldPlan[],
  assembler: BlockAssembler,
  options: ReadOptions,
): RecordRows {
  return new RecordCode(assembler, options).build(fields);
}

/**
 * The plan for the fields of a record: a field goes to the column of its name; a record that has no column of its own gives its
 * fields to columns named `record.field` or `record_field`. Columns that are met are taken out of `missing`.
 */
export function fieldPlans(
  fields: readonly AvroField[],
  columns: readonly ReaderColumn[],
  missing: Set<number>,
  prefixes: readonly string[] = [''],
  outer: readonly AvroType[] = [],
): FieldPlan[] {
  return fields.map((field): FieldPlan => {
    const names = prefixes.map((prefix) => prefix + field.name);
    const column = columns.findIndex((each) => names.includes(each.name));
    if (column >= 0 && missing.has(column)) {
      missing.delete(column);
      return { kind: 'column', type: field.type, column };
    }
    if (field.type.kind === 'record' && !outer.includes(field.type)) {
      const before = missing.size;
      const inner = names.flatMap((name) => [`${name}.`, `${name}_`]);
      const plans = fieldPlans(field.type.fields, columns, missing, inner, [...outer, field.type]);
      if (missing.size < before) return { kind: 'record', fields: plans };
    }
    return { kind: 'skip', type: field.type };
  });
}
