import { type Clock, SluiceError } from '../../base/index.ts';
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
import type { Connector } from '../connector.ts';
import { KafkaClient, type OnTrouble } from './client.ts';
import { type KafkaOptions, kafkaOptions, kafkaSettings } from './options.ts';
import { positionOf, startPlaces } from './positions.ts';
import { type MessageSchema, messageSchema } from './schema.ts';
import { KafkaSink } from './sink.ts';
import { KafkaSource } from './source.ts';

/** A topic as an external stream. */
class KafkaTable implements ExternalTable {
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
    const who = {};
    const sink = new KafkaSink({
      options: this.#options,
      schema: this.#schema,
      request,
      onTrouble: this.#troubleOf(who),
      onEnd: () => {
        this.#troubles.delete(who);
        this.#sinks.delete(sink);
      },
    });
    this.#sinks.add(sink);
    return sink;
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
    for (const source of this.#sources) source.end(gone);
    await Promise.all(Array.from(this.#sinks, (sink) => sink.close()));
  }
}

/** External streams of `type='kafka'`. */
export const kafkaConnector: Connector = {
  type: 'kafka',
  variants: ['stream'],
  settings: kafkaSettings,
  connect: ({ columns }, settings, shown, { schemas }) =>
    new KafkaTable(columns, kafkaOptions(settings), shown, schemas),
};
