import { type Code, emptyCode, instantiate, js, ModuleBuilder } from '../../code/index.ts';
import { type Vector, vectorShape } from '../../column/index.ts';
import { bareType, type SqlType, serverTimeZone, timeZone, typeName } from '../../types/index.ts';
import {
  numberBytesMax,
  writeDate,
  writeFloat32,
  writeFloat64,
  writeFraction,
  writeInteger,
  writeWallSeconds,
} from './number-writer.ts';
import type { Output } from './output.ts';
import type { ValueStyle } from './value-style.ts';

/** The encoded strings of a dictionary, end to end, with 4 readable bytes behind them. */
export interface EncodedStrings {
  readonly bytes: Uint8Array;
  readonly view: DataView;
  readonly offsets: Uint32Array;
}

/** What the code reads the values of one column from, beside the vector. */
export interface FieldSource {
  readonly vector: Vector;
  /** For dictionary vectors. */
  readonly encoded: EncodedStrings | undefined;
  /** The whole text of a row's value, for what the code does not write itself. */
  readonly text: (row: number) => string;
}

/** Writes rows [0, rows); `separated` asks for the separator before the first row too. */
export type WriteRows = (
  out: Output,
  fields: readonly FieldSource[],
  rows: number,
  separated: boolean,
) => void;

/** The bytes around the values of every row. */
export interface RowTemplate {
  /** One for each column, written before its value. */
  readonly before: readonly Uint8Array[];
  readonly after: Uint8Array;
  /** Written between two rows. */
  readonly separator: Uint8Array;
}

interface Names {
  readonly out: Code;
  readonly bytes: Code;
  readonly view: Code;
  readonly at: Code;
  readonly row: Code;
  /** Room that is made for a row beside its strings. */
  readonly rowBytes: number;
}

/** Constants longer than this are copied from a binding. */
const inlineBytesMax = 64;

/** Code that writes constant bytes, for which there must be room, four at a time. */
function constantCode(module: ModuleBuilder, constant: Uint8Array, names: Names): Code {
  const { bytes, view, at } = names;
  if (constant.length === 0) return emptyCode;
  if (constant.length > inlineBytesMax) {
    return js`${bytes}.set(${module.bind(constant, 'constant')}, ${at}); ${at} += ${constant.length};`;
  }
  const buffer = Buffer.from(constant);
  const stores: Code[] = [];
  let index = 0;
  for (; index + 4 <= buffer.length; index += 4) {
    stores.push(js`${view}.setInt32(${at} + ${index}, ${buffer.readInt32LE(index)}, true);`);
  }
  for (; index < buffer.length; index++) stores.push(js`${bytes}[${at} + ${index}] = ${buffer[index]!};`);
  return js`${stores}${at} += ${buffer.length};`;
}

/** After something else may have grown the output. */
function reload(names: Names): Code {
  const { out, bytes, view, at } = names;
  return js`${bytes} = ${out}.bytes; ${view} = ${out}.view; ${at} = ${out}.at;`;
}

function reserve(names: Names, more: Code): Code {
  const { out, bytes, at } = names;
  return js`if (${bytes}.length - ${at} < ${more}) { ${out}.at = ${at}; ${out}.reserve(${more}); ${reload(names)} }`;
}

interface ColumnCode {
  readonly declarations: Code;
  readonly write: Code;
}

/** Values that have no code of their own are written as text; the room for the rest of the row is made anew. */
function textCode(names: Names, field: Code): Code {
  const { out, at, row, rowBytes } = names;
  return js`${out}.at = ${at}; ${out}.write(${field}.text(${row})); ${out}.reserve(${rowBytes}); ${reload(names)}`;
}

function dictionaryCode(module: ModuleBuilder, names: Names, field: Code): ColumnCode {
  const { bytes, view, at, row, rowBytes } = names;
  const codes = module.name('codes');
  const offsets = module.name('offsets');
  const source = module.name('source');
  const sourceView = module.name('sourceView');
  return {
    declarations: js`const ${codes} = ${field}.vector.codes, { offsets: ${offsets}, bytes: ${source}, view: ${sourceView} } = ${field}.encoded;`,
    write: js`{
let from = ${offsets}[${codes}[${row}]];
const end = ${offsets}[${codes}[${row}] + 1], length = end - from;
${reserve(names, js`length + ${rowBytes}`)}
if (length > 64) { ${bytes}.set(${source}.subarray(from, end), ${at}); }
else for (let to = ${at}; from < end; from += 4, to += 4) ${view}.setInt32(to, ${sourceView}.getInt32(from, true), true);
${at} += length;
}`,
  };
}

