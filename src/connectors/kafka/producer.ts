import {
  addOffsetsToTxnV3,
  addPartitionsToTxnV3,
  type Connection,
  createAPI,
  endTxnV3,
  initProducerIdV4,
  offsetFetchV8,
  produceV9,
  txnOffsetCommitV3,
  Writer,
} from '@platformatic/kafka';
import { SluiceError } from '../../base/index.ts';
import { BatchWriter, type Message, type Producer } from './batch-writer.ts';
import { type KafkaClient, sleep } from './client.ts';
import { brokerError } from './errors.ts';
import { partitionOfKey } from './murmur2.ts';

/** A batch on its way to a partition. */
interface Sent {
  readonly partition: number;
  readonly bytes: Buffer;
}

type ProduceRequest = [
  transactionalId: string | null,
  topic: string,
  timeout: number,
  batches: readonly Sent[],
];

/** As the client library writes the request, but for the batches, which are bytes already. */
function createRequest(...[transactionalId, topic, timeout, batches]: ProduceRequest): Writer {
  return Writer.create()
    .appendString(transactionalId)
    .appendInt16(-1)
    .appendInt32(timeout)
    .appendArray([topic], (writer, name) => {
      writer.appendString(name).appendArray([...batches], (each, { partition, bytes }) => {
        each
          .appendInt32(partition)
          .appendUnsignedVarInt(bytes.length + 1)
          .append(bytes);
      });
    })
    .appendTaggedFields();
}

const produceApi = createAPI<ProduceRequest, unknown>(0, 9, createRequest, produceV9.parseResponse);

/** Milliseconds that the end of a transaction that is given up may take. */
const abortMilliseconds = 1_000;

/** Bytes that wait to be sent, over all partitions, above which the writer is held back. */
const waitingBytesMax = 8 * 1024 * 1024;

/**
 * Writes messages in order, each partition's batches one after the other with numbers by which the brokers know what they have
 * had: what is sent again after a failure is there once. With a name it writes in transactions.
 */
export class KafkaProducer {
  readonly #client: KafkaClient;
  /** Name of the transactions; null without. */
  readonly #transactionalId: string | null;
  #producer: Producer | null = null;
  #waiting = new Map<number, BatchWriter>();
  #waitingBytes = 0;
  readonly #sequences = new Map<number, number>();
  /** Partitions that are part of the transaction. */
  readonly #joined = new Set<number>();
  #inTransaction = false;
  #sticky = 0;
  #sending: Promise<void> = Promise.resolve();
  #failure: unknown = null;

  constructor(client: KafkaClient, transactionalId: string | null) {
    this.#client = client;
    this.#transactionalId = transactionalId;
    this.#sticky = Math.floor(client.clock.monotonic());
  }

  get failed(): boolean {
    return this.#failure !== null;
  }

  /** Whether it has started, nothing waits to be sent and nothing went wrong. */
  get isIdle(): boolean {
    return this.#producer !== null && !this.failed && this.#waitingBytes === 0;
  }

