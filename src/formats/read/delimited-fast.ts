import { type Code, emptyCode, instantiate, js, ModuleBuilder } from '../../code/index.ts';
import type { FastRows } from './json-fast.ts';
import { type ColumnPlan, declarePowers, type ValueNames, valueCode } from './value-code.ts';

/** What the code for rows of delimited text depends on. */
export interface DelimitedPlan {
  readonly delimiter: number;
  readonly isCsv: boolean;
  /** The column of each field, in the order of the fields; -1 fields make a plan unfit for code. */
  readonly columns: readonly number[];
}

interface Field {
  readonly column: number;
  readonly plan: ColumnPlan;
  readonly isLast: boolean;
}

interface Names extends Omit<ValueNames, 'store' | 'nulls'> {
  readonly assembler: Code;
  readonly readers: Code;
}

const fieldsMax = 64;

/** Moves past the end of a field at `position`, or leaves by `otherwise`. */
function endCode(plan: DelimitedPlan, field: Field, names: Names, position: Code, otherwise: Code): Code {
  const { bytes } = names;
  if (!field.isLast) {
    return js`if (${bytes}[${position}] !== ${plan.delimiter}) { ${otherwise} } ${position}++;`;
  }
  return js`if (${bytes}[${position}] === 13) ${position}++;
if (${bytes}[${position}] !== 10) { ${otherwise} } ${position}++;`;
}

/** A string of CSV: quoted without quotes inside, or bare without blanks at its ends. */
function csvStringCode(plan: DelimitedPlan, field: Field, names: Names, store: Code): Code {
  const { bytes, view, at, row } = names;
  const end = js`end`;
  return js`
let end = ${at}, byte = ${bytes}[end], from = ${at}, to = ${at};
if (byte === 34) {
from++;
do byte = ${bytes}[++end]; while (byte !== 34 && byte !== 0);
if (byte === 0 || ${bytes}[end + 1] === 34) break fast;
to = end++;
} else {
if (byte === 39 || byte === 32 || byte === 9 || byte === 92) break fast;
while (byte !== ${plan.delimiter} && byte !== 10 && byte !== 13 && byte !== 0) byte = ${bytes}[++end];
to = end;
if (to > from && (${bytes}[to - 1] === 32 || ${bytes}[to - 1] === 9)) break fast;
}
${endCode(plan, field, names, end, js`break fast;`)}
${store}.putBytes(${bytes}, ${view}, from, to, ${row});
${at} = end;`;
}

/** A string of TabSeparated without escapes. */
function tsvStringCode(plan: DelimitedPlan, field: Field, names: Names, store: Code): Code {
  const { bytes, view, at, row } = names;
  const end = js`end`;
  return js`
let end = ${at}, byte = ${bytes}[end];
while (byte !== ${plan.delimiter} && byte !== 10 && byte !== 13 && byte !== 92 && byte !== 0) byte = ${bytes}[++end];
const to = end;
${endCode(plan, field, names, end, js`break fast;`)}
${store}.putBytes(${bytes}, ${view}, ${at}, to, ${row});
${at} = end;`;
}

function scalarCode(
  module: ModuleBuilder,
  plan: DelimitedPlan,
  field: Field,
  all: ValueNames,
  names: Names,
): Code {
  const { bytes, at } = names;
  const { kind } = field.plan.value;
  const bare = valueCode(module, field.plan, all, 'bare');
  const end = endCode(plan, field, names, at, js`${at} = start; break fast;`);
  if (!plan.isCsv || (kind !== 'date' && kind !== 'time'))
    return js`const start = ${at};\n{ ${bare} }\n${end}`;
  const quoted = valueCode(module, field.plan, all, 'quoted');
  return js`const start = ${at};\nif (${bytes}[${at}] === 34) { ${quoted} } else { ${bare} }\n${end}`;
}

function fieldCode(
  module: ModuleBuilder,
  plan: DelimitedPlan,
  field: Field,
  names: Names,
): { declarations: Code; read: Code } {
  const { cursor, assembler, readers, at, row } = names;
  const { column } = field;
  const store = module.name('store');
  const nulls = module.name('nulls');
  const sink = js`${assembler}.sinks[${column}]`;
  const { kind } = field.plan.value;
  const fallback = js`
${cursor}.at = ${at};
${cursor}.column = ${column};
if (!${readers}[${column}](${cursor}, ${row})) ${assembler}.omit(${column}, ${row});
${at} = ${cursor}.at;
${endCode(plan, field, names, at, js`break;`)}`;
  if (kind === 'other' || kind === 'skip') return { declarations: emptyCode, read: fallback };
  const given = field.plan.nullable ? js`${nulls}[${row}] = 0;` : emptyCode;
  let fast: Code;
  if (kind === 'string') {
    const string = plan.isCsv
      ? csvStringCode(plan, field, names, store)
      : tsvStringCode(plan, field, names, store);
    fast = js`${string}\n${given}`;
  } else {
    fast = scalarCode(module, plan, field, { ...names, store, nulls }, names);
  }
  const declareNulls = field.plan.nullable ? js`const ${nulls} = ${sink}.nulls.mask;` : emptyCode;
  return {
    declarations: js`const ${store} = ${sink}${kind === 'string' ? emptyCode : js`.data`};\n${declareNulls}`,
    read: js`value: { fast: { ${fast}\nbreak value; }\n${fallback} }`,
  };
}

function compile(plan: DelimitedPlan, plans: readonly ColumnPlan[]): FastRows {
  const module = new ModuleBuilder();
  const names: Names = {
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
  const fields = plan.columns.map((column, index) => {
    const field = { column, plan: plans[column]!, isLast: index === plan.columns.length - 1 };
    return fieldCode(module, plan, field, names);
  });
  const body = js`
${declarePowers(module)}
return (${cursor}, ${assembler}, ${readers}, ${rowsMax}) => {
const ${bytes} = ${cursor}.bytes, ${view} = ${cursor}.view;
let ${row} = ${cursor}.row;
${fields.map((field) => field.declarations)}
while (${row} < ${rowsMax}) {
let ${at} = ${cursor}.rowStart;
if (${bytes}[${at}] === 10 || ${bytes}[${at}] === 13 || ${at} >= ${cursor}.end) break;
${fields.map((field) => field.read)}
${cursor}.row = ++${row};
${cursor}.rowStart = ${at};
}
};`;
  return instantiate<null, FastRows>(module.finish(module.name('state'), body))([], null);
}

const compiled = new Map<string, FastRows>();
const compiledMax = 256;

/** The parser for rows of the plan, if it is known or may be compiled now; undefined also for plans unfit for one. */
export function delimitedRows(
  plan: DelimitedPlan,
  plans: readonly ColumnPlan[],
  mayCompile: boolean,
): FastRows | undefined {
  const { columns } = plan;
  if (columns.length === 0 || columns.length > fieldsMax || columns.includes(-1)) return undefined;
  const key = `${plan.delimiter} ${plan.isCsv}\n${columns.map((column) => `${column} ${plans[column]!.key}`).join('\n')}`;
  let rows = compiled.get(key);
  if (rows === undefined) {
    if (!mayCompile) return undefined;
    rows = compile(plan, plans);
    if (compiled.size >= compiledMax) {
      const [oldest] = compiled.keys();
      compiled.delete(oldest!);
    }
  } else {
    compiled.delete(key);
  }
  compiled.set(key, rows);
  return rows;
}
