import {
  type ExternalObject,
  type ExternalSink,
  type StreamObject,
  viewPositionDocument,
  type WriteRequest,
} from '../catalog/index.ts';
import { type Block, blockBytes } from '../column/index.ts';
import type { Execution } from '../exec/index.ts';
import type { Store } from '../storage/index.ts';

/** What rows can be written into. */
export type TargetObject = StreamObject | ExternalObject;

/** Takes rows with all columns of an object. */
export interface RowTarget {
  add(block: Block): Promise<void>;
  /** Resolves when everything taken so far is on disk, or acknowledged by the other side; gives the rows that had been written before. */
  flush(): Promise<number>;
  /** Ends the writing; what was not flushed is given up. */
  close(): Promise<void>;
}

/** Bytes of rows that an INSERT gathers before any of them is written: up to here it is all or nothing. */
const atomicInsertBytes = 256 * 1024 * 1024;

/** Appends all or nothing while the rows fit in memory. */
class StreamTarget implements RowTarget {
  readonly #stream: StreamObject;
  readonly #execution: Execution;
  #blocks: Block[] = [];
  #bytes = 0;
  #parts = 0;
  #duplicates = 0;

  constructor(stream: StreamObject, execution: Execution) {
    this.#stream = stream;
    this.#execution = execution;
  }

  async add(block: Block): Promise<void> {
    this.#blocks.push(block);
    this.#bytes += blockBytes(block);
    if (this.#bytes > atomicInsertBytes) this.#duplicates += await this.#append();
  }

  async #append(): Promise<number> {
    if (this.#blocks.length === 0) return 0;
    const blocks = this.#blocks;
    this.#blocks = [];
    this.#bytes = 0;
    const name = this.#execution.context.settings.insert_deduplication_token;
    const token = name === '' ? undefined : this.#parts === 0 ? name : `${name}\0${this.#parts}`;
    this.#parts++;
    const { signal } = this.#execution;
    if (signal.aborted) throw signal.reason;
    const result = await this.#stream.log.append(blocks, token === undefined ? {} : { token });
    return result.duplicate ? result.rows : 0;
  }

  async flush(): Promise<number> {
    const duplicates = this.#duplicates + (await this.#append());
    this.#duplicates = 0;
    return duplicates;
  }

  async close(): Promise<void> {
    this.#blocks = [];
  }
}

class OutsideTarget implements RowTarget {
  readonly #sink: ExternalSink;
  readonly #execution: Execution;
  #flushed = true;

  constructor(object: ExternalObject, execution: Execution) {
    const { settings } = execution.context;
    const { clock, signal } = execution;
    this.#sink = object.external.write({ settings, clock, signal });
    this.#execution = execution;
  }

  async add(block: Block): Promise<void> {
    this.#flushed = false;
    await this.#execution.whileWanted(this.#sink.add(block));
  }

  async flush(): Promise<number> {
    await this.#execution.whileWanted(this.#sink.flush());
    this.#flushed = true;
    return 0;
  }

  async close(): Promise<void> {
    await (this.#flushed ? this.#sink.close() : this.#sink.abort());
  }
}

/** Begins to write into an object. */
export function openTarget(object: TargetObject, execution: Execution): RowTarget {
  return object.kind === 'stream'
    ? new StreamTarget(object, execution)
    : new OutsideTarget(object, execution);
}

/** By the uuid of each source, where a view goes on reading it. */
export type Positions = Readonly<Record<string, unknown>>;

/** Where a materialized view writes its rows, together with how far it has read its sources. */
export interface ViewTarget {
  /** The positions that came with the last rows that are there; undefined when there are none. */
  positions(): Promise<Positions | undefined>;
  append(blocks: readonly Block[], positions: Positions): Promise<void>;
  close(): Promise<void>;
}

/** Milliseconds between notes of how far a view that writes outside has come. */
const noteInterval = 60_000;

/**
 * Rows that go outside, with positions that the other side keeps where it can. A copy is noted here: now and then, for systems
 * that forget what was not written for a long time, or after all rows of a system that keeps none.
 */
class OutsideViewTarget implements ViewTarget {
  readonly #object: ExternalObject;
  readonly #request: WriteRequest & { readonly writer: string };
  readonly #execution: Execution;
  readonly #store: Store;
  #sink: ExternalSink | null = null;
  #reached: Positions | null = null;
  #notedAt = Number.NEGATIVE_INFINITY;

  constructor(object: ExternalObject, writer: string, execution: Execution, store: Store) {
    const { settings } = execution.context;
    const { clock, signal } = execution;
    this.#object = object;
    this.#request = { settings, clock, signal, writer };
    this.#execution = execution;
    this.#store = store;
  }

  async positions(): Promise<Positions | undefined> {
    const { external } = this.#object;
    const { writer } = this.#request;
    const kept = external.writerPosition?.(writer, this.#request) ?? Promise.resolve(undefined);
    const noted = () => this.#store.readDocument(viewPositionDocument(writer));
    return ((await this.#execution.whileWanted(kept)) ?? noted()) as Positions | undefined;
  }

  async append(blocks: readonly Block[], positions: Positions): Promise<void> {
    this.#sink ??= this.#object.external.write(this.#request);
    const sink = this.#sink;
    for (const block of blocks) if (block.rows > 0) await this.#execution.whileWanted(sink.add(block));
    await this.#execution.whileWanted(sink.flush(positions));
    this.#reached = positions;
    const since = this.#execution.clock.monotonic() - this.#notedAt;
    // A system that keeps no positions has only those noted here: what was written after the last one would come again.
    if (since >= noteInterval || this.#object.external.writerPosition === undefined) await this.#note();
  }

  async #note(): Promise<void> {
    if (this.#reached === null) return;
    this.#notedAt = this.#execution.clock.monotonic();
    await this.#store.writeDocument(viewPositionDocument(this.#request.writer), this.#reached);
    this.#reached = null;
  }

  async close(): Promise<void> {
    await this.#note();
    await this.#sink?.abort();
  }
}

export function openViewTarget(
  object: TargetObject,
  writer: string,
  execution: Execution,
  store: Store,
): ViewTarget {
  if (object.kind === 'external') return new OutsideViewTarget(object, writer, execution, store);
  return {
    positions: async () => object.log.originPosition(writer) as Positions | undefined,
    append: async (blocks, position) => {
      await object.log.append(blocks, { origin: { writer, position } });
    },
    close: async () => {},
  };
}
