import type { SqlType } from '../types/index.ts';

/** The type as Native blocks lay it out for readers that name no protocol version: without low cardinality. */
export function withoutLowCardinalityInside(type: SqlType): SqlType {
  switch (type.kind) {
    case 'low_cardinality':
      return withoutLowCardinalityInside(type.inner);
    case 'nullable':
      return { ...type, inner: withoutLowCardinalityInside(type.inner) };
    case 'array':
      return { ...type, element: withoutLowCardinalityInside(type.element) };
    case 'map':
      return {
        ...type,
        key: withoutLowCardinalityInside(type.key),
        value: withoutLowCardinalityInside(type.value),
      };
    case 'tuple':
      return {
        ...type,
        elements: type.elements.map(({ name, type: element }) => ({
          name,
          type: withoutLowCardinalityInside(element),
        })),
      };
    default:
      return type;
  }
}

/** Whether values of both types lie in the same bytes and mean the same: time zones and names of elements do not matter. */
export function sameLayout(left: SqlType, right: SqlType): boolean {
  return layoutKey(withoutLowCardinalityInside(left)) === layoutKey(withoutLowCardinalityInside(right));
}

function layoutKey(type: SqlType): string {
  return JSON.stringify(type, (key, value: unknown) => {
    if (key === 'timezone' || key === 'name') return undefined;
    // Servers from before there was a type for it hold truth values as numbers.
    const { kind, bits, signed } = (value ?? {}) as { kind?: string; bits?: number; signed?: boolean };
    return kind === 'int' && bits === 8 && signed === false ? { kind: 'bool' } : value;
  });
}
