export { compareValues, equalValues } from './compare.ts';
export { GroupState, type SlotArray, type SlotLayout } from './group-state.ts';
export {
  type Interner,
  internedKeysMax,
  NumberInterner,
  ObjectInterner,
  objectKey,
  PairInterner,
  StringInterner,
  setKey,
} from './interner.ts';
export { JoinTable } from './join-table.ts';
export { type JsonPath, type JsonScanner, jsonFieldNumber, jsonFieldText, jsonKinds } from './json-scan.ts';
export { jsonScanner } from './json-scan-code.ts';
export {
  addSigned,
  addUnsigned,
  canonicalBigInt,
  type Mixed,
  multiplySigned,
  multiplyUnsigned,
  spillSum,
  subtractSigned,
  toDouble,
  wrapSigned,
  wrapUnsigned,
} from './mixed.ts';
export { type Match, parseReplacement, Regexp, type Replacement, regexp } from './regexp.ts';
export { foldCase, ilikeMatcher, likeMatcher, type Matcher } from './regexp-like.ts';
export { rowList } from './row-lists.ts';
export { Sorter, type SorterKey } from './sorter.ts';
export { StringCache } from './string-cache.ts';
