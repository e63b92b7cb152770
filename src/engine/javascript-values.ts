import { type Block, type ColumnSchema, vectorReader } from '../column/index.ts';
import { fromByteString, type SqlType, textFormatter } from '../types/index.ts';

/** A function from canonical values of a type to the values that JavaScript callers get. */
function toJavaScript(type: SqlType): (value: never) => unknown {
  switch (type.kind) {
    case 'nullable':
    case 'low_cardinality': {
      const inner = toJavaScript(type.inner);
      return (value) => (value === null ? null : inner(value));
    }
    case 'nothing':
      return () => null;
    case 'bool':
      return (value: number) => value !== 0;
    case 'int':
    case 'float':
    case 'interval':
      return (value) => value;
    case 'string':
    case 'fixed_string':
      return fromByteString;
    case 'array': {
      const element = toJavaScript(type.element);
      return (values: never[]) => values.map(element);
    }
    case 'tuple': {
      const elements = type.elements.map((element) => toJavaScript(element.type));
      const named = type.elements.length > 0 && type.elements.every((element) => element.name !== '');
      if (!named) return (values: never[]) => values.map((value, index) => elements[index]!(value));
      return (values: never[]) =>
        Object.fromEntries(
          values.map((value, index) => [type.elements[index]!.name, elements[index]!(value)]),
        );
    }
    case 'map': {
      const key = toJavaScript(type.key);
      const item = toJavaScript(type.value);
      return (pairs: [never, never][]) => new Map(pairs.map(([first, second]) => [key(first), item(second)]));
    }
    default: {
      const format = textFormatter(type);
      return (value) => fromByteString(format(value));
    }
  }
}

/** A function that gives any row of a block as an object by column name. */
export function rowReader(
  columns: readonly ColumnSchema[],
  block: Block,
): (row: number) => Record<string, unknown> {
  const readers = columns.map((column, index) => ({
    name: column.name,
    read: vectorReader(block.vectors[index]!),
    convert: toJavaScript(column.type),
  }));
  return (row) => {
    const object: Record<string, unknown> = {};
    for (const { name, read, convert } of readers) object[name] = convert(read(row) as never);
    return object;
  };
}
