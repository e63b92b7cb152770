/** Rows [start, end) of a list of blocks, by the number of the block. */
export type BlockRange = readonly [start: number, end: number];

/** How the blocks of a round are handed out; the numbers are in shared memory. */
export interface SharesData {
  readonly ranges: readonly BlockRange[];
  readonly participants: number;
  readonly control: Int32Array;
}

/** Words before the cursors: whether everybody is to stop. */
const stopWord = 0;
const cursorsFrom = 1;

/**
 * Who of several threads works on which blocks. With one range every participant takes the next block that nobody has; with
 * a range each, a participant has consecutive blocks, whose results can be put together in order. Participant 0 is the main
 * thread. A block is taken by a single atomic step: whatever a thread dies of, each block is somebody's or nobody's.
 */
export class Shares {
  readonly data: SharesData;
  readonly #begunFrom: number;
  readonly #ownersFrom: number;

  constructor(data: SharesData) {
    this.data = data;
    this.#begunFrom = cursorsFrom + data.ranges.length;
    this.#ownersFrom = this.#begunFrom + data.participants;
  }

  static of(blocks: number, participants: number, ordered: boolean): Shares {
    const parts = ordered ? participants : 1;
    const ranges = Array.from({ length: parts }, (_, part): BlockRange => {
      return [Math.floor((blocks * part) / parts), Math.floor((blocks * (part + 1)) / parts)];
    });
    const words = cursorsFrom + ranges.length + participants + blocks;
    const control = new Int32Array(new SharedArrayBuffer(words * 4));
    for (const [part, [start]] of ranges.entries()) control[cursorsFrom + part] = start;
    return new Shares({ ranges, participants, control });
  }

  rangeOf(participant: number): number {
    return Math.min(participant, this.data.ranges.length - 1);
  }

  /** Whether the place of a participant has been claimed. */
  begun(participant: number): boolean {
    return Atomics.load(this.data.control, this.#begunFrom + participant) === 1;
  }

  /** Claims the place of a participant; false when it has been claimed: each is filled once. */
  begin(participant: number): boolean {
    return Atomics.compareExchange(this.data.control, this.#begunFrom + participant, 0, 1) === 0;
  }

  stop(): void {
    Atomics.store(this.data.control, stopWord, 1);
  }

  /** Takes a block of a range for a participant, -1 when none is left or all are to stop. */
  next(range: number, participant: number): number {
    const { control, ranges } = this.data;
    const end = ranges[range]![1];
    while (Atomics.load(control, stopWord) === 0) {
      const block = Atomics.add(control, cursorsFrom + range, 1);
      if (block >= end) return -1;
      if (this.#own(block, participant)) return block;
    }
    return -1;
  }

  #own(block: number, participant: number): boolean {
    return Atomics.compareExchange(this.data.control, this.#ownersFrom + block, 0, participant + 1) === 0;
  }

  /** Takes the blocks over that a participant had, whose work is lost, and those of its range that nobody has. */
  *takeOver(participant: number): Generator<number, void> {
    const { control } = this.data;
    const [start, end] = this.data.ranges[this.rangeOf(participant)]!;
    for (let block = start; block < end; block++) {
      const word = this.#ownersFrom + block;
      if (Atomics.compareExchange(control, word, participant + 1, 1) === participant + 1) yield block;
      else if (this.#own(block, 0)) yield block;
    }
  }
}
