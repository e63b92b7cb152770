import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { Piscina } from 'piscina';
import type { ShareResult, ShareTask } from './task.ts';

/** Worker threads that are used when nobody says how many. */
const workersMax = 8;
const idleMilliseconds = 60_000;

/** Threads that help the main one with heavy queries; started when first wanted, ended when idle. */
export class WorkerPool {
  /** Worker threads at most. */
  readonly size: number;
  /** Whether a query waits for its helpers before it begins itself, so that tests see them at work. */
  waits = false;
  /** Rows of a scan from which other threads are asked to help. */
  splitRowsMin = 1_500_000;
  /** Parts of queries that threads have done. */
  sharesDone = 0;
  #pool: Piscina<ShareTask, ShareResult> | null = null;
  #closed = false;

  /** `threads` counts the main thread; 0 takes one for each core, within reason. */
  constructor(threads: number) {
    this.size = threads === 0 ? Math.min(workersMax, availableParallelism() - 1) : threads - 1;
  }

  /** Threads that are there now. */
  get running(): number {
    return this.#pool?.threads.length ?? 0;
  }

  /** The threads, for tests that do them harm. */
  get threads(): Piscina['threads'] {
    return this.#pool?.threads ?? [];
  }

  /** Queues a task; aborting the signal ends a thread in the middle of its work. */
  run(task: ShareTask, signal: AbortSignal): Promise<ShareResult> {
    if (this.#closed) return Promise.reject(new Error('The pool of threads is closed'));
    this.#pool ??= this.#start();
    return this.#pool.run(task, { signal });
  }

  #start(): Piscina<ShareTask, ShareResult> {
    const pool = new Piscina<ShareTask, ShareResult>({
      filename: fileURLToPath(new URL('./worker.ts', import.meta.url)),
      minThreads: 0,
      maxThreads: this.size,
      idleTimeout: idleMilliseconds,
      concurrentTasksPerWorker: 1,
      recordTiming: false,
    });
    // Whoever waits for a task is told that its thread died; of a thread without one nobody needs to know.
    pool.on('error', () => {});
    // A thread that dies before it is ready leaves its tasks in the queue: they fail now, and the next begins anew.
    pool.on('workerDestroy', () => {
      setImmediate(() => {
        if (pool.threads.length > 0 || pool.queueSize === 0) return;
        if (this.#pool === pool) this.#pool = null;
        void pool.destroy();
      });
    });
    return pool;
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#pool?.destroy();
    this.#pool = null;
  }
}
