import { isIP } from 'node:net';
import {
  apiVersionsV3,
  type Connection,
  ConnectionPool,
  findCoordinatorV4,
  listOffsetsV7,
  metadataV12,
} from '@platformatic/kafka';
import { type Clock, SluiceError } from '../../base/index.ts';
import { brokerError, kafkaError, mayPass } from './errors.ts';
import { type KafkaOptions, trustedAuthorities } from './options.ts';

/** One partition of the topic. */
export interface Partition {
  readonly index: number;
  /** Node that leads it; -1 while there is none. */
  readonly leader: number;
  readonly leaderEpoch: number;
}

export interface Topic {
  readonly id: string;
  readonly partitions: readonly Partition[];
  readonly brokers: ReadonlyMap<number, { readonly host: string; readonly port: number }>;
  /** When it was asked for, in milliseconds of the monotonic clock. */
  readonly at: number;
}

/** Milliseconds between the first attempts of something that fails; it doubles up to the second number. */
const backOff = [50, 2_000] as const;

/** Versions of the protocol that are spoken, by number of the request; all of them since Kafka 3.1. */
const spoken: ReadonlyMap<number, number> = new Map([
  [0, 9],
  [1, 13],
  [2, 7],
  [3, 12],
]);

/** Waits, unless the signal ends it before. */
export function sleep(clock: Clock, milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      timer.cancel();
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = clock.after(milliseconds, end);
    signal.addEventListener('abort', end, { once: true });
    if (signal.aborted) end();
  });
}

/** What is told of attempts that fail and are made again. */
export type OnTrouble = (error: SluiceError | null) => void;

/** Connections to the brokers of one topic. */
export class KafkaClient {
  readonly options: KafkaOptions;
  readonly clock: Clock;
  readonly #controller = new AbortController();
  readonly #onTrouble: OnTrouble;
  #pool: ConnectionPool;
  #topic: Topic | null = null;
  readonly #coordinators = new Map<string, { readonly host: string; readonly port: number }>();
  #checked = false;

  constructor(options: KafkaOptions, clock: Clock, onTrouble: OnTrouble = () => {}) {
    this.options = options;
    this.clock = clock;
    this.#onTrouble = onTrouble;
    this.#pool = this.#newPool();
  }

  #newPool(): ConnectionPool {
    const { options } = this;
    const ca = trustedAuthorities(options);
    const pool = new ConnectionPool(options.properties['client.id'], {
      connectTimeout: Math.max(100, Math.min(5_000, options.patience)),
      requestTimeout: Math.max(1_000, options.patience) + options.properties['fetch.wait.max.ms'],
      maxInflights: 5,
      ...(options.tls === undefined
        ? {}
        : {
            tls: {
              rejectUnauthorized: options.tls.rejectUnauthorized,
              ...(ca === undefined ? {} : { ca }),
            },
            // A server is told the name it is asked under; an address is none.
            tlsServerName: options.brokers.every(({ host }) => isIP(host) === 0),
          }),
      ...(options.sasl === undefined ? {} : { sasl: options.sasl }),
    });
    // Whoever waits for a connection is told of its end; an error that comes later is nobody's.
    pool.on('connecting', ({ connection }) => connection.on('error', () => {}));
    return pool;
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /**
   * Does something again and again until it succeeds, with growing pauses. What cannot pass by itself is thrown at once, the
   * rest after `patience` milliseconds; infinite patience is told of trouble and goes on.
   */
  async persist<Value>(
    doing: string,
    patience: number,
    attempt: () => Promise<Value>,
    immediately: (thrown: unknown) => boolean = () => false,
  ): Promise<Value> {
    const { clock } = this;
    const deadline = clock.monotonic() + patience;
    let pause: number = backOff[0];
    for (;;) {
      try {
        const value = await attempt();
        this.#onTrouble(null);
        return value;
      } catch (thrown) {
        const error = kafkaError(thrown, doing, this.options);
        if (this.signal.aborted || !mayPass(thrown) || immediately(thrown)) throw error;
        if (clock.monotonic() + pause >= deadline) throw error;
        this.#onTrouble(error);
        if (brokerError(thrown) === undefined) this.#reconnect();
        this.forget();
        await sleep(clock, pause, this.signal);
        pause = Math.min(backOff[1], pause * 2);
      }
    }
  }

