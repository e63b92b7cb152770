/** Methods that every Node Buffer has and that skip the encoding look-up of toString and write. */
interface Buffer {
  latin1Slice(start?: number, end?: number): string;
  utf8Slice(start?: number, end?: number): string;
  latin1Write(text: string, offset?: number, length?: number): number;
}
