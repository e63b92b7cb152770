import { SluiceError, type Timer } from '../../base/index.ts';
import type { ExternalSink, WriteRequest } from '../../catalog/index.ts';
import type { Block } from '../../column/index.ts';
import type { KafkaClient } from './client.ts';
import { MessageMaker } from './messages.ts';
import type { KafkaOptions } from './options.ts';
import type { KafkaProducer } from './producer.ts';
import type { MessageSchema } from './schema.ts';

/** Bytes of a note that brokers keep unless they are told otherwise. */
const noteBytesMax = 4096;

/** Milliseconds after which a position is said again; brokers keep them for a week unless told otherwise. */
const refreshInterval = 12 * 3_600_000;

/** The name under which a writer's transactions, and the notes that come with them, are known to the brokers. */
export function transactionalId(writer: string): string {
  return `sluice-${writer}`;
}

function noteOf(position: unknown): string {
  const note = JSON.stringify(position);
  if (note.length <= noteBytesMax) return note;
  throw new SluiceError(
    'BAD_ARGUMENTS',
    `The position of the view takes ${note.length} bytes, and Kafka keeps ${noteBytesMax}: its sources have too many partitions`,
  );
}

/** A producer with its connections, which outlive a sink. */
export interface Writing {
  readonly client: KafkaClient;
  readonly producer: KafkaProducer;
}

/** Writes rows into the topic; for a writer with a name in transactions that its position is part of. */
export class KafkaSink implements ExternalSink {
  readonly #client: KafkaClient;
  readonly #producer: KafkaProducer;
  readonly #maker: MessageMaker;
  readonly #isTransactional: boolean;
  readonly #onEnd: (isWhole: boolean) => void;
  #partitions = 0;
  #ended = false;
  #refresh: Timer | null = null;
  #refreshing: Promise<void> = Promise.resolve();
  #started: Promise<void> | null = null;

  constructor(parts: {
    readonly writing: Writing;
    readonly options: KafkaOptions;
    readonly schema: MessageSchema;
    readonly request: WriteRequest;
    /** Told of the end, and whether the writing may be gone on with. */
    readonly onEnd: (isWhole: boolean) => void;
  }) {
    const { writing, options, schema, request, onEnd } = parts;
    const { settings, writer } = request;
    // By lines, rows share messages unless they are told not to; whole values never do.
    const alone = settings.one_message_per_row || options.oneMessagePerRow === true;
    this.#onEnd = onEnd;
    this.#client = writing.client;
    this.#producer = writing.producer;
    this.#isTransactional = writer !== undefined;
    this.#maker = new MessageMaker(schema, settings, alone ? 0 : options.messageBytesMax);
  }

  #start(): Promise<void> {
    this.#started ??= (async () => {
      await this.#producer.start();
      this.#partitions = await this.#producer.partitions();
    })();
    return this.#started;
  }

  async add(block: Block): Promise<void> {
    await this.#start();
    this.#refresh?.cancel();
    await this.#refreshing;
    const producer = this.#producer;
    for (const message of this.#maker.messages(block)) {
      if (producer.put(message, this.#partitions)) continue;
      await producer.send();
      producer.put(message, this.#partitions);
    }
  }

  async flush(position?: unknown): Promise<void> {
    await this.#start();
    this.#refresh?.cancel();
    await this.#refreshing;
    if (!this.#isTransactional) await this.#producer.flush();
    else {
      await this.#producer.commit(noteOf(position));
      this.#keepFresh(position);
    }
  }

  /** Says a position again when nothing else was said for long: brokers forget what is old. */
  #keepFresh(position: unknown): void {
    this.#refresh?.cancel();
    this.#refresh = this.#client.clock.after(refreshInterval, () => {
      this.#refreshing = this.#producer.commit(noteOf(position)).then(
        () => this.#keepFresh(position),
        // Whoever writes next is told of it.
        () => {},
      );
    });
  }

  /** The position of the last transaction that ended well. */
  async position(): Promise<unknown> {
    await this.#start();
    const note = await this.#producer.note();
    return note === undefined || note === '' ? undefined : JSON.parse(note);
  }

  async abort(): Promise<void> {
    this.#refresh?.cancel();
    await this.#producer.abort();
    this.#end(false);
  }

  async close(): Promise<void> {
    this.#refresh?.cancel();
    this.#end(this.#producer.isIdle);
  }

  #end(isWhole: boolean): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#onEnd(isWhole && !this.#isTransactional);
  }
}