  /** Drops all connections: after a failure below the protocol none of them is to be trusted. */
  #reconnect(): void {
    closePool(this.#pool);
    if (!this.signal.aborted) this.#pool = this.#newPool();
  }

  async #anyConnection(): Promise<Connection> {
    const known = this.#topic === null ? [] : [...this.#topic.brokers.values()];
    for (const broker of known) this.options.assertAllowed(broker);
    return this.#pool.getFirstAvailable([...this.options.brokers, ...known]);
  }

  async #checkVersions(connection: Connection): Promise<void> {
    if (this.#checked) return;
    const { apiKeys } = await apiVersionsV3.api.async(connection, 'sluice', '1');
    for (const [key, version] of spoken) {
      const found = apiKeys.find((each) => each.apiKey === key);
      if (found !== undefined && found.minVersion <= version && found.maxVersion >= version) continue;
      throw new SluiceError(
        'NETWORK_ERROR',
        `The Kafka brokers do not speak version ${version} of request ${key}: Kafka 3.1 or later is needed`,
      );
    }
    this.#checked = true;
  }

  /** The topic as it is now; one attempt. */
  async askTopic(): Promise<Topic> {
    const connection = await this.#anyConnection();
    await this.#checkVersions(connection);
    const response = await metadataV12.api.async(connection, [this.options.topic], false, false);
    const [found] = response.topics;
    this.#topic = {
      id: found!.topicId,
      partitions: found!.partitions
        .map(({ partitionIndex, leaderId, leaderEpoch }) => {
          return { index: partitionIndex, leader: leaderId, leaderEpoch };
        })
        .sort((left, right) => left.index - right.index),
      brokers: new Map(response.brokers.map(({ nodeId, host, port }) => [nodeId, { host, port }])),
      at: this.clock.monotonic(),
    };
    return this.#topic;
  }

  /** The topic as it was found last, or as it is when it is not known. */
  async topic(): Promise<Topic> {
    return this.#topic ?? (await this.askTopic());
  }

  /** What was found out about brokers is asked for anew. */
  forget(): void {
    this.#topic = null;
    this.#coordinators.clear();
  }

  async connectionTo(node: number): Promise<Connection> {
    const broker = (await this.topic()).brokers.get(node);
    if (broker === undefined) {
      this.#topic = null;
      throw Object.assign(new Error(`No broker has the number ${node}`), { code: 'PLT_KFK_NETWORK' });
    }
    // Brokers name each other, so that the name may be any.
    this.options.assertAllowed(broker);
    return this.#pool.get(broker);
  }

  /** A connection to the broker that coordinates a group (0) or a transactional id (1). */
  async coordinator(kind: 0 | 1, name: string): Promise<Connection> {
    const key = `${kind} ${name}`;
    let broker = this.#coordinators.get(key);
    if (broker === undefined) {
      const connection = await this.#anyConnection();
      const { coordinators } = await findCoordinatorV4.api.async(connection, kind, [name]);
      const { host, port } = coordinators[0]!;
      broker = { host, port };
      this.options.assertAllowed(broker);
      this.#coordinators.set(key, broker);
    }
    return this.#pool.get(broker);
  }

  /**
   * Offsets by partition: for timestamp -2 the earliest, for -1 the latest that a reader sees, else the first at or after that
   * many milliseconds, -1 when there is none. One attempt.
   */
  async offsets(timestamp: number, committed: boolean): Promise<Map<number, number>> {
    const topic = await this.topic();
    const byLeader = Map.groupBy(topic.partitions, (partition) => partition.leader);
    const offsets = new Map<number, number>();
    for (const [leader, partitions] of byLeader) {
      const connection = await this.connectionTo(leader);
      const response = await listOffsetsV7.api.async(connection, -1, committed ? 1 : 0, [
        {
          name: this.options.topic,
          partitions: partitions.map(({ index }) => ({
            partitionIndex: index,
            currentLeaderEpoch: -1,
            timestamp: BigInt(timestamp),
          })),
        },
      ]);
      for (const { partitions: answers } of response.topics)
        for (const { partitionIndex, offset } of answers) offsets.set(partitionIndex, Number(offset));
    }
    return offsets;
  }

  async close(): Promise<void> {
    this.#controller.abort();
    closePool(this.#pool);
  }
}

/** Ends all connections at once, those being made included. */
function closePool(pool: ConnectionPool): void {
  for (const [, connection] of pool) connection.socket?.destroy();
  pool.close(() => {});
}