function bytesCode(module: ModuleBuilder, names: Names, field: Code, style: ValueStyle): ColumnCode {
  const { out, at, row, rowBytes } = names;
  const offsets = module.name('offsets');
  const source = module.name('source');
  const write = module.bind(style, 'style');
  return {
    declarations: js`const { offsets: ${offsets}, data: ${source} } = ${field}.vector;`,
    write: js`${out}.at = ${at}; ${write}.writeString(${out}, ${source}, ${offsets}[${row}], ${offsets}[${row} + 1]); ${out}.reserve(${rowBytes}); ${reload(names)}`,
  };
}

/** An expression that writes a number at `at` and gives the place behind it; undefined when text must do. */
function numberCode(
  module: ModuleBuilder,
  type: SqlType,
  style: ValueStyle,
  names: Names,
  value: Code,
): Code | undefined {
  const { bytes, at } = names;
  const call = (writer: (...values: never[]) => number, hint: string) =>
    js`${module.bind(writer, hint)}(${bytes}, ${at}, ${value})`;
  switch (type.kind) {
    case 'int':
    case 'interval':
      return call(writeInteger, 'writeInteger');
    case 'float':
      return type.bits === 32 ? call(writeFloat32, 'writeFloat32') : call(writeFloat64, 'writeFloat64');
    case 'date':
    case 'date32':
      return call(writeDate, 'writeDate');
    case 'datetime': {
      if (!style.simpleTimes) return undefined;
      const zone = module.bind(timeZone(type.timezone ?? (style.timezone || serverTimeZone)), 'zone');
      const write = module.bind(writeWallSeconds, 'writeWallSeconds');
      return js`${write}(${bytes}, ${at}, ${value} + ${zone}.offsetAt(${value}))`;
    }
    default:
      return undefined;
  }
}

/** Ticks as seconds and a fraction. Times before the year 0 or after 9999 are left to the text way. */
function ticksCode(
  module: ModuleBuilder,
  type: SqlType & { kind: 'datetime64' },
  style: ValueStyle,
  names: Names,
  value: Code,
): Code {
  const { bytes, at } = names;
  const zone = module.bind(timeZone(type.timezone ?? (style.timezone || serverTimeZone)), 'zone');
  const seconds = module.bind(writeWallSeconds, 'writeWallSeconds');
  const fraction = module.bind(writeFraction, 'writeFraction');
  const scale = 10 ** type.precision;
  const rest =
    type.precision === 0
      ? emptyCode
      : js`${at} = ${fraction}(${bytes}, ${at}, ${value} - seconds * ${scale}, ${type.precision});`;
  return js`const seconds = Math.floor(${value} / ${scale});
${at} = ${seconds}(${bytes}, ${at}, seconds + ${zone}.offsetAt(seconds));
${rest}`;
}

/** Seconds of the years 1 to 9998, in which every zone writes four digits. */
const plainYears = [-62_000_000_000, 253_000_000_000] as const;

function flatCode(
  module: ModuleBuilder,
  type: SqlType,
  style: ValueStyle,
  names: Names,
  field: Code,
): ColumnCode {
  const { bytes, at, row } = names;
  const data = module.name('data');
  const declarations = js`const ${data} = ${field}.vector.data;`;
  const quoteByte = style.quoteOf(type);
  const quote = quoteByte === 0 ? emptyCode : js`${bytes}[${at}++] = ${quoteByte};`;
  const text = textCode(names, field);
  const value = js`value`;
  if (type.kind === 'bool') {
    const word = (name: string) => constantCode(module, Buffer.from(name), names);
    const write = js`${quote}if (${data}[${row}] === 0) { ${word('false')} } else { ${word('true')} }${quote}`;
    return { declarations, write };
  }
  if (type.kind === 'datetime64' && style.simpleTimes) {
    const scale = 10 ** type.precision;
    const plain = js`value > ${plainYears[0] * scale} && value < ${plainYears[1] * scale}`;
    const ticks = ticksCode(module, type, style, names, value);
    const write = js`{ const value = ${data}[${row}]; if (${plain}) { ${quote}${ticks}${quote} } else { ${text} } }`;
    return { declarations, write };
  }
  const number = numberCode(module, type, style, names, value);
  if (number === undefined) return { declarations: emptyCode, write: text };
  const written = js`${quote}${at} = ${number};${quote}`;
  const write =
    type.kind === 'float'
      ? js`{ const value = ${data}[${row}]; if (value - value === 0) { ${written} } else { ${text} } }`
      : js`{ const value = ${data}[${row}]; ${written} }`;
  return { declarations, write };
}

