/**
 * The order of two canonical values of one type that are not NULL: numbers by size, byte strings by bytes, arrays and
 * tuples element by element. NaN comes after all numbers, NULLs inside arrays come last.
 */
export function compareValues(left: unknown, right: unknown): number {
  if (Array.isArray(left) && Array.isArray(right)) return compareLists(left, right);
  if (left === null || right === null) return left === right ? 0 : left === null ? 1 : -1;
  const first = left as number | bigint | string;
  const second = right as number | bigint | string;
  if (first < second) return -1;
  if (first > second) return 1;
  return first === second ? 0 : Number(Number.isNaN(first)) - Number(Number.isNaN(second));
}

function compareLists(left: readonly unknown[], right: readonly unknown[]): number {
  const length = Math.min(left.length, right.length);
  for (let index = 0; index < length; index++) {
    const order = compareValues(left[index], right[index]);
    if (order !== 0) return order;
  }
  return left.length - right.length;
}

/** Whether two canonical values of one type are equal; NULLs inside compound values equal each other. */
export function equalValues(left: unknown, right: unknown): boolean {
  return left === right || (typeof left === 'object' && compareValues(left, right) === 0);
}
