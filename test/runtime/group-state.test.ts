import test from 'ava';
import { GroupState } from '../../src/runtime/index.ts';

test('slots begin as they should in groups of any number, also where that is NaN', (t) => {
  const groups = new GroupState([
    { kind: 'f64', initial: Number.NaN },
    { kind: 'f64', initial: 3 },
    { kind: 'u32', initial: 0 },
    { kind: 'any', initial: undefined },
  ]);
  groups.reserve(1_000);
  for (const group of [0, 63, 64, 999])
    t.deepEqual(groups.values(group, 0, 4), [Number.NaN, 3, 0, undefined]);
  groups.store(5, 0, 1);
  groups.store(5, 3, 'x');
  groups.reserve(5_000);
  t.deepEqual(groups.values(5, 0, 4), [1, 3, 0, 'x']);
  groups.clear(10);
  t.deepEqual(groups.values(5, 0, 4), [Number.NaN, 3, 0, undefined]);
});
