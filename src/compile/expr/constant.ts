import { assert } from '../../base/index.ts';
import { instantiate, js } from '../../code/index.ts';
import type { QueryContext } from '../../functions/index.ts';
import type { BoundExpr } from '../../plan/index.ts';
import { RowCompiler } from './row-compiler.ts';

const known = new WeakMap<BoundExpr, { readonly value: unknown }>();

/** The value of an expression without columns, computed by compiling and running it. */
export function constantValue(expr: BoundExpr, context?: QueryContext): unknown {
  if (expr.kind === 'literal') return expr.value;
  const found = known.get(expr);
  if (found !== undefined) return found.value;
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
  const value = run([], { context });
  known.set(expr, { value });
  return value;
}
