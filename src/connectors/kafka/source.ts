import { ProtocolError } from '@platformatic/kafka';
import { limits, SluiceError, toSluiceError } from '../../base/index.ts';
import type { ExternalSource, ReadRequest, SimpleCondition } from '../../catalog/index.ts';
import { type Block, sliceBlock } from '../../column/index.ts';
import { BlockMaker, unreadable } from './block-maker.ts';
import { KafkaClient, type OnTrouble } from './client.ts';
import { brokerError, mayPass } from './errors.ts';
import { type Fetched, fetchMessages } from './fetch.ts';
import type { KafkaOptions } from './options.ts';
import { type KafkaPosition, type Place, positionOf, startPlaces } from './positions.ts';
import { endOfBatches, RecordCursor } from './record-batches.ts';
import type { MessageSchema } from './schema.ts';

/** Milliseconds after which a reader that goes on looks for new partitions. */
const topicAgeMax = 5_000;
/** Answers with messages that are kept for the reader while it is busy. */
const readyMax = 2;

/** A partition while it is read. */
interface Reading {
  readonly partition: number;
  /** What is asked for next. */
  fetchOffset: number;
  /** Where a reading that completes ends; infinite when it goes on. */
  readonly end: number;
}

/** Messages that have come, of one partition. */
interface Chunk {
  readonly partition: number;
  readonly records: RecordCursor;
  /** The offset after them. */
  readonly next: number;
  readonly end: number;
}

/** A block and the places after it. */
interface Piece {
  readonly block: Block;
  readonly position: KafkaPosition;
}

/** The partitions that may hold rows that are wanted. */
function wantedPartitions(schema: MessageSchema, request: ReadRequest): (partition: number) => boolean {
  const named = request.settings.shards;
  const chosen = named === '' ? null : new Set(named.split(',').map((part) => Number(part.trim())));
  if (chosen !== null && [...chosen].some((each) => !Number.isSafeInteger(each) || each < 0))
    throw new SluiceError(
      'BAD_ARGUMENTS',
      `Setting shards cannot be '${named}': expected numbers with commas between`,
    );
  const tests = request.conditions.filter(({ column }) => schema.all[column]?.role === 'partition');
  return (partition) =>
    (chosen?.has(partition) ?? true) && tests.every((condition) => holds(condition, partition));
}

function holds({ op, value }: SimpleCondition, partition: number): boolean {
  const wanted = Number(value);
  switch (op) {
    case '=':
      return partition === wanted;
    case '!=':
      return partition !== wanted;
    case '<':
      return partition < wanted;
    case '<=':
      return partition <= wanted;
    case '>':
      return partition > wanted;
    case '>=':
      return partition >= wanted;
  }
}

/**
 * Reads the topic: one request at a time to each broker that leads partitions, answers kept until the reader wants them. While
 * two of them wait no more is asked for, so that a slow reader holds a bounded number of bytes.
 */
export class KafkaSource implements ExternalSource {
  readonly #options: KafkaOptions;
  readonly #request: ReadRequest;
  readonly #client: KafkaClient;
  readonly #onEnd: () => void;
  readonly #onSkip: (error: SluiceError) => void;
  readonly #maker: BlockMaker;
  readonly #places = new Map<number, Place>();
  readonly #readings = new Map<number, Reading>();
  readonly #loops = new Set<number>();
  readonly #isWanted: (partition: number) => boolean;
  #ready: Chunk[][] = [];
  #chunks: Chunk[] = [];
  #pieces: Piece[] = [];
  #position: KafkaPosition = {};
  #error: unknown = null;
  /** The error of a message that cannot be read, told after the rows before it. */
  #unreadable: SluiceError | null = null;
  #started: Promise<void> | null = null;
  #closed = false;
  #errorsLeft: number;
  #wakeReader: (() => void) | null = null;
  #wakeLoops: (() => void)[] = [];

