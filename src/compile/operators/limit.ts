import { js } from '../../code/index.ts';
import type { BoundExpr } from '../../plan/index.ts';
import { countOf } from './counts.ts';
import { emitKeys, keyTables } from './keys.ts';
import type { Operator } from './operator.ts';

/** Rows still to be left out and rows still wanted. */
interface LimitState {
  skip: number;
  left: number;
}

/** Lets `limit` rows through after leaving out `offset`, then ends the pipeline's work. */
export function limitOperator(limit: BoundExpr | null, offset: BoundExpr | null): Operator {
  return {
    name: 'limit',
    expressions: [],
    createState: (parameters): LimitState => ({
      skip: countOf(offset, parameters, 0),
      left: countOf(limit, parameters, Number.POSITIVE_INFINITY),
    }),
    emit({ compiler, state }, next) {
      compiler.statement(js`if (${state}.skip > 0) {\n${state}.skip--;\ncontinue;\n}`);
      compiler.statement(js`if (${state}.left <= 0) {\n${compiler.state}.done = true;\nbreak;\n}`);
      compiler.statement(js`if (--${state}.left === 0) ${compiler.state}.done = true;`);
      next();
    },
  };
}

/** Lets through at most `limit` rows of each combination of keys, after leaving out `offset` of them. */
export function limitByOperator(
  limit: BoundExpr,
  offset: BoundExpr | null,
  by: readonly BoundExpr[],
): Operator {
  const types = by.map((expr) => expr.type);
  return {
    name: 'limit_by',
    expressions: by,
    createState: (parameters) => {
      const from = countOf(offset, parameters, 0);
      return {
        tables: keyTables(types),
        seen: [] as number[],
        from,
        to: from + countOf(limit, parameters, 0),
      };
    },
    emit({ compiler, state }, next) {
      const group = emitKeys({ compiler, tables: js`${state}.tables` }, by);
      const seen = compiler.perBlock(js`${state}.seen`, 'seen');
      const position = compiler.constant('position', js`${seen}[${group}] ?? 0`);
      compiler.statement(js`${seen}[${group}] = ${position} + 1;`);
      compiler.statement(js`if (${position} < ${state}.from || ${position} >= ${state}.to) continue;`);
      next();
    },
  };
}

/** Lets through the first row of each combination of values. */
export function distinctOperator(on: readonly BoundExpr[]): Operator {
  const types = on.map((expr) => expr.type);
  return {
    name: 'distinct',
    expressions: on,
    createState: () => ({ tables: keyTables(types), known: 0 }),
    emit({ compiler, state }, next) {
      const group = emitKeys({ compiler, tables: js`${state}.tables` }, on);
      compiler.statement(js`if (${group} < ${state}.known) continue;\n${state}.known = ${group} + 1;`);
      next();
    },
  };
}
