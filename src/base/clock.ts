/** A timer that can be stopped. */
export interface Timer {
  cancel(): void;
}

/** Time as the engine sees it; everything that waits or reads the time is handed one of these. */
export interface Clock {
  /** Milliseconds since 1970-01-01 UTC. */
  now(): number;
  /** Milliseconds of a clock that never jumps, for durations. */
  monotonic(): number;
  /** Calls back once, `milliseconds` from now; the process may end before it fires. */
  after(milliseconds: number, callback: () => void): Timer;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after(milliseconds, callback) {
    const handle = setTimeout(callback, milliseconds);
    handle.unref();
    return { cancel: () => clearTimeout(handle) };
  },
};

interface PendingTimer {
  readonly due: number;
  readonly order: number;
  readonly callback: () => void;
}

/** A clock that moves only when told to, for tests of anything that depends on time. */
export class VirtualClock implements Clock {
  #now: number;
  #order = 0;
  readonly #start: number;
  readonly #pending = new Set<PendingTimer>();

  constructor(startMilliseconds = Date.UTC(2026, 0, 1)) {
    this.#now = startMilliseconds;
    this.#start = startMilliseconds;
  }

  now(): number {
    return this.#now;
  }

  monotonic(): number {
    return this.#now - this.#start;
  }

  after(milliseconds: number, callback: () => void): Timer {
    const timer = { due: this.#now + milliseconds, order: this.#order++, callback };
    this.#pending.add(timer);
    return { cancel: () => this.#pending.delete(timer) };
  }

  /** Moves time forward, firing what falls due on the way in order of its time. */
  advance(milliseconds: number): void {
    const target = this.#now + milliseconds;
    for (let next = this.#nextDue(target); next !== undefined; next = this.#nextDue(target)) {
      this.#pending.delete(next);
      this.#now = next.due;
      next.callback();
    }
    this.#now = target;
  }

  #nextDue(target: number): PendingTimer | undefined {
    let best: PendingTimer | undefined;
    for (const timer of this.#pending) {
      if (timer.due > target) continue;
      if (
        best === undefined ||
        timer.due < best.due ||
        (timer.due === best.due && timer.order < best.order)
      ) {
        best = timer;
      }
    }
    return best;
  }
}
