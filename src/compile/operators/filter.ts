import { js } from '../../code/index.ts';
import type { BoundExpr } from '../../plan/index.ts';
import type { Operator } from './operator.ts';

function conjuncts(expr: BoundExpr): readonly BoundExpr[] {
  if (expr.kind !== 'call' || expr.definition.name !== 'and') return [expr];
  return expr.args.flatMap((argument) => (argument.kind === 'lambda' ? [] : conjuncts(argument)));
}

/** Lets rows through for which the predicate is neither false nor NULL; each condition is tested as soon as it can be. */
export function filterOperator(predicate: BoundExpr): Operator {
  return {
    name: 'filter',
    expressions: [predicate],
    createState: () => null,
    emit({ compiler }, next) {
      for (const condition of conjuncts(predicate)) {
        const operand = compiler.compile(condition);
        if (operand.isNull !== null) compiler.statement(js`if (${operand.isNull}) continue;`);
        compiler.statement(js`if (!${operand.code}) continue;`);
      }
      next();
    },
  };
}
