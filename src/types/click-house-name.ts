import type { SqlType } from './type.ts';
import { elementName, typeName } from './type-name.ts';

const plain: Partial<Record<SqlType['kind'], string>> = {
  nothing: 'Nothing',
  bool: 'Bool',
  string: 'String',
  date: 'Date',
  date32: 'Date32',
  uuid: 'UUID',
  ipv4: 'IPv4',
  ipv6: 'IPv6',
};

function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}

/** The name of a type as ClickHouse spells it, whose names are case-sensitive: `Nullable(String)`. */
export function clickHouseTypeName(type: SqlType): string {
  switch (type.kind) {
    case 'int':
      return `${type.signed ? 'Int' : 'UInt'}${type.bits}`;
    case 'float':
    case 'decimal':
      return capital(typeName(type));
    case 'fixed_string':
      return `FixedString(${type.length})`;
    case 'datetime':
    case 'datetime64':
      return typeName(type).replace('datetime', 'DateTime');
    case 'enum':
      return capital(typeName(type));
    case 'interval':
      return `Interval${capital(type.unit)}`;
    case 'nullable':
      return `Nullable(${clickHouseTypeName(type.inner)})`;
    case 'low_cardinality':
      return `LowCardinality(${clickHouseTypeName(type.inner)})`;
    case 'array':
      return `Array(${clickHouseTypeName(type.element)})`;
    case 'map':
      return `Map(${clickHouseTypeName(type.key)}, ${clickHouseTypeName(type.value)})`;
    case 'tuple': {
      const elements = type.elements.map(
        ({ name, type: element }) =>
          `${name === '' ? '' : `${elementName(name)} `}${clickHouseTypeName(element)}`,
      );
      return `Tuple(${elements.join(', ')})`;
    }
    default:
      return plain[type.kind]!;
  }
}
