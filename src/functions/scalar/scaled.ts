import { formatFloat64 } from '../../types/index.ts';

const powers: bigint[] = [1n];

/** Ten to a power from 0. */
export function pow10(exponent: number): bigint {
  for (let next = powers.length; next <= exponent; next++) powers.push(powers[next - 1]! * 10n);
  return powers[exponent]!;
}

/** A scaled integer brought to another scale; digits that go are cut off. */
export function rescale(value: bigint, from: number, to: number): bigint {
  return to >= from ? value * pow10(to - from) : value / pow10(from - to);
}

/** A float times ten to `scale`, cut off after that: by its decimal digits, so that 0.3 has exactly one. */
export function roundToInteger(value: number, scale: number): bigint {
  const text = formatFloat64(Math.abs(value));
  const match = /^(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/.exec(text);
  if (match === null) return 0n;
  const fraction = match[2] ?? '';
  const digits = BigInt(match[1]! + fraction);
  const exponent = Number(match[3] ?? 0) - fraction.length + scale;
  const scaled = exponent >= 0 ? digits * pow10(exponent) : digits / pow10(-exponent);
  return value < 0 ? -scaled : scaled;
}
