/*
 * HyperLogLog with 2^14 registers and a hash of 64 bits: estimates the number of different values in 16 KiB with a
 * standard error of 0.8 %.
 */

const indexBits = 14;
export const registerCount = 1 << indexBits;

const scratch = new DataView(new ArrayBuffer(8));

function mix(value: number): number {
  let hash = value;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

/** Two hashes of 32 bits of a number or text. */
function hashes(value: number | string): readonly [number, number] {
  let [first, second] = [0x9e3779b9, 0x7f4a7c15];
  const feed = (word: number): void => {
    first = Math.imul(first ^ word, 0x01000193) + (second >>> 15);
    second = Math.imul(second ^ mix(word ^ first), 0x5bd1e995);
  };
  if (typeof value === 'number') {
    scratch.setFloat64(0, value + 0);
    feed(scratch.getUint32(0));
    feed(scratch.getUint32(4));
  } else {
    for (let at = 0; at < value.length; at++) feed(value.charCodeAt(at));
    feed(value.length ^ 0x5f5f);
  }
  return [mix(first ^ second), mix(second + Math.imul(first, 0x27d4eb2f))];
}

export function addToRegisters(registers: Uint8Array, value: number | string): void {
  const [first, second] = hashes(value);
  const index = first & (registerCount - 1);
  // The rank is the place of the first 1 in the 50 bits that do not choose the register.
  const rest = first >>> indexBits;
  const rank = second !== 0 ? Math.clz32(second) + 1 : 33 + Math.clz32(rest) - indexBits;
  if (rank > registers[index]!) registers[index] = rank;
}

export function mergeRegisters(into: Uint8Array, from: Uint8Array): void {
  for (let index = 0; index < into.length; index++) {
    const rank = from[index]!;
    if (rank > into[index]!) into[index] = rank;
  }
}

/** The estimated number of different values. */
export function estimate(registers: Uint8Array): number {
  let sum = 0;
  let empty = 0;
  for (const rank of registers) {
    sum += 2 ** -rank;
    if (rank === 0) empty++;
  }
  const count = registers.length;
  const raw = ((0.7213 / (1 + 1.079 / count)) * count * count) / sum;
  return Math.round(raw <= 2.5 * count && empty > 0 ? count * Math.log(count / empty) : raw);
}
