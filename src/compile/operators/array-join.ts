import { SluiceError } from '../../base/index.ts';
import { type Code, js } from '../../code/index.ts';
import type { Assignment } from '../../plan/index.ts';
import type { Operator } from './operator.ts';

function assertSameLength(first: readonly unknown[], second: readonly unknown[]): void {
  if (first.length !== second.length) {
    throw new SluiceError(
      'SIZES_OF_ARRAYS_DONT_MATCH',
      `The arrays of an ARRAY JOIN have ${first.length} and ${second.length} elements`,
    );
  }
}

/** Brings one row for each element of the arrays, side by side; LEFT keeps rows of empty arrays. */
export function arrayJoinOperator(items: readonly Assignment[], left: boolean): Operator {
  return {
    name: 'array_join',
    expressions: items.map((item) => item.expr),
    createState: () => null,
    emit({ compiler }, next) {
      const arrays = items.map((item) => compiler.constant('array', compiler.compile(item.expr).code));
      const same = compiler.bind(assertSameLength, 'assertSameLength');
      for (const array of arrays.slice(1)) compiler.statement(js`${same}(${arrays[0]!}, ${array});`);
      const index = compiler.module.name('element');
      const length = compiler.constant(
        'length',
        left ? js`Math.max(1, ${arrays[0]!}.length)` : js`${arrays[0]!}.length`,
      );
      const body = compiler.capture(() => {
        for (const [position, item] of items.entries()) {
          const value = elementCode(compiler.defaultCode(item.column.type), arrays[position]!, index, left);
          compiler.columns.set(item.column.id, {
            kind: 'operand',
            operand: compiler.unbox(compiler.constant('value', value), item.column.type),
          });
        }
        next();
      });
      compiler.statement(js`for (let ${index} = 0; ${index} < ${length}; ${index}++) {\n${body}}`);
    },
  };
}

function elementCode(otherwise: Code, array: Code, index: Code, left: boolean): Code {
  return left ? js`${array}.length === 0 ? ${otherwise} : ${array}[${index}]` : js`${array}[${index}]`;
}
