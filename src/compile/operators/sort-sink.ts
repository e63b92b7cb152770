import { limits } from '../../base/index.ts';
import { js } from '../../code/index.ts';
import { type Block, sliceBlock } from '../../column/index.ts';
import type { BoundExpr, SortKey } from '../../plan/index.ts';
import { Sorter } from '../../runtime/index.ts';
import { isFloat, representation } from '../../types/index.ts';
import { countOf } from './counts.ts';
import { emitSink } from './emit-sink.ts';
import type { Output, Sink, SinkContext } from './operator.ts';

/** Skips rows whose first key, a number, is past the threshold that the sorter has learnt. */
function emitThreshold(context: SinkContext, key: SortKey): void {
  const { compiler, state } = context;
  const held = representation(key.expr.type);
  if (held !== 'number' && held !== 'mixed') return;
  const operand = compiler.compile(key.expr);
  if (held === 'mixed' && operand.bounds === undefined) return;
  // NULLS FIRST puts NULL and NaN before every number.
  if (key.nullsFirst && (operand.isNull !== null || isFloat(key.expr.type))) return;
  const threshold = compiler.perBlock(js`${state}.threshold`, 'threshold');
  const access = compiler.access(key.expr);
  // Where the bounds of the whole block are past it, no row has to be looked at.
  if (access?.sample.kind === 'flat' && context.skipsBlocks) {
    const best = key.descending
      ? js`${access.vector}.max < ${threshold}`
      : js`${access.vector}.min > ${threshold}`;
    compiler.block.statements.push(js`if (${best}) return;`);
  }
  const past = key.descending ? js`${operand.code} < ${threshold}` : js`${operand.code} > ${threshold}`;
  compiler.statement(
    operand.isNull === null ? js`if (${past}) continue;` : js`if (!(${operand.isNull}) && ${past}) continue;`,
  );
}

/** Gathers rows and gives them in order, all or the first of them. */
export function sortSink(
  outputs: readonly Output[],
  keys: readonly SortKey[],
  top: { limit: BoundExpr; offset: BoundExpr | null } | null,
): Sink {
  const keyOutputs = keys.map(
    (key, index): Output => ({
      column: { id: -1 - index, name: `key_${index + 1}`, type: key.expr.type },
      expr: key.expr,
    }),
  );
  // A key that is an output anyway is not gathered twice.
  const all: Output[] = [...outputs];
  const positions = keyOutputs.map((key) => {
    const same = outputs.findIndex(
      (output) =>
        output.expr === key.expr ||
        (output.expr.kind === 'column' &&
          key.expr.kind === 'column' &&
          output.expr.column === key.expr.column),
    );
    return same >= 0 ? same : all.push(key) - 1;
  });
  const gather = emitSink(all);
  return {
    name: top === null ? 'sort' : 'top',
    expressions: gather.expressions,
    createState: (parameters) => {
      const limit =
        top === null
          ? Number.POSITIVE_INFINITY
          : countOf(top.limit, parameters, 0) + countOf(top.offset, parameters, 0);
      const sorterKeys = keys.map((key, index) => ({
        column: positions[index]!,
        type: key.expr.type,
        descending: key.descending,
        nullsFirst: key.nullsFirst,
      }));
      return new Sorter(
        sorterKeys,
        all.map((output) => output.column.type),
        limit,
      );
    },
    emit(context) {
      const [first] = keys;
      // Under a limit, rows whose first key is past the worst one kept so far need not be gathered.
      if (top !== null && first !== undefined) emitThreshold(context, first);
      gather.emit(context);
    },
    *finish(state) {
      const block = (state as Sorter).finish();
      if (block === null) return;
      const wanted: Block = { rows: block.rows, vectors: block.vectors.slice(0, outputs.length) };
      for (let start = 0; start < wanted.rows; start += limits.block_rows_max) {
        yield sliceBlock(wanted, start, Math.min(wanted.rows, start + limits.block_rows_max));
      }
    },
  };
}
