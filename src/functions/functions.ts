import { aggregateFunctions } from './aggregate/index.ts';
import { FunctionRegistry } from './registry.ts';
import { arithmeticFunctions } from './scalar/arithmetic.ts';
import { arrayFunctions } from './scalar/arrays.ts';
import { arrayEditFunctions } from './scalar/arrays-edit.ts';
import { arraySetFunctions } from './scalar/arrays-sets.ts';
import { comparisonFunctions } from './scalar/comparison.ts';
import { conditionalFunctions } from './scalar/conditional.ts';
import { conversionFunctions } from './scalar/conversion.ts';
import { higherOrderFunctions } from './scalar/higher-order.ts';
import { higherOrderSearchFunctions } from './scalar/higher-order-search.ts';
import { logicalFunctions } from './scalar/logical.ts';
import { mapFunctions } from './scalar/maps.ts';
import { tupleFunctions } from './scalar/tuples.ts';

/** Every function of the engine. */
export const functions = new FunctionRegistry([
  ...arithmeticFunctions,
  ...comparisonFunctions,
  ...logicalFunctions,
  ...conditionalFunctions,
  ...conversionFunctions,
  ...arrayFunctions,
  ...arrayEditFunctions,
  ...arraySetFunctions,
  ...tupleFunctions,
  ...mapFunctions,
  ...higherOrderFunctions,
  ...higherOrderSearchFunctions,
  ...aggregateFunctions,
]);
