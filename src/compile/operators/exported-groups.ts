import { type Interner, NumberInterner, type SlotArray } from '../../runtime/index.ts';
import { type KeyTables, keyCount } from './keys.ts';

/** The values of one key: those that there are, and which of them each group has; null when group n has value n. */
export interface ExportedKey {
  readonly values: Float64Array | readonly unknown[];
  readonly places: Int32Array | null;
}

/** The groups of an aggregation as plain data, which goes from one thread to another. */
export interface ExportedGroups {
  readonly count: number;
  /** For groups by distance from a least integer: that integer, and a 1 for every distance that a row had. */
  readonly dense: { readonly base: number; readonly seen: Uint8Array } | null;
  readonly keys: readonly ExportedKey[];
  /** One array a slot, indexed by group; states that are objects in the form in which they are saved. */
  readonly slots: readonly SlotArray[];
  /** Rows in groups by distance, which their counters hold. */
  readonly denseRows: number;
}

/** The first `count` numbers in memory that another thread can read. */
export function sharedDoubles(values: Float64Array | Uint32Array, count: number): Float64Array {
  const shared = new Float64Array(new SharedArrayBuffer(count * 8));
  shared.set(values.subarray(0, count));
  return shared;
}

function internedValues(table: Interner): Float64Array | unknown[] {
  if (table instanceof NumberInterner && table.plain) return sharedDoubles(table.values, table.size);
  return Array.from({ length: table.size }, (_, id) => table.valueOf(id));
}

export function exportKeys(tables: KeyTables): ExportedKey[] {
  const values = tables.keys.map(internedValues);
  if (values.length <= 1) return values.map((list) => ({ values: list, places: null }));
  const count = keyCount(tables);
  const places = values.map(() => new Int32Array(new SharedArrayBuffer(count * 4)));
  for (let group = 0; group < count; group++) {
    let rest = group;
    for (let index = values.length - 1; index > 0; index--) {
      const pair = tables.pairs[index - 1]!;
      places[index]![group] = pair.rightOf(rest);
      rest = pair.leftOf(rest);
    }
    places[0]![group] = rest;
  }
  return values.map((list, index) => ({ values: list, places: places[index]! }));
}

function internValue(table: Interner, value: unknown): number {
  if (value === null) return table.idOfNull();
  if (table instanceof NumberInterner) return table.idOfMixed(value as number | bigint);
  return table.idOf(value as never);
}

/** Gives the number in `tables` of each exported group's combination of keys; each value is looked up once. */
export function keyImporter(tables: KeyTables, keys: readonly ExportedKey[]): (group: number) => number {
  const known = keys.map(({ values }) => new Int32Array(values.length).fill(-1));
  return (group) => {
    let id = 0;
    for (let index = 0; index < keys.length; index++) {
      const { values, places } = keys[index]!;
      const place = places === null ? group : places[group]!;
      let own = known[index]![place]!;
      if (own < 0) own = known[index]![place] = internValue(tables.keys[index]!, values[place]);
      id = index === 0 ? own : tables.pairs[index - 1]!.idOf(id, own);
    }
    return id;
  };
}
