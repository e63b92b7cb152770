export { expressionName } from './expression-name.ts';
export { allColumns, selectFrom } from './make.ts';
export type * from './nodes.ts';
export { printSql } from './print.ts';
export { quoteName, quotePath, quoteString } from './quote.ts';
export { reservedWords } from './reserved-words.ts';
export {
  childrenOf,
  type ExprHandlers,
  type ExprOf,
  equalNodes,
  leavesOf,
  mapChildren,
  queryOf,
  type StatementHandlers,
  type StatementOf,
  selectsOf,
  visitExpr,
  visitStatement,
  walkExpr,
} from './visit.ts';