function columnCode(
  module: ModuleBuilder,
  type: SqlType,
  vector: Vector,
  style: ValueStyle,
  names: Names,
  field: Code,
): ColumnCode {
  const bare = bareType(type);
  const isString = bare.kind === 'string' || bare.kind === 'fixed_string';
  if (vector.kind === 'dictionary' && isString) return dictionaryCode(module, names, field);
  if (vector.kind === 'bytes' && isString) return bytesCode(module, names, field, style);
  if (vector.kind === 'flat') return flatCode(module, bare, style, names, field);
  return { declarations: emptyCode, write: textCode(names, field) };
}

/** Bytes of a row that do not depend on its strings. */
function fixedBytes(template: RowTemplate, columns: number, nullText: string): number {
  const constants = template.before.reduce((sum, constant) => sum + constant.length, 0);
  return (
    constants +
    template.after.length +
    template.separator.length +
    columns * (numberBytesMax + nullText.length) +
    16
  );
}

/** What the code for these vectors depends on; equal keys may share it. */
export function rowCodeKey(
  types: readonly SqlType[],
  vectors: readonly Vector[],
  style: ValueStyle,
  template: RowTemplate,
): string {
  const constants = [...template.before, template.after, template.separator].map((constant) =>
    Buffer.from(constant).latin1Slice(),
  );
  return [
    style.key,
    ...types.map(typeName),
    ...vectors.map(vectorShape),
    ...constants.map((text) => `${text.length} ${text}`),
  ].join('\n');
}

/** Compiles a writer of rows with vectors of these shapes. */
export function compileRows(
  types: readonly SqlType[],
  vectors: readonly Vector[],
  style: ValueStyle,
  template: RowTemplate,
): WriteRows {
  const module = new ModuleBuilder();
  const names: Names = {
    out: module.name('out'),
    bytes: module.name('bytes'),
    view: module.name('view'),
    at: module.name('at'),
    row: module.name('row'),
    rowBytes: fixedBytes(template, types.length, style.nullText),
  };
  const { out, bytes, view, at, row } = names;
  const fields = module.name('fields');
  const rows = module.name('rows');
  const separated = module.name('separated');
  const declarations: Code[] = [];
  const steps: Code[] = [];
  for (const [index, type] of types.entries()) {
    const vector = vectors[index]!;
    const column = columnCode(module, type, vector, style, names, js`${fields}[${index}]`);
    declarations.push(column.declarations);
    steps.push(constantCode(module, template.before[index]!, names));
    if (vector.nulls === null) {
      steps.push(column.write);
    } else {
      const nulls = module.name('nulls');
      declarations.push(js`const ${nulls} = ${fields}[${index}].vector.nulls;`);
      const nullText = constantCode(module, Buffer.from(style.nullText), names);
      steps.push(js`if (${nulls}[${row}] === 1) { ${nullText} } else { ${column.write} }`);
    }
  }
  const separator = constantCode(module, template.separator, names);
  const body = js`return (${out}, ${fields}, ${rows}, ${separated}) => {
let ${bytes} = ${out}.bytes, ${view} = ${out}.view, ${at} = ${out}.at;
${declarations}
for (let ${row} = 0; ${row} < ${rows}; ${row}++) {
${reserve(names, js`${names.rowBytes}`)}
${template.separator.length === 0 ? emptyCode : js`if (${row} > 0 || ${separated}) { ${separator} }`}
${steps}
${constantCode(module, template.after, names)}
}
${out}.at = ${at};
};`;
  return instantiate<null, WriteRows>(module.finish(module.name('state'), body))([], null);
}
