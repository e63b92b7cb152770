import type { Clock } from '../base/index.ts';

export type ProblemKind =
  /** The end of a log was not written whole before a crash; it was cut off. None of it had been acknowledged. */
  | 'torn-tail'
  /** Stored rows fail their checksum; they are kept in the quarantine directory and are not read any more. */
  | 'damaged-rows'
  /** The index of a data file failed its checksum and was made anew from the file. */
  | 'damaged-index'
  /** The manifest of a log failed its checksum and was made anew from its data files. */
  | 'damaged-manifest'
  | 'damaged-document'
  | 'missing-file'
  /** Work in the background (sealing, compaction, deletion) failed and will be tried again. */
  | 'background-failure'
  /** A subscriber of a log threw. */
  | 'listener-failure';

/** Something about the stored data that the operator should know. */
export interface Problem {
  readonly kind: ProblemKind;
  /** Milliseconds since 1970-01-01 UTC. */
  readonly time: number;
  /** Name of the file, relative to the store's directory. */
  readonly file: string;
  readonly message: string;
  readonly logId?: string;
  /** The rows concerned, where they are known. */
  readonly firstSequence?: number;
  readonly rows?: number;
}

/** The most problems that are remembered; later ones are only handed to the callback. */
const problemsMax = 10_000;

export class ProblemList {
  readonly list: Problem[] = [];
  readonly #clock: Clock;
  readonly #onProblem: ((problem: Problem) => void) | undefined;

  constructor(clock: Clock, onProblem: ((problem: Problem) => void) | undefined) {
    this.#clock = clock;
    this.#onProblem = onProblem;
  }

  report(problem: Omit<Problem, 'time'>): void {
    const timed: Problem = { ...problem, time: this.#clock.now() };
    if (this.list.length < problemsMax) this.list.push(timed);
    this.#onProblem?.(timed);
  }
}
