declare module 'snappyjs' {
  /** Throws when the data is damaged or would have more than `bytesMax` bytes. */
  function uncompress(data: Buffer, bytesMax: number): Buffer;
  function compress(data: Buffer): Buffer;
  const snappy: { uncompress: typeof uncompress; compress: typeof compress };
  export default snappy;
}
