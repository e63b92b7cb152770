import { SluiceError } from '../base/index.ts';
import type { Progress } from '../exec/index.ts';
import type { QueryReads } from './planner.ts';

/** A statement that is being run. */
export interface Process {
  readonly queryId: string;
  readonly text: string;
  readonly user: string;
  readonly database: string;
  /** Milliseconds since 1970 UTC. */
  readonly startedAt: number;
  readonly controller: AbortController;
  progress: Progress;
  /** What its query reads, once that is known. */
  reads?: QueryReads;
  /** Whether it writes and comes to its end by itself, so that a server that stops waits for it. */
  finishes: boolean;
}

/** The statements that are being run. They are few, so a list is enough. */
export class Processes {
  readonly #running: Process[] = [];

  /** Throws QUERY_WITH_SAME_ID_IS_ALREADY_RUNNING. */
  add(process: Process): void {
    if (this.get(process.queryId) !== undefined) {
      throw new SluiceError(
        'QUERY_WITH_SAME_ID_IS_ALREADY_RUNNING',
        `A query with the id '${process.queryId}' is already running`,
      );
    }
    this.#running.push(process);
  }

  remove(process: Process): void {
    const index = this.#running.indexOf(process);
    if (index < 0) return;
    const last = this.#running.pop()!;
    if (last !== process) this.#running[index] = last;
  }

  get list(): readonly Process[] {
    return [...this.#running];
  }

  get(queryId: string): Process | undefined {
    return this.#running.find((process) => process.queryId === queryId);
  }

  kill(process: Process): void {
    process.controller.abort(
      new SluiceError('QUERY_WAS_CANCELLED', `The query '${process.queryId}' was killed`),
    );
  }
}
