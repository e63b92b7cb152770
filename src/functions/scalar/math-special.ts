/*
 * The functions of mathematics that JavaScript's Math lacks, in double precision.
 */

const lanczos = [
  0.99999999999980993, 676.5203681218851, -1259.1392167224028, 771.32342877765313, -176.61502916214059,
  12.507343278686905, -0.13857109526572012, 9.9843695780195716e-6, 1.5056327351493116e-7,
] as const;

/** Lanczos' series for the gamma function of x + 1, x being positive. */
function series(x: number): number {
  let sum: number = lanczos[0];
  for (let index = 1; index < lanczos.length; index++) sum += lanczos[index]! / (x + index);
  return sum;
}

/** The gamma function; a product, and so exact, for small integers. */
export function gamma(x: number): number {
  if (x === Number.POSITIVE_INFINITY) return x;
  if (x === 0) return 1 / x;
  if (Number.isInteger(x)) {
    if (x < 0) return Number.NaN;
    if (x > 171) return Number.POSITIVE_INFINITY;
    let product = 1;
    for (let factor = 2; factor < x; factor++) product *= factor;
    return product;
  }
  if (x < 0.5) return Math.PI / (Math.sin(Math.PI * x) * gamma(1 - x));
  if (x > 171.7) return Number.POSITIVE_INFINITY;
  const base = x - 1 + 7.5;
  // The power is taken in two steps so that it does not overflow before the exponential makes it small.
  const root = base ** ((x - 0.5) / 2);
  return Math.sqrt(2 * Math.PI) * root * Math.exp(-base) * root * series(x - 1);
}

/** The logarithm of the absolute value of the gamma function. */
export function logGamma(x: number): number {
  if (Number.isNaN(x)) return x;
  if (!Number.isFinite(x) || (x <= 0 && Number.isInteger(x))) return Number.POSITIVE_INFINITY;
  if (x === 1 || x === 2) return 0;
  if (x < 0.5) return Math.log(Math.PI / Math.abs(Math.sin(Math.PI * x))) - logGamma(1 - x);
  if (x < 100) return Math.log(Math.abs(gamma(x)));
  const base = x - 1 + 7.5;
  return 0.5 * Math.log(2 * Math.PI) + (x - 0.5) * Math.log(base) - base + Math.log(series(x - 1));
}

/** erf by its power series, for small arguments. */
function erfSeries(x: number): number {
  const square = x * x;
  let term = x;
  let sum = x;
  for (let n = 1; n < 200; n++) {
    term *= -square / n;
    const next = sum + term / (2 * n + 1);
    if (next === sum) break;
    sum = next;
  }
  return (2 / Math.sqrt(Math.PI)) * sum;
}

/** erfc of a positive argument by its continued fraction. */
function erfcFraction(x: number): number {
  let fraction = 0;
  for (let n = 80; n > 0; n--) fraction = n / 2 / (x + fraction);
  return Math.exp(-x * x) / (Math.sqrt(Math.PI) * (x + fraction));
}

export function erf(x: number): number {
  if (Number.isNaN(x)) return x;
  if (Math.abs(x) < 2) return erfSeries(x);
  return x > 0 ? 1 - erfcFraction(x) : erfcFraction(-x) - 1;
}

export function erfc(x: number): number {
  if (Number.isNaN(x)) return x;
  if (x < 0.5) return 1 - erf(x);
  return x < 2 ? 1 - erfSeries(x) : erfcFraction(x);
}
