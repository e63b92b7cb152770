import { type Connection, createAPI, fetchV13, type Reader, ResponseError } from '@platformatic/kafka';
import type { KafkaOptions } from './options.ts';
import type { AbortedTransaction } from './record-batches.ts';

/** What a broker has of one partition. */
export interface Fetched {
  readonly partition: number;
  /** The broker's number of an error; 0 for none. */
  readonly errorCode: number;
  /** Up to where a reader sees messages. */
  readonly visibleEnd: number;
  readonly logStart: number;
  readonly aborted: readonly AbortedTransaction[];
  readonly bytes: Buffer;
}

const noBytes = Buffer.alloc(0);

/** As the client library reads the answer, but for the batches of messages, which stay bytes. */
function parseResponse(_: number, apiKey: number, apiVersion: number, reader: Reader): Fetched[] {
  reader.readInt32();
  const errorCode = reader.readInt16();
  if (errorCode !== 0) throw new ResponseError(apiKey, apiVersion, { '': [errorCode, null] }, {});
  reader.readInt32();
  const topics = reader.readArray((topic) => {
    topic.readUUID();
    return topic.readArray((each): Fetched => {
      const partition = each.readInt32();
      const error = each.readInt16();
      const highWatermark = Number(each.readInt64());
      const stableEnd = Number(each.readInt64());
      const logStart = Number(each.readInt64());
      const aborted = each.readArray((transaction) => ({
        producerId: transaction.readInt64(),
        firstOffset: transaction.readInt64(),
      }));
      each.readInt32();
      const length = each.readUnsignedVarInt() - 1;
      const start = each.position;
      if (length > 0) each.skip(length);
      return {
        partition,
        errorCode: error,
        visibleEnd: stableEnd >= 0 ? stableEnd : highWatermark,
        logStart,
        aborted: aborted ?? [],
        bytes: length > 0 ? each.buffer.slice(start, start + length) : noBytes,
      };
    });
  });
  return topics.flat();
}

type Request = Parameters<typeof fetchV13.createRequest>;

const fetchApi = createAPI<Request, Fetched[]>(1, 13, fetchV13.createRequest, parseResponse);

/** Asks the leader of partitions for messages from an offset of each on. Waits up to `wait` milliseconds for the first. */
export function fetchMessages(
  connection: Connection,
  options: KafkaOptions,
  topicId: string,
  wanted: readonly { readonly partition: number; readonly offset: number }[],
  wait: number,
): Promise<Fetched[]> {
  const { properties } = options;
  const committed = properties['isolation.level'] === 'read_committed';
  const partitions = wanted.map(({ partition, offset }) => ({
    partition,
    currentLeaderEpoch: -1,
    fetchOffset: BigInt(offset),
    lastFetchedEpoch: -1,
    partitionMaxBytes: properties['max.partition.fetch.bytes'],
  }));
  return fetchApi.async(
    connection,
    wait,
    1,
    properties['fetch.max.bytes'],
    committed ? 1 : 0,
    0,
    -1,
    [{ topicId, partitions }],
    [],
    '',
  );
}
