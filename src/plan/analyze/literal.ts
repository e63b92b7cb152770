import type { Literal } from '../../ast/index.ts';
import { SluiceError } from '../../base/index.ts';
import { canonicalInteger, type SqlType, toByteString, types } from '../../types/index.ts';
import type { BoundLiteral } from '../bound.ts';

const unsigned: readonly (readonly [bigint, SqlType])[] = [
  [0xffn, types.uint8],
  [0xffffn, types.uint16],
  [0xffffffffn, types.uint32],
  [0xffffffffffffffffn, types.uint64],
  [(1n << 128n) - 1n, types.uint128],
  [(1n << 256n) - 1n, types.uint256],
];

const signed: readonly (readonly [bigint, SqlType])[] = [
  [1n << 7n, types.int8],
  [1n << 15n, types.int16],
  [1n << 31n, types.int32],
  [1n << 63n, types.int64],
  [1n << 127n, types.int128],
  [1n << 255n, types.int256],
];

/** The narrowest type of an integer literal, as ClickHouse chooses it; undefined past 256 bits. */
export function integerLiteralType(value: bigint): SqlType | undefined {
  const table = value < 0n ? signed : unsigned;
  const size = value < 0n ? -value : value;
  return table.find(([most]) => size <= most)?.[1];
}

function integerLiteral(value: bigint): BoundLiteral {
  const type = integerLiteralType(value);
  if (type === undefined) return { kind: 'literal', value: Number(value), type: types.float64 };
  const wide = type.kind === 'int' && type.bits > 64;
  return { kind: 'literal', value: wide ? value : canonicalInteger(value), type };
}

export function bindLiteral(literal: Literal): BoundLiteral {
  switch (literal.type) {
    case 'integer':
      return integerLiteral(literal.value);
    case 'float':
      return { kind: 'literal', value: literal.value, type: types.float64 };
    case 'string':
      return { kind: 'literal', value: toByteString(literal.value), type: types.string };
    case 'bool':
      return { kind: 'literal', value: literal.value ? 1 : 0, type: types.bool };
    case 'null':
      return { kind: 'literal', value: null, type: types.nothing };
  }
}

/** A literal of a given canonical value, for what the analyzer itself adds. */
export function literalOf(value: unknown, type: SqlType): BoundLiteral {
  return { kind: 'literal', value, type };
}

/** The setting's or clause's value as a plain text. */
export function literalText(literal: { readonly kind: string }, what: string): string {
  const node = literal as Literal;
  if (node.kind !== 'literal' || node.value === null)
    throw new SluiceError('BAD_ARGUMENTS', `${what} must be a literal`);
  if (node.type === 'bool') return node.value ? '1' : '0';
  return node.type === 'string' ? node.value : node.text;
}
