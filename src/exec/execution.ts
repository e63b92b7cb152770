import { type Clock, limits, SluiceError } from '../base/index.ts';
import type { Block } from '../column/index.ts';
import { constantValue } from '../compile/index.ts';
import type { QueryContext } from '../functions/index.ts';
import type { BoundExpr } from '../plan/index.ts';

/** Counters of a running query. */
export interface Progress {
  readRows: number;
  readBytes: number;
  resultRows: number;
  resultBytes: number;
  writtenRows: number;
  writtenBytes: number;
}

/** One run of a plan: its parameters, its limits, and whether it is still wanted. */
export class Execution {
  readonly context: QueryContext;
  readonly parameters: readonly unknown[];
  readonly progress: Progress = {
    readRows: 0,
    readBytes: 0,
    resultRows: 0,
    resultBytes: 0,
    writtenRows: 0,
    writtenBytes: 0,
  };
  readonly signal: AbortSignal;
  readonly #deadline: number;
  #sliceEnd: number;

  constructor(context: QueryContext, parameters: readonly unknown[], signal: AbortSignal) {
    this.context = context;
    this.parameters = parameters;
    this.signal = signal;
    const now = this.clock.monotonic();
    const seconds = context.settings.max_execution_time;
    this.#deadline = seconds > 0 ? now + seconds * 1000 : Number.POSITIVE_INFINITY;
    this.#sliceEnd = now + limits.slice_milliseconds;
  }

  get clock(): Clock {
    return this.context.clock;
  }

  /** The value that an expression without columns has in this execution. */
  valueOf(expr: BoundExpr): unknown {
    return constantValue(expr, this.context, this.parameters);
  }

  /** Milliseconds until the query's time is up; infinite without a limit. */
  get remaining(): number {
    return this.#deadline - this.clock.monotonic();
  }

  /** A run with other parameters under the same limits. */
  withParameters(parameters: readonly unknown[]): Execution {
    const inner = new Execution(this.context, parameters, this.signal);
    Object.assign(inner, { progress: this.progress });
    return inner;
  }

  /** Throws when the query was cancelled or its time is up. */
  check(): void {
    if (this.signal.aborted) throw cancelled(this.signal);
    if (this.clock.monotonic() >= this.#deadline) throw this.timeout();
  }

  /** What the promise gives, unless the query is cancelled or its time is up before: then that error, at once. */
  whileWanted<Value>(promise: Promise<Value>): Promise<Value> {
    const { signal, clock, remaining } = this;
    return new Promise((resolve, reject) => {
      const timer = Number.isFinite(remaining)
        ? clock.after(Math.max(0, remaining), () => fail(this.timeout()))
        : null;
      const end = () => {
        timer?.cancel();
        signal.removeEventListener('abort', abort);
      };
      const fail = (thrown: unknown) => {
        end();
        reject(thrown);
      };
      const abort = () => fail(cancelled(signal));
      signal.addEventListener('abort', abort, { once: true });
      promise.then((value) => {
        end();
        resolve(value);
      }, fail);
      if (signal.aborted) abort();
    });
  }

  timeout(): SluiceError {
    const seconds = this.context.settings.max_execution_time;
    return new SluiceError(
      'TIMEOUT_EXCEEDED',
      `Timeout exceeded: the query ran longer than max_execution_time = ${seconds} s`,
    );
  }

  /** Counts rows that were read and throws when they are more than the query may read. */
  countRead(block: Block, bytes: number): void {
    this.progress.readRows += block.rows;
    this.progress.readBytes += bytes;
    const { max_rows_to_read: rows, max_bytes_to_read: most } = this.context.settings;
    if (rows > 0 && this.progress.readRows > rows) {
      throw new SluiceError(
        'TOO_MANY_ROWS',
        `Limit for rows to read exceeded: max_rows_to_read = ${rows}, and ${this.progress.readRows} were read`,
      );
    }
    if (most > 0 && this.progress.readBytes > most) {
      throw new SluiceError(
        'TOO_MANY_BYTES',
        `Limit for bytes to read exceeded: max_bytes_to_read = ${most}`,
      );
    }
  }

  /** A promise to wait for when this thread has been busy long enough, so that others get their turn. */
  pause(): Promise<void> | null {
    const now = this.clock.monotonic();
    if (now < this.#sliceEnd) return null;
    return new Promise((resolve) => {
      setImmediate(() => {
        this.#sliceEnd = this.clock.monotonic() + limits.slice_milliseconds;
        resolve();
      });
    });
  }
}

/** The error of a query that was told to stop. */
export function cancelled(signal: AbortSignal): SluiceError {
  return signal.reason instanceof SluiceError
    ? signal.reason
    : new SluiceError('QUERY_WAS_CANCELLED', 'The query was cancelled');
}
