import { limits, SluiceError } from '../../base/index.ts';

/** Thrown where the bytes end before the block does. */
class Incomplete extends Error {}
export const incomplete = new Incomplete();

/** The bytes of Native blocks, read from front to back. */
export class NativeBytes {
  readonly #bytes: Buffer;
  readonly #view: DataView;
  at: number;

  constructor(bytes: Buffer, at: number) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.at = at;
  }

  get left(): number {
    return this.#bytes.length - this.at;
  }

  /** Moves past so many bytes and gives where they start. */
  take(count: number): number {
    const start = this.at;
    if (start + count > this.#bytes.length) throw incomplete;
    this.at = start + count;
    return start;
  }

  count(most: number, what: string): number {
    let count = 0;
    for (let scale = 1; ; scale *= 128) {
      const byte = this.#bytes[this.take(1)]!;
      count += (byte & 127) * scale;
      if (byte < 128) break;
      if (scale > 2 ** 42) throw new SluiceError('INCORRECT_DATA', 'A number takes more than seven bytes');
    }
    if (count > most)
      throw new SluiceError(
        'INCORRECT_DATA',
        `This is no Native block: ${count} ${what}, expected at most ${most}`,
      );
    return count;
  }

  text(): string {
    const length = this.count(limits.cell_bytes_max, 'bytes of a text');
    const start = this.take(length);
    return this.#bytes.latin1Slice(start, start + length);
  }

  slice(length: number): string {
    const start = this.take(length);
    return this.#bytes.latin1Slice(start, start + length);
  }

  mask(rows: number): Uint8Array {
    const start = this.take(rows);
    return Uint8Array.from(this.#bytes.subarray(start, start + rows), (byte) => (byte === 0 ? 0 : 1));
  }

  /** Little-endian numbers of a width and kind, as doubles. */
  doubles(rows: number, bytes: 1 | 2 | 4 | 8, kind: 'signed' | 'unsigned' | 'float'): Float64Array {
    const start = this.take(rows * bytes);
    const values = new Float64Array(rows);
    const view = this.#view;
    for (let row = 0, at = start; row < rows; row++, at += bytes) {
      if (kind === 'float') values[row] = bytes === 4 ? view.getFloat32(at, true) : view.getFloat64(at, true);
      else if (kind === 'signed')
        values[row] =
          bytes === 1 ? view.getInt8(at) : bytes === 2 ? view.getInt16(at, true) : view.getInt32(at, true);
      else
        values[row] =
          bytes === 1 ? view.getUint8(at) : bytes === 2 ? view.getUint16(at, true) : view.getUint32(at, true);
    }
    return values;
  }

  /** 64-bit integers as doubles; null (and nothing is read) when one of them is no safe integer. */
  safeIntegers(rows: number, signed: boolean): Float64Array | null {
    const start = this.take(rows * 8);
    const values = new Float64Array(rows);
    for (let row = 0, at = start; row < rows; row++, at += 8) {
      const high = signed ? this.#view.getInt32(at + 4, true) : this.#view.getUint32(at + 4, true);
      const value = high * 4_294_967_296 + this.#view.getUint32(at, true);
      if (!Number.isSafeInteger(value)) {
        this.at = start;
        return null;
      }
      values[row] = value;
    }
    return values;
  }

  /** An integer of 8, 16 or 32 bytes. */
  integer(bytes: number, signed: boolean): bigint {
    const start = this.take(bytes);
    let value = 0n;
    for (let word = bytes - 8; word >= 0; word -= 8)
      value = (value << 64n) | this.#view.getBigUint64(start + word, true);
    return signed ? BigInt.asIntN(bytes * 8, value) : value;
  }

  /** 16 bytes as two words, the upper first. */
  pair(littleEndian: boolean): bigint {
    const start = this.take(16);
    return (
      (this.#view.getBigUint64(start, littleEndian) << 64n) | this.#view.getBigUint64(start + 8, littleEndian)
    );
  }
}
