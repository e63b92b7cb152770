import type { SqlType } from './type.ts';

function quoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}

/** The canonical name of a type, as clients see it: lower case, `nullable(string)`, `datetime64(3, 'UTC')`. */
export function typeName(type: SqlType): string {
  switch (type.kind) {
    case 'int':
      return `${type.signed ? '' : 'u'}int${type.bits}`;
    case 'float':
      return `float${type.bits}`;
    case 'decimal':
      return `decimal(${type.precision}, ${type.scale})`;
    case 'fixed_string':
      return `fixed_string(${type.length})`;
    case 'datetime':
      return type.timezone === undefined ? 'datetime' : `datetime(${quoted(type.timezone)})`;
    case 'datetime64':
      return type.timezone === undefined
        ? `datetime64(${type.precision})`
        : `datetime64(${type.precision}, ${quoted(type.timezone)})`;
    case 'enum':
      return `enum${type.bits}(${type.entries.map(([name, value]) => `${quoted(name)} = ${value}`).join(', ')})`;
    case 'interval':
      return `interval_${type.unit}`;
    case 'nullable':
      return `nullable(${typeName(type.inner)})`;
    case 'low_cardinality':
      return `low_cardinality(${typeName(type.inner)})`;
    case 'array':
      return `array(${typeName(type.element)})`;
    case 'tuple':
      return `tuple(${type.elements
        .map(
          (element) => (element.name === '' ? '' : `${elementName(element.name)} `) + typeName(element.type),
        )
        .join(', ')})`;
    case 'map':
      return `map(${typeName(type.key)}, ${typeName(type.value)})`;
    case 'nothing':
    case 'bool':
    case 'string':
    case 'date':
    case 'date32':
    case 'uuid':
    case 'ipv4':
    case 'ipv6':
      return type.kind;
  }
}

/** The name of a tuple's element as it stands in the name of the type. */
export function elementName(name: string): string {
  return /^[A-Za-z_][A-Za-z0-9_]*$/.test(name) ? name : `\`${name.replaceAll('`', '\\`')}\``;
}
