declare module 'unbzip2-stream/lib/bzip2.js' {
  /** Reads so many bits, 32 at most; null goes on to the next whole byte. */
  type Bits = (count: number | null) => number;

  interface Bzip2 {
    /** Reads the header of a stream; gives the size of its blocks in units of 100,000 bytes. */
    header(bits: Bits): number;
    /** Decompresses a block, byte by byte; null at the end of the stream, else the checksum so far. */
    decompress(
      bits: Bits,
      onByte: (byte: number) => void,
      work: Int32Array,
      workLength: number,
      checksum: number,
    ): number | null;
  }

  const bzip2: Bzip2;
  export default bzip2;
}
