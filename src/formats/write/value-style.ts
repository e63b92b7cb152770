import type { SqlType, TextFormatter } from '../../types/index.ts';
import type { Output } from './output.ts';

/** How a family of formats writes single values. */
export interface ValueStyle {
  /** Styles with equal keys write alike. */
  readonly key: string;
  /** What stands for NULL, as a byte string. */
  readonly nullText: string;
  /** The byte around numbers, dates and times of the type, which never need escapes; 0 for none. */
  quoteOf(type: SqlType): number;
  /** Whether dates and times are written `2024-01-02 03:04:05`, so that they may be written digit by digit. */
  readonly simpleTimes: boolean;
  readonly timezone: string;
  /** Whether bytes that are not UTF-8 have to be replaced before `writeString` sees them. */
  readonly mustBeUtf8: boolean;
  /** Writes a string given as bytes [start, end). */
  writeString(out: Output, bytes: Uint8Array, start: number, end: number): void;
  /** The whole text of any value but NULL at the top, as a byte string. */
  text(type: SqlType): TextFormatter;
}
