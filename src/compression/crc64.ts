/** Tables of CRC-64/XZ, high and low halves of each entry. */
const high = new Int32Array(256);
const low = new Int32Array(256);
for (let byte = 0; byte < 256; byte++) {
  let upper = 0;
  let lower = byte;
  for (let bit = 0; bit < 8; bit++) {
    const carry = lower & 1;
    lower = (lower >>> 1) | (upper << 31);
    upper >>>= 1;
    if (carry === 1) {
      upper ^= 0xc96c5795;
      lower ^= 0xd7870f42;
    }
  }
  high[byte] = upper;
  low[byte] = lower;
}

/** CRC-64 as xz files carry it, over bytes that come in pieces. */
export class Crc64 {
  #upper = -1;
  #lower = -1;

  update(bytes: Uint8Array): void {
    let upper = this.#upper;
    let lower = this.#lower;
    for (let at = 0; at < bytes.length; at++) {
      const index = (lower ^ bytes[at]!) & 255;
      lower = ((lower >>> 8) | (upper << 24)) ^ low[index]!;
      upper = (upper >>> 8) ^ high[index]!;
    }
    this.#upper = upper;
    this.#lower = lower;
  }

  /** The checksum in the byte order of the file. */
  digest(): Buffer {
    const bytes = Buffer.alloc(8);
    bytes.writeInt32LE(~this.#lower, 0);
    bytes.writeInt32LE(~this.#upper, 4);
    return bytes;
  }
}
