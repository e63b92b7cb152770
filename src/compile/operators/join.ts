import { js } from '../../code/index.ts';
import { vectorShape } from '../../column/index.ts';
import type { BoundExpr, Column } from '../../plan/index.ts';
import { JoinTable } from '../../runtime/index.ts';
import { emitFindKeys, emitKeys, keyTables } from './keys.ts';
import type { Operator, Sink } from './operator.ts';

/** Gathers the keys of a join's right side; the rows themselves are kept by whoever runs the pipeline. */
export function buildSink(keys: readonly BoundExpr[]): Sink {
  return {
    name: 'join_build',
    expressions: keys,
    createState: () => new JoinTable(keyTables(keys.map((key) => key.type)).keys),
    emit(context) {
      const { compiler, state } = context;
      if (keys.length === 0) {
        compiler.statement(js`${state}.link(0);`);
        return;
      }
      const nulls = keys.map((key) => compiler.compile(key).isNull).filter((isNull) => isNull !== null);
      for (const isNull of nulls) compiler.statement(js`if (${isNull}) {\n${state}.link(-1);\ncontinue;\n}`);
      const id = emitKeys({ compiler, tables: state }, keys);
      compiler.statement(js`${state}.link(${id});`);
    },
  };
}

/** A join's probe: for each row of the left side, the rows of the right side with the same keys. */
export interface ProbeSpec {
  readonly type: 'inner' | 'left' | 'cross';
  readonly any: boolean;
  readonly keys: readonly BoundExpr[];
  /** The right side's columns, and their places in the built block. */
  readonly outputs: readonly { readonly column: Column; readonly source: number }[];
}

export function probeOperator(spec: ProbeSpec): Operator {
  return {
    name: 'join_probe',
    expressions: spec.keys,
    // The built table is put in by whoever runs the pipeline, before the first row.
    createState: () => ({ table: new JoinTable([]) }),
    shape: (state) => (state as { table: JoinTable }).table.block.vectors.map(vectorShape).join(','),
    samples: (state) => (state as { table: JoinTable }).table.block.vectors,
    emit({ compiler, state, samples }, next) {
      const table = compiler.perExecution(js`${state}.table`, 'table');
      const id = spec.keys.length === 0 ? js`0` : emitFindKeys({ compiler, tables: table }, spec.keys);
      const row = compiler.module.name('match');
      const following = compiler.perExecution(js`${table}.next`, 'following');
      const block = compiler.perExecution(js`${table}.block`, 'built');
      const advance = spec.any ? js`-1` : js`${following}[${row}] ?? -1`;
      const first = compiler.constant('first', js`${table}.first(${id})`);
      const start = spec.type === 'left' ? js`${first} < 0 ? ${table}.rows : ${first}` : first;
      const body = compiler.capture(() => {
        for (const output of spec.outputs) {
          const vector = compiler.perExecution(js`${block}.vectors[${output.source}]`, 'built');
          const access = { type: output.column.type, vector, row, sample: samples[output.source]! };
          compiler.columns.set(output.column.id, { kind: 'access', access });
        }
        next();
      });
      compiler.statement(js`for (let ${row} = ${start}; ${row} >= 0; ${row} = ${advance}) {\n${body}}`);
    },
  };
}
