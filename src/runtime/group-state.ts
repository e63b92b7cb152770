/** A slot of aggregate state: see the functions' slots. */
export interface SlotLayout {
  /** `u32` counts rows, at most 2^32-1 of them. */
  readonly kind: 'f64' | 'u32' | 'any';
  readonly initial: number | undefined;
}

/** The array of a slot, one entry a group. */
export type SlotArray = Float64Array | Uint32Array | unknown[];

function newArray(slot: SlotLayout, length: number): SlotArray {
  if (slot.kind === 'any') return [];
  const array = slot.kind === 'u32' ? new Uint32Array(length) : new Float64Array(length);
  // NaN, which some slots begin with, is no truth value.
  return slot.initial === undefined || slot.initial === 0 ? array : array.fill(slot.initial);
}

/** The slots of all groups of an aggregation, one array a slot; group numbers index them. */
export class GroupState {
  readonly slots: SlotArray[];
  readonly layout: readonly SlotLayout[];
  capacity = 64;

  constructor(layout: readonly SlotLayout[]) {
    this.layout = layout;
    this.slots = layout.map((slot) => newArray(slot, this.capacity));
  }

  /** Makes room for so many groups. The arrays in `slots` are replaced when there was not enough. */
  reserve(groups: number): void {
    if (groups <= this.capacity) return;
    const capacity = Math.max(this.capacity * 2, groups);
    for (const [index, slot] of this.layout.entries()) {
      if (slot.kind === 'any') continue;
      const larger = newArray({ ...slot, initial: undefined }, capacity) as Float64Array;
      // NaN, which some slots begin with, is no truth value either.
      if (slot.initial !== undefined && slot.initial !== 0) larger.fill(slot.initial, this.capacity);
      larger.set(this.slots[index] as Float64Array);
      this.slots[index] = larger;
    }
    this.capacity = capacity;
  }

  /** Makes the first `groups` groups as new. */
  clear(groups: number): void {
    for (const [index, slot] of this.layout.entries()) {
      if (slot.kind !== 'any') (this.slots[index] as Float64Array).fill(slot.initial ?? 0, 0, groups);
      else this.slots[index] = [];
    }
  }

  /** Takes over the first `count` groups of another state of the same layout, from number `offset` on. */
  copyFrom(other: GroupState, count: number, offset: number): void {
    for (const [index, slot] of this.layout.entries()) {
      if (slot.kind !== 'any') {
        (this.slots[index] as Float64Array).set(
          (other.slots[index] as Float64Array).subarray(0, count),
          offset,
        );
        continue;
      }
      const into = this.slots[index] as unknown[];
      for (const [group, value] of Object.entries(other.slots[index] as unknown[]))
        into[Number(group) + offset] = value;
    }
  }

  /** The values of `count` slots of a group. */
  values(group: number, first: number, count: number): unknown[] {
    const values: unknown[] = [];
    for (let slot = first; slot < first + count; slot++) values.push(this.slots[slot]![group]);
    return values;
  }

  store(group: number, slot: number, value: unknown): void {
    const array = this.slots[slot]!;
    if (this.layout[slot]!.kind !== 'any') (array as Float64Array)[group] = value as number;
    // A slot that nothing was put in stays a hole, which tells that the result needs no computing.
    else if (value !== undefined) (array as unknown[])[group] = value;
  }
}
