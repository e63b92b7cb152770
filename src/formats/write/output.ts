/** Bytes kept free behind what is asked for, because short copies move four bytes at a time. */
const slack = 16;

const nothing = Buffer.alloc(0);
const noView = new DataView(new ArrayBuffer(0));

/** A growing buffer of output. The generated writers keep `bytes`, `view` and `at` in variables between calls. */
export class Output {
  bytes: Buffer = nothing;
  view: DataView = noView;
  at = 0;
  /** Bytes that the next output is likely to need. */
  #hint = 0;

  /** Makes room for so many more bytes. */
  reserve(more: number): void {
    if (this.bytes.length - this.at >= more + slack) return;
    this.#replace(Math.max(this.bytes.length * 2, this.at + more + slack, 256));
  }

  #replace(capacity: number): void {
    const wanted = Math.max(capacity, this.#hint);
    // Small ones come out of a pool.
    const larger = wanted < 4_096 ? Buffer.allocUnsafe(wanted) : Buffer.allocUnsafeSlow(wanted);
    this.bytes.copy(larger, 0, 0, this.at);
    this.bytes = larger;
    this.view = new DataView(larger.buffer, larger.byteOffset, larger.byteLength);
  }

  writeByte(byte: number): void {
    this.reserve(1);
    this.bytes[this.at++] = byte;
  }

  /** Writes a byte string. */
  write(text: string): void {
    this.reserve(text.length);
    if (text.length < 24) {
      for (let index = 0; index < text.length; index++) this.bytes[this.at + index] = text.charCodeAt(index);
    } else {
      this.bytes.latin1Write(text, this.at);
    }
    this.at += text.length;
  }

  writeBytes(bytes: Uint8Array, start: number, end: number): void {
    this.reserve(end - start);
    this.bytes.set(bytes.subarray(start, end), this.at);
    this.at += end - start;
  }

  /** Hands over what was written; the buffer then starts anew, with room for as much again. */
  take(): Uint8Array {
    const { bytes, at } = this;
    // A copy costs less than keeping a buffer that is mostly empty.
    const taken = at * 2 < bytes.length ? Buffer.from(bytes.subarray(0, at)) : bytes.subarray(0, at);
    if (at * 2 >= bytes.length) {
      this.bytes = nothing;
      this.view = noView;
      this.#hint = at + (at >>> 3);
    }
    this.at = 0;
    return taken;
  }
}

/** A byte string as the bytes to send. */
export function bytesOf(text: string): Uint8Array {
  return Buffer.from(text, 'latin1');
}

export const noBytes = new Uint8Array(0);
