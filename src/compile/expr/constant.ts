import { assert } from '../../base/index.ts';
import { instantiate, js } from '../../code/index.ts';
import type { QueryContext } from '../../functions/index.ts';
import { type BoundExpr, isKnown } from '../../plan/index.ts';
import { RowCompiler } from './row-compiler.ts';

type Run = (parameters: readonly unknown[], state: { context: QueryContext | undefined }) => unknown;

/** The code of expressions that each execution computes anew. */
const compiled = new WeakMap<BoundExpr, Run>();
const known = new WeakMap<BoundExpr, { readonly value: unknown }>();

/**
 * The value of an expression without columns, computed by compiling and running it. An expression that is not known before
 * an execution needs that execution's context and parameters.
 */
export function constantValue(
  expr: BoundExpr,
  context?: QueryContext,
  parameters: readonly unknown[] = [],
): unknown {
  if (expr.kind === 'literal') return expr.value;
  if (expr.kind === 'parameter') return parameters[expr.index];
  if (!isKnown(expr)) return computed(expr, context, parameters);
  let found = known.get(expr);
  if (found === undefined) {
    found = { value: computed(expr, context, parameters) };
    known.set(expr, found);
  }
  return found.value;
}

function computed(
  expr: BoundExpr,
  context: QueryContext | undefined,
  parameters: readonly unknown[],
): unknown {
  let run = compiled.get(expr);
  if (run === undefined) {
    run = compileConstant(expr);
    compiled.set(expr, run);
  }
  return run(parameters, { context });
}

function compileConstant(expr: BoundExpr): Run {
  const compiler = new RowCompiler();
  const body: ReturnType<typeof js>[] = [];
  compiler.within(compiler.once, () => {
    const result = compiler.compile(expr);
    compiler.statement(js`return ${compiler.boxed(result)};`);
  });
  body.push(...compiler.once.statements);
  const module = compiler.module.finish(compiler.state, js`${body}`);
  const run = instantiate<{ context: QueryContext | undefined }, unknown>(module);
  assert(typeof run === 'function', 'a module gives a function');
  return run;
}
