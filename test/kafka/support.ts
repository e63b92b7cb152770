import { Admin, Consumer, compatibilityPartitioner, Producer } from '@platformatic/kafka';
import type { ExecutionContext } from 'ava';
import { KafkaBroker } from '../../scripts/kafka.ts';
import { Database } from '../../src/index.ts';
import { temporaryDirectory } from '../support/temporary-database.ts';

/** The broker that a test file runs against: one of its own, unless KAFKA_BROKERS names another. */
export class TestBroker {
  readonly own: KafkaBroker | null;
  readonly brokers: string;
  #topics = 0;

  private constructor(own: KafkaBroker | null, brokers: string) {
    this.own = own;
    this.brokers = brokers;
  }

  static async start(): Promise<TestBroker> {
    const given = process.env.KAFKA_BROKERS;
    if (given) return new TestBroker(null, given);
    const own = await KafkaBroker.start();
    return new TestBroker(own, own.brokers);
  }

  static over(own: KafkaBroker): TestBroker {
    return new TestBroker(own, own.brokers);
  }

  async stop(): Promise<void> {
    await this.own?.stop();
  }

  get #bootstrap() {
    return { clientId: 'test', bootstrapBrokers: this.brokers.split(','), retries: 10, retryDelay: 200 };
  }

  /** A new topic. */
  async topic(partitions = 1, configs: Record<string, string> = {}): Promise<string> {
    const name = `t${process.pid}-${Date.now()}-${this.#topics++}`;
    const admin = new Admin(this.#bootstrap);
    await admin.createTopics({
      topics: [name],
      partitions,
      replicas: 1,
      configs: Object.entries(configs).map(([key, value]) => ({ name: key, value })),
    });
    await admin.close();
    return name;
  }

  async deleteTopic(name: string): Promise<void> {
    const admin = new Admin(this.#bootstrap);
    await admin.deleteTopics({ topics: [name] });
    await admin.close();
  }

  async addPartitions(topic: string, count: number): Promise<void> {
    const admin = new Admin(this.#bootstrap);
    await admin.createPartitions({ topics: [{ name: topic, count }], validateOnly: false });
    await admin.close();
  }

  /** Sends messages by the client library alone. */
  async send(topic: string, messages: readonly TestMessage[], compression = 'none'): Promise<void> {
    const producer = new Producer({
      ...this.#bootstrap,
      compression: compression as 'none',
      partitioner: compatibilityPartitioner,
    });
    await producer.send({ messages: messages.map((message) => sent(topic, message)), acks: -1 });
    await producer.close();
  }

  /** Sends messages in a transaction of the client library, which is then ended well or given up. */
  async sendInTransaction(topic: string, messages: readonly TestMessage[], commit: boolean): Promise<void> {
    const producer = new Producer({
      ...this.#bootstrap,
      idempotent: true,
      transactionalId: `x${process.pid}-${this.#topics++}`,
      producerId: -1n,
      producerEpoch: -1,
      retries: 5,
    });
    const transaction = await producer.beginTransaction();
    await transaction.send({ messages: messages.map((message) => sent(topic, message)) });
    await (commit ? transaction.commit() : transaction.abort());
    await producer.close();
  }

  /** The messages of a topic, as the client library reads them. */
  async messages(topic: string, count: number): Promise<ReadMessage[]> {
    const consumer = new Consumer({ ...this.#bootstrap, groupId: `g${process.pid}-${this.#topics++}` });
    const stream = await consumer.consume({
      topics: [topic],
      mode: 'earliest',
      isolationLevel: 1,
      maxWaitTime: 50,
    });
    const seen = new Set<string>();
    const read: ReadMessage[] = [];
    if (count > 0) {
      for await (const { key, value, headers, partition, offset } of stream) {
        // Joining its group makes the library's reader begin anew.
        if (seen.has(`${partition}:${offset}`)) continue;
        seen.add(`${partition}:${offset}`);
        read.push({
          key: key?.toString() ?? null,
          value: value?.toString() ?? null,
          headers: Object.fromEntries(Array.from(headers, ([name, text]) => [String(name), String(text)])),
          partition,
        });
        if (read.length === count) break;
      }
    }
    await consumer.close(true);
    return read;
  }
}

export interface TestMessage {
  readonly key?: string;
  readonly value: string | Uint8Array | null;
  readonly headers?: Record<string, string>;
  readonly partition?: number;
  readonly timestamp?: number;
}

interface ReadMessage {
  readonly key: string | null;
  readonly value: string | null;
  readonly headers: Record<string, string>;
  readonly partition: number;
}

function sent(topic: string, { key, value, headers, partition, timestamp }: TestMessage) {
  return {
    topic,
    ...(key === undefined ? {} : { key: Buffer.from(key) }),
    value: value === null ? (null as unknown as Buffer) : Buffer.from(value),
    headers: new Map(
      Object.entries(headers ?? {}).map(([name, text]) => [Buffer.from(name), Buffer.from(text)]),
    ),
    ...(partition === undefined ? {} : { partition }),
    ...(timestamp === undefined ? {} : { timestamp: BigInt(timestamp) }),
  };
}

export async function opened(t: ExecutionContext, directory = temporaryDirectory(t)): Promise<Database> {
  const database = await Database.open({ dataDir: directory });
  t.teardown(() => database.close());
  return database;
}

/** The rows of a query, as lists of values. */
export async function rowsOf(database: Database, sql: string): Promise<unknown[][]> {
  return (await database.query(sql).toArray()).map((row) => Object.values(row));
}

/** Resolves when the condition has come true. */
export async function until(what: string, condition: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 30_000;
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error(`In vain waited until ${what}`);
    await new Promise((next) => setTimeout(next, 20));
  }
}
