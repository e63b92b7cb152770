/*
 * A process to be killed: appends to the log in the given directory as fast as it can and prints a line for every
 * append that was acknowledged: number of the caller, count of its appends, first sequence number, rows.
 */
import { writeSync } from 'node:fs';
import { systemClock } from '../../src/base/index.ts';
import { openStore } from '../../src/storage/index.ts';
import { blockOf, logId, randomOf, range, schema } from './helpers.ts';

const [directory, seed] = process.argv.slice(2);
const random = randomOf(Number(seed));
const store = await openStore({
  directory: directory!,
  clock: systemClock,
  segmentBytesMax: 60_000,
  segmentRecordsMax: 50,
  compaction: { blocksFanout: 4, filesFanout: 3 },
});
const log = await store.openLog(logId, schema);
const callers = 8;

async function call(caller: number): Promise<void> {
  const writer = `caller ${caller}`;
  let count = Number(log.originPosition(writer) ?? 0);
  for (;;) {
    const rows = random() < 0.6 ? 1 : Math.ceil(random() * 50);
    // The numbers of the rows tell whose they are and to which append they belong.
    const numbers = range(0, rows).map((row) => (caller * 10_000 + count) * 64 + row);
    const split = random() < 0.2 && rows > 1 ? 1 : rows;
    const blocks = [numbers.slice(0, split), numbers.slice(split)].filter((part) => part.length > 0);
    const token = `${caller}/${count}`;
    const { firstSequence } = await log.append(blocks.map(blockOf), {
      token,
      origin: { writer, position: count + 1 },
    });
    writeSync(1, `${caller} ${count} ${firstSequence} ${rows}\n`);
    count++;
  }
}

writeSync(1, 'ready\n');
await Promise.all(range(0, callers).map(call));
