import { type Code, instantiate, joinCode, js, ModuleBuilder } from '../../code/index.ts';
import type { BlockAssembler } from './block-assembler.ts';
import type { InputCursor } from './input-cursor.ts';
import type { ColumnReader } from './json-column.ts';
import type { RowLayout } from './json-row.ts';
import { skipJsonValue } from './json-scan.ts';
import { type ColumnPlan, declarePowers, type ValueNames, valueCode } from './value-code.ts';

/**
 * Reads rows of one layout from `cursor.rowStart` on until a row looks different, is not complete, or `rowsMax` is
 * reached. Columns that are not in the layout are left alone.
 */
export type FastRows = (
  cursor: InputCursor,
  assembler: BlockAssembler,
  readers: readonly ColumnReader[],
  rowsMax: number,
) => void;

/** What the code of a layout depends on: the bytes between the values, and the values themselves. */
export interface LayoutPlan {
  readonly key: string;
  /** One more than there are values. */
  readonly segments: readonly Buffer[];
  readonly columns: readonly number[];
}

/** Limits past which a layout is not worth, or not fit for, code of its own. */
const fieldsMax = 64;
const segmentBytesMax = 512;

/** The plan for rows like the one whose layout was recorded; undefined when it is too large or too odd. */
export function layoutPlan(
  layout: RowLayout,
  bytes: Buffer,
  start: number,
  end: number,
  plans: readonly ColumnPlan[],
): LayoutPlan | undefined {
  const { columns, starts, ends } = layout;
  if (columns.length === 0 || columns.length > fieldsMax) return undefined;
  const segments: Buffer[] = [];
  let key = '';
  for (let index = 0; index <= columns.length; index++) {
    const from = index === 0 ? start : start + ends[index - 1]!;
    const to = index === columns.length ? end : start + starts[index]!;
    const segment = Buffer.from(bytes.subarray(from, to));
    if (segment.length === 0 || segment.length > segmentBytesMax || segment.includes(0)) return undefined;
    segments.push(segment);
    const column = columns[index];
    const plan = column === undefined ? '' : column < 0 ? 'skip' : plans[column]!.key;
    key += `${segment.length} ${segment.latin1Slice()} ${column ?? ''} ${plan}\n`;
  }
  return { key, segments, columns: [...columns] };
}

/** A condition that the bytes at `at` are those of the segment, four at a time where it is long enough. */
function segmentMatches(segment: Buffer, bytes: Code, view: Code, at: Code): Code {
  const conditions: Code[] = [];
  let index = 0;
  for (; index + 4 <= segment.length; index += 4) {
    conditions.push(js`${view}.getInt32(${at} + ${index}, true) === ${segment.readInt32LE(index)}`);
  }
  for (; index < segment.length; index++)
    conditions.push(js`${bytes}[${at} + ${index}] === ${segment[index]!}`);
  return joinCode(conditions, ' && ');
}

/** Strings end at the next quote; those with an escape in them take the reader's way. */
function stringCode(names: ValueNames, nullable: boolean): Code {
  const { bytes, view, at, row, store, nulls } = names;
  const given = nullable ? js`${nulls}[${row}] = 0;` : js``;
  return js`
if (${bytes}[${at}] !== 34) break fast;
let end = ${at} + 1, byte = ${bytes}[end];
while (byte !== 34 && byte !== 92 && byte !== 0) byte = ${bytes}[++end];
if (byte !== 34) break fast;
${given}
${store}.putBytes(${bytes}, ${view}, ${at} + 1, end, ${row});
${at} = end + 1;`;
}

interface RowNames extends Omit<ValueNames, 'store' | 'nulls'> {
  readonly assembler: Code;
  readonly readers: Code;
}

interface FieldCode {
  readonly declarations: Code;
  readonly read: Code;
}

