/*
 * Lists of row numbers that generated code fills while it goes through a block, and is done with when it has gone through it.
 * They are shared by all queries of a thread: to allocate and clear one takes about as long as to read a column.
 */
const lists: Uint32Array[] = [];

/**
 * The list of that number with room for at least so many rows; what it holds is whatever was left there. Lists of one
 * function have different numbers, and no function that uses them calls another that does.
 */
export function rowList(number: number, length: number): Uint32Array {
  const list = lists[number];
  if (list !== undefined && list.length >= length) return list;
  const larger = new Uint32Array(length);
  lists[number] = larger;
  return larger;
}
