import type { ExternalSource, ReadStart } from '../catalog/index.ts';
import { type Block, blockBytes } from '../column/index.ts';
import type { ScanPlan } from '../plan/index.ts';
import type { Execution } from './execution.ts';
import type { Cursor } from './live-source.ts';

export type OutsideScan = ScanPlan & { source: { kind: 'external' } };

/**
 * The rows of an external table. Whoever waits for the next block is told of a cancelled query or of its time limit at once,
 * whatever the other side does.
 */
export class OutsideSource implements Cursor {
  readonly sourceId: string;
  readonly #execution: Execution;
  readonly #controller = new AbortController();
  readonly #source: ExternalSource;
  #position: unknown;
  #closed = false;

  constructor(scan: OutsideScan, start: ReadStart, execution: Execution) {
    const { source, columns, wishes } = scan;
    const { settings } = execution.context;
    this.sourceId = source.object?.uuid ?? '';
    this.#execution = execution;
    const limit = wishes?.limit == null ? undefined : Number(execution.valueOf(wishes.limit));
    this.#source = source.table.read({
      columns: columns.map((entry) => entry.source),
      streaming: source.streaming,
      start,
      conditions: (wishes?.conditions ?? []).map((each) => ({
        ...each,
        value: execution.valueOf(each.value),
      })),
      limit,
      settings,
      clock: execution.clock,
      signal: this.#controller.signal,
    });
    this.#position = this.#source.position;
  }

  get position(): unknown {
    return this.#position;
  }

  next(): Block | null | Promise<Block | null> {
    if (this.#closed) return null;
    const next = this.#source.next();
    if (!(next instanceof Promise)) return this.#given(next);
    return this.#execution.whileWanted(next).then(
      (block) => this.#given(block),
      (thrown) => {
        this.close();
        throw thrown;
      },
    );
  }

  #given(block: Block | null): Block | null {
    // A block that comes after the end is nobody's.
    if (block === null || this.#closed) return null;
    this.#position = this.#source.position;
    this.#execution.countRead(block, blockBytes(block));
    return block;
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#controller.abort();
    this.#source.close();
  }
}
