export { Binder } from './analyze/binder.ts';
export { tableArguments } from './analyze/from.ts';
export { bindLiteral, integerLiteralType, literalOf, literalText } from './analyze/literal.ts';
export { castOutputs, planQuery } from './analyze/query.ts';
export { Scope, type WithScope } from './analyze/scope.ts';
export {
  type AggregateCall,
  type BoundAggregate,
  type BoundCall,
  type BoundColumn,
  type BoundExpr,
  type BoundInSet,
  type BoundJsonPath,
  type BoundLambda,
  type BoundLiteral,
  type BoundParameter,
  boundChildren,
  type Column,
  columnsOf,
  exprKey,
  isConstant,
  isKnown,
  type JsonStep,
  visitBound,
} from './bound.ts';
export type {
  CatalogView,
  PlanContext,
  PreparedValue,
  TableArgument,
  TableFunctions,
} from './context.ts';
export {
  type AggregateOutput,
  type Assignment,
  type LogicalPlan,
  outputColumns,
  planExpressions,
  planInputs,
  type ScanColumn,
  type ScanCondition,
  type ScanPlan,
  type ScanSource,
  type SortKey,
} from './logical.ts';
export { optimize, rules, rulesWithout } from './optimize.ts';
