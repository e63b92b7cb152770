import type { Block, Dictionary } from '../../column/index.ts';
import type { AggregateState } from '../../functions/index.ts';
import {
  GroupState,
  type Interner,
  NumberInterner,
  type SlotArray,
  type SlotLayout,
} from '../../runtime/index.ts';
import type { SqlType } from '../../types/index.ts';
import { type ExportedGroups, exportKeys, keyImporter, sharedDoubles } from './exported-groups.ts';
import { type KeyTables, keyCount, keyTables } from './keys.ts';

/** Where an aggregate's slots stand among those of a group. */
export interface AggregateSlots {
  readonly state: AggregateState;
  readonly firstSlot: number;
  /** Slot that tells whether a row was aggregated at all; undefined when the result over none is no NULL. */
  readonly seenSlot: number | undefined;
}

/** Integer keys from a least to a greatest that are grouped without a table: the group's number is the key's distance. */
const denseRangeMax = 1 << 22;
/** Rows of a block from which ways of grouping that have to be set up pay for themselves. */
const setUpRowsMin = 4096;
/** Groups that are taken over in one go, a small part of a millisecond each. */
const importStep = 4096;

/** Rows that counters of 32 bits are sure to hold. */
const counterMost = 2 ** 32 - 1;

/** How the rows of a block find their groups; part of what decides the generated code. */
export type Grouping = 'table' | 'dense' | 'codes';

/** Groups of integer keys by distance from `base`. */
export interface DenseGroups {
  base: number;
  length: number;
  seen: Uint8Array;
  readonly groups: GroupState;
}

/** The state of an aggregation: keys by number, and the slots of their groups. */
export class AggregationState {
  readonly tables: KeyTables;
  readonly groups: GroupState;
  dense: DenseGroups | null = null;
  readonly #layout: readonly SlotLayout[];
  /** As `#layout`, with plain counters in half the memory: in groups by distance they are what is met at random. */
  readonly #denseLayout: readonly SlotLayout[];
  #denseRows = 0;
  readonly #aggregates: readonly AggregateSlots[];
  /** Whether the order of rows matters: groups in the table then are always of earlier rows than those by distance. */
  readonly #ordered: boolean;
  /** A slot that counts every row of a group, which then tells whether the group is there; -1 when there is none. */
  readonly countSlot: number;
  #local: GroupState | null = null;
  #localSeen = new Uint8Array(0);

