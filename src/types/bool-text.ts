import { cannotParse } from './text-errors.ts';
import { types } from './type.ts';

const words = new Map<string, number>([
  ['true', 1],
  ['1', 1],
  ['t', 1],
  ['y', 1],
  ['yes', 1],
  ['on', 1],
  ['enable', 1],
  ['enabled', 1],
  ['false', 0],
  ['0', 0],
  ['f', 0],
  ['n', 0],
  ['no', 0],
  ['off', 0],
  ['disable', 0],
  ['disabled', 0],
]);

/** Reads true and false and their usual other words, in any case. */
export function parseBool(text: string): number {
  const value = words.get(text) ?? words.get(text.toLowerCase());
  if (value === undefined) throw cannotParse(types.bool, text, 'true or false', 'CANNOT_PARSE_BOOL');
  return value;
}

export function formatBool(value: number): string {
  return value === 0 ? 'false' : 'true';
}
