import { aggregateFunctions } from './aggregate/index.ts';
import { FunctionRegistry } from './registry.ts';
import { arithmeticFunctions } from './scalar/arithmetic.ts';
import { arrayReduceFunctions } from './scalar/array-reduce.ts';
import { arrayFunctions } from './scalar/arrays.ts';
import { arrayEditFunctions } from './scalar/arrays-edit.ts';
import { arraySetFunctions } from './scalar/arrays-sets.ts';
import { bitFunctions } from './scalar/bits.ts';
import { choiceFunctions } from './scalar/choices.ts';
import { comparisonFunctions } from './scalar/comparison.ts';
import { conditionalFunctions } from './scalar/conditional.ts';
import { conversionFunctions } from './scalar/conversion.ts';
import { dateArithmeticFunctions } from './scalar/date-arithmetic.ts';
import { dateDifferenceFunctions } from './scalar/date-difference.ts';
import { dateFormatFunctions } from './scalar/date-format.ts';
import { jodaFormatFunctions } from './scalar/date-format-joda.ts';
import { dateIntervalStartFunctions } from './scalar/date-interval-start.ts';
import { dateMakeFunctions } from './scalar/date-make.ts';
import { dateNowFunctions } from './scalar/date-now.ts';
import { dateParseFunctions } from './scalar/date-parse.ts';
import { datePartFunctions } from './scalar/date-parts.ts';
import { dateRoundingFunctions } from './scalar/date-rounding.ts';
import { encodingFunctions } from './scalar/encoding.ts';
import { formatTextFunctions } from './scalar/format-text.ts';
import { geoFunctions } from './scalar/geo.ts';
import { hashFunctions } from './scalar/hash.ts';
import { digestFunctions } from './scalar/hash-digests.ts';
import { higherOrderFunctions } from './scalar/higher-order.ts';
import { higherOrderSearchFunctions } from './scalar/higher-order-search.ts';
import { introspectionFunctions } from './scalar/introspection.ts';
import { ipFunctions } from './scalar/ip.ts';
import { jsonFunctions } from './scalar/json.ts';
import { jsonPathFunctions } from './scalar/json-path.ts';
import { simpleJsonFunctions } from './scalar/json-simple.ts';
import { logicalFunctions } from './scalar/logical.ts';
import { mapFunctions } from './scalar/maps.ts';
import { mathFunctions } from './scalar/math.ts';
import { nowFunctions } from './scalar/now.ts';
import { nullFunctions } from './scalar/nulls.ts';
import { randomFunctions } from './scalar/random.ts';
import { regexpFunctions } from './scalar/regexp.ts';
import { roundingFunctions } from './scalar/rounding.ts';
import { stringDistanceFunctions } from './scalar/string-distance.ts';
import { likeFunctions } from './scalar/string-like.ts';
import { stringSearchFunctions } from './scalar/string-search.ts';
import { stringFunctions } from './scalar/strings.ts';
import { stringEditFunctions } from './scalar/strings-edit.ts';
import { stringSplitFunctions } from './scalar/strings-split.ts';
import { utf8Functions } from './scalar/strings-utf8.ts';
import { textFieldFunctions } from './scalar/text-fields.ts';
import { tupleFunctions } from './scalar/tuples.ts';
import { urlFunctions } from './scalar/url.ts';
import { uuidFunctions } from './scalar/uuid.ts';

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
  ...nowFunctions,
  ...likeFunctions,
  ...stringSearchFunctions,
  ...stringFunctions,
  ...utf8Functions,
  ...stringEditFunctions,
  ...stringSplitFunctions,
  ...regexpFunctions,
  ...jsonFunctions,
  ...jsonPathFunctions,
  ...simpleJsonFunctions,
  ...formatTextFunctions,
  ...textFieldFunctions,
  ...stringDistanceFunctions,
  ...urlFunctions,
  ...ipFunctions,
  ...digestFunctions,
  ...hashFunctions,
  ...encodingFunctions,
  ...uuidFunctions,
  ...randomFunctions,
  ...introspectionFunctions,
  ...nullFunctions,
  ...choiceFunctions,
  ...datePartFunctions,
  ...dateRoundingFunctions,
  ...dateIntervalStartFunctions,
  ...dateNowFunctions,
  ...dateArithmeticFunctions,
  ...dateDifferenceFunctions,
  ...dateMakeFunctions,
  ...dateFormatFunctions,
  ...jodaFormatFunctions,
  ...dateParseFunctions,
  ...mathFunctions,
  ...roundingFunctions,
  ...bitFunctions,
  ...arrayReduceFunctions,
  ...geoFunctions,
  ...aggregateFunctions,
]);
