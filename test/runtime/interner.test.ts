import test from 'ava';
import { NumberInterner, PairInterner } from '../../src/runtime/index.ts';

test('keys get numbers in order of appearance, however they are looked up', (t) => {
  const table = new NumberInterner();
  table.expect(0, 99);
  for (let key = 0; key < 100; key++) t.is(table.idOf(key), key);
  // Past the range that was announced keys are hashed: the table is built when many numbers are taken already.
  for (let key = 1_000_000; key < 1_000_500; key++) t.is(table.idOf(key), key - 1_000_000 + 100);
  for (let key = 0; key < 100; key++) t.is(table.find(key), key);
  t.is(table.find(1_000_499), 599);
  t.is(table.find(5_000_000), -1);
});

test('NaN is one key, -0 is 0, and bigints and NULL have numbers of their own', (t) => {
  const table = new NumberInterner();
  const nan = table.idOf(Number.NaN);
  t.is(table.idOf(Number.NaN), nan);
  t.is(table.idOf(-0), table.idOf(0));
  const big = table.idOfMixed(2n ** 60n);
  t.is(table.idOfMixed(2n ** 60n), big);
  t.is(table.valueOf(big), 2n ** 60n);
  t.is(table.valueOf(table.idOfNull()), null);
  t.is(new Set([nan, table.idOf(0), big, table.idOfNull()]).size, 4);
});

test('fractions and keys beyond 32 bits are told apart', (t) => {
  const table = new NumberInterner();
  const keys = Array.from({ length: 5_000 }, (_, index) =>
    index % 2 === 0 ? index * 4_294_967_296 : index + 1 / (index + 1),
  );
  const ids = keys.map((key) => table.idOf(key));
  t.is(new Set(ids).size, keys.length);
  t.deepEqual(
    keys.map((key) => table.find(key)),
    ids,
  );
});

test('pairs are taken apart again', (t) => {
  const pairs = new PairInterner();
  for (let left = 0; left < 50; left++) {
    for (let right = 0; right < 50; right++) {
      const id = pairs.idOf(left, right);
      t.is(pairs.leftOf(id), left);
      t.is(pairs.rightOf(id), right);
    }
  }
  t.is(pairs.find(51, 0), -1);
});
