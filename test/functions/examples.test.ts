import test from 'ava';
import { functions } from '../../src/functions/index.ts';
import { toByteString } from '../../src/types/index.ts';
import { textOf } from './evaluate.ts';

for (const definition of functions.definitions) {
  test(`examples of ${definition.name}`, async (t) => {
    for (const [expression, result] of definition.examples) {
      t.is(await textOf(expression), toByteString(result), expression);
    }
  });
}
