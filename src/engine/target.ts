import type { ExternalObject, ExternalSink, StreamObject } from '../catalog/index.ts';
import { type Block, blockBytes } from '../column/index.ts';
import type { Execution } from '../exec/index.ts';

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

export function openViewTarget(object: TargetObject, writer: string, execution: Execution): ViewTarget {
  if (object.kind === 'stream') {
    return {
      positions: async () => object.log.originPosition(writer) as Positions | undefined,
      append: async (blocks, position) => {
        await object.log.append(blocks, { origin: { writer, position } });
      },
      close: async () => {},
    };
  }
  const { settings } = execution.context;
  const { clock, signal } = execution;
  const request = { settings, clock, signal, writer };
  let sink: ExternalSink | null = null;
  return {
    positions: async () =>
      (await execution.whileWanted(
        object.external.writerPosition?.(writer, request) ?? Promise.resolve(undefined),
      )) as Positions | undefined,
    append: async (blocks, positions) => {
      sink ??= object.external.write(request);
      for (const block of blocks) if (block.rows > 0) await execution.whileWanted(sink.add(block));
      await execution.whileWanted(sink.flush(positions));
    },
    close: async () => {
      await sink?.abort();
    },
  };
}
