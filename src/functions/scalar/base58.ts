import { SluiceError } from '../../base/index.ts';

const alphabet = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
const digitValues = new Map(Array.from(alphabet, (char, value) => [char, value]));

/** Converting between bases takes time that grows with the square of the length. */
const bytesMax = 16_384;

function assertShort(length: number): void {
  if (length > bytesMax) {
    throw new SluiceError(
      'TOO_LARGE_STRING_SIZE',
      `A text of ${length} bytes is too long for base58: at most ${bytesMax} are allowed`,
    );
  }
}

/** Digits of one base, highest first, as digits of another one, lowest first. */
function changeBase(digits: readonly number[], from: number, to: number): number[] {
  const result: number[] = [];
  for (const digit of digits) {
    let carry = digit;
    for (let at = 0; at < result.length; at++) {
      carry += result[at]! * from;
      result[at] = carry % to;
      carry = Math.floor(carry / to);
    }
    for (; carry > 0; carry = Math.floor(carry / to)) result.push(carry % to);
  }
  return result;
}

export function encodeBase58(text: string): string {
  assertShort(text.length);
  const bytes = Array.from(Buffer.from(text, 'latin1'));
  const zeros = /^\0*/.exec(text)![0].length;
  const digits = changeBase(bytes, 256, 58).reverse();
  return '1'.repeat(zeros) + digits.map((digit) => alphabet[digit]).join('');
}

/** The bytes, or undefined when a character is none of base58. */
export function decodeBase58(text: string): string | undefined {
  assertShort(text.length);
  const digits: number[] = [];
  for (const char of text) {
    const value = digitValues.get(char);
    if (value === undefined) return undefined;
    digits.push(value);
  }
  const zeros = /^1*/.exec(text)![0].length;
  return '\0'.repeat(zeros) + String.fromCharCode(...changeBase(digits, 58, 256).reverse());
}
