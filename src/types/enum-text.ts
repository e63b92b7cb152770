import { maybeYouMeant, SluiceError } from '../base/index.ts';
import { fromByteString, toByteString } from './byte-string.ts';
import { excerpt } from './text-errors.ts';
import type { SqlType } from './type.ts';

type EnumType = SqlType & { kind: 'enum' };

/** Reads the name of an enum value, or its number; anything else is UNKNOWN_ELEMENT_OF_ENUM. */
export function enumParser(type: EnumType): (text: string) => number {
  const values = new Map<string, number>();
  for (const [, value] of type.entries) values.set(String(value), value);
  for (const [name, value] of type.entries) values.set(toByteString(name), value);
  return (text) => {
    const value = values.get(text);
    if (value !== undefined) return value;
    const names = type.entries.map(([name]) => name);
    const hint = maybeYouMeant(fromByteString(text), names);
    throw new SluiceError(
      'UNKNOWN_ELEMENT_OF_ENUM',
      `'${excerpt(text)}' is no value of the enum, which has ${listed(names)}${hint}`,
    );
  };
}

function listed(names: readonly string[]): string {
  const shown = names.slice(0, 10).map((name) => `'${name}'`);
  return names.length > 10 ? `${shown.join(', ')} and ${names.length - 10} more` : shown.join(', ');
}

/** Writes the name of an enum value as a byte string; a number without a name stays a number. */
export function enumFormatter(type: EnumType): (value: number) => string {
  const names = new Map(type.entries.map(([name, value]) => [value, toByteString(name)]));
  return (value) => names.get(value) ?? String(value);
}
