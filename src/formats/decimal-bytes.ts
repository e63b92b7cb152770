/** Bytes of a decimal's scaled integer in binary formats. */
export function decimalBytes(precision: number): number {
  return precision <= 9 ? 4 : precision <= 18 ? 8 : precision <= 38 ? 16 : 32;
}
