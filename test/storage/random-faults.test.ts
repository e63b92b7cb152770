import test from 'ava';
import { SluiceError } from '../../src/base/index.ts';
import { FaultFileSystem } from './fault-file-system.ts';
import {
  blockOf,
  copyOfFiles,
  logId,
  numbersOf,
  openAt,
  randomOf,
  range,
  schema,
  temporaryDirectory,
} from './helpers.ts';

for (const seed of range(1, 13)) {
  test(`whatever fails, what was acknowledged is there and nothing else: seed ${seed}`, async (t) => {
    const random = randomOf(seed * 7_919);
    const fileSystem = new FaultFileSystem();
    const options = {
      segmentRecordsMax: 3 + Math.floor(random() * 30),
      compaction: { blocksFanout: 3, filesFanout: 3 },
      cacheBytesMax: 20_000,
    };
    let directory = temporaryDirectory(t);
    let store = await openAt(t, directory, { ...options, fileSystem });
    let log = await store.openLog(logId, schema);
    let faultRate = 0;
    // Where neither the file can be cut back nor the manifest changed, nobody could keep the promise that is tested
    // here; so one of the two works, in half of the runs each.
    let cutting = false;
    fileSystem.plan = (operation, path) => {
      if (operation === 'read') return undefined;
      const undoing = operation === 'truncate' || (operation === 'sync' && cutting);
      cutting = operation === 'truncate';
      if (seed % 2 === 0 ? undoing : /manifest|logs\/[^/]*$/.test(path)) return undefined;
      if (random() >= faultRate) return undefined;
      return operation === 'write' && random() < 0.5
        ? { short: Math.floor(random() * 3_000) }
        : { error: random() < 0.5 ? 'ENOSPC' : 'EIO' };
    };
    const acknowledged: number[] = [];
    let next = 0;
    let refused = 0;
    for (let step = 0; step < 60; step++) {
      faultRate = random() < 0.5 ? 0 : random() * 0.5;
      const appends = range(0, Math.ceil(random() * 6)).map(async () => {
        const numbers = range(next, (next += random() < 0.8 ? 1 : 40));
        try {
          const { firstSequence } = await log.append(blockOf(numbers), {
            origin: { writer: 'w', position: next },
          });
          t.is(firstSequence, acknowledged.length);
          acknowledged.push(...numbers);
        } catch (error) {
          t.true(error instanceof SluiceError);
          refused++;
        }
      });
      await Promise.all(appends);
      if (random() < 0.1) await log.compactNow().catch(() => undefined);
      if (random() < 0.2) {
        const copy = copyOfFiles(t, directory);
        const crashed = await openAt(t, copy, options);
        const recovered = await crashed.openLog(logId, schema);
        t.deepEqual(await numbersOf(t, recovered.snapshot()), acknowledged);
        t.is(recovered.end, acknowledged.length);
        if (random() < 0.5) {
          // Goes on where the crash left off.
          await crashed.close();
          await store.close();
          faultRate = 0;
          directory = copy;
          store = await openAt(t, directory, { ...options, fileSystem });
          log = await store.openLog(logId, schema);
        }
      }
    }
    faultRate = 0;
    t.deepEqual(await numbersOf(t, log.snapshot()), acknowledged);
    await store.close();
    const again = await openAt(t, directory, options);
    t.deepEqual(await numbersOf(t, (await again.openLog(logId, schema)).snapshot()), acknowledged);
    t.true(acknowledged.length > 0 && refused > 0);
  });
}
