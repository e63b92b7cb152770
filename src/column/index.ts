export {
  alignedTo8,
  assembleBlock,
  type BlockDescription,
  type BlockHeader,
  describeBlock,
  layBuffers,
  shareBlock,
  type VectorHeader,
} from './block-layout.ts';
export {
  bytesFromStrings,
  type ColumnBuilder,
  columnBuilder,
  constantVector,
  narrowCodes,
} from './builder.ts';
export { concatBlocks, concatVectors } from './concat-vectors.ts';
export { Dictionary } from './dictionary.ts';
export { flatFromDoubles, flatKind, numberArray, numberArrayKind } from './flat.ts';
export { blockRows, type ValueReader, vectorReader } from './read.ts';
export { gatherBlock, gatherVector, sliceBlock, sliceVector } from './select-rows.ts';
export {
  type ArrayVector,
  type BigVector,
  type Block,
  type BytesVector,
  blockBytes,
  type ColumnSchema,
  type DictionaryVector,
  type FlatVector,
  type NullMask,
  type NumberArray,
  type NumberArrayKind,
  type TupleVector,
  type Vector,
  vectorBytes,
  vectorShape,
  type WideVector,
} from './vector.ts';
