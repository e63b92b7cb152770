import { type Clock, SluiceError, type Timer } from '../../base/index.ts';
import type {
  ColumnDefinition,
  ExternalSink,
  ExternalSource,
  ExternalStatus,
  ExternalTable,
  ReadRequest,
  ReadStart,
  WriteRequest,
} from '../../catalog/index.ts';
import type { FormatSchemas } from '../../formats/index.ts';
import { KafkaClient, type OnTrouble } from './client.ts';
import type { KafkaOptions } from './options.ts';
import { positionOf, startPlaces } from './positions.ts';
import { KafkaProducer } from './producer.ts';
import { type MessageSchema, messageSchema } from './schema.ts';
import { KafkaSink, transactionalId, type Writing } from './sink.ts';
import { KafkaSource } from './source.ts';

/** Milliseconds that a producer is kept after an INSERT, for the next one. */
const spareMilliseconds = 30_000;

/** A topic as an external stream. */
export class KafkaTable implements ExternalTable {
  readonly type = 'kafka';
  readonly endless = true;
  readonly columns: readonly ColumnDefinition[];
  readonly shownSettings: Readonly<Record<string, string>>;
  readonly #options: KafkaOptions;
  readonly #schema: MessageSchema;
  readonly #sources = new Set<KafkaSource>();
  readonly #sinks = new Set<KafkaSink>();
  /** What those who are trying again were told last. */
  readonly #troubles = new Map<object, SluiceError>();
  #spare: { readonly writing: Writing; readonly timer: Timer } | null = null;
  #closed = false;
  #skipped = 0;
  #lastSkipped: SluiceError | null = null;

  constructor(
    columns: readonly ColumnDefinition[],
    options: KafkaOptions,
    shownSettings: Readonly<Record<string, string>>,
    schemas: FormatSchemas,
  ) {
    this.columns = columns;
    this.shownSettings = shownSettings;
    this.#options = options;
    this.#schema = messageSchema(columns, options, schemas);
  }

  get virtualColumns() {
    return this.#schema.virtual;
  }

  /** Keeps what someone was told of their trouble for as long as it lasts. */
  #troubleOf(who: object): OnTrouble {
    return (error) => {
      if (error === null) this.#troubles.delete(who);
      else this.#troubles.set(who, error);
    };
  }

  read(request: ReadRequest): ExternalSource {
    const who = {};
    const source = new KafkaSource({
      options: this.#options,
      schema: this.#schema,
      request,
      onTrouble: this.#troubleOf(who),
      onSkip: (error) => {
        this.#skipped++;
        this.#lastSkipped = error;
      },
      onEnd: () => {
        this.#troubles.delete(who);
        this.#sources.delete(source);
      },
    });
    this.#sources.add(source);
    return source;
  }

  write(request: WriteRequest): ExternalSink {
    return this.#sink(request);
  }

  #sink(request: WriteRequest): KafkaSink {
    const writing = this.#writing(request);
    const sink = new KafkaSink({
      writing,
      options: this.#options,
      schema: this.#schema,
      request,
      onEnd: (isWhole) => {
        this.#sinks.delete(sink);
        if (isWhole && this.#spare === null && !this.#closed) this.#keep(writing);
        else this.#release(writing);
      },
    });
    this.#sinks.add(sink);
    return sink;
  }

  /** A producer of its own for a writer with a name; else the one that is spare, or a new one. */
  #writing({ clock, writer }: WriteRequest): Writing {
    const spare = this.#spare;
    if (writer === undefined && spare !== null) {
      this.#spare = null;
      spare.timer.cancel();
      return spare.writing;
    }
    const who = {};
    const client = new KafkaClient(this.#options, clock, this.#troubleOf(who));
    client.signal.addEventListener('abort', () => this.#troubles.delete(who), { once: true });
    const id = writer === undefined ? null : transactionalId(writer);
    return { client, producer: new KafkaProducer(client, id) };
  }

  /** Keeps a producer for the next INSERT, for a while. */
  #keep(writing: Writing): void {
    const timer = writing.client.clock.after(spareMilliseconds, () => {
      this.#spare = null;
      this.#release(writing);
    });
    this.#spare = { writing, timer };
  }

  #release({ client }: Writing): void {
    void client.close();
  }

  async startPosition(start: ReadStart, request: { readonly clock: Clock; readonly signal: AbortSignal }) {
    // The oldest messages are found when reading begins: nobody has to be asked for them now.
    if (start.kind === 'earliest') return {};
    return this.#ask(request, async (client) => {
      const committed = this.#options.properties['isolation.level'] === 'read_committed';
      return positionOf(await startPlaces(client, start, committed));
    });
  }

  async #ask<Value>(
    request: { readonly clock: Clock; readonly signal: AbortSignal },
    question: (client: KafkaClient) => Promise<Value>,
  ): Promise<Value> {
    const client = new KafkaClient(this.#options, request.clock);
    const end = () => void client.close();
    request.signal.addEventListener('abort', end, { once: true });
    try {
      return await client.persist('read', this.#options.patience, () => question(client));
    } finally {
      request.signal.removeEventListener('abort', end);
      await client.close();
    }
  }

  async writerPosition(writer: string, request: WriteRequest): Promise<unknown> {
    const sink = this.#sink({ ...request, writer });
    try {
      return await sink.position();
    } finally {
      await sink.close();
    }
  }

  status(): ExternalStatus {
    const [trouble] = this.#troubles.values();
    if (trouble !== undefined) return { state: 'waiting', error: trouble.exceptionText };
    const state = this.#sources.size + this.#sinks.size > 0 ? 'running' : 'idle';
    const skipped = this.#lastSkipped;
    if (skipped === null) return { state, error: '' };
    return { state, error: `${this.#skipped} messages were passed over, the last one: ${skipped.message}` };
  }

  async close(): Promise<void> {
    const gone = new SluiceError('UNKNOWN_TABLE', 'The external stream has been dropped');
    this.#closed = true;
    this.#spare?.timer.cancel();
    if (this.#spare !== null) this.#release(this.#spare.writing);
    this.#spare = null;
    for (const source of this.#sources) source.end(gone);
    await Promise.all(Array.from(this.#sinks, (sink) => sink.close()));
  }
}
