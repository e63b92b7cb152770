import { SluiceError } from '../../base/index.ts';
import type { ReadStart } from '../../catalog/index.ts';
import type { KafkaClient } from './client.ts';

/** Where reading a partition goes on: at a message, after so many of its rows. */
export interface Place {
  offset: number;
  skip: number;
}

/**
 * Places by partition, as data: an offset, or an offset and rows of that message. A partition that is not named begins with its
 * oldest message.
 */
export type KafkaPosition = Readonly<Record<string, number | readonly [offset: number, rows: number]>>;

export function positionOf(places: ReadonlyMap<number, Place>): KafkaPosition {
  return Object.fromEntries(
    Array.from(places, ([partition, { offset, skip }]) => [partition, skip === 0 ? offset : [offset, skip]]),
  );
}

function placeOf(entry: KafkaPosition[string]): Place {
  if (typeof entry === 'number') return { offset: entry, skip: 0 };
  return { offset: entry[0], skip: entry[1] };
}

/** The first message of every partition at a start; one attempt. */
export async function startPlaces(
  client: KafkaClient,
  start: ReadStart,
  committed: boolean,
): Promise<Map<number, Place>> {
  const { topic: name } = client.options;
  const oldest = await client.offsets(-2, committed);
  const at = (offsets: ReadonlyMap<number, number>) =>
    new Map(Array.from(offsets, ([partition, offset]) => [partition, { offset, skip: 0 }]));
  switch (start.kind) {
    case 'earliest':
      return at(oldest);
    case 'latest':
      return at(await client.offsets(-1, committed));
    case 'time': {
      const latest = await client.offsets(-1, committed);
      const found = await client.offsets(Math.max(0, Math.ceil(start.milliseconds)), committed);
      for (const [partition, offset] of found) if (offset < 0) found.set(partition, latest.get(partition)!);
      return at(found);
    }
    case 'sequence': {
      const { sequences } = start;
      if (sequences.length > 1 && sequences.length !== oldest.size) {
        throw new SluiceError(
          'BAD_ARGUMENTS',
          `seek_to has ${sequences.length} offsets, and the Kafka topic '${name}' has ${oldest.size} partitions`,
        );
      }
      const latest = await client.offsets(-1, committed);
      const places = new Map<number, Place>();
      for (const [partition, first] of oldest) {
        const wanted = sequences.length === 1 ? sequences[0]! : sequences[partition]!;
        places.set(partition, { offset: Math.min(Math.max(wanted, first), latest.get(partition)!), skip: 0 });
      }
      return places;
    }
    case 'position': {
      const places = at(oldest);
      for (const [partition, entry] of Object.entries(start.position as KafkaPosition)) {
        const place = placeOf(entry);
        assertThere(client, Number(partition), place, oldest);
        places.set(Number(partition), place);
      }
      return places;
    }
  }
}

/** A reader that comes back must find what it has not had; what the broker has deleted is told, not passed over. */
function assertThere(
  client: KafkaClient,
  partition: number,
  place: Place,
  oldest: ReadonlyMap<number, number>,
): void {
  const { topic, skipBadMessages } = client.options;
  const first = oldest.get(partition);
  if (first === undefined) {
    throw new SluiceError(
      'CANNOT_READ_ALL_DATA',
      `Partition ${partition} of the Kafka topic '${topic}', which was read up to offset ${place.offset}, is gone: was the topic made anew?`,
    );
  }
  if (place.offset >= first) return;
  if (!skipBadMessages) {
    throw new SluiceError(
      'CANNOT_READ_ALL_DATA',
      `Messages of the Kafka topic '${topic}', partition ${partition}, from offset ${place.offset} on have been deleted before they were read; the oldest is ${first}. An external stream with on_error='skip' goes on there`,
    );
  }
  place.offset = first;
  place.skip = 0;
}
