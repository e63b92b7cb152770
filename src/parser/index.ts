export { findValueEnd } from './insert-data.ts';
export {
  type InsertHead,
  type ParseOptions,
  parseExpression,
  parseInsertHead,
  parseInsertTail,
  parseQuery,
  parseStatement,
  parseStatements,
} from './parse.ts';
export { type ShapeLiteral, type TokenShape, tokenShape } from './token-shape.ts';
