export { type Codec, chooseCodec, codecNamed, codecOfPath, codecs } from './codecs.ts';
export { Compressor, decompressed } from './streams.ts';
