import { type Code, js } from '../../code/index.ts';
import { bareType, integerRange, representation, type SqlType } from '../../types/index.ts';

/** The bounds that a type itself sets, when they are within the exact range of doubles. */
export function typeBounds(type: SqlType): readonly [number, number] | undefined {
  const range = integerRange(bareType(type));
  if (range === undefined) return undefined;
  const [least, greatest] = [Number(range[0]), Number(range[1])];
  return Number.isSafeInteger(least) && Number.isSafeInteger(greatest) ? [least, greatest] : undefined;
}

/** Both conditions or one of them; null when there is none. */
export function eitherNull(conditions: readonly (Code | null)[]): Code | null {
  let result: Code | null = null;
  for (const condition of conditions) {
    if (condition !== null) result = result === null ? condition : js`${result} || ${condition}`;
  }
  return result;
}

/** A typed array's constructor for values of a type held as numbers; undefined for those that need a JS array. */
export function numberColumnKind(type: SqlType): 'Float64Array' | 'Uint8Array' | undefined {
  const bare = bareType(type);
  if (representation(bare) !== 'number') return undefined;
  return bare.kind === 'bool' || (bare.kind === 'int' && bare.bits === 8 && !bare.signed)
    ? 'Uint8Array'
    : 'Float64Array';
}
