import type { SimpleCondition } from '../../catalog/index.ts';
import { clickHouseTypeName, type SqlType, toByteString, withoutLowCardinality } from '../../types/index.ts';

/** A name as it stands in a statement, as byte string. */
export function quoted(name: string): string {
  return `\`${toByteString(name).replace(/[\\`]/g, (char) => `\\${char}`)}\``;
}

/** A byte string as a literal. */
export function literal(bytes: string): string {
  return `'${bytes.replace(/[\\']/g, (char) => `\\${char}`)}'`;
}

/** The type that a value has to be cast to, so that it lies as ours does; truth values are numbers to old servers. */
export function castName(type: SqlType): string {
  return toByteString(clickHouseTypeName(type).replace(/\bBool\b/g, 'UInt8'));
}

/** A value of the type as an expression that means the same whatever time zone the server is in; undefined when there is none. */
function valueText(type: SqlType, value: unknown): string | undefined {
  switch (type.kind) {
    case 'bool':
    case 'int':
      return String(value);
    case 'float':
      return Number.isFinite(value) ? String(value) : undefined;
    case 'string':
      return literal(value as string);
    case 'date':
      return `toDate(${value})`;
    case 'datetime':
      return `toDateTime(${value})`;
    default:
      return undefined;
  }
}

/** A condition for WHERE; undefined when the server cannot be trusted to see it as we do. */
export function conditionText(
  name: string,
  type: SqlType,
  { op, value }: SimpleCondition,
): string | undefined {
  if (value === null || value === undefined) return undefined;
  const text = valueText(withoutLowCardinality(type), value);
  return text === undefined ? undefined : `${quoted(name)} ${op} ${text}`;
}
