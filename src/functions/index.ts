export { rowOrder } from './aggregate/row-order.ts';
export {
  type AggregateFunction,
  type AggregateState,
  type Argument,
  boxedCode,
  type Emitter,
  type FunctionDefinition,
  isLambda,
  type Kernel,
  type LambdaOperand,
  type ObjectState,
  type Operand,
  type QueryContext,
  type ScalarFunction,
  type Slot,
  type SlotState,
  values,
} from './definition.ts';
export { functions } from './functions.ts';
export { FunctionRegistry } from './registry.ts';