  #persist<Value>(attempt: () => Promise<Value>): Promise<Value> {
    return this.#client.persist('write', this.#client.options.patience, attempt);
  }

  /** Gets the number that brokers know the writer by; of a name, it ends what an earlier holder had not finished. */
  async start(): Promise<void> {
    const { properties } = this.#client.options;
    this.#producer ??= await this.#persist(async () => {
      const connection = await this.#coordinator();
      const { producerId, producerEpoch } = await initProducerIdV4.api.async(
        connection,
        this.#transactionalId,
        properties['transaction.timeout.ms'],
        -1n,
        -1,
      );
      return { id: producerId, epoch: producerEpoch, isTransactional: this.#transactionalId !== null };
    });
    // Whether the topic is there shows before the first rows are taken.
    await this.#persist(() => this.#client.topic());
  }

  async #coordinator(): Promise<Connection> {
    if (this.#transactionalId !== null) return this.#client.coordinator(1, this.#transactionalId);
    const { partitions } = await this.#client.topic();
    return this.#client.connectionTo(partitions[0]!.leader);
  }

  /** The number of partitions of the topic. */
  async partitions(): Promise<number> {
    return (await this.#persist(() => this.#client.topic())).partitions.length;
  }

  /**
   * Takes a message when it fits beside those that wait for its partition; false when `send` has to be called before. Throws
   * TOO_LARGE_STRING_SIZE for one that no broker would take.
   */
  put(message: Message, partitions: number): boolean {
    const { options, clock } = this.#client;
    const most = options.properties['message.max.bytes'];
    const { key } = message;
    const partition =
      key === null ? this.#sticky % partitions : partitionOfKey(Buffer.from(key, 'latin1'), partitions);
    let writer = this.#waiting.get(partition);
    if (writer === undefined) {
      writer = new BatchWriter();
      this.#waiting.set(partition, writer);
    }
    const before = writer.length;
    const size = BatchWriter.sizeOf(message);
    if (before + size > most) {
      if (writer.count === 0) throw tooLarge(size, most);
      return false;
    }
    if (this.#waitingBytes >= waitingBytesMax) return false;
    writer.add(message, clock.now());
    this.#waitingBytes += writer.length - before;
    return true;
  }

  /** Sends what waits, after what was sent before; resolves when that before it has been acknowledged. */
  async send(): Promise<void> {
    const before = this.#sending;
    const { clock, options } = this.#client;
    const batches: Sent[] = [];
    for (const [partition, writer] of this.#waiting) {
      if (writer.count === 0) continue;
      const sequence = this.#sequences.get(partition) ?? 0;
      this.#sequences.set(partition, (sequence + writer.count) % 2 ** 31);
      batches.push({ partition, bytes: writer.finish(options, this.#producer!, sequence, clock.now()) });
    }
    this.#waitingBytes = 0;
    this.#sticky++;
    if (batches.length > 0) {
      this.#sending = before.then(() => this.#deliver(batches));
      this.#sending.catch((thrown) => {
        this.#failure ??= thrown;
      });
    }
    await before;
  }

  /** Resolves when everything that was taken has been acknowledged by all replicas in sync. */
  async flush(): Promise<void> {
    await this.send();
    await this.#sending;
  }

  async #deliver(batches: readonly Sent[]): Promise<void> {
    if (this.#failure !== null) throw this.#failure;
    const { options } = this.#client;
    if (this.#transactionalId !== null) await this.#join(batches.map(({ partition }) => partition));
    let left = batches;
    await this.#persist(async () => {
      const { partitions } = await this.#client.topic();
      const leaders = new Map(partitions.map(({ index, leader }) => [index, leader]));
      const byLeader = Map.groupBy(left, ({ partition }) => leaders.get(partition) ?? -1);
      const attempts = [...byLeader].map(async ([leader, own]) => {
        const connection = await this.#client.connectionTo(leader);
        try {
          await produceApi.async(connection, this.#transactionalId, options.topic, options.patience, own);
        } catch (thrown) {
          // A broker that has had the batch already says so.
          if (own.length !== 1 || brokerError(thrown) !== 'DUPLICATE_SEQUENCE_NUMBER') throw thrown;
        }
        left = left.filter((each) => !own.includes(each));
      });
      const [failed] = (await Promise.allSettled(attempts)).filter((each) => each.status === 'rejected');
      if (failed !== undefined) throw failed.reason;
    });
  }

  /** Makes partitions part of the transaction. */
  async #join(partitions: readonly number[]): Promise<void> {
    const fresh = partitions.filter((partition) => !this.#joined.has(partition));
    this.#inTransaction = true;
    if (fresh.length === 0) return;
    await this.#persist(async () => {
      const connection = await this.#coordinator();
      const topics = [{ name: this.#client.options.topic, partitions: fresh }];
      await addPartitionsToTxnV3.api.async(connection, [{ ...this.#identity, verifyOnly: false, topics }]);
    });
    for (const partition of fresh) this.#joined.add(partition);
  }

  get #identity() {
    return {
      transactionalId: this.#transactionalId!,
      producerId: this.#producer!.id,
      producerEpoch: this.#producer!.epoch,
    };
  }

  /** Ends the transaction with everything taken so far, and keeps a note with it that `note` gives back. */
  async commit(note: string): Promise<void> {
    await this.flush();
    const { transactionalId, producerId, producerEpoch } = this.#identity;
    const group = transactionalId;
    const { topic } = this.#client.options;
    this.#inTransaction = true;
    await this.#persist(async () => {
      const connection = await this.#coordinator();
      await addOffsetsToTxnV3.api.async(connection, transactionalId, producerId, producerEpoch, group);
    });
    await this.#persist(async () => {
      const connection = await this.#client.coordinator(0, group);
      const partition = {
        partitionIndex: 0,
        committedOffset: 0n,
        committedLeaderEpoch: -1,
        committedMetadata: note,
      };
      await txnOffsetCommitV3.api.async(
        connection,
        transactionalId,
        group,
        producerId,
        producerEpoch,
        -1,
        '',
        null,
        [{ name: topic, partitions: [partition] }],
      );
    });
    await this.#end(true);
  }

  async #end(commit: boolean): Promise<void> {
    const { transactionalId, producerId, producerEpoch } = this.#identity;
    try {
      await this.#persist(async () => {
        const connection = await this.#coordinator();
        await endTxnV3.api.async(connection, transactionalId, producerId, producerEpoch, commit);
      });
    } catch (thrown) {
      this.#failure ??= thrown;
      throw thrown;
    }
    this.#inTransaction = false;
    this.#joined.clear();
  }

  /** Gives the transaction up, if there is one; brokers that cannot be told soon do so by themselves. */
  async abort(): Promise<void> {
    this.#waiting.clear();
    if (!this.#inTransaction || this.failed || this.#client.signal.aborted) return;
    const ended = this.#sending.then(() => this.#end(false)).catch(() => {});
    await Promise.race([ended, sleep(this.#client.clock, abortMilliseconds, this.#client.signal)]);
  }

  /** The note of the last transaction that ended well; undefined when there is none. */
  async note(): Promise<string | undefined> {
    const { topic } = this.#client.options;
    const groupId = this.#transactionalId!;
    return this.#persist(async () => {
      const connection = await this.#client.coordinator(0, groupId);
      const topics = [{ name: topic, partitionIndexes: [0] }];
      const group = { groupId, memberEpoch: -1, topics };
      const { groups } = await offsetFetchV8.api.async(connection, [group], true);
      const [found] = groups[0]!.topics[0]?.partitions ?? [];
      return found === undefined || found.committedOffset < 0n ? undefined : (found.metadata ?? undefined);
    });
  }
}

/** The error of a message that no broker would take. */
function tooLarge(bytes: number, most: number): SluiceError {
  return new SluiceError(
    'TOO_LARGE_STRING_SIZE',
    `A message of ${bytes} bytes is larger than ${most}: raise message.max.bytes in 'properties', and on the brokers`,
  );
}
