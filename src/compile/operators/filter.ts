import { type Code, joinCode, js } from '../../code/index.ts';
import type { BoundExpr, BoundLambda } from '../../plan/index.ts';
import type { RowCompiler } from '../expr/row-compiler.ts';
import type { Operator } from './operator.ts';

function conjuncts(expr: BoundExpr): readonly BoundExpr[] {
  if (expr.kind !== 'call' || expr.definition.name !== 'and') return [expr];
  return expr.args.flatMap((argument) => (argument.kind === 'lambda' ? [] : conjuncts(argument)));
}

/** A filter whose condition is a list of conditions that all have to hold. */
export interface FilterOperator extends Operator {
  readonly conditions: readonly BoundExpr[];
}

/** Lets rows through for which the predicate is neither false nor NULL. */
export function filterOperator(predicate: BoundExpr): FilterOperator {
  return filterOf(conjuncts(predicate));
}

/** Lets rows through for which every condition holds; each is tested as soon as it can be. */
export function filterOf(conditions: readonly BoundExpr[]): FilterOperator {
  return {
    name: 'filter',
    conditions,
    expressions: conditions,
    createState: () => null,
    emit({ compiler }, next) {
      for (const condition of conditions) {
        const operand = compiler.compile(condition);
        if (operand.isNull !== null) compiler.statement(js`if (${operand.isNull}) continue;`);
        compiler.statement(js`if (!${operand.test ?? operand.code}) continue;`);
      }
      next();
    },
  };
}

const cheapCategories = new Set(['comparison', 'arithmetic']);

/**
 * Whether a condition costs a few instructions and can be computed for rows that another condition leaves out: comparisons
 * and sums of numbers straight from the block, and look-ups by dictionary code.
 */
export function isCheap(compiler: RowCompiler, expr: BoundExpr | BoundLambda): boolean {
  switch (expr.kind) {
    case 'literal':
      return typeof expr.value === 'number';
    case 'parameter':
      return expr.type.kind === 'int' || expr.type.kind === 'float';
    case 'column': {
      const access = compiler.access(expr);
      if (access !== undefined) return access.sample.kind === 'flat';
      const source = compiler.columns.get(expr.column.id);
      return source?.kind === 'expr' && isCheap(compiler, source.expr);
    }
    case 'call': {
      const { category, name } = expr.definition;
      const plain = cheapCategories.has(category) && !name.startsWith('int_div') && name !== 'modulo';
      return (
        (plain && expr.args.every((argument) => isCheap(compiler, argument))) || isLookUp(compiler, expr)
      );
    }
    default:
      return false;
  }
}

/** Functions that take any text without failing, beside comparisons. */
const harmlessTests = new Set([
  'like',
  'not_like',
  'ilike',
  'not_ilike',
  'starts_with',
  'ends_with',
  'empty',
  'not_empty',
]);

/** A test of a dictionary column against constants is computed once an entry. */
function isLookUp(compiler: RowCompiler, expr: BoundExpr): boolean {
  if (expr.kind !== 'call') return false;
  if (expr.definition.category !== 'comparison' && !harmlessTests.has(expr.definition.name)) return false;
  return expr.args.every((argument) => {
    if (argument.kind === 'literal' || argument.kind === 'parameter') return true;
    return argument.kind === 'column' && compiler.access(argument)?.sample.kind === 'dictionary';
  });
}

/** The generated names of a list of row numbers and of how many it holds. */
export interface Selection {
  readonly list: Code;
  readonly count: Code;
}

/**
 * Emits a loop that gathers the numbers of the rows for which all conditions hold, without a branch that depends on the
 * data: what would be mispredicted on half the rows costs the same for all.
 */
export function emitSelection(
  compiler: RowCompiler,
  conditions: readonly BoundExpr[],
  row: Code,
  rows: Code,
): Selection {
  const list = compiler.rowList(rows, 'selected');
  const count = compiler.module.name('count');
  const body = compiler.capture(() => {
    const tests = conditions.map((condition) => {
      compiler.takesAll = true;
      const operand = compiler.compile(condition);
      compiler.takesAll = false;
      const test = operand.test ?? js`(${operand.code} !== 0)`;
      return operand.isNull === null ? test : js`(!(${operand.isNull})) & ${test}`;
    });
    compiler.statement(js`${list}[${count}] = ${row};`);
    compiler.statement(js`${count} += ${joinCode([...tests, js`1`], ' & ')};`);
  });
  compiler.block.statements.push(
    js`let ${count} = 0;\nfor (let ${row} = 0; ${row} < ${rows}; ${row}++) {\n${body}}`,
  );
  return { list, count };
}