  constructor(
    keyTypes: readonly SqlType[],
    layout: readonly SlotLayout[],
    aggregates: readonly AggregateSlots[],
    counters: ReadonlySet<number>,
    ordered: boolean,
  ) {
    const [first] = counters;
    this.countSlot = first ?? -1;
    this.#denseLayout = layout.map((slot, index) =>
      counters.has(index) ? { kind: 'u32', initial: 0 } : slot,
    );
    this.tables = keyTables(keyTypes);
    this.groups = new GroupState(layout);
    this.#layout = layout;
    this.#aggregates = aggregates;
    this.#ordered = ordered;
  }

  /** How the rows of a block are grouped whose single key is the given column of it. */
  groupingOf(block: Block, keyColumn: number): Grouping {
    const grouping = this.#groupingOf(block, keyColumn);
    if (this.#ordered && grouping !== 'dense') this.#leaveDense();
    return grouping;
  }

  #groupingOf(block: Block, keyColumn: number): Grouping {
    const vector = block.vectors[keyColumn];
    if (vector === undefined || block.rows < setUpRowsMin) return 'table';
    if (vector.kind === 'dictionary')
      return vector.nulls === null && vector.dictionary.size * 16 <= block.rows ? 'codes' : 'table';
    if (
      vector.kind !== 'flat' ||
      vector.nulls !== null ||
      vector.min === undefined ||
      vector.max === undefined
    )
      return 'table';
    if (this.#denseRows + block.rows > counterMost) {
      this.#leaveDense();
      return 'table';
    }
    if (!this.#coverDense(vector.min, vector.max)) return 'table';
    this.#denseRows += block.rows;
    return 'dense';
  }

  /** Makes room for keys from `min` to `max`; false when that would be too much. */
  #coverDense(min: number, max: number): boolean {
    const { dense } = this;
    if (dense !== null && min >= dense.base && max < dense.base + dense.length) return true;
    let least = dense === null ? min : Math.min(min, dense.base);
    let greatest = dense === null ? max : Math.max(max, dense.base + dense.length - 1);
    if (!Number.isSafeInteger(least) || !Number.isSafeInteger(greatest) || greatest - least >= denseRangeMax)
      return false;
    // Some room on both sides, so that slightly wider blocks do not each move everything.
    const margin = Math.min((greatest - least) >> 3, (denseRangeMax - (greatest - least)) >> 1);
    least -= margin;
    greatest += margin;
    const length = greatest - least + 1;
    const groups = new GroupState(this.#denseLayout);
    groups.reserve(length);
    const seen = new Uint8Array(this.countSlot < 0 ? length : 0);
    if (dense !== null) {
      if (this.countSlot < 0) seen.set(dense.seen, dense.base - least);
      groups.copyFrom(dense.groups, dense.length, dense.base - least);
    }
    this.dense = { base: least, length, seen, groups };
    return true;
  }

  /** Slots for each code of a dictionary, for the rows of one block; `mergeCodes` adds them up. */
  codeSlots(size: number): readonly SlotArray[] {
    this.#local ??= new GroupState(this.#layout);
    this.#local.reserve(size);
    this.#local.clear(size);
    if (this.#localSeen.length < size) this.#localSeen = new Uint8Array(size);
    else this.#localSeen.fill(0, 0, size);
    return this.#local.slots;
  }

  get codesSeen(): Uint8Array {
    return this.#localSeen;
  }

  /** Adds what a block's rows made of each code to the groups of its strings. */
  mergeCodes(dictionary: Dictionary): void {
    const table = this.tables.keys[0]! as Interner & { idOf(key: string): number };
    for (let code = 0; code < dictionary.size; code++) {
      if (this.#localSeen[code] === 1)
        this.#mergeInto(table.idOf(dictionary.strings[code]!), this.#local!, code);
    }
  }

  /** Adds what a block's rows made of the only group. */
  mergeSingle(values: readonly unknown[]): void {
    this.#local ??= new GroupState(this.#layout);
    for (let slot = 0; slot < values.length; slot++) this.#local.slots[slot]![0] = values[slot] as never;
    this.#mergeInto(0, this.#local, 0);
  }

  /** Adds one group's slots to those of group number `into`. */
  #mergeInto(into: number, from: GroupState, group: number, groups = this.groups): void {
    groups.reserve(into + 1);
    for (const { state, firstSlot, seenSlot } of this.#aggregates) {
      if (seenSlot !== undefined && from.slots[seenSlot]![group] === 1) groups.slots[seenSlot]![into] = 1;
      if (state.kind === 'slots') {
        const count = state.slots.length;
        const merged = state.merge(
          groups.values(into, firstSlot, count),
          from.values(group, firstSlot, count),
        );
        for (let slot = 0; slot < count; slot++) groups.store(into, firstSlot + slot, merged[slot]);
        continue;
      }
      const other = from.slots[firstSlot]![group];
      if (other === undefined) continue;
      const own = groups.slots[firstSlot]![into];
      if (own === undefined) groups.store(into, firstSlot, other);
      else state.merge(own as never, other as never);
    }
  }

  /** Whether a row had the key at this distance from the least. */
  isPresent(dense: DenseGroups, offset: number): boolean {
    return this.countSlot < 0
      ? dense.seen[offset] === 1
      : (dense.groups.slots[this.countSlot]![offset] as number) > 0;
  }

  /** Brings groups that were found without a table to those in it, when there are both. */
  foldDense(): void {
    if (this.tables.keys[0] !== undefined && this.tables.keys[0].size > 0) this.#leaveDense();
  }

  #leaveDense(): void {
    const { dense } = this;
    if (dense === null) return;
    const table = this.tables.keys[0]! as Interner & { idOf(key: number): number };
    for (let offset = 0; offset < dense.length; offset++) {
      if (this.isPresent(dense, offset))
        this.#mergeInto(table.idOf(dense.base + offset), dense.groups, offset);
    }
    this.dense = null;
  }

  /** Values of keys and slots that would have to be copied one by one to go to another thread. */
  get copiedValues(): number {
    let count = 0;
    for (const table of this.tables.keys)
      if (!(table instanceof NumberInterner && table.plain)) count += table.size;
    for (const slot of this.groups.slots) if (Array.isArray(slot)) count += slot.length;
    return count;
  }

  /** Groups there are, room for groups by distance included, and values that are not plain numbers. */
  get size(): number {
    return keyCount(this.tables) + (this.dense?.length ?? 0) + this.copiedValues;
  }

  /** The groups as data for another thread or for later, where `importGroups` takes them. States that are objects are shared. */
  exportGroups(): ExportedGroups {
    this.foldDense();
    const { dense, tables } = this;
    if (dense === null) {
      const count = tables.keys.length === 0 ? 1 : keyCount(tables);
      this.groups.reserve(count);
      return {
        count,
        dense: null,
        keys: exportKeys(tables),
        slots: this.#exportSlots(this.groups, count),
        denseRows: 0,
      };
    }
    const count = dense.length;
    const seen = new Uint8Array(new SharedArrayBuffer(count));
    for (let offset = 0; offset < count; offset++) if (this.isPresent(dense, offset)) seen[offset] = 1;
    const slots = this.#exportSlots(dense.groups, count);
    return { count, dense: { base: dense.base, seen }, keys: [], slots, denseRows: this.#denseRows };
  }

  #exportSlots(groups: GroupState, count: number): SlotArray[] {
    const slots = groups.slots.map((slot) => (Array.isArray(slot) ? slot : sharedDoubles(slot, count)));
    for (const { state, firstSlot } of this.#aggregates) {
      if (state.kind !== 'object' || state.save === undefined) continue;
      const { save } = state;
      // Holes of groups without a state stay holes.
      slots[firstSlot] = (slots[firstSlot] as unknown[]).map((value) => save(value as never));
    }
    return slots;
  }

  /** Adds the groups of another state of the same aggregation, in steps between which the caller may do other things. */
  *importGroups(exported: ExportedGroups): Generator<void, void> {
    const { count, dense } = exported;
    const from = this.#importSlots(exported);
    const fits = this.#denseRows + exported.denseRows <= counterMost;
    if (dense !== null && fits && this.tables.keys[0]!.size === 0) {
      if (this.#coverDense(dense.base, dense.base + count - 1)) {
        this.#denseRows += exported.denseRows;
        yield* this.#importDense(dense, count, from);
        return;
      }
    }
    if (this.#ordered) this.#leaveDense();
    const table = this.tables.keys[0] as (Interner & { idOf(key: number): number }) | undefined;
    const place =
      dense === null
        ? keyImporter(this.tables, exported.keys)
        : (offset: number) => table!.idOf(dense.base + offset);
    let known = keyCount(this.tables);
    for (let group = 0; group < count; group++) {
      if (group % importStep === importStep - 1) yield;
      if (dense !== null && dense.seen[group] === 0) continue;
      const into = place(group);
      const isNew = into >= known && this.tables.keys.length > 0;
      if (isNew) known = into + 1;
      this.#take(this.groups, into, from, group, isNew);
    }
  }

  *#importDense(dense: { base: number; seen: Uint8Array }, count: number, from: GroupState): Generator<void> {
    for (let offset = 0; offset < count; offset++) {
      if (offset % importStep === importStep - 1) yield;
      if (dense.seen[offset] === 0) continue;
      const own = this.dense!;
      const into = dense.base + offset - own.base;
      this.#take(own.groups, into, from, offset, !this.isPresent(own, into));
      if (this.countSlot < 0) own.seen[into] = 1;
    }
  }

  #take(groups: GroupState, into: number, from: GroupState, group: number, isNew: boolean): void {
    if (!isNew) {
      this.#mergeInto(into, from, group, groups);
      return;
    }
    groups.reserve(into + 1);
    for (let slot = 0; slot < this.#layout.length; slot++) groups.store(into, slot, from.slots[slot]![group]);
  }

  #importSlots({ slots, count }: ExportedGroups): GroupState {
    const groups = new GroupState(this.#layout);
    for (const [index, slot] of slots.entries()) groups.slots[index] = slot;
    groups.capacity = count;
    for (const { state, firstSlot } of this.#aggregates) {
      if (state.kind !== 'object' || state.load === undefined) continue;
      const { load } = state;
      groups.slots[firstSlot] = (slots[firstSlot] as unknown[]).map((value) => load(value as never));
    }
    return groups;
  }
}
