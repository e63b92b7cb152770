/** A slot of aggregate state: see the functions' slots. */
export interface SlotLayout {
  readonly kind: 'f64' | 'any';
  readonly initial: number | undefined;
}

/** The slots of all groups of an aggregation, one array a slot; group numbers index them. */
export class GroupState {
  readonly slots: (Float64Array | unknown[])[];
  readonly layout: readonly SlotLayout[];
  capacity = 64;
  /** Groups that exist: group 0 always does when there are no keys. */
  groups = 0;

  constructor(layout: readonly SlotLayout[]) {
    this.layout = layout;
    this.slots = layout.map((slot) =>
      slot.kind === 'f64' ? new Float64Array(this.capacity).fill(slot.initial ?? 0) : [],
    );
  }

  /** Makes room for group `group`. The arrays in `slots` are replaced. */
  grow(group: number): void {
    const capacity = Math.max(this.capacity * 2, group + 1);
    for (const [index, slot] of this.layout.entries()) {
      if (slot.kind !== 'f64') continue;
      const larger = new Float64Array(capacity);
      if (slot.initial) larger.fill(slot.initial, this.capacity);
      larger.set(this.slots[index] as Float64Array);
      this.slots[index] = larger;
    }
    this.capacity = capacity;
  }
}