/** The code of one field: the fast way in a block labelled `fast`, then the column's reader for everything else. */
function fieldCode(module: ModuleBuilder, column: number, plan: ColumnPlan, names: RowNames): FieldCode {
  const { cursor, assembler, readers, at, row } = names;
  const store = module.name('store');
  const nulls = module.name('nulls');
  const sink = js`${assembler}.sinks[${column}]`;
  const all: ValueNames = { ...names, store, nulls };
  const fallback = js`
${cursor}.at = ${at};
${cursor}.column = ${column};
if (!${readers}[${column}](${cursor}, ${row})) ${assembler}.omit(${column}, ${row});
${at} = ${cursor}.at;`;
  if (plan.value.kind === 'other') return { declarations: js``, read: fallback };
  const isString = plan.value.kind === 'string';
  const fast = isString ? stringCode(all, plan.nullable) : valueCode(module, plan, all, 'quoted');
  const declareNulls = plan.nullable ? js`const ${nulls} = ${sink}.nulls.mask;` : js``;
  return {
    declarations: js`const ${store} = ${sink}${isString ? js`` : js`.data`};\n${declareNulls}`,
    read: js`value: { fast: { ${fast}\nbreak value; }\n${fallback} }`,
  };
}

function compile(layout: LayoutPlan, plans: readonly ColumnPlan[]): FastRows {
  const module = new ModuleBuilder();
  const names: RowNames = {
    cursor: module.name('cursor'),
    assembler: module.name('assembler'),
    readers: module.name('readers'),
    bytes: module.name('bytes'),
    view: module.name('view'),
    at: module.name('at'),
    row: module.name('row'),
  };
  const { cursor, assembler, readers, bytes, view, at, row } = names;
  const rowsMax = module.name('rowsMax');
  const skip = module.bind(skipJsonValue, 'skipJsonValue');
  const declarations: Code[] = [];
  const steps: Code[] = [];
  const pass = (segment: Buffer) =>
    js`if (!(${segmentMatches(segment, bytes, view, at)})) break;\n${at} += ${segment.length};`;
  for (const [index, column] of layout.columns.entries()) {
    steps.push(pass(layout.segments[index]!));
    if (column < 0) {
      steps.push(js`${cursor}.at = ${at};\n${skip}(${cursor});\n${at} = ${cursor}.at;`);
    } else {
      const field = fieldCode(module, column, plans[column]!, names);
      declarations.push(field.declarations);
      steps.push(field.read);
    }
  }
  steps.push(pass(layout.segments[layout.columns.length]!));
  const body = js`
${declarePowers(module)}
return (${cursor}, ${assembler}, ${readers}, ${rowsMax}) => {
const ${bytes} = ${cursor}.bytes, ${view} = ${cursor}.view;
let ${row} = ${cursor}.row;
${declarations}
while (${row} < ${rowsMax}) {
let ${at} = ${cursor}.rowStart;
if (${bytes}[${at}] === 44) ${at}++;
if (${bytes}[${at}] === 13) ${at}++;
if (${bytes}[${at}] === 10) ${at}++;
${steps}
${cursor}.row = ++${row};
${cursor}.rowStart = ${at};
}
};`;
  return instantiate<null, FastRows>(module.finish(module.name('state'), body))([], null);
}

/** Compiled parsers by layout, the ones used last at the end. */
const compiled = new Map<string, FastRows>();
const compiledMax = 256;

/** The parser for a layout, if it is known or may be compiled now. */
export function fastRows(
  layout: LayoutPlan,
  plans: readonly ColumnPlan[],
  mayCompile: boolean,
): FastRows | undefined {
  let rows = compiled.get(layout.key);
  if (rows === undefined) {
    if (!mayCompile) return undefined;
    rows = compile(layout, plans);
    if (compiled.size >= compiledMax) {
      const [oldest] = compiled.keys();
      compiled.delete(oldest!);
    }
  } else {
    compiled.delete(layout.key);
  }
  compiled.set(layout.key, rows);
  return rows;
}
