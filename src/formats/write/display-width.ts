import { fromByteString, isAscii } from '../../types/index.ts';

/** Whether a character takes two cells of a terminal. */
function isWide(code: number): boolean {
  return (
    code >= 0x1100 &&
    (code <= 0x115f ||
      (code >= 0x2e80 && code <= 0x303e) ||
      (code >= 0x3041 && code <= 0xa4cf) ||
      (code >= 0xac00 && code <= 0xd7a3) ||
      (code >= 0xf900 && code <= 0xfaff) ||
      (code >= 0xfe30 && code <= 0xfe6f) ||
      (code >= 0xff00 && code <= 0xff60) ||
      (code >= 0xffe0 && code <= 0xffe6) ||
      (code >= 0x1f300 && code <= 0x1faff) ||
      (code >= 0x20000 && code <= 0x3fffd))
  );
}

/** Cells of a terminal that a byte string takes. */
export function displayWidth(text: string): number {
  if (isAscii(text)) return text.length;
  let width = 0;
  for (const char of fromByteString(text)) {
    if (/\p{Mn}|\p{Me}|\p{Cf}/u.test(char)) continue;
    width += isWide(char.codePointAt(0)!) ? 2 : 1;
  }
  return width;
}