  constructor(parts: {
    options: KafkaOptions;
    schema: MessageSchema;
    request: ReadRequest;
    onTrouble: OnTrouble;
    onSkip: (error: SluiceError) => void;
    onEnd: () => void;
  }) {
    const { options, schema, request } = parts;
    this.#options = options;
    this.#request = request;
    this.#onEnd = parts.onEnd;
    this.#onSkip = parts.onSkip;
    this.#isWanted = wantedPartitions(schema, request);
    this.#errorsLeft = options.skipBadMessages
      ? Number.POSITIVE_INFINITY
      : request.settings.input_format_allow_errors_num;
    this.#maker = new BlockMaker(schema, request.columns, request.settings);
    this.#client = new KafkaClient(options, request.clock, parts.onTrouble);
  }

  get position(): unknown {
    return this.#position;
  }

  get #committed(): boolean {
    return this.#options.properties['isolation.level'] === 'read_committed';
  }

  async next(): Promise<Block | null> {
    this.#started ??= this.#start();
    await this.#started;
    for (;;) {
      if (this.#closed) return null;
      const piece = this.#pieces.shift();
      if (piece !== undefined) {
        this.#position = piece.position;
        return piece.block;
      }
      if (this.#unreadable !== null) throw this.#unreadable;
      if (this.#chunks.length === 0) {
        const chunks = this.#ready.shift();
        if (chunks !== undefined) {
          this.#chunks = chunks;
          this.#wake();
        } else {
          if (this.#error !== null) throw this.#error;
          if (this.#isDone()) return null;
          await new Promise<void>((resolve) => {
            this.#wakeReader = resolve;
          });
          continue;
        }
      }
      this.#decode();
    }
  }

  /** Finds where to begin; fails when the topic cannot be reached within the patience of the stream. */
  async #start(): Promise<void> {
    const { start, streaming } = this.#request;
    const client = this.#client;
    const committed = this.#committed;
    await client.persist('read', this.#options.patience, async () => {
      await client.askTopic();
      const places = await startPlaces(client, start, committed);
      const ends = streaming ? null : await client.offsets(-1, committed);
      for (const [partition, place] of places) {
        if (!this.#isWanted(partition)) continue;
        this.#places.set(partition, place);
        const end = ends === null ? Number.POSITIVE_INFINITY : (ends.get(partition) ?? 0);
        if (place.offset < end) this.#readings.set(partition, { partition, fetchOffset: place.offset, end });
      }
    });
    this.#position = positionOf(this.#places);
    await this.#startLoops();
  }

  /** Whether all that a reading that completes wants has been asked for and given. */
  #isDone(): boolean {
    return !this.#request.streaming && this.#readings.size === 0;
  }

  async #startLoops(): Promise<void> {
    const { partitions } = await this.#client.topic();
    for (const { index, leader } of partitions) {
      if (this.#loops.has(leader) || !this.#readings.has(index)) continue;
      this.#loops.add(leader);
      this.#runLoop(leader).catch((thrown) => this.#fail(thrown));
    }
  }

  #fail(thrown: unknown): void {
    if (this.#closed || this.#error !== null) return;
    this.#error = thrown;
    this.#wakeReader?.();
  }

  /** Ends the reading with an error, whatever is still there. */
  end(error: SluiceError): void {
    this.#ready = [];
    this.#chunks = [];
    this.#pieces = [];
    this.#fail(error);
  }

  #wake(): void {
    const waiting = this.#wakeLoops;
    this.#wakeLoops = [];
    for (const wake of waiting) wake();
  }

  /** Asks one broker for messages, over and over, until none of the partitions that it leads is wanted. */
  async #runLoop(leader: number): Promise<void> {
    const client = this.#client;
    // Brokers that went away are waited for; that a topic has gone for good shows in the same time as at the start.
    let missingSince = -1;
    while (!this.#closed) {
      if (this.#ready.length >= readyMax) {
        await new Promise<void>((resolve) => this.#wakeLoops.push(resolve));
        continue;
      }
      const more = await client.persist(
        'read',
        this.#request.streaming ? Number.POSITIVE_INFINITY : this.#options.patience,
        () => this.#fetchFrom(leader),
        (thrown) => {
          if (!isMissing(thrown)) {
            missingSince = -1;
            return false;
          }
          const now = client.clock.monotonic();
          if (missingSince < 0) missingSince = now;
          return now - missingSince >= this.#options.patience;
        },
      );
      missingSince = -1;
      if (!more) break;
    }
    this.#loops.delete(leader);
    if (!this.#closed && this.#readings.size > 0)
      await client.persist('read', this.#options.patience, () => this.#startLoops());
    this.#wakeReader?.();
  }

  /** One request to a broker; false when it leads nothing that is wanted. */
  async #fetchFrom(leader: number): Promise<boolean> {
    const { clock, streaming } = this.#request;
    const client = this.#client;
    let topic = await client.topic();
    if (streaming && clock.monotonic() - topic.at > topicAgeMax) {
      topic = await client.askTopic();
      this.#addPartitions(topic.partitions.map(({ index }) => index));
      await this.#startLoops();
    }
    const wanted = topic.partitions.flatMap(({ index, leader: node }) => {
      const reading = node === leader ? this.#readings.get(index) : undefined;
      return reading === undefined ? [] : [{ partition: index, offset: reading.fetchOffset }];
    });
    if (wanted.length === 0) return false;
    const connection = await client.connectionTo(leader);
    const wait = streaming ? this.#options.properties['fetch.wait.max.ms'] : 100;
    const fetched = await fetchMessages(connection, this.#options, topic.id, wanted, wait);
    if (!this.#closed) this.#take(fetched);
    return true;
  }

  /** Partitions that the topic has got meanwhile are read from their first message on. */
  #addPartitions(partitions: readonly number[]): void {
    for (const partition of partitions) {
      if (this.#places.has(partition) || !this.#isWanted(partition)) continue;
      this.#places.set(partition, { offset: 0, skip: 0 });
      this.#readings.set(partition, { partition, fetchOffset: 0, end: Number.POSITIVE_INFINITY });
    }
  }

  #take(fetched: readonly Fetched[]): void {
    const chunks: Chunk[] = [];
    for (const each of fetched) {
      const reading = this.#readings.get(each.partition);
      if (reading === undefined) continue;
      if (
        each.errorCode === offsetOutOfRange &&
        this.#options.skipBadMessages &&
        reading.fetchOffset < each.logStart
      ) {
        reading.fetchOffset = each.logStart;
        continue;
      }
      if (each.errorCode !== 0) throw fetchError(each, reading, this.#options);
      const { bytes, partition } = each;
      const next = endOfBatches(bytes, reading.fetchOffset);
      if (next > reading.fetchOffset) {
        const records = new RecordCursor(bytes, reading.fetchOffset, each.aborted);
        chunks.push({ partition, records, next, end: reading.end });
        reading.fetchOffset = next;
      } else if (bytes.length > 0) {
        throw new SluiceError(
          'CORRUPTED_DATA',
          `Kafka topic '${this.#options.topic}', partition ${partition}, offset ${reading.fetchOffset}: the broker's answer holds no whole batch`,
        );
      }
      if (reading.fetchOffset >= reading.end) this.#readings.delete(partition);
    }
    if (chunks.length > 0) this.#ready.push(chunks);
    else if (!this.#request.streaming) {
      // Where nothing at all comes although more would be seen, offsets up to the end are those of messages that are gone.
      for (const { partition, visibleEnd } of fetched)
        if (visibleEnd >= (this.#readings.get(partition)?.end ?? 0)) this.#readings.delete(partition);
    }
    this.#wakeReader?.();
  }

  /** Makes a block, or more when a message has very many rows, of what is there. */
  #decode(): void {
    try {
      this.#fill();
    } catch (thrown) {
      this.#unreadable = toSluiceError(thrown);
    }
    // Also no rows are a step forward, but not one that anybody waits for.
    const { rows } = this.#maker;
    if (rows > 0) this.#pieces.push({ block: this.#maker.finish(), position: positionOf(this.#places) });
  }

  #fill(): void {
    const maker = this.#maker;
    while (this.#chunks.length > 0) {
      const chunk = this.#chunks[0]!;
      const { records, partition } = chunk;
      const place = this.#places.get(partition)!;
      let ended = true;
      while (this.#nextRecord(chunk)) {
        const before = maker.rows;
        const skip = records.offset === place.offset ? place.skip : 0;
        if (!this.#addRecord(records, partition)) continue;
        if (skip > 0 || maker.rows > limits.block_rows_max) {
          this.#cut(before, skip, place, records.offset);
          return;
        }
        place.offset = records.offset + 1;
        if (maker.isFull) {
          ended = false;
          break;
        }
      }
      if (ended) {
        place.offset = Math.min(chunk.next, chunk.end);
        place.skip = 0;
        this.#chunks.shift();
      }
      if (maker.isFull) return;
    }
  }

  #nextRecord({ records, partition, end }: Chunk): boolean {
    try {
      return records.next() && records.offset < end;
    } catch (thrown) {
      throw unreadable(thrown, this.#options.topic, partition, records.offset + 1);
    }
  }

  /** Whether the message became rows; one that cannot be read is an error, unless it may be passed over. */
  #addRecord(records: RecordCursor, partition: number): boolean {
    try {
      this.#maker.add(records, partition);
      return true;
    } catch (thrown) {
      const error = unreadable(thrown, this.#options.topic, partition, records.offset);
      if (this.#errorsLeft <= 0) throw error;
      this.#errorsLeft--;
      this.#onSkip(error);
      const place = this.#places.get(partition)!;
      place.offset = records.offset + 1;
      place.skip = 0;
      return false;
    }
  }

  /** Cuts up a block whose last message has more rows than fit, or of which some were given before. */
  #cut(before: number, skip: number, place: Place, offset: number): void {
    const block = this.#maker.finish();
    const piece = (from: number, to: number) => {
      if (from < to)
        this.#pieces.push({ block: sliceBlock(block, from, to), position: positionOf(this.#places) });
    };
    place.offset = offset;
    place.skip = skip;
    piece(0, before);
    for (let from = before + skip; from < block.rows; from = before + place.skip) {
      const to = Math.min(block.rows, from + limits.block_rows_max);
      if (to === block.rows) {
        place.offset = offset + 1;
        place.skip = 0;
      } else place.skip = to - before;
      piece(from, to);
      if (to === block.rows) return;
    }
    place.offset = offset + 1;
    place.skip = 0;
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    void this.#client.close();
    this.#ready = [];
    this.#chunks = [];
    this.#wake();
    this.#wakeReader?.();
    this.#onEnd();
  }
}

const offsetOutOfRange = 1;

/** The error that a broker gives for one partition. */
function fetchError(
  { partition, errorCode, logStart }: Fetched,
  reading: Reading,
  options: KafkaOptions,
): unknown {
  if (errorCode === offsetOutOfRange) {
    return new SluiceError(
      'CANNOT_READ_ALL_DATA',
      `Offset ${reading.fetchOffset} of the Kafka topic '${options.topic}', partition ${partition}, is not there; the oldest is ${logStart}`,
    );
  }
  return new ProtocolError(errorCode);
}

function isMissing(thrown: unknown): boolean {
  return (
    mayPass(thrown) && ['UNKNOWN_TOPIC_OR_PARTITION', 'UNKNOWN_TOPIC_ID'].includes(brokerError(thrown) ?? '')
  );
}
