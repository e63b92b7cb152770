import { SluiceError } from '../base/index.ts';
import type { Progress } from '../exec/index.ts';

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
  /** Whether it writes and comes to its end by itself, so that a server that stops waits for it. */
  finishes: boolean;
}

/** The statements that are being run, by query id. */
export class Processes {
  readonly #running = new Map<string, Process>();

  add(process: Process): void {
    if (this.#running.has(process.queryId)) {
      throw new SluiceError(
        'QUERY_WITH_SAME_ID_IS_ALREADY_RUNNING',
        `A query with the id '${process.queryId}' is already running`,
      );
    }
    this.#running.set(process.queryId, process);
  }

  remove(process: Process): void {
    if (this.#running.get(process.queryId) === process) this.#running.delete(process.queryId);
  }

  get list(): readonly Process[] {
    return [...this.#running.values()];
  }

  get(queryId: string): Process | undefined {
    return this.#running.get(queryId);
  }

  kill(process: Process): void {
    process.controller.abort(
      new SluiceError('QUERY_WAS_CANCELLED', `The query '${process.queryId}' was killed`),
    );
  }
}
