/*
 * 64-bit integers in mixed representation: a number within ±(2^53-1), else a bigint (see SqlType). Generated code calls
 * these only where it cannot prove that plain doubles are exact.
 */

const safeLimit = 9007199254740991;
const safeLimitBig = 9007199254740991n;

export type Mixed = number | bigint;

function narrow(value: bigint): Mixed {
  return value >= -safeLimitBig && value <= safeLimitBig ? Number(value) : value;
}

/** Wraps to 64 bits, signed, as C does. */
export function wrapSigned(value: bigint): Mixed {
  return narrow(BigInt.asIntN(64, value));
}

/** Wraps to 64 bits, unsigned. */
export function wrapUnsigned(value: bigint): Mixed {
  return narrow(BigInt.asUintN(64, value));
}

function isSafe(value: number): boolean {
  return value >= -safeLimit && value <= safeLimit;
}

export function addSigned(left: Mixed, right: Mixed): Mixed {
  if (typeof left === 'number' && typeof right === 'number') {
    const sum = left + right;
    if (isSafe(sum)) return sum;
  }
  return wrapSigned(BigInt(left) + BigInt(right));
}

export function addUnsigned(left: Mixed, right: Mixed): Mixed {
  if (typeof left === 'number' && typeof right === 'number') {
    const sum = left + right;
    if (sum >= 0 && sum <= safeLimit) return sum;
  }
  return wrapUnsigned(BigInt(left) + BigInt(right));
}

export function subtractSigned(left: Mixed, right: Mixed): Mixed {
  if (typeof left === 'number' && typeof right === 'number') {
    const difference = left - right;
    if (isSafe(difference)) return difference;
  }
  return wrapSigned(BigInt(left) - BigInt(right));
}

export function multiplySigned(left: Mixed, right: Mixed): Mixed {
  if (typeof left === 'number' && typeof right === 'number') {
    const product = left * right;
    // A product of integers that rounds to a safe integer is exact; -0 is made 0.
    if (isSafe(product)) return product + 0;
  }
  return wrapSigned(BigInt(left) * BigInt(right));
}

export function multiplyUnsigned(left: Mixed, right: Mixed): Mixed {
  if (typeof left === 'number' && typeof right === 'number') {
    const product = left * right;
    if (product >= 0 && product <= safeLimit) return product;
  }
  return wrapUnsigned(BigInt(left) * BigInt(right));
}

/** The number nearest to the integer. */
export function toDouble(value: Mixed): number {
  return Number(value);
}

/** A running sum of integers, exact at any size: a double while that is exact, and what overflowed it. */
export function spillSum(spilled: bigint | undefined, part: number, value: Mixed): bigint {
  return (spilled ?? 0n) + BigInt(part) + BigInt(value);
}

export function canonicalBigInt(value: bigint): Mixed {
  return narrow(value);
}
