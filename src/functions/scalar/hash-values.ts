import { SluiceError } from '../../base/index.ts';
import { fixedString, isString, type SqlType, typeName, types } from '../../types/index.ts';
import type { Argument, Kernel } from '../definition.ts';
import { intHash32, intHash64 } from './hash-bits.ts';
import { bytesOfValue, byteWidth } from './value-bytes.ts';

/** A hash function of bytes and how it is carried over to values of all types. Hashes are unsigned bigints. */
export interface ValueHash {
  readonly bits: 32 | 64 | 128;
  readonly apply: (bytes: Buffer) => bigint;
  readonly combine: (left: bigint, right: bigint) => bigint;
  /** Whether numbers are mixed by intHash64 instead of being hashed as bytes. */
  readonly mixesNumbers: boolean;
}

type Hasher = (value: never, before: bigint | undefined) => bigint;

function scalarHash(hash: ValueHash, type: SqlType): ((value: never) => bigint) | undefined {
  if (isString(type)) return (value: string) => hash.apply(Buffer.from(value, 'latin1'));
  const bytes = bytesOfValue(type);
  if (bytes === undefined) return undefined;
  const width = byteWidth(type)!;
  const isMixed = hash.mixesNumbers && width <= 8 && type.kind !== 'decimal' && type.kind !== 'datetime64';
  if (isMixed && type.kind === 'float') {
    return (value: never) => {
      const full = Buffer.alloc(8);
      full.write(bytes(value), 'latin1');
      return intHash64(full.readBigUInt64LE(0));
    };
  }
  if (isMixed) return (value: number | bigint) => intHash64(BigInt.asUintN(width * 8, BigInt(value)));
  return (value: never) => hash.apply(Buffer.from(bytes(value), 'latin1'));
}

function arrayHash(hash: ValueHash, element: SqlType): Hasher {
  const inner = element.kind === 'nothing' ? (): bigint => 0n : hasher(hash, element);
  const sizeHash = hash.bits === 64 ? intHash64 : (size: bigint) => BigInt(intHash32(size));
  return (list: never[], before) => {
    const size = sizeHash(BigInt(list.length));
    let result = before === undefined ? size : hash.combine(before, size);
    for (const value of list) result = hash.combine(result, inner(value, undefined));
    return result;
  };
}

/** A function that hashes a value and combines that with what came before. */
function hasher(hash: ValueHash, type: SqlType): Hasher {
  switch (type.kind) {
    case 'low_cardinality':
      return hasher(hash, type.inner);
    case 'nullable': {
      const inner = hasher(hash, type.inner);
      const absent = BigInt.asUintN(hash.bits, nullHash);
      return (value, before) => {
        if (value !== null) return inner(value, before);
        return before === undefined ? absent : hash.combine(before, absent);
      };
    }
    case 'array':
      return arrayHash(hash, type.element);
    case 'map':
      return arrayHash(hash, {
        kind: 'tuple',
        elements: [
          { name: '', type: type.key },
          { name: '', type: type.value },
        ],
      });
    case 'tuple': {
      const elements = type.elements.map((element) => hasher(hash, element.type));
      return (tuple: never[], before) => {
        let result = before;
        for (const [index, element] of elements.entries()) result = element(tuple[index]!, result);
        return result ?? emptyHash;
      };
    }
    default: {
      const plain = scalarHash(hash, type);
      if (plain === undefined)
        throw new SluiceError('ILLEGAL_TYPE_OF_ARGUMENT', `Values of ${typeName(type)} cannot be hashed`);
      return (value, before) => (before === undefined ? plain(value) : hash.combine(before, plain(value)));
    }
  }
}

/** What stands for a NULL inside an array or a tuple. */
const nullHash = 0x5715f196cbea7a40c58ad2da03d9a871n;

/** What ClickHouse gives for no arguments at all. */
const emptyHash = 0xe28dbde7fe22e41cn;

/** A kernel of the hash of all arguments; `finish` makes the canonical value of it. */
export function hashKernel(
  hash: ValueHash,
  args: readonly Argument[],
  finish: (hash: bigint) => unknown,
): Kernel {
  const hashers = args.map((argument) => hasher(hash, argument.type));
  return (...values: never[]) => {
    let result: bigint | undefined;
    for (let index = 0; index < hashers.length; index++) result = hashers[index]!(values[index]!, result);
    return finish(result ?? emptyHash);
  };
}

/** Checks that the arguments can be hashed and gives the type of the result. */
export function hashType(hash: ValueHash): (args: readonly Argument[]) => SqlType {
  return (args) => {
    for (const argument of args) hasher(hash, argument.type);
    return hash.bits === 32 ? types.uint32 : hash.bits === 64 ? types.uint64 : fixedString(16);
  };
}
