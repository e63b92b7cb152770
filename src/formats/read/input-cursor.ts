import { limits, SluiceError } from '../../base/index.ts';
import { excerpt } from '../../types/index.ts';

/** Thrown when a row goes on past the bytes that have come so far; never leaves this folder. */
export class NeedMoreInput extends Error {}

/** The one instance, so that asking for more input allocates nothing. */
const needMoreInput = new NeedMoreInput('The row is not complete');

/** Zero bytes kept behind the input: scanners stop there without a check for the end. */
const sentinelBytes = 16;

/**
 * The bytes not yet consumed and the place of a parser in them. Behind `end` there are always 16 zero bytes, so that
 * code that looks for a byte may run past the end and only then compare its position.
 */
export class InputCursor {
  bytes: Buffer;
  view: DataView;
  at = 0;
  end = 0;
  /** Where the unfinished row starts: what lies before is consumed. */
  rowStart = 0;
  /** Rows in the current block, which is the number of the row being read, from 0. */
  row = 0;
  /** The column being read; -1 between columns. */
  column = -1;
  /** Whether no more bytes will come. */
  final = false;

  constructor() {
    this.bytes = Buffer.alloc(sentinelBytes);
    this.view = new DataView(this.bytes.buffer, this.bytes.byteOffset, this.bytes.byteLength);
  }

  /** Bytes of the unfinished row that are kept. */
  get pending(): number {
    return this.end - this.rowStart;
  }

  /** Drops what is consumed and adds bytes behind the rest. */
  append(chunk: Uint8Array): void {
    const pending = this.pending;
    const needed = pending + chunk.length + sentinelBytes;
    if (pending > limits.cell_bytes_max) {
      throw new SluiceError('TOO_LARGE_STRING_SIZE', `A row is longer than ${limits.cell_bytes_max} bytes`);
    }
    if (needed > this.bytes.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(needed, pending === 0 ? needed : this.bytes.length * 2));
      this.bytes.copy(larger, 0, this.rowStart, this.end);
      this.bytes = larger;
      this.view = new DataView(larger.buffer, larger.byteOffset, larger.byteLength);
    } else if (this.rowStart > 0) {
      this.bytes.copyWithin(0, this.rowStart, this.end);
    }
    this.bytes.set(chunk, pending);
    this.end = pending + chunk.length;
    this.rowStart = 0;
    this.at = 0;
    this.bytes.fill(0, this.end, this.end + sentinelBytes);
  }

  /** Fails at a position: asks for more input there when that can help, else says what was expected and found. */
  unexpected(at: number, expected: string): never {
    if (at >= this.end) {
      if (!this.final) throw needMoreInput;
      throw new SluiceError('CANNOT_READ_ALL_DATA', `The input ends where ${expected} was expected`);
    }
    throw new SluiceError('CANNOT_PARSE_INPUT', `Expected ${expected}, found '${this.excerpt(at)}'`);
  }

  /** A few characters from a position on, for messages. */
  excerpt(at: number): string {
    return excerpt(this.bytes.latin1Slice(at, Math.min(this.end, at + 30)));
  }

  /** The bytes as a byte string. */
  slice(from: number, to: number): string {
    return this.bytes.latin1Slice(from, to);
  }

  needMore(): never {
    throw needMoreInput;
  }
}
