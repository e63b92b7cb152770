import { type Code, joinCode, js } from '../../code/index.ts';
import {
  type ColumnBuilder,
  columnBuilder,
  Dictionary,
  flatFromDoubles,
  gatherVector,
  narrowCodes,
  type Vector,
} from '../../column/index.ts';
import { representation, type SqlType } from '../../types/index.ts';
import type { RowOperand } from '../expr/frame.ts';
import type { Output, Sink, SinkContext } from './operator.ts';

/** How an output column is gathered while a block's rows are gone through. */
interface OutputWriter {
  /** Statements that store the row's value at position `at`. */
  readonly store: (at: Code) => void;
  /** An expression for the vector of the first `count` rows, after the loop. */
  readonly vector: (count: Code) => Code;
}

/** The rows of a column of the block itself: no copy when all were taken, in order. */
function takeRows(vector: Vector, rows: Uint32Array, count: number, all: boolean): Vector {
  if (all && count === vector.length) return vector;
  if (vector.kind === 'dictionary' && vector.dictionary.size > 4 * count + 64)
    return compactDictionary(vector, rows, count);
  return gatherVector(vector, rows.subarray(0, count));
}

/** A few rows of a large dictionary take only the entries they use. */
function compactDictionary(
  vector: Vector & { kind: 'dictionary' },
  rows: Uint32Array,
  count: number,
): Vector {
  const builder = columnBuilder({ kind: 'string' });
  const { strings } = vector.dictionary;
  for (let index = 0; index < count; index++) {
    const row = rows[index]!;
    builder.append(vector.nulls?.[row] === 1 ? null : strings[vector.codes[row]!]);
  }
  return builder.finish();
}

function fromDoubles(values: Float64Array, type: SqlType, nulls: Uint8Array | null, count: number): Vector {
  const mask = nulls === null ? null : nulls.slice(0, count);
  return flatFromDoubles(values.subarray(0, count), type, mask?.includes(1) ? mask : null);
}

function fromCodes(
  codes: Uint32Array,
  strings: readonly (string | undefined)[],
  nulls: Uint8Array | null,
  count: number,
): Vector {
  const mask = nulls === null ? null : nulls.slice(0, count);
  const entries = Array.from(strings, (text) => text ?? '');
  return {
    kind: 'dictionary',
    length: count,
    nulls: mask?.includes(1) ? mask : null,
    codes: narrowCodes(codes.subarray(0, count), entries.length),
    dictionary: Dictionary.fromStrings(entries),
  };
}

function nullWriter(context: SinkContext, operand: RowOperand): { array: Code; store: (at: Code) => void } {
  const { compiler } = context;
  if (operand.isNull === null) return { array: js`null`, store: () => {} };
  const array = compiler.module.name('outNulls');
  compiler.block.statements.push(js`const ${array} = new Uint8Array(${capacity(context)});`);
  return { array, store: (at) => compiler.statement(js`${array}[${at}] = ${operand.isNull!} ? 1 : 0;`) };
}

function capacity(context: SinkContext): Code {
  return context.expands ? js`65536` : context.rows;
}

function numberWriter(context: SinkContext, operand: RowOperand, type: SqlType): OutputWriter {
  const { compiler } = context;
  const array = compiler.module.name('out');
  compiler.block.statements.push(js`const ${array} = new Float64Array(${capacity(context)});`);
  const nulls = nullWriter(context, operand);
  const make = compiler.bind(fromDoubles, 'fromDoubles');
  const bound = compiler.bind(type, 'type');
  return {
    store: (at) => {
      compiler.statement(js`${array}[${at}] = ${operand.code};`);
      nulls.store(at);
    },
    vector: (count) => js`${make}(${array}, ${bound}, ${nulls.array}, ${count})`,
  };
}

function codesWriter(context: SinkContext, operand: RowOperand): OutputWriter {
  const { compiler } = context;
  const array = compiler.module.name('out');
  compiler.block.statements.push(js`const ${array} = new Uint32Array(${capacity(context)});`);
  const nulls = nullWriter(context, operand);
  const make = compiler.bind(fromCodes, 'fromCodes');
  return {
    store: (at) => {
      compiler.statement(js`${array}[${at}] = ${operand.dictionary!.code};`);
      nulls.store(at);
    },
    vector: (count) => js`${make}(${array}, ${operand.dictionary!.strings}, ${nulls.array}, ${count})`,
  };
}

function newBuilder(type: SqlType): ColumnBuilder {
  return columnBuilder(type);
}

function builderWriter(context: SinkContext, operand: RowOperand, type: SqlType): OutputWriter {
  const { compiler } = context;
  const builder = compiler.module.name('builder');
  compiler.block.statements.push(
    js`const ${builder} = ${compiler.bind(newBuilder, 'newBuilder')}(${compiler.bind(type, 'type')});`,
  );
  return {
    store: () => compiler.statement(js`${builder}.append(${compiler.boxed(operand)});`),
    vector: () => js`${builder}.finish()`,
  };
}

/** Columns of one block or built side share the list of the rows that were taken. */
class RowLists {
  readonly #lists = new Map<string, Code>();
  readonly #context: SinkContext;

  constructor(context: SinkContext) {
    this.#context = context;
  }

  of(row: Code): Code {
    const key = row.parts.join('');
    let list = this.#lists.get(key);
    if (list === undefined) {
      list = this.#context.compiler.rowList(capacity(this.#context), 'taken');
      this.#lists.set(key, list);
    }
    return list;
  }

  store(at: Code): void {
    for (const [key, list] of this.#lists) {
      this.#context.compiler.statement(js`${list}[${at}] = ${this.#rows.get(key)!};`);
    }
  }

  readonly #rows = new Map<string, Code>();

  remember(row: Code): Code {
    this.#rows.set(row.parts.join(''), row);
    return this.of(row);
  }
}

function writerFor(context: SinkContext, output: Output, lists: RowLists): OutputWriter {
  const { compiler } = context;
  const access = compiler.access(output.expr);
  if (access !== undefined) {
    const list = lists.remember(access.row);
    const take = compiler.bind(takeRows, 'takeRows');
    const own = access.row.parts.join('') === context.row.parts.join('') && !context.expands;
    return { store: () => {}, vector: (count) => js`${take}(${access.vector}, ${list}, ${count}, ${own})` };
  }
  const operand = compiler.compile(output.expr);
  const held = representation(output.column.type);
  const { type } = output.column;
  if (held === 'number' || (held === 'mixed' && operand.bounds !== undefined))
    return numberWriter(context, operand, type);
  if (operand.dictionary !== undefined) return codesWriter(context, operand);
  return builderWriter(context, operand, type);
}

/** Gives the rows as blocks of the outputs' columns. */
export function emitSink(outputs: readonly Output[]): Sink {
  return {
    name: 'emit',
    expressions: outputs.map((output) => output.expr),
    createState: () => null,
    emit(context) {
      const { compiler } = context;
      const count = compiler.module.name('count');
      compiler.block.statements.push(js`let ${count} = 0;`);
      const lists = new RowLists(context);
      const writers = outputs.map((output) => writerFor(context, output, lists));
      for (const writer of writers) writer.store(count);
      lists.store(count);
      compiler.statement(js`${count}++;`);
      const vectors = joinCode(writers.map((writer) => writer.vector(count)));
      const give = js`if (${count} > 0) ${compiler.state}.emit({ rows: ${count}, vectors: [${vectors}] });`;
      if (context.expands) compiler.statement(js`if (${count} === 65536) {\n${give}\n${count} = 0;\n}`);
      context.after.push(give);
    },
  };
}
