import { type Code, js } from '../../code/index.ts';
import type { BoundExpr } from '../../plan/index.ts';
import {
  type Interner,
  NumberInterner,
  ObjectInterner,
  PairInterner,
  StringInterner,
} from '../../runtime/index.ts';
import { bareType, isFloat, representation, type SqlType } from '../../types/index.ts';
import type { RowOperand } from '../expr/frame.ts';
import type { RowCompiler } from '../expr/row-compiler.ts';

/** The interners of a list of keys: one for each, and one for each pair that joins a further key to those before. */
export interface KeyTables {
  readonly keys: readonly Interner[];
  readonly pairs: readonly PairInterner[];
}

function internerFor(type: SqlType): Interner {
  switch (representation(type)) {
    case 'string':
      return new StringInterner();
    case 'number':
    case 'mixed':
      return new NumberInterner();
    default:
      return new ObjectInterner();
  }
}

export function keyTables(types: readonly SqlType[]): KeyTables {
  return { keys: types.map(internerFor), pairs: types.slice(1).map(() => new PairInterner()) };
}

/** The number of distinct combinations of keys so far. */
export function keyCount(tables: KeyTables): number {
  const last = tables.pairs.at(-1) ?? tables.keys[0];
  return last === undefined ? 0 : last.size;
}

/** The values of the keys of one combination. */
export function keyValues(tables: KeyTables, id: number): unknown[] {
  const values: unknown[] = [];
  let rest = id;
  for (let index = tables.keys.length - 1; index >= 0; index--) {
    const pair = index > 0 ? tables.pairs[index - 1]! : null;
    values[index] = tables.keys[index]!.valueOf(pair === null ? rest : pair.rightOf(rest));
    if (pair !== null) rest = pair.leftOf(rest);
  }
  return values;
}

interface KeyEmission {
  readonly compiler: RowCompiler;
  /** The generated name of a KeyTables. */
  readonly tables: Code;
}

/** Emits the number of one key's value in the current row. */
function emitKey({ compiler, tables }: KeyEmission, operand: RowOperand, type: SqlType, index: number): Code {
  const table = compiler.perExecution(js`${tables}.keys[${index}]`, 'table');
  if (operand.dictionary !== undefined) return emitDictionaryKey(compiler, operand, table);
  const id = compiler.variable('key', js`-1`);
  const found = compiler.capture(() => {
    const integers = representation(type) === 'number' && !isFloat(type);
    const bounded = integers || (operand.bounds !== undefined && representation(type) === 'mixed');
    if (bounded && bareType(type).kind !== 'float') emitDenseLookUp(compiler, operand, table, id);
    else if (representation(type) === 'mixed')
      compiler.statement(js`${id} = ${table}.idOfMixed(${operand.code});`);
    else compiler.statement(js`${id} = ${table}.idOf(${operand.code});`);
  });
  if (operand.isNull === null) compiler.statement(found);
  else compiler.statement(js`if (${operand.isNull}) ${id} = ${table}.idOfNull();\nelse {\n${found}}`);
  return id;
}

/** Integer keys of a small range are an index away; everything else asks the table. */
function emitDenseLookUp(compiler: RowCompiler, operand: RowOperand, table: Code, id: Code): void {
  const dense = compiler.module.name('dense');
  const base = compiler.module.name('base');
  compiler.block.statements.push(js`let ${dense} = ${table}.dense, ${base} = ${table}.base;`);
  const offset = compiler.constant('offset', js`${operand.code} - ${base}`);
  compiler.statement(js`if (${offset} >= 0 && ${offset} < ${dense}.length) ${id} = ${dense}[${offset}];`);
  compiler.statement(
    js`if (${id} < 0) {\n${id} = ${table}.idOf(${operand.code});\n${dense} = ${table}.dense;\n${base} = ${table}.base;\n}`,
  );
}

/** A dictionary's codes are looked up once each. */
function emitDictionaryKey(compiler: RowCompiler, operand: RowOperand, table: Code): Code {
  const { code, size, identity, strings } = operand.dictionary!;
  const from = compiler.module.name('keysFrom');
  const ids = compiler.module.name('keys');
  compiler.once.statements.push(js`let ${from} = null, ${ids} = new Int32Array(0);`);
  compiler.block.statements.push(
    js`if (${from} !== ${identity}) {\n${from} = ${identity};\n${ids} = new Int32Array(${size}).fill(-1);\n}`,
  );
  const local = compiler.perBlock(js`${ids}`, 'keys');
  if (operand.isNull === null) {
    const id = compiler.variable('key', js`${local}[${code}]`);
    compiler.statement(js`if (${id} < 0) ${id} = ${local}[${code}] = ${table}.idOf(${strings}[${code}]);`);
    return id;
  }
  const id = compiler.variable('key', js`-1`);
  compiler.statement(
    js`if (${operand.isNull}) ${id} = ${table}.idOfNull();\nelse {\n${id} = ${local}[${code}];\nif (${id} < 0) ${id} = ${local}[${code}] = ${table}.idOf(${strings}[${code}]);\n}`,
  );
  return id;
}

/** Tells a number table the range of a plain column's values, which its vector knows. */
function expectRange(emission: KeyEmission, expr: BoundExpr, index: number): void {
  const access = emission.compiler.access(expr);
  const type = bareType(expr.type);
  if (access === undefined || access.sample.kind !== 'flat' || type.kind === 'float') return;
  const { compiler } = emission;
  compiler.block.statements.push(
    js`if (${access.vector}.max !== undefined) ${emission.tables}.keys[${index}].expect(${access.vector}.min, ${access.vector}.max);`,
  );
}

/** Emits the number of the row's combination of keys; new combinations get the next number. */
export function emitKeys(emission: KeyEmission, keys: readonly BoundExpr[]): Code {
  const { compiler, tables } = emission;
  let combined: Code | null = null;
  for (const [index, expr] of keys.entries()) {
    expectRange(emission, expr, index);
    const id = emitKey(emission, compiler.compile(expr), expr.type, index);
    if (combined === null) combined = id;
    else {
      const pair = compiler.perExecution(js`${tables}.pairs[${index - 1}]`, 'pair');
      combined = compiler.constant('group', js`${pair}.idOf(${combined}, ${id})`);
    }
  }
  return combined!;
}

/** Emits the number of the row's combination of keys among known ones, -1 for a new one or a NULL. */
export function emitFindKeys(emission: KeyEmission, keys: readonly BoundExpr[]): Code {
  const { compiler, tables } = emission;
  let combined: Code | null = null;
  for (const [index, expr] of keys.entries()) {
    const operand = compiler.compile(expr);
    const table = compiler.perExecution(js`${tables}.keys[${index}]`, 'table');
    const find = js`${table}.find(${operand.code})`;
    const id = compiler.constant(
      'key',
      operand.isNull === null ? find : js`${operand.isNull} ? -1 : ${find}`,
    );
    if (combined === null) combined = id;
    else combined = compiler.constant('group', js`${tables}.pairs[${index - 1}].find(${combined}, ${id})`);
  }
  return combined!;
}
